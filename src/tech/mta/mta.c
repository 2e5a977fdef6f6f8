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
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/program.h"
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
#define PREFETCH_THROTTLE_SOURCE "Lee et al., MICRO 2010"
#define PREFETCH_BUFFER "0"
#define PREFETCH_BUFFER_SOURCE "choice"
#define OPTION_U32(field, name, low, high, initial, meaning, source) {name, CONFIG_U32, AT(prefetch.field), low, high, NULL, initial, meaning, source},
#define OPTION_SWITCH(field, name, initial, meaning, source) {name, CONFIG_WORD, AT(prefetch.field), 0, 0, switch_words, initial, meaning, source},
#include "tech/prefetch/options.def"
#undef OPTION_U32
#undef OPTION_SWITCH
};
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/mta/counters.def"
#include "tech/prefetch/counters.def" // last: the counters of struct prefetch
#undef COUNTER
};
// clang-format on

struct mta {
    struct sm_grid *grid;
    const struct mta_options *options;
    const struct program *program;
    uint64_t *counters;
    struct mta_strides strides;
    struct prefetch prefetch;
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
    prefetch_init(&m->prefetch, grid, &tech_mta, &m->options->prefetch, counts + COUNT_TOTAL);
    return m;
}

static void sm_end(void *state)
{
    struct mta *m = state;
    mta_strides_fini(&m->strides);
    prefetch_fini(&m->prefetch);
    free(m);
}

static void warp_start(void *state, unsigned place)
{
    mta_strides_warp(&((struct mta *)state)->strides, place);
}

// -- a load -------------------------------------------------------------------------------------------------

// Prefetches the lines `far` bytes from the lanes' addresses, in lane order (lines=first: of the first lane
// alone). Adjacent lanes on one line share a request. A line that the lane itself accesses is left out.
static void ask_for_all(struct mta *m, const struct exec_access *a, uint64_t lanes, int64_t far)
{
    uint64_t before = UINT64_MAX;
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint64_t address = a->address[bit_lowest(left)],
                 line = prefetch_line_of(&m->prefetch, address + (uint64_t)far);
        if (line != before && line != prefetch_line_of(&m->prefetch, address))
            prefetch_line(&m->prefetch, line);
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

static uint32_t buffer(const void *launch)
{
    return (*(const struct mta_options *const *)launch)->prefetch.buffer;
}

static void access(void *state, const struct tech_line *l)
{
    prefetch_access(&((struct mta *)state)->prefetch, l);
}

static void line(void *state, uint64_t line, uint32_t token)
{
    (void)token;
    prefetch_came(&((struct mta *)state)->prefetch, line);
}

static void buffered(void *state, uint64_t line, enum tech_buffered what)
{
    (void)line;
    prefetch_buffered(&((struct mta *)state)->prefetch, what);
}

static const char *check(const void *state) { return prefetch_check(&((const struct mta *)state)->prefetch); }

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
    return n + prefetch_storage(&o->prefetch, out + n);
}

static void tell_table(const struct mta *m, const struct mta_table *t, const char *name, struct tech_rows *to)
{
    const struct program *p = m->program;
    for (uint32_t n = 0; n < t->count; n++) {
        const struct mta_stride *x = &t->rows[n];
        if (x->used)
            tech_row(to, name, TECH_OF_SM, 0, n, "0x%04x: stride %lld, %u in a row, last 0x%llx",
                     program_pc(p, x->index), (long long)x->stride, x->again, (unsigned long long)x->last);
    }
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct mta *m = state;
    tell_table(m, &m->strides.by_warp, "strides by warp", to);
    tell_table(m, &m->strides.of_all, "strides of all warps", to);
    tell_table(m, &m->strides.between, "strides between warps", to);
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
    .counter_count = sizeof counters / sizeof counters[0],
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .executed = executed,
    .check = check,
    .rows = rows,
    .lines =
        &(const struct tech_lines){.buffer = buffer, .access = access, .line = line, .buffered = buffered},
};
