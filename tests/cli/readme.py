"""Does what the READMEs show run? Every config in them, at a precision of 1, and every command after
a $, whose lines below it must be printed: readme.py FUTEXSIM SOURCE"""
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

if len(sys.argv) != 3:
    sys.exit(__doc__)
program, source = sys.argv[1], Path(sys.argv[2])


def blocks(text):
    """JSON objects with a machine: fenced, or indented by four."""
    for fenced in re.findall(r"^```json\n(.*?)^```", text, re.M | re.S):
        yield fenced
    for indented in re.findall(r"(?:^    .*\n)+", text, re.M):
        yield indented


def samples(text):
    """Commands after a $, and the lines that they print."""
    for block in re.findall(r"(?:^    .*\n|^\n)+", text, re.M):
        for sample in block.split("    $ ")[1:]:
            command, *lines = sample.splitlines()
            yield shlex.split(command), [line.strip() for line in lines if line.strip()]


ran = shown = 0
for page in [source / "README.md", *sorted(source.glob("*/**/README.md"))]:
    if "build" in page.relative_to(source).parts:
        continue
    for command, lines in samples(page.read_text()):
        run = subprocess.run([program, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        printed = [line.strip() for line in run.stdout.splitlines()]
        for line in lines:
            if line not in printed:
                sys.exit(f"{page}: {' '.join(command)} doesn't print\n{line}\nbut\n{run.stdout}")
        shown += 1
    for block in blocks(page.read_text()):
        try:
            config = json.loads(block)
        except json.JSONDecodeError:
            continue  # output, a command, or a part of a file
        if "machine" not in config or "workload" not in config:
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            command = "sweep" if "sweep" in config else "run"
            run = subprocess.run([program, command, str(file), "--set", "/precision=1"],
                                 capture_output=True, text=True)
        ran += 1
        if run.returncode != 0:
            sys.exit(f"{page}: futexsim {command} of a config there: exit status {run.returncode}\n{run.stderr}{block}")
if ran < 2 or shown < 3:
    sys.exit(f"only {ran} configs and {shown} commands with their output found in the READMEs")
print(f"{ran} configs of the READMEs run, {shown} commands print what they say")
