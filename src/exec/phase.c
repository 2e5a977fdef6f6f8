// Waiting for phases of mbarriers and at barriers of clusters: see phase.h.
#include "exec/phase.h"
#include "exec/async.h"
#include "exec/bulk.h"
#include "exec/checker.h"
#include "exec/general.h"
#include "exec/hint.h"
#include "exec/mbarrier.h"
#include "exec/race.h"
#include "exec/remote.h"
#include "isa/fields.h"
#include "isa/modes.h"

#include <stdlib.h>
#include <string.h>

void phase_start(struct cta *c)
{
    c->own = (struct cluster){.cta = {c}, .size = 1, .there = 1};
    c->cluster = &c->own;
    c->rank = c->parked = 0;
}

// -- clusters -----------------------------------------------------------------------------------------------

void cluster_form(struct cta *const *of, uint32_t count)
{
    struct cluster *x = heap_alloc(sizeof *x);
    x->size = x->left = count;
    x->there = (uint32_t)bit_mask(count);
    for (uint32_t k = 0; k < count; k++) {
        x->cta[k] = of[k];
        of[k]->cluster = x;
        of[k]->rank = k;
    }
}

void cluster_leave(struct cta *c)
{
    struct cluster *x = c->cluster;
    if (!x || x == &c->own) return;
    bulk_block_ends(c);
    x->cta[c->rank] = NULL;
    x->there &= ~(1u << c->rank);
    c->cluster = &c->own;
    if (--x->left == 0) free(x);
}

struct cta *cluster_block(const struct cta *c, uint64_t address)
{
    uint64_t field = address >> ISA_RANK_SHIFT;
    const struct cluster *x = c->cluster;
    return field && field <= x->size ? x->cta[field - 1] : NULL;
}

// -- waking -------------------------------------------------------------------------------------------------

static bool is_parked_at(const struct split *s, uint64_t address)
{
    return s->state == SPLIT_PHASE && (s->waits_for << 1 >> 1) == address;
}

static bool is_over(const uint8_t *shared, uint64_t address, uint64_t parity)
{
    uint64_t state;
    memcpy(&state, shared + address, sizeof state);
    return state >> MBARRIER_PARITY_BIT != parity;
}

static void unpark(struct warp *w, struct split *s)
{
    s->state = SPLIT_READY;
    w->parked--;
    w->cta->parked--;
}

static void resume(struct warp *w)
{
    const struct exec *e = w->exec;
    if (split_resume(w) && e->woken) e->woken(e->woken_context, w->cta);
}

void phase_changed(struct cta *c, uint64_t address)
{
    for (uint32_t i = 0; c->parked && i < c->warp_count; i++) {
        struct warp *w = &c->warps[i];
        uint32_t before = w->parked;
        for (uint32_t k = 0; w->parked && k < w->splits.count; k++) {
            struct split *s = &w->splits.data[k];
            if (is_parked_at(s, address) && is_over(c->shared, address, s->waits_for >> 63)) unpark(w, s);
        }
        if (w->parked != before) resume(w);
    }
}

bool phase_expire(struct warp *w)
{
    if (!w->parked) return false;
    for (uint32_t k = 0; k < w->splits.count; k++)
        if (w->splits.data[k].state == SPLIT_PHASE) unpark(w, &w->splits.data[k]);
    resume(w);
    return true;
}

bool phase_expire_block(struct cta *c)
{
    bool any = false;
    for (uint32_t i = 0; c->parked && i < c->warp_count; i++) any |= phase_expire(&c->warps[i]);
    return any;
}

// -- phases of mbarriers ------------------------------------------------------------------------------------

// The phase that all lanes ask for: its parity in bit 63, and the mbarrier's address. False: lanes differ, a phase is over,
// or the address is wrong, which the load behind the wait reports.
static bool find_phase(struct warp *w, const struct bound *d, const uint8_t *regs, uint64_t active,
                       uint64_t *phase)
{
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t address = exec_lane_word(d, w, regs, 0, 0, l),
                 parity = exec_lane_word(d, w, regs, 1, 0, l) >> 31;
        if (left == active) *phase = parity << 63 | address;
        if (*phase != (parity << 63 | address)) return false;
    }
    uint64_t address = *phase << 1 >> 1;
    if (address % 8 || !exec_shared_holds(w, address, 8)) return false;
    async_land_for(w->cta, w->shared + address);
    return !is_over(w->shared, address, *phase >> 63);
}

const struct bound *exec_phase_wait(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    uint64_t phase = 0;
    if (w->exec->polls || !find_phase(w, d, regs, active, &phase)) return d + 1;
    bool has_limit = bound_inst(d, w)->src[2].kind != OPERAND_NONE;
    w->parked_ns = has_limit ? exec_lane_word(d, w, regs, 2, 0, bit_lowest(active)) : NO_LIMIT;
    w->parked++;
    w->cta->parked++;
    warp_count_run(w, d);
    return split_wait(w, active, d->index + 1, d->index + 1, SPLIT_PHASE, phase);
}

// An arrival at an mbarrier of the own block or of another of its cluster.
static const struct bound *arrive(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next = exec_atomic(d, w, regs, active);
    uint64_t mask = (1u << ISA_RANK_SHIFT) - 1;
    for (; next && active; active &= active - 1) {
        uint64_t address = exec_lane_address(d, w, regs, 0, bit_lowest(active));
        struct cta *c = address > mask ? cluster_block(w->cta, address) : w->cta;
        if (c && c->checked) checker_arrived(w, d, bit_lowest(active), c, (uint32_t)(address & mask));
        if (c) phase_changed(c, address & mask);
    }
    return next;
}

const struct handlers phase_arrive_handlers = {arrive, arrive};

// -- the barrier of a cluster -------------------------------------------------------------------------------

static uint64_t missing_of(const struct cta *c)
{
    for (uint32_t i = 0; c && i < c->warp_count; i++) {
        const struct warp *w = &c->warps[i];
        if (w->state != WARP_DONE && w->present & ~w->exited & ~w->cluster_arrived) return true;
    }
    return false;
}

static void release(struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++) {
        struct warp *w = &c->warps[i];
        bool any = false;
        w->cluster_arrived = 0;
        for (uint32_t k = 0; k < w->splits.count; k++) {
            struct split *s = &w->splits.data[k];
            if (s->state != SPLIT_CLUSTER) continue;
            s->state = SPLIT_READY;
            any = true;
        }
        if (any) race_acquire(w, c->cluster->published);
        if (any) resume(w);
    }
}

static void check_complete(struct cluster *x)
{
    for (uint32_t k = 0; k < x->size; k++)
        if (missing_of(x->cta[k])) return;
    x->is_open = false;
    for (uint32_t k = 0; k < x->size; k++) {
        if (!x->cta[k]) continue;
        hint_ordered(x->cta[k]);
        release(x->cta[k]);
    }
}

// In time other blocks are told, also of the own arrival: entries of one moment reach all blocks in one cycle, so a phase
// ends everywhere at once.
static bool is_told(const struct cta *c) { return c->exec->is_timed && c->cluster->size > 1; }

static void block_arrives(struct cta *c, bool is_release)
{
    if (missing_of(c)) return;
    c->own.is_open = false;
    remote_arrived(c, is_release);
}

void phase_exited(struct cta *c)
{
    if (!c->cluster->is_open) return;
    if (is_told(c))
        block_arrives(c, false);
    else
        check_complete(c->cluster);
}

static void check_ranks(struct cta *c)
{
    struct cluster *x = &c->own;
    if ((x->arrived | ~x->there) << (32 - x->size) != UINT32_MAX << (32 - x->size)) return;
    x->arrived = 0;
    release(c);
}

void phase_rank_arrived(struct cta *c, unsigned rank)
{
    c->own.arrived |= 1u << rank;
    check_ranks(c);
}

void phase_rank_ended(struct cta *c, unsigned rank)
{
    c->own.there &= ~(1u << rank);
    if (c->own.arrived >> c->rank & 1) check_ranks(c);
}

static const struct bound *cluster_arrive(const struct bound *d, struct warp *w, uint64_t active)
{
    struct cluster *x = w->cta->cluster;
    uint64_t twice = w->cluster_arrived & active;
    if (twice)
        return exec_fault(
            w, d, FAULT_TRAP, bit_lowest(twice),
            "the thread arrives at the cluster's barrier again, without a barrier.cluster.wait since its "
            "last arrival");
    w->cluster_arrived |= active;
    x->is_open = true;
    x->published = race_release(w, x->published);
    if (!is_told(w->cta)) {
        check_complete(x);
        return d + 1;
    }
    bool releases = bound_inst(d, w)->sem != SEM_RELAXED;
    if (releases) w->exec->orders(w->exec->woken_context, w, true);
    block_arrives(w->cta, releases);
    return d + 1;
}

const struct bound *exec_cluster_barrier(const struct bound *d, struct warp *w, uint8_t *regs,
                                         uint64_t active)
{
    (void)regs;
    if (bound_inst(d, w)->mode == MODE_BAR_ARRIVE) return cluster_arrive(d, w, active);
    uint64_t waiting = active & w->cluster_arrived;
    if (waiting != active) race_acquire(w, w->cta->cluster->published);
    if (!waiting) return d + 1;
    warp_count_run(w, d);
    return split_wait(w, waiting, d->index + 1, d->index + 1, SPLIT_CLUSTER, 0);
}

static bool waits_at_cluster(const struct warp *w)
{
    for (uint32_t k = 0; k < w->splits.count; k++)
        if (w->splits.data[k].state == SPLIT_CLUSTER) return true;
    return false;
}

bool phase_waits_for_cluster(const struct cta *c)
{
    if (c->cluster->size == 1) return false;
    for (uint32_t i = 0; i < c->warp_count; i++)
        if (c->warps[i].parked || waits_at_cluster(&c->warps[i])) return true;
    return false;
}
