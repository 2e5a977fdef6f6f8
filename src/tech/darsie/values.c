// Values: renamed registers are a block's own vectors; a warp's mapped ones are copied from there when an
// instruction reads them, as the operand collector would, and nowhere else. When runs are verified a warp's
// own registers hold what it would have computed by itself, and every such read is compared.
#include "base/bits.h"
#include "tech/darsie/darsie.h"

#include <assert.h>
#include <string.h>

uint32_t *values_pool(const struct darsie *d, const struct dblock *b, unsigned r)
{
    return b->values + (size_t)r * d->lanes;
}

unsigned values_place(struct darsie *d, unsigned slot, unsigned r)
{
    return (unsigned)(tech_map(d->sm, slot)[r] - block_of(d, slot)->first_register);
}

bool values_keeps(struct darsie *d, unsigned slot, unsigned r, const struct entry *e, unsigned n)
{
    if (!is_shared(&d->warps[slot], r) || values_place(d, slot, r) != e->old[n]) return false;
    return block_of(d, slot)->allocated[e->old[n]] <= e->born || !keeps(d, RULE_VERSIONS);
}

uint64_t values_overtaken(struct darsie *d, unsigned slot, uint32_t pc)
{
    const struct op *o = &d->launch->ops[pc];
    uint64_t ready = 0;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++) {
        if (!is_shared(&d->warps[slot], r)) continue; // the scoreboard sees it
        uint64_t own = tech_ready(d->sm, tech_own(d->sm, slot, r));
        if (own > ready) ready = own;
    }
    return ready > tech_now(d->sm) ? ready : 0;
}

void values_unmap(struct darsie *d, unsigned slot, unsigned r)
{
    struct dwarp *w = &d->warps[slot];
    if (!is_shared(w, r)) return;
    release(block_of(d, slot), values_place(d, slot, r));
    tech_map(d->sm, slot)[r] = tech_own(d->sm, slot, r);
    w->shared[r / 64] &= ~(1ull << r % 64);
    w->stale = true;
}

// The warp's own copy, which is what it would have computed by itself, may be lost while r is shared: the
// reply of an atomic writes there whenever it comes.
static void note_late(struct darsie *d, unsigned slot, unsigned r)
{
    uint64_t bit = 1ull << r % 64, *late = &d->warps[slot].late[r / 64];
    bool awaits = tech_ready(d->sm, tech_own(d->sm, slot, r)) == UINT64_MAX;
    *late = awaits ? *late | bit : *late & ~bit;
}

void values_map(struct darsie *d, unsigned slot, unsigned r, unsigned pool)
{
    values_unmap(d, slot, r);
    if (d->launch->verify) note_late(d, slot, r);
    tech_map(d->sm, slot)[r] = (uint16_t)(block_of(d, slot)->first_register + pool);
    d->warps[slot].shared[r / 64] |= 1ull << r % 64;
    d->warps[slot].stale = true;
}

static unsigned lowest_shared(const struct dwarp *w)
{
    unsigned n = 0;
    while (n < 4 && !w->shared[n]) n++;
    return n < 4 ? n * 64 + (unsigned)__builtin_ctzll(w->shared[n]) : 256;
}

void values_unmap_all(struct darsie *d, unsigned slot)
{
    for (unsigned r; (r = lowest_shared(&d->warps[slot])) < 256;) values_unmap(d, slot, r);
}

// In the lanes that the warp has.
static bool is_equal(struct darsie *d, unsigned slot, const uint32_t *a, const uint32_t *b)
{
    for (uint64_t left = tech_warp(d->sm, slot)->present; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (a[lane] != b[lane]) return false;
    }
    return true;
}

static void compare(struct darsie *d, unsigned slot, unsigned r, const uint32_t *shared)
{
    bool is_late = d->warps[slot].late[r / 64] >> r % 64 & 1; // it was compared when it was led or skipped
    if (!is_late && !is_equal(d, slot, shared, tech_lanes(d->sm, slot, r)))
        __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void stage(struct darsie *d, unsigned slot, unsigned r)
{
    const uint32_t *shared = values_pool(d, block_of(d, slot), values_place(d, slot, r));
    if (d->launch->verify) compare(d, slot, r, shared);
    memcpy(tech_lanes(d->sm, slot, r), shared, d->lanes * 4);
    d->counters[COUNT_operands]++;
}

void values_reads(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    const struct dwarp *w = &d->warps[slot];
    if (!has_shared(w)) return;
    const struct op *o = &d->launch->ops[index];
    for (unsigned k = 0; k < o->read_count; k++)
        if (is_shared(w, o->reads[k])) stage(d, slot, o->reads[k]);
    bool all_lanes = tech_warp(d->sm, slot)->active == d->whole || !d->launch->diverged;
    if ((all_lanes && !darsie_is_guarded(&d->launch->program->insts[index])) || !keeps(d, RULE_OLD_LANES))
        return;
    for (unsigned n = 0; n < o->dst_words; n++) // lanes that are not written
        if (is_shared(w, o->dst + n)) stage(d, slot, o->dst + n);
}

// Lanes' bit of the n-th led value is turned, for tests.
static void corrupt(struct darsie *d, uint32_t *value)
{
    if (d->launch->options->corrupt && ++d->led == d->launch->options->corrupt) value[0] ^= 1;
}

// What followers take besides registers, and what a store may spoil.
static void note(struct darsie *d, unsigned slot, struct entry *e, const struct op *o)
{
    for (unsigned left = o->pred_writes; left; left &= left - 1)
        e->preds[__builtin_ctz(left)] = tech_warp(d->sm, slot)->pred[__builtin_ctz(left)];
    if (e->is_load) path_addresses(tech_access(d->sm), &e->low, &e->high);
    if (d->launch->early && !o->pred_writes) {
        e->written_back = true;
        tech_at(d->sm, d->warps[slot].block, tech_now(d->sm));
    }
}

void values_executed(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    struct dwarp *w = &d->warps[slot];
    struct dblock *b = block_of(d, slot);
    const struct op *o = &d->launch->ops[index];
    struct line l = *line_at(w, 0);
    w->first = (w->first + 1) % LINES;
    w->count--;
    w->renamed--;
    if (d->launch->blocks[index]) w->held_up = false;
    look_again(d, slot);
    d->leading = NULL;
    d->leads = l.role == ROLE_LEADER;
    if (l.role != ROLE_LEADER) {
        for (unsigned n = 0; n < o->dst_words; n++)
            if (is_shared(w, o->dst + n)) values_unmap(d, slot, o->dst + n);
        return;
    }
    struct entry *e = skip_led(d, slot, &l);
    if (e) {
        d->leading = e;
        e->read_at = tech_now(d->sm);
        note(d, slot, e, o);
    }
    for (unsigned n = 0; n < l.count; n++) {
        uint32_t *value = values_pool(d, b, l.registers[n]);
        memcpy(value, tech_lanes(d->sm, slot, o->dst + n), d->lanes * 4);
        corrupt(d, value);
        values_map(d, slot, o->dst + n, l.registers[n]);
    }
}

bool values_leads(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    (void)index;
    return line_at(&d->warps[slot], 0)->role == ROLE_LEADER;
}

// The same, though another mechanism had the result: it is in the warp's own registers. What is left out of what warps
// execute has no line here.
void values_saved(void *state, unsigned slot, uint32_t index, enum tech_saving what)
{
    struct darsie *d = state;
    const struct op *o = &d->launch->ops[index];
    if (what == SAVED_EXECUTION)
        values_executed(state, slot, index);
    else
        for (unsigned n = 0; n < o->dst_words; n++) values_unmap(d, slot, o->dst + n);
}

// The GPU reads nothing.
void values_lends(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    uint64_t operands = d->counters[COUNT_operands];
    values_reads(state, slot, index);
    d->counters[COUNT_operands] = operands;
}

static uint64_t copy_out(struct darsie *d, unsigned slot, unsigned r)
{
    if (keeps(d, RULE_COPY_OUT)) stage(d, slot, r);
    uint16_t from = tech_map(d->sm, slot)[r];
    values_unmap(d, slot, r);
    d->counters[COUNT_copies]++;
    return tech_copy(d->sm, from, tech_map(d->sm, slot)[r]);
}

static bool is_pending(struct darsie *d, unsigned slot, unsigned r)
{
    return tech_ready(d->sm, tech_map(d->sm, slot)[r]) == UINT64_MAX ||
           tech_ready(d->sm, tech_own(d->sm, slot, r)) == UINT64_MAX;
}

uint64_t values_copy_out(struct darsie *d, unsigned slot)
{
    struct dwarp *w = &d->warps[slot];
    uint64_t done = tech_now(d->sm);
    w->leaving = false;
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t left = w->shared[word]; left; left &= left - 1) {
            unsigned r = word * 64 + (unsigned)__builtin_ctzll(left);
            if (is_pending(d, slot, r))
                w->leaving = true;
            else
                done = u64_max(done, copy_out(d, slot, r));
        }
    return done;
}

static unsigned register_of(struct darsie *d, unsigned slot, unsigned pool)
{
    const struct dwarp *w = &d->warps[slot];
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t left = w->shared[word]; left; left &= left - 1) {
            unsigned r = word * 64 + (unsigned)__builtin_ctzll(left);
            if (values_place(d, slot, r) == pool) return r;
        }
    return 256;
}

bool values_evict(struct darsie *d, struct dblock *b, unsigned pool)
{
    uint64_t readers = 0;
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned slot = slot_in(b, (unsigned)__builtin_ctzll(left)), r = register_of(d, slot, pool);
        if (r == 256) continue;
        if (is_pending(d, slot, r)) return false;
        readers |= left & -left;
    }
    if ((unsigned)__builtin_popcountll(readers) != b->references[pool]) return false;
    d->counters[COUNT_evictions]++;
    for (; readers; readers &= readers - 1) {
        unsigned slot = slot_in(b, (unsigned)__builtin_ctzll(readers));
        struct dwarp *w = &d->warps[slot];
        w->copying = u64_max(w->copying, copy_out(d, slot, register_of(d, slot, pool)));
        tech_at(d->sm, d->warps[slot].block, w->copying);
        rename_hold(d, slot);
    }
    return true;
}

// What the follower would have computed, from its own registers, becomes its own register. A load may differ
// where the program lets it: the leader read later than anything that orders this warp's reads.
void values_verify_skip(struct darsie *d, unsigned slot, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    struct dblock *b = block_of(d, slot);
    values_lends(d, slot, l->pc);
    tech_recompute(d->sm, slot, l->pc);
    for (unsigned n = 0; n < o->dst_words; n++) {
        const uint32_t *shared = values_pool(d, b, l->registers[n]);
        uint32_t *own = tech_lanes(d->sm, slot, o->dst + n);
        if (is_equal(d, slot, shared, own)) continue;
        bool may_differ = d->launch->changing[l->pc] && l->read_at > d->warps[slot].ordered_at;
        if (!may_differ) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
        memcpy(own, shared, d->lanes * 4);
    }
    unsigned n = 0;
    const struct warp *w = tech_warp(d->sm, slot);
    for (unsigned left = o->pred_writes; left; left &= left - 1, n++)
        if ((w->pred[__builtin_ctz(left)] ^ l->preds[n]) & w->present)
            __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}
