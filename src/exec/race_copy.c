#include "exec/race_copy.h"

#include <stdlib.h>

struct open_copy { // neither a wait nor an arrival covers the copy
    uint32_t group, inst;
};

struct copy_thread {
    uint32_t commits;
    VEC(struct open_copy) open;
    VEC(struct race_copy_end) ends; // `covered` ascends
    VEC(uint32_t) arrivals;         // times, ascending
};

struct race_copies {
    uint32_t count;
    struct copy_thread *threads;
};

struct race_copies *race_copies_create(uint32_t threads)
{
    struct race_copies *c = heap_alloc(sizeof *c);
    c->count = threads;
    c->threads = heap_alloc(threads * sizeof *c->threads);
    return c;
}

void race_copies_destroy(struct race_copies *c)
{
    for (uint32_t k = 0; c && k < c->count; k++) {
        vec_fini(&c->threads[k].open);
        vec_fini(&c->threads[k].ends);
        vec_fini(&c->threads[k].arrivals);
    }
    if (c) free(c->threads);
    free(c);
}

uint32_t race_copies_issue(struct race_copies *c, uint32_t thread, uint32_t inst)
{
    struct copy_thread *t = &c->threads[thread];
    vec_push(&t->open, (struct open_copy){t->commits, inst});
    return t->commits;
}

void race_copies_commit(struct race_copies *c, uint32_t thread) { c->threads[thread].commits++; }

void race_copies_wait(struct race_copies *c, uint32_t thread, uint32_t pending, struct race_copy_end end)
{
    struct copy_thread *t = &c->threads[thread];
    uint32_t before = t->ends.count ? vec_last(&t->ends).covered : 0;
    end.covered = t->commits > pending ? t->commits - pending : 0;
    if (end.covered <= before) return;
    vec_push(&t->ends, end);
    size_t kept = 0;
    for (size_t k = 0; k < t->open.count; k++)
        if (t->open.data[k].group >= end.covered) t->open.data[kept++] = t->open.data[k];
    t->open.count = kept;
}

void race_copies_arrive(struct race_copies *c, uint32_t thread, uint32_t time)
{
    c->threads[thread].open.count = 0;
    vec_push(&c->threads[thread].arrivals, time);
}

const struct race_copy_end *race_copies_end(const struct race_copies *c, uint32_t thread, uint32_t group)
{
    const struct copy_thread *t = &c->threads[thread];
    size_t low = 0, high = t->ends.count; // the first end with covered > group
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->ends.data[middle].covered > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low < t->ends.count ? &t->ends.data[low] : NULL;
}

uint32_t race_copies_arrival(const struct race_copies *c, uint32_t thread, uint32_t time)
{
    const struct copy_thread *t = &c->threads[thread];
    size_t low = 0, high = t->arrivals.count; // the first arrival later than `time`
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->arrivals.data[middle] > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low < t->arrivals.count ? t->arrivals.data[low] : 0;
}

bool race_copies_take_open(struct race_copies *c, uint32_t thread, uint32_t *inst)
{
    struct copy_thread *t = &c->threads[thread];
    if (!t->open.count) return false;
    *inst = vec_pop(&t->open).inst;
    return true;
}
