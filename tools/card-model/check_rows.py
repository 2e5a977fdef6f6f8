#!/usr/bin/env python3
"""Checks the rules against rows kept of a card: check_rows.py silicon/h100/values/products.csv."""
import csv
import sys
from forms import Form
from product import decode, multiply
from check import expected, rule_of


def read(f, text, depth):
    if f.bits == 1:
        words = [int(text[i:i + 8], 16) for i in range(0, len(text), 8)]
        return [words[k // 32] >> (k % 32) & 1 for k in range(depth)]
    digits = f.bits // 4
    return [int(text[i:i + digits], 16) for i in range(0, len(text), digits)]


def row_agrees(form, rule, row):
    a, b = read(form.a, row["a"], form.depth), read(form.b, row["b"], form.depth)
    products = [] if form.a.whole else [multiply(decode(form.a, x), decode(form.b, y)) for x, y in zip(a, b)]
    if "minus" in form.words:
        products = [(p[0], p[1] ^ 1, p[2], p[3]) for p in products]
    return expected(form, rule, products, int(row["c"], 16), (a, b)) == int(row["d"], 16)


def main():
    count, agree, forms = {}, {}, {}
    with open(sys.argv[1]) as file:
        for row in csv.DictReader(file):
            name = row["form"]
            if name not in forms:
                form = Form(name)
                forms[name] = form, rule_of(form)
            count[name] = count.get(name, 0) + 1
            agree[name] = agree.get(name, 0) + row_agrees(*forms[name], row)
    for name in count:
        print(f"{name},{agree[name]},{count[name]}")
    sys.exit(any(agree[n] != count[n] for n in count))


if __name__ == "__main__":
    main()
