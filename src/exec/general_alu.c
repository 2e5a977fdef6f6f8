// General handlers: common code, and the handler of plain arithmetic. Sources are fetched, the function of
// lane.h computes all lanes into fresh arrays, and the active lanes are written back.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/lane.h"
#include "isa/isa.h"
#include "isa/sregs.h"

#include <string.h>

lane_operation *lane_operation_of(unsigned op)
{
    static lane_operation *const table[OP_COUNT] = {
#define ALU(function)                                                    function
#define RUN(function)                                                    NULL
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) [OP_##name] = body,
#include "isa/isa.def"
#undef INST
#undef RUN
#undef ALU
    };
    return table[op];
}

static void splat_word(uint32_t splat[LANES_MAX], uint32_t word, unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++) splat[l] = word;
}

const uint32_t *exec_source(const struct bound *d, const struct warp *w, uint8_t *regs, unsigned k,
                            unsigned word, uint32_t splat[LANES_MAX])
{
    const struct exec *e = w->exec;
    if (bound_inst(d, w)->src[k].kind == OPERAND_REG)
        return reg_lanes(regs, d->src[k] + word * e->vector_bytes);
    splat_word(splat, (uint32_t)(e->general[d->index].value[k] >> (32 * word)), e->lanes);
    return splat;
}

void exec_write(uint32_t *to, const uint32_t *from, uint64_t lanes, const struct warp *w)
{
    if (lanes == w->full) {
        memcpy(to, from, w->exec->vector_bytes);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = bit_lowest(lanes);
        to[l] = from[l];
    }
}

// Source k in shared memory (profile ptxplus): reads one word per active lane into `splat`. NULL after a
// fault.
static const uint32_t *shared_source(const struct bound *d, struct warp *w, uint8_t *regs, unsigned k,
                                     uint64_t active, uint32_t splat[LANES_MAX])
{
    splat_word(splat, 0, w->exec->lanes);
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        uint32_t address = reg_lanes(regs, d->src[k])[l] + bound_inst(d, w)->src[k].value;
        struct lane_access a;
        enum launch_fault_kind kind;
        if (!exec_resolve(w, l, SPACE_SHARED, address, 4, &a, &kind)) {
            exec_fault_address(w, d, kind, l, SPACE_SHARED, address, 4, false);
            return NULL;
        }
        exec_read(w, &a, 4, &splat[l]);
    }
    return splat;
}

const struct bound *exec_general_alu(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct exec *e = w->exec;
    const struct general *g = &e->general[d->index];
    const struct inst *i = bound_inst(d, w);
    uint32_t splat[4][2][LANES_MAX], out[2][LANES_MAX]; // BFE has two immediates
    struct lane_io io = {.inst = i, .lanes = e->lanes, .active = active, .dst = {out[0], out[1]}};
    for (unsigned k = 0; k < 4; k++) {
        if (g->src_is_pred >> k & 1) io.psrc[k] = pred_source(w, d->src[k]);
        for (unsigned word = 0; word < g->src_words[k]; word++) {
            if (i->src[k].kind == OPERAND_SHARED)
                io.src[k][word] = shared_source(d, w, regs, k, active, splat[k][0]);
            else
                io.src[k][word] = exec_source(d, w, regs, k, word, splat[k][word]);
            if (!io.src[k][word]) return NULL;
        }
    }
    g->operation(&io);
    for (unsigned word = 0; word < g->dst_words; word++)
        exec_write(reg_lanes(regs, d->dst + word * e->vector_bytes), out[word], active, w);
    if (g->dst_is_pred) w->pred[d->dst] = (w->pred[d->dst] & ~active) | (io.pdst[0] & active);
    w->pred[d->q] = (w->pred[d->q] & ~active) | (io.pdst[1] & active);
    return d + 1;
}

// Lane masks, like %laneid and %warpid, are per group of 32 lanes (warp.h).
static uint32_t lane_mask(enum isa_sreg sreg, unsigned lane)
{
    uint32_t eq = 1u << (lane % GROUP_LANES);
    switch ((int)sreg) {
    case SREG_LANEMASK_EQ: return eq;
    case SREG_LANEMASK_LE: return eq | (eq - 1);
    case SREG_LANEMASK_LT: return eq - 1;
    case SREG_LANEMASK_GE: return ~(eq - 1);
    }
    return ~(eq | (eq - 1)); // GT
}

// Value of the clock registers. Functional run: warp instructions executed by the engine, equal in every run.
// Timed run: the cycle.
static uint64_t clock_now(const struct warp *w, const struct bound *d)
{
    return w->exec->clock_base + w->issued + (uint64_t)(d - w->run_start);
}

// Blocks of a cluster along a dimension.
static uint32_t cluster_blocks(const struct launch *l, unsigned dimension)
{
    return l->cluster[dimension] ? l->cluster[dimension] : 1;
}

static uint64_t special(const struct warp *w, const struct bound *d, enum isa_sreg sreg, unsigned lane)
{
    const struct launch *l = w->exec->launch;
    unsigned group = w->exec->warp_size < GROUP_LANES ? w->exec->warp_size : GROUP_LANES;
    switch (sreg) {
    case SREG_TID_X:
    case SREG_TID_Y:
    case SREG_TID_Z: {
        uint32_t thread[3];
        exec_thread_of(w, lane, thread);
        return thread[sreg - SREG_TID_X];
    }
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z: return l->block[sreg - SREG_NTID_X];
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z: return w->cta->id[sreg - SREG_CTAID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z: return l->grid[sreg - SREG_NCTAID_X];
    case SREG_LANEID: return lane % GROUP_LANES;
    case SREG_WARPID: return (w->index * w->exec->warp_size + lane) / group;
    case SREG_NWARPID: return (w->exec->threads_per_block + group - 1) / group;
    case SREG_SMID:
        if (w->exec->is_timed) return w->exec->sm;
        return l->sm_count ? w->cta->linear % l->sm_count : 0;
    case SREG_NSMID: return l->sm_count;
    case SREG_GRIDID: return l->grid_id;
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT: return lane_mask(sreg, lane);
    case SREG_CLOCK_LO:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER: return clock_now(w, d);
    case SREG_CLOCK_HI:
    case SREG_GLOBALTIMER_HI: return clock_now(w, d) >> 32;
    case SREG_DYNAMIC_SHARED: return l->dynamic_shared;
    case SREG_TOTAL_SHARED: return l->shared_total;
    case SREG_CLUSTERID_X:
    case SREG_CLUSTERID_Y:
    case SREG_CLUSTERID_Z:
        return w->cta->id[sreg - SREG_CLUSTERID_X] / cluster_blocks(l, sreg - SREG_CLUSTERID_X);
    case SREG_CLUSTER_CTAID_X:
    case SREG_CLUSTER_CTAID_Y:
    case SREG_CLUSTER_CTAID_Z:
        return w->cta->id[sreg - SREG_CLUSTER_CTAID_X] % cluster_blocks(l, sreg - SREG_CLUSTER_CTAID_X);
    case SREG_CLUSTER_CTARANK: return w->cta->rank;
    case SREG_HART: return w->index * w->exec->warp_size + lane;
    case SREG_CLOSURE: return l->flat ? l->flat->closure : 0;
    case SREG_COUNT: break;
    }
    return 0;
}

const struct bound *exec_s2r(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint64_t x = special(w, d, (enum isa_sreg)i->src[0].reg, lane);
        reg_lanes(regs, d->dst)[lane] = (uint32_t)x;
        if (i->op == OP_CS2R) reg_lanes(regs, d->dst + w->exec->vector_bytes)[lane] = (uint32_t)(x >> 32);
    }
    return d + 1;
}

const struct bound *exec_nop(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    (void)w, (void)regs, (void)active;
    return d + 1;
}
