"""Fills the accuracy table of a README from a run of the simulator.

build/release/futexsim validate --format json | python3 notebooks/accuracy.py README.md
"""
import json
import re
import sys
from pathlib import Path

if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
readme = Path(sys.argv[1])

lines = ["| published table | role | rows simulated | median error | worst error |", "|---|---|---|---|---|"]
for table in json.load(sys.stdin)["tables"]:
    run = sum(row["error"] is not None for row in table["rows"])
    errors = [table["median_abs_error"], table["max_abs_error"]]
    shown = " | ".join("" if error is None else f"{100 * error:.1f} %" for error in errors)
    lines.append(f"| `{table['table']}` | {table['role']} | {run} of {len(table['rows'])} | {shown} |")

text = readme.read_text()
filled, found = re.subn(r"(<!-- accuracy -->\n).*?(<!-- /accuracy -->)",
                        lambda marks: marks[1] + "\n".join(lines) + "\n" + marks[2], text, flags=re.S)
if found != 1:
    sys.exit(f"{readme}: one pair of <!-- accuracy --> and <!-- /accuracy --> expected, found {found}")
readme.write_text(filled)
