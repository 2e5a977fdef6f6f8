"""Operands of bench/silicon/card/values.h, redone: every element from (distribution, role, tile, i, j)."""

MODERATE, WIDE, CANCEL, SUBNORMAL, SPECIAL, OVERFLOW, PROBE, FLOOR = range(8)
ROLE_A, ROLE_B, ROLE_C, ROLE_META, ROLE_TILE, ROLE_ROW = range(6)
NAMES = ["moderate", "wide", "cancel", "subnormal", "special", "overflow", "probe", "floor"]
WORD = (1 << 64) - 1


class Format:
    """Bits, bits of exponent and fraction (0: whole numbers), lowest bit read, whether the bits below are 0."""

    def __init__(self, name, bits, exponent=0, fraction=0, lowest=0, clear=False, signed=True):
        self.name, self.bits, self.exponent, self.fraction = name, bits, exponent, fraction
        self.lowest, self.clear, self.signed = lowest, clear, signed
        self.whole = exponent == 0
        self.bias = (1 << (exponent - 1)) - 1 if exponent else 0
        self.mask = (1 << fraction) - 1
        self.e4m3 = exponent == 4


FORMATS = {f.name: f for f in [
    Format("f16", 16, 5, 10), Format("bf16", 16, 8, 7), Format("tf32", 32, 8, 23, 13, True),
    Format("tf32_raw", 32, 8, 23, 13), Format("e4m3", 8, 4, 3), Format("e5m2", 8, 5, 2), Format("f32", 32, 8, 23),
    Format("f64", 64, 11, 52), Format("s8", 8), Format("u8", 8, signed=False), Format("s4", 4),
    Format("u4", 4, signed=False), Format("b1", 1, signed=False), Format("s32", 32)]}


def finalise(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def encode(f, sign, exponent, fraction):
    most = (1 << f.exponent) - (1 if f.e4m3 else 2)
    field = max(0, min(most, exponent + f.bias))
    fraction &= f.mask
    if f.e4m3 and field == 15 and fraction == 7:
        fraction = 6
    return sign << (f.bits - 1) | field << f.fraction | fraction


def in_range(f, h, lo, hi):
    exponent = lo + ((h >> 1 & 255) * (hi - lo + 1) >> 8)
    style = h >> 9 & 7
    fraction = 0 if style == 0 else WORD if style == 1 else 1 if style == 2 else h >> 12
    return encode(f, h & 1, exponent, fraction)


def special(f, h):
    top, sign = ((1 << f.exponent) - 1) << f.fraction, 1 << (f.bits - 1)
    quiet, payload, greatest = top | 1 << (f.fraction - 1), top | 1, top - 1
    if f.e4m3:
        top = quiet = payload = 0x7f
        greatest = 0x7e
    return [top, top | sign, quiet, quiet | sign, payload, greatest, 0, sign][h & 7]


class Source:
    """A tile's operands. depth: stored elements of A along k; chunk: 0, or logical columns that store chunk / 2."""

    def __init__(self, distribution, tile, depth, chunk, narrow, seed=1):
        self.seed, self.distribution, self.tile = seed, distribution, tile
        self.depth, self.chunk, self.narrow = depth, chunk, narrow
        if depth > 1:
            x = 1 + self.draw(ROLE_TILE, 0, 0) % (depth - 1)
            if chunk == 4:
                x &= ~1
            self.partner = x if x else (2 if depth > 2 else 1)
        self.probed = self.draw(ROLE_TILE, 0, 1) % depth

    def draw(self, role, i, j):
        key = (self.seed * 8 + self.distribution) * 8 + role
        key = ((key * 4096 + self.tile) * 4096 + i) * 4096 + j
        return finalise((key + 1) * 0x9E3779B97F4A7C15 & WORD)

    def wide_range(self, f, role):
        if f.exponent == 11:
            return (-60, 60) if role == ROLE_C else (-30, 30)
        if self.narrow:
            return (-14, 14) if role == ROLE_C else (-7, 6)
        if role == ROLE_C:
            return -20, 20
        return (-6, 8) if f.e4m3 else (-11, 10) if f.exponent == 5 else (-12, 12)

    def subnormal_range(self, f, role):
        least = 1 - f.bias
        if role == ROLE_C:
            if self.narrow:
                return -15, -12
            if f.exponent == 11:
                return -1023, -1014
            return [(-127, -124), (-127, -118), (-40, -18)][self.tile % 3]
        if self.tile & 1:
            return (least - 1, least + 1) if role == ROLE_A else (-6, 2 if f.exponent <= 5 else 10)
        if f.exponent <= 5:
            return least - 1, least + 2
        return (-76, -62) if f.exponent == 8 else (-540, -510)

    def overflow_range(self, f, role):
        if role == ROLE_C:
            return (13, 15) if self.narrow else (1020, 1023) if f.exponent == 11 else (124, 127)
        if f.exponent == 11:
            return 507, 515
        if f.exponent == 8:
            return 59, 65
        return (4, 8) if self.narrow else (f.bias - 2, f.bias)

    def probe_big(self, f):
        return (30, 32) if f.exponent == 11 else (6, 7) if self.narrow else (6, 8) if f.e4m3 else (8, 10)

    def probe_tiny(self, f):
        return (-30, -8) if f.exponent == 11 else (-9, 1) if f.bits == 8 else (-14, -2)

    def cancelling(self, f, role, i, k, r, power):
        first = min(k, k ^ self.partner)
        v = in_range(f, self.draw(role, i, first), *r)
        if power:
            v &= ~f.mask
        if first == k:
            return v
        if role == ROLE_A:
            v ^= 1 << (f.bits - 1)
        if self.distribution == CANCEL and self.draw(role, i, k) & 3 == 0:
            v ^= 1 << f.lowest
        return v

    def with_specials(self, f, role, i, k):
        h = self.draw(role, i, k)
        more, sign, top = finalise(h), h & 1, 1 << (f.bits - 1)
        mode, plain = self.tile & 3, in_range(f, h, -2, 2)
        if mode == 0:
            if self.tile & 4:
                sign = self.draw(ROLE_ROW, i, role) & 1
            return sign * top if role != ROLE_B else (plain & ~top) | sign * top
        if mode == 1:
            if more & 15 == 0:
                return special(f, more >> 8)
            return plain if more & 15 < 3 else sign * top
        of = 16 if role == ROLE_C else 64 if mode == 2 else 16
        return special(f, more >> 8) if more % of == 0 else plain

    def whole(self, f, h):
        mask = (1 << f.bits) - 1
        if f.bits == 32:
            if self.distribution == MODERATE:
                return (h >> 12 & 0x1fffff) - 0x100000 & mask
            return (0x7fff0000 if h & 1 else 0x80000000) | (h >> 12 & 0xffff)
        if self.distribution != CANCEL or f.bits == 1:
            return h >> 12 & mask
        return [mask >> 1, (mask >> 1) + 1, mask, 0][h & 3]

    def near_the_floor(self, f, role, h, k):
        if f.exponent == 5 and self.tile & 2 and k == self.probed:
            if role == ROLE_B:
                return encode(f, h & 1, -13, 0)
            n = h >> 60 & 3
            return encode(f, h & 1, (-12, -11, -10, -10)[n], (0, 2, 1, 3)[n] << (f.fraction - 2))
        if f.exponent == 5 and self.tile & 2 and k == self.probed ^ self.partner:
            return encode(f, h & 1, -15, 1 << (h >> 20 & 3) % f.fraction)
        if f.exponent == 11:
            big, tiny = (-540, -530), (-560, -545)
        elif f.exponent == 8:
            big, tiny = ((-69, -60), (-88, -66)) if role else ((-80, -70), (-90, -76))
        else:
            big, tiny = ((-13, -9), (-15, -10)) if role else ((-12, -8), (-15, -12))
        if k == self.probed:
            v = in_range(f, h, *big)
            return v if h >> 62 == 0 else v & ~f.mask
        if k == self.probed ^ self.partner:
            return in_range(f, h, *tiny)
        return (h & 1) << (f.bits - 1)

    def drawn(self, f, role, i, k):
        d = self.distribution
        h = self.draw(role, i, k)
        if f.whole:
            return self.whole(f, h)
        if d == SPECIAL:
            return self.with_specials(f, role, i, k)
        if d not in (CANCEL, PROBE, FLOOR):
            r = (self.wide_range(f, role) if d == WIDE else self.subnormal_range(f, role) if d == SUBNORMAL
                 else self.overflow_range(f, role) if d == OVERFLOW else (-2, 2))
            return in_range(f, h, *r)
        if role == ROLE_B and self.chunk:
            k = k // self.chunk * (self.chunk // 2)
        if d == CANCEL:
            return self.cancelling(f, role, i, k, (-3, 3), False)
        if d == FLOOR:
            return self.near_the_floor(f, role, h, k)
        single = self.tile % 3 == 2
        if k == self.probed or (not single and k == self.probed ^ self.partner):
            return self.cancelling(f, role, i, k, self.probe_big(f), single)
        return in_range(f, h, *self.probe_tiny(f))

    def operand(self, f, role, i, k):
        v = self.drawn(f, role, i, k)
        return v >> f.lowest << f.lowest if f.clear else v

    def accumulator(self, a, b, c, i, j):
        d = self.distribution
        h = self.draw(ROLE_C, i, j)
        if c.whole:
            return self.whole(c, h)
        r = (-3, 4)
        if d == WIDE:
            r = self.wide_range(c, ROLE_C)
        elif d == SUBNORMAL:
            r = self.subnormal_range(c, ROLE_C)
        elif d == OVERFLOW:
            r = self.overflow_range(c, ROLE_C)
        elif d == SPECIAL:
            return self.with_specials(c, ROLE_C, i, j)
        elif d == CANCEL:
            if h >> 60 < 4:
                return (h & 1) << (c.bits - 1)
            r = (-8, 4)
        elif d == FLOOR:
            return (h & 1) << (c.bits - 1) | (h >> 12 & 7 if self.tile & 1 else 0)
        elif d == PROBE:
            if self.tile % 3 == 0:
                return 0
            if self.tile % 3 == 1:
                tiny = self.probe_tiny(a)
                return in_range(c, h, 2 * tiny[0], 2 * tiny[1])
            k = self.probed
            kb = k // (self.chunk // 2) * self.chunk if self.chunk else k
            x, y = self.operand(a, ROLE_A, i, k), self.operand(b, ROLE_B, j, kb)
            e = ((x >> a.fraction & (1 << a.exponent) - 1) - a.bias +
                 (y >> b.fraction & (1 << b.exponent) - 1) - b.bias)
            sign = (x >> (a.bits - 1) ^ y >> (b.bits - 1) ^ 1) & 1
            return encode(c, sign, e, 0) - (h >> 63)
        return in_range(c, h, *r)

    def chunk_metadata(self, i, c):
        h = self.draw(ROLE_META, i, c)
        return (0xe if h & 1 else 0x4) if self.chunk == 2 else [4, 8, 9, 12, 13, 14][(h >> 8) % 6]


def checksum(values, width, h=0xcbf29ce484222325):
    for v in values:
        for byte in v.to_bytes(width, "little"):
            h = (h ^ byte) * 0x100000001b3 & WORD
    return h
