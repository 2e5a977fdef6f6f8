// A warp's instructions between fetch (or skip) and issue, renamed in program order.
//
//     lines:  SKIPPED PRIVATE LEADER  BRA  UNKNOWN UNKNOWN ◀─ fetch
//             └ passed at once        └ everything behind BRA is renamed after its issue
//
// The first warp to rename a redundant instruction leads it; warps that find its entry skip it. A warp off
// the path executes the instruction privately. So does a warp on the path if no entry or pool register is
// free, after a store has dropped the entry, or with a source of its own. The result of a private source is
// private, too ("poison", docs/explanation/techniques/darsie.md).
#include "exec/warp.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/space.h"
#include "tech/darsie/darsie.h"

#include <assert.h>
#include <string.h>

struct line *rename_push(struct dwarp *w, uint32_t pc)
{
    assert(w->count < LINES);
    struct line *l = line_at(w, w->count++);
    l->pc = pc; // read_at and preds: set by skip_follow
    l->role = ROLE_UNKNOWN;
    l->count = 0;
    memset(l->registers, 0, sizeof l->registers);
    return l;
}

// -- poison -------------------------------------------------------------------------------------------------

enum { POISON_PREDS = 4 }; // index of the predicates' word

static bool is_tainted(const struct dwarp *w)
{
    const uint64_t *p = w->poison;
    return p[0] | p[1] | p[2] | p[3] | p[POISON_PREDS] | w->poisoned_memory;
}

static bool has_poison(const struct dwarp *w, unsigned r) { return w->poison[r / 64] >> r % 64 & 1; }

bool rename_has_poison(const struct darsie *d, unsigned place, uint32_t pc)
{
    const struct dwarp *w = &d->warps[place];
    const struct op *o = &d->launch->sources[pc];
    if (w->poison[POISON_PREDS] & o->pred_reads) return true;
    if (w->poisoned_memory && d->launch->program->insts[pc].op == OP_LDL) return true;
    for (unsigned k = 0; k < o->read_count; k++)
        if (has_poison(w, o->reads[k])) return true;
    return false;
}

void rename_set_poison(struct darsie *d, unsigned place, uint32_t pc, bool poisoned)
{
    struct dwarp *w = &d->warps[place];
    const struct op *o = &d->launch->ops[pc];
    bool partly = isa_keeps_old(&d->launch->program->insts[pc]) || // some lanes keep their old values
                  (d->launch->diverged && tech_warp(d->grid, place)->active != d->whole);
    if (d->launch->options->rules == RULES_PAPER || !keeps(d, RULE_POISON) || (!poisoned && partly)) return;
    if (poisoned && d->launch->program->insts[pc].op == OP_STL) w->poisoned_memory = true;
    for (unsigned r = o->dst; r < o->dst + o->dst_words; r++) {
        uint64_t bit = 1ull << r % 64;
        w->poison[r / 64] = poisoned ? w->poison[r / 64] | bit : w->poison[r / 64] & ~bit;
    }
    if (poisoned)
        w->poison[POISON_PREDS] |= o->pred_writes;
    else
        w->poison[POISON_PREDS] &= ~(uint64_t)o->pred_writes;
    w->is_tainted = is_tainted(w);
}

// -- a line -------------------------------------------------------------------------------------------------

static bool go_private(struct darsie *d, unsigned place, struct line *l, enum darsie_counter why,
                       bool poisoned)
{
    d->counters[why]++;
    say(d, block_of(d, place), index_in_block(d, place), STEP_PRIVATE, l->pc, (uint32_t)why);
    l->role = ROLE_PRIVATE;
    rename_poison(d, place, l->pc, poisoned || d->launch->changing[l->pc]);
    return true;
}

// Frees and returns the oldest entry with a result, except loads: all warps must take one loaded value. A warp
// that has still to pass the instruction finds no entry, and leads once more. NULL: no entry was freed.
static struct entry *replace_oldest(const struct darsie *d, struct dblock *b)
{
    struct entry *oldest = NULL;
    for (unsigned k = 0; k < d->launch->options->entries; k++) {
        struct entry *e = &b->entries[k];
        bool may_go = e->written_back && (!e->is_load || !keeps(d, RULE_LOADS_KEPT));
        if (may_go && (!oldest || e->born < oldest->born)) oldest = e;
    }
    if (oldest) skip_release(b, oldest);
    return oldest;
}

static struct entry *free_entry(const struct darsie *d, struct dblock *b)
{
    uint64_t unused = ~b->used & (UINT64_MAX >> (64 - d->launch->options->entries));
    if (unused) return &b->entries[__builtin_ctzll(unused)];
    // With entries matched by paths, entries of abandoned paths would otherwise stay until the next barrier.
    bool replaces = d->launch->options->full == FULL_REPLACE || d->launch->options->branch_sync == BRANCH_OFF;
    return replaces ? replace_oldest(d, b) : NULL;
}

static bool lead(struct darsie *d, unsigned place, struct line *l, struct entry *e)
{
    struct dblock *b = block_of(d, place);
    const struct inst *i = &d->launch->program->insts[l->pc];
    unsigned me = index_in_block(d, place);
    *e = (struct entry){.pc = l->pc,
                        .is_load = d->launch->changing[l->pc],
                        .is_global = isa_has(i, ISA_LOAD) && i->space != SPACE_SHARED,
                        .leader = (uint8_t)me,
                        .count = d->launch->ops[l->pc].dst_words,
                        .tag = d->warps[place].tag,
                        .lanes = tech_warp(d->grid, place)->active,
                        .whom = class_of(d->launch->period[l->pc], me),
                        .passed = 1ull << me,
                        .born = b->births++,
                        .ready = UINT64_MAX};
    uint64_t bit = 1ull << (e - b->entries);
    b->used |= bit;
    b->with_pc[l->pc % PC_CLASSES] |= bit;
    b->unchecked |= bit;
    ways_note_leader(d, place, e);
    l->role = ROLE_LEADER;
    l->count = e->count;
    for (unsigned n = 0; n < e->count; n++) {
        unsigned r = (unsigned)__builtin_ctzll(b->free);
        b->free &= ~(1ull << r);
        b->references[r] = 2; // references of the entry and the line
        b->allocated[r] = b->births;
        if (e->lanes != d->whole) // may_lead: the destination is shared
            e->old[n] = (uint8_t)values_place(d, place, d->launch->ops[l->pc].dst + n);
        l->registers[n] = e->registers[n] = (uint8_t)r;
    }
    e->written_back = !keeps(d, RULE_WRITTEN_BACK);
    d->counters[COUNT_leaders]++;
    say(d, b, me, STEP_LEAD, l->pc, e->registers[0]);
    rename_poison(d, place, l->pc, false);
    return true;
}

static bool have_met(const struct darsie *d, unsigned place, const struct line *l)
{
    const struct dblock *b = &d->blocks[d->warps[place].block];
    return b->gather_over >> index_in_block(d, place) & 1 && b->gather_pc == l->pc &&
           b->gather_tag == d->warps[place].tag;
}

// Makes the warps on the path wait for each other at the instruction (false). Then earlier entries are not
// needed any more, and older versions of registers have had their last readers. If the warps cannot meet or
// have met in vain, the execution is private (true), counted by `why`.
static bool gather(struct darsie *d, unsigned place, struct line *l, enum darsie_counter why)
{
    struct dblock *b = block_of(d, place);
    uint64_t me = 1ull << index_in_block(d, place);
    struct dwarp *w = &d->warps[place];
    bool elsewhere = b->gather_pc != NO_TARGET && (b->gather_pc != l->pc || b->gather_tag != w->tag);
    if (elsewhere || have_met(d, place, l) || d->launch->options->branch_sync == BRANCH_OFF)
        return go_private(d, place, l, why, false);
    if (!b->gathered) {
        b->gather_pc = l->pc;
        b->gather_tag = w->tag;
        b->arrived_since = tech_now(d->grid);
        d->counters[COUNT_register_syncs]++;
        if (d->launch->options->watchdog)
            tech_at(d->grid, d->warps[place].block, tech_now(d->grid) + d->launch->options->watchdog);
    }
    b->gathered |= me;
    say(d, b, index_in_block(d, place), STEP_GATHER, l->pc, 0);
    w->waits = WAITS_GATHER;
    return false;
}

static bool is_short(const struct darsie *d, const struct dblock *b, const struct line *l)
{
    return (unsigned)__builtin_popcountll(b->free) < d->launch->ops[l->pc].dst_words;
}

// Whether a meeting of the warps may free a pool register: one with fewer references than the path has warps,
// and in no entry.
static bool meeting_frees(const struct darsie *d, const struct dblock *b)
{
    unsigned all = (unsigned)__builtin_popcountll(b->majority);
    uint64_t entries = skip_registers(b);
    for (unsigned r = 0; r < d->pool; r++)
        if (b->references[r] && b->references[r] < all && !(entries >> r & 1)) return true;
    return false;
}

// Frees pool registers until the line's instruction has enough, or none can be freed. The oldest goes first:
// copied to the own registers of its readers.
static void evict(struct darsie *d, struct dblock *b, const struct line *l)
{
    uint64_t tried = b->free | b->awaited;
    while (is_short(d, b, l)) {
        unsigned oldest = POOL_MAX;
        for (unsigned r = 0; r < d->pool; r++)
            if (!(tried >> r & 1) && (oldest == POOL_MAX || b->allocated[r] < b->allocated[oldest]))
                oldest = r;
        if (oldest == POOL_MAX) return;
        tried |= 1ull << oldest;
        values_evict(d, b, oldest);
    }
}

// True: the write waits, because warps still have a destination mapped to the pool and may read the old value
// (order=sync-on-write; DARSIE paper, section 4.1, solution 1).
static bool waits_for_readers(const struct darsie *d, unsigned place, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    if (d->launch->options->order != ORDER_SYNC || have_met(d, place, l)) return false;
    const struct dblock *b = &d->blocks[d->warps[place].block];
    for (uint64_t left = b->majority; left; left &= left - 1) {
        const struct dwarp *w = &d->warps[place_in(b, (unsigned)__builtin_ctzll(left))];
        for (unsigned r = o->dst; r < o->dst + o->dst_words; r++)
            if (w->shared[r / 64] >> r % 64 & 1) return true;
    }
    return false;
}

// Whether the warp may lead. A diverged warp may if the destinations are shared, so that the lanes not
// written are shared, too. The instruction must then neither exchange lanes nor write predicates.
static bool may_lead(struct darsie *d, unsigned place, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    if (!d->launch->diverged || tech_warp(d->grid, place)->active == d->whole) return true;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++)
        if (!is_shared(&d->warps[place], r)) return false;
    return !isa_has(&d->launch->program->insts[l->pc], ISA_CROSS_LANE) && !o->pred_writes;
}

// Marks the entry as passed by the warp, without use of the result.
static void pass_by(struct darsie *d, unsigned place, struct entry *e)
{
    skip_pass(block_of(d, place), e, index_in_block(d, place));
}

// Takes the entry, waits for the leader's result (false), or executes privately.
static bool rename_by(struct darsie *d, unsigned place, struct line *l, struct entry *e)
{
    struct dwarp *w = &d->warps[place];
    // The entry found is of an earlier iteration: the warp has passed the entry before. Reached only with a
    // rule left out, by tests (enum darsie_rule).
    bool of_another_time = e->passed >> index_in_block(d, place) & 1;
    if (of_another_time) return go_private(d, place, l, COUNT_private_full, false);
    if (e->dropped) {
        pass_by(d, place, e);
        return go_private(d, place, l, COUNT_private_dropped, true);
    }
    if (!skip_fits(d, place, e)) return go_private(d, place, l, COUNT_private_path, true);
    if (!e->written_back && !skip_waits(d, e)) {
        pass_by(d, place, e);
        return go_private(d, place, l, COUNT_private_pending, false);
    }
    if (!e->written_back) {
        if (w->waits != WAITS_LEADER) d->counters[COUNT_leader_waits]++;
        w->waits = WAITS_LEADER;
        return false;
    }
    skip_follow(d, place, e, l);
    d->counters[COUNT_skipped_decode]++;
    tech_drop(d->grid, place, l->pc);
    w->stale = true;
    return true;
}

static bool waits_for_room(const struct darsie *d, const struct line *l)
{
    enum full full = (enum full)d->launch->options->full;
    return full == FULL_WAIT || (full == FULL_WAIT_LOADS && d->launch->changing[l->pc]);
}

// Makes the warp the instruction's leader, given a free entry and free pool registers. Otherwise the warp
// executes privately, or waits (false).
static bool rename_first(struct darsie *d, unsigned place, struct line *l)
{
    struct dblock *b = block_of(d, place);
    const struct darsie_options *o = d->launch->options;
    bool lacks_threads = tech_warp(d->grid, place)->present != d->whole; // its vector would have gaps
    if (lacks_threads && o->rules == RULES_SOUND && keeps(d, RULE_PARTIAL))
        return go_private(d, place, l, COUNT_private_path, false);
    if (!may_lead(d, place, l)) return go_private(d, place, l, COUNT_private_path, false);
    if (waits_for_readers(d, place, l)) return gather(d, place, l, COUNT_private_registers);
    if (is_short(d, b, l) && o->evict) {
        evict(d, b, l);
        if (!may_lead(d, place, l)) // the lanes not written are the warp's own after the eviction
            return go_private(d, place, l, COUNT_private_path, false);
    }
    if (is_short(d, b, l)) {
        if (meeting_frees(d, b)) return gather(d, place, l, COUNT_private_registers);
        return go_private(d, place, l, COUNT_private_registers, false);
    }
    struct entry *e = free_entry(d, b);
    if (!e && waits_for_room(d, l)) return gather(d, place, l, COUNT_private_full);
    if (!e) return go_private(d, place, l, COUNT_private_full, false);
    if (skip_write_port(d)) return lead(d, place, l, e);
    d->warps[place].waits = WAITS_PORT;
    tech_at(d->grid, d->warps[place].block, tech_now(d->grid) + 1);
    return false;
}

static bool rename_redundant(struct darsie *d, unsigned place, struct line *l)
{
    bool poisoned = rename_is_poisoned(d, place, l->pc);
    if (!path_is_on(d, place)) return go_private(d, place, l, COUNT_private_path, poisoned);
    if (poisoned) return go_private(d, place, l, COUNT_private_poison, true);
    struct entry *e = skip_find(d, place, l->pc);
    return e ? rename_by(d, place, l, e) : rename_first(d, place, l);
}

static bool rename_line(struct darsie *d, unsigned place, struct line *l)
{
    if (d->launch->period[l->pc] && !block_of(d, place)->off) return rename_redundant(d, place, l);
    // Even an instruction that is not redundant passes poison on: an instruction with a guard or predicates
    // to write is executed by every warp. Only `followed` instructions matter: by the marks, results of
    // others differ between warps, and no shareable instruction reads a differing value.
    l->role = ROLE_PRIVATE;
    if (d->launch->followed[l->pc])
        rename_poison(d, place, l->pc, rename_is_poisoned(d, place, l->pc) || d->launch->changing[l->pc]);
    return true;
}

// Whether the warp's PC is at its first line: the oldest instruction fetched or skipped, and not yet issued.
// If not, the PC is at an instruction that a decoupled stream executes instead of the warp. The mechanism
// with the stream has still to move the PC past the instruction.
static bool is_at_first(const struct darsie *d, unsigned place)
{
    return !d->launch->has_gaps || tech_warp(d->grid, place)->pc == line_at(&d->warps[place], 0)->pc;
}

// The SM looks again at the warp, with its holds unchanged.
static void refresh(struct darsie *d, struct dwarp *w, unsigned place)
{
    w->stale = false;
    tech_look(d->grid, place);
}

// Whether the warp waits for other warps at a branch or too many branches ahead, and nothing else is to be done.
static inline bool is_parked(const struct darsie *d, struct dwarp *w)
{
    return (w->at_branch || w->too_far) && w->held == (HOLD_FETCH | HOLD_ISSUE) && !w->stale && !w->renamed &&
           !w->leaving && w->waits == WAITS_NOT && !d->launch->options->give_up;
}

void rename_wake(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    if (is_parked(d, w) || !tech_warp(d->grid, place)) return;
    if (w->waits == WAITS_FETCH_LEADER) w->waits = WAITS_NOT;
    if (w->leaving) path_copy_out(d, place);
    rename_more(d, place);
}

static __attribute__((noinline)) void go_on(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    struct dblock *b = block_of(d, place);
    const struct warp *warp = tech_warp(d->grid, place);
    // No renaming while the warp waits for others at a branch or barrier, or because it is too many counted
    // branches ahead.
    bool stays = w->at_branch || w->too_far || warp->state != WARP_READY;
    bool parted = d->launch->diverged && warp->active != d->whole;
    while (w->renamed < w->count && !stays && !w->held_up) {
        // a diverged warp's active lanes are known only when the warp gets there
        if (parted && w->renamed) break;
        struct line *l = line_at(w, w->renamed);
        if (!rename_line(d, place, l)) break;
        w->waits = WAITS_NOT;
        w->renamed++;
        look_again(d, place);
        w->held_up = l->role != ROLE_SKIPPED && d->launch->blocks[l->pc];
        if (b->gather_pc != NO_TARGET) path_ungather(b, 1ull << index_in_block(d, place));
    }
    uint32_t before = w->count;
    if (rename_is_passable(w)) rename_pass(d, place);
    if (parted && w->count && w->count != before) {
        rename_more(d, place);
        return;
    }
    rename_hold(d, place);
    if (w->waits == WAITS_GATHER) path_resolve(d, b);
}

static inline __attribute__((always_inline)) void more(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    if (!rename_is_settled(d, w))
        go_on(d, place);
    else if (w->stale)
        refresh(d, w, place);
}

void rename_more(struct darsie *d, unsigned place) { more(d, place); }

void rename_pass(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    while (rename_is_passable(w) && is_at_first(d, place)) {
        struct line *l = line_at(w, 0);
        const struct op *o = &d->launch->ops[l->pc];
        if (d->launch->verify) values_verify_skip(d, place, l);
        for (unsigned n = 0; n < l->count; n++) values_map(d, place, o->dst + n, l->registers[n]);
        unsigned n = 0;
        for (unsigned left = o->pred_writes; left; left &= left - 1)
            tech_warp(d->grid, place)->pred[__builtin_ctz(left)] = l->preds[n++];
        w->first = (w->first + 1) % LINES;
        w->count--;
        w->renamed--;
        w->stale = true;
        tech_advance(d->grid, &tech_darsie, place, l->pc + 1);
    }
}

void rename_advanced(void *state, unsigned place) { rename_more(state, place); }

static unsigned resident_warps(const struct darsie *d)
{
    unsigned count = 0;
    for (unsigned k = 0; k < tech_launch(d->grid)->blocks_per_sm; k++)
        count += (unsigned)__builtin_popcountll(d->blocks[k].live);
    return count ? count : 1;
}

// Counts the cycles in which the mechanism holds a ready warp. The fewer warps the SM has, the less is hidden:
// the loss is WHOLE_LOSS in a cycle in which every warp waits. A block with too great a loss stops sharing at
// the next cycle's event (give-up).
static void count_wait(struct darsie *d, unsigned place, bool waits)
{
    struct dwarp *w = &d->warps[place];
    uint64_t now = tech_now(d->grid);
    if (w->held_since) {
        struct dblock *b = block_of(d, place);
        d->counters[COUNT_waits] += now - w->held_since;
        if (d->launch->options->give_up) b->loss += (now - w->held_since) * WHOLE_LOSS / resident_warps(d);
        if (path_has_lost(d, b)) tech_at(d->grid, w->block, now + 1);
    }
    w->held_since = waits ? now : 0;
}

void rename_hold(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    unsigned hold = 0;
    bool waits_now = w->at_branch || w->too_far || w->leaving || w->waits != WAITS_NOT || w->copying;
    if (!waits_now && !w->held && !w->held_since && !w->stale && (w->renamed || !w->count) &&
        !rename_may_overtake(d, w)) {
        w->overtakes = false;
        return;
    }
    if (w->at_branch || w->too_far || w->leaving || (w->copying && w->copying > tech_now(d->grid)))
        hold = HOLD_FETCH | HOLD_ISSUE;
    if (w->waits == WAITS_FETCH_LEADER) hold |= HOLD_FETCH;
    if (w->count && !w->renamed) hold |= HOLD_ISSUE;
    uint64_t overtaken = rename_may_overtake(d, w) ? values_overtaken(d, place, line_at(w, 0)->pc) : 0;
    w->overtakes = overtaken == UINT64_MAX;
    if (overtaken) hold |= HOLD_ISSUE;
    if (overtaken && !w->overtakes) tech_at(d->grid, d->warps[place].block, overtaken);
    bool for_leader = w->waits == WAITS_LEADER || w->waits == WAITS_FETCH_LEADER;
    bool waits =
        hold && !for_leader && !block_of(d, place)->off && tech_warp(d->grid, place)->state == WARP_READY;
    if (waits || w->held_since) count_wait(d, place, waits);
    bool is_changed = hold != w->held, is_stale = w->stale;
    w->held = (uint8_t)hold;
    w->stale = false;
    if (is_changed)
        tech_hold(d->grid, &tech_darsie, place, hold);
    else if (is_stale)
        tech_look(d->grid, place);
}

void rename_issued(void *state, unsigned place, uint32_t index)
{
    struct darsie *d = state;
    if (d->launch->plain[index] && !block_of(d, place)->at_barrier)
        more(d, place);
    else
        path_issued(d, place, index);
}

void rename_filled(void *state, unsigned place, uint32_t pc, unsigned count)
{
    struct darsie *d = state;
    for (unsigned n = 0; n < count; n++) rename_push(&d->warps[place], pc + n);
    look_again(d, place);
    more(d, place);
}

// Undoes a leader's renaming: the warp continues at another pc with other lanes, and the next warp leads.
static void resign(struct darsie *d, unsigned place, const struct line *l)
{
    struct dblock *b = block_of(d, place);
    for (unsigned n = 0; n < l->count; n++) release(b, l->registers[n]);
    const struct entry *e = skip_led(d, place, l);
    if (e) skip_release(b, e);
    d->counters[COUNT_leaders]--;
}

void rename_flushed(void *state, unsigned place)
{
    struct darsie *d = state;
    struct dwarp *w = &d->warps[place];
    // Nothing behind a control transfer has been renamed. But parts of a diverged warp also take turns, and a
    // renamed instruction is dropped.
    if (w->renamed && line_at(w, 0)->role == ROLE_LEADER) resign(d, place, line_at(w, 0));
    w->count = w->renamed = 0;
    w->held_up = false;
    look_again(d, place);
    if (w->waits != WAITS_NOT) {
        w->waits = WAITS_NOT;
        path_ungather(block_of(d, place), 1ull << index_in_block(d, place));
    }
}
