// A mechanism with a guest: the guest walks a second copy of the program ahead of the warps.
//
//     program: kernel ─ kernel again        transform joins both; the guest walks the second, for a warp
//
// The guest computes the values of the warp, except that loads give 0, and asks for the first line of every
// load on the way. Values read from memory are wrong, so the guest may go astray; it then gives up.
#include "base/bits.h"
#include "base/hash.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "memory/cache.h"
#include "memory/config.h"
#include "tech/extra.h"

#include <stdlib.h>

enum { STEPS_MAX = 3000, LINES_MAX = 4 };
enum { WALKS, STEPS, LINES, RESULTS };

struct ahead {
    struct sm_grid *grid;
    uint64_t *counts;
    uint32_t entry;
    struct warp *values;
    unsigned steps_left, lines_under_way;
};

static struct program *transform(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                                 unsigned warp_size, const bool *shared)
{
    (void)u, (void)block, (void)warp_size, (void)shared;
    return program_join(p, p);
}

// State of the launch for every SM: the index at which the copy begins. Later
// transforms may have changed both copies.
static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct program *p = l->launch->program;
    uint32_t *entry = heap_alloc(sizeof *entry);
    (void)u;
    *entry = p->functions[p->function_count / 2].first;
    return entry;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct ahead *a = heap_alloc(sizeof *a);
    *a = (struct ahead){.grid = grid, .counts = counts, .entry = *(const uint32_t *)launch};
    return a;
}

// A warp starts: if the guest is idle, start it for this warp, with one of two turns.
static void warp_start(void *state, unsigned place)
{
    struct ahead *a = state;
    const struct warp *w = tech_warp(a->grid, place);
    if (tech_guest_runs(a->grid)) return;
    uint64_t draw = hash_u64(++a->counts[WALKS]);
    a->values = tech_guest_values(a->grid, w->cta->linear, w->index);
    a->steps_left = STEPS_MAX;
    tech_guest_start(a->grid, &tech_ahead, a->entry, (unsigned)(draw / 8 % 4),
                     (enum guest_turn)(draw % (GUEST_BESIDE + 1)));
}

static bool guest_may(const void *state, uint32_t index)
{
    const struct ahead *a = state;
    (void)index;
    return a->lines_under_way < LINES_MAX;
}

static void ask_for_line(struct ahead *a, uint32_t index)
{
    struct exec_access x = {0};
    uint32_t bytes = tech_launch(a->grid)->memory->line_bytes;
    exec_find_access(a->values, warp_code(a->values, index), &x);
    uint64_t lanes = x.mask & ~(x.shared | x.local);
    if (x.kind != ACCESS_LOAD || !lanes) return;
    bool asked = tech_request(a->grid, &tech_ahead, x.address[bit_lowest(lanes)] & ~(uint64_t)(bytes - 1),
                              (uint8_t)bit_mask(bytes / SECTOR_BYTES), 0);
    a->lines_under_way += asked;
    a->counts[LINES] += asked;
}

static void guest(void *state, uint32_t index, struct guest_step *step)
{
    struct ahead *a = state;
    const struct program *p = tech_launch(a->grid)->launch->program;
    const struct inst *i = &p->insts[index];
    a->counts[STEPS]++;
    step->lanes = bit_count(a->values->active);
    if (isa_has(i, ISA_LOAD) && isa_space_of(i) == SPACE_GLOBAL) ask_for_line(a, index);
    tech_guest_compute(a->grid, a->values, index);
    bool goes_on = a->values->state == WARP_READY && a->values->pc < p->inst_count && --a->steps_left;
    step->next = goes_on ? a->values->pc : GUEST_ENDS;
}

static void guest_result(void *state, uint32_t index, uint64_t cycle)
{
    struct ahead *a = state;
    (void)index;
    a->counts[RESULTS] += cycle > tech_now(a->grid);
}

static void line(void *state, uint64_t address, uint32_t token)
{
    struct ahead *a = state;
    (void)address, (void)token;
    a->lines_under_way--;
}

static const char *check(const void *state)
{
    const struct ahead *a = state;
    if (a->lines_under_way) return "ahead: a line has not come";
    return a->counts[RESULTS] == a->counts[STEPS] ? NULL : "ahead: an instruction has no result";
}

static const struct tech_counter counters[] = {[WALKS] = {"walks", "walks", "through the program"},
                                               [STEPS] = {"steps", "warp instructions", "of the guest"},
                                               [LINES] = {"lines", "lines", "asked for"},
                                               [RESULTS] = {"results", "warp instructions", "done"}};

const struct tech tech_ahead = {
    .name = "ahead",
    .meaning = "the program is walked ahead of the warps",
    .claims = CLAIMS(GUEST_STREAM) | CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .counters = counters,
    .counter_count = 4,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_start = warp_start,
    .check = check,
    .program = &(const struct tech_program){.transform = transform},
    .lines = &(const struct tech_lines){.line = line},
    .guest = &(const struct tech_guest){.guest_may = guest_may, .guest = guest, .guest_result = guest_result},
};
