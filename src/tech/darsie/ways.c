// Directions of lanes at branches. A leader and a follower with diverged lanes must have the same directions;
// verified runs record the path of every lane. The warp's next pc does not show the directions of the lanes
// that executed the branch: with simt=splits another part may run next, in an order influenced by barriers.
#include "base/bits.h"
#include "exec/warp.h"
#include "tech/darsie/darsie.h"

#include "base/hash.h"

#include <string.h>

struct part { // a group of lanes that executed the branch, and its next pc
    uint64_t lanes;
    uint32_t pc;
};

static unsigned find_ways(const struct darsie *d, unsigned place, struct part parts[LANES_MAX])
{
    const struct warp *w = tech_warp(d->grid, place);
    uint64_t left = tech_issuing(d->grid);
    unsigned count = 0;
    for (uint32_t k = (uint32_t)w->splits.count; k-- > 0;) {
        const struct split *s = &w->splits.data[k];
        bool runs = k == w->current && w->state == WARP_READY;
        if (s->mask & left) parts[count++] = (struct part){s->mask & left, runs ? w->pc : s->pc};
        left &= ~s->mask; // simt=stack: lower entries say where these lanes continue later
    }
    return count;
}

static uint64_t *paths_of(const struct darsie *d, unsigned place)
{
    return d->paths + (size_t)place * LANES_MAX;
}

void ways_note(struct darsie *d, unsigned place, uint32_t index)
{
    struct part parts[LANES_MAX];
    if (!d->launch->verify) return;
    uint64_t *paths = paths_of(d, place);
    for (unsigned n = find_ways(d, place, parts); n-- > 0;)
        for (uint64_t left = parts[n].lanes; left; left &= left - 1)
            paths[bit_lowest(left)] =
                hash_u64(paths[bit_lowest(left)] ^ ((uint64_t)index << 32 | parts[n].pc));
}

static uint64_t *led_by(const struct darsie *d, const struct dblock *b, const struct entry *e)
{
    size_t first = (size_t)(b - d->blocks) * d->launch->options->entries;
    return d->led_paths + (first + (size_t)(e - b->entries)) * LANES_MAX;
}

void ways_note_leader(struct darsie *d, unsigned place, const struct entry *e)
{
    if (d->launch->verify)
        memcpy(led_by(d, block_of(d, place), e), paths_of(d, place), LANES_MAX * sizeof *d->paths);
}

void ways_verify(struct darsie *d, unsigned place, const struct entry *e)
{
    if (!d->launch->verify) return;
    const uint64_t *led = led_by(d, block_of(d, place), e), *own = paths_of(d, place);
    for (uint64_t left = tech_warp(d->grid, place)->active; left; left &= left - 1)
        if (led[bit_lowest(left)] != own[bit_lowest(left)]) {
            __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
            return;
        }
}

void ways_begin(struct darsie *d, unsigned place)
{
    if (d->launch->verify) memset(paths_of(d, place), 0, LANES_MAX * sizeof *d->paths);
}

// Hash of the lanes and targets of every part: equal for warps that continue together.
uint64_t ways_taken(const struct darsie *d, unsigned place, uint32_t index)
{
    struct part parts[LANES_MAX];
    uint64_t sum = index;
    for (unsigned n = find_ways(d, place, parts); n-- > 0;)
        sum += hash_u64(parts[n].lanes ^ hash_u64(parts[n].pc));
    return sum;
}
