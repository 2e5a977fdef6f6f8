#include "base/reuse.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct met { // last access to a block
    uint64_t block;
    uint32_t last;   // number of the access in its stream, from 1
    uint32_t stream; // number of the owning stream; an entry of an older stream is free
};

struct reuse {
    struct met *blocks; // by hash
    size_t places;      // a power of two
    uint32_t stream;
    // Fenwick tree over accesses: 1 for the last access so far to its block.
    uint32_t *last_ones;
};

struct reuse *reuse_create(size_t most)
{
    struct reuse *r = heap_alloc(sizeof *r);
    *r = (struct reuse){.places = 16};
    while (r->places < 2 * most) r->places *= 2;
    r->blocks = heap_alloc(r->places * sizeof *r->blocks);
    r->last_ones = heap_alloc((most + 1) * sizeof *r->last_ones);
    return r;
}

void reuse_destroy(struct reuse *r)
{
    if (!r) return;
    free(r->blocks);
    free(r->last_ones);
    free(r);
}

static struct met *place_of(struct reuse *r, uint64_t block)
{
    size_t at = hash_u64(block) & (r->places - 1);
    while (r->blocks[at].stream == r->stream && r->blocks[at].block != block) at = (at + 1) & (r->places - 1);
    return &r->blocks[at];
}

static uint32_t sum_to(const struct reuse *r, uint32_t access)
{
    uint32_t sum = 0;
    for (; access; access &= access - 1) sum += r->last_ones[access];
    return sum;
}

static void add_at(struct reuse *r, uint32_t access, uint32_t count, int32_t change)
{
    for (; access <= count; access += access & -access) r->last_ones[access] += (uint32_t)change;
}

static void note(struct reuse_counts *to, uint32_t distance)
{
    unsigned window = distance > 1 ? 32 - (unsigned)__builtin_clz(distance - 1) : 0;
    if (window < REUSE_WINDOWS) to->within[window]++;
}

void reuse_add(struct reuse *r, const uint64_t *addresses, size_t count, unsigned shift,
               enum reuse_window window, struct reuse_counts *to)
{
    if (!++r->stream) { // the stream number wrapped around
        memset(r->blocks, 0, r->places * sizeof *r->blocks);
        r->stream = 1;
    }
    if (window == REUSE_BLOCKS) memset(r->last_ones, 0, (count + 1) * sizeof *r->last_ones);
    for (uint32_t access = 1; access <= count; access++) {
        uint64_t block = addresses[access - 1] >> shift;
        struct met *m = place_of(r, block);
        bool is_back = m->stream == r->stream;
        if (is_back && window == REUSE_ACCESSES) note(to, access - m->last);
        if (is_back && window == REUSE_BLOCKS) {
            note(to, 1 + sum_to(r, access - 1) - sum_to(r, m->last));
            add_at(r, m->last, (uint32_t)count, -1);
        }
        if (window == REUSE_BLOCKS) add_at(r, access, (uint32_t)count, 1);
        *m = (struct met){block, access, r->stream};
    }
    to->accesses += count;
}

double reuse_probability(const struct reuse_counts *n, unsigned window)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k <= window; k++) sum += n->within[k];
    return n->accesses ? (double)sum / (double)n->accesses : 0;
}

const char *const reuse_verdict_names[] = {"fine", "coarse2", "coarse4"};

// Fetching by fours must beat both twos and single lines, and twos must beat single lines: an unused line
// takes the place of another line in the cache.
enum reuse_verdict reuse_verdict(double lines, double pairs, double fours)
{
    if (fours > pairs && fours > lines) return REUSE_COARSE4;
    return pairs > lines ? REUSE_COARSE2 : REUSE_FINE;
}

enum reuse_verdict reuse_judge(const uint64_t *addresses, size_t count, unsigned line, unsigned blocks,
                               enum reuse_verdict most)
{
    double by[3] = {0};
    struct reuse *r = reuse_create(count);
    for (unsigned more = 0; more <= most; more++) {
        struct reuse_counts n = {0};
        reuse_add(r, addresses, count, line + more, REUSE_ACCESSES, &n);
        unsigned window = blocks > more ? blocks - more : 0;
        by[more] = reuse_probability(&n, window < REUSE_WINDOWS ? window : REUSE_WINDOWS - 1);
    }
    reuse_destroy(r);
    return reuse_verdict(by[0], by[1], by[2]);
}
