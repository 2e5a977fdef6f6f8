// Products of warpgroups in time: see warpgroup.h.
#include "sm/warpgroup.h"
#include "base/arena.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/mma.h"
#include "sm/operand_take.h"
#include "sm/products.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, ROWS = 64, WAVEFRONT = 128, ROW_BYTES = 32, FEW_COLUMNS = 64 };

static bool has_descriptor(const struct inst *i) { return i->op == OP_WGMMAS || i->op == OP_WGMMASSP; }

// Passes over the banks for a whole warpgroup: a's rows as stored, b's columns.
static uint32_t passes_of_a(const struct inst *i)
{
    return has_descriptor(i) ? ROWS * ROW_BYTES / WAVEFRONT : 0;
}

static uint32_t passes_of_b(const struct inst *i)
{
    return isa_warpgroup_columns(i) * ROW_BYTES * (isa_is_sparse(i) ? 2 : 1) / WAVEFRONT;
}

struct warpgroup_cost warpgroup_cost_of(const struct gpu_config *c, const struct inst *i)
{
    uint32_t columns = isa_warpgroup_columns(i), passes = passes_of_a(i) + passes_of_b(i);
    bool is_short = !has_descriptor(i) && columns < FEW_COLUMNS;
    struct warpgroup_cost cost = {.latency = is_short ? c->wgmma_latency_registers : c->wgmma_latency,
                                  .interval = c->wgmma_interval * columns / 8};
    cost.latency += columns / 2;
    if (!cost.interval) return cost;
    if (!has_descriptor(i) && cost.interval < c->wgmma_interval_registers)
        cost.interval = c->wgmma_interval_registers;
    if (cost.interval < passes) cost.interval = passes;
    return cost;
}

void warpgroup_begin(struct sm *s, unsigned slot)
{
    if (s->warpgroups) memset(&s->warpgroups->warp[slot], 0, sizeof s->warpgroups->warp[slot]);
}

void warpgroup_free(struct sm *s) { free(s->warpgroups); }

uint64_t warpgroup_opens(const struct sm *s, unsigned slot, const struct inst *i)
{
    const struct warpgroups *u = s->warpgroups;
    if (!u) return 0;
    unsigned n = slot % s->config->schedulers;
    if (isa_is_warpgroup(i->op)) return u->unit[n].start[u->unit[n].products % s->config->wgmma_queue];
    uint32_t pending = i->src[0].value, commits = u->warp[slot].commits;
    if (i->op != OP_WGWAIT || pending >= WARPGROUP_GROUPS || pending >= commits) return 0;
    return u->warp[slot].group[(commits - 1 - pending) % WARPGROUP_GROUPS];
}

void warpgroup_issued(struct sm *s, unsigned slot, const struct inst *i, uint64_t collected)
{
    if (!s->warpgroups && !isa_is_warpgroup(i->op)) return;
    if (!s->warpgroups) s->warpgroups = heap_alloc(sizeof *s->warpgroups);
    struct warpgroups *u = s->warpgroups;
    struct sm_grid *grid = s->warps[slot].grid;
    unsigned n = slot % s->config->schedulers;
    if (i->op == OP_WGCOMMIT)
        u->warp[slot].group[u->warp[slot].commits++ % WARPGROUP_GROUPS] = u->warp[slot].last;
    if (!isa_is_warpgroup(i->op)) return;
    struct warpgroup_cost cost = warpgroup_cost_of(s->config, i);
    uint64_t start = later(collected + 1, u->unit[n].free);
    u->unit[n].free = start + cost.interval;
    u->unit[n].start[u->unit[n].products++ % s->config->wgmma_queue] = start;
    u->warp[slot].last = later(u->warp[slot].last, start + cost.latency);
    product_count(&grid->counts, i);
    // The sums are read as well as written. One of the four warps stands for b, which all share.
    operand_read_by_unit(grid, operand_words(&i->dst[0]));
    grid->counts.product_passes += passes_of_a(i) / WARPS;
    if (s->warps[slot].warp->index % WARPS == 0) grid->counts.product_passes += passes_of_b(i);
}
