// Fast forms: moves, special registers, selection, 32-bit integer arithmetic, wide multiplication,
// comparison.
#include "exec/fast.h"
#include "isa/fields.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/sregs.h"

// -- moves --------------------------------------------------------------------------------------------------
FORM_1(mov, a)
FORM(mov_s, CONSTANT, (void)0, s)

static const struct handlers *bind_mov(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (is_register(&i->src[0])) return &mov;
    if (!is_constant(&i->src[0])) return NULL;
    d->scalar = constant_of(e, d, 0);
    return &mov_s;
}

FORM(thread, const uint8_t *from = w->threads + d->src[0], vu a = simd_load(from, k), a)

// Binds S2R: thread indices and lane numbers are copied from vectors of the warp; dimensions of block and grid are
// constants. NULL: another special register.
static const struct handlers *bind_s2r(const struct exec *e, const struct inst *i, struct bound *d)
{
    uint32_t vector, sreg = i->src[0].reg;
    const struct launch *l = e->launch;
    switch ((int)sreg) {
    case SREG_TID_X:
    case SREG_TID_Y:
    case SREG_TID_Z: vector = THREAD_X + sreg - SREG_TID_X; break;
    case SREG_LANEID: vector = THREAD_LANE; break;
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z: d->scalar = l->block[sreg - SREG_NTID_X]; return &mov_s;
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z: d->scalar = l->grid[sreg - SREG_NCTAID_X]; return &mov_s;
    default: return NULL;
    }
    d->src[0] = vector * REGISTER_BYTES;
    return &thread;
}

FORM(ctaid, const vu s = splat(w->cta->id[d->scalar]), (void)0, s)

static const struct handlers *bind_ctaid(const struct inst *i, struct bound *d)
{
    if (i->src[0].reg < SREG_CTAID_X || i->src[0].reg > SREG_CTAID_Z) return NULL;
    d->scalar = i->src[0].reg - SREG_CTAID_X;
    return &ctaid;
}

#define SELECTOR lanes_t p = pred_lanes(w, d->src[2])
FORM(sel_rr, REG_A; REG_B; SELECTOR, vu a = simd_load(pa, k);
     vu b = simd_load(pb, k), choose(mask_part(p, k), a, b))
FORM(sel_rs, REG_A; CONSTANT; SELECTOR, vu a = simd_load(pa, k), choose(mask_part(p, k), a, s))
FORM(sel_sr, CONSTANT; REG_B; SELECTOR, vu b = simd_load(pb, k), choose(mask_part(p, k), s, b))

static const struct handlers *bind_sel(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (i->src[0].flags || i->src[1].flags) return NULL;
    bool a = is_register(&i->src[0]), b = is_register(&i->src[1]);
    if (a && b) return &sel_rr;
    if (a && is_constant(&i->src[1])) {
        d->scalar = constant_of(e, d, 1);
        return &sel_rs;
    }
    if (b && is_constant(&i->src[0])) {
        d->scalar = constant_of(e, d, 0);
        return &sel_sr;
    }
    return NULL;
}

// -- sums ---------------------------------------------------------------------------------------------------
FORM_2(add, a + b)
FORM_2(sub, a - b)
FORM(rsub_rs, REG_A; CONSTANT, vu a = simd_load(pa, k), s - a)
FORM_3(add3, a + b + c)
FORM_3(addsub, a + b - c)
FORM_3(subsub, a - b - c)

// Terms of an integer sum. reg: `positive` added registers, then `negative` subtracted registers. constant:
// sum of the constant terms. good: no term of another kind.
struct sum {
    uint32_t reg[3];
    unsigned positive, negative;
    uint32_t constant;
    bool good;
};

static struct sum sum_of(const struct exec *e, const struct inst *i, const struct bound *d)
{
    struct sum s = {.good = true};
    uint32_t negative[3];
    for (unsigned k = 0; k < 3; k++) {
        const struct operand *o = &i->src[k];
        bool minus = (o->flags & OPERAND_NEG) != 0;
        if (is_zero_register(o) || o->kind == OPERAND_NONE) continue;
        if (is_constant(o))
            s.constant += minus ? 0 - constant_of(e, d, k) : constant_of(e, d, k);
        else if (!is_register(o))
            s.good = false;
        else if (minus)
            negative[s.negative++] = d->src[k];
        else
            s.reg[s.positive++] = d->src[k];
    }
    for (unsigned k = 0; k < s.negative; k++) s.reg[s.positive + k] = negative[k];
    return s;
}

static const struct handlers *bind_plain_sum(const struct exec *e, const struct inst *i, struct bound *d)
{
    struct sum s = sum_of(e, i, d);
    if (!s.good) return NULL;
    for (unsigned k = 0; k < s.positive + s.negative; k++) d->src[k] = s.reg[k];
    d->scalar = s.constant;
    unsigned shape = s.positive * 4 + s.negative;
    if (shape == 3 * 4) return &add3_rrr;
    if (shape == 2 * 4 + 1) return &addsub_rrr;
    if (shape == 1 * 4 + 2) return &subsub_rrr;
    if (shape == 2 * 4) return s.constant ? &add3_rrs : &add_rr;
    if (shape == 1 * 4 + 1) {
        d->scalar = 0 - s.constant;
        return s.constant ? &subsub_rrs : &sub_rr;
    }
    if (shape == 1 * 4) return s.constant ? &add_rs : &mov;
    if (shape == 1) return &rsub_rs;
    if (shape == 0) return &mov_s;
    return NULL;
}

// Two terms with carry in and out: a + b + carry, b inverted for a difference. The carry in is a predicate or
// a constant. d->scalar: value of a constant b. d->src[3]: predicate with the carry in, PT for carry 1, !PT
// for carry 0. Of the handlers of a full warp, two have a constant carry in, and one has no carry out.
enum carry { CARRY_ANY, CARRY_IN_0, CARRY_IN_1, CARRY_LAST, CARRY_FORMS };

static inline enum carry carry_form(const struct inst *i, const struct bound *d)
{
    if (i->flags & INST_X) return d->q == PRED_SINK ? CARRY_LAST : CARRY_ANY;
    return d->src[3] == PRED_TRUE ? CARRY_IN_1 : CARRY_IN_0;
}

#define CARRY_LOOP(SETUP, LOADS, STATEMENT)                                                                  \
    uint8_t *to = regs + d->dst;                                                                             \
    SETUP;                                                                                                   \
    EACH_VECTOR(k)                                                                                           \
    {                                                                                                        \
        LOADS;                                                                                               \
        STATEMENT;                                                                                           \
    }
#define FORM_CARRY(name, SETUP, LOADS)                                                                       \
    HANDLER(name##_in_0)                                                                                     \
    {                                                                                                        \
        vm m[VECTORS];                                                                                       \
        CARRY_LOOP(SETUP, LOADS, vu total = a + b; m[k] = at_least_u(total, a); simd_store(to, k, total))    \
        w->pred[d->q] = (lanes_t)~mask_lanes(m);                                                             \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_in_1)                                                                                     \
    {                                                                                                        \
        vm m[VECTORS];                                                                                       \
        CARRY_LOOP(SETUP, LOADS, vu total = a + b + 1; m[k] = at_least_u(a, total);                          \
                   simd_store(to, k, total))                                                                 \
        w->pred[d->q] = mask_lanes(m);                                                                       \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_last)                                                                                     \
    {                                                                                                        \
        const lanes_t in = pred_lanes(w, d->src[3]);                                                         \
        CARRY_LOOP(SETUP, LOADS, simd_store(to, k, a + b - mask_words(mask_part(in, k))))                    \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        lanes_t in = pred_lanes(w, d->src[3]), out = 0;                                                      \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            vu one = mask_words(mask_part(in, k)); /* -1 where a carry comes in */                           \
            vu partial = a + b, total = partial - one;                                                       \
            out |= mask_place(mask_or(less_u(partial, a), less_u(total, partial)), k);                       \
            simd_store_masked(to, k, mask_part(active, k), total);                                           \
        }                                                                                                    \
        w->pred[d->q] = (w->pred[d->q] & ~active) | (out & (lanes_t)active);                                 \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers name[CARRY_FORMS]                                                           \
        __attribute__((unused)) = {{name##_masked, name##_masked},                                           \
                                   {name##_in_0, name##_masked},                                             \
                                   {name##_in_1, name##_masked},                                             \
                                   {name##_last, name##_masked}};

FORM_CARRY(carry_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k))
FORM_CARRY(carry_rn, REG_A; REG_B, vu a = simd_load(pa, k); vu b = ~simd_load(pb, k))
FORM_CARRY(carry_rs, REG_A; CONSTANT, vu a = simd_load(pa, k); vu b = s)

// Binds IADD3 with carry out (CC) or carry in (X) as a + b or a - b. One of the three terms must be RZ, and
// at most one may be subtracted. NULL: no form.
static const struct handlers *bind_carry_sum(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned terms[3], count = 0;
    for (unsigned k = 0; k < 3; k++)
        if (!is_zero_register(&i->src[k]) || i->src[k].flags) terms[count++] = k;
    for (unsigned k = 0; count < 2 && k < 3; k++) // x + 0
        if (is_zero_register(&i->src[k]) && !i->src[k].flags) {
            bool used = count && terms[0] == k;
            if (!used) terms[count++] = k;
        }
    if (count != 2) return NULL;
    unsigned a = terms[0], b = terms[1];
    if (!is_register(&i->src[a]) || i->src[a].flags) {
        a = terms[1];
        b = terms[0];
    }
    if (!is_register(&i->src[a]) || i->src[a].flags) return NULL;
    bool minus = (i->src[b].flags & OPERAND_NEG) != 0;
    if (!(i->flags & INST_X)) d->src[3] = PRED_TRUE | (minus ? 0 : 1u << 31);
    uint32_t ra = d->src[a], rb = d->src[b];
    d->src[0] = ra;
    d->src[1] = rb;
    if (is_register(&i->src[b])) return (minus ? carry_rn : carry_rr) + carry_form(i, d);
    if (!is_constant(&i->src[b])) return NULL;
    d->scalar = minus ? ~constant_of(e, d, b) : constant_of(e, d, b);
    return carry_rs + carry_form(i, d);
}

static const struct handlers *bind_iadd3(const struct exec *e, const struct inst *i, struct bound *d)
{
    return i->flags & (INST_CC | INST_X) ? bind_carry_sum(e, i, d) : bind_plain_sum(e, i, d);
}

// -- products -----------------------------------------------------------------------------------------------
FORM_2(mul, a *b)
FORM_3(mad, a *b + c)
FORM_3(msub, c - a * b)
FORM(shift_add, REG_A; REG_C; const unsigned n = d->scalar, vu a = simd_load(pa, k);
     vu c = simd_load(pc, k), (a << n) + c)
FORM(shift_left, REG_A; const unsigned n = d->scalar, vu a = simd_load(pa, k), a << n)

// 64-bit products of the lanes of two vectors: low and high words.
static inline void multiply_wide(vu a, vu b, bool is_signed, vu *low, vu *high)
{
#if FAST_BITS == 512
    __m512i x = (__m512i)a, y = (__m512i)b, x1 = _mm512_srli_epi64(x, 32), y1 = _mm512_srli_epi64(y, 32);
    __m512i even = is_signed ? _mm512_mul_epi32(x, y) : _mm512_mul_epu32(x, y);
    __m512i odd = is_signed ? _mm512_mul_epi32(x1, y1) : _mm512_mul_epu32(x1, y1);
    *low = (vu)_mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
    *high = (vu)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
#elif FAST_BITS == 256
    __m256i x = (__m256i)a, y = (__m256i)b, x1 = _mm256_srli_epi64(x, 32), y1 = _mm256_srli_epi64(y, 32);
    __m256i even = is_signed ? _mm256_mul_epi32(x, y) : _mm256_mul_epu32(x, y);
    __m256i odd = is_signed ? _mm256_mul_epi32(x1, y1) : _mm256_mul_epu32(x1, y1);
    *low = (vu)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    *high = (vu)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#else
    for (unsigned n = 0; n < VECTOR_LANES; n++) {
        uint64_t p = is_signed ? (uint64_t)((int64_t)(int32_t)a[n] * (int32_t)b[n]) : (uint64_t)a[n] * b[n];
        (*low)[n] = (uint32_t)p;
        (*high)[n] = (uint32_t)(p >> 32);
    }
#endif
}

// Carry out of the 32-bit sum a + b, 1 or 0 per lane.
static inline vu carry_of(vu sum, vu a) { return 0 - mask_words(less_u(sum, a)); }

#define WIDE_SUM(c0, c1)                                                                                     \
    vu p0, p1;                                                                                               \
    multiply_wide(a, b, WIDE_SIGNED, &p0, &p1);                                                              \
    low = p0 + (c0);                                                                                         \
    high = p1 + (c1) + carry_of(low, p0)
#define WIDE_FORMS(name)                                                                                     \
    FORM_WIDE(name##_rrr, REG_A; REG_B; REG_C, vu a = simd_load(pa, k);                                      \
              vu b = simd_load(pb, k), WIDE_SUM(simd_load(pc, k), simd_load(pc + REGISTER_BYTES, k)))        \
    FORM_WIDE(name##_rsr, REG_A; CONSTANT; REG_C, vu a = simd_load(pa, k);                                   \
              vu b = s, WIDE_SUM(simd_load(pc, k), simd_load(pc + REGISTER_BYTES, k)))                       \
    FORM_WIDE(name##_rrw, REG_A; REG_B; const vu w0 = splat((uint32_t)d->wide);                              \
              const vu w1 = splat((uint32_t)(d->wide >> 32)), vu a = simd_load(pa, k);                       \
              vu b = simd_load(pb, k), WIDE_SUM(w0, w1))                                                     \
    FORM_WIDE(name##_rr, REG_A; REG_B, vu a = simd_load(pa, k);                                              \
              vu b = simd_load(pb, k), multiply_wide(a, b, WIDE_SIGNED, &low, &high))                        \
    FORM_WIDE(name##_rs, REG_A; CONSTANT, vu a = simd_load(pa, k);                                           \
              vu b = s, multiply_wide(a, b, WIDE_SIGNED, &low, &high))
#define WIDE_SIGNED true
WIDE_FORMS(wide_s)
#undef WIDE_SIGNED
#define WIDE_SIGNED false
WIDE_FORMS(wide_u)
#undef WIDE_SIGNED

// 64-bit address of an array element: the index a, extended and shifted left by n, plus the register pair c.
#define ELEMENT(high_part)                                                                                   \
    vu p0 = a << n, p1 = (high_part);                                                                        \
    low = p0 + simd_load(pc, k);                                                                             \
    high = p1 + simd_load(pc + REGISTER_BYTES, k) + carry_of(low, p0)
FORM_WIDE(element_s, REG_A; REG_C;
          const unsigned n = d->scalar, vu a = simd_load(pa, k), ELEMENT((vu)((vi)a >> (32 - n))))
FORM_WIDE(element_u, REG_A; REG_C;
          const unsigned n = d->scalar, vu a = simd_load(pa, k), ELEMENT(a >> (32 - n)))

static bool is_shift(uint32_t x, uint32_t *amount)
{
    *amount = x ? bit_lowest(x) : 0;
    return x && !(x & (x - 1));
}

static const struct handlers *bind_imadw(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (i->flags & (INST_CC | INST_X) || i->src[2].flags) return NULL;
    bool is_signed = i->type == TYPE_S32, no_sum = is_zero_register(&i->src[2]);
    unsigned b = 1;
    if (is_constant(&i->src[0])) {
        swap_sources(d, 0, 1);
        b = 0;
    }
    if (!is_register(&i->src[1 - b])) return NULL;
    if (is_constant(&i->src[b])) {
        uint32_t amount;
        if (!is_register(&i->src[2])) return NULL;
        d->scalar = constant_of(e, d, b);
        if (no_sum) return is_signed ? &wide_s_rs : &wide_u_rs;
        if (is_shift(d->scalar, &amount) && amount && amount < 31) {
            d->scalar = amount;
            return is_signed ? &element_s : &element_u;
        }
        return is_signed ? &wide_s_rsr : &wide_u_rsr;
    }
    if (!is_register(&i->src[b])) return NULL;
    if (no_sum) return is_signed ? &wide_s_rr : &wide_u_rr;
    if (is_register(&i->src[2])) return is_signed ? &wide_s_rrr : &wide_u_rrr;
    if (!is_constant(&i->src[2])) return NULL;
    d->wide = e->general[d->index].value[2];
    return is_signed ? &wide_s_rrw : &wide_u_rrw;
}

static inline vu multiply_high(vu a, vu b, bool is_signed)
{
    vu low, high;
    multiply_wide(a, b, is_signed, &low, &high);
    return high;
}
FORM_3(high_s, multiply_high(a, b, true) + c)
FORM_3(high_u, multiply_high(a, b, false) + c)

// -- products of halves -------------------------------------------------------------------------------------
// The halves are the upper ones where d->offset (of a) and d->spare_byte (of b) are 16, the lower ones where 0.
#define HALVES ((a >> d->offset & 0xffff) * (b >> d->spare_byte & 0xffff))
FORM_3(halves, HALVES + c)
FORM_3(halves_psl, (HALVES << 16) + c)
FORM_3(halves_cbcc, ((HALVES + b) << 16) + c)
FORM_3(halves_mrg, ((HALVES + c) & 0xffff) | b << 16)
FORM_3(halves_chi, HALVES + (c >> 16))

static const struct handlers *bind_xmad(const struct exec *e, const struct inst *i, struct bound *d)
{
    static const struct {
        uint8_t mode;
        const struct handlers *rrr, *rsr;
    } forms[] = {{MODE_NONE, &halves_rrr, &halves_rsr},
                 {MODE_XMAD_PSL, &halves_psl_rrr, &halves_psl_rsr},
                 {MODE_XMAD_PSL_CBCC, &halves_cbcc_rrr, &halves_cbcc_rsr},
                 {MODE_XMAD_MRG, &halves_mrg_rrr, &halves_mrg_rsr},
                 {MODE_XMAD_CHI, &halves_chi_rrr, &halves_chi_rsr}};
    bool is_plain = i->type == TYPE_U16 && i->type2 == TYPE_U16 &&
                    !((i->src[0].flags | i->src[1].flags) & ~OPERAND_H1_H1) && !i->src[2].flags;
    bool b = is_register(&i->src[1]);
    if (!is_plain || !is_register(&i->src[0]) || !is_register(&i->src[2])) return NULL;
    if (!b && !is_constant(&i->src[1])) return NULL;
    d->offset = i->src[0].flags & OPERAND_H1_H1 ? 16 : 0;
    d->spare_byte = i->src[1].flags & OPERAND_H1_H1 ? 16 : 0;
    if (!b) d->scalar = constant_of(e, d, 1);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k].mode == i->mode) return b ? forms[k].rrr : forms[k].rsr;
    return NULL;
}

static const struct handlers *bind_imad(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool high = i->flags & INST_HI, no_sum = is_zero_register(&i->src[2]);
    bool minus = !(i->src[0].flags & OPERAND_NEG) != !(i->src[1].flags & OPERAND_NEG);
    if (i->flags & (INST_CC | INST_X) || i->src[2].flags || (minus && high)) return NULL;
    unsigned b = 1, amount;
    if (is_constant(&i->src[0])) {
        swap_sources(d, 0, 1);
        b = 0;
    }
    if (!is_register(&i->src[1 - b])) return NULL;
    bool is_signed = i->type == TYPE_S32;
    if (is_constant(&i->src[b])) {
        if (!is_register(&i->src[2])) return NULL;
        d->scalar = constant_of(e, d, b);
        if (high) return is_signed ? &high_s_rsr : &high_u_rsr;
        if (minus) d->scalar = 0 - d->scalar;
        if (!is_shift(d->scalar, &amount)) return no_sum ? &mul_rs : &mad_rsr;
        d->scalar = amount;
        return no_sum ? &shift_left : &shift_add;
    }
    if (!is_register(&i->src[b])) return NULL;
    if (is_constant(&i->src[2])) {
        d->scalar = constant_of(e, d, 2);
        return high ? (is_signed ? &high_s_rrs : &high_u_rrs) : minus ? &msub_rrs : &mad_rrs;
    }
    if (!is_register(&i->src[2])) return NULL;
    if (high) return is_signed ? &high_s_rrr : &high_u_rrr;
    return minus ? &msub_rrr : no_sum ? &mul_rr : &mad_rrr;
}

// -- LEA ----------------------------------------------------------------------------------------------------
#define AMOUNT const unsigned n = d->spare_byte
FORM(lea_rr, REG_A; REG_B; AMOUNT, vu a = simd_load(pa, k); vu b = simd_load(pb, k), (a << n) + b)
FORM(lea_rs, REG_A; CONSTANT; AMOUNT, vu a = simd_load(pa, k), (a << n) + s)
FORM_CARRY(lea_carry_rr, REG_A; REG_B; AMOUNT, vu a = simd_load(pa, k) << n; vu b = simd_load(pb, k))
FORM_CARRY(lea_carry_rs, REG_A; CONSTANT; AMOUNT, vu a = simd_load(pa, k) << n; vu b = s)
static inline vu high_word(vu high, vu low, unsigned n)
{
    if (!n) return high;
    return (high << n) | (low >> (32 - n));
}

// LEA.HI, the sum of b, the carry in, and a high word: of {c:a} << n (lea_high), or of the sign-extended a <<
// n (lea_sign).
FORM_CARRY(lea_high_rr, REG_A; REG_B; REG_C; AMOUNT, vu a = high_word(simd_load(pc, k), simd_load(pa, k), n);
           vu b = simd_load(pb, k))
FORM_CARRY(lea_high_rs, REG_A; CONSTANT; REG_C;
           AMOUNT, vu a = high_word(simd_load(pc, k), simd_load(pa, k), n); vu b = s)
FORM_CARRY(lea_sign_rr, REG_A; REG_B; AMOUNT, vu a = (vu)((vi)simd_load(pa, k) >> (n ? 32 - n : 31));
           vu b = simd_load(pb, k))
FORM_CARRY(lea_sign_rs, REG_A; CONSTANT; AMOUNT, vu a = (vu)((vi)simd_load(pa, k) >> (n ? 32 - n : 31));
           vu b = s)

static const struct handlers *bind_lea(const struct exec *e, const struct inst *i, struct bound *d)
{
    if (i->src[0].flags || i->src[1].flags || !is_register(&i->src[0])) return NULL;
    bool b = is_register(&i->src[1]);
    if (!b && !is_constant(&i->src[1])) return NULL;
    if (!b) d->scalar = constant_of(e, d, 1);
    d->spare_byte = i->shift;
    if (!(i->flags & INST_X)) d->src[3] = PRED_TRUE | 1u << 31;
    if (i->flags & INST_HI) {
        if (i->flags & INST_SX) return (b ? lea_sign_rr : lea_sign_rs) + carry_form(i, d);
        if (!is_register(&i->src[2])) return NULL;
        return (b ? lea_high_rr : lea_high_rs) + carry_form(i, d);
    }
    if (i->flags & (INST_CC | INST_X)) return (b ? lea_carry_rr : lea_carry_rs) + carry_form(i, d);
    return b ? &lea_rr : &lea_rs;
}

// -- comparison, minimum, maximum ---------------------------------------------------------------------------
FORM_COMPARE(isetp_lt_s, less_s(a, b))
FORM_COMPARE(isetp_le_s, mask_not(less_s(b, a)))
FORM_COMPARE(isetp_gt_s, less_s(b, a))
FORM_COMPARE(isetp_ge_s, mask_not(less_s(a, b)))
FORM_COMPARE(isetp_lt_u, less_u(a, b))
FORM_COMPARE(isetp_le_u, mask_not(less_u(b, a)))
FORM_COMPARE(isetp_gt_u, less_u(b, a))
FORM_COMPARE(isetp_ge_u, mask_not(less_u(a, b)))
FORM_COMPARE(isetp_eq, equal(a, b))
FORM_COMPARE(isetp_ne, mask_not(equal(a, b)))

static const struct handlers *bind_isetp(const struct exec *e, const struct inst *i, struct bound *d)
{
    static const struct handlers *const forms[2][7][2] = {
        {[CMP_LT] = {isetp_lt_u_rr, isetp_lt_u_rs},
         [CMP_EQ] = {isetp_eq_rr, isetp_eq_rs},
         [CMP_LE] = {isetp_le_u_rr, isetp_le_u_rs},
         [CMP_GT] = {isetp_gt_u_rr, isetp_gt_u_rs},
         [CMP_NE] = {isetp_ne_rr, isetp_ne_rs},
         [CMP_GE] = {isetp_ge_u_rr, isetp_ge_u_rs}},
        {[CMP_LT] = {isetp_lt_s_rr, isetp_lt_s_rs},
         [CMP_EQ] = {isetp_eq_rr, isetp_eq_rs},
         [CMP_LE] = {isetp_le_s_rr, isetp_le_s_rs},
         [CMP_GT] = {isetp_gt_s_rr, isetp_gt_s_rs},
         [CMP_NE] = {isetp_ne_rr, isetp_ne_rs},
         [CMP_GE] = {isetp_ge_s_rr, isetp_ge_s_rs}},
    };
    static const uint8_t mirrored[7] = {CMP_F, CMP_GT, CMP_EQ, CMP_GE, CMP_LT, CMP_NE, CMP_LE};
    unsigned cmp = i->cmp, other = 1;
    if (i->flags & INST_EX || i->boolean > BOOL_XOR || cmp > CMP_GE || cmp == CMP_F) return NULL;
    d->boolean = i->boolean;
    if (is_constant(&i->src[0])) {
        swap_sources(d, 0, 1);
        cmp = mirrored[cmp];
        other = 0;
    }
    if (!is_register(&i->src[1 - other])) return NULL;
    if (is_constant(&i->src[other]))
        d->scalar = constant_of(e, d, other);
    else if (!is_register(&i->src[other]))
        return NULL;
    return forms[i->type == TYPE_S32][cmp][!is_register(&i->src[other])] + pred_form(d);
}

FORM_2(min_s, choose(less_s(b, a), b, a))
FORM_2(max_s, choose(less_s(a, b), b, a))
FORM_2(min_u, choose(less_u(b, a), b, a))
FORM_2(max_u, choose(less_u(a, b), b, a))
FORM_1(absolute, choose(less_s(a, splat(0)), 0 - a, a))

static const struct handlers *bind_imnmx(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool max = i->mode == MODE_MAX, is_signed = i->type == TYPE_S32;
    unsigned other = 1;
    if (is_constant(&i->src[0])) {
        swap_sources(d, 0, 1);
        other = 0;
    }
    if (!is_register(&i->src[1 - other])) return NULL;
    if (is_register(&i->src[other]))
        return is_signed ? (max ? &max_s_rr : &min_s_rr) : (max ? &max_u_rr : &min_u_rr);
    if (!is_constant(&i->src[other])) return NULL;
    d->scalar = constant_of(e, d, other);
    return is_signed ? (max ? &max_s_rs : &min_s_rs) : (max ? &max_u_rs : &min_u_rs);
}

extern fast_family FAST(fast_integer);
const struct handlers *FAST(fast_integer)(const struct exec *e, const struct inst *i, struct bound *d)
{
    switch ((int)i->op) {
    case OP_MOV: return bind_mov(e, i, d);
    case OP_S2R: {
        const struct handlers *h = bind_ctaid(i, d);
        return h ? h : bind_s2r(e, i, d);
    }
    case OP_SEL: return bind_sel(e, i, d);
    case OP_IADD3: return bind_iadd3(e, i, d);
    case OP_IMAD: return bind_imad(e, i, d);
    case OP_IMADW: return bind_imadw(e, i, d);
    case OP_XMAD: return bind_xmad(e, i, d);
    case OP_LEA: return bind_lea(e, i, d);
    case OP_ISETP: return bind_isetp(e, i, d);
    case OP_IMNMX: return bind_imnmx(e, i, d);
    case OP_IABS: return is_register(&i->src[0]) ? &absolute : NULL;
    }
    return NULL;
}
