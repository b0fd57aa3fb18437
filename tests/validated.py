"""Is configs/validated.csv what the model makes of the published tables?

validated.py FUTEXSIM SOURCE           compares: exit 1 where a row's error has moved by more than 3 points
validated.py FUTEXSIM SOURCE --write   writes it again
"""
import csv
import io
import subprocess
import sys
from pathlib import Path

if len(sys.argv) not in (3, 4):
    sys.exit(__doc__.strip())
program, source = sys.argv[1], Path(sys.argv[2])
file = source / "configs" / "validated.csv"

run = subprocess.run([program, "validate", "--format", "csv", "--precision", "0.02"],
                     cwd=source, capture_output=True, text=True)
if run.returncode not in (0, 1):
    sys.exit(run.stderr.strip())
if "--write" in sys.argv:
    file.write_text(run.stdout)
    sys.exit()

KEY = ("table", "source", "policy", "threads", "buckets", "aligned", "placement", "published")


def errors(text):
    rows = {}
    for number, row in enumerate(csv.DictReader(io.StringIO(text))):
        rows[(number, *(row[column] for column in KEY))] = float(row["error"] or "nan")
    return rows


old, new = errors(file.read_text()), errors(run.stdout)
moved = [f"{key[1]}, {key[3]} {key[5]}, {key[4]} threads: {100 * old[key]:+.1f} % there, {100 * new[key]:+.1f} % now"
         for key in new if key in old and abs(new[key] - old[key]) > 0.03 * max(1, 1 + new[key])]
if old.keys() != new.keys():
    moved.append("other rows than the published tables have")
if moved:
    sys.exit("\n".join([*moved, f"{file} is out of date: cmake --build --preset release --target validated"]))
print(f"{len(new)} rows as in {file}")
