// Inputs of the programs values_*.cu: formats of numbers and a generator that a host program can redo.
//
// Every operand element is a function of (seed, distribution, role, tile, i, j). A row of A has i = row and j = k,
// a column of B i = column and j = k, an element of C i = row and j = column. So files hold outputs alone.
//
//     key   = ((((seed * 8 + distribution) * 8 + role) * 2^12 + tile) * 2^12 + i) * 2^12 + j
//     draw  = finaliser of splitmix64 of (key + 1) * 0x9E3779B97F4A7C15
//     value = sign bit 0; exponent lo + (bits 1 to 8) * (hi - lo + 1) / 256; bits 9 to 11 choose the fraction:
//             0 zeros, 1 ones, 2 the lowest bit alone, else bits 12 and up
#pragma once
#include <cstdint>

enum distribution { MODERATE, WIDE, CANCEL, SUBNORMAL, SPECIAL, OVERFLOW_EDGE, PROBE, FLOOR, DISTRIBUTIONS };
enum role { ROLE_A, ROLE_B, ROLE_C, ROLE_META, ROLE_TILE, ROLE_ROW };

// Floating formats: bits of the exponent and of the fraction, the lowest bit that a product reads. TF32 has 0 in the
// bits below, TF32_RAW random ones. For integers only `bits` counts.
struct format {
    const char *name;
    int bits, exponent, fraction;
    bool integer;
    int lowest = 0;
    bool clear = false;
};
inline constexpr format F16 = {"f16", 16, 5, 10, false}, BF16 = {"bf16", 16, 8, 7, false},
                        TF32 = {"tf32", 32, 8, 23, false, 13, true},
                        TF32_RAW = {"tf32_raw", 32, 8, 23, false, 13}, E4M3 = {"e4m3", 8, 4, 3, false},
                        E5M2 = {"e5m2", 8, 5, 2, false}, F32 = {"f32", 32, 8, 23, false},
                        F64 = {"f64", 64, 11, 52, false}, S8 = {"s8", 8, 0, 0, true},
                        U8 = {"u8", 8, 0, 0, true}, S4 = {"s4", 4, 0, 0, true}, U4 = {"u4", 4, 0, 0, true},
                        B1 = {"b1", 1, 0, 0, true}, S32 = {"s32", 32, 0, 0, true};

// Where an element lies and how it is drawn. `depth`: stored elements of A along k. `chunk`: logical columns of which
// A stores chunk / 2, 0 for dense products. `narrow`: C and D are f16.
struct source {
    uint64_t seed;
    int distribution, tile, depth, chunk;
    bool narrow;
};

inline uint64_t finalise(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

inline uint64_t draw(const source &s, int role, int i, int j)
{
    uint64_t key = s.seed * 8 + (uint64_t)s.distribution;
    key = key * 8 + (uint64_t)role;
    key = ((key * 4096 + (uint64_t)s.tile) * 4096 + (uint64_t)i) * 4096 + (uint64_t)j;
    return finalise((key + 1) * 0x9E3779B97F4A7C15u);
}

inline int bias(const format &f) { return (1 << (f.exponent - 1)) - 1; }
inline uint64_t fraction_mask(const format &f) { return ((uint64_t)1 << f.fraction) - 1; }
inline bool is_e4m3(const format &f) { return f.exponent == 4; }

// The value with this sign, exponent and fraction; the exponent is clamped to the finite ones, and -bias and less give
// a subnormal.
inline uint64_t encode(const format &f, uint64_t sign, int exponent, uint64_t fraction)
{
    int field = exponent + bias(f), most = (1 << f.exponent) - (is_e4m3(f) ? 1 : 2);
    field = field < 0 ? 0 : field > most ? most : field;
    fraction &= fraction_mask(f);
    if (is_e4m3(f) && field == 15 && fraction == 7) fraction = 6;
    return sign << (f.bits - 1) | (uint64_t)field << f.fraction | fraction;
}

inline uint64_t in_range(const format &f, uint64_t h, int lo, int hi)
{
    int exponent = lo + (int)((h >> 1 & 255) * (uint64_t)(hi - lo + 1) >> 8);
    uint64_t style = h >> 9 & 7;
    uint64_t fraction = style == 0 ? 0 : style == 1 ? ~(uint64_t)0 : style == 2 ? 1 : h >> 12;
    return encode(f, h & 1, exponent, fraction);
}

// Infinities, NaNs (quiet, negative, with the lowest bit alone), the greatest number, zeros, by three bits of the draw.
inline uint64_t special(const format &f, uint64_t h)
{
    uint64_t top = (((uint64_t)1 << f.exponent) - 1) << f.fraction, sign = (uint64_t)1 << (f.bits - 1);
    uint64_t quiet = top | ((uint64_t)1 << (f.fraction - 1));
    if (is_e4m3(f)) top = quiet = 0x7f;
    uint64_t greatest = is_e4m3(f) ? 0x7e : top - 1;
    uint64_t payload = is_e4m3(f) ? 0x7f : top | 1;
    const uint64_t values[8] = {top, top | sign, quiet, quiet | sign, payload, greatest, 0, sign};
    return values[h & 7];
}

inline uint64_t negated(const format &f, uint64_t v) { return v ^ (uint64_t)1 << (f.bits - 1); }

// Distance between partners of distribution CANCEL and PROBE: k and k ^ partner. Even where a chunk stores two.
inline int partner(const source &s)
{
    int x = 1 + (int)(draw(s, ROLE_TILE, 0, 0) % (uint64_t)(s.depth - 1));
    if (s.chunk == 4) x = x & ~1;
    return x == 0 ? (s.depth > 2 ? 2 : 1) : x;
}
inline int probed(const source &s) { return (int)(draw(s, ROLE_TILE, 0, 1) % (uint64_t)s.depth); }

struct range {
    int lo, hi;
};
// Exponents of A (role 0), B (1) and C (2) by distribution.
inline range wide_range(const source &s, const format &f, int role)
{
    if (f.exponent == 11) return role == ROLE_C ? range{-60, 60} : range{-30, 30};
    if (s.narrow) return role == ROLE_C ? range{-14, 14} : range{-7, 6};
    if (role == ROLE_C) return {-20, 20};
    return is_e4m3(f) ? range{-6, 8} : f.exponent == 5 ? range{-11, 10} : range{-12, 12};
}
inline range subnormal_range(const source &s, const format &f, int role)
{
    int least = 1 - bias(f);
    bool odd = s.tile & 1;
    if (role == ROLE_C) {
        if (s.narrow) return {-15, -12};
        if (f.exponent == 11) return {-1023, -1014};
        return s.tile % 3 == 0 ? range{-127, -124} : s.tile % 3 == 1 ? range{-127, -118} : range{-40, -18};
    }
    if (odd) return role == ROLE_A ? range{least - 1, least + 1} : range{-6, f.exponent <= 5 ? 2 : 10};
    if (f.exponent <= 5) return {least - 1, least + 2};
    return f.exponent == 8 ? range{-76, -62} : range{-540, -510};
}
inline range overflow_range(const source &s, const format &f, int role)
{
    if (role == ROLE_C)
        return s.narrow ? range{13, 15} : f.exponent == 11 ? range{1020, 1023} : range{124, 127};
    if (f.exponent == 11) return {507, 515};
    if (f.exponent == 8) return {59, 65};
    return s.narrow ? range{4, 8} : range{bias(f) - 2, bias(f)};
}
inline range probe_big(const source &s, const format &f)
{
    return f.exponent == 11 ? range{30, 32}
           : s.narrow       ? range{6, 7}
           : is_e4m3(f)     ? range{6, 8}
                            : range{8, 10};
}
inline range probe_tiny(const format &f)
{
    return f.exponent == 11 ? range{-30, -8} : f.bits == 8 ? range{-9, 1} : range{-14, -2};
}
// FLOOR: a product near the least place of D, and a tiny one.
inline range floor_big(const format &f, int role)
{
    if (f.exponent == 11) return {-540, -530};
    if (f.exponent == 8) return role == ROLE_A ? range{-80, -70} : range{-69, -60};
    return role == ROLE_A ? range{-12, -8} : range{-13, -9};
}
inline range floor_tiny(const format &f, int role)
{
    if (f.exponent == 11) return {-560, -545};
    if (f.exponent == 8) return role == ROLE_A ? range{-90, -76} : range{-88, -66};
    return role == ROLE_A ? range{-15, -12} : range{-15, -10};
}

// The element (i, k) of A or B. CANCEL: elements k and k ^ x are equal, in A with opposite signs; in one of four the
// lowest bit of the second differs. PROBE: the same for one pair of great elements, the rest is tiny; with tile % 3 == 2
// a single great element, a power of two, that C cancels. FLOOR: two products that are not 0.
inline uint64_t cancelling(const source &s, const format &f, int role, int i, int k, range r, bool power)
{
    int other = k ^ partner(s);
    int first = other < k ? other : k;
    uint64_t v = in_range(f, draw(s, role, i, first), r.lo, r.hi);
    if (power) v = v & ~fraction_mask(f);
    if (first == k) return v;
    if (role == ROLE_A) v = negated(f, v);
    bool differs = s.distribution == CANCEL && (draw(s, role, i, k) & 3) == 0;
    return differs ? v ^ (uint64_t)1 << f.lowest : v;
}

inline uint64_t with_specials(const source &s, const format &f, int role, int i, int k)
{
    uint64_t h = draw(s, role, i, k), more = finalise(h), sign = h & 1;
    int mode = s.tile & 3;
    uint64_t plain = in_range(f, h, -2, 2);
    if (mode == 0) { // zeros of A: the sign of a row or of each element
        if (s.tile & 4) sign = draw(s, ROLE_ROW, i, role) & 1;
        if (role != ROLE_B) return sign << (f.bits - 1);
        return (plain & ~((uint64_t)1 << (f.bits - 1))) | sign << (f.bits - 1);
    }
    if (mode == 1) { // few elements that are not zero
        if ((more & 15) == 0) return special(f, more >> 8);
        return (more & 15) < 3 ? plain : sign << (f.bits - 1);
    }
    uint64_t of = role == ROLE_C ? 16 : mode == 2 ? 64 : 16;
    return more % of == 0 ? special(f, more >> 8) : plain;
}

inline uint64_t whole_number(const source &s, const format &f, uint64_t h)
{
    uint64_t mask = ((uint64_t)1 << f.bits) - 1, v = h >> 12 & mask;
    if (f.bits == 32) { // C: small, or near a limit of s32
        if (s.distribution == MODERATE) return (uint64_t)(uint32_t)((int32_t)(h >> 12 & 0x1fffff) - 0x100000);
        return (h & 1 ? 0x7fff0000u : 0x80000000u) | (h >> 12 & 0xffff);
    }
    if (s.distribution != CANCEL || f.bits == 1) return v;
    const uint64_t extremes[4] = {mask >> 1, (mask >> 1) + 1, mask, 0};
    return extremes[h & 3];
}

inline uint64_t near_the_floor(const source &s, const format &f, int role, uint64_t h, int k)
{
    int great = probed(s);
    // Five bits of exponent, two tiles of four: an odd multiple of 2^-25, half the least f16, and a tiny product.
    if (f.exponent == 5 && (s.tile & 2) && k == great) {
        const int exponents[4] = {-12, -11, -10, -10};
        const uint64_t quarters[4] = {0, 2, 1, 3};
        if (role == ROLE_B) return encode(f, h & 1, -13, 0);
        return encode(f, h & 1, exponents[h >> 60 & 3], quarters[h >> 60 & 3] << (f.fraction - 2));
    }
    if (f.exponent == 5 && (s.tile & 2) && k == (great ^ partner(s)))
        return encode(f, h & 1, -15, (uint64_t)1 << ((h >> 20 & 3) % (uint64_t)f.fraction));
    range big = floor_big(f, role), tiny = floor_tiny(f, role);
    if (k == great) {
        uint64_t v = in_range(f, h, big.lo, big.hi);
        return h >> 62 == 0 ? v : v & ~fraction_mask(f);
    }
    if (k == (great ^ partner(s))) return in_range(f, h, tiny.lo, tiny.hi);
    return (h & 1) << (f.bits - 1);
}

inline uint64_t operand_drawn(const source &s, const format &f, int role, int i, int k)
{
    uint64_t h = draw(s, role, i, k);
    if (f.integer) return whole_number(s, f, h);
    range r = {-2, 2};
    if (s.distribution == WIDE) r = wide_range(s, f, role);
    if (s.distribution == SUBNORMAL) r = subnormal_range(s, f, role);
    if (s.distribution == OVERFLOW_EDGE) r = overflow_range(s, f, role);
    if (s.distribution == SPECIAL) return with_specials(s, f, role, i, k);
    if (s.distribution != CANCEL && s.distribution < PROBE) return in_range(f, h, r.lo, r.hi);
    if (role == ROLE_B && s.chunk > 0) k = k / s.chunk * (s.chunk / 2); // one value a chunk
    if (s.distribution == CANCEL) return cancelling(s, f, role, i, k, {-3, 3}, false);
    if (s.distribution == FLOOR) return near_the_floor(s, f, role, h, k);
    int great = probed(s);
    bool single = s.tile % 3 == 2;
    if (k == great || (!single && k == (great ^ partner(s))))
        return cancelling(s, f, role, i, k, probe_big(s, f), single);
    return in_range(f, h, probe_tiny(f).lo, probe_tiny(f).hi);
}

// The element (i, k) of A or B as the bits of its format.
inline uint64_t operand(const source &s, const format &f, int role, int i, int k)
{
    uint64_t v = operand_drawn(s, f, role, i, k);
    return f.clear ? v >> f.lowest << f.lowest : v;
}

// The element (i, j) of C in format c; a and b are the operands' formats.
inline uint64_t accumulator(const source &s, const format &a, const format &b, const format &c, int i, int j)
{
    uint64_t h = draw(s, ROLE_C, i, j);
    if (c.integer) return whole_number(s, c, h);
    range r = {-3, 4};
    if (s.distribution == WIDE) r = wide_range(s, c, ROLE_C);
    if (s.distribution == SUBNORMAL) r = subnormal_range(s, c, ROLE_C);
    if (s.distribution == OVERFLOW_EDGE) r = overflow_range(s, c, ROLE_C);
    if (s.distribution == SPECIAL) return with_specials(s, c, ROLE_C, i, j);
    if (s.distribution == CANCEL) {
        if ((h >> 60) < 4) return (h & 1) << (c.bits - 1);
        r = {-8, 4};
    }
    if (s.distribution == FLOOR) return (h & 1) << (c.bits - 1) | (s.tile & 1 ? h >> 12 & 7 : 0);
    if (s.distribution == PROBE) {
        if (s.tile % 3 == 0) return 0;
        if (s.tile % 3 == 1) return in_range(c, h, 2 * probe_tiny(a).lo, 2 * probe_tiny(a).hi);
        int k = probed(s), kb = s.chunk > 0 ? k / (s.chunk / 2) * s.chunk : k;
        uint64_t x = operand(s, a, ROLE_A, i, k), y = operand(s, b, ROLE_B, j, kb);
        int e = (int)((x >> a.fraction) & ((1u << a.exponent) - 1)) - bias(a) +
                (int)((y >> b.fraction) & ((1u << b.exponent) - 1)) - bias(b);
        uint64_t sign = (x >> (a.bits - 1) ^ y >> (b.bits - 1) ^ 1) & 1;
        return encode(c, sign, e, 0) - (h >> 63);
    }
    return in_range(c, h, r.lo, r.hi);
}

// Which columns of chunk `c` of row `i` the stored elements belong to: four bits as the metadata has them.
inline uint32_t chunk_metadata(const source &s, int i, int c)
{
    const uint32_t pairs[6] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    uint64_t h = draw(s, ROLE_META, i, c);
    return s.chunk == 2 ? (h & 1 ? 0xe : 0x4) : pairs[(h >> 8) % 6];
}

// FNV-1a of 64 bits.
inline uint64_t checksum(const void *bytes, uint64_t count, uint64_t h = 0xcbf29ce484222325u)
{
    const unsigned char *p = (const unsigned char *)bytes;
    for (uint64_t i = 0; i < count; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}
