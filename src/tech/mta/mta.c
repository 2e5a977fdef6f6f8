// Many-thread aware prefetching: strides within a warp's loads, common to all warps, or from warp to warp;
// lines are brought to L1 before the load.
//
//     a warp's load ─▶ tables: of all? by warp? between warps? ─▶ address + stride ─▶ throttle ─▶ L1 request
//                                                                                        ▲
//                      prefetched lines met by warps ─▶ useful, late, evicted early ─────┘
//
// Changes time only. docs/explanation/techniques/mta.md has the known facts and the decisions.
#include "tech/mta/mta.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/memory.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "memory/cache.h"
#include "memory/config.h"
#include "tech/registry.h"

#include <stdlib.h>

static const char *const switch_words[] = {"off", "on", NULL}, *const lines_words[] = {"first", "all", NULL};

#define AT(field) offsetof(struct mta_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"pws",       CONFIG_U32,  AT(by_warp),    0, 1024, NULL, "32", "strides by instruction and warp", "choice"},
    {"gs",        CONFIG_U32,  AT(of_all),     0, 1024, NULL, "8",  "strides of instructions shared by several warps", "choice"},
    {"ip",        CONFIG_U32,  AT(between),    0, 1024, NULL, "8",  "strides of instructions from warp to warp of a block", "choice"},
    {"promote",   CONFIG_U32,  AT(promote),    1, 64,   NULL, "3",  "warps with the same stride before the stride holds for all warps", "Lee et al., MICRO 2010"},
    {"train",     CONFIG_U32,  AT(train),      1, 16,   NULL, "2",  "repetitions of a stride before a prefetch", "choice: three addresses"},
    {"distance",  CONFIG_U32,  AT(distance),   1, 64,   NULL, "1",  "strides of prefetch within a warp", "Lee et al., MICRO 2010"},
    {"ahead",     CONFIG_U32,  AT(ahead),      1, 64,   NULL, "1",  "warps of prefetch ahead of the loading warp", "Lee et al., MICRO 2010"},
    {"lines",     CONFIG_WORD, AT(lines),      0, 0, lines_words, "first", "lines prefetched for a load: as many as the first lane's, or all", "choice"},
    {"record",    CONFIG_U32,  AT(record),     1, 65536, NULL, "512", "prefetched lines with a recorded outcome", "choice: more than an L1 has"},
    {"throttle",  CONFIG_WORD, AT(throttle),   0, 0, switch_words, "on", "fewer lines are prefetched if prefetched lines go unused", "Lee et al., MICRO 2010"},
    {"period",    CONFIG_U32,  AT(period),     100, 10000000, NULL, "10000", "cycles between two decisions of the throttle", "choice"},
    {"early-high", CONFIG_U32, AT(early_high), 0, 1000, NULL, "20", "lines evicted early, per mille of wanted lines, at which prefetching stops", "choice"},
    {"early-low", CONFIG_U32,  AT(early_low),  0, 1000, NULL, "10", "lines evicted early, per mille of wanted lines, at which prefetching drops by a fifth", "choice"},
    {"met-high",  CONFIG_U32,  AT(met_high),   0, 1000, NULL, "150", "lines wanted by warps, per mille of prefetched lines, at which prefetching grows by a fifth", "choice"},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/mta/counters.def"
#undef COUNTER
};

struct mta {
    struct sm_grid *grid;
    const struct mta_options *options;
    const struct program *program;
    uint64_t *counters;
    struct mta_strides strides;
    struct mta_record record;
};

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct mta_options **o;
    if (!l->kind->config.l1_global) return NULL; // no L1 for global memory
    o = heap_alloc(sizeof *o);
    *o = u->options;
    return o;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct mta *m = heap_alloc(sizeof *m);
    m->grid = grid;
    m->options = *(const struct mta_options **)launch;
    m->program = tech_launch(grid)->launch->program;
    m->counters = counts;
    mta_strides_init(&m->strides, m->options, counts);
    mta_record_init(&m->record, m->options, tech_launch(grid)->memory->line_bytes, counts);
    return m;
}

static void sm_end(void *state)
{
    struct mta *m = state;
    mta_strides_fini(&m->strides);
    mta_record_fini(&m->record);
    free(m);
}

static void warp_start(void *state, unsigned place)
{
    mta_strides_warp(&((struct mta *)state)->strides, place);
}

// -- a load -------------------------------------------------------------------------------------------------

static uint64_t line_of(const struct mta *m, uint64_t address)
{
    return address & ~(uint64_t)(tech_launch(m->grid)->memory->line_bytes - 1);
}

static void ask(struct mta *m, uint64_t line)
{
    const struct sm_launch *l = tech_launch(m->grid);
    uint64_t *n = m->counters;
    uint8_t sectors = (uint8_t)bit_mask(l->memory->line_bytes / SECTOR_BYTES);
    if (mta_record_has(&m->record, line))
        n[COUNT_near]++;
    else if (!memory_find(l->launch->memory, line))
        n[COUNT_outside]++;
    else if (!mta_record_lets(&m->record, tech_now(m->grid)))
        n[COUNT_throttled]++;
    else if (!tech_request(m->grid, &tech_mta, line, sectors, 0))
        n[COUNT_refused]++;
    else
        mta_record_asked(&m->record, line);
}

// Prefetches the lines `far` bytes from the lanes' addresses, in lane order (lines=first: of the first lane
// alone). Adjacent lanes on one line share a request. A line that the lane itself accesses is left out.
static void ask_for_all(struct mta *m, const struct exec_access *a, uint64_t lanes, int64_t far)
{
    uint64_t before = UINT64_MAX;
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint64_t address = a->address[bit_lowest(left)], line = line_of(m, address + (uint64_t)far);
        if (line != before && line != line_of(m, address)) ask(m, line);
        before = line;
        if (m->options->lines == MTA_FIRST) return;
    }
}

static void executed(void *state, unsigned place, uint32_t index)
{
    struct mta *m = state;
    if (m->program->insts[index].op != OP_LDG) return;
    const struct exec_access *a = tech_access(m->grid);
    const struct warp *w = tech_warp(m->grid, place);
    uint64_t lanes = a->mask & ~a->shared & ~a->local;
    if (!lanes) return;
    m->counters[COUNT_loads]++;
    const struct mta_load load = {.index = index,
                                  .place = place,
                                  .warp = w->index,
                                  .block = w->cta->linear,
                                  .address = a->address[bit_lowest(lanes)]};
    int64_t far = mta_strides_next(&m->strides, &load);
    if (far) ask_for_all(m, a, lanes, far);
}

// -- lines --------------------------------------------------------------------------------------------------

static void access(void *state, const struct tech_line *l)
{
    struct mta *m = state;
    bool looked_up = l->outcome == LINE_HIT || l->outcome == LINE_MISS || l->outcome == LINE_JOINED;
    if (l->kind == LSU_LOAD && looked_up) mta_record_met(&m->record, l->line, l->outcome);
}

static void line(void *state, uint64_t line, uint32_t token)
{
    (void)token;
    mta_record_came(&((struct mta *)state)->record, line);
}

static const char *check(const void *state)
{
    const struct mta *m = state;
    return m->counters[COUNT_asked] == m->counters[COUNT_came] ? NULL
                                                               : "lines were asked for and have not come";
}

// -- storage ------------------------------------------------------------------------------------------------

// Sizes: an instruction's number has 16 bits, address and stride 32, enough to distinguish the lines of a
// launch.
static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct mta_options *o = options;
    uint64_t warp = 1;
    while (1u << warp < c->max_warps) warp++;
    size_t n = 0;
    out[n++] = (struct tech_storage){"strides by warp", o->by_warp, 16 + warp + 32 + 32 + 4, false, 1};
    out[n++] = (struct tech_storage){"strides of all warps", o->of_all, 16 + 32, false, 1};
    out[n++] = (struct tech_storage){"strides between warps", o->between, 16 + warp + 32 + 32 + 4, false, 1};
    out[n++] = (struct tech_storage){"lines asked for", o->record, 25 + 2, false, 1};
    return n;
}

const struct tech tech_mta = {
    .name = "mta",
    .meaning = "a prefetcher that learns strides of warps and between warps",
    .paper = "Lee et al., MICRO 2010; as DAC compares with it",
    .features = HAS(LINES),
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct mta_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .executed = executed,
    .check = check,
    .lines = &(const struct tech_lines){.access = access, .line = line},
};
