// silicon-sync: the cost of barriers at basic blocks, without any savings. The DARSIE paper (6.2) put
// __syncthreads() at the boundaries of basic blocks and measured a card; here the program is changed
// likewise, and simulated.
//
//     BB0:  …            BB0:  …
//           @P0 BRA BB2        @P0 BRA BB2
//     BB1:  …        ▶   BB1:  BAR.SYNC 1        only where all threads of the block are certain to come
//                              …
//     BB2:  …            BB2:  BAR.SYNC 1
//
// A basic block is certain if its controlling branches (control dependence, transitively) cannot split warps
// or lanes in a launch of the given shape. All live threads then reach the block equally often. Ways to a
// mere exit do not count, since a barrier does not wait for ended threads. Behind a place with waits of the
// program's own (waits.h) no barrier is inserted, so that every terminating program still terminates. The
// barrier's number is unused by the program; a program using all sixteen numbers stays unchanged.
#include "exec/launch.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "sm/places.h"
#include "tech/registry.h"
#include "tech/rows.h"
#include "tech/silicon_sync/waits.h"

#include <stdlib.h>

enum { COUNT_barriers, COUNT_TOTAL };
static const struct tech_counter counters[] = {
    {"barriers", "warp instructions", "inserted barriers executed"}};

enum { BARRIER_NUMBERS = 16 };

struct places { // working state of the analysis
    const struct program *program;
    struct marks *marks;
    unsigned met;
    const struct flow_blocks *flow;
    const struct flow_tree *after; // post-dominators
    bool *uncertain;               // by basic block
};

static uint32_t last_of(const struct places *s, uint32_t n)
{
    return s->flow->blocks[n].first + s->flow->blocks[n].count - 1;
}

// Whether the basic block is an exit and nothing else: its threads wait at no barrier, and barriers do not
// wait for ended threads.
static bool is_final(const struct places *s, uint32_t n)
{
    const struct inst *i = &s->program->insts[s->flow->blocks[n].first];
    return isa_has(i, ISA_EXIT) && i->guard == PRED_TRUE && !i->guard_not;
}

// Number of ways out of a basic block, within its function; `to_end` false: without mere exits.
static uint32_t successors(const struct places *s, uint32_t n, bool to_end)
{
    const struct flow_graph *g = &s->flow->graph;
    uint32_t count = 0;
    for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++)
        count += s->flow->blocks[g->succs[k]].function == s->flow->blocks[n].function &&
                 (to_end || !is_final(s, g->succs[k]));
    return count;
}

// Whether live threads of a thread block may leave the basic block by different ways.
static bool may_part(const struct places *s, uint32_t n)
{
    const struct inst *i = &s->program->insts[last_of(s, n)];
    const struct mark *m = &s->marks->marks[last_of(s, n)];
    if (!isa_has(i, ISA_BRANCH) || isa_has(i, ISA_CALL | ISA_EXIT)) return false;
    if (successors(s, n, true) < 2 || successors(s, n, false) < 2) return false;
    return m->way == MARK_VECTOR || m->way_varies || (m->way_conditions & ~s->met);
}

// Marks basic blocks reached by one way out of n but possibly not by another. True: a mark is new.
static bool doubt_dependents(struct places *s, uint32_t n)
{
    const struct flow_graph *g = &s->flow->graph;
    bool news = false;
    for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++)
        for (uint32_t b = g->succs[k]; b < s->flow->count && b != s->after->parent[n];
             b = s->after->parent[b]) {
            news |= !s->uncertain[b];
            s->uncertain[b] = true;
        }
    return news;
}

static void find_uncertain(struct places *s)
{
    for (uint32_t n = 0; n < s->flow->count; n++) s->uncertain[n] = s->flow->blocks[n].function != 0;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t n = 0; n < s->flow->count; n++)
            if (may_part(s, n) || (s->uncertain[n] && successors(s, n, true) > 1))
                news |= doubt_dependents(s, n);
    }
}

// Whether a called function may end threads; no basic block is certain then.
static bool calls_may_exit(const struct program *p)
{
    for (uint32_t n = p->functions[0].first + p->functions[0].count; n < p->inst_count; n++)
        if (isa_has(&p->insts[n], ISA_EXIT)) return true;
    return false;
}

static struct program *transform(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared)
{
    const struct inst barrier = {
        .op = OP_BAR,
        .guard = PRED_TRUE,
        .mode = MODE_BAR_SYNC,
        .boolean = BOOL_AND,
        .src[0] = {.kind = OPERAND_IMM, .width = 1, .value = p->barrier_count},
        .target = NO_TARGET,
        .reconverge = NO_TARGET,
    };
    (void)shared;
    if (p->barrier_count >= BARRIER_NUMBERS || calls_may_exit(p)) return NULL;
    struct arena arena;
    struct mark_rules rules;
    arena_init(&arena);
    mark_rules_from(&rules, u->marks, warp_size);
    struct places s = {
        .program = p, .marks = marks_compute(p, &rules), .met = mark_conditions_met(&rules, block)};
    s.flow = &s.marks->ssa->flow;
    s.after = &s.marks->ssa->postdominators;
    s.uncertain = ARENA_ARRAY(&arena, bool, s.flow->count);
    bool *before = ARENA_ARRAY(&arena, bool, p->inst_count);
    find_uncertain(&s);
    const bool *behind_wait = silicon_waits_lead_to(s.marks->ssa, s.uncertain, &arena);
    for (uint32_t n = 1; n < s.flow->count; n++)
        before[s.flow->blocks[n].first] = !s.uncertain[n] && !behind_wait[n] && !is_final(&s, n) &&
                                          p->insts[s.flow->blocks[n].first].op != OP_BAR;
    struct program *q = program_insert(p, &barrier, before);
    q->barrier_count = p->barrier_count + 1;
    marks_free(s.marks);
    arena_fini(&arena);
    return q;
}

// -- counting -----------------------------------------------------------------------------------------------

struct silicon {
    const struct program *program;
    uint64_t *counters;
    struct sm_grid *grid;
    struct {
        uint64_t passed; // inserted barriers, of the warp in the place
        uint32_t last;   // instruction
    } warps[SM_WARPS];
};

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct silicon *s = heap_alloc(sizeof *s);
    (void)u;
    s->program = l->launch->program;
    return s;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct silicon *s = heap_alloc(sizeof *s);
    *s = (struct silicon){.program = ((struct silicon *)launch)->program, .counters = counts, .grid = grid};
    return s;
}

static void end(void *state) { free(state); }

static void warp_start(void *state, unsigned place) { ((struct silicon *)state)->warps[place].passed = 0; }

// Counts executions of inserted barriers, recognised by the program's highest barrier number.
static void executed(void *state, unsigned place, uint32_t index)
{
    struct silicon *s = state;
    const struct inst *i = &s->program->insts[index];
    if (i->op != OP_BAR || i->src[0].kind != OPERAND_IMM || i->src[0].value + 1 != s->program->barrier_count)
        return;
    s->counters[COUNT_barriers]++;
    s->warps[place].passed++;
    s->warps[place].last = index;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct silicon *s = state;
    for (unsigned place = 0; place < SM_WARPS; place++)
        if (s->warps[place].passed && rows_has_warp(s->grid, place))
            tech_row(to, "inserted barriers of warps", TECH_OF_WARP, place, 0,
                     "%llu reached, the last at 0x%04x", (unsigned long long)s->warps[place].passed,
                     program_pc(s->program, s->warps[place].last));
}

const struct tech tech_silicon_sync = {
    .name = "silicon-sync",
    .meaning =
        "a barrier at the start of every basic block certain to be reached by every thread; simulated here, "
        "measured on a card in the paper",
    .paper = "DARSIE, ASPLOS 2020, 6.2",
    .features = HAS(WAITS) | HAS(COMPILER),
    .skipped = -1,
    .reused = -1,
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .launch_begin = launch_begin,
    .launch_end = end,
    .sm_begin = sm_begin,
    .sm_end = end,
    .warp_start = warp_start,
    .executed = executed,
    .rows = rows,
    .program = &(const struct tech_program){.transform = transform},
};
