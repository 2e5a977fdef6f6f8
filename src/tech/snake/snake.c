// Chain-based prefetching: strides between successive load instructions of a warp form a chain, followed a number
// of links ahead of the warp; a chain from warp to warp starts the chains of later warps. Lines are brought to a
// buffer beside L1.
//
//     a warp's load ─▶ learn: link from the warp's previous load; link from the previous warp
//          │
//          ├─▶ address ─ link ─▶ address ─ link ─▶ address …  (depth) ─┐
//          └─ no known link led to the load:                           ├─▶ throttle, room ─▶ buffer beside L1
//             the same load `ahead` warps on, and the chain from there ┘
//
// Changes time only. docs/explanation/techniques/snake.md has the known facts and the decisions.
#include "tech/snake/snake.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/registry.h"

#include <stdlib.h>

enum { SNAKE_FIRST, SNAKE_ALL };
static const char *const switch_words[] = {"off", "on", NULL}, *const lines_words[] = {"first", "all", NULL};

#define AT(field) offsetof(struct snake_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"links",   CONFIG_U32,  AT(links),   0, 1024, NULL, "64", "links between load instructions", "choice"},
    {"between", CONFIG_U32,  AT(between), 0, 1024, NULL, "32", "loads with a stride from warp to warp of a block", "choice"},
    {"train",   CONFIG_U32,  AT(train),   1, 16,   NULL, "2",  "repetitions of a link's stride before a prefetch", "choice"},
    {"depth",   CONFIG_U32,  AT(depth),   0, 64,   NULL, "4",  "links followed ahead of a load", "choice"},
    {"ahead",   CONFIG_U32,  AT(ahead),   1, 64,   NULL, "1",  "warps of prefetch ahead of the loading warp", "choice"},
    {"lines",   CONFIG_WORD, AT(lines),   0, 0, lines_words, "all", "lines prefetched for a load: as many as the first lane's, or all", "choice"},
    {"room",    CONFIG_WORD, AT(room),    0, 0, switch_words, "on", "no prefetch while the buffer is full of lines that no load has wanted yet", "choice"},
#define PREFETCH_THROTTLE_SOURCE "a throttle: Mostofi et al., MICRO 2023; as mta's: choice"
#define PREFETCH_BUFFER "128"
#define PREFETCH_BUFFER_SOURCE "apart from demand lines: Mostofi et al., MICRO 2023; size: choice"
#define OPTION_U32(field, name, low, high, initial, meaning, source) {name, CONFIG_U32, AT(prefetch.field), low, high, NULL, initial, meaning, source},
#define OPTION_SWITCH(field, name, initial, meaning, source) {name, CONFIG_WORD, AT(prefetch.field), 0, 0, switch_words, initial, meaning, source},
#include "tech/prefetch/options.def"
#undef OPTION_U32
#undef OPTION_SWITCH
};
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/snake/counters.def"
#include "tech/prefetch/counters.def" // last: the counters of struct prefetch
#undef COUNTER
};
// clang-format on

struct snake {
    struct sm_grid *grid;
    const struct snake_options *options;
    const struct program *program;
    uint64_t *counters;
    struct snake_chains chains;
    struct prefetch prefetch;
    // lines in the buffer, neither taken, replaced nor dropped; cycle of the last change
    uint32_t held;
    uint64_t changed;
};

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct snake_options **o;
    if (!l->kind->config.l1_global) return NULL; // no L1 for global memory
    o = heap_alloc(sizeof *o);
    *o = u->options;
    return o;
}

static uint32_t buffer(const void *launch)
{
    return (*(const struct snake_options *const *)launch)->prefetch.buffer;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct snake *s = heap_alloc(sizeof *s);
    s->grid = grid;
    s->options = *(const struct snake_options **)launch;
    s->program = tech_launch(grid)->launch->program;
    s->counters = counts;
    s->held = 0;
    s->changed = 0;
    snake_chains_init(&s->chains, s->options, s->program->inst_count, counts);
    prefetch_init(&s->prefetch, grid, &tech_snake, &s->options->prefetch, counts + COUNT_TOTAL);
    return s;
}

static void sm_end(void *state)
{
    struct snake *s = state;
    snake_chains_fini(&s->chains);
    prefetch_fini(&s->prefetch);
    free(s);
}

static void warp_start(void *state, unsigned place)
{
    snake_chains_warp(&((struct snake *)state)->chains, place);
}

// -- a load -------------------------------------------------------------------------------------------------

// Whether the buffer has room for a line beside lines under way: a free way, or after a period without a change any
// way.
static bool has_room(const struct snake *s)
{
    const struct snake_options *o = s->options;
    uint64_t under_way = s->prefetch.counters[PREFETCH_asked] - s->prefetch.counters[PREFETCH_came];
    bool is_full = s->held + under_way >= prefetch_buffer_lines(&o->prefetch);
    if (!o->room || !o->prefetch.buffer || !is_full) return true;
    return tech_now(s->grid) >= s->changed + o->prefetch.period;
}

// Prefetches the lines `far` bytes from the lanes' addresses, in lane order (lines=first: of the first lane
// alone). Adjacent lanes on one line share a request. A line that the lane itself accesses is left out.
static void ask(struct snake *s, const struct exec_access *a, uint64_t lanes, int64_t far)
{
    uint64_t before = UINT64_MAX;
    for (uint64_t left = lanes; left; left &= left - 1) {
        uint64_t address = a->address[bit_lowest(left)],
                 line = prefetch_line_of(&s->prefetch, address + (uint64_t)far);
        bool is_new = line != before && line != prefetch_line_of(&s->prefetch, address);
        before = line;
        if (is_new && !has_room(s))
            s->counters[COUNT_crowded]++;
        else if (is_new)
            prefetch_line(&s->prefetch, line);
        if (s->options->lines == SNAKE_FIRST) return;
    }
}

static void ask_chain(struct snake *s, const struct exec_access *a, uint64_t lanes, uint32_t index,
                      int64_t far)
{
    for (uint32_t k = 0; k < s->options->depth && snake_chains_follow(&s->chains, &index, &far); k++)
        ask(s, a, lanes, far);
}

static void executed(void *state, unsigned place, uint32_t index)
{
    struct snake *s = state;
    if (s->program->insts[index].op != OP_LDG) return;
    const struct exec_access *a = tech_access(s->grid);
    const struct warp *w = tech_warp(s->grid, place);
    uint64_t lanes = a->mask & ~a->shared & ~a->local;
    if (!lanes) return;
    s->counters[COUNT_loads]++;
    const struct snake_load load = {.index = index,
                                    .place = place,
                                    .warp = w->index,
                                    .block = w->cta->linear,
                                    .address = a->address[bit_lowest(lanes)]};
    bool is_linked = snake_chains_learn(&s->chains, &load);
    ask_chain(s, a, lanes, index, 0);
    int64_t far = is_linked ? 0 : snake_chains_ahead(&s->chains, index);
    if (!far) return;
    s->counters[COUNT_between]++;
    ask(s, a, lanes, far);
    ask_chain(s, a, lanes, index, far);
}

// -- lines --------------------------------------------------------------------------------------------------

static void access(void *state, const struct tech_line *l)
{
    prefetch_access(&((struct snake *)state)->prefetch, l);
}

static void line(void *state, uint64_t line, uint32_t token)
{
    (void)token;
    prefetch_came(&((struct snake *)state)->prefetch, line);
}

static void buffered(void *state, uint64_t line, enum tech_buffered what)
{
    struct snake *s = state;
    (void)line;
    prefetch_buffered(&s->prefetch, what);
    s->held += what == TECH_BUFFER_FILLED;
    s->held -= what != TECH_BUFFER_FILLED;
    s->changed = tech_now(s->grid);
}

static const char *check(const void *state)
{
    const struct snake *s = state;
    const uint64_t *n = s->prefetch.counters;
    uint64_t left = n[PREFETCH_taken] + n[PREFETCH_replaced] + n[PREFETCH_dropped];
    if (s->held != n[PREFETCH_fills] - left) return "the buffer has another number of lines than counted";
    return prefetch_check(&s->prefetch);
}

// -- storage ------------------------------------------------------------------------------------------------

// Sizes: an instruction's number has 16 bits, address and stride 32, a block's number 16.
static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct snake_options *o = options;
    enum { INDEX = 16, BYTES = 32, AGAIN = 4, BLOCK = 16 };
    uint64_t warp = 1;
    while (1u << warp < c->max_warps) warp++;
    size_t n = 0;
    out[n++] = (struct tech_storage){"heads of chains", c->max_warps, 1 + INDEX + BYTES, false, 1};
    out[n++] = (struct tech_storage){"links", o->links, 1 + 2 * INDEX + BYTES + AGAIN, false, 1};
    out[n++] = (struct tech_storage){"links of warps", o->between,
                                     1 + INDEX + warp + BLOCK + 2 * BYTES + AGAIN, false, 1};
    return n + prefetch_storage(&o->prefetch, out + n);
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct snake *x = state;
    const struct program *p = x->program;
    for (uint32_t n = 0; n < x->chains.links.count; n++) {
        const struct snake_link *l = &x->chains.links.rows[n];
        if (l->used)
            tech_row(to, "links", TECH_OF_SM, 0, n, "0x%04x to 0x%04x: %+lld bytes, %u in a row",
                     program_pc(p, l->from), program_pc(p, l->to), (long long)l->stride, l->again);
    }
    for (uint32_t n = 0; n < x->chains.warps.count; n++) {
        const struct snake_link *l = &x->chains.warps.rows[n];
        if (l->used)
            tech_row(to, "links of warps", TECH_OF_SM, 0, n, "0x%04x: %+lld bytes a warp, %u in a row",
                     program_pc(p, l->from), (long long)l->stride, l->again);
    }
}

const struct tech tech_snake = {
    .name = "snake",
    .meaning = "a prefetcher that follows chains of strides between loads",
    .paper = "Mostofi et al., MICRO 2023",
    .features = HAS(LINES),
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct snake_options),
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
