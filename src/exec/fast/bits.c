// Fast forms: logic, shifts, fields, counting, bit and byte permutation, integer width conversion.
#include "exec/fast.h"
#include "isa/fields.h"
#include "isa/modes.h"

// -- logic: a form per function that compilers emit, other functions by a tree of selections ----------------
// clang-format off
#define LOGIC(F)                                                                                           \
    F(0x00, a ^ a)                       F(0xff, ~(a ^ a))                    F(0xf0, a)                   \
    F(0xcc, b)                           F(0x0f, ~a)                          F(0x33, ~b)                  \
    F(0xc0, a & b)                       F(0xfc, a | b)                       F(0x3c, a ^ b)               \
    F(0x30, a & ~b)                      F(0x0c, b & ~a)                      F(0xf3, a | ~b)              \
    F(0xcf, b | ~a)                      F(0x3f, ~(a & b))                    F(0x03, ~(a | b))            \
    F(0xc3, ~(a ^ b))                    F(0x80, a & b &c)                    F(0xfe, a | b | c)           \
    F(0x96, a ^ b ^ c)                   F(0xf8, a | (b & c))                 F(0xec, b | (a & c))         \
    F(0xea, c | (a & b))                 F(0xca, (a & b) | (~a & c))          F(0xac, (a & c) | (~a & b))  \
    F(0xe2, (b & a) | (~b & c))          F(0xb8, (b & c) | (~b & a))          F(0xd8, (c & b) | (~c & a))  \
    F(0xe4, (c & a) | (~c & b))          F(0x78, a ^ (b & c))                 F(0x6c, b ^ (a & c))         \
    F(0x6a, c ^ (a & b))                 F(0xe8, (a & b) | (a & c) | (b & c)) F(0xa8, (a | b) & c)         \
    F(0xc8, (a | c) & b)                 F(0xe0, (b | c) & a)                 F(0xf6, a | (b ^ c))         \
    F(0x60, a & (b ^ c))                 F(0x28, c & (a ^ b))                 F(0x48, b & (a ^ c))         \
    F(0xbe, c | (a ^ b))                 F(0x40, a & b & ~c)                  F(0xf4, a | (b & ~c))        \
    F(0xf2, a | (c & ~b))
// clang-format on
#define LOGIC_FORM(lut, expression) FORM_3(logic_##lut, expression)
LOGIC(LOGIC_FORM)
#undef LOGIC_FORM

// Any bitwise function of three words by truth table: bit n of d->spare_byte is the result where the bits of
// a, b and c form the binary number n.
static inline vu any_logic(const struct bound *d, vu a, vu b, vu c)
{
    vu r = a ^ a;
    for (unsigned n = 0; n < 8; n++)
        if (d->spare_byte >> n & 1) r |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return r;
}
FORM_3(logic_any, any_logic(d, a, b, c))

// any_logic with q = (result != 0).
HANDLER(logic_q_masked)
{
    uint8_t *to = regs + d->dst;
    const uint8_t *pa = regs + d->src[0], *pb = regs + d->src[1], *pc = regs + d->src[2];
    const vu s = splat(d->scalar), zero = splat(0);
    bool constant = is_constant(&bound_inst(d, w)->src[1]);
    lanes_t q = 0;
    EACH_VECTOR(k)
    {
        vu r = any_logic(d, simd_load(pa, k), constant ? s : simd_load(pb, k), simd_load(pc, k));
        simd_store_masked(to, k, mask_part(active, k), r);
        q |= mask_place(mask_not(equal(r, zero)), k);
    }
    w->pred[d->q] = (w->pred[d->q] & ~active) | (q & (lanes_t)active);
    NEXT(d + 1, w->active);
}
static const struct handlers logic_q = {logic_q_masked, logic_q_masked};

// The function with two operands exchanged.
static uint8_t exchanged(uint8_t lut, unsigned x, unsigned y) // bits of the index: a 2, b 1, c 0
{
    uint8_t r = 0;
    for (unsigned n = 0; n < 8; n++) {
        unsigned bx = n >> x & 1, by = n >> y & 1, m = (n & ~(1u << x | 1u << y)) | by << x | bx << y;
        if (lut >> m & 1) r |= (uint8_t)(1 << n);
    }
    return r;
}

static const struct handlers *bind_lop3(const struct exec *e, const struct inst *i, struct bound *d)
{
    uint8_t lut = i->lut;
    const struct operand *o = i->src;
    unsigned constant = 3;
    for (unsigned k = 0; k < 3; k++) {
        if (is_constant(&o[k]))
            constant = k;
        else if (!is_register(&o[k]))
            return NULL;
    }
    if (constant < 3) { // the constant becomes b
        d->scalar = constant_of(e, d, constant);
        swap_sources(d, 1, constant);
        if (constant == 0) lut = exchanged(lut, 2, 1);
        if (constant == 2) lut = exchanged(lut, 0, 1);
    }
    d->spare_byte = lut;
    if (d->q != PRED_SINK) return constant == 3 || constant == 1 ? &logic_q : NULL;
    switch (lut) {
#define LOGIC_CASE(value, expression)                                                                        \
    case value: return constant < 3 ? &logic_##value##_rsr : &logic_##value##_rrr;
        LOGIC(LOGIC_CASE)
#undef LOGIC_CASE
    }
    return constant < 3 ? &logic_any_rsr : &logic_any_rrr;
}

// -- shifts: amounts of 32 and more shift all bits out ------------------------------------------------------
#if FAST_BITS == 512
static inline vu shift_left(vu a, vu n) { return (vu)_mm512_sllv_epi32((__m512i)a, (__m512i)n); }
static inline vu shift_right(vu a, vu n) { return (vu)_mm512_srlv_epi32((__m512i)a, (__m512i)n); }
static inline vu shift_sign(vu a, vu n) { return (vu)_mm512_srav_epi32((__m512i)a, (__m512i)n); }
#elif FAST_BITS == 256
static inline vu shift_left(vu a, vu n) { return (vu)_mm256_sllv_epi32((__m256i)a, (__m256i)n); }
static inline vu shift_right(vu a, vu n) { return (vu)_mm256_srlv_epi32((__m256i)a, (__m256i)n); }
static inline vu shift_sign(vu a, vu n) { return (vu)_mm256_srav_epi32((__m256i)a, (__m256i)n); }
#else
static inline vu shift_left(vu a, vu n) { return choose(less_u(n, splat(32)), a << (n & 31), splat(0)); }
static inline vu shift_right(vu a, vu n) { return choose(less_u(n, splat(32)), a >> (n & 31), splat(0)); }
static inline vu shift_sign(vu a, vu n)
{
    return (vu)((vi)a >> (vi)choose(less_u(n, splat(32)), n, splat(31)));
}
#endif

FORM(shl_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k), shift_left(a, b))
FORM(shr_u_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k), shift_right(a, b))
FORM(shr_s_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k), shift_sign(a, b))
FORM(shl_sr, CONSTANT; REG_B, vu b = simd_load(pb, k), shift_left(s, b))
FORM(shr_u_sr, CONSTANT; REG_B, vu b = simd_load(pb, k), shift_right(s, b))
#define AMOUNT const unsigned n = d->scalar
FORM(shl_rs, REG_A; AMOUNT, vu a = simd_load(pa, k), a << n)
FORM(shr_u_rs, REG_A; AMOUNT, vu a = simd_load(pa, k), a >> n)
FORM(shr_s_rs, REG_A; AMOUNT, vu a = simd_load(pa, k), (vi)a >> (int)n)
FORM(zero, (void)0, (void)0, splat(0))

static const struct handlers *bind_shift(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool left = i->op == OP_SHL, is_signed = !left && i->type == TYPE_S32;
    if (is_register(&i->src[0]) && is_register(&i->src[1]))
        return left ? &shl_rr : is_signed ? &shr_s_rr : &shr_u_rr;
    if (is_register(&i->src[0]) && is_constant(&i->src[1])) {
        uint32_t n = constant_of(e, d, 1);
        d->scalar = n > 31 ? 31 : n;
        if (is_signed) return &shr_s_rs;
        return n > 31 ? &zero : left ? &shl_rs : &shr_u_rs;
    }
    if (!is_constant(&i->src[0]) || !is_register(&i->src[1]) || is_signed) return NULL;
    d->scalar = constant_of(e, d, 0);
    return left ? &shl_sr : &shr_u_sr;
}

// Funnel shifts of the register pair {c:a}: by a constant of 1 to 31 bits, or by register b modulo 32.
FORM(funnel_left, REG_A; REG_C; AMOUNT, vu a = simd_load(pa, k);
     vu c = simd_load(pc, k), (c << n) | (a >> (32 - n)))
FORM(funnel_right, REG_A; REG_C; AMOUNT, vu a = simd_load(pa, k);
     vu c = simd_load(pc, k), (a >> n) | (c << (32 - n)))
FORM(funnel_left_wrap, REG_A; REG_B; REG_C, vu a = simd_load(pa, k); vu b = simd_load(pb, k) & 31;
     vu c = simd_load(pc, k), shift_left(c, b) | shift_right(a, 32 - b))
FORM(funnel_right_wrap, REG_A; REG_B; REG_C, vu a = simd_load(pa, k); vu b = simd_load(pb, k) & 31;
     vu c = simd_load(pc, k), shift_right(a, b) | shift_left(c, 32 - b))

static const struct handlers *bind_shf(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool left = i->mode == MODE_SHF_L;
    if (!is_register(&i->src[0]) || !is_register(&i->src[2])) return NULL;
    if (is_register(&i->src[1])) {
        if (!(i->flags & INST_WRAP)) return NULL;
        return left ? &funnel_left_wrap : &funnel_right_wrap;
    }
    if (!is_constant(&i->src[1])) return NULL;
    uint32_t n = constant_of(e, d, 1);
    if (i->flags & INST_WRAP) n &= 31;
    d->scalar = n;
    if (n >= 1 && n <= 31) return left ? &funnel_left : &funnel_right;
    return NULL;
}

// -- bytes and fields ---------------------------------------------------------------------------------------
// PRMT with a constant selector without sign replication: bytes of a and bytes of c, each permuted within its
// lane.
#if FAST_BITS >= 256
#if FAST_BITS == 512
static inline vu permute(vu x, vu control) { return (vu)_mm512_shuffle_epi8((__m512i)x, (__m512i)control); }
#else
static inline vu permute(vu x, vu control) { return (vu)_mm256_shuffle_epi8((__m256i)x, (__m256i)control); }
#endif
// Per lane: offset of the lane's first byte in its 16-byte shuffle group, repeated in all four bytes of the
// word.
static inline vu lane_bytes(void)
{
    vu r;
    for (unsigned n = 0; n < VECTOR_LANES; n++) r[n] = n % 4 * 0x04040404u;
    return r;
}
#define SELECTORS                                                                                            \
    const vu sa = splat((uint32_t)d->wide) + lane_bytes(),                                                   \
             sc = splat((uint32_t)(d->wide >> 32)) + lane_bytes()
FORM(prmt, REG_A; REG_C; SELECTORS, vu a = simd_load(pa, k);
     vu c = simd_load(pc, k), permute(a, sa) | permute(c, sc))

static const struct handlers *bind_prmt(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (i->mode != MODE_NONE || !is_constant(&i->src[1]) || !is_register(&i->src[0]) ||
        !is_register(&i->src[2]))
        return NULL;
    uint32_t selector = constant_of(e, d, 1), from_a = 0, from_c = 0;
    if (selector & 0x8888) return NULL;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t pick = selector >> (4 * n) & 7;
        from_a |= (pick < 4 ? pick : 0x80) << (8 * n); // a shuffle control byte with bit 7 set gives 0
        from_c |= (pick < 4 ? 0x80 : pick - 4) << (8 * n);
    }
    d->wide = (uint64_t)from_c << 32 | from_a;
    return &prmt;
}
#else
static const struct handlers *bind_prmt(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)e, (void)i, (void)d;
    return NULL;
}
#endif

// BFE.U32 with constant position (d->spare_byte) and length (mask d->scalar); field bits past the word's end
// are zero.
FORM(bfe_u, REG_A; const unsigned n = d->spare_byte;
     const vu s = splat(d->scalar), vu a = simd_load(pa, k), (a >> n) & s)

static const struct handlers *bind_bfe(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (i->type != TYPE_U32 || !is_register(&i->src[0]) || !is_constant(&i->src[1]) ||
        !is_constant(&i->src[2]))
        return NULL;
    uint32_t position = constant_of(e, d, 1) & 255, length = constant_of(e, d, 2) & 255;
    if (position > 31) return &zero;
    d->spare_byte = (uint8_t)position;
    d->scalar = (uint32_t)bit_mask(length);
    return &bfe_u;
}

// Population count of each word: bit sums within pairs, nibbles and bytes; a multiplication adds the four
// byte sums.
static inline vu ones(vu x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
FORM_1(popc, ones(a))

static inline vu spread(vu x) // sets all bits below the highest set bit
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    return x | x >> 16;
}
FORM_1(flo_u, ones(spread(a)) - 1)
FORM_1(flo_s, ones(spread(a ^ (vu)((vi)a >> 31))) - 1)

static inline vu reversed(vu x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
FORM_1(brev, reversed(a))

// Integer width conversions without saturation: shifts left and back right by d->scalar bits, 32 minus the
// bits of the narrower type.
FORM(extend_s, REG_A; AMOUNT, vu a = simd_load(pa, k), (vi)(a << n) >> (int)n)
FORM(extend_u, REG_A; AMOUNT, vu a = simd_load(pa, k), a << n >> n)

static const struct handlers *bind_i2i(const struct inst *i, struct bound *d)
{
    enum isa_type to = (enum isa_type)i->type, from = (enum isa_type)i->type2;
    if (i->flags & INST_SAT || !is_register(&i->src[0])) return NULL;
    // The narrower type gives the bits kept and the kind of extension. No form for an 8-bit signed source of
    // a 16-bit result: the sign extension may have to be cut to 16 bits.
    bool narrower = isa_type_bytes(from) < isa_type_bytes(to);
    enum isa_type type = narrower ? from : to;
    if (narrower && isa_type_is_signed(from) && isa_type_bytes(to) < 4) return NULL;
    d->scalar = 32 - 8 * isa_type_bytes(type);
    return isa_type_is_signed(type) ? &extend_s : &extend_u;
}

// -- RISC-V's less-than comparisons, and shifts modulo 32
FORM_2(rset_lt_s, choose(less_s(a, b), splat(1), splat(0)))
FORM_2(rset_lt_u, choose(less_u(a, b), splat(1), splat(0)))
FORM_2(rshift_left, a << (b & 31))
FORM_2(rshift_right_s, (vi)a >> (vi)(b & 31))
FORM_2(rshift_right_u, a >> (b & 31))

// True: source a is a register, and source b is a register (form name_rr) or a constant, put in d->scalar
// (form name_rs).
static bool bind_sources(const struct exec *e, const struct inst *i, struct bound *d, bool *is_constant_b)
{
    *is_constant_b = is_constant(&i->src[1]);
    if (*is_constant_b) d->scalar = constant_of(e, d, 1);
    return is_register(&i->src[0]) && (*is_constant_b || is_register(&i->src[1]));
}

#define CHOOSE(name) (s ? &name##_rs : &name##_rr)

static const struct handlers *bind_rset(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool s;
    if (i->cmp != CMP_LT || !bind_sources(e, i, d, &s)) return NULL;
    return i->type == TYPE_S32 ? CHOOSE(rset_lt_s) : CHOOSE(rset_lt_u);
}

static const struct handlers *bind_rshift(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool s;
    if (!bind_sources(e, i, d, &s)) return NULL;
    if (i->mode == MODE_SHF_L) return CHOOSE(rshift_left);
    return i->type == TYPE_S32 ? CHOOSE(rshift_right_s) : CHOOSE(rshift_right_u);
}

// BFI with a constant b: bits of a at a position in c.
FORM(bfi, REG_A; REG_C; const unsigned position = d->scalar & 255;
     const vu mask = splat((uint32_t)(bit_mask(d->scalar >> 8 & 255) << position)), vu a = simd_load(pa, k);
     vu c = simd_load(pc, k), (c & ~mask) | (a << position & mask))

static const struct handlers *bind_bfi(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (!is_register(&i->src[0]) || !is_constant(&i->src[1]) || !is_register(&i->src[2])) return NULL;
    d->scalar = constant_of(e, d, 1);
    return (d->scalar & 255) < 32 ? &bfi : NULL;
}

extern fast_family FAST(fast_bits);
const struct handlers *FAST(fast_bits)(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool reg = is_register(&i->src[0]);
    switch ((int)i->op) {
    case OP_LOP3: return bind_lop3(e, i, d);
    case OP_SHL:
    case OP_SHR: return bind_shift(e, i, d);
    case OP_SHF: return bind_shf(e, i, d);
    case OP_PRMT: return bind_prmt(e, i, d);
    case OP_BFE: return bind_bfe(e, i, d);
    case OP_BFI: return bind_bfi(e, i, d);
    case OP_POPC: return reg ? &popc : NULL;
    case OP_FLO: return !reg || i->mode != MODE_NONE ? NULL : i->type == TYPE_S32 ? &flo_s : &flo_u;
    case OP_BREV: return reg ? &brev : NULL;
    case OP_I2I: return bind_i2i(i, d);
    case OP_RSET: return bind_rset(e, i, d);
    case OP_RSHIFT: return bind_rshift(e, i, d);
    }
    return NULL;
}
