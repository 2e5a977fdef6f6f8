// Fast forms: SHFL in warps of 32 lanes, with a constant member mask or none. A warp in which a member is missing or
// a lane is no member goes to the general handler, and so do warps of 64 lanes.
#include "exec/fast/places.h"
#include "isa/modes.h"

#if FAST_LANES == 32
// Lanes of a shuffle: source, and whether in range.
struct route {
    vu from;
    vm good;
};

static inline struct route route_of(enum isa_mode mode, unsigned k, vu b, vu c)
{
    const vu lane = lane_steps(k, 1), segment = c >> 8 & 31;
    const vu least = lane & segment, most = least | (c & 31 & ~segment);
    vu from;
    b &= 31;
    if (mode == MODE_SHFL_UP)
        from = lane - b;
    else if (mode == MODE_SHFL_DOWN)
        from = lane + b;
    else if (mode == MODE_SHFL_BFLY)
        from = lane ^ b;
    else
        from = least | (b & ~segment);
    vm good = mask_not(mode == MODE_SHFL_UP ? less_s(from, most) : less_s(most, from));
    return (struct route){choose(good, from, lane), good};
}

static inline vu operand(const struct bound *d, const uint8_t *regs, unsigned k, bool is_register,
                         uint32_t constant, unsigned n)
{
    return is_register ? simd_load(regs + d->src[n], k) : splat(constant);
}

// b and c in registers or constant: b in the lower, c in the upper half of d->wide.
static inline __attribute__((always_inline)) void shuffle(const struct bound *d, struct warp *w,
                                                          uint8_t *regs, uint64_t active, bool full,
                                                          enum isa_mode mode, bool b_register,
                                                          bool c_register)
{
    vu out[VECTORS];
    vm good[VECTORS];
    EACH_VECTOR(k)
    {
        vu b = operand(d, regs, k, b_register, (uint32_t)d->wide, 1);
        vu c = operand(d, regs, k, c_register, (uint32_t)(d->wide >> 32), 2);
        struct route r = route_of(mode, k, b, c);
        out[k] = gather_words(regs + d->src[0], r.from << 2);
        good[k] = r.good;
    }
    EACH_VECTOR(k)
    {
        if (full)
            simd_store(regs + d->dst, k, out[k]);
        else
            simd_store_masked(regs + d->dst, k, mask_part(active, k), out[k]);
    }
    w->pred[d->q] = (w->pred[d->q] & ~active) | (mask_lanes(good) & active);
}

// Members of every lane's mask: d->scalar; d->spare_byte: no mask.
#define SHUFFLE(name, MODE, B, C)                                                                            \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        uint64_t members = d->spare_byte ? active : d->scalar;                                               \
        if ((members & w->present & ~w->exited & ~active) || (active & ~members))                            \
            TAIL(exec_shfl(d, w, regs, active));                                                             \
        shuffle(d, w, regs, active, false, MODE, B, C);                                                      \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        if (!d->spare_byte && d->scalar != UINT32_MAX) TAIL(exec_shfl(d, w, regs, active));                  \
        shuffle(d, w, regs, active, true, MODE, B, C);                                                       \
        NEXT(d + 1, active);                                                                                 \
    }
#define SHUFFLES(name, MODE)                                                                                 \
    SHUFFLE(name##_ss, MODE, false, false)                                                                   \
    SHUFFLE(name##_rs, MODE, true, false)                                                                    \
    SHUFFLE(name##_rr, MODE, true, true)                                                                     \
    static const struct handlers name[] = {{name##_ss_full, name##_ss_masked},                               \
                                           {name##_rs_full, name##_rs_masked},                               \
                                           {name##_rr_full, name##_rr_masked}};
SHUFFLES(up, MODE_SHFL_UP)
SHUFFLES(down, MODE_SHFL_DOWN)
SHUFFLES(bfly, MODE_SHFL_BFLY)
SHUFFLES(idx, MODE_SHFL_IDX)

static const struct handlers *bind_shfl(const struct exec *e, const struct inst *i, struct bound *d)
{
    bool b = is_register(&i->src[1]), c = is_register(&i->src[2]);
    if (!is_register(&i->src[0]) || is_register(&i->src[3]) || (c && !b)) return NULL;
    d->spare_byte = i->src[3].kind == OPERAND_NONE;
    d->scalar = d->spare_byte ? 0 : constant_of(e, d, 3);
    d->wide = (b ? 0 : constant_of(e, d, 1)) | (c ? 0 : (uint64_t)constant_of(e, d, 2) << 32);
    switch ((int)i->mode) {
    case MODE_SHFL_UP: return &up[b + c];
    case MODE_SHFL_DOWN: return &down[b + c];
    case MODE_SHFL_BFLY: return &bfly[b + c];
    case MODE_SHFL_IDX: return &idx[b + c];
    }
    return NULL;
}
#endif

extern fast_family FAST(fast_cross);
const struct handlers *FAST(fast_cross)(const struct exec *e, const struct inst *i, struct bound *d)
{
#if FAST_LANES == 32
    if (i->op == OP_SHFL) return bind_shfl(e, i, d);
#endif
    (void)e, (void)i, (void)d;
    return NULL;
}
