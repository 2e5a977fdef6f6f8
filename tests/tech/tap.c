#include "tech/tap.h"
#include "exec/warp.h"
#include "tech/extra.h"

#include "api/impl.h"

#include <stdlib.h>

struct tapped {
    struct sm_grid *grid;
    uint64_t *counts;
    struct tap_sm *to; // NULL: records are dropped
    uint64_t start[64];
};

// State of the launch: a pointer to the records. Allocated, since NULL means no state.
static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct tapped *p = heap_alloc(sizeof *p);
    struct tap *tap = *(struct tap **)launch;
    *p = (struct tapped){.grid = grid, .counts = counts, .to = tap ? &tap->sms[tech_index(grid)] : NULL};
    return p;
}

static void warp_start(void *state, unsigned place)
{
    struct tapped *p = state;
    p->start[place] = tech_now(p->grid);
}

static void warp_end(void *state, unsigned place)
{
    struct tapped *p = state;
    const struct warp *w = tech_warp(p->grid, place);
    if (!p->to) return;
    vec_push(&p->to->warps,
             (struct tap_warp){p->start[place], tech_now(p->grid) + 1, w->cta->linear, w->issued, w->index});
}

static void access_line(void *state, const struct tech_line *line)
{
    struct tapped *p = state;
    p->counts[0]++;
    if (p->to) vec_push(&p->to->lines, (struct tap_line){tech_now(p->grid), *line});
}

static const struct tech_counter counters[] = {{"lines", "transactions", "seen"}};

const struct tech tech_tap = {
    .name = "tap",
    .meaning = "looks on",
    .skipped = -1,
    .reused = -1,
    .counters = counters,
    .counter_count = 1,
    .launch_begin = extra_launch_options,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_start = warp_start,
    .warp_end = warp_end,
    .lines = &(const struct tech_lines){.access = access_line},
};

bool tap_add(struct wf_context *c, struct tap *tap)
{
    if (!extra_add(c, tech_tap.name, false)) return false;
    c->techs.uses[c->techs.count - 1].options = tap;
    return true;
}

struct tap_warp tap_life(const struct tap *tap, struct test *t, uint64_t block, uint32_t warp)
{
    for (unsigned k = 0; k < TAP_SMS; k++)
        for (size_t n = 0; n < tap->sms[k].warps.count; n++) {
            const struct tap_warp *w = &tap->sms[k].warps.data[n];
            if (w->block == block && w->warp == warp) return *w;
        }
    CHECK_MSG(t, false, "no warp %u in block %llu", warp, (unsigned long long)block);
    return (struct tap_warp){0};
}

void tap_fini(struct tap *tap)
{
    for (unsigned k = 0; k < TAP_SMS; k++) {
        vec_fini(&tap->sms[k].lines);
        vec_fini(&tap->sms[k].warps);
    }
}
