#!/usr/bin/env python3
"""Conversions of bench/silicon/card/values_cvt.cu redone: convert.py FOLDER|CSV [WORD...]; a row a conversion.

With FOLDER (a card's files) a row names the blocks of 1,024 outputs whose checksum differs. CSV is conversions.csv.
"""
import os
import re
import struct
import sys
from inputs import FORMATS, WORD, checksum, finalise
from product import decode, round_to

F32, F64, F16, BF16, E4M3, E5M2 = (FORMATS[n] for n in ("f32", "f64", "f16", "bf16", "e4m3", "e5m2"))
NANS = {"f16": 0x7fff, "bf16": 0x7fff, "tf32": 0x7fffffff, "f32": 0x7fffffff, "e4m3": 0x7f, "e5m2": 0x7f,
        "f64": 0x7fffffffffffffff}


def fraction_at(i, within, width):
    mask, h = (1 << width) - 1, finalise(i + 1)
    if within < 4:
        return [0, 1, mask, 1 << (width - 1)][within]
    p = 1 + (h >> 56 & 63) % (width - 1)
    f = h & mask
    return f >> p << p | 1 << (p - 1) if h >> 62 & 1 else f


def singles(i):
    return i // 512 << 23 | fraction_at(i, i % 512, 23)


def doubles(i):
    return i // 64 << 52 | fraction_at(i, i % 64, 52)


def shifted(h, bits):
    v = h >> (64 - bits)
    v -= (v >> (bits - 1)) << bits
    return (v >> (h & bits - 1)) & (1 << bits) - 1


def rounded(f, sign, magnitude, scale, mode):
    """As round_to, with rna (half away from 0) too."""
    if mode == "rna" and magnitude:
        top = magnitude.bit_length() - 1 + scale
        least = max(top, 1 - f.bias) - f.fraction
        if least > scale:
            magnitude = (magnitude + (1 << (least - scale - 1))) >> (least - scale) << (least - scale)
        mode = "rn"
    return round_to(f, sign, magnitude, scale, mode)


TF32 = type(F32)("tf32", 19, 8, 10)
E4M3_WIDE = type(F32)("e4m3 with a wider exponent", 16, 5, 3)
E4M3_WIDE.bias = 7


def converted_nan(kind, f, v, mode):
    """f64 to and from: sign and payload stay, made quiet. bf16 to f32 and rna to tf32: bits stay. Else one NaN."""
    if kind == "f32" and f is BF16:
        return v << 16
    if kind == "tf32":
        return v >> 13 << 13 if mode == "rna" else 0x7fffe000
    if "f64" not in (kind, f.name):
        return NANS[kind]
    to = FORMATS[kind]
    shift = to.fraction - f.fraction
    payload = (v & f.mask) << shift if shift > 0 else (v & f.mask) >> -shift
    top = ((2 << to.exponent) - 1) << (to.fraction - 1)
    return (v >> (f.bits - 1)) << (to.bits - 1) | top | payload


def to_float(kind, f, v, options, mode):
    """v of format f as `kind`: f16, bf16, tf32, e4m3, e5m2, f32, f64."""
    to = TF32 if kind == "tf32" else FORMATS[kind]
    special, sign, e, s = decode(f, v)
    eight = kind in ("e4m3", "e5m2")
    if special == "nan":
        return 0 if "sat" in options else converted_nan(kind, f, v, mode)
    if "ftz" in options and f is F32 and e == -126 and s < 1 << 23:
        s = 0
    if sign and ("relu" in options or "sat" in options):
        return 0
    greatest = 0x7e if kind == "e4m3" else (((1 << to.exponent) - 1) << to.fraction) - 1
    if special == "inf":
        bits = greatest if "satfinite" in options or eight else ((1 << to.exponent) - 1) << to.fraction
    elif kind == "e4m3":
        top = s.bit_length() - 1 + e - f.fraction if s else -99
        bits = 0x7e
        if top < 9:
            bits = min(0x7e, rounded(E4M3_WIDE, 0, s, e - f.fraction, mode))
    else:
        bits = rounded(to, 0, s, e - f.fraction, mode if not sign or mode in ("rn", "rz", "rna") else
                       {"rm": "rp", "rp": "rm"}[mode])
        if "satfinite" in options or eight:
            bits = min(bits, greatest)
    if "sat" in options:
        bits = min(bits, to.bias << to.fraction)
    bits |= sign << (to.bits - 1)
    return bits << 13 if kind == "tf32" else bits


def whole(f, v, bits, signed, mode):
    """v as a whole number: NaN gives 0 (to 64 bits or from f64: the highest bit), out of range the nearest limit."""
    special, sign, e, s = decode(f, v)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if special == "nan":
        return 1 << (bits - 1) if bits == 64 or f is F64 else 0
    if special == "inf":
        return (low if sign else high) & (1 << bits) - 1
    shift = e - f.fraction
    value = rounded_whole(s, shift, sign, mode)
    return max(low, min(high, value)) & (1 << bits) - 1


def rounded_whole(s, shift, sign, mode):
    if shift >= 0:
        q = s << shift
    else:
        q, rest, half = s >> -shift, s & (1 << -shift) - 1, 1 << (-shift - 1)
        if mode == "rni":
            q += rest > half or (rest == half and q & 1)
        elif rest and (mode == "rpi" and not sign or mode == "rmi" and sign):
            q += 1
    return -q if sign else q


def to_whole_float(f, v, options, mode):
    special, sign, e, s = decode(f, v)
    if special == "nan":
        return 0 if "sat" in options else NANS[f.name]
    bits = ((1 << f.exponent) - 1) << f.fraction
    if not special:
        bits = round_to(f, 0, abs(rounded_whole(s, e - f.fraction, sign, mode)), 0, "rn")
    if "sat" in options:
        return 0 if sign else min(bits, f.bias << f.fraction)
    return bits | sign << (f.bits - 1)


def from_whole(kind, v, bits, signed, mode):
    sign = signed and v >> (bits - 1)
    return round_to(FORMATS[kind], int(bool(sign)), (1 << bits) - v if sign else v, 0, mode)


def conversion(text):
    """(function of i, count, bytes of an output) of an instruction."""
    words = text.split(".")[1:]
    options = {w for w in words if w in ("relu", "satfinite", "sat", "ftz")}
    types = [w for w in words if w not in options]
    mode = types.pop(0) if re.fullmatch(r"r\w+", types[0]) else "rn"
    to, source = types
    width = 8 if to in ("f64", "s64", "u64") else 4
    base = to[:-2] if to.endswith("x2") else to
    if to.endswith("x2") and source == "f32":
        size = FORMATS[base].bits
        one = lambda i: to_float(base, F32, singles(i), options, mode)
        return (lambda i: one(i) << size | one(262143 - i)), 262144, 4
    if source == "f16x2":
        return (lambda i: to_float(base, F16, i, options, mode)), 65536, 4
    if to.endswith("x2"):
        f = FORMATS[source[:-2]]
        one = lambda v: to_float("f16", f, v, options, mode)
        return (lambda i: one(i >> 8) << 16 | one(i & 255)), 65536, 4
    if source in ("s32", "u32", "s64", "u64"):
        bits = int(source[1:])
        return (lambda i: from_whole(to, shifted(finalise(i + 1), bits), bits, source[0] == "s", mode)), 262144, width
    f = FORMATS[source]
    draw, count = {"f32": (singles, 262144), "f64": (doubles, 262144)}.get(source, (lambda i: i, 65536))
    if to[0] in "su":
        bits = int(to[1:])
        return (lambda i: whole(f, draw(i), bits, to[0] == "s", mode)), count, width
    if mode.endswith("i"):
        return (lambda i: to_whole_float(f, draw(i), options, mode)), count, width
    return (lambda i: to_float(to, f, draw(i), options, mode)), count, width


def chosen(name):
    return name.startswith("cvt.") and all(w in name for w in sys.argv[2:])


def check_folder(folder):
    for name in sorted(n[:-4] for n in os.listdir(folder) if n.endswith(".bin") and chosen(n[:-4])):
        convert, count, width = conversion(name)
        data = open(os.path.join(folder, name + ".bin"), "rb").read()
        sums = struct.unpack(f"<{count // 1024}Q", data)
        differ = [b for b in range(len(sums))
                  if checksum((convert(i) for i in range(b * 1024, b * 1024 + 1024)), width) != sums[b]]
        print("ok  " if not differ else "DIFF", name, count, differ[:20], len(differ), flush=True)


def check_table(path):
    for name, count, wanted in (line.strip().split(",") for line in open(path)):
        if chosen(name):
            convert, _, width = conversion(name)
            agrees = checksum((convert(i) for i in range(int(count))), width) == int(wanted, 16)
            print("ok  " if agrees else "DIFF", name, count, flush=True)


if __name__ == "__main__":
    check_table(sys.argv[1]) if sys.argv[1].endswith(".csv") else check_folder(sys.argv[1])
