// Which warps are on the majority's path, and what ends an instruction's being shared.
//
//     branch    those on the path wait for each other; then most of them go one way and stay on it, the
//     others
//               copy their shared registers out and go their own (4.1, 4.3.3)
//     barrier   where all warps of the block meet at one place with all their lanes, all are on the path
//     again store …   loads that have been shared are not handed out any more (4.4)
#include "tech/darsie/darsie.h"

bool path_is_on(const struct darsie *d, unsigned slot)
{
    const struct dblock *b = &d->blocks[tech_block_of(d->sm, slot)];
    return !b->off && b->majority >> index_in_block(d, slot) & 1;
}

void path_ungather(struct dblock *b, uint64_t warps)
{
    b->gathered &= ~warps;
    b->gather_private &= ~warps;
    if (!b->gathered && !b->gather_private) b->gather_pc = NO_TARGET;
}

static void leave(struct darsie *d, struct dblock *b, unsigned slot)
{
    struct dwarp *w = &d->warps[slot];
    uint64_t me = 1ull << index_in_block(d, slot);
    if (!(b->majority & me)) return;
    b->majority &= ~me;
    b->arrived &= ~me;
    path_ungather(b, me);
    w->at_branch = false;
    d->counters[COUNT_departures]++;
    w->copying = values_copy_out(d, slot);
    if (w->copying > tech_now(d->sm)) tech_at(d->sm, tech_block_of(d->sm, slot), w->copying);
    rename_hold(d, slot);
}

// Most of the waiting warps, of as many the way of the lowest-numbered.
static uint32_t most_wanted(struct darsie *d, const struct dblock *b)
{
    uint32_t best = NO_TARGET;
    unsigned votes = 0;
    for (uint64_t left = b->arrived; left; left &= left - 1) {
        uint32_t target = d->warps[slot_in(d, b, (unsigned)__builtin_ctzll(left))].target;
        unsigned same = 0;
        for (uint64_t other = b->arrived; other; other &= other - 1)
            same += d->warps[slot_in(d, b, (unsigned)__builtin_ctzll(other))].target == target;
        if (same > votes) {
            votes = same;
            best = target;
        }
    }
    return best;
}

static void resolve_branch(struct darsie *d, struct dblock *b)
{
    uint32_t way = most_wanted(d, b);
    uint64_t waiting = b->arrived;
    skip_clear(b); // all have passed all of them
    d->counters[COUNT_branch_syncs]++;
    d->counters[COUNT_branch_waits] +=
        (uint64_t)__builtin_popcountll(waiting) * (tech_now(d->sm) - b->arrived_since);
    b->arrived = 0;
    for (; waiting; waiting &= waiting - 1) {
        unsigned slot = slot_in(d, b, (unsigned)__builtin_ctzll(waiting));
        d->warps[slot].at_branch = false;
        if (d->warps[slot].target != way) leave(d, b, slot);
        rename_more(d, slot);
    }
}

static uint64_t at_barriers(struct darsie *d, const struct dblock *b)
{
    uint64_t mask = 0;
    for (uint64_t left = b->majority; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left);
        const struct warp *w = tech_warp(d->sm, slot_in(d, b, index));
        if (w && w->state == WARP_BARRIER) mask |= 1ull << index;
    }
    return mask;
}

// Everybody on the path is at the instruction, or so far beyond that only those who wait here can help.
static void resolve_gathering(struct darsie *d, struct dblock *b)
{
    uint64_t there = b->gathered;
    skip_recheck(d, b);
    unsigned needed = d->launch->ops[b->gather_pc].dst_words;
    b->gathered = 0;
    b->gather_private = (unsigned)__builtin_popcount(b->free) < needed ? there : 0;
    path_ungather(b, 0);
    for (; there; there &= there - 1) {
        unsigned slot = slot_in(d, b, (unsigned)__builtin_ctzll(there));
        d->warps[slot].waits = WAITS_NOT;
        rename_more(d, slot);
    }
}

void path_resolve(struct darsie *d, struct dblock *b)
{
    if (b->arrived && b->arrived == b->majority) resolve_branch(d, b);
    if (b->gathered && !(b->majority & ~(b->gathered | b->arrived | at_barriers(d, b))))
        resolve_gathering(d, b);
}

void path_give_up(struct darsie *d, struct dblock *b)
{
    d->counters[COUNT_gave_up]++;
    b->off = true;
    for (uint64_t left = b->live; left; left &= left - 1)
        leave(d, b, slot_in(d, b, (unsigned)__builtin_ctzll(left)));
    skip_clear(b);
    b->arrived = 0;
    path_ungather(b, UINT64_MAX);
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned slot = slot_in(d, b, (unsigned)__builtin_ctzll(left));
        d->warps[slot].at_branch = false;
        d->warps[slot].waits = WAITS_NOT;
        rename_more(d, slot);
    }
}

// -- what an instruction that has issued means for the path
// ---------------------------------------------------------------------------------------------------------

static void arrive(struct darsie *d, struct dblock *b, unsigned slot)
{
    const struct warp *warp = tech_warp(d->sm, slot);
    struct dwarp *w = &d->warps[slot];
    if (!is_whole(warp)) {
        leave(d, b, slot);
        skip_recheck(d, b);
        return;
    }
    if (!b->arrived) {
        b->arrived_since = tech_now(d->sm);
        if (d->launch->options->watchdog)
            tech_at(d->sm, tech_block_of(d->sm, slot), tech_now(d->sm) + d->launch->options->watchdog);
    }
    b->arrived |= 1ull << index_in_block(d, slot);
    w->at_branch = true;
    w->target = warp->pc;
    rename_hold(d, slot);
}

// A barrier of the whole block is over when everybody stands behind it.
static void rejoin(struct darsie *d, struct dblock *b, unsigned slot)
{
    uint32_t pc = tech_warp(d->sm, slot)->pc;
    uint64_t whole = 0;
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left);
        const struct warp *w = tech_warp(d->sm, slot_in(d, b, index));
        if (w->state != WARP_READY) return;
        if (w->pc != pc && d->launch->options->rules == RULES_SOUND) return;
        if (is_whole(w)) whole |= 1ull << index;
    }
    skip_clear(b);
    d->counters[COUNT_rejoins] += (uint64_t)__builtin_popcountll(whole & ~b->majority);
    b->majority = whole;
}

static void drop_loads(struct darsie *d, struct dblock *b, bool global_alone)
{
    for (unsigned k = 0; k < ENTRIES_MAX; k++) {
        struct entry *e = &b->entries[k];
        if (!e->used || !e->is_load || e->dropped || (global_alone && !e->is_global)) continue;
        d->counters[COUNT_drops]++;
        e->dropped = true;
        if (d->launch->options->rules == RULES_SOUND) continue;
        e->passed = UINT64_MAX; // gone at once: the next warp leads again
        tech_at(d->sm, (unsigned)(b - d->blocks), tech_now(d->sm) + 1);
    }
    skip_recheck(d, b);
}

static void effects(struct darsie *d, struct dblock *b, unsigned slot, const struct inst *i)
{
    bool is_store = isa_has(i, ISA_STORE), orders = isa_has(i, ISA_ATOMIC | ISA_FENCE | ISA_BARRIER);
    if (!is_store && !orders) return;
    d->warps[slot].ordered_at = tech_now(d->sm);
    bool plain = is_store && !orders;
    if (!plain || d->launch->options->on_store == STORE_DROPS) drop_loads(d, b, false);
    if (isa_has(i, ISA_ATOMIC | ISA_FENCE))
        for (unsigned k = 0; k < 64; k++)
            if (d->blocks[k].live) drop_loads(d, &d->blocks[k], true);
}

// A barrier may be over for warps that wait there.
static void renew(struct darsie *d, struct dblock *b)
{
    for (uint64_t left = b->live; left; left &= left - 1)
        rename_more(d, slot_in(d, b, (unsigned)__builtin_ctzll(left)));
}

void path_issued(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    struct dblock *b = block_of(d, slot);
    const struct inst *i = &d->launch->program->insts[index];
    const struct warp *w = tech_warp(d->sm, slot);
    effects(d, b, slot, i);
    bool on = path_is_on(d, slot);
    bool parts = isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_CALL | ISA_EXIT) &&
                 (i->guard != PRED_TRUE || isa_has(i, ISA_INDIRECT)) && i->op != OP_RET;
    if (on && parts)
        arrive(d, b, slot);
    else if (on && d->launch->blocks[index] && w->state != WARP_BARRIER && !is_whole(w))
        leave(d, b, slot);
    if (i->op == OP_BAR && i->mode != MODE_BAR_ARRIVE && i->src[1].kind == OPERAND_NONE && !b->off &&
        w->state == WARP_READY)
        rejoin(d, b, slot);
    if (d->launch->blocks[index]) {
        skip_recheck(d, b);
        path_resolve(d, b);
    }
    rename_more(d, slot);
    if (isa_has(i, ISA_BARRIER)) renew(d, b);
}

void path_warp_end(void *state, unsigned slot)
{
    struct darsie *d = state;
    struct dblock *b = block_of(d, slot);
    uint64_t me = 1ull << index_in_block(d, slot);
    values_unmap_all(d, slot);
    b->live &= ~me;
    b->majority &= ~me;
    b->arrived &= ~me;
    path_ungather(b, me);
    skip_recheck(d, b);
    path_resolve(d, b);
    renew(d, b);
}
