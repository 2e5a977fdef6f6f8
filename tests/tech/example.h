// The rest of the short examples in docs/tutorial/mechanism.md: everything but the group's hooks. test_example.c
// writes the page's `struct mine` to a header beside the examples, and a file for every example:
//
//     #define tech_mine tech_mine_blocks
//     #include "example.h"
//     ... the page's hooks and their group ...
//     const struct tech tech_mine = {EXAMPLE, .name = "mine_blocks", ...};
#pragma once
#include "mine.h"

#include <stdlib.h>

struct mine_options {
    uint32_t ways, entries;
};

// clang-format off
static const struct config_key mine_keys[] = {
    {"ways",    CONFIG_U32, offsetof(struct mine_options, ways),    1, 64, NULL, "1", "of a set", "choice"},
    {"entries", CONFIG_U32, offsetof(struct mine_options, entries), 1, 64, NULL, "8", "of the structure", "choice"},
};
// clang-format on

static inline void *mine_launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    (void)u, (void)l;
    return heap_alloc(1);
}

static inline void *mine_sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct mine *m = heap_alloc(sizeof *m);
    const struct program *p = tech_launch(grid)->launch->program;
    (void)launch;
    *m = (struct mine){.grid = grid,
                       .counts = counts,
                       .program = p,
                       .ops = tech_launch(grid)->decoded.ops,
                       .entry = p->functions[p->function_count / 2].first};
    return m;
}

// An instruction of a whole warp, without a guard, with effects on vector registers alone.
static inline bool mine_is_plain(struct mine *m, unsigned place, uint32_t index)
{
    const struct warp *w = tech_warp(m->grid, place);
    const struct inst *i = &m->program->insts[index];
    const struct op *o = &m->ops[index];
    return w->active == w->full && i->guard == PRED_TRUE && !i->guard_not && isa_has(i, ISA_PURE) &&
           o->path == PATH_ALU && o->dst_words && !o->pred_writes;
}

// The skipping example's known results: a constant, for a destination with no write under way.
static inline bool knows(struct mine *m, unsigned place, uint32_t pc)
{
    const struct op *o = &m->ops[pc];
    bool known = tech_warp(m->grid, place)->pc == pc && mine_is_plain(m, place, pc) && !o->read_count &&
                 !o->pred_reads;
    for (unsigned k = 0; known && k < o->dst_words; k++)
        known = tech_ready(m->grid, tech_own(m->grid, place, o->dst + k)) <= tech_now(m->grid);
    return known;
}

static inline void write_result(struct mine *m, unsigned place, uint32_t pc)
{
    tech_recompute(m->grid, place, pc);
}

// The execution example's question: a factor is 0 in every lane.
static inline bool is_product_with_zero(struct mine *m, unsigned place, uint32_t index)
{
    const struct inst *i = &m->program->insts[index];
    bool is_product = (i->op == OP_FMUL || i->op == OP_IMAD) && mine_is_plain(m, place, index);
    for (unsigned k = 0; is_product && k < 2; k++) {
        bool zero = i->src[k].kind == OPERAND_REG;
        for (unsigned lane = 0; zero && lane < tech_launch(m->grid)->launch->warp_size; lane++)
            zero = !tech_lanes(m->grid, place, i->src[k].reg)[lane];
        if (zero) return true;
    }
    return false;
}

static const struct tech_counter mine_counters[] = {{"removed", "warp instructions", "skipped or reused"}};

// clang-format off
#define EXAMPLE                                                                                              \
    .meaning = "an example of the page", .counters = mine_counters, .counter_count = 1,                      \
    .keys = mine_keys, .key_count = 2, .options_bytes = sizeof(struct mine_options),                         \
    .launch_begin = mine_launch_begin, .launch_end = free, .sm_begin = mine_sm_begin, .sm_end = free
// clang-format on
