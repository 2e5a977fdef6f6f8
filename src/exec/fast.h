// Fast forms: macros for their handlers. A form is an instruction with operand kinds and modifiers fixed when
// the program is bound; each form has one handler for a full warp and one for a partial lane mask.
//
//     FORM_2(add, a + b)    defines add_rr (both operands in registers) and add_rs (second operand constant)
//
// A handler ends by calling the next handler in tail position (tail.h).
#pragma once
#include "exec/fast_families.h"
#include "exec/general.h"
#include "exec/simd.h"
#include "exec/tail.h"
#include "isa/fields.h"

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2(a, b)
#define FAST(name)   PASTE(name, FAST_NAME) // external name of the current build

#define HANDLER(name)                                                                                        \
    static const struct bound *name(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
// A handler of its own for a rare or long path, not inlined: the path costs the calling handler no stack
// frame.
#define HANDLER_OUTLINED(name) __attribute__((noinline)) HANDLER(name)

// Form with one result word per lane. SETUP runs once. For each vector k, LOADS and then EXPRESSION run; the
// value of EXPRESSION is cast to vu.
#define FORM(name, SETUP, LOADS, EXPRESSION)                                                                 \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            simd_store(to, k, (vu)(EXPRESSION));                                                             \
        }                                                                                                    \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            simd_store_masked(to, k, mask_part(active, k), (vu)(EXPRESSION));                                \
        }                                                                                                    \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers name __attribute__((unused)) = {name##_full, name##_masked};

#define REG_A    const uint8_t *pa = regs + d->src[0]
#define REG_B    const uint8_t *pb = regs + d->src[1]
#define REG_C    const uint8_t *pc = regs + d->src[2]
#define CONSTANT const vu s = splat(d->scalar)

#define FORM_1(name, EXPRESSION) FORM(name, REG_A, vu a = simd_load(pa, k), EXPRESSION)
// Sources as vectors; not every form uses all sources.
#define LOAD_2(B)                                                                                            \
    vu a = simd_load(pa, k), b = B;                                                                          \
    (void)a, (void)b
#define LOAD_3(B, C)                                                                                         \
    vu a = simd_load(pa, k), b = B, c = C;                                                                   \
    (void)a, (void)b, (void)c
#define FORM_2(name, EXPRESSION)                                                                             \
    FORM(name##_rr, REG_A; REG_B, LOAD_2(simd_load(pb, k)), EXPRESSION)                                      \
    FORM(name##_rs, REG_A; CONSTANT, LOAD_2(s), EXPRESSION)
#define FORM_3(name, EXPRESSION)                                                                             \
    FORM(name##_rrr, REG_A; REG_B; REG_C, LOAD_3(simd_load(pb, k), simd_load(pc, k)), EXPRESSION)            \
    FORM(name##_rsr, REG_A; CONSTANT; REG_C, LOAD_3(s, simd_load(pc, k)), EXPRESSION)                        \
    FORM(name##_rrs, REG_A; REG_B; CONSTANT, LOAD_3(simd_load(pb, k), s), EXPRESSION)

// Form with two result words per lane, `low` and `high`, computed by STATEMENT for each vector k.
#define FORM_WIDE(name, SETUP, LOADS, STATEMENT)                                                             \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            vu low, high;                                                                                    \
            STATEMENT;                                                                                       \
            simd_store(to, k, low);                                                                          \
            simd_store(to + REGISTER_BYTES, k, high);                                                        \
        }                                                                                                    \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            vu low, high;                                                                                    \
            STATEMENT;                                                                                       \
            vm m = mask_part(active, k);                                                                     \
            simd_store_masked(to, k, m, low);                                                                \
            simd_store_masked(to + REGISTER_BYTES, k, m, high);                                              \
        }                                                                                                    \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers name __attribute__((unused)) = {name##_full, name##_masked};

static inline lanes_t pred_lanes(const struct warp *w, uint32_t source)
{
    return (lanes_t)w->pred[source & 15] ^ (lanes_t)((int32_t)source >> 31);
}

static inline lanes_t combined(const struct bound *d, lanes_t r, lanes_t c)
{
    if (__builtin_expect(d->boolean == BOOL_AND, 1)) return r & c;
    return d->boolean == BOOL_OR ? r | c : r ^ c;
}

// Form with predicates p = r bool c and q = !r bool c. r: lanes where COMPARISON holds; c: a predicate
// source; bool: AND, OR or XOR. The second handlers are for "r AND true", by far the most frequent.
#define FORM_PRED(name, SETUP, LOADS, COMPARISON)                                                            \
    static inline lanes_t name##_of(const struct bound *d, const struct warp *w, const uint8_t *regs)        \
    {                                                                                                        \
        vm m[VECTORS];                                                                                       \
        SETUP;                                                                                               \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            LOADS;                                                                                           \
            m[k] = (COMPARISON);                                                                             \
        }                                                                                                    \
        return mask_lanes(m);                                                                                \
    }                                                                                                        \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        lanes_t r = name##_of(d, w, regs), c = pred_lanes(w, d->src[2]);                                     \
        w->pred[d->dst] = combined(d, r, c);                                                                 \
        w->pred[d->q] = combined(d, (lanes_t)~r, c);                                                         \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_alone)                                                                                    \
    {                                                                                                        \
        lanes_t r = name##_of(d, w, regs);                                                                   \
        w->pred[d->dst] = r;                                                                                 \
        w->pred[d->q] = (lanes_t)~r;                                                                         \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        lanes_t r = name##_of(d, w, regs), c = pred_lanes(w, d->src[2]);                                     \
        w->pred[d->dst] = (w->pred[d->dst] & ~active) | (combined(d, r, c) & active);                        \
        w->pred[d->q] = (w->pred[d->q] & ~active) | (combined(d, (lanes_t)~r, c) & active);                  \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers name[2]                                                                     \
        __attribute__((unused)) = {{name##_full, name##_masked}, {name##_alone, name##_masked}};
#define FORM_COMPARE(name, COMPARISON)                                                                       \
    FORM_PRED(name##_rr, REG_A; REG_B, vu a = simd_load(pa, k); vu b = simd_load(pb, k), COMPARISON)         \
    FORM_PRED(name##_rs, REG_A; CONSTANT, vu a = simd_load(pa, k); vu b = s, COMPARISON)

// Which handlers of FORM_PRED: the index in the form.
static inline unsigned pred_form(const struct bound *d)
{
    return d->boolean == BOOL_AND && d->src[2] == PRED_TRUE && d->dst != d->q;
}

// Counts the straight run that ends with d, for a warp with `lanes` running lanes.
static inline void count_run(struct warp *w, const struct bound *d, unsigned lanes)
{
    uint64_t instructions = (uint64_t)(d - w->run_start) + 1;
    w->issued += instructions;
    w->counts.thread_instructions += instructions * lanes;
}

// Kinds of a form's sources, in order: register (R) or constant (S), at most one constant.
enum operands {
    OPERANDS_OTHER,
    OPERANDS_RR,
    OPERANDS_RS,
    OPERANDS_SR,
    OPERANDS_RRR,
    OPERANDS_RSR,
    OPERANDS_RRS,
    OPERANDS_SRR
};

static inline bool is_register(const struct operand *o) { return o->kind == OPERAND_REG; }
static inline bool is_constant(const struct operand *o)
{
    return o->kind == OPERAND_IMM || o->kind == OPERAND_CONST;
}
static inline bool is_zero_register(const struct operand *o)
{
    return o->kind == OPERAND_REG && o->reg == REG_ZERO;
}

// Value of constant source k, without operand modifiers, which the caller applies.
static inline uint32_t constant_of(const struct exec *e, const struct bound *d, unsigned k)
{
    return (uint32_t)e->general[d->index].value[k];
}

static inline void swap_sources(struct bound *d, unsigned a, unsigned b)
{
    uint32_t t = d->src[a];
    d->src[a] = d->src[b];
    d->src[b] = t;
}
