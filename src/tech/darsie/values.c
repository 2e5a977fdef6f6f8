// Values: renamed registers are a block's own vectors; a warp's mapped ones are copied from there when an
// instruction reads them, as the operand collector would, and nowhere else. When runs are verified a warp's
// own registers hold what it would have computed by itself, and every such read is compared.
#include "tech/darsie/darsie.h"

#include <string.h>

uint32_t *values_pool(const struct darsie *d, const struct dblock *b, unsigned r)
{
    return b->values + (size_t)r * d->lanes;
}

static bool is_shared(const struct dwarp *w, unsigned r) { return w->shared[r / 64] >> r % 64 & 1; }

static unsigned pool_of(struct darsie *d, unsigned slot, unsigned r)
{
    return (unsigned)(tech_map(d->sm, slot)[r] - tech_pool(d->sm, tech_block_of(d->sm, slot)));
}

void values_unmap(struct darsie *d, unsigned slot, unsigned r)
{
    struct dwarp *w = &d->warps[slot];
    if (!is_shared(w, r)) return;
    release(block_of(d, slot), pool_of(d, slot, r));
    tech_map(d->sm, slot)[r] = tech_own(d->sm, slot, r);
    w->shared[r / 64] &= ~(1ull << r % 64);
}

void values_map(struct darsie *d, unsigned slot, unsigned r, unsigned pool)
{
    values_unmap(d, slot, r);
    tech_map(d->sm, slot)[r] = (uint16_t)(tech_pool(d->sm, tech_block_of(d->sm, slot)) + pool);
    d->warps[slot].shared[r / 64] |= 1ull << r % 64;
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

static void compare(struct darsie *d, unsigned slot, unsigned r, const uint32_t *shared)
{
    if (memcmp(shared, tech_lanes(d->sm, slot, r), d->lanes * 4) != 0)
        __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void stage(struct darsie *d, unsigned slot, unsigned r)
{
    if (!is_shared(&d->warps[slot], r)) return;
    const uint32_t *shared = values_pool(d, block_of(d, slot), pool_of(d, slot, r));
    if (d->launch->verify) compare(d, slot, r, shared);
    memcpy(tech_lanes(d->sm, slot, r), shared, d->lanes * 4);
    d->counters[COUNT_operands]++;
}

void values_reads(void *state, unsigned slot, uint32_t index)
{
    struct darsie *d = state;
    const struct dwarp *w = &d->warps[slot];
    if (!(w->shared[0] | w->shared[1] | w->shared[2] | w->shared[3])) return;
    const struct op *o = &d->launch->ops[index];
    for (unsigned k = 0; k < o->read_count; k++) stage(d, slot, o->reads[k]);
    if (d->launch->program->insts[index].guard == PRED_TRUE) return;
    for (unsigned n = 0; n < o->dst_words; n++) stage(d, slot, o->dst + n); // lanes that are not written
}

// Lanes' bit of the n-th led value is turned, for tests.
static void corrupt(struct darsie *d, uint32_t *value)
{
    if (d->launch->options->corrupt && ++d->led == d->launch->options->corrupt) value[0] ^= 1;
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
    d->leading = NULL;
    if (l.role != ROLE_LEADER) {
        for (unsigned n = 0; n < o->dst_words; n++) values_unmap(d, slot, o->dst + n);
        return;
    }
    struct entry *e = skip_find(b, index);
    if (e && e->leader == index_in_block(d, slot) && e->registers[0] == l.registers[0]) {
        d->leading = e;
        e->read_at = tech_now(d->sm);
    }
    for (unsigned n = 0; n < l.count; n++) {
        uint32_t *value = values_pool(d, b, l.registers[n]);
        memcpy(value, tech_lanes(d->sm, slot, o->dst + n), d->lanes * 4);
        corrupt(d, value);
        values_map(d, slot, o->dst + n, l.registers[n]);
    }
}

uint64_t values_copy_out(struct darsie *d, unsigned slot)
{
    uint64_t done = tech_now(d->sm);
    for (unsigned r; (r = lowest_shared(&d->warps[slot])) < 256;) {
        stage(d, slot, r);
        uint16_t from = tech_map(d->sm, slot)[r];
        values_unmap(d, slot, r);
        uint64_t ready = tech_copy(d->sm, from, tech_map(d->sm, slot)[r]);
        if (ready > done) done = ready;
        d->counters[COUNT_copies]++;
    }
    return done;
}

// What the follower would have computed, from its own registers, becomes its own register. A load may differ
// where the program lets it: the leader read later than anything that orders this warp's reads.
void values_verify_skip(struct darsie *d, unsigned slot, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    struct dblock *b = block_of(d, slot);
    values_reads(d, slot, l->pc);
    tech_recompute(d->sm, slot, l->pc);
    for (unsigned n = 0; n < o->dst_words; n++) {
        const uint32_t *shared = values_pool(d, b, l->registers[n]);
        uint32_t *own = tech_lanes(d->sm, slot, o->dst + n);
        if (memcmp(shared, own, d->lanes * 4) == 0) continue;
        bool may_differ = o->path == PATH_MEMORY && l->read_at > d->warps[slot].ordered_at;
        if (!may_differ) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
        memcpy(own, shared, d->lanes * 4);
    }
}
