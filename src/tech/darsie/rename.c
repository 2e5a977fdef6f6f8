// The instructions of a warp that have been fetched or skipped and have not issued, renamed in program order.
//
//     lines:  SKIPPED PRIVATE LEADER  BRA  UNKNOWN UNKNOWN ◀─ fetch
//             └ passed at once        └ holds up the renaming of what is behind it until it has issued
//
// A redundant instruction is led by the first warp that renames it, skipped by those that find its entry, and
// executed privately where there is no room, where a store dropped the entry, or where a source is already
// the warp's own ("poison": then so is the result, docs/techniques/darsie.md).
#include "tech/darsie/darsie.h"

struct line *rename_push(struct dwarp *w, uint32_t pc)
{
    struct line *l = line_at(w, w->count++);
    *l = (struct line){.pc = pc};
    return l;
}

bool rename_is_open(const struct darsie *d, unsigned slot)
{
    struct dwarp *w = (struct dwarp *)&d->warps[slot];
    if (w->renamed < w->count) return false;
    for (uint32_t n = 0; n < w->count; n++)
        if (line_at(w, n)->role != ROLE_SKIPPED && d->launch->blocks[line_at(w, n)->pc]) return false;
    return true;
}

// -- poison
// ---------------------------------------------------------------------------------------------------------

enum { POISON_PREDS = 4 }; // word of the predicates

static bool has_poison(const struct dwarp *w, unsigned r) { return w->poison[r / 64] >> r % 64 & 1; }

bool rename_is_poisoned(const struct darsie *d, unsigned slot, uint32_t pc)
{
    const struct dwarp *w = &d->warps[slot];
    const struct op *o = &d->launch->ops[pc];
    if (w->poison[POISON_PREDS] & o->pred_reads) return true;
    for (unsigned k = 0; k < o->read_count; k++)
        if (has_poison(w, o->reads[k])) return true;
    return false;
}

void rename_poison(struct darsie *d, unsigned slot, uint32_t pc, bool poisoned)
{
    struct dwarp *w = &d->warps[slot];
    const struct op *o = &d->launch->ops[pc];
    bool keeps = d->launch->program->insts[pc].guard != PRED_TRUE; // some lanes keep what they had
    if (d->launch->options->rules == RULES_PAPER || (!poisoned && keeps)) return;
    for (unsigned r = o->dst; r < o->dst + o->dst_words; r++) {
        uint64_t bit = 1ull << r % 64;
        w->poison[r / 64] = poisoned ? w->poison[r / 64] | bit : w->poison[r / 64] & ~bit;
    }
    if (poisoned)
        w->poison[POISON_PREDS] |= o->pred_writes;
    else
        w->poison[POISON_PREDS] &= ~(uint64_t)o->pred_writes;
}

// -- a line
// ---------------------------------------------------------------------------------------------------------

static bool is_load(const struct darsie *d, uint32_t pc) { return d->launch->ops[pc].path == PATH_MEMORY; }

static bool go_private(struct darsie *d, unsigned slot, struct line *l, enum darsie_counter why,
                       bool poisoned)
{
    d->counters[why]++;
    l->role = ROLE_PRIVATE;
    rename_poison(d, slot, l->pc, poisoned || is_load(d, l->pc));
    return true;
}

static struct entry *free_entry(const struct darsie *d, struct dblock *b)
{
    for (unsigned k = 0; k < d->launch->options->entries; k++)
        if (!b->entries[k].used) return &b->entries[k];
    return NULL;
}

static bool lead(struct darsie *d, unsigned slot, struct line *l, struct entry *e)
{
    struct dblock *b = block_of(d, slot);
    const struct inst *i = &d->launch->program->insts[l->pc];
    unsigned me = index_in_block(d, slot);
    *e = (struct entry){.pc = l->pc,
                        .used = true,
                        .is_load = is_load(d, l->pc),
                        .is_global = isa_has(i, ISA_LOAD) && i->space != SPACE_SHARED,
                        .leader = (uint8_t)me,
                        .count = d->launch->ops[l->pc].dst_words,
                        .passed = 1ull << me,
                        .ready = UINT64_MAX};
    l->role = ROLE_LEADER;
    l->count = e->count;
    for (unsigned n = 0; n < e->count; n++) {
        unsigned r = (unsigned)__builtin_ctz(b->free);
        b->free &= ~(1u << r);
        b->references[r] = 2; // the entry's and the line's
        l->registers[n] = e->registers[n] = (uint8_t)r;
    }
    d->counters[COUNT_leaders]++;
    rename_poison(d, slot, l->pc, false);
    return true;
}

// Warps meet at the instruction, so that older versions of registers are read for the last time.
static bool gather(struct darsie *d, unsigned slot, struct line *l)
{
    struct dblock *b = block_of(d, slot);
    uint64_t me = 1ull << index_in_block(d, slot);
    struct dwarp *w = &d->warps[slot];
    bool met = b->gather_private & me && b->gather_pc == l->pc,
         elsewhere = b->gather_pc != NO_TARGET && b->gather_pc != l->pc;
    if (met || elsewhere) return go_private(d, slot, l, COUNT_private_registers, false);
    if (!b->gathered) {
        b->gather_pc = l->pc;
        b->arrived_since = tech_now(d->sm);
        d->counters[COUNT_register_syncs]++;
        if (d->launch->options->watchdog)
            tech_at(d->sm, tech_block_of(d->sm, slot), tech_now(d->sm) + d->launch->options->watchdog);
    }
    b->gathered |= me;
    w->waits = WAITS_GATHER;
    return false;
}

static bool rename_redundant(struct darsie *d, unsigned slot, struct line *l)
{
    struct dblock *b = block_of(d, slot);
    struct dwarp *w = &d->warps[slot];
    if (!path_is_on(d, slot)) return go_private(d, slot, l, COUNT_private_path, false);
    if (rename_is_poisoned(d, slot, l->pc)) return go_private(d, slot, l, COUNT_private_poison, true);
    struct entry *e = skip_find(b, l->pc);
    if (e && e->passed >> index_in_block(d, slot) & 1) e = NULL; // of another time round
    if (e && e->dropped) {
        e->passed |= 1ull << index_in_block(d, slot);
        skip_recheck(d, b);
        return go_private(d, slot, l, COUNT_private_dropped, true);
    }
    if (e && !e->written_back) {
        if (w->waits != WAITS_LEADER) d->counters[COUNT_leader_waits]++;
        w->waits = WAITS_LEADER;
        return false;
    }
    if (e) {
        skip_follow(d, slot, e, l);
        d->counters[COUNT_skipped_decode]++;
        tech_drop(d->sm, slot);
        return true;
    }
    if (skip_find(b, l->pc) || !(e = free_entry(d, b)))
        return go_private(d, slot, l, COUNT_private_full, false);
    if ((unsigned)__builtin_popcount(b->free) < d->launch->ops[l->pc].dst_words) return gather(d, slot, l);
    if (!skip_write_port(d)) {
        w->waits = WAITS_PORT;
        tech_at(d->sm, tech_block_of(d->sm, slot), tech_now(d->sm) + 1);
        return false;
    }
    return lead(d, slot, l, e);
}

static bool rename_line(struct darsie *d, unsigned slot, struct line *l)
{
    if (d->launch->redundant[l->pc] && !block_of(d, slot)->off) return rename_redundant(d, slot, l);
    l->role = ROLE_PRIVATE;
    rename_poison(d, slot, l->pc, false);
    return true;
}

void rename_more(struct darsie *d, unsigned slot)
{
    struct dwarp *w = &d->warps[slot];
    // At a branch or a barrier what is behind belongs to what comes after the others are there.
    bool held_up = w->at_branch || tech_warp(d->sm, slot)->state != WARP_READY;
    for (uint32_t n = 0; n < w->count && !held_up; n++) {
        struct line *l = line_at(w, n);
        if (n == w->renamed) {
            if (!rename_line(d, slot, l)) break;
            w->waits = WAITS_NOT;
            w->renamed++;
            path_ungather(block_of(d, slot), 1ull << index_in_block(d, slot));
        }
        held_up = l->role != ROLE_SKIPPED && d->launch->blocks[l->pc];
    }
    rename_pass(d, slot);
    rename_hold(d, slot);
    struct dblock *b = block_of(d, slot);
    if (w->waits == WAITS_GATHER) path_resolve(d, b);
}

void rename_pass(struct darsie *d, unsigned slot)
{
    struct dwarp *w = &d->warps[slot];
    while (w->renamed && line_at(w, 0)->role == ROLE_SKIPPED) {
        struct line *l = line_at(w, 0);
        const struct op *o = &d->launch->ops[l->pc];
        if (d->launch->verify) values_verify_skip(d, slot, l);
        for (unsigned n = 0; n < l->count; n++) values_map(d, slot, o->dst + n, l->registers[n]);
        w->first = (w->first + 1) % LINES;
        w->count--;
        w->renamed--;
        tech_advance(d->sm, slot, l->pc + 1);
    }
}

void rename_hold(struct darsie *d, unsigned slot)
{
    struct dwarp *w = &d->warps[slot];
    unsigned hold = 0;
    if (w->at_branch || w->copying > tech_now(d->sm)) hold = HOLD_FETCH | HOLD_ISSUE;
    if (w->waits == WAITS_FETCH_LEADER) hold |= HOLD_FETCH;
    if (w->count && !w->renamed) hold |= HOLD_ISSUE;
    tech_hold(d->sm, slot, hold);
}

void rename_filled(void *state, unsigned slot, uint32_t pc, unsigned count)
{
    struct darsie *d = state;
    for (unsigned n = 0; n < count; n++) rename_push(&d->warps[slot], pc + n);
    rename_more(d, slot);
}

void rename_flushed(void *state, unsigned slot)
{
    struct darsie *d = state;
    struct dwarp *w = &d->warps[slot];
    w->count = w->renamed = 0; // nothing behind a control transfer has been renamed
    if (w->waits != WAITS_NOT) {
        w->waits = WAITS_NOT;
        path_ungather(block_of(d, slot), 1ull << index_in_block(d, slot));
    }
}
