"""Where the issue slots of a run went: hottest.py RESULT.json lines|instructions [ROWS]

RESULT.json comes from `warpfold run ... --json RESULT.json`. A row is a source line or an instruction of the first
kernel: its share of all slots in per cent, then the share of every reason above 1 per cent, the largest first.
"""
import json
import sys

path, kind = sys.argv[1:3]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 5
with open(path) as file:
    kernel = json.load(file)["account"]["kernels"][0]
total = sum(kernel["slots"].values())


def name(entry):
    if kind == "instructions":
        return f'{entry["pc"]:04x} {entry["instruction"]}  {entry["lines"]}'
    return "no warp on the SM" if entry["lines"] is None else entry["lines"] or "entry of the kernel"


print("slots, %  where")
for entry in sorted(kernel[kind], key=lambda e: -sum(e["slots"].values()))[:rows]:
    shares = {reason: 100 * n / total for reason, n in entry["slots"].items()}
    reasons = sorted((r for r in shares if shares[r] > 1), key=lambda r: -shares[r])
    print(f'{sum(shares.values()):8.1f}  {name(entry)}:', ", ".join(f"{r} {shares[r]:.1f}" for r in reasons))
