#include "exec/tensor/exact.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

struct exact_rule exact_rule_of(enum tensor_generation card, unsigned type)
{
    static const struct exact_rule half[] = {{4, 23, 23, -131, -19, false},  {8, 24, 23, -132, -20, false},
                                             {8, 24, 23, -132, -20, false},  {8, 24, 23, -132, -20, false},
                                             {16, 25, 23, -133, -21, false}, {16, 25, 23, -133, -21, false},
                                             {16, 25, 23, -133, -21, false}};
    struct exact_rule r = half[card];
    if (type == TYPE_TF32) r.length /= 2;
    if (type != TYPE_E4M3 && type != TYPE_E5M2) return r;
    if (card == TENSOR_ADA) r = (struct exact_rule){16, 13, 13, -132, -20, false};
    if (card == TENSOR_RTX_BLACKWELL) r.length = 32;
    r.by_half = card == TENSOR_HOPPER || card == TENSOR_BLACKWELL;
    return r;
}

// -- numbers ------------------------------------------------------------------------------------------------

struct layout {
    int bits, exponent, fraction;
};

static struct layout layout_of(unsigned type)
{
    switch (type) {
    case TYPE_F16: return (struct layout){16, 5, 10};
    case TYPE_BF16: return (struct layout){16, 8, 7};
    case TYPE_E4M3: return (struct layout){8, 4, 3};
    case TYPE_E5M2: return (struct layout){8, 5, 2};
    default: return (struct layout){32, 8, 23};
    }
}

static long double number_of(unsigned type, uint64_t bits)
{
    struct layout l = layout_of(type);
    if (type == TYPE_TF32) bits &= ~0x1fffull;
    int top = 1 << l.exponent, field = (int)(bits >> l.fraction) % top, bias = top / 2 - 1;
    long double fraction = ldexpl((long double)(bits % (1ull << l.fraction)), -l.fraction), v;
    if (type == TYPE_E4M3 && (bits & 127) == 127)
        v = NAN;
    else if (type != TYPE_E4M3 && field == top - 1)
        v = fraction != 0 ? NAN : INFINITY;
    else
        v = field ? ldexpl(1 + fraction, field - bias) : ldexpl(fraction, 1 - bias);
    return bits >> (l.bits - 1) & 1 ? -v : v;
}

static int exponent_of(unsigned type, long double v)
{
    int least = 2 - (1 << (layout_of(type).exponent - 1)), own = ilogbl(v);
    return own > least ? own : least;
}

static uint32_t encode_f16(long double v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    long double x = fabsl(v);
    if (isnan(v)) return 0x7fff;
    if (x >= 65520.0L) return sign | 0x7c00;
    if (x == 0) return 0;
    int e = ilogbl(x) < -14 ? -14 : ilogbl(x);
    uint32_t places = (uint32_t)rintl(ldexpl(x, 10 - e)); // 1,024 to 2,048 of a normal number
    uint32_t bits = (uint32_t)(e + 14) * 1024 + places;   // e + 15 less the hidden 1
    return bits ? bits | sign : 0;
}

static uint32_t encode_f32(long double v, int cut)
{
    if (isnan(v)) return 0x7fffffff;
    if (v == 0) return 0;
    if (isfinite(v)) {
        int e = ilogbl(v) < -126 ? -126 : ilogbl(v);
        v = ldexpl(truncl(ldexpl(v, cut - e)), e - cut);
    }
    if (v == 0) return 0;
    float f = fabsl(v) >= 0x1p128L ? (v < 0 ? -INFINITY : INFINITY) : (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

// -- elements -----------------------------------------------------------------------------------------------

static uint64_t add_group(const struct exact_rule *r, unsigned d, const long double *p, const int *e,
                          int count, uint64_t c)
{
    long double special = number_of(d, c), total = 0, at_c = special;
    int emax = d == TYPE_F16 ? r->floor_f16 : r->floor_f32;
    bool is_special = !isfinite(special);
    for (int k = 0; k < count; k++) {
        if (!isfinite(p[k])) is_special = true;
        if (!isfinite(p[k])) special = isfinite(special) ? p[k] : special + p[k];
        if (p[k] != 0 && isfinite(p[k]) && e[k] > emax) emax = e[k];
    }
    if (is_special) return d == TYPE_F16 ? encode_f16(special) : encode_f32(special, 23);
    if (at_c != 0 && exponent_of(d, at_c) > emax) emax = exponent_of(d, at_c);
    for (int k = 0; k < count; k++) total += truncl(ldexpl(p[k], r->align - emax));
    total += truncl(ldexpl(at_c, r->align - emax));
    total = ldexpl(total, emax - r->align);
    return d == TYPE_F16 ? encode_f16(total) : encode_f32(total, r->cut);
}

static uint64_t add_nearest(unsigned d, uint64_t x, uint64_t y)
{
    long double sum = number_of(d, x) + number_of(d, y);
    if (d == TYPE_F16) return encode_f16(sum);
    float f = (float)number_of(d, x) + (float)number_of(d, y);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return isnan(f) ? 0x7fffffff : bits;
}

static uint64_t float_sum(const struct exact_rule *r, const struct tensor_form *f, const uint64_t *a,
                          const uint64_t *b, int count, uint64_t c)
{
    long double p[64];
    int e[64], n = 0;
    // k mod 4 below 2 first, where the card emulates
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            if ((r->by_half ? k % 4 / 2 : 0) != pass) continue;
            long double x = number_of(f->a, a[k]), y = number_of(f->b, b[k]);
            p[n] = x * y;
            e[n] = p[n] != 0 && isfinite(p[n]) ? exponent_of(f->a, x) + exponent_of(f->b, y) : 0;
            n++;
        }
    int length = r->by_half ? count / 2 : r->length;
    uint64_t sum = c;
    if (f->c != f->d) sum = encode_f32(number_of(f->c, c), 23);
    if (f->c != f->d && isnan(number_of(f->c, c))) sum = 0x7fffffff;
    if (r->by_half) sum = 0;
    for (int k = 0; k < count; k += length)
        sum = add_group(r, f->d, p + k, e + k, count - k < length ? count - k : length, sum);
    return r->by_half ? add_nearest(f->d, sum, c) : sum;
}

static uint64_t fused_sum(const struct tensor_form *f, const uint64_t *a, const uint64_t *b, int count,
                          uint64_t c)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (int k = 0; k < count; k++) {
        double x, y, z;
        memcpy(&x, &a[k], 8), memcpy(&y, &b[k], 8), memcpy(&z, &c, 8);
        uint64_t kept = isnan(y) ? b[k] : isnan(z) ? c : isnan(x) ? a[k] : 0;
        fesetround(modes[f->round]);
        volatile double sum = fma(x, y, z);
        fesetround(FE_TONEAREST);
        double d = sum;
        memcpy(&c, &d, 8);
        if (kept)
            c = kept | 0x0008000000000000ull;
        else if (isnan(d))
            c = 0xfff8000000000000ull;
    }
    return c;
}

static long long integer_of(unsigned type, uint64_t bits)
{
    long long span = type == TYPE_S4 || type == TYPE_U4 ? 16 : 256, v = (long long)(bits % (uint64_t)span);
    return (type == TYPE_S4 || type == TYPE_S8) && v >= span / 2 ? v - span : v;
}

static uint64_t integer_sum(const struct tensor_form *f, const uint64_t *a, const uint64_t *b, int count,
                            uint64_t c)
{
    long long sum = (long long)(c & 0x7fffffff) - (long long)(c & 0x80000000);
    for (int k = 0; k < count; k++) {
        if (f->a != TYPE_B1) sum += integer_of(f->a, a[k]) * integer_of(f->b, b[k]);
        for (int bit = 0; bit < 32 && f->a == TYPE_B1; bit++) {
            int x = a[k] >> bit & 1, y = b[k] >> bit & 1;
            sum += f->ands ? x && y : x != y;
        }
    }
    if (f->saturates && sum > 2147483647) sum = 2147483647;
    if (f->saturates && sum < -2147483648LL) sum = -2147483648LL;
    return (uint64_t)sum & 0xffffffff;
}

uint64_t exact_element(const struct exact_rule *r, const struct tensor_form *f, const uint64_t *a,
                       const uint64_t *b, int count, uint64_t c)
{
    if (f->d == TYPE_S32) return integer_sum(f, a, b, count, c);
    if (f->d == TYPE_F64) return fused_sum(f, a, b, count, c);
    return float_sum(r, f, a, b, count, c);
}

// -- places -------------------------------------------------------------------------------------------------

static unsigned bits_of(unsigned type)
{
    switch (type) {
    case TYPE_B1: return 1;
    case TYPE_S4:
    case TYPE_U4: return 4;
    case TYPE_S8:
    case TYPE_U8:
    case TYPE_E4M3:
    case TYPE_E5M2: return 8;
    case TYPE_F16:
    case TYPE_BF16: return 16;
    case TYPE_F64: return 64;
    default: return 32;
    }
}

// Bits [at, at + bits) of a lane's registers.
static void put(uint32_t r[][32], int lane, unsigned at, unsigned bits, uint64_t value)
{
    for (unsigned n = 0; n < bits; n++, at++) {
        r[at / 32][lane] &= ~(1u << at % 32);
        r[at / 32][lane] |= (uint32_t)(value >> n & 1) << at % 32;
    }
}

static uint64_t take(uint32_t r[][32], int lane, unsigned at, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned n = 0; n < bits; n++, at++) value |= (uint64_t)(r[at / 32][lane] >> at % 32 & 1) << n;
    return value;
}

// From a row and column to lane and number of the element, the inverse of the maps in fragment.c.
static void place_a(unsigned bits, unsigned row, unsigned k, int *lane, unsigned *nth)
{
    unsigned each = bits >= 32 ? 1 : 32 / bits, block = 4 * each; // a row's columns go round four lanes
    *lane = (int)(row % 8 * 4 + k % block / each);
    *nth = k % each + each * (row / 8 + 2 * (k / block));
}

static void place_b(unsigned bits, unsigned k, unsigned column, int *lane, unsigned *nth)
{
    unsigned each = bits >= 32 ? 1 : 32 / bits, block = 4 * each;
    *lane = (int)(column * 4 + k % block / each);
    *nth = k % each + each * (k / block);
}

static void place_c(unsigned row, unsigned column, int *lane, unsigned *nth)
{
    *lane = (int)(row % 8 * 4 + column / 2);
    *nth = column % 2 + 2 * (row / 8);
}

// m8n8k4: `row` of 32 is part * 8 + row. Lane of the row or column x of a part: four of its lanes are 16 higher.
static int quad_lane(unsigned part, unsigned x) { return (int)(part * 4 + x % 4 + x / 4 * 16); }

static void quad_c(bool is_f16, unsigned row, unsigned column, int *lane, unsigned *nth)
{
    unsigned part = row / 8, r = row % 8;
    if (is_f16) {
        *lane = quad_lane(part, r);
        *nth = column;
        return;
    }
    // bits of the row: lane bit 0, element bit 1, upper half; of the column: element bit 0, lane bit 1, element bit 2
    *lane = quad_lane(part, (r & 1) | (column & 2) | (r & 4));
    *nth = (column & 1) | (r & 2) | (column & 4);
}

static bool is_quad(const struct tensor_form *f) { return f->m == 8 && f->k == 4 && f->a == TYPE_F16; }

static void locate_c(const struct tensor_form *f, unsigned type, unsigned row, unsigned column, int *lane,
                     unsigned *nth)
{
    if (is_quad(f))
        quad_c(type == TYPE_F16, row, column, lane, nth);
    else
        place_c(row, column, lane, nth);
}

void exact_to_registers(const struct tensor_form *f, const struct exact_matrices *x, uint32_t a[][32],
                        uint32_t b[][32], uint32_t c[][32])
{
    unsigned parts = is_quad(f) ? 4 : 1, rows = f->m * parts, depth = f->is_sparse ? f->k / 2u : f->k, nth;
    unsigned bits_a = bits_of(f->a), bits_b = bits_of(f->b), bits_c = bits_of(f->c);
    int lane;
    for (unsigned i = 0; i < rows; i++)
        for (unsigned k = 0; k < depth; k++) {
            place_a(bits_a, i, k, &lane, &nth);
            if (is_quad(f))
                lane = f->a_by_column ? quad_lane(i / 8, k + i % 8 / 4 * 4) : quad_lane(i / 8, i % 8);
            if (is_quad(f)) nth = f->a_by_column ? i % 4 : k;
            put(a, lane, nth * bits_a, bits_a, x->a[i][k]);
        }
    for (unsigned part = 0; part < parts; part++)
        for (unsigned k = 0; k < f->k; k++)
            for (unsigned n = 0; n < f->n; n++) {
                place_b(bits_b, k, n, &lane, &nth);
                if (is_quad(f)) lane = f->b_by_row ? quad_lane(part, k + n / 4 * 4) : quad_lane(part, n);
                if (is_quad(f)) nth = f->b_by_row ? n % 4 : k;
                put(b, lane, nth * bits_b, bits_b, x->b[k][8 * part + n]);
            }
    for (unsigned i = 0; i < rows; i++)
        for (unsigned n = 0; n < f->n; n++) {
            locate_c(f, f->c, i, n, &lane, &nth);
            put(c, lane, nth * bits_c, bits_c, x->c[i][n]);
        }
}

void exact_from_registers(const struct tensor_form *f, uint32_t d[][32], struct exact_matrices *x)
{
    unsigned rows = f->m * (is_quad(f) ? 4u : 1u), bits = bits_of(f->d), nth;
    int lane;
    for (unsigned i = 0; i < rows; i++)
        for (unsigned n = 0; n < f->n; n++) {
            locate_c(f, f->d, i, n, &lane, &nth);
            x->d[i][n] = take(d, lane, nth * bits, bits);
        }
}

void exact_metadata(const struct tensor_form *f, const uint8_t column[16][64], unsigned selector,
                    uint32_t e[32])
{
    unsigned bits = bits_of(f->a), span = bits == 32 ? 2 : bits == 4 ? 8 : 4, chunks = f->k / span;
    for (unsigned row = 0; row < 16; row++)
        for (unsigned chunk = 0; chunk < chunks; chunk++) {
            const uint8_t *of = &column[row][chunk * span / 2];
            unsigned four = span == 2   ? (of[0] % 2 ? 14 : 4)
                            : span == 4 ? of[0] % 4u + 4 * (of[1] % 4u)
                                        : of[0] % 8u / 2 + 4 * (of[2] % 8u / 2);
            unsigned lane = row % 8 * 4, at = 0;
            if (chunks == 16) // two lanes a row, each half of the columns
                lane += 2 * (chunk / 8) + row / 8, at = chunk % 8;
            else if (chunks == 8 && bits < 16)
                lane += 2 * selector + row / 8, at = chunk;
            else if (chunks == 8)
                lane += 2 * selector + chunk / 4, at = row / 8 * 4 + chunk % 4;
            else
                lane += selector, at = row / 8 * 4 + chunk;
            e[lane] = (e[lane] & ~(15u << 4 * at)) | (uint32_t)four << 4 * at;
        }
}
