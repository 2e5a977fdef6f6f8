// Comparison, selection, predicates, moves (PTX ISA 9.7.6, 9.7.7, mov of 9.7.9).
#include "conformance/conformance.h"

#include "base/bits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum relation {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    LO,
    LS,
    HI,
    HS,
    EQU,
    NEU,
    LTU,
    LEU,
    GTU,
    GEU,
    NUM,
    NAN_,
    RELATION_COUNT
};
static const char *const relations[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                        "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static bool holds(enum relation r, bool less, bool equal, bool unordered)
{
    switch (r) {
    case EQ: return equal && !unordered;
    case NE: return !equal && !unordered;
    case LT:
    case LO: return less && !unordered;
    case LE:
    case LS: return (less || equal) && !unordered;
    case GT:
    case HI: return !less && !equal && !unordered;
    case GE:
    case HS: return !less && !unordered;
    case EQU: return equal || unordered;
    case NEU: return !equal || unordered;
    case LTU: return less || unordered;
    case LEU: return less || equal || unordered;
    case GTU: return (!less && !equal) || unordered;
    case GEU: return !less || unordered;
    case NUM: return !unordered;
    case NAN_: return unordered;
    case RELATION_COUNT: break;
    }
    return false;
}

static const struct format *format_of(const struct row *r)
{
    return r->from_bits == 16 ? (r->nan ? &brain : &half) : r->from_bits == 64 ? &twice : &single;
}

static bool compare_floats(const struct row *r, uint64_t a, uint64_t b)
{
    const struct format *f = format_of(r);
    double x, y;
    if (r->ftz) {
        a = format_flush(f, a);
        b = format_flush(f, b);
    }
    x = f == &twice ? f64_from_bits(a) : format_value(f, a);
    y = f == &twice ? f64_from_bits(b) : format_value(f, b);
    return holds((enum relation)(r->code & 31), x < y, x == y, isnan(x) || isnan(y));
}

static bool compare_integers(const struct row *r, uint64_t a, uint64_t b)
{
    unsigned unused = 64 - r->from_bits;
    bool less = r->is_signed ? (int64_t)(a << unused) < (int64_t)(b << unused) : a << unused < b << unused;
    return holds((enum relation)(r->code & 31), less, a == b, false);
}

enum { BOOL_SHIFT = 5 }; // in code: 0 none, 1 and, 2 or, 3 xor

static bool combined(int boolean, bool p, bool c)
{
    return boolean == 1 ? p && c : boolean == 2 ? p || c : boolean == 3 ? p != c : p;
}

// Here `integral` is true for floats.
static uint64_t set_predicates(const struct row *r, const uint64_t *v, uint64_t *second)
{
    bool p = r->integral ? compare_floats(r, v[0], v[1]) : compare_integers(r, v[0], v[1]);
    bool c = v[2] & 1;
    if (r->sat) c = !c; // written !C
    if (second) *second = combined(r->code >> BOOL_SHIFT, !p, c);
    return combined(r->code >> BOOL_SHIFT, p, c);
}

static uint64_t set_halves(const struct row *r, const uint64_t *v, uint64_t *second)
{
    *second = compare_floats(r, v[0] >> 16 & 0xffff, v[1] >> 16 & 0xffff);
    return compare_floats(r, v[0] & 0xffff, v[1] & 0xffff);
}

// set: true is 1.0f if `relu`, else all ones; false is 0.
static uint64_t set_value(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t yes = r->relu ? (r->bits == 16 ? 0x3c00 : 0x3f800000) : bit_mask(r->bits);
    return set_predicates(r, v, NULL) ? yes : 0;
}

static uint64_t select_by_predicate(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)r, (void)second;
    return v[2] & 1 ? v[0] : v[1];
}

static uint64_t select_by_sign(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    float c = f32_from_bits((uint32_t)v[2]);
    if (r->ftz && fpclassify(c) == FP_SUBNORMAL) c = 0;
    bool first = r->integral ? c >= 0 : (int32_t)v[2] >= 0;
    return first ? v[0] : v[1];
}

static uint64_t predicate_logic(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    bool a = v[0] & 1, b = v[1] & 1;
    return r->code == 0 ? a && b : r->code == 1 ? a || b : r->code == 2 ? a != b : r->code == 3 ? !a : a;
}

static uint64_t same(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    return v[0] & bit_mask(r->bits);
}

static uint64_t packed(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t d = 0;
    for (unsigned k = 0; k * r->from_bits < r->bits; k++)
        d |= (v[k] & bit_mask(r->from_bits)) << k * r->from_bits;
    return d;
}

static uint64_t unpacked(const struct row *r, const uint64_t *v, uint64_t *second)
{
    *second = v[0] >> r->bits & bit_mask(r->bits);
    return v[0] & bit_mask(r->bits);
}

// With a false guard the old destination stays: D = B, then @E D = A.
static uint64_t guarded(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    bool p = (v[3] & 1) != (uint64_t)r->code;
    return p ? v[0] : v[1];
}

static void compare_rows(struct rows *rows, struct row r, const char *type, char letter, int from, int to)
{
    static const char *const booleans[] = {"", ".and", ".or", ".xor"};
    const char *ftz = r.ftz ? ".ftz" : "";
    for (int k = from; k <= to; k++)
        for (int b = 0; b < 4; b++) {
            r.code = k | b << BOOL_SHIFT;
            r.rule = set_predicates;
            r.sat = b && (k & 1); // half of the rows take the negated predicate
            const char *c = !b ? "" : r.sat ? ", !C" : ", C";
            snprintf(r.kinds, sizeof r.kinds, b ? "pp:%c%cp" : "pp:%c%c", letter, letter);
            row_add(rows, r, "setp.%s%s%s.%s D|Q, A, B%s", relations[k], booleans[b], ftz, type, c);
            // set: every relation without an operator, and with one operator
            if (b && b != 1 + k % 3) continue;
            r.rule = set_value;
            for (int to_type = 0; to_type < 3; to_type++) {
                static const char *const types[] = {"u32", "s32", "f32"};
                r.relu = to_type == 2;
                r.bits = 32;
                if (letter == 'q' || letter == 'b') continue;
                snprintf(r.kinds, sizeof r.kinds, b ? "r:%c%cp" : "r:%c%c", letter, letter);
                if (to_type == 2) r.kinds[0] = 'f';
                row_add(rows, r, "set.%s%s%s.%s.%s D, A, B%s", relations[k], booleans[b], ftz, types[to_type],
                        type, c);
            }
            r.relu = false;
        }
}

static void comparisons(struct rows *rows)
{
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        char letter = bits == 16 ? 'h' : bits == 32 ? 'r' : 'd', type[8];
        struct row r = {.from_bits = bits, .is_signed = true};
        snprintf(type, sizeof type, "s%u", bits);
        compare_rows(rows, r, type, letter, EQ, GE);
        r.is_signed = false;
        snprintf(type, sizeof type, "u%u", bits);
        compare_rows(rows, r, type, letter, EQ, HS);
        snprintf(type, sizeof type, "b%u", bits);
        compare_rows(rows, r, type, letter, EQ, NE);
    }
    struct row f = {.from_bits = 32, .integral = true};
    for (int k = EQ; k < RELATION_COUNT; k++) {
        if (k >= LO && k <= HS) continue;
        f.from_bits = 32;
        f.ftz = false;
        compare_rows(rows, f, "f32", 'f', k, k);
        f.ftz = true;
        compare_rows(rows, f, "f32", 'f', k, k);
        f.ftz = false;
        f.from_bits = 64;
        compare_rows(rows, f, "f64", 'g', k, k);
        f.from_bits = 16;
        struct row h = f;
        h.code = k;
        h.rule = set_predicates;
        snprintf(h.kinds, sizeof h.kinds, "p:qq");
        row_add(rows, h, "setp.%s.f16 D, A, B", relations[k]);
        h.ftz = true;
        row_add(rows, h, "setp.%s.ftz.f16 D, A, B", relations[k]);
        h.ftz = false;
        h.rule = set_halves;
        snprintf(h.kinds, sizeof h.kinds, "pp:xx");
        row_add(rows, h, "setp.%s.f16x2 D|Q, A, B", relations[k]);
        h.nan = true; // bf16
        snprintf(h.kinds, sizeof h.kinds, "pp:yy");
        row_add(rows, h, "setp.%s.bf16x2 D|Q, A, B", relations[k]);
        h.rule = set_predicates;
        snprintf(h.kinds, sizeof h.kinds, "p:bb");
        row_add(rows, h, "setp.%s.bf16 D, A, B", relations[k]);
    }
}

static void selections(struct rows *rows)
{
    static const struct {
        const char *type;
        char letter;
    } types[] = {{"b16", 'h'}, {"u16", 'h'}, {"s16", 'h'}, {"b32", 'r'}, {"u32", 'r'}, {"s32", 'r'},
                 {"f32", 'f'}, {"b64", 'd'}, {"u64", 'd'}, {"s64", 'd'}, {"f64", 'g'}};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        char l = types[k].letter;
        struct row r = {.rule = select_by_predicate};
        snprintf(r.kinds, sizeof r.kinds, "%c:%c%cp", l, l, l);
        row_add(rows, r, "selp.%s D, A, B, C", types[k].type);
        r.rule = select_by_sign;
        snprintf(r.kinds, sizeof r.kinds, "%c:%c%cr", l, l, l);
        row_add(rows, r, "slct.%s.s32 D, A, B, C", types[k].type);
        r.integral = true;
        snprintf(r.kinds, sizeof r.kinds, "%c:%c%cf", l, l, l);
        row_add(rows, r, "slct.%s.f32 D, A, B, C", types[k].type);
        r.ftz = true;
        row_add(rows, r, "slct.ftz.%s.f32 D, A, B, C", types[k].type);
        struct row m = {.rule = same, .bits = l == 'h' ? 16 : l == 'd' || l == 'g' ? 64 : 32};
        snprintf(m.kinds, sizeof m.kinds, "%c:%c", l, l);
        row_add(rows, m, "mov.%s D, A", types[k].type);
        struct row g = {.rule = guarded};
        snprintf(g.kinds, sizeof g.kinds, "%c:%c%c%cp", l, l, l, l);
        row_add(rows, g, "mov.%s D, B; @E mov.%s D, A", types[k].type, types[k].type);
        g.code = 1;
        row_add(rows, g, "mov.%s D, B; @!E mov.%s D, A", types[k].type, types[k].type);
    }
    static const char *const names[] = {"and", "or", "xor", "not", "mov"};
    for (int k = 0; k < 5; k++) {
        struct row r = {.rule = predicate_logic, .code = k};
        snprintf(r.kinds, sizeof r.kinds, k < 3 ? "p:pp" : "p:p");
        row_add(rows, r, "%s.pred D, A%s", names[k], k < 3 ? ", B" : "");
    }
}

static void packing(struct rows *rows)
{
    row_add(rows, (struct row){.rule = packed, .bits = 32, .from_bits = 16, .kinds = "r:hh"},
            "mov.b32 D, {A, B}");
    row_add(rows, (struct row){.rule = packed, .bits = 64, .from_bits = 32, .kinds = "d:rr"},
            "mov.b64 D, {A, B}");
    row_add(rows, (struct row){.rule = packed, .bits = 64, .from_bits = 16, .kinds = "d:hhhh"},
            "mov.b64 D, {A, B, C, E}");
    row_add(rows, (struct row){.rule = unpacked, .bits = 16, .kinds = "hh:r"}, "mov.b32 {D, Q}, A");
    row_add(rows, (struct row){.rule = unpacked, .bits = 32, .kinds = "rr:d"}, "mov.b64 {D, Q}, A");
    row_add(rows, (struct row){.rule = same, .bits = 32, .kinds = "f:R"}, "mov.b32 D, A");
    row_add(rows, (struct row){.rule = same, .bits = 32, .kinds = "r:F"}, "mov.b32 D, A");
    row_add(rows, (struct row){.rule = same, .bits = 64, .kinds = "g:D"}, "mov.b64 D, A");
    row_add(rows, (struct row){.rule = same, .bits = 64, .kinds = "d:G"}, "mov.b64 D, A");
}

void rows_select(struct rows *rows)
{
    comparisons(rows);
    selections(rows);
    packing(rows);
}
