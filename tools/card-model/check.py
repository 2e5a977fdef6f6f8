#!/usr/bin/env python3
"""Compares a card's outputs with the rules: check.py FOLDER SEED [WORD...]; a row a form.

FOLDER holds the files of values_mma and values_wgmma, run with SEED. WORD chooses forms whose names contain it; `-v`
prints elements that differ.
"""
import os
import sys
from dataclasses import replace
from inputs import NAMES
from forms import Form
from product import Rule, product, multiply, decode, round_to, group
from inputs import FORMATS

EXACT = 5000


def rule_of(form):
    """The rule of a form on Hopper, as found so far."""
    a, narrow = form.a.name, form.d.bits == 16
    mode, nan = ("rn", 0x7fff) if narrow else ("rz+inf", 0x7fffffff)
    if a == "f64":
        rounding = {"rn": "rn", "rz": "rz", "rm": "rm", "rp": "rp"}.get(form.words[-1], "rn")
        return Rule(1, EXACT, 52, rounding, nan=0xfff8000000000000)
    if a in ("e4m3", "e5m2") and form.kind.startswith("wgmma"):
        return Rule(32, 13, 23 if narrow else 13, mode, -21 if narrow else -133, nan)
    length = {"f16": 16, "bf16": 16, "tf32": 8, "tf32_raw": 8}.get(a, 16)
    return Rule(length, 25, 23, mode, -21 if narrow else -133, nan)


def signed(f, v):
    return v - (1 << f.bits) if f.signed and v >> (f.bits - 1) else v


def whole_product(form, operands, c):
    """Whole numbers: the exact sum, wrapped or clamped to 32 bits."""
    x, y = operands
    if form.a.bits == 1:
        one = (lambda p, q: p ^ q) if "xor" in form.words else (lambda p, q: p & q)
        total = sum(one(p, q) for p, q in zip(x, y))
    else:
        total = sum(signed(form.a, p) * signed(form.b, q) for p, q in zip(x, y))
    total += signed(FORMATS["s32"], c)
    if "satfinite" in form.words:
        total = max(-2**31, min(2**31 - 1, total))
    return total & 0xffffffff


def emulated_fp8(form, rule, products, c, fraction):
    """mma.sync of fp8 on sm_90: two groups of 16 of f16 (k mod 4 < 2, then the rest), then one addition to c."""
    f32, narrow = FORMATS["f32"], form.d.bits == 16
    d = form.d
    s = 0
    wanted = [[p for k, p in enumerate(products) if k % 4 < 2], [p for k, p in enumerate(products) if k % 4 >= 2]]
    for part in wanted:
        s = group(rule, part, s, fraction, d)
    x, y = decode(d, s), decode(d, c)
    if x[0] or y[0]:
        if "nan" in (x[0], y[0]) or (x[0] == y[0] and x[1] != y[1]):
            return rule.nan
        return s if x[0] else c
    least = min(x[2], y[2])
    total = (-1) ** x[1] * (x[3] << (x[2] - least)) + (-1) ** y[1] * (y[3] << (y[2] - least))
    if total == 0:
        return (x[1] & y[1]) << (d.bits - 1)
    return round_to(d, int(total < 0), abs(total), least - d.fraction, "rn")


QUIET = 1 << 51


def fused(x, y, z, mode, indefinite=0xfff8000000000000):
    """x * y + z of f64, rounded once. NaN: of y, z, x the first that is one, made quiet; an invalid operation gives `indefinite`."""
    f = FORMATS["f64"]
    dx, dy, dz = decode(f, x), decode(f, y), decode(f, z)
    for v, d in ((y, dy), (z, dz), (x, dx)):
        if d[0] == "nan":
            return v | QUIET
    p = multiply(dx, dy)
    if p[0] == "nan" or (p[0] == "inf" and dz[0] == "inf" and p[1] != dz[1]):
        return indefinite
    if p[0] or dz[0]:
        return (p[1] if p[0] else dz[1]) << 63 | 0x7ff << 52
    least = min(p[2] - 104, dz[2] - 52)
    total = (-p[3] if p[1] else p[3]) << (p[2] - 104 - least)
    total += (-dz[3] if dz[1] else dz[3]) << (dz[2] - 52 - least)
    if total == 0:
        both = p[1] & dz[1] if p[1] == dz[1] else int(mode == "rm")
        return both << 63
    return round_to(f, int(total < 0), abs(total), least, mode)


def fused_chain(operands, c, mode):
    for x, y in zip(*operands):
        c = fused(x, y, c, mode)
    return c


def expected(form, rule, products, c, operands):
    if form.a.whole:
        return whole_product(form, operands, c)
    if form.a.name == "f64":
        return fused_chain(operands, c, rule.mode)
    fraction = form.a.fraction + form.b.fraction
    if c is None:
        c = 0
    if form.a.bits == 8 and not form.kind.startswith("wgmma"):
        return emulated_fp8(form, rule, products, c, fraction)
    return product(rule, products, c, fraction, form.d)


def shown(form, products, c, got, want):
    width = form.d.bits // 4
    terms = " ".join(f"{'-' if p[1] else ''}{p[3]}@{p[2]}" if not p[0] else p[0] for p in products) if not form.a.whole else ""
    return f"    got {got:0{width}x} want {want:0{width}x} c {-1 if c is None else c:0{width}x} : {terms}"


def compare(form, rule, examples=0):
    outputs = form.outputs()
    for distribution in form.distributions:
        agree = count = shown_here = 0
        values, at = outputs[distribution], 0
        for tile in range(form.tiles):
            for products, c, operands in form.tile(distribution, tile):
                got, want = values[at], expected(form, rule, products, c, operands)
                at += 1
                count += 1
                agree += got == want
                if got != want and shown_here < examples:
                    shown_here += 1
                    print(shown(form, products, c, got, want))
        yield distribution, agree, count


def main():
    words = [w for w in sys.argv[3:] if w != "-v"]
    folder, seed, examples = sys.argv[1], int(sys.argv[2]), 6 if "-v" in sys.argv else 0
    names = sorted(n[:-4] for n in os.listdir(folder) if n.endswith(".bin") and ("mma" in n))
    for name in names:
        text = name.replace("-", " ")
        if not all(w in text for w in words):
            continue
        form = Form(text, folder, seed)
        row = [f"{NAMES[d]} {agree}/{count}" for d, agree, count in compare(form, rule_of(form), examples)]
        whole = all(r.split()[1].split("/")[0] == r.split("/")[1] for r in row)
        print("ok  " if whole else "DIFF", text, "|", " | ".join(row), flush=True)


if __name__ == "__main__":
    main()
