#!/usr/bin/env python3
"""Chooses rows of a card's outputs that decide between rules: select_rows.py FOLDER OUT.csv COUNT:NAME...

A row of the CSV: form, distribution, A's stored elements of the row, B's elements that meet them, c, d, in hex (elements
in k order, each padded to its format; b1 as 32-bit words, k = 0 in the lowest bit). Half of the rows differ under at least
one neighbour of the rule (align, length or floor changed, another rounding), each neighbour in turn; the rest are
spread over the distributions.
"""
import sys
from dataclasses import replace
from inputs import NAMES, finalise
from forms import Form
from check import expected, rule_of


def neighbours(form, rule):
    if form.a.whole:
        return []
    if form.a.name == "f64":
        return [replace(rule, mode=m) for m in ("rn", "rz", "rm", "rp") if m != rule.mode]
    out = [replace(rule, align=rule.align + d) for d in (-1, 1)]
    out += [replace(rule, length=n) for n in (rule.length // 2, rule.length * 2)]
    out += [replace(rule, cut=23 if rule.cut == 13 else 13), replace(rule, mode="rz+inf" if rule.mode == "rn" else "rn")]
    out += [replace(rule, floor=rule.floor + d) for d in (-1, 1)]
    return out


def written(f, elements):
    if f.bits == 1:
        words = [sum(e << n for n, e in enumerate(elements[w:w + 32])) for w in range(0, len(elements), 32)]
        return "".join(f"{w:08x}" for w in words)
    return "".join(f"{e:0{f.bits // 4}x}" for e in elements)


def rows_of(form, count):
    rule, outputs = rule_of(form), form.outputs()
    others = neighbours(form, rule)
    by_other, spread = [[] for _ in others], {d: [] for d in form.distributions}
    for d in form.distributions:
        at = 0
        for tile in range(form.tiles):
            for products, c, (a, b) in form.tile(d, tile):
                key = finalise(at * 8 + d)
                row = (key, d, a, b, 0 if c is None else c, outputs[d][at])
                at += 1
                spread[d].append(row)
                if key % 4 == 0:
                    for n, other in enumerate(others):
                        if expected(form, other, products, c, (a, b)) != row[-1]:
                            by_other[n].append(row)
    chosen = {}
    for rows, share in [(r, count // 2 // max(1, len(others))) for r in by_other] + \
                       [(r, count // 2 // len(spread)) for r in spread.values()]:
        for row in sorted(rows)[:share]:
            chosen[row[0]] = row
    left = sorted(r for rows in spread.values() for r in rows if r[0] not in chosen)
    for row in left[:count - len(chosen)]:
        chosen[row[0]] = row
    return sorted(chosen.values(), key=lambda r: (r[1], r[0]))


def main():
    folder, out = sys.argv[1], sys.argv[2]
    with open(out, "w") as file:
        file.write("form,distribution,a,b,c,d\n")
        for word in sys.argv[3:]:
            count, name = word.split(":")
            form = Form(name, folder)
            width = form.d.bits // 4
            for _, d, a, b, c, value in rows_of(form, int(count)):
                file.write(f"{name},{NAMES[d]},{written(form.a, a)},{written(form.b, b)},"
                           f"{c:0{width}x},{value:0{width}x}\n")


if __name__ == "__main__":
    main()
