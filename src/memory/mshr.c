#include "memory/mshr.h"
#include "base/hash.h"

#include <string.h>

void mshrs_init(struct mshrs *m, uint32_t most, uint32_t merges)
{
    *m = (struct mshrs){.free = MSHR_NONE, .free_link = MSHR_NONE, .most = most, .merges = merges};
    memset(m->buckets, 0xff, sizeof m->buckets);
}

void mshrs_fini(struct mshrs *m)
{
    vec_fini(&m->all);
    vec_fini(&m->links);
}

static uint32_t bucket_of(uint64_t line) { return hash_u64(line) % MSHR_BUCKETS; }

uint32_t mshrs_find(const struct mshrs *m, uint64_t line)
{
    if (!m->used) return MSHR_NONE;
    uint32_t k = m->buckets[bucket_of(line)];
    while (k != MSHR_NONE && m->all.data[k].line != line) k = m->all.data[k].chain;
    return k;
}

uint32_t mshrs_take(struct mshrs *m, uint64_t line)
{
    uint32_t k = m->free, *bucket = &m->buckets[bucket_of(line)];
    if (k == MSHR_NONE) {
        k = (uint32_t)m->all.count;
        vec_push(&m->all, (struct mshr){0});
    } else {
        m->free = m->all.data[k].chain;
    }
    m->all.data[k] = (struct mshr){.line = line, .first = MSHR_NONE, .last = MSHR_NONE, .chain = *bucket};
    *bucket = k;
    m->used++;
    return k;
}

void mshrs_release(struct mshrs *m, uint32_t k)
{
    struct mshr *h = &m->all.data[k];
    uint32_t *link = &m->buckets[bucket_of(h->line)];
    while (*link != k) link = &m->all.data[*link].chain;
    *link = h->chain;
    h->chain = m->free;
    m->free = k;
    m->used--;
}

void mshrs_wait(struct mshrs *m, uint32_t k, struct mshr_waiter w)
{
    uint32_t n = m->free_link;
    if (n == MSHR_NONE) {
        n = (uint32_t)m->links.count;
        vec_push(&m->links, (struct mshr_link){0});
    } else {
        m->free_link = m->links.data[n].next;
    }
    m->links.data[n] = (struct mshr_link){w, MSHR_NONE};
    struct mshr *h = &m->all.data[k];
    if (h->last == MSHR_NONE)
        h->first = n;
    else
        m->links.data[h->last].next = n;
    h->last = n;
    h->count++;
    m->waiting++;
}

bool mshrs_next_served(struct mshrs *m, uint32_t k, struct mshr_waiter *w)
{
    struct mshr *h = &m->all.data[k];
    uint32_t *link = &h->first, previous = MSHR_NONE;
    while (*link != MSHR_NONE && m->links.data[*link].waiter.sectors & h->sectors) {
        previous = *link;
        link = &m->links.data[*link].next;
    }
    uint32_t n = *link;
    if (n == MSHR_NONE) return false;
    *w = m->links.data[n].waiter;
    *link = m->links.data[n].next;
    if (h->last == n) h->last = previous;
    m->links.data[n].next = m->free_link;
    m->free_link = n;
    h->count--;
    m->waiting--;
    return true;
}
