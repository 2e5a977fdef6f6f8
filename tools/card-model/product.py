"""Products of a tensor core by the rule of alignment and truncation, in whole numbers.

A group adds L products and c: each term is cut toward 0 to a multiple of 2^(emax - F), emax the greatest exponent among
the terms that are not 0; the sum is exact; the result is rounded to the output. Groups follow in k, each with the result
before as c.
"""
from dataclasses import dataclass, replace
from inputs import FORMATS

NAN, INF = "nan", "inf"


def decode(f, v):
    """(kind, sign, exponent, significand); value = significand * 2^(exponent - fraction bits)."""
    v = v >> f.lowest << f.lowest
    sign, field = v >> (f.bits - 1), v >> f.fraction & (1 << f.exponent) - 1
    fraction = v & f.mask
    if f.e4m3:
        if v & 0x7f == 0x7f:
            return NAN, sign, 0, 0
    elif field == (1 << f.exponent) - 1:
        return (NAN if fraction else INF), sign, 0, 0
    if field == 0:
        return None, sign, 1 - f.bias, fraction
    return None, sign, field - f.bias, fraction | 1 << f.fraction


def multiply(x, y):
    """A product: (kind, sign, exponent, significand) with the sum of the fraction bits."""
    sign = x[1] ^ y[1]
    if x[0] == NAN or y[0] == NAN:
        return NAN, sign, 0, 0
    if x[0] == INF or y[0] == INF:
        other = y if x[0] == INF else x
        return (NAN if other[0] is None and other[3] == 0 else INF), sign, 0, 0
    return None, sign, x[2] + y[2], x[3] * y[3]


def round_to(f, sign, magnitude, scale, mode):
    """magnitude * 2^scale as bits of format f, by mode: rz, rn, rm, rp. `bits` of precision by f.fraction."""
    if magnitude == 0:
        return sign << (f.bits - 1)
    top = magnitude.bit_length() - 1 + scale
    least = max(top, 1 - f.bias) - f.fraction  # weight of the last place
    shift = least - scale
    if shift <= 0:
        q = magnitude << -shift
    else:
        q, rest, half = magnitude >> shift, magnitude & (1 << shift) - 1, 1 << (shift - 1)
        if mode == "rn":
            q += rest > half or (rest == half and q & 1)
        elif (mode == "rp" and not sign or mode == "rm" and sign) and rest:
            q += 1
    infinity = ((1 << f.exponent) - 1) << f.fraction
    field = 1 if top < 1 - f.bias else top + f.bias
    bits = ((field - 1) << f.fraction) + q if q >= 1 << f.fraction else q
    if bits >= infinity:
        to_inf = mode in ("rn", "rz+inf") or (mode == "rp" and not sign) or (mode == "rm" and sign)
        bits = infinity if to_inf else infinity - 1
    return sign << (f.bits - 1) | bits


@dataclass(frozen=True)
class Rule:
    """One type on one card. length: L; align: F; cut: fraction bits kept of an f32 result; floor: least emax."""
    length: int
    align: int
    cut: int = 23
    mode: str = "rz+inf"
    floor: int = -10**9
    nan: int = 0x7fffffff


def group(rule, products, c, fraction, d):
    """D's bits: products and c (bits of format d), `fraction` bits of the products' significands."""
    x = decode(d, c)
    kinds = [p for p in products if p[0]]
    if x[0]:
        kinds.append(x)
    if kinds:
        signs = {p[1] for p in kinds}
        if any(p[0] == NAN for p in kinds) or len(signs) > 1:
            return rule.nan
        return signs.pop() << (d.bits - 1) | ((1 << d.exponent) - 1) << d.fraction
    live = [(e, -s if sign else s, fraction) for _, sign, e, s in products if s]
    if x[3]:
        live.append((x[2], -x[3] if x[1] else x[3], d.fraction))
    if not live:
        return 0
    emax = max(rule.floor, max(t[0] for t in live))
    total = 0
    for e, s, f in live:
        shift = rule.align - emax + e - f
        if shift >= 0:
            total += s << shift
        else:
            total += s >> -shift if s > 0 else -(-s >> -shift)
    sign, magnitude, scale = int(total < 0), abs(total), emax - rule.align
    if rule.cut < d.fraction and magnitude:
        least = max(magnitude.bit_length() - 1 + scale, 1 - d.bias) - rule.cut
        if least > scale:
            magnitude = magnitude >> (least - scale) << (least - scale)
    bits = round_to(d, sign, magnitude, scale, rule.mode)
    return 0 if bits << 1 == 1 << d.bits else bits  # a zero is positive


def product(rule, products, c, fraction, d):
    for first in range(0, len(products), rule.length):
        c = group(rule, products[first:first + rule.length], c, fraction, d)
    return c
