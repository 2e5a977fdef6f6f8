// A warp's load brings the rest of the aligned pair or four of lines to L1; the requests to the L2 share
// packets:
//
//     load ──▶ L1: line A ──┬─ miss ──▶ A ^ 128 …, too? ──▶ one packet a slice ──▶ L2: one lookup
//                           └─ hit ───▶ when=access: the same; when=miss: neighbours count as used with A
//
// Off where grouping does not pay: in kernels found fine-grained by a study or by a sample of the launch's own
// accesses (classify=1), and on SMs by dueling.
// docs/explanation/techniques/coarse.md has the paper's open points and the decisions.
#include "tech/coarse/coarse.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/program.h"
#include "memory/config.h"
#include "tech/registry.h"

#include <stdlib.h>

static const char *const lines_words[] = {"1", "2", "4", NULL}, *const when_words[] = {"miss", "access",
                                                                                       NULL};
#define AT(field) offsetof(struct coarse_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"lines",   CONFIG_WORD, AT(lines),   0, 0, lines_words,  "2",     "lines fetched together: the aligned pair or four around the wanted line; 1: no neighbours", "Xiang, 5.5: coarse2 and coarse4"},
    {"kernels", CONFIG_TEXT, AT(kernels), 0, 0, NULL,         "",      "lines per kernel, from a study, NAME:LINES/NAME:LINES; other kernels have `lines`", "Xiang, 5.5: off for fine-grained kernels"},
    {"classify", CONFIG_BOOL, AT(classify), 0, 0, NULL,       "0",     "no neighbours until a sample of the launch's accesses says that fetching by twos or fours pays, and then as the sample says, with `lines` as the most; kernels named in `kernels` take no sample", "Xiang, 5.5: the kernel's locality decides"},
    {"sample",  CONFIG_U32,  AT(sample),  16, 1 << 20, NULL,  "512",  "with classify=1: accesses of the first SM in the sample", "choice: four times the lines of an L1 of 16 KB; most launches of the chapter's programs are over before 4096"},
    {"when",    CONFIG_WORD, AT(when),    0, 0, when_words,   "miss",  "neighbours are requested with a line that misses L1, or with every requested line", "Xiang, Figure 57; section 5.4: access"},
    {"touch",   CONFIG_BOOL, AT(touch),   0, 0, NULL,         "1",     "with when=miss: a hit marks present neighbours as used, so that a group of lines ages together", "choice"},
    {"wait",    CONFIG_BOOL, AT(wait),    0, 0, NULL,         "0",     "a hit with a missing neighbour takes as long as the neighbour", "choice; Xiang, 5.4, taken literally, with when=access: 1"},
    {"dueling", CONFIG_BOOL, AT(dueling), 0, 0, NULL,         "1",     "some SMs fetch neighbours, some do not, and the rest follow the faster leaders", "Xiang, Figure 58"},
    {"epoch",   CONFIG_U32,  AT(epoch),   100, 1000000000, NULL, "1000", "cycles over which leaders are compared", "choice"},
    {"hold",    CONFIG_U32,  AT(hold),    1, 1000, NULL,      "1",     "lost epochs in a row before a follower changes its way", "Xiang, 5.5: followers copy the SM with the higher IPC"},
    {"leaders", CONFIG_U32,  AT(leaders), 1, 128, NULL,       "1",     "leading SMs for either way", "Xiang, 5.5: one for either way"},
    {"before",  CONFIG_U32,  AT(before),  0, 255, NULL,       "2",     "SMs before the leaders, if the GPU has enough", "choice: warpman's lead by then"},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/coarse/counters.def"
#undef COUNTER
};

enum { LATEST = 8 }; // neighbours shown on the stepping page

struct coarse { // by SM
    struct coarse_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    enum line_outcome wanted; // L1 outcome of a warp's access, during the lookup of the line's neighbours
    bool touches;             // the lookups only mark neighbours as used
    // number of neighbours requested or found present, with arrival not yet reported (hook `line`)
    uint64_t coming;
    // by line address; true: requested as a neighbour, and not loaded by a warp since
    struct u64map brought;
    uint64_t latest[LATEST]; // addresses of lines brought, in turn
    uint64_t latest_count;   // of all
};

static uint32_t line_bytes(const struct coarse *c) { return tech_launch(c->grid)->memory->line_bytes; }

static bool is_on(const struct coarse *c)
{
    const struct coarse_launch *l = c->launch;
    if (l->lines == 1) return false;
    return !l->options->dueling || duel_is_on(&l->duel, tech_index(c->grid));
}

static bool is_there(enum line_outcome o) { return o == LINE_HIT || o == LINE_JOINED; }

// -- neighbours of a line -----------------------------------------------------------------------------------

static void ask(struct coarse *c, const struct tech_line *l, struct tech_neighbours *n)
{
    for (uint64_t k = 1; k < c->launch->lines; k++) n->lines[n->count++] = l->line ^ k * line_bytes(c);
}

static void neighbours(void *state, const struct tech_line *l, struct tech_neighbours *n)
{
    struct coarse *c = state;
    const struct coarse_options *o = c->launch->options;
    c->counters[COUNT_loads]++;
    if (!is_on(c)) return;
    c->wanted = l->outcome;
    c->touches = o->when == WHEN_MISS && l->outcome != LINE_MISS;
    if (c->touches && (!o->touch || l->outcome != LINE_HIT)) return;
    ask(c, l, n);
    n->only_touch = c->touches;
    n->waits = o->wait;
    c->counters[COUNT_grouped] += !c->touches;
}

static void say(const struct coarse *c, uint64_t line, enum line_outcome outcome)
{
    static const char *const words[] = {
        [LINE_STALLED] = "dropped", [LINE_HIT] = "there", [LINE_MISS] = "asked", [LINE_JOINED] = "joined"};
    const struct tech_listener *l = c->launch->listener;
    if (!l) return;
    const struct tech_step step = {.cycle = tech_now(c->grid),
                                   .what = c->touches ? "touched" : words[outcome],
                                   .sm = tech_index(c->grid),
                                   .pc = (uint32_t)(line / line_bytes(c))};
    l->heard(l->context, &step);
}

static void neighbour(void *state, uint64_t line, enum line_outcome outcome)
{
    struct coarse *c = state;
    say(c, line, outcome);
    if (c->touches) {
        c->counters[COUNT_touched]++;
        return;
    }
    c->coming += outcome != LINE_STALLED;
    c->counters[COUNT_asked]++;
    c->counters[COUNT_split] += is_there(outcome) != is_there(c->wanted);
    if (outcome != LINE_MISS) return;
    c->counters[COUNT_brought]++;
    u64map_set(&c->brought, line, true);
    c->latest[c->latest_count++ % LATEST] = line;
}

static void line(void *state, uint64_t address, uint32_t token)
{
    struct coarse *c = state;
    (void)address, (void)token;
    c->coming--;
}

// Keeps an access for the launch's sample, on the SM that takes it.
static void sample(struct coarse *c, const struct tech_line *l)
{
    struct coarse_launch *launch = c->launch;
    bool is_access = l->kind == LSU_LOAD || l->kind == LSU_LOCAL_LOAD || l->kind == LSU_STORE ||
                     l->kind == LSU_LOCAL_STORE;
    if (!launch->sample || tech_index(c->grid) != launch->first || !is_access) return;
    if (launch->sampled < launch->options->sample) launch->sample[launch->sampled++] = l->line;
}

// Counts a warp's first load of a line brought as a neighbour. The neighbour is used if present or on its
// way; if the load misses, the neighbour was evicted unused and is not counted.
static void access(void *state, const struct tech_line *l)
{
    struct coarse *c = state;
    uint32_t is_new;
    sample(c, l);
    bool asks_l1 = l->kind == LSU_LOAD && (is_there(l->outcome) || l->outcome == LINE_MISS);
    if (!asks_l1 || !u64map_get(&c->brought, l->line, &is_new) || !is_new) return;
    c->counters[COUNT_used] += l->outcome != LINE_MISS;
    c->counters[COUNT_late] += l->outcome == LINE_JOINED;
    u64map_set(&c->brought, l->line, false);
}

// -- a launch, and an SM of it ------------------------------------------------------------------------------

// Gives the verdict on a complete sample: lines together from now on.
static void classify(struct coarse_launch *l)
{
    if (!l->sample || l->sampled < l->options->sample) return;
    l->lines =
        1u << reuse_judge(l->sample, l->sampled, l->line, l->blocks, (enum reuse_verdict)l->options->lines);
    free(l->sample);
    l->sample = NULL;
}

static void window(void *launch, const struct tech_view *v)
{
    struct coarse_launch *l = launch;
    classify(l);
    if (l->options->dueling) duel_watch(&l->duel, v);
}

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct coarse_options *o = u->options;
    const struct gpu_kind *kind = l->kind;
    bool is_named, classifies;
    unsigned lines = coarse_lines(o, l->launch->program->name, &is_named);
    classifies = o->classify && !is_named;
    if (lines == 1) return NULL;
    bool has_room = kind->count >= o->before + 2 * o->leaders;
    const struct duel_config config = {.epoch = o->epoch,
                                       .hold = o->hold,
                                       .leaders = o->leaders,
                                       .first = kind->first + (has_room ? o->before : 0)};
    struct coarse_launch *c = heap_alloc(sizeof *c);
    *c = (struct coarse_launch){.options = o, .listener = u->listener, .lines = lines, .first = kind->first};
    if (classifies) {
        uint32_t capacity = kind->config.l1_sets * kind->config.l1_ways;
        c->lines = 1;
        c->sample = heap_alloc(o->sample * sizeof *c->sample);
        c->line = bit_highest(l->memory->line_bytes);
        c->blocks = capacity ? bit_highest(capacity) : 0;
    }
    duel_init(&c->duel, &config, 0);
    return c;
}

static void launch_end(void *launch)
{
    struct coarse_launch *l = launch;
    free(l->sample);
    free(l);
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct coarse *c = heap_alloc(sizeof *c);
    *c = (struct coarse){.launch = launch, .grid = grid, .counters = counts};
    return c;
}

static void sm_end(void *state)
{
    struct coarse *c = state;
    u64map_fini(&c->brought);
    free(c);
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct coarse *c = state;
    const struct coarse_launch *l = c->launch;
    uint32_t is_new;
    if (l->sample)
        tech_row(to, "groups", TECH_OF_SM, 0, 0, "single lines, until the sample of accesses is complete");
    else if (is_on(c))
        tech_row(to, "groups", TECH_OF_SM, 0, 0, "%u lines together", l->lines);
    else
        tech_row(to, "groups", TECH_OF_SM, 0, 0, "single lines");
    for (unsigned k = 0; k < LATEST && k < c->latest_count; k++) {
        bool waits = u64map_get(&c->brought, c->latest[k], &is_new) && is_new;
        tech_row(to, "latest neighbours brought", TECH_OF_SM, 0, k, "line 0x%llx: %s",
                 (unsigned long long)c->latest[k], waits ? "not loaded since" : "loaded since");
    }
}

static const char *check(const void *state)
{
    const struct coarse *c = state;
    const struct coarse_launch *l = c->launch;
    const uint64_t *n = c->counters;
    if (c->coming) return "coarse: a neighbour has not come";
    if (n[COUNT_used] > n[COUNT_brought] || n[COUNT_brought] > n[COUNT_asked])
        return "coarse: more neighbours were used than brought, or brought than asked for";
    bool leads_without = l->options->dueling && duel_role(&l->duel, tech_index(c->grid)) == DUEL_OFF;
    return leads_without && n[COUNT_grouped] ? "coarse: the leading SM without coarse has fetched neighbours"
                                             : NULL;
}

const struct tech tech_coarse = {
    .name = "coarse",
    .meaning = "lines come to L1 by twos or fours",
    .paper = "Xiang's dissertation, chapter 5",
    .features = HAS(LINES),
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct coarse_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .check = check,
    .rows = rows,
    .description = &(const struct tech_description){.wrong = coarse_wrong},
    .lines =
        &(const struct tech_lines){
            .access = access, .neighbours = neighbours, .neighbour = neighbour, .line = line},
    .dispatch = &(const struct tech_dispatch){.window = window},
};
