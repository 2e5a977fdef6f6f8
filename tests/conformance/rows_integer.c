// Integer arithmetic, extended precision, logic and shifts (PTX ISA 9.7.1, 9.7.2, 9.7.8).
#include "conformance/conformance.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

// ---- operations on integers as numbers; the result is cut to the width of the type

#define OP(name, expression)                                                                                 \
    static swide name(swide a, swide b, swide c, unsigned bits)                                              \
    {                                                                                                        \
        (void)a, (void)b, (void)c, (void)bits;                                                               \
        return (swide)(expression);                                                                          \
    }

static swide largest(unsigned bits) { return ((swide)1 << (bits - 1)) - 1; }
static swide clamped(swide v, unsigned bits)
{
    if (v > largest(bits)) return largest(bits);
    return v < -largest(bits) - 1 ? -largest(bits) - 1 : v;
}

OP(add, a + b)
OP(add_saturated, clamped(a + b, bits))
OP(subtract, a - b)
OP(subtract_saturated, clamped(a - b, bits))
OP(multiply_low, (wide)a *(wide)b)
OP(multiply_wide, a *b)
OP(multiply_add_low, (wide)a *(wide)b + (wide)c)
OP(sum_of_differences, c + (a < b ? b - a : a - b))
OP(divide, b == 0 ? -1 : a / b)      // by zero: "unspecified, machine-specific"; here all ones
OP(remainder_of, b == 0 ? a : a % b) // by zero: ours is the dividend
OP(absolute, a < 0 ? -a : a)
OP(negate, -a)
OP(minimum, a < b ? a : b)
OP(maximum, a > b ? a : b)
OP(and_bits, a &b)
OP(or_bits, a | b)
OP(xor_bits, a ^ b)
OP(not_bits, ~a)
OP(c_not, a == 0)
OP(count_ones, __builtin_popcountll((uint64_t)a))
OP(shift_left, b > bits - 1 ? 0 : (wide)a << b)
OP(shift_right, a >> (b > bits - 1 ? bits : b)) // a is a number: sign bits or zeros enter from the left

// The high half of a product, by splitting a factor: no value is wider than 128 bits.
static swide multiply_high(swide a, swide b, swide c, unsigned bits)
{
    (void)c;
    if (bits < 64) return (a * b) >> bits;
    swide b_high = b >> 32, b_low = b & 0xffffffff; // a * b = (a * b_high << 32) + a * b_low
    return (a * b_high + ((a * b_low) >> 32)) >> 32;
}
static swide multiply_add_high(swide a, swide b, swide c, unsigned bits)
{
    return multiply_high(a, b, 0, bits) + c;
}
static swide multiply_add_high_saturated(swide a, swide b, swide c, unsigned bits)
{
    return clamped(multiply_high(a, b, 0, bits) + c, bits);
}

static swide low_24(swide a, bool is_signed)
{
    swide v = a & 0xffffff;
    return is_signed && v >= 0x800000 ? v - 0x1000000 : v;
}

static swide number(uint64_t bits, unsigned width, bool is_signed)
{
    bits &= bit_mask(width);
    return is_signed && bits >> (width - 1) ? (swide)bits - ((swide)1 << width) : (swide)bits;
}

static uint64_t plain(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    swide a = number(v[0], r->from_bits, r->is_signed), b = number(v[1], r->from_bits, r->is_signed);
    swide c = number(v[2], r->bits, r->is_signed);
    return (uint64_t)r->op(a, b, c, r->from_bits) & bit_mask(r->bits);
}

static uint64_t shifted(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    return (uint64_t)r->op(number(v[0], r->bits, r->is_signed), (swide)(v[1] & 0xffffffff), 0, r->bits) &
           bit_mask(r->bits);
}

// ---- operations stated on bits

static uint64_t multiply_24(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    swide product = low_24((swide)v[0], r->is_signed) * low_24((swide)v[1], r->is_signed);
    swide part = r->code & 1 ? product >> 16 : product;
    if (r->code & 2) part = number((uint64_t)part, 32, r->is_signed) + number(v[2], 32, r->is_signed);
    if (r->sat) part = clamped(part, 32);
    return (uint64_t)part & 0xffffffff;
}

static uint64_t count_leading(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    unsigned n = 0;
    while (n < r->from_bits && !(v[0] >> (r->from_bits - 1 - n) & 1)) n++;
    return n;
}

static uint64_t find_leading(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t sign = r->is_signed ? v[0] >> (r->from_bits - 1) & 1 : 0;
    for (unsigned k = r->from_bits; k-- > 0;)
        if ((v[0] >> k & 1) != sign) return r->code ? r->from_bits - 1 - k : k;
    return 0xffffffff;
}

static uint64_t reversed(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t d = 0;
    for (unsigned k = 0; k < r->bits; k++)
        if (v[0] >> k & 1) d += 1ull << (r->bits - 1 - k);
    return d;
}

// msb, pos, len and sbit are the ISA's own names.
static uint64_t extract(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t a = v[0], d = 0;
    unsigned msb = r->bits - 1, pos = v[1] & 0xff, len = v[2] & 0xff, sbit = 0;
    if (r->is_signed && len) sbit = (unsigned)(a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1);
    for (unsigned i = 0; i <= msb; i++) {
        uint64_t bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit;
        d |= bit << i;
    }
    return d;
}

static uint64_t insert(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t f = v[1];
    unsigned pos = v[2] & 0xff, len = v[3] & 0xff;
    for (unsigned i = 0; i < len && pos + i <= r->bits - 1; i++)
        f = (f & ~(1ull << (pos + i))) | (v[0] >> i & 1) << (pos + i);
    return f;
}

static uint64_t find_nth(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)r, (void)second;
    uint32_t mask = (uint32_t)v[0];
    // bounded by the same instructions in the kernel
    int base = (int)(v[1] & 31), offset = (int)(v[2] & 63) - 32;
    if (offset == 0) return mask >> base & 1 ? (uint64_t)base : 0xffffffff;
    int inc = offset > 0 ? 1 : -1, count = offset * inc - 1;
    for (int pos = base; pos >= 0 && pos < 32; pos += inc) {
        if (!(mask >> pos & 1)) continue;
        if (count == 0) return (uint64_t)pos;
        count--;
    }
    return 0xffffffff;
}

static uint64_t extend_from(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint32_t a = (uint32_t)v[0], n = (uint32_t)v[1];
    if (r->code == 0 && n >= 32) return a; // clamp: 32 or more bits are the whole word
    n &= 31;
    if (n == 0) return 0;
    uint32_t low = a & (uint32_t)bit_mask(n);
    return r->is_signed && low >> (n - 1) ? (uint32_t)(low - (1u << (n - 1)) * 2) : low;
}

static uint64_t make_mask(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t from = v[0] & 0xffffffff, width = v[1] & 0xffffffff;
    if (r->code) {
        from &= 31;
        width &= 31;
    }
    if (from >= 32) return 0;
    if (width >= 32) width = 32;
    return (bit_mask((unsigned)width) << from) & 0xffffffff;
}

static int64_t part(uint64_t v, unsigned index, unsigned width, bool is_signed)
{
    return (int64_t)number(v >> index * width, width, is_signed);
}

static uint64_t dot(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    int64_t d = (int64_t)(int32_t)v[2];
    unsigned first = r->code == 2 ? 2 : 0;
    if (r->code == 0)
        for (unsigned i = 0; i < 4; i++)
            d += part(v[0], i, 8, r->is_signed) * part(v[1], i, 8, r->from_signed);
    else
        for (unsigned i = 0; i < 2; i++)
            d += part(v[0], i, 16, r->is_signed) * part(v[1], first + i, 8, r->from_signed);
    return (uint64_t)d & 0xffffffff;
}

static uint64_t logic_table(const struct row *r, const uint64_t *v, uint64_t *second)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned a = v[0] >> i & 1, b = v[1] >> i & 1, c = v[2] >> i & 1;
        d |= (uint64_t)(r->bits >> (a * 4 + b * 2 + c) & 1) << i;
    }
    if (second) *second = r->code == 1 ? d != 0 && v[3] : d != 0 || v[3];
    return d;
}

static uint64_t funnel(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t n = v[2] & 0xffffffff, both = v[1] << 32 | v[0];
    n = r->code & 1 ? n & 31 : n < 32 ? n : 32;
    return (r->code & 2 ? both >> n : n == 32 ? v[0] : both << n >> 32) & 0xffffffff;
}

// The tables of prmt's modes: source byte for result bytes 3 2 1 0, a row per value of c's two low bits.
static const uint16_t permutes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};

static uint64_t permute(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint8_t bytes[8];
    uint64_t both = v[1] << 32 | v[0], d = 0;
    unsigned control = r->code < 0 ? (unsigned)v[2] & 0xffff : permutes[r->code][v[2] & 3];
    memcpy(bytes, &both, 8);
    for (unsigned k = 0; k < 4; k++) {
        uint8_t byte = bytes[control >> 4 * k & 7];
        if (control >> 4 * k & 8) byte = byte & 0x80 ? 0xff : 0;
        d |= (uint64_t)byte << 8 * k;
    }
    return d;
}

static uint64_t halves(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t d = 0;
    for (unsigned k = 0; k < 2; k++) {
        swide x =
            r->op(number(v[0] >> 16 * k, 16, r->is_signed), number(v[1] >> 16 * k, 16, r->is_signed), 0, 16);
        if (r->relu && x < 0) x = 0;
        d |= ((uint64_t)x & 0xffff) << 16 * k;
    }
    return d;
}

static uint64_t minimum_relu(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    swide x = r->op(number(v[0], 32, true), number(v[1], 32, true), 0, 32);
    return x < 0 ? 0 : (uint64_t)x;
}

// Two-word sums through the carry flag: D the low word, Q the high word, operands {B,A} and {E,C}.
static uint64_t carried(const struct row *r, const uint64_t *v, uint64_t *second)
{
    unsigned w = r->bits;
    wide x = (wide)v[1] << w | v[0], y = (wide)v[3] << w | v[2], d = r->code ? x - y : x + y;
    *second = (uint64_t)(d >> w) & bit_mask(w);
    return (uint64_t)d & bit_mask(w);
}

// {hi, lo} of A * B + {E, C} by mad.lo.cc and madc.hi.
static uint64_t multiply_carried(const struct row *r, const uint64_t *v, uint64_t *second)
{
    unsigned w = r->bits;
    wide product = r->is_signed ? (wide)(number(v[0], w, true) * number(v[1], w, true)) : (wide)v[0] * v[1];
    wide low = (product & bit_mask(w)) + v[2], high = (product >> w & bit_mask(w)) + v[3] + (low >> w);
    *second = (uint64_t)high & bit_mask(w);
    return (uint64_t)low & bit_mask(w);
}

// The carry itself: D = B - A's borrow or A + B's carry, caught by addc of zeros.
static uint64_t carry_flag(const struct row *r, const uint64_t *v, uint64_t *second)
{
    uint64_t a = v[0] & bit_mask(r->bits), b = v[1] & bit_mask(r->bits);
    uint64_t sum = (r->code ? a - b : a + b) & bit_mask(r->bits);
    *second = r->code ? (uint64_t)(0 - (a < b)) & bit_mask(r->bits) : sum < a;
    return sum;
}

// ---- rows

static const char letters[] = {[16] = 'h', [32] = 'r', [64] = 'd'};

static void arithmetic(struct rows *rows, unsigned bits, bool is_signed)
{
    static const struct {
        const char *name, *operands;
        swide (*op)(swide, swide, swide, unsigned);
        int only_signed;
    } table[] = {{"add", "D, A, B", add, 0},
                 {"sub", "D, A, B", subtract, 0},
                 {"mul.lo", "D, A, B", multiply_low, 0},
                 {"mul.hi", "D, A, B", multiply_high, 0},
                 {"mad.lo", "D, A, B, C", multiply_add_low, 0},
                 {"mad.hi", "D, A, B, C", multiply_add_high, 0},
                 {"sad", "D, A, B, C", sum_of_differences, 0},
                 {"div", "D, A, B", divide, 0},
                 {"rem", "D, A, B", remainder_of, 0},
                 {"min", "D, A, B", minimum, 0},
                 {"max", "D, A, B", maximum, 0},
                 {"abs", "D, A", absolute, 1},
                 {"neg", "D, A", negate, 1}};
    struct row r = {.rule = plain, .bits = bits, .from_bits = bits, .is_signed = is_signed};
    char l = letters[bits], sign = is_signed ? 's' : 'u';
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (table[k].only_signed && !is_signed) continue;
        r.op = table[k].op;
        size_t sources = strlen(table[k].operands) / 3;
        snprintf(r.kinds, sizeof r.kinds, "%c:%c%c%c", l, l, sources > 1 ? l : 0, l);
        if (sources == 2) r.kinds[4] = 0;
        row_add(rows, r, "%s.%c%u %s", table[k].name, sign, bits, table[k].operands);
    }
    if (bits == 64) return;
    char w = letters[2 * bits];
    r.bits = 2 * bits;
    r.op = multiply_wide;
    snprintf(r.kinds, sizeof r.kinds, "%c:%c%c", w, l, l);
    row_add(rows, r, "mul.wide.%c%u D, A, B", sign, bits);
    r.op = multiply_add_low;
    snprintf(r.kinds, sizeof r.kinds, "%c:%c%c%c", w, l, l, w);
    row_add(rows, r, "mad.wide.%c%u D, A, B, C", sign, bits);
}

static void saturating(struct rows *rows)
{
    struct row r = {
        .rule = plain, .bits = 32, .from_bits = 32, .is_signed = true, .kinds = "r:rr", .op = add_saturated};
    row_add(rows, r, "add.sat.s32 D, A, B");
    r.op = subtract_saturated;
    row_add(rows, r, "sub.sat.s32 D, A, B");
    r.op = multiply_add_high_saturated;
    snprintf(r.kinds, sizeof r.kinds, "r:rrr");
    row_add(rows, r, "mad.hi.sat.s32 D, A, B, C");
    for (int code = 0; code < 4; code++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct row m = {.rule = multiply_24, .bits = 32, .is_signed = is_signed, .code = code};
            snprintf(m.kinds, sizeof m.kinds, code & 2 ? "r:rrr" : "r:rr");
            row_add(rows, m, "%s24.%s.%c32 D, A, B%s", code & 2 ? "mad" : "mul", code & 1 ? "hi" : "lo",
                    is_signed ? 's' : 'u', code & 2 ? ", C" : "");
        }
    struct row m = {
        .rule = multiply_24, .bits = 32, .is_signed = true, .code = 3, .sat = true, .kinds = "r:rrr"};
    row_add(rows, m, "mad24.hi.sat.s32 D, A, B, C");
}

static void bits_and_fields(struct rows *rows, unsigned bits)
{
    char l = letters[bits];
    struct row r = {.bits = 32, .from_bits = bits, .rule = plain, .op = count_ones};
    snprintf(r.kinds, sizeof r.kinds, "r:%c", l);
    row_add(rows, r, "popc.b%u D, A", bits);
    r.rule = count_leading;
    row_add(rows, r, "clz.b%u D, A", bits);
    r.rule = find_leading;
    for (int k = 0; k < 4; k++) {
        r.code = k & 1;
        r.is_signed = k & 2;
        row_add(rows, r, "bfind%s.%c%u D, A", k & 1 ? ".shiftamt" : "", k & 2 ? 's' : 'u', bits);
    }
    struct row f = {.bits = bits, .from_bits = bits, .rule = reversed};
    snprintf(f.kinds, sizeof f.kinds, "%c:%c", l, l);
    row_add(rows, f, "brev.b%u D, A", bits);
    f.rule = extract;
    snprintf(f.kinds, sizeof f.kinds, "%c:%cww", l, l);
    for (int k = 0; k < 2; k++) {
        f.is_signed = k;
        row_add(rows, f, "bfe.%c%u D, A, B, C", k ? 's' : 'u', bits);
    }
    f.rule = insert;
    snprintf(f.kinds, sizeof f.kinds, "%c:%c%cww", l, l, l);
    row_add(rows, f, "bfi.b%u D, A, B, C, E", bits);
}

static void logic(struct rows *rows, unsigned bits)
{
    static const struct {
        const char *name;
        swide (*op)(swide, swide, swide, unsigned);
        int sources;
    } table[] = {{"and", and_bits, 2},
                 {"or", or_bits, 2},
                 {"xor", xor_bits, 2},
                 {"not", not_bits, 1},
                 {"cnot", c_not, 1}};
    struct row r = {.rule = plain, .bits = bits, .from_bits = bits};
    char l = letters[bits];
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        r.op = table[k].op;
        snprintf(r.kinds, sizeof r.kinds, table[k].sources == 2 ? "%c:%c%c" : "%c:%c", l, l, l);
        row_add(rows, r, "%s.b%u D, A%s", table[k].name, bits, table[k].sources == 2 ? ", B" : "");
    }
    struct row s = {.rule = shifted, .bits = bits, .from_bits = bits, .op = shift_left};
    snprintf(s.kinds, sizeof s.kinds, "%c:%cs", l, l);
    row_add(rows, s, "shl.b%u D, A, B", bits);
    s.op = shift_right;
    row_add(rows, s, "shr.b%u D, A, B", bits);
    row_add(rows, s, "shr.u%u D, A, B", bits);
    s.is_signed = true;
    row_add(rows, s, "shr.s%u D, A, B", bits);
}

static void words(struct rows *rows)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    row_add(rows, (struct row){.rule = permute, .code = -1, .kinds = "r:rrc"}, "prmt.b32 D, A, B, C");
    for (int k = 0; k < 6; k++)
        row_add(rows, (struct row){.rule = permute, .code = k, .kinds = "r:rrc"}, "prmt.b32.%s D, A, B, C",
                modes[k]);
    for (int k = 0; k < 4; k++)
        row_add(rows, (struct row){.rule = funnel, .code = k, .kinds = "r:rrs"}, "shf.%c.%s.b32 D, A, B, C",
                k & 2 ? 'r' : 'l', k & 1 ? "wrap" : "clamp");
    for (int k = 0; k < 2; k++) {
        const char *mode = k ? "wrap" : "clamp";
        row_add(rows, (struct row){.rule = make_mask, .code = k, .kinds = "r:ss"}, "bmsk.%s.b32 D, A, B",
                mode);
        row_add(rows, (struct row){.rule = extend_from, .code = k, .kinds = "r:rs"}, "szext.%s.u32 D, A, B",
                mode);
        row_add(rows, (struct row){.rule = extend_from, .code = k, .is_signed = true, .kinds = "r:rs"},
                "szext.%s.s32 D, A, B", mode);
    }
    for (int k = 0; k < 4; k++) {
        struct row r = {.rule = dot, .is_signed = k & 1, .from_signed = k & 2, .kinds = "r:rrr"};
        char a = k & 1 ? 's' : 'u', b = k & 2 ? 's' : 'u';
        row_add(rows, r, "dp4a.%c32.%c32 D, A, B, C", a, b);
        r.code = 1;
        row_add(rows, r, "dp2a.lo.%c32.%c32 D, A, B, C", a, b);
        r.code = 2;
        row_add(rows, r, "dp2a.hi.%c32.%c32 D, A, B, C", a, b);
    }
    static const unsigned tables[] = {0x00, 0xff, 0x80, 0xfe, 0x40, 0x1a, 0x96, 0xe8, 0xca,
                                      0xd8, 0xf0, 0xcc, 0xaa, 0x0f, 0x33, 0x55, 0x3c, 0x5a,
                                      0x66, 0xc0, 0x88, 0xa0, 0xea, 0x6a, 0x01, 0x7f};
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
        row_add(rows, (struct row){.rule = logic_table, .bits = tables[k], .kinds = "r:rrr"},
                "lop3.b32 D, A, B, C, 0x%x", tables[k]);
    row_add(rows, (struct row){.rule = logic_table, .bits = 0x1a, .code = 1, .kinds = "rp:rrrp"},
            "lop3.and.b32 D|Q, A, B, C, 0x1a, E");
    row_add(rows, (struct row){.rule = logic_table, .bits = 0x80, .code = 2, .kinds = "rp:rrrp"},
            "lop3.or.b32 D|Q, A, B, C, 0x80, E");
}

static void pairs_of_halves(struct rows *rows)
{
    for (int k = 0; k < 2; k++) {
        struct row r = {.rule = halves, .is_signed = k, .op = add, .kinds = "r:RR"};
        char sign = k ? 's' : 'u';
        row_add(rows, r, "add.%c16x2 D, A, B", sign);
        r.op = minimum;
        row_add(rows, r, "min.%c16x2 D, A, B", sign);
        r.op = maximum;
        row_add(rows, r, "max.%c16x2 D, A, B", sign);
    }
    struct row r = {.rule = halves, .is_signed = true, .relu = true, .op = minimum, .kinds = "r:RR"};
    row_add(rows, r, "min.relu.s16x2 D, A, B");
    r.op = maximum;
    row_add(rows, r, "max.relu.s16x2 D, A, B");
    r.rule = minimum_relu;
    snprintf(r.kinds, sizeof r.kinds, "r:rr");
    row_add(rows, r, "max.relu.s32 D, A, B");
    r.op = minimum;
    row_add(rows, r, "min.relu.s32 D, A, B");
}

static void extended(struct rows *rows, unsigned bits, bool is_signed)
{
    char l = letters[bits], s = is_signed ? 's' : 'u';
    struct row r = {.bits = bits, .is_signed = is_signed, .rule = carried};
    snprintf(r.kinds, sizeof r.kinds, "%c%c:%c%c%c%c", l, l, l, l, l, l);
    row_add(rows, r, "add.cc.%c%u D, A, C; addc.%c%u Q, B, E", s, bits, s, bits);
    r.code = 1;
    row_add(rows, r, "sub.cc.%c%u D, A, C; subc.%c%u Q, B, E", s, bits, s, bits);
    r.rule = multiply_carried;
    row_add(rows, r, "mad.lo.cc.%c%u D, A, B, C; madc.hi.%c%u Q, A, B, E", s, bits, s, bits);
    r.rule = carry_flag;
    r.code = 0;
    snprintf(r.kinds, sizeof r.kinds, "%c%c:%c%c", l, l, l, l);
    row_add(rows, r, "add.cc.%c%u D, A, B; addc.%c%u Q, 0, 0", s, bits, s, bits);
    r.code = 1;
    row_add(rows, r, "sub.cc.%c%u D, A, B; subc.%c%u Q, 0, 0", s, bits, s, bits);
}

void rows_integer(struct rows *rows)
{
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        arithmetic(rows, bits, false);
        arithmetic(rows, bits, true);
        logic(rows, bits);
        if (bits == 16) continue;
        bits_and_fields(rows, bits);
        extended(rows, bits, false);
        extended(rows, bits, true);
    }
    saturating(rows);
    words(rows);
    pairs_of_halves(rows);
    row_add(rows, (struct row){.rule = find_nth, .kinds = "r:rRR"},
            "and.b32 B, B, 31; and.b32 C, C, 63; sub.s32 C, C, 32; fns.b32 D, A, B, C");
}
