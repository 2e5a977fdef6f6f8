// Fast forms: single precision, rounded to nearest, and FFMA in every rounding; the special-function unit; conversions between f32 and
// integers; rounding to integral f32. FADD, FMUL and FFMA have forms without modifiers, for plain operands
// and for some negations. Other modifiers, also of FMNMX and FSETP, take the form name_any. There the bits of
// d->spare_byte say how to prepare operands and finish the result, as in every form of MUFU, F2I and FRND.
#include "exec/fast.h"
#include "exec/lane.h"
#include "exec/mufu.h"
#include "isa/fields.h"
#include "isa/modes.h"

#define F(x) ((vf)(x))

static inline vu flushed(vu x) { return choose(equal(x & 0x7f800000u, splat(0)), x & 0x80000000u, x); }

// .sat: clamp to [0, 1], NaN to +0. Positive floats compare as integers.
static inline vu saturated(vu x)
{
    x = choose(less_s(x, splat(0)), splat(0), x);
    x = choose(float_unordered(F(x), F(x)), splat(0), x);
    return choose(less_s(splat(0x3f800000u), x), splat(0x3f800000u), x);
}

// Bits of d->spare_byte in forms with modifiers. Operand k: negation in bit 0 + k, absolute value in bit 3 +
// k.
enum { PREPARE_NEG = 0, PREPARE_ABS = 3, PREPARE_FTZ = 1 << 6, PREPARE_SAT = 1 << 7 };

static inline vu prepared(const struct bound *d, unsigned k, vu x)
{
    unsigned how = d->spare_byte;
    if (how >> (PREPARE_ABS + k) & 1) x &= 0x7fffffffu;
    if (how >> (PREPARE_NEG + k) & 1) x ^= 0x80000000u;
    if (how & PREPARE_FTZ) x = flushed(x);
    return x;
}
static inline vu finished(const struct bound *d, vf x)
{
    vu r = canonical(x);
    if (d->spare_byte & PREPARE_FTZ) r = flushed(r);
    if (d->spare_byte & PREPARE_SAT) r = saturated(r);
    return r;
}
#define A F(prepared(d, 0, a))
#define B F(prepared(d, 1, b))
#define C F(prepared(d, 2, c))

FORM_2(fadd, canonical(F(a) + F(b)))
FORM_2(fsub, canonical(F(a) - F(b)))
FORM_2(fmul, canonical(F(a) * F(b)))
FORM_3(ffma, canonical(fused(F(a), F(b), F(c))))
FORM_3(ffnma, canonical(fused(F(a ^ 0x80000000u), F(b), F(c))))
FORM_3(ffms, canonical(fused(F(a), F(b), F(c ^ 0x80000000u))))
FORM_2(fadd_any, finished(d, A + B))
FORM_2(fmul_any, finished(d, A *B))
FORM_3(ffma_any, finished(d, fused(A, B, C)))

#if FAST_BITS >= 256
// fma(a, b, c) in the rounding of control word number d->wide of the processor; the word is set for the instruction
// alone.
static inline vf fused_to(const struct bound *d, vf a, vf b, vf c)
{
    static const uint32_t control[] = {
        [ROUND_RN] = 0x1f80, [ROUND_RZ] = 0x7f80, [ROUND_RM] = 0x3f80, [ROUND_RP] = 0x5f80};
    __asm__ volatile("vldmxcsr %3\n\tvfmadd213ps %2, %1, %0\n\tvldmxcsr %4"
                     : "+v"(a)
                     : "v"(b), "v"(c), "m"(control[d->wide]), "m"(control[ROUND_RN]));
    return a;
}
FORM_3(ffma_to, finished(d, fused_to(d, A, B, C)))
#endif

// min and max order -0 below +0 and prefer a number to NaN. The processor's instruction returns the second
// operand for NaN and for two zeros. Results of both operand orders differ only in the sign of zero and for
// NaN: both are computed and combined, and NaN is replaced.
#if FAST_BITS == 512
static inline vu smaller(vu a, vu b) { return (vu)_mm512_min_ps((__m512)a, (__m512)b); }
static inline vu larger(vu a, vu b) { return (vu)_mm512_max_ps((__m512)a, (__m512)b); }
#elif FAST_BITS == 256
static inline vu smaller(vu a, vu b) { return (vu)_mm256_min_ps((__m256)a, (__m256)b); }
static inline vu larger(vu a, vu b) { return (vu)_mm256_max_ps((__m256)a, (__m256)b); }
#else
static inline vu smaller(vu a, vu b) { return choose(float_lt(F(a), F(b)), a, b); }
static inline vu larger(vu a, vu b) { return choose(float_gt(F(a), F(b)), a, b); }
#endif
static inline vu number_of(vu r, vu a, vu b)
{
    r = choose(float_unordered(F(a), F(a)), b, r);
    r = choose(float_unordered(F(b), F(b)), a, r);
    return canonical(F(r));
}
static inline vu minimum(vu a, vu b) { return number_of(smaller(a, b) | smaller(b, a), a, b); }
static inline vu maximum(vu a, vu b) { return number_of(larger(a, b) & larger(b, a), a, b); }
FORM_2(fmin, minimum(a, b))
FORM_2(fmax, maximum(a, b))
FORM_2(fmin_any, finished(d, F(minimum((vu)A, (vu)B))))
FORM_2(fmax_any, finished(d, F(maximum((vu)A, (vu)B))))

// clang-format off
#define COMPARISONS(X)                                                       \
    X(LT, lt)         X(EQ, eq)         X(LE, le)         X(GT, gt)          \
    X(NE, ne)         X(GE, ge)         X(NUM, num)       X(NAN, unordered)  \
    X(LTU, ltu)       X(EQU, equ)       X(LEU, leu)       X(GTU, gtu)        \
    X(NEU, neu)       X(GEU, geu)
// clang-format on
#define X(name, compare)                                                                                     \
    FORM_COMPARE(fsetp_##compare, float_##compare(F(a), F(b)))                                               \
    FORM_COMPARE(fsetp_any_##compare, float_##compare(A, B))
COMPARISONS(X)
#undef X

// -- binding ------------------------------------------------------------------------------------------------
static uint32_t with_sign(uint32_t x, unsigned flags)
{
    if (flags & OPERAND_ABS) x &= 0x7fffffffu;
    return flags & OPERAND_NEG ? x ^ 0x80000000u : x;
}

// Exchanges a constant first source and the second source. Stores the constant, modifiers applied, in
// d->scalar. Returns the operand kinds (OPERANDS_OTHER: a source is neither register nor constant); *how:
// modifiers of register operands and of the result.
static enum operands arrange(const struct exec *e, const struct inst *i, struct bound *d, unsigned count,
                             unsigned *how)
{
    unsigned order[3] = {0, 1, 2}, constant = 3;
    for (unsigned k = 0; k < count; k++) {
        if (is_constant(&i->src[k]))
            constant = k;
        else if (!is_register(&i->src[k]))
            return OPERANDS_OTHER;
    }
    if (constant == 0) { // sums, products, min and max commute; comparisons are mirrored
        swap_sources(d, 0, 1);
        order[0] = 1;
        order[1] = 0;
        constant = 1;
    }
    *how = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned flags = i->src[order[k]].flags;
        if (k == constant) {
            d->scalar = with_sign(constant_of(e, d, order[k]), flags);
            continue;
        }
        if (flags & OPERAND_NEG) *how |= 1u << (PREPARE_NEG + k);
        if (flags & OPERAND_ABS) *how |= 1u << (PREPARE_ABS + k);
    }
    if (i->flags & INST_FTZ) *how |= PREPARE_FTZ;
    if (i->flags & INST_SAT) *how |= PREPARE_SAT;
    d->spare_byte = (uint8_t)*how;
    if (count == 2) return constant == 1 ? OPERANDS_RS : OPERANDS_RR;
    return constant == 1 ? OPERANDS_RSR : constant == 2 ? OPERANDS_RRS : OPERANDS_RRR;
}

enum { NEG_A = 1 << PREPARE_NEG, NEG_B = 2 << PREPARE_NEG, NEG_C = 4 << PREPARE_NEG };

static const struct handlers *bind_fadd(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned how;
    enum operands kinds = arrange(e, i, d, 2, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    bool rr = kinds == OPERANDS_RR;
    if (how == NEG_A && rr) {
        swap_sources(d, 0, 1);
        how = NEG_B;
    }
    if (how == 0) return rr ? &fadd_rr : &fadd_rs;
    if (how == NEG_B) return &fsub_rr;
    return rr ? &fadd_any_rr : &fadd_any_rs;
}

static const struct handlers *bind_fmul(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned how;
    enum operands kinds = arrange(e, i, d, 2, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    bool rr = kinds == OPERANDS_RR;
    if (how == NEG_A && !rr) {
        d->scalar ^= 0x80000000u;
        how = 0;
    }
    if (how == (NEG_A | NEG_B)) how = 0;
    if (how == 0) return rr ? &fmul_rr : &fmul_rs;
    return rr ? &fmul_any_rr : &fmul_any_rs;
}

static const struct handlers *bind_ffma(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned how;
    enum operands kinds = arrange(e, i, d, 3, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    unsigned column = kinds == OPERANDS_RRR ? 0 : kinds == OPERANDS_RSR ? 1 : 2;
    if (i->round != ROUND_RN) {
#if FAST_BITS >= 256
        static const struct handlers *const to[3] = {&ffma_to_rrr, &ffma_to_rsr, &ffma_to_rrs};
        d->wide = i->round;
        return i->round <= ROUND_RP ? to[column] : NULL;
#else
        return NULL;
#endif
    }
    static const struct handlers *const plain[3] = {&ffma_rrr, &ffma_rsr, &ffma_rrs},
                                        *const minus[3] = {&ffnma_rrr, &ffnma_rsr, &ffnma_rrs},
                                        *const minus_c[3] = {&ffms_rrr, &ffms_rsr, &ffms_rrs},
                                        *const any[3] = {&ffma_any_rrr, &ffma_any_rsr, &ffma_any_rrs};
    if (how == 0 || how == (NEG_A | NEG_B)) return plain[column];
    if (how == NEG_A || how == NEG_B) return minus[column];
    if (how == NEG_C) return minus_c[column];
    return any[column];
}

static const struct handlers *bind_fmnmx(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned how;
    if (i->flags & (INST_NAN | INST_XORSIGN)) return NULL;
    enum operands kinds = arrange(e, i, d, 2, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    bool max = i->mode == MODE_MAX, rr = kinds == OPERANDS_RR;
    if (how == 0) return max ? (rr ? &fmax_rr : &fmax_rs) : (rr ? &fmin_rr : &fmin_rs);
    return max ? (rr ? &fmax_any_rr : &fmax_any_rs) : (rr ? &fmin_any_rr : &fmin_any_rs);
}

static const struct handlers *bind_fsetp(const struct exec *e, const struct inst *i, struct bound *d)
{
    static const uint8_t mirrored[16] = {
        [CMP_LT] = CMP_GT,   [CMP_EQ] = CMP_EQ,   [CMP_LE] = CMP_GE,   [CMP_GT] = CMP_LT,
        [CMP_NE] = CMP_NE,   [CMP_GE] = CMP_LE,   [CMP_NUM] = CMP_NUM, [CMP_NAN] = CMP_NAN,
        [CMP_LTU] = CMP_GTU, [CMP_EQU] = CMP_EQU, [CMP_LEU] = CMP_GEU, [CMP_GTU] = CMP_LTU,
        [CMP_NEU] = CMP_NEU, [CMP_GEU] = CMP_LEU};
    static const struct handlers *const forms[16][4] = {
#define X(name, compare)                                                                                     \
    [CMP_##name] = {fsetp_##compare##_rr, fsetp_##compare##_rs, fsetp_any_##compare##_rr,                    \
                    fsetp_any_##compare##_rs},
        COMPARISONS(X)
#undef X
    };
    unsigned how, cmp = is_constant(&i->src[0]) ? mirrored[i->cmp] : i->cmp;
    if (i->boolean > BOOL_XOR || !forms[cmp][0]) return NULL;
    d->boolean = i->boolean;
    enum operands kinds = arrange(e, i, d, 2, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    return forms[cmp][(how ? 2 : 0) + (kinds == OPERANDS_RS)] + pred_form(d);
}

// -- special functions --------------------------------------------------------------------------------------
// The functions of mufu.h have no branches, so the compiler vectorises a loop over the lanes.
struct row { // lanes of one register as floats
    _Alignas(64) float lane[FAST_LANES];
};

// The handlers of a form whose name##_write leaves inactive lanes alone.
#define WRITTEN(name)                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        name##_write(d, regs, active);                                                                       \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers special_##name = {name##_masked, name##_masked};

#define SPECIAL(name)                                                                                        \
    static __attribute__((noinline)) void name##_row(const struct bound *d, const uint8_t *from,             \
                                                     struct row *out)                                        \
    {                                                                                                        \
        struct row in;                                                                                       \
        EACH_VECTOR(k) simd_store((uint8_t *)in.lane, k, prepared(d, 0, simd_load(from, k)));                \
        for (unsigned l = 0; l < FAST_LANES; l++) out->lane[l] = mufu_##name(in.lane[l]);                    \
    }                                                                                                        \
    static                                                                                                   \
        __attribute__((noinline)) void name##_write(const struct bound *d, uint8_t *regs, uint64_t active)   \
    {                                                                                                        \
        struct row out;                                                                                      \
        name##_row(d, regs + d->src[0], &out);                                                               \
        uint8_t *to = regs + d->dst;                                                                         \
        EACH_VECTOR(k)                                                                                       \
        simd_store_masked(to, k, mask_part(active, k),                                                       \
                          finished(d, F(simd_load((const uint8_t *)out.lane, k))));                          \
    }                                                                                                        \
    WRITTEN(name)

// Quotients and roots of vectors are rounded as those of numbers (mufu.h).
static inline vf root(vf x)
{
#if FAST_BITS == 512
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif FAST_BITS == 256
    return (vf)_mm256_sqrt_ps((__m256)x);
#else
    for (unsigned n = 0; n < VECTOR_LANES; n++) x[n] = __builtin_sqrtf(x[n]);
    return x;
#endif
}
#define ONE splat_float(1)
FORM_1(rcp, canonical(ONE / F(a)))
FORM_1(rsq, canonical(ONE / root(F(a))))
FORM_1(root_of, canonical(root(F(a))))
FORM_1(rcp_any, finished(d, ONE / A))
FORM_1(rsq_any, finished(d, ONE / root(A)))
FORM_1(root_of_any, finished(d, root(A)))

SPECIAL(ex2)
SPECIAL(lg2)
SPECIAL(sin)
SPECIAL(cos)
SPECIAL(tanh)

// On the high word of a double: .ftz and .sat are of no effect.
#define SPECIAL_HIGH(name)                                                                                   \
    static                                                                                                   \
        __attribute__((noinline)) void name##_write(const struct bound *d, uint8_t *regs, uint64_t active)   \
    {                                                                                                        \
        _Alignas(64) uint32_t x[FAST_LANES];                                                                 \
        REG_A;                                                                                               \
        EACH_VECTOR(k) simd_store((uint8_t *)x, k, prepared(d, 0, simd_load(pa, k)));                        \
        for (unsigned l = 0; l < FAST_LANES; l++) x[l] = mufu_##name(x[l]);                                  \
        EACH_VECTOR(k)                                                                                       \
        simd_store_masked(regs + d->dst, k, mask_part(active, k), simd_load((const uint8_t *)x, k));         \
    }                                                                                                        \
    WRITTEN(name)
SPECIAL_HIGH(rcp64h)
SPECIAL_HIGH(rsq64h)

static const struct handlers *bind_high(const struct inst *i, struct bound *d)
{
    d->spare_byte &= (uint8_t) ~(PREPARE_FTZ | PREPARE_SAT);
    return i->mode == MODE_MUFU_RCP64H ? &special_rcp64h : &special_rsq64h;
}

static bool is_high(const struct inst *i)
{
    return i->mode == MODE_MUFU_RCP64H || i->mode == MODE_MUFU_RSQ64H;
}

FORM(constant_result, CONSTANT, (void)0, s)
FORM_1(signed_word, prepared(d, 0, a))

// MUFU or RRO of a constant, d->spare_byte set: the result is computed here.
static const struct handlers *bind_constant(const struct exec *e, const struct inst *i, struct bound *d)
{
    vu x = prepared(d, 0, splat(constant_of(e, d, 0)));
    if (i->op == OP_MUFU) x = finished(d, F(splat(lane_mufu32((enum isa_mode)i->mode, x[0]))));
    d->scalar = x[0];
    return &constant_result;
}

static const struct handlers *bind_mufu(const struct inst *i, const struct bound *d)
{
    bool plain = !d->spare_byte;
    switch ((int)i->mode) {
    case MODE_MUFU_RCP: return plain ? &rcp : &rcp_any;
    case MODE_MUFU_RSQ: return plain ? &rsq : &rsq_any;
    case MODE_MUFU_SQRT: return plain ? &root_of : &root_of_any;
    case MODE_MUFU_EX2: return &special_ex2;
    case MODE_MUFU_LG2: return &special_lg2;
    case MODE_MUFU_SIN: return &special_sin;
    case MODE_MUFU_COS: return &special_cos;
    case MODE_MUFU_TANH: return &special_tanh;
    }
    return NULL;
}

// -- conversions --------------------------------------------------------------------------------------------
static inline vf to_float(vu x) { return __builtin_convertvector((vi)x, vf); }
FORM_1(float_of_s32, (vu)to_float(a))
// The upper and the lower 16 bits convert exactly; only the sum of the two floats rounds.
FORM_1(float_of_u32, (vu)(to_float(a >> 16) * splat_float(65536.0f) + to_float(a & 0xffff)))
// Sources of 8 or 16 bits, first sign- or zero-extended to 32 by shifts of d->scalar bits left and back
// right.
FORM(float_of_signed, REG_A;
     const int n = (int)d->scalar, vu a = simd_load(pa, k), (vu)to_float((vu)((vi)(a << n) >> n)))
FORM(float_of_unsigned, REG_A;
     const int n = (int)d->scalar, vu a = simd_load(pa, k), (vu)to_float(a << n >> n))

static const struct handlers *bind_i2f(const struct inst *i, struct bound *d)
{
    unsigned bytes = isa_type_bytes((enum isa_type)i->type2);
    bool is_signed = isa_type_is_signed((enum isa_type)i->type2);
    if (i->type != TYPE_F32 || i->flags & (INST_SAT | INST_FTZ) || !is_register(&i->src[0]) || bytes > 4)
        return NULL;
    d->scalar = 32 - 8 * bytes;
    if (bytes < 4) return is_signed ? &float_of_signed : &float_of_unsigned; // exact
    if (i->round != ROUND_RN) return NULL;
    return is_signed ? &float_of_s32 : &float_of_u32;
}

#if defined(__SSE2__)
#if FAST_BITS == 512
static inline vu truncate_to_int(vf x) { return (vu)_mm512_cvttps_epi32((__m512)x); }
#define ROUNDED(x, mode) ((vf)_mm512_roundscale_ps((__m512)(x), (mode) | _MM_FROUND_NO_EXC))
#elif FAST_BITS == 256
static inline vu truncate_to_int(vf x) { return (vu)_mm256_cvttps_epi32((__m256)x); }
#define ROUNDED(x, mode) ((vf)_mm256_round_ps((__m256)(x), (mode) | _MM_FROUND_NO_EXC))
#else
static inline vu truncate_to_int(vf x) { return (vu)_mm_cvttps_epi32((__m128)x); }
// Only magnitudes below 2^23 have a fraction, and a conversion to integer and back truncates the fraction. The
// sign of zero is the operand's.
static inline vf rounded_sse2(vf x, int mode)
{
    vf whole = __builtin_convertvector((vi)truncate_to_int(x), vf), rest = x - whole;
    vf up = (vf)((vu)(rest > 0) & (vu)splat_float(1)), down = (vf)((vu)(rest < 0) & (vu)splat_float(1));
    if (mode == _MM_FROUND_TO_NEG_INF) whole -= down;
    if (mode == _MM_FROUND_TO_POS_INF) whole += up;
    if (mode == _MM_FROUND_TO_NEAREST_INT)
        whole = __builtin_convertvector((vi)_mm_cvtps_epi32((__m128)x), vf);
    vu magnitude = (vu)x & 0x7fffffffu;
    vu r = ((vu)whole & 0x7fffffffu) | ((vu)x & 0x80000000u);
    return (vf)choose(less_u(magnitude, splat(0x4b000000u)), r, (vu)x);
}
#define ROUNDED(x, mode) rounded_sse2((x), (mode))
#endif

// Saturation of PTX's cvt to a 32-bit integer, with 0 for NaN. x86's conversion gives 0x80000000 for NaN and
// for every out-of-range value.
static inline vu int_of(vf x)
{
    vu r = truncate_to_int(x);
    r = choose(float_ge(x, splat_float(0x1p31f)), splat(0x7fffffffu), r);
    return choose(float_unordered(x, x), splat(0), r);
}
static inline vu unsigned_of(vf x)
{
    vf half = splat_float(0x1p31f);
    vu low = truncate_to_int(x), high = truncate_to_int(x - half) ^ 0x80000000u;
    vu r = choose(float_ge(x, half), high, low);
    r = choose(float_gt(x, splat_float(0)), r, splat(0)); // NaN gives 0 as well
    return choose(float_ge(x, splat_float(0x1p32f)), splat(~0u), r);
}

#define ROUND_FORMS(name, mode)                                                                              \
    FORM_1(int_##name, int_of(ROUNDED(F(prepared(d, 0, a)), mode)))                                          \
    FORM_1(unsigned_##name, unsigned_of(ROUNDED(F(prepared(d, 0, a)), mode)))                                \
    FORM_1(whole_##name, finished(d, ROUNDED(F(prepared(d, 0, a)), mode)))
ROUND_FORMS(rn, _MM_FROUND_TO_NEAREST_INT)
ROUND_FORMS(rz, _MM_FROUND_TO_ZERO)
ROUND_FORMS(rm, _MM_FROUND_TO_NEG_INF)
ROUND_FORMS(rp, _MM_FROUND_TO_POS_INF)

static const struct handlers *bind_rounding(const struct inst *i)
{
    static const struct handlers *const forms[4][3] = {{&int_rn, &unsigned_rn, &whole_rn},
                                                       {&int_rz, &unsigned_rz, &whole_rz},
                                                       {&int_rm, &unsigned_rm, &whole_rm},
                                                       {&int_rp, &unsigned_rp, &whole_rp}};
    bool whole = i->op == OP_FRND;
    if (i->round > ROUND_RP) return NULL;
    if (whole ? i->type != TYPE_F32 : i->type2 != TYPE_F32 || (i->type != TYPE_S32 && i->type != TYPE_U32))
        return NULL;
    return forms[i->round][whole ? 2 : i->type == TYPE_U32];
}
#else
static const struct handlers *bind_rounding(const struct inst *i)
{
    (void)i;
    return NULL;
}
#endif

// FCHK, true where the short sequence for a division may be inexact (lane_float.c).
static inline vm needs_care(vu a, vu b)
{
    vu ea = a >> 23 & 255, eb = b >> 23 & 255;
    vm far = at_least_u(ea - eb + 125, splat(252));
    return mask_or(far, mask_or(at_least_u(eb - 1, splat(252)), at_least_u(ea - 25, splat(230))));
}
#define CARE needs_care(prepared(d, 0, a), prepared(d, 1, b))
FORM_PRED(fchk_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k), CARE)
FORM_PRED(fchk_rs, REG_A; CONSTANT, vu a = simd_load(pa, k); vu b = s, CARE)
FORM_PRED(fchk_sr, REG_B; CONSTANT, vu a = s; vu b = simd_load(pb, k), CARE)

static const struct handlers *bind_fchk(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool a = is_register(&i->src[0]), b = is_register(&i->src[1]);
    unsigned how = i->flags & INST_FTZ ? PREPARE_FTZ : 0;
    if ((!a && !is_constant(&i->src[0])) || (!b && !is_constant(&i->src[1])) || (!a && !b)) return NULL;
    for (unsigned k = 0; k < 2; k++) {
        unsigned flags = i->src[k].flags;
        if (flags & OPERAND_NEG) how |= 1u << (PREPARE_NEG + k);
        if (flags & OPERAND_ABS) how |= 1u << (PREPARE_ABS + k);
    }
    if (!a || !b) d->scalar = constant_of(e, d, a ? 1 : 0);
    d->spare_byte = (uint8_t)how;
    d->src[2] = PRED_TRUE;
    d->boolean = BOOL_AND;
    return (a && b ? fchk_rr : a ? fchk_rs : fchk_sr) + pred_form(d);
}

// MUFU, RRO, F2I and FRND: modifiers of the source and of the result go to d->spare_byte.
static const struct handlers *bind_special(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned flags = i->src[0].flags;
    bool is_function = i->op == OP_MUFU || i->op == OP_RRO, is_in_register = is_register(&i->src[0]);
    if (!is_in_register && !(is_function && is_constant(&i->src[0]))) return NULL;
    d->spare_byte =
        (uint8_t)((flags & OPERAND_NEG ? 1 << PREPARE_NEG : 0) |
                  (flags & OPERAND_ABS ? 1 << PREPARE_ABS : 0) | (i->flags & INST_FTZ ? PREPARE_FTZ : 0) |
                  (i->flags & INST_SAT ? PREPARE_SAT : 0));
    if (i->op == OP_MUFU && is_high(i)) return is_in_register ? bind_high(i, d) : NULL;
    if (!is_in_register) return bind_constant(e, i, d);
    if (i->op == OP_RRO) return &signed_word;
    return i->op == OP_MUFU ? bind_mufu(i, d) : bind_rounding(i);
}

extern fast_family FAST(fast_single);
const struct handlers *FAST(fast_single)(const struct exec *e, const struct inst *i, struct bound *d)
{
    switch ((int)i->op) {
    case OP_FADD: return i->round == ROUND_RN ? bind_fadd(e, i, d) : NULL;
    case OP_FMUL: return i->round == ROUND_RN ? bind_fmul(e, i, d) : NULL;
    case OP_FFMA: return bind_ffma(e, i, d);
    case OP_FMNMX: return bind_fmnmx(e, i, d);
    case OP_FSETP: return bind_fsetp(e, i, d);
    case OP_I2F: return bind_i2f(i, d);
    case OP_FCHK: return bind_fchk(e, i, d);
    case OP_RRO:
    case OP_MUFU:
    case OP_F2I:
    case OP_FRND: return bind_special(e, i, d);
    }
    return NULL;
}
