// Hashes and patterns of register vectors, and the operands of instructions as seen by studies. The inner
// loop exists twice on x86-64, for AVX2 and for the baseline; the results are equal.
#include "study/values.h"
#include "base/bits.h"
#include "isa/program.h"
#include "isa/shape.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { HALF = 32 }; // lanes hashed together

static const uint32_t keys[2 * HALF] __attribute__((aligned(64))) = {
    0x910a2dec, 0xbeeb8da1, 0xf893a2ee, 0x71c18690, 0x71bb54d8, 0xc34d0bff, 0xe099ec6c, 0x85e7bb0f,
    0x491718de, 0xcb435c8e, 0x6775dc77, 0x9afcd44d, 0x7476cf8a, 0x87b341d6, 0x6f9b6dae, 0x2ac2ce17,
    0xa534a6a6, 0xd0bad0da, 0xae843796, 0xe2631837, 0x10e2c468, 0x14d7973c, 0x7ef1fd0e, 0x1f841063,
    0x497305c5, 0x0c43407d, 0x83f91ca7, 0xb6b9aeef, 0x0b331645, 0xff6c67e8, 0x990cd70b, 0x962b1967,
    0x65ace268, 0x70616f2f, 0x40d6824e, 0x879e2e22, 0x8b2e0244, 0xbf8c59bb, 0xd16aa4b2, 0xab27a171,
    0xdca0c749, 0xb54b3c40, 0x3c821fbf, 0xa7ff0d38, 0xde70d101, 0xd6de6acd, 0x530e0e61, 0x28bff9ea,
    0xe4d93032, 0xe9a61004, 0x4d4673ef, 0x21af8cfd, 0x536000f4, 0xf0af3ce4, 0x64c70b0b, 0x16758727,
    0x9b679c85, 0x27cd5f9e, 0xf55540b2, 0xe0285292, 0x86c5d1b0, 0x1180b23a, 0xc09a1a81, 0x88b894e1,
};

const uint64_t value_weights[24] = {
    0x975835de1c9756cfull, 0xbfc846100bfc1e43ull, 0x987bbcbfdd7e532full, 0xc3f2827affe7f665ull,
    0x4fc446b53f17fb29ull, 0x58bc3cb37bc7b2b3ull, 0xb9f24f7bae4a6587ull, 0xbd34d3aef603e583ull,
    0x401478bc5887ccffull, 0xba450a33ef6ff86dull, 0x56e84498e8b0e635ull, 0x701560ad31bb9977ull,
    0x8e4858b561b10361ull, 0x5fb1940eb8cbf1afull, 0xee979f2730a45df3ull, 0x34116e681eda3219ull,
    0x333c04e09d9ae713ull, 0x5d3e47ecad6ef3d5ull, 0x60b92d2a699b5d53ull, 0x35ceedaace1296d5ull,
    0x0c56cd8a4cfc66c1ull, 0x8704799a02f1631dull, 0x6189abe28d8e28b1ull, 0x54a802d271b82a97ull,
};

struct half {
    uint64_t a, b; // the two sums
    bool affine;   // all 32 words are base + index * stride
};

#if !defined(__x86_64__)
static void sum_half(const uint32_t *x, uint32_t base, uint32_t stride, struct half *h)
{
    uint64_t a = 0, b = 0;
    uint32_t wrong = 0;
    for (unsigned n = 0; n < HALF; n += 2) {
        a += (uint64_t)(x[n] + keys[n]) * (x[n + 1] + keys[n + 1]);
        b += (uint64_t)(x[n] + keys[HALF + n]) * (x[n + 1] + keys[HALF + n + 1]);
    }
    for (unsigned n = 0; n < HALF; n++) wrong |= x[n] ^ (base + n * stride);
    *h = (struct half){a, b, wrong == 0};
}
#else
static uint64_t add_pair(__m128i x)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x)));
}

static inline void sum_half_sse2(const uint32_t *x, uint32_t base, uint32_t stride, struct half *h)
{
    __m128i a = _mm_setzero_si128(), b = a, wrong = a;
    __m128i line =
        _mm_setr_epi32((int)base, (int)(base + stride), (int)(base + 2 * stride), (int)(base + 3 * stride));
    __m128i step = _mm_set1_epi32((int)(4 * stride));
    for (unsigned n = 0; n < HALF; n += 4) {
        __m128i v = _mm_load_si128((const __m128i *)(const void *)(x + n));
        __m128i s = _mm_add_epi32(v, _mm_load_si128((const __m128i *)(const void *)(keys + n)));
        __m128i t = _mm_add_epi32(v, _mm_load_si128((const __m128i *)(const void *)(keys + HALF + n)));
        a = _mm_add_epi64(a, _mm_mul_epu32(s, _mm_srli_epi64(s, 32)));
        b = _mm_add_epi64(b, _mm_mul_epu32(t, _mm_srli_epi64(t, 32)));
        wrong = _mm_or_si128(wrong, _mm_xor_si128(v, line));
        line = _mm_add_epi32(line, step);
    }
    bool affine = _mm_movemask_epi8(_mm_cmpeq_epi32(wrong, _mm_setzero_si128())) == 0xffff;
    *h = (struct half){add_pair(a), add_pair(b), affine};
}

__attribute__((target("avx2"))) static inline void sum_half_avx2(const uint32_t *x, uint32_t base,
                                                                 uint32_t stride, struct half *h)
{
    __m256i a = _mm256_setzero_si256(), b = a, wrong = a;
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i line = _mm256_add_epi32(_mm256_set1_epi32((int)base),
                                    _mm256_mullo_epi32(index, _mm256_set1_epi32((int)stride)));
    __m256i step = _mm256_set1_epi32((int)(8 * stride));
    for (unsigned n = 0; n < HALF; n += 8) {
        __m256i v = _mm256_load_si256((const __m256i *)(const void *)(x + n));
        __m256i s = _mm256_add_epi32(v, _mm256_load_si256((const __m256i *)(const void *)(keys + n)));
        __m256i t = _mm256_add_epi32(v, _mm256_load_si256((const __m256i *)(const void *)(keys + HALF + n)));
        a = _mm256_add_epi64(a, _mm256_mul_epu32(s, _mm256_srli_epi64(s, 32)));
        b = _mm256_add_epi64(b, _mm256_mul_epu32(t, _mm256_srli_epi64(t, 32)));
        wrong = _mm256_or_si256(wrong, _mm256_xor_si256(v, line));
        line = _mm256_add_epi32(line, step);
    }
    __m128i a2 = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    __m128i b2 = _mm_add_epi64(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
    *h = (struct half){(uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(a2, _mm_unpackhi_epi64(a2, a2))),
                       (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(b2, _mm_unpackhi_epi64(b2, b2))),
                       _mm256_testz_si256(wrong, wrong) != 0};
}

static void sum_half(const uint32_t *x, uint32_t base, uint32_t stride, struct half *h)
{
    if (__builtin_expect(__builtin_cpu_supports("avx2") != 0, 1))
        sum_half_avx2(x, base, stride, h);
    else
        sum_half_sse2(x, base, stride, h);
}
#endif

// The builds for AVX2 and for the baseline differ only in the sum; the surrounding code is inlined into each
// build.
typedef void half_sum(const uint32_t *x, uint32_t base, uint32_t stride, struct half *h);
#define INLINED static inline __attribute__((always_inline))

INLINED void judge(const uint32_t *vector, unsigned vector_lanes, unsigned lanes, half_sum *sum,
                   struct value *v)
{
    uint32_t base = vector[0], stride = lanes > 1 ? vector[1] - base : 0;
    struct half h;
    sum(vector, base, stride, &h);
    bool affine = h.affine;
    uint64_t hash = value_fold(h.a, h.b);
    if (vector_lanes > HALF) {
        sum(vector + HALF, base + HALF * stride, stride, &h);
        affine = affine && h.affine;
        hash = value_fold(value_fold(hash, h.a), h.b);
    }
    if (lanes < vector_lanes) {
        affine = true;
        for (unsigned l = 0; l < lanes && affine; l++) affine = vector[l] == base + l * stride;
    }
    v->hash = hash;
    v->base = base;
    v->stride = stride;
    v->pattern = !affine ? PATTERN_OTHER : stride ? PATTERN_AFFINE : PATTERN_UNIFORM;
}

void value_of(const uint32_t *vector, unsigned vector_lanes, unsigned lanes, struct value *v)
{
    judge(vector, vector_lanes, lanes, sum_half, v);
}

// -- instructions -------------------------------------------------------------------------------------------

static void add_registers(struct value_op *op, const struct operand *o)
{
    for (unsigned n = 0; n < o->width && o->reg != REG_ZERO; n++)
        op->reads[op->read_count++] = (uint8_t)(o->reg + n);
}

static void add_predicate(struct value_op *op, unsigned p)
{
    if (p != PRED_TRUE) op->preds[op->pred_count++] = (uint8_t)p;
}

void value_op_of(const struct inst *i, struct value_op *op)
{
    *op = (struct value_op){0};
    bool guarded = i->guard != PRED_TRUE;
    add_predicate(op, i->guard);
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind == OPERAND_REG || o->kind == OPERAND_MEM || o->kind == OPERAND_SHARED)
            add_registers(op, o);
        if (o->kind == OPERAND_PRED) add_predicate(op, o->reg);
        op->special |= o->kind == OPERAND_SREG;
    }
    for (unsigned k = 0; k < 2; k++) {
        const struct operand *o = &i->dst[k];
        if (o->kind == OPERAND_PRED && o->reg != PRED_TRUE) op->pred_writes[op->pred_write_count++] = o->reg;
        if (o->kind != OPERAND_REG || o->reg == REG_ZERO) continue;
        op->write = o->reg;
        op->write_count = o->width;
        if (guarded) add_registers(op, o);
    }
    op->awaits_barrier = i->op == OP_BAR && op->write_count + op->pred_write_count;
    bool effect =
        isa_has(i, ISA_STORE | ISA_ATOMIC | ISA_FENCE | ISA_BARRIER | ISA_SIDE_EFFECT) || i->op == OP_NOP;
    op->role = isa_has(i, ISA_BRANCH) ? ROLE_CONTROL : effect ? ROLE_EFFECT : ROLE_RESULT;
}

struct value_op *values_ops(struct arena *a, const struct program *p)
{
    struct value_op *ops = ARENA_ARRAY(a, struct value_op, p->inst_count + 1);
    for (uint32_t n = 0; n < p->inst_count; n++) value_op_of(&p->insts[n], &ops[n]);
    return ops;
}

// -- registers of a block -----------------------------------------------------------------------------------

void values_stop(struct values *v)
{
    free(v->value);
    free(v->pred);
    free(v->awaits);
    free(v->threads);
}

void values_by_row(struct values *v, uint32_t x, uint32_t warp_size)
{
    if (x < warp_size && warp_size % x == 0) v->row = x;
}

static bool is_affine_by_row(const uint32_t *vector, uint32_t lanes, uint32_t row, uint32_t stride)
{
    for (uint32_t l = 0; l < lanes; l++)
        if (vector[l] != vector[0] + l % row * stride) return false;
    return true;
}

INLINED void refresh(struct values *v, uint32_t warp, unsigned r, const uint32_t *vector, half_sum *sum)
{
    struct value *x = &v->value[warp * v->registers + r];
    judge(vector, v->lanes, v->threads[warp], sum, x);
    if (v->row > 1 && x->pattern == PATTERN_OTHER &&
        is_affine_by_row(vector, v->threads[warp], v->row, x->stride))
        x->pattern = PATTERN_AFFINE;
}

INLINED void written(struct values *v, const struct observed *o, half_sum *sum)
{
    const struct value_op *op = &v->ops[o->index];
    for (unsigned n = 0; n < op->write_count; n++)
        refresh(v, o->warp, op->write + n, observed_register(o, op->write + n), sum);
    for (unsigned n = 0; n < op->pred_write_count; n++)
        v->pred[o->warp][op->pred_writes[n]] = o->pred[op->pred_writes[n]] & o->full;
    if (op->awaits_barrier) v->awaits[o->warp] = o->index + 1;
}

#if defined(__x86_64__)
static void written_sse2(struct values *v, const struct observed *o) { written(v, o, sum_half_sse2); }
__attribute__((target("avx2"))) static void written_avx2(struct values *v, const struct observed *o)
{
    written(v, o, sum_half_avx2);
}
static values_take *best_written(void)
{
    return __builtin_cpu_supports("avx2") ? written_avx2 : written_sse2;
}
#else
static void written_plain(struct values *v, const struct observed *o) { written(v, o, sum_half); }
static values_take *best_written(void) { return written_plain; }
#endif

void values_start(struct values *v, const struct value_op *ops, const struct program *p,
                  const struct observed_block *b, uint32_t threads)
{
    static const uint32_t zeros[2 * HALF] __attribute__((aligned(64))) = {0};
    struct value zero;
    v->ops = ops;
    v->written = best_written();
    v->registers = p->reg_count;
    v->lanes = b->warp_size > HALF ? 2 * HALF : HALF;
    value_of(zeros, v->lanes, v->lanes, &zero);
    v->value = heap_alloc(sizeof *v->value * b->warps * v->registers);
    for (size_t n = 0; n < (size_t)b->warps * v->registers; n++) v->value[n] = zero;
    v->pred = heap_alloc(sizeof *v->pred * b->warps);
    v->awaits = heap_alloc(sizeof *v->awaits * b->warps);
    v->threads = heap_alloc(sizeof *v->threads * b->warps);
    for (uint32_t w = 0; w < b->warps; w++) {
        uint32_t left = threads - w * b->warp_size;
        v->threads[w] = left < b->warp_size ? left : b->warp_size;
    }
}

void values_barrier(struct values *v, const struct observed_block *b)
{
    for (uint32_t w = 0; w < b->warps; w++) {
        if (!v->awaits[w]) continue;
        const struct value_op *op = &v->ops[v->awaits[w] - 1];
        v->awaits[w] = 0;
        for (unsigned n = 0; n < op->write_count; n++)
            refresh(v, w, op->write + n, observed_block_register(b, w, op->write + n), sum_half);
        for (unsigned n = 0; n < op->pred_write_count; n++)
            v->pred[w][op->pred_writes[n]] =
                observed_block_predicates(b, w)[op->pred_writes[n]] & bit_mask(b->warp_size);
    }
}
