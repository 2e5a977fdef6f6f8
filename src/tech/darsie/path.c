// Warps on the majority's path, and the events that end the sharing of an instruction.
//
//     branch    warps on the path wait for each other; the majority stays on the path, the other warps copy
//               their shared registers out and leave (4.1, 4.3.3)
//     barrier   all warps of the block at one pc: warps with all lanes are on the path again
//     store …   loads shared so far are not handed out any more (4.4)
#include "exec/launch.h"
#include "exec/warp.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"
#include "tech/darsie/darsie.h"

#include "base/hash.h"

void path_ungather(struct dblock *b, uint64_t warps)
{
    b->gathered &= ~warps;
    b->gather_over &= ~warps;
    if (!b->gathered && !b->gather_over) b->gather_pc = NO_TARGET;
}

void path_copy_out(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    w->copying = values_copy_out(d, place);
    if (w->copying > tech_now(d->grid)) tech_at(d->grid, d->warps[place].block, w->copying);
    rename_hold(d, place);
}

static void leave(struct darsie *d, struct dblock *b, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    uint64_t me = 1ull << index_in_block(d, place);
    if (!(b->majority & me)) return;
    b->majority &= ~me;
    b->unchecked = UINT64_MAX;
    b->arrived &= ~me;
    path_ungather(b, me);
    w->at_branch = w->too_far = false;
    d->counters[COUNT_departures]++;
    say(d, b, index_in_block(d, place), STEP_LEAVE, tech_warp(d->grid, place)->pc, 0);
    path_copy_out(d, place);
}

static bool go_together(const struct dwarp *a, const struct dwarp *b)
{
    return a->target == b->target && a->lanes == b->lanes && a->went == b->went;
}

// A warp of the largest group of waiting warps with a common direction; among equal groups, the group of the
// lowest warp.
static const struct dwarp *most_wanted(const struct darsie *d, const struct dblock *b)
{
    const struct dwarp *best = NULL;
    unsigned votes = 0;
    for (uint64_t left = b->arrived; left; left &= left - 1) {
        const struct dwarp *w = &d->warps[place_in(b, (unsigned)__builtin_ctzll(left))];
        unsigned same = 0;
        for (uint64_t other = b->arrived; other; other &= other - 1)
            same += go_together(w, &d->warps[place_in(b, (unsigned)__builtin_ctzll(other))]);
        if (same > votes) {
            votes = same;
            best = w;
        }
    }
    return best;
}

static void resolve_branch(struct darsie *d, struct dblock *b)
{
    struct dwarp way = *most_wanted(d, b);
    uint64_t waiting = b->arrived;
    say(d, b, 0, STEP_MEET, way.target, 0);
    if (keeps(d, RULE_CLEAR)) skip_clear(b); // all warps have passed all entries
    d->counters[COUNT_branch_syncs]++;
    d->counters[COUNT_branch_waits] +=
        (uint64_t)__builtin_popcountll(waiting) * (tech_now(d->grid) - b->arrived_since);
    b->arrived = 0;
    for (; waiting; waiting &= waiting - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(waiting));
        d->warps[place].at_branch = false;
        d->warps[place].tag = 0;
        if (!go_together(&d->warps[place], &way)) leave(d, b, place);
        rename_more(d, place);
    }
}

// Bits: warps on the path waiting at a barrier or branch, or too many branches ahead. Warps of the path
// without a bit may still have to reach gather_pc.
static uint64_t beyond(struct darsie *d, const struct dblock *b)
{
    uint64_t mask = 0;
    for (uint64_t left = b->majority; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left);
        unsigned place = place_in(b, index);
        const struct warp *w = tech_warp(d->grid, place);
        if ((w && w->state == WARP_BARRIER) || d->warps[place].too_far) mask |= 1ull << index;
    }
    return mask | b->arrived;
}

// Called when every warp on the path waits, at the instruction or at a later point (beyond). Frees entries
// led or passed by the warps at the instruction, and releases these warps.
static void resolve_gathering(struct darsie *d, struct dblock *b)
{
    uint64_t there = b->gathered;
    for (uint64_t left = b->used; left;) {
        const struct entry *e = take_entry(b, &left);
        if (there >> e->leader & 1 || there & e->passed) skip_release(b, e); // the warps are past this entry
    }
    skip_recheck(b);
    b->gathered = 0;
    b->gather_over = there;
    for (; there; there &= there - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(there));
        d->warps[place].waits = WAITS_NOT;
        rename_more(d, place);
    }
}

void path_meet(struct darsie *d, struct dblock *b)
{
    if (b->arrived && b->arrived == b->majority) resolve_branch(d, b);
    if (b->gathered && !(b->majority & ~(b->gathered | beyond(d, b)))) resolve_gathering(d, b);
}

void path_give_up(struct darsie *d, struct dblock *b)
{
    d->counters[COUNT_gave_up]++;
    b->off = true;
    for (uint64_t left = b->live; left; left &= left - 1)
        leave(d, b, place_in(b, (unsigned)__builtin_ctzll(left)));
    skip_clear(b);
    b->arrived = 0;
    path_ungather(b, UINT64_MAX);
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left));
        d->warps[place].at_branch = d->warps[place].too_far = false;
        d->warps[place].waits = WAITS_NOT;
        rename_more(d, place);
    }
}

// -- effects of an issued instruction on the path -----------------------------------------------------------

// Restarts the watchdog.
static void be_patient(struct darsie *d, struct dblock *b, unsigned place)
{
    b->arrived_since = tech_now(d->grid);
    if (d->launch->options->watchdog)
        tech_at(d->grid, d->warps[place].block, tech_now(d->grid) + d->launch->options->watchdog);
}

static void arrive(struct darsie *d, struct dblock *b, unsigned place, uint32_t index)
{
    const struct warp *warp = tech_warp(d->grid, place);
    struct dwarp *w = &d->warps[place];
    if (!b->arrived) be_patient(d, b, place);
    b->arrived |= 1ull << index_in_block(d, place);
    w->at_branch = true;
    say(d, b, index_in_block(d, place), STEP_ARRIVE, warp->pc, 0);
    w->target = warp->pc;
    w->lanes = warp->active;
    w->went = d->launch->diverged ? ways_taken(d, place, index) : 0;
    rename_hold(d, place);
}

// Fewest counted branches passed by a warp on the path, since the block last met; UINT64_MAX: the path has no
// warp.
static uint64_t farthest_back(const struct darsie *d, const struct dblock *b)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t left = b->majority; left; left &= left - 1) {
        uint64_t tag = d->warps[place_in(b, (unsigned)__builtin_ctzll(left))].tag;
        if (tag < least) least = tag;
    }
    return least;
}

// Frees entries created before `least` counted branches; every warp on the path has passed as many. A warp
// may have executed an instruction before the entry existed, and would never pass the entry before the block
// meets.
static void forget_past(struct dblock *b, uint64_t least)
{
    for (uint64_t left = b->used; left;) {
        const struct entry *e = take_entry(b, &left);
        if (e->tag < least) skip_release(b, e);
    }
}

void path_look_back(struct darsie *d, struct dblock *b)
{
    if (!d->launch->counts) return;
    uint64_t least = farthest_back(d, b);
    forget_past(b, least);
    for (uint64_t left = b->majority; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left));
        struct dwarp *w = &d->warps[place];
        if (!w->too_far || w->tag - least > d->launch->options->ahead) continue;
        w->too_far = false;
        rename_more(d, place);
    }
}

// The warp has passed a counted branch, in the same direction as all warps that stay on the path. A warp too
// many branches ahead of the last warp waits, so a few bits distinguish entries.
static void pass(struct darsie *d, struct dblock *b, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    w->tag++;
    d->counters[COUNT_branches_passed]++;
    w->too_far = w->tag - farthest_back(d, b) > d->launch->options->ahead;
    if (w->too_far) {
        d->counters[COUNT_ahead_waits]++;
        be_patient(d, b, place);
        rename_hold(d, place);
    }
    path_look_back(d, b);
}

static uint64_t way_on(const struct darsie *d, unsigned place, uint64_t way, uint32_t index)
{
    const struct warp *w = tech_warp(d->grid, place);
    uint64_t went = d->launch->diverged ? ways_taken(d, place, index) : 0;
    return hash_u64(way ^ ((uint64_t)index << 32 | w->pc)) ^ (w->active ^ w->present) ^ went;
}

static bool guard_is_own(const struct darsie *d, unsigned place, uint32_t index)
{
    return d->launch->options->rules == RULES_SOUND && rename_is_poisoned(d, place, index);
}

// Whether the warp takes the path's direction at the branch, decided by the path's first warp to reach it.
// Warps with a different direction leave the path.
static bool goes_along(const struct darsie *d, struct dblock *b, unsigned place, uint32_t index)
{
    const struct warp *w = tech_warp(d->grid, place);
    uint64_t branch = d->warps[place].tag;
    struct way *way = &b->ways[branch % (d->launch->options->ahead + 1)];
    struct way mine = {w->pc, w->active, d->launch->diverged ? ways_taken(d, place, index) : 0};
    if (branch >= b->decided) {
        *way = mine;
        b->decided = branch + 1;
    }
    bool same = way->pc == mine.pc && way->lanes == mine.lanes && way->went == mine.went;
    return same || !keeps(d, RULE_WAYS);
}

static bool may_count(const struct darsie *d, struct dblock *b, unsigned place, uint32_t index, bool own)
{
    return d->launch->options->branch_sync == BRANCH_FIRST ? goes_along(d, b, place, index) : !own;
}

static void at_branch(struct darsie *d, struct dblock *b, unsigned place, uint32_t index, bool own)
{
    enum branch_effect effect = d->launch->effects[index];
    if (!may_stay(d, tech_warp(d->grid, place)) ||
        (effect == BRANCH_COUNT && !may_count(d, b, place, index, own)))
        leave(d, b, place);
    else if (d->launch->options->branch_sync == BRANCH_OFF)
        // The tag selects the warp's entries.
        d->warps[place].tag = way_on(d, place, d->warps[place].tag, index);
    else if (effect == BRANCH_MEET)
        arrive(d, b, place, index);
    else if (effect == BRANCH_COUNT)
        pass(d, b, place);
}

// Whether a part of the warp waits at a barrier. With simt=splits other parts may run meanwhile.
static bool has_part_at_barrier(const struct warp *w)
{
    for (size_t k = 0; k < w->splits.count; k++)
        if (w->splits.data[k].state == SPLIT_BARRIER) return true;
    return false;
}

// Whether the barrier joins all warps of the block. Groups of warps in a RISC-V kernel proceed independently:
// warps at the same pc may be in different iterations.
static bool is_of_whole_block(const struct darsie *d, const struct inst *i)
{
    const struct sm_launch *l = tech_launch(d->grid);
    if (i->op == OP_WARPCMD) {
        uint32_t group = l->launch->flat->barrier_warps;
        return !group || group >= l->warps_per_block;
    }
    return i->op == OP_BAR && i->mode != MODE_BAR_ARRIVE && i->src[1].kind == OPERAND_NONE;
}

// Returns whole warps to the path when a barrier of the whole block is over: all warps are ready, at one pc.
static void rejoin(struct darsie *d, struct dblock *b, unsigned place)
{
    uint32_t pc = tech_warp(d->grid, place)->pc;
    uint64_t whole = 0;
    // Warps not started yet are not at the barrier.
    if (b->started < tech_launch(d->grid)->warps_per_block) return;
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left);
        const struct warp *w = tech_warp(d->grid, place_in(b, index));
        if (w->state != WARP_READY) return;
        bool literal = d->launch->options->rules == RULES_PAPER || !keeps(d, RULE_MEETING);
        if (w->pc != pc && !literal) return;
        if (is_whole(d, w)) whole |= 1ull << index;
    }
    skip_clear(b);
    b->decided = 0;
    for (uint64_t left = whole; left; left &= left - 1) {
        unsigned warp = place_in(b, (unsigned)__builtin_ctzll(left));
        d->warps[warp].tag = 0;
        d->warps[warp].too_far = false;
        ways_begin(d, warp);
        look_again(d, warp);
    }
    say(d, b, index_in_block(d, place), STEP_REJOIN, pc, (uint32_t)whole);
    d->counters[COUNT_rejoins] += (uint64_t)__builtin_popcountll(whole & ~b->majority);
    b->majority = whole;
    b->unchecked = UINT64_MAX;
}

// Sets *low and *high to the lowest and highest address accessed; for a texture fetch, or without a known
// access, to the whole range. Shared memory counts as an address space beyond all device addresses. Local
// memory is private to a thread and left out.
void path_addresses(const struct exec_access *a, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    if (a->kind == ACCESS_NONE || a->kind == ACCESS_TEXTURE) {
        *low = 0;
        *high = UINT64_MAX;
        return;
    }
    for (uint64_t left = a->mask & ~a->local; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t first = a->address[lane] | (uint64_t)(a->shared >> lane & 1) << 62,
                 last = first + a->bytes - 1;
        if (first < *low) *low = first;
        if (last > *high) *high = last;
    }
}

// Drops the block's shared loads that have read in the range from low to high: a store, or an operation that
// orders memory, may have changed the value. global_alone: loads of shared memory are kept.
static void drop_loads(struct darsie *d, struct dblock *b, bool global_alone, uint64_t low, uint64_t high)
{
    for (uint64_t left = b->used; left;) {
        struct entry *e = take_entry(b, &left);
        if (!e->is_load || e->dropped || (global_alone && !e->is_global)) continue;
        if (!e->read_at) continue; // the leader has not read yet
        if (e->high < low || e->low > high) continue;
        d->counters[COUNT_drops]++;
        say(d, b, e->leader, STEP_DROP, e->pc, 0);
        e->dropped = true;
        if (d->launch->options->rules == RULES_SOUND) continue;
        e->passed = UINT64_MAX; // rules=paper: the entry is freed at once, so the next warp leads again
        b->unchecked |= 1ull << (e - b->entries);
        tech_at(d->grid, (unsigned)(b - d->blocks), tech_now(d->grid) + 1);
    }
    skip_recheck(b);
}

// Whether the atomic acquires only at its reply. Loads made by other warps before the reply are too old for
// the atomic's warp.
static bool acquires_later(const struct inst *i)
{
    return isa_has(i, ISA_ATOMIC) && i->space != SPACE_SHARED &&
           (i->sem == SEM_ACQUIRE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC);
}

// Whether on-barrier=over and the whole warp waits at a barrier. Such a warp reads nothing, and ends no
// sharing of loads before the barrier is over.
static bool waits_at_barrier(const struct darsie *d, unsigned place, const struct inst *i)
{
    const struct warp *w = tech_warp(d->grid, place);
    return d->launch->options->on_barrier == BARRIER_OVER && isa_has(i, ISA_BARRIER) && is_whole(d, w) &&
           w->state == WARP_BARRIER;
}

// Drops the block's shared loads when warps have been released from a barrier: these warps must not take
// loads from before the barrier. (Marks already separate loads with different numbers of barriers before
// them, but the mechanism does not depend on the marks.)
static void end_barriers(struct darsie *d, struct dblock *b)
{
    uint64_t before = b->at_barrier;
    for (uint64_t left = b->at_barrier; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left));
        const struct warp *w = tech_warp(d->grid, place);
        if (w && w->state == WARP_BARRIER) continue;
        b->at_barrier &= ~(left & -left);
        d->warps[place].ordered_at = tech_now(d->grid);
    }
    if (b->at_barrier != before) drop_loads(d, b, false, 0, UINT64_MAX);
}

static void effects(struct darsie *d, struct dblock *b, unsigned place, const struct inst *i)
{
    bool is_store = isa_has(i, ISA_STORE), orders = orders_loads(d->launch->options, i);
    if (!is_store && !orders) return;
    d->warps[place].ordered_at = tech_now(d->grid);
    if (waits_at_barrier(d, place, i)) {
        b->at_barrier |= 1ull << index_in_block(d, place);
        return;
    }
    bool plain = is_store && !orders;
    uint64_t low = 0, high = UINT64_MAX;
    if (orders && !keeps(d, RULE_FENCE)) return;
    if (acquires_later(i) && d->launch->options->rules == RULES_SOUND && keeps(d, RULE_ACQUIRE))
        leave(d, b, place);
    if (plain && d->launch->options->on_store == STORE_DROPS_OVERLAPPING)
        path_addresses(tech_access(d->grid), &low, &high);
    if (!plain || d->launch->options->on_store != STORE_KEEPS) drop_loads(d, b, false, low, high);
    if (isa_has(i, ISA_ATOMIC | ISA_FENCE))
        for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++)
            if (d->blocks[k].live) drop_loads(d, &d->blocks[k], true, 0, UINT64_MAX);
}

// A barrier may be over: goes on renaming for the released warps. `waits`: the issuing warp waits, so the
// barrier is not over, and only warps with other waits are looked at.
static void renew(struct darsie *d, struct dblock *b, bool waits)
{
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left));
        if (waits && d->warps[place].waits == WAITS_NOT) continue;
        if (tech_warp(d->grid, place)->state == WARP_READY) rename_more(d, place);
    }
}

// An exit may complete a barrier: goes on renaming for the released warps.
static void let_go(struct darsie *d, struct dblock *b)
{
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left));
        const struct dwarp *w = &d->warps[place];
        if (w->waits == WAITS_NOT && w->renamed < w->count) rename_more(d, place);
    }
}

void path_issued(struct darsie *d, unsigned place, uint32_t index)
{
    struct dblock *b = block_of(d, place);
    const struct inst *i = &d->launch->program->insts[index];
    const struct warp *w = tech_warp(d->grid, place);
    effects(d, b, place, i);
    end_barriers(d, b);
    bool on = path_is_on(d, place);
    if (isa_has(i, ISA_BRANCH)) ways_note(d, place, index);
    if (on && isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_EXIT))
        at_branch(d, b, place, index, guard_is_own(d, place, index));
    else if (on && d->launch->blocks[index] && !may_stay(d, w) &&
             // A warp that waits at a barrier stays: the other warps may already wait there.
             (w->state != WARP_BARRIER || isa_has(i, ISA_EXIT)))
        leave(d, b, place);
    if (is_of_whole_block(d, i) && !b->off && w->state == WARP_READY && !has_part_at_barrier(w))
        rejoin(d, b, place);
    if (d->launch->blocks[index]) {
        skip_recheck(b);
        path_resolve(d, b);
        path_look_back(d, b);
    }
    rename_more(d, place);
    if (isa_has(i, ISA_BARRIER)) renew(d, b, tech_warp(d->grid, place)->state != WARP_READY);
    if (isa_has(i, ISA_EXIT)) let_go(d, b);
}

void path_warp_end(void *state, unsigned place)
{
    struct darsie *d = state;
    struct dblock *b = block_of(d, place);
    uint64_t me = 1ull << index_in_block(d, place);
    values_unmap_all(d, place);
    b->at_barrier &= ~me;
    end_barriers(d, b);
    b->live &= ~me;
    b->majority &= ~me;
    b->unchecked = UINT64_MAX;
    b->arrived &= ~me;
    path_ungather(b, me);
    skip_recheck(b);
    path_resolve(d, b);
    path_look_back(d, b);
    renew(d, b, false);
}
