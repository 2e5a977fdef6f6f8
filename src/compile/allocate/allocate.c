// Register allocation: rounds of live ranges, webs, colours and spill code until every web has a register.
// The remaining parallel copies then become moves. allocate.h shows the steps.
#include "compile/allocate/allocate.h"

#include <string.h>

enum {
    ROUNDS_MAX = 64,
    // smaller limits are raised to this: one instruction with its guard needs at most 16 registers at once
    REGISTERS_MIN = 16
};

static void record_registers(struct allocation *a)
{
    struct mach_function *f = a->f;
    uint32_t units = mach_unit_count(f);
    f->reg = ARENA_ARRAY(f->arena, uint8_t, units);
    f->reg_count = f->pred_count = 0;
    for (uint32_t u = 0; u < units; u++) {
        uint32_t group = f->group_of.data[u];
        const struct web *w = &a->webs[a->web_of[group]];
        if (w->reg < 0) continue; // never live
        unsigned reg = (unsigned)w->reg + a->offset_of[group] + (u - f->groups.data[group].unit);
        f->reg[u] = (uint8_t)reg;
        uint32_t *count = w->predicate ? &f->pred_count : &f->reg_count;
        if (reg >= *count) *count = reg + 1;
    }
}

// Fills f->reg of the units with numbers from `known` on. The units were made for the moves of parallel
// copies; each has a fixed machine register.
static void record_move_registers(struct mach_function *f, uint32_t known)
{
    uint32_t units = mach_unit_count(f);
    uint8_t *reg = ARENA_ARRAY(f->arena, uint8_t, units);
    memcpy(reg, f->reg, known);
    for (uint32_t u = known; u < units; u++) reg[u] = (uint8_t)mach_group_of(f, u)->fixed;
    f->reg = reg;
}

static void note_saved(struct mach_function *f)
{
    for (uint32_t u = 0; u < mach_unit_count(f); u++)
        if (!mach_group_of(f, u)->predicate && f->reg[u] >= ABI_FIRST_SAVED) f->saved[f->reg[u]] = true;
}

static bool allocate_round(struct mach_function *f, struct arena *scratch, unsigned limit, bool *failed)
{
    struct allocation a = {.f = f, .arena = scratch, .limit = limit};
    allocate_live(&a);
    allocate_webs(&a);
    bool done = allocate_colours(&a);
    *failed = !done && !a.spilled_count;
    if (done) {
        record_registers(&a);
        uint32_t known = mach_unit_count(f);
        allocate_moves(&a);
        record_move_registers(f, known);
        note_saved(f);
    } else if (!*failed) {
        allocate_spill(&a);
    }
    return done;
}

// Records the operands of every instruction and phi for the allocation checker, before spill code changes
// operands.
static void keep_names(struct mach_function *f)
{
    for (uint32_t k = 0; k < f->block_count; k++)
        for (struct mach_inst *i = f->blocks[k]->first; i; i = i->next) {
            struct mach_names *n = ARENA_NEW(f->arena, struct mach_names);
            memcpy(n->dst, i->dst, sizeof n->dst);
            memcpy(n->src, i->src, sizeof n->src);
            memcpy(n->old, i->old, sizeof n->old);
            n->guard = i->guard;
            n->moves = ARENA_ARRAY(f->arena, struct mach_move, i->move_count);
            n->move_count = i->move_count;
            if (i->move_count) memcpy(n->moves, i->moves, sizeof *n->moves * i->move_count);
            i->names = n;
        }
    for (uint32_t k = 0; k < f->block_count; k++) {
        struct mach_block *b = f->blocks[k];
        b->named_phi_count = (uint32_t)b->phis.count;
        b->named_phis = ARENA_ARRAY(f->arena, struct mach_phi, b->phis.count);
        for (size_t p = 0; p < b->phis.count; p++) {
            b->named_phis[p] = b->phis.data[p];
            b->named_phis[p].src = ARENA_ARRAY(f->arena, uint32_t, b->pred_count);
            memcpy(b->named_phis[p].src, b->phis.data[p].src, sizeof(uint32_t) * b->pred_count);
        }
    }
}

const char *mach_allocate(struct mach_function *f, unsigned max_registers, bool check)
{
    unsigned limit = max_registers && max_registers < REG_LIMIT ? max_registers : REG_LIMIT;
    if (limit < REGISTERS_MIN) limit = REGISTERS_MIN;
    allocate_phis(f);
    if (check) keep_names(f);
    bool done = false, failed = false;
    for (unsigned round = 0; !done && !failed && round < ROUNDS_MAX; round++) {
        struct arena scratch;
        arena_init(&scratch);
        done = allocate_round(f, &scratch, limit, &failed);
        arena_fini(&scratch);
    }
    if (!done) return arena_printf(f->arena, "%s: no allocation in %u registers", f->source->name, limit);
    return check ? mach_allocation_check(f) : NULL;
}
