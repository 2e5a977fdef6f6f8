// Fast forms: RISC-V's branches, less-than comparisons, and shifts modulo 32.
#include "exec/fast.h"

// -- branches -----------------------------------------------------------------------------------------------
// The end of a branch's handler: `taken` lanes out of the lanes `all`, `count` lanes in number.
#define TAKE(taken, all, count)                                                                              \
    if ((taken) == 0) {                                                                                      \
        w->counts.branches++;                                                                                \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    if ((taken) != (all)) return exec_branch(d, w, (taken), active);                                         \
    count_run(w, d, (count));                                                                                \
    w->counts.branches++;                                                                                    \
    const struct bound *to = d->target;                                                                      \
    if (w->issued >= w->slice_end) return warp_stop(w, to->index);                                           \
    w->run_start = to;                                                                                       \
    NEXT(to, active)

#define FORM_BRANCH(name, COMPARISON)                                                                        \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        REG_A;                                                                                               \
        REG_B;                                                                                               \
        lanes_t taken = 0;                                                                                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            vu a = simd_load(pa, k), b = simd_load(pb, k);                                                   \
            taken |= mask_place((COMPARISON), k);                                                            \
        }                                                                                                    \
        TAKE(taken, ALL_LANES, FAST_LANES);                                                                  \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        REG_A;                                                                                               \
        REG_B;                                                                                               \
        lanes_t taken = 0;                                                                                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            vu a = simd_load(pa, k), b = simd_load(pb, k);                                                   \
            taken |= mask_place((COMPARISON), k);                                                            \
        }                                                                                                    \
        taken &= (lanes_t)active;                                                                            \
        TAKE(taken, (lanes_t)active, bit_count(active));                                                     \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

FORM_BRANCH(rbr_eq, equal(a, b))
FORM_BRANCH(rbr_ne, mask_not(equal(a, b)))
FORM_BRANCH(rbr_lt_s, less_s(a, b))
FORM_BRANCH(rbr_ge_s, mask_not(less_s(a, b)))
FORM_BRANCH(rbr_lt_u, less_u(a, b))
FORM_BRANCH(rbr_ge_u, mask_not(less_u(a, b)))

static const struct handlers *bind_rbr(const struct exec *e, const struct inst *i)
{
    bool is_signed = i->type == TYPE_S32;
    if (e->launch->simt != SIMT_NEST) return NULL;
    switch ((int)i->cmp) {
    case CMP_EQ: return &rbr_eq;
    case CMP_NE: return &rbr_ne;
    case CMP_LT: return is_signed ? &rbr_lt_s : &rbr_lt_u;
    case CMP_GE: return is_signed ? &rbr_ge_s : &rbr_ge_u;
    }
    return NULL;
}

// -- arithmetic ---------------------------------------------------------------------------------------------
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

extern fast_family FAST(fast_riscv);
const struct handlers *FAST(fast_riscv)(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool is_signed = i->type == TYPE_S32, s;
    switch ((int)i->op) {
    case OP_RBR: return bind_rbr(e, i);
    case OP_RSET:
        if (i->cmp != CMP_LT || !bind_sources(e, i, d, &s)) return NULL;
        return is_signed ? CHOOSE(rset_lt_s) : CHOOSE(rset_lt_u);
    case OP_RSHIFT:
        if (!bind_sources(e, i, d, &s)) return NULL;
        if (i->mode == MODE_SHF_L) return CHOOSE(rshift_left);
        return is_signed ? CHOOSE(rshift_right_s) : CHOOSE(rshift_right_u);
    }
    return NULL;
}
