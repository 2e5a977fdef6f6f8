// Fast forms: single precision, rounded to nearest. A negation is folded into the form when the folded form
// is still one host instruction. All other modifiers take the form name_any: operands prepared and result
// finished by the instruction's flags.
#include "exec/fast.h"

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
// d->scalar. Returns the operand kinds; *how: modifiers of register operands and of the result.
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
    [CMP_##name] = {&fsetp_##compare##_rr, &fsetp_##compare##_rs, &fsetp_any_##compare##_rr,                 \
                    &fsetp_any_##compare##_rs},
        COMPARISONS(X)
#undef X
    };
    unsigned how, cmp = is_constant(&i->src[0]) ? mirrored[i->cmp] : i->cmp;
    if (i->boolean > BOOL_XOR || !forms[cmp][0]) return NULL;
    d->boolean = i->boolean;
    enum operands kinds = arrange(e, i, d, 2, &how);
    if (kinds == OPERANDS_OTHER) return NULL;
    return forms[cmp][(how ? 2 : 0) + (kinds == OPERANDS_RS)];
}

extern fast_family FAST(fast_single);
const struct handlers *FAST(fast_single)(const struct exec *e, const struct inst *i, struct bound *d)
{
    switch ((int)i->op) {
    case OP_FADD: return i->round == ROUND_RN ? bind_fadd(e, i, d) : NULL;
    case OP_FMUL: return i->round == ROUND_RN ? bind_fmul(e, i, d) : NULL;
    case OP_FFMA: return i->round == ROUND_RN ? bind_ffma(e, i, d) : NULL;
    case OP_FMNMX: return bind_fmnmx(e, i, d);
    case OP_FSETP: return bind_fsetp(e, i, d);
    }
    return NULL;
}
