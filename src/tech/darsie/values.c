// Values. Renamed registers are vectors of the block. When an instruction reads a mapped register, the vector
// is copied to the warp's own register, as the operand collector would do. In verified runs a warp's own
// registers hold privately computed values, and every read of a shared register is compared.
#include "base/bits.h"
#include "exec/warp.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/darsie/darsie.h"

#include <assert.h>
#include <string.h>

uint32_t *values_pool(const struct darsie *d, const struct dblock *b, unsigned r)
{
    return b->values + (size_t)r * d->lanes;
}

unsigned values_place(struct darsie *d, unsigned place, unsigned r)
{
    return (unsigned)(tech_map(d->grid, place)[r] - block_of(d, place)->first_register);
}

bool values_keeps(struct darsie *d, unsigned place, unsigned r, const struct entry *e, unsigned n)
{
    if (!is_shared(&d->warps[place], r) || values_place(d, place, r) != e->old[n]) return false;
    return block_of(d, place)->allocated[e->old[n]] <= e->born || !keeps(d, RULE_VERSIONS);
}

uint64_t values_overtaken(struct darsie *d, unsigned place, uint32_t pc)
{
    const struct op *o = &d->launch->ops[pc];
    uint64_t ready = 0;
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++) {
        if (!is_shared(&d->warps[place], r)) continue; // the scoreboard covers own registers
        uint64_t own = tech_ready(d->grid, tech_own(d->grid, place, r));
        if (own > ready) ready = own;
    }
    return ready > tech_now(d->grid) ? ready : 0;
}

// The warp's r is about to lose its pool register.
static void drop(struct darsie *d, unsigned place, unsigned r)
{
    unsigned pool = values_place(d, place, r);
    d->warps[place].unready &= ~(1ull << pool);
    release(block_of(d, place), pool);
}

void values_unmap(struct darsie *d, unsigned place, unsigned r)
{
    struct dwarp *w = &d->warps[place];
    if (!is_shared(w, r)) return;
    drop(d, place, r);
    tech_remap(d->grid, place, r, tech_own(d->grid, place, r));
    w->shared[r / 64] &= ~(1ull << r % 64);
    if (!has_shared(w)) d->sharing &= ~(1ull << place);
    w->stale = true;
}

// Notes in `late` whether a memory reply to the warp's own copy is still to come. The reply, of an atomic,
// may overwrite the privately computed value while r is shared.
static void note_late(struct darsie *d, unsigned place, unsigned r)
{
    uint64_t bit = 1ull << r % 64, *late = &d->warps[place].late[r / 64];
    bool awaits = tech_ready(d->grid, tech_own(d->grid, place, r)) == UINT64_MAX;
    *late = awaits ? *late | bit : *late & ~bit;
}

void values_map(struct darsie *d, unsigned place, unsigned r, unsigned pool)
{
    struct dwarp *w = &d->warps[place];
    uint16_t physical = (uint16_t)(d->blocks[w->block].first_register + pool);
    if (is_shared(w, r)) drop(d, place, r);
    if (d->launch->verify) note_late(d, place, r);
    tech_remap(d->grid, place, r, physical);
    w->shared[r / 64] |= 1ull << r % 64;
    d->sharing |= 1ull << place;
    w->stale = true;
    if (tech_ready(d->grid, physical) > tech_now(d->grid)) w->unready |= 1ull << pool;
}

static unsigned lowest_shared(const struct dwarp *w)
{
    unsigned n = 0;
    while (n < 4 && !w->shared[n]) n++;
    return n < 4 ? n * 64 + (unsigned)__builtin_ctzll(w->shared[n]) : 256;
}

void values_unmap_all(struct darsie *d, unsigned place)
{
    for (unsigned r; (r = lowest_shared(&d->warps[place])) < 256;) values_unmap(d, place, r);
}

// Compares the lanes present in the warp.
static bool is_equal(struct darsie *d, unsigned place, const uint32_t *a, const uint32_t *b)
{
    for (uint64_t left = tech_warp(d->grid, place)->present; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (a[lane] != b[lane]) return false;
    }
    return true;
}

static void compare(struct darsie *d, unsigned place, unsigned r, const uint32_t *shared)
{
    // A late register is not compared here: its value was compared when led or skipped.
    bool is_late = d->warps[place].late[r / 64] >> r % 64 & 1;
    if (!is_late && !is_equal(d, place, shared, tech_lanes(d->grid, place, r)))
        __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void stage(struct darsie *d, unsigned place, unsigned r)
{
    const uint32_t *shared = values_pool(d, block_of(d, place), values_place(d, place, r));
    if (d->launch->verify) compare(d, place, r, shared);
    memcpy(tech_lanes(d->grid, place, r), shared, d->lanes * 4);
    d->counters[COUNT_operands]++;
}

// Whether the instruction leaves lanes of its destination as they are: it has a guard, or lanes have parted.
// Off the path a diverged warp has shared registers only if its block stopped sharing in between.
static bool writes_in_part(const struct darsie *d, unsigned place, uint32_t index)
{
    const struct warp *w = tech_warp(d->grid, place);
    bool all_lanes =
        w->active == d->whole || (!d->launch->diverged && w->active == (w->present & ~w->exited));
    return !all_lanes || isa_keeps_old(&d->launch->program->insts[index]);
}

void values_reads(void *state, unsigned place, uint32_t index)
{
    struct darsie *d = state;
    const struct dwarp *w = &d->warps[place];
    if (!has_shared(w)) return;
    const struct op *o = &d->launch->ops[index];
    for (unsigned k = 0; k < o->read_count; k++)
        if (is_shared(w, o->reads[k])) stage(d, place, o->reads[k]);
    if (!writes_in_part(d, place, index) || !keeps(d, RULE_OLD_LANES)) return;
    for (unsigned n = 0; n < o->dst_words; n++) // lanes not written
        if (is_shared(w, o->dst + n)) stage(d, place, o->dst + n);
}

// For tests: flips a bit of the n-th value computed by a leader (n: option corrupt).
static void corrupt(struct darsie *d, uint32_t *value)
{
    if (d->launch->options->corrupt && ++d->led == d->launch->options->corrupt) value[0] ^= 1;
}

// Records in the leader's entry the predicates written, for followers, and the addresses read, for comparison
// with later stores. With early=on, if dependences are not encoded, followers of an entry without predicates
// need not wait any more.
static void note(struct darsie *d, unsigned place, struct entry *e, const struct op *o)
{
    for (unsigned left = o->pred_writes; left; left &= left - 1)
        e->preds[__builtin_ctz(left)] = tech_warp(d->grid, place)->pred[__builtin_ctz(left)];
    if (e->is_load) path_addresses(tech_access(d->grid), &e->low, &e->high);
    if (d->launch->early && !o->pred_writes) {
        e->written_back = true;
        tech_at(d->grid, d->warps[place].block, tech_now(d->grid));
    }
}

void values_executed(void *state, unsigned place, uint32_t index)
{
    struct darsie *d = state;
    struct dwarp *w = &d->warps[place];
    struct dblock *b = block_of(d, place);
    const struct op *o = &d->launch->ops[index];
    const struct line *l = line_at(w, 0); // stays until the next instruction is fetched or skipped
    w->first = (w->first + 1) % LINES;
    w->count--;
    w->renamed--;
    if (d->launch->blocks[index]) w->held_up = false;
    look_again(d, place);
    d->leading = NULL;
    d->leads = l->role == ROLE_LEADER;
    if (!d->leads) {
        for (unsigned n = 0; n < o->dst_words; n++)
            if (is_shared(w, o->dst + n)) values_unmap(d, place, o->dst + n);
        return;
    }
    struct entry *e = skip_led(d, place, l);
    if (e) {
        d->leading = e;
        e->read_at = tech_now(d->grid);
        note(d, place, e, o);
    }
    for (unsigned n = 0; n < l->count; n++) {
        uint32_t *value = values_pool(d, b, l->registers[n]);
        memcpy(value, tech_lanes(d->grid, place, o->dst + n), d->lanes * 4);
        corrupt(d, value);
        values_map(d, place, o->dst + n, l->registers[n]);
    }
}

bool values_leads(void *state, unsigned place, uint32_t index)
{
    struct darsie *d = state;
    (void)index;
    return line_at(&d->warps[place], 0)->role == ROLE_LEADER;
}

// Another mechanism has the result. A reused result is in the warp's own registers and is treated like an
// executed result. An instruction left out for warps has no line.
void values_saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    struct darsie *d = state;
    const struct op *o = &d->launch->ops[index];
    if (what == SAVED_EXECUTION)
        values_executed(state, place, index);
    else
        for (unsigned n = 0; n < o->dst_words; n++) values_unmap(d, place, o->dst + n);
}

// As values_reads, but without counting reads.
void values_lends(void *state, unsigned place, uint32_t index)
{
    struct darsie *d = state;
    uint64_t operands = d->counters[COUNT_operands];
    values_reads(state, place, index);
    d->counters[COUNT_operands] = operands;
}

static uint64_t copy_out(struct darsie *d, unsigned place, unsigned r)
{
    if (keeps(d, RULE_COPY_OUT)) stage(d, place, r);
    uint16_t from = tech_map(d->grid, place)[r];
    values_unmap(d, place, r);
    d->counters[COUNT_copies]++;
    return tech_copy(d->grid, from, tech_map(d->grid, place)[r]);
}

static bool is_pending(struct darsie *d, unsigned place, unsigned r)
{
    return tech_ready(d->grid, tech_map(d->grid, place)[r]) == UINT64_MAX ||
           tech_ready(d->grid, tech_own(d->grid, place, r)) == UINT64_MAX;
}

uint64_t values_copy_out(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    uint64_t done = tech_now(d->grid);
    w->leaving = false;
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t left = w->shared[word]; left; left &= left - 1) {
            unsigned r = word * 64 + (unsigned)__builtin_ctzll(left);
            if (is_pending(d, place, r))
                w->leaving = true;
            else
                done = u64_max(done, copy_out(d, place, r));
        }
    return done;
}

static unsigned register_of(struct darsie *d, unsigned place, unsigned pool)
{
    const struct dwarp *w = &d->warps[place];
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t left = w->shared[word]; left; left &= left - 1) {
            unsigned r = word * 64 + (unsigned)__builtin_ctzll(left);
            if (values_place(d, place, r) == pool) return r;
        }
    return 256;
}

bool values_evict(struct darsie *d, struct dblock *b, unsigned pool)
{
    uint64_t readers = 0;
    for (uint64_t left = b->live; left; left &= left - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(left)), r = register_of(d, place, pool);
        if (r == 256) continue;
        if (is_pending(d, place, r)) return false;
        readers |= left & -left;
    }
    if ((unsigned)__builtin_popcountll(readers) != b->references[pool]) return false;
    d->counters[COUNT_evictions]++;
    for (; readers; readers &= readers - 1) {
        unsigned place = place_in(b, (unsigned)__builtin_ctzll(readers));
        struct dwarp *w = &d->warps[place];
        w->copying = u64_max(w->copying, copy_out(d, place, register_of(d, place, pool)));
        tech_at(d->grid, d->warps[place].block, w->copying);
        rename_hold(d, place);
    }
    return true;
}

// Computes the follower's result from its own registers, and compares. A load may differ where the program
// permits: the leader read after the last operation that orders this warp's reads.
void values_verify_skip(struct darsie *d, unsigned place, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    struct dblock *b = block_of(d, place);
    values_lends(d, place, l->pc);
    tech_recompute(d->grid, place, l->pc);
    for (unsigned n = 0; n < o->dst_words; n++) {
        const uint32_t *shared = values_pool(d, b, l->registers[n]);
        uint32_t *own = tech_lanes(d->grid, place, o->dst + n);
        if (is_equal(d, place, shared, own)) continue;
        bool may_differ = d->launch->changing[l->pc] && l->read_at > d->warps[place].ordered_at;
        if (!may_differ) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
        memcpy(own, shared, d->lanes * 4);
    }
    unsigned n = 0;
    const struct warp *w = tech_warp(d->grid, place);
    for (unsigned left = o->pred_writes; left; left &= left - 1, n++)
        if ((w->pred[__builtin_ctz(left)] ^ l->preds[n]) & w->present)
            __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}
