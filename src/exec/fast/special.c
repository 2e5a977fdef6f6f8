// Fast forms: the special-function unit, conversions between f32 and integers, and rounding to integral f32.
// The functions of mufu.h have no branches, so the compiler vectorises a loop over the lanes.
#include "exec/fast.h"
#include "exec/mufu.h"

enum { FLAG_NEG = 1, FLAG_ABS = 2, FLAG_FTZ = 4, FLAG_SAT = 8 };

static inline vu flushed(vu x) { return choose(equal(x & 0x7f800000u, splat(0)), x & 0x80000000u, x); }

static inline vu prepared(const struct bound *d, vu x)
{
    if (d->spare_byte & FLAG_ABS) x &= 0x7fffffffu;
    if (d->spare_byte & FLAG_NEG) x ^= 0x80000000u;
    return d->spare_byte & FLAG_FTZ ? flushed(x) : x;
}

static inline vu finished(const struct bound *d, vu x)
{
    vu r = canonical((vf)x);
    if (d->spare_byte & FLAG_FTZ) r = flushed(r);
    if (d->spare_byte & FLAG_SAT) {
        r = choose(float_unordered((vf)r, (vf)r), splat(0), r);
        r = choose(less_s(r, splat(0)), splat(0), r);
        r = choose(less_s(splat(0x3f800000u), r), splat(0x3f800000u), r);
    }
    return r;
}

struct row { // lanes of one register as floats
    _Alignas(64) float lane[FAST_LANES];
};

#define SPECIAL(name)                                                                                        \
    static __attribute__((noinline)) void name##_row(const struct bound *d, const uint8_t *from,             \
                                                     struct row *out)                                        \
    {                                                                                                        \
        struct row in;                                                                                       \
        EACH_VECTOR(k) simd_store((uint8_t *)in.lane, k, prepared(d, simd_load(from, k)));                   \
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
                          finished(d, simd_load((const uint8_t *)out.lane, k)));                             \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        name##_write(d, regs, active);                                                                       \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers special_##name = {name##_masked, name##_masked};

SPECIAL(rcp)
SPECIAL(rsq)
SPECIAL(sqrt)
SPECIAL(ex2)
SPECIAL(lg2)
SPECIAL(sin)
SPECIAL(cos)
SPECIAL(tanh)

static const struct handlers *bind_mufu(const struct inst *i)
{
    switch ((int)i->mode) {
    case MODE_MUFU_RCP: return &special_rcp;
    case MODE_MUFU_RSQ: return &special_rsq;
    case MODE_MUFU_SQRT: return &special_sqrt;
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
// Only magnitudes below 2^23 have a fraction, and a conversion to integer and back truncates the fraction.
// The sign of zero is the operand's.
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
// every out-of-range value.
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
    FORM_1(int_##name, int_of(ROUNDED((vf)prepared(d, a), mode)))                                            \
    FORM_1(unsigned_##name, unsigned_of(ROUNDED((vf)prepared(d, a), mode)))                                  \
    FORM_1(whole_##name, finished(d, (vu)ROUNDED((vf)prepared(d, a), mode)))
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

extern fast_family FAST(fast_special);
const struct handlers *FAST(fast_special)(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)e;
    if (i->op == OP_I2F) return bind_i2f(i, d);
    if ((i->op != OP_MUFU && i->op != OP_F2I && i->op != OP_FRND) || !is_register(&i->src[0])) return NULL;
    unsigned flags = i->src[0].flags;
    d->spare_byte = (uint8_t)((flags & OPERAND_NEG ? FLAG_NEG : 0) | (flags & OPERAND_ABS ? FLAG_ABS : 0) |
                              (i->flags & INST_FTZ ? FLAG_FTZ : 0) | (i->flags & INST_SAT ? FLAG_SAT : 0));
    return i->op == OP_MUFU ? bind_mufu(i) : bind_rounding(i);
}
