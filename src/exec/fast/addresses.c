// Loops over the addresses of all lanes, and guards (struct lane_loops).
#include "exec/fast/places.h"

static enum access_pattern addresses(const uint8_t *low, const uint8_t *high, uint64_t offset, unsigned bytes,
                                     uint64_t *restrict to)
{
    const uint32_t *restrict lower = (const uint32_t *)(const void *)low;
    const uint32_t *restrict upper = (const uint32_t *)(const void *)high;
    if (high)
        for (unsigned l = 0; l < FAST_LANES; l++) to[l] = ((uint64_t)upper[l] << 32 | lower[l]) + offset;
    else
        for (unsigned l = 0; l < FAST_LANES; l++) to[l] = (uint32_t)(lower[l] + (uint32_t)offset);
    const vu first = splat(first_word(low)), first_upper = splat(high ? first_word(high) : 0);
    vu row = splat(0), same = splat(0), differ = splat(0);
    EACH_VECTOR(k)
    {
        vu x = simd_load(low, k);
        row |= x ^ (first + lane_steps(k, 1) * bytes);
        same |= x ^ first;
        if (high) differ |= simd_load(high, k) ^ first_upper;
    }
    if (!is_zero(differ)) return PATTERN_APART;
    if (is_zero(same)) return bytes ? PATTERN_SAME : PATTERN_ROW;
    bool is_row = is_zero(row) && stays_below(high ? first_word(low) : (uint32_t)to[0], bytes);
    return is_row ? PATTERN_ROW : PATTERN_APART;
}

static bool have_distances(const uint64_t *restrict address, const uint32_t *restrict distance)
{
    uint32_t differ = 0, first = (uint32_t)address[0];
    for (unsigned l = 0; l < FAST_LANES; l++) differ |= ((uint32_t)address[l] - first) ^ distance[l];
    return !differ;
}

// As exec_guard_masked and exec_guard_full (control.c), with the processor's count of bits.
HANDLER(guard_masked)
{
    const lanes_t lanes = ((lanes_t)w->pred[d->guard] ^ (lanes_t)d->guard_not) & (lanes_t)active;
    w->counts.thread_instructions -= bit_count(active & ~(uint64_t)lanes);
    if (lanes) TAIL(d->handlers->masked(d, w, regs, lanes));
    w->counts.guarded_off++;
    NEXT(d + 1, active);
}

HANDLER(guard_full)
{
    const lanes_t lanes = (lanes_t)w->pred[d->guard] ^ (lanes_t)d->guard_not;
    if (lanes == ALL_LANES) TAIL(d->handlers->full(d, w, regs, active));
    TAIL(guard_masked(d, w, regs, active));
}

extern const struct lane_loops FAST(fast_loops);
const struct lane_loops FAST(fast_loops) = {addresses, have_distances, {guard_full, guard_masked}};
