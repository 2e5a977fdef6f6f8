// Rounds are numbered; a worker waits for the next number, takes its own pieces, which are the same in every
// round and so are still in its core's cache, then what others have left of theirs, and counts itself in.
#include "gpu/workers.h"
#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000 };

enum { CACHE_LINE = 64 }; // of the host: what one writes is not beside what others read

struct worker {
    atomic_uint taken; // of its pieces: its number, and every so many-th after it
    char apart[CACHE_LINE];
    struct workers *all;
    unsigned number;
    pthread_t thread;
};

struct workers {
    unsigned count; // the caller included
    struct worker *each;
    atomic_uint round;
    char apart[CACHE_LINE];
    atomic_uint done;
    char apart_too[CACHE_LINE];
    atomic_bool over;
    void (*work)(void *context, unsigned k);
    void *context;
    unsigned pieces;
};

static void share(struct workers *w, unsigned number)
{
    for (unsigned n = 0; n < w->count; n++) {
        unsigned owner = (number + n) % w->count;
        for (;;) {
            unsigned k = atomic_fetch_add_explicit(&w->each[owner].taken, 1, memory_order_relaxed);
            if (k >= w->pieces || owner + k * w->count >= w->pieces) break;
            w->work(w->context, owner + k * w->count);
        }
    }
}

static void pause_a_little(unsigned *spins)
{
    if (++*spins % SPINS == 0) sched_yield();
}

static void *worker_main(void *argument)
{
    const struct worker *self = argument;
    struct workers *w = self->all;
    for (unsigned seen = 0;;) {
        unsigned spins = 0;
        while (atomic_load_explicit(&w->round, memory_order_acquire) == seen) {
            if (atomic_load_explicit(&w->over, memory_order_acquire)) return NULL;
            pause_a_little(&spins);
        }
        seen++;
        share(w, self->number);
        atomic_fetch_add_explicit(&w->done, 1, memory_order_release);
    }
}

struct workers *workers_create(unsigned threads)
{
    struct workers *w = heap_alloc(sizeof *w);
    unsigned wanted = threads ? threads : 1;
    w->each = heap_alloc(wanted * sizeof *w->each);
    // Fewer threads do the same work; who has started waits for a round, and looks at the count then.
    for (w->count = 1; w->count < wanted; w->count++) {
        struct worker *x = &w->each[w->count];
        x->all = w;
        x->number = w->count;
        if (pthread_create(&x->thread, NULL, worker_main, x) != 0) break;
    }
    return w;
}

void workers_destroy(struct workers *w)
{
    atomic_store_explicit(&w->over, true, memory_order_release);
    for (unsigned k = 1; k < w->count; k++) pthread_join(w->each[k].thread, NULL);
    free(w->each);
    free(w);
}

void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count)
{
    if (w->count == 1) {
        for (unsigned k = 0; k < count; k++) work(context, k);
        return;
    }
    w->work = work;
    w->context = context;
    w->pieces = count;
    for (unsigned k = 0; k < w->count; k++) atomic_store_explicit(&w->each[k].taken, 0, memory_order_relaxed);
    atomic_store_explicit(&w->done, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->round, 1, memory_order_release);
    share(w, 0);
    unsigned spins = 0;
    while (atomic_load_explicit(&w->done, memory_order_acquire) != w->count - 1) pause_a_little(&spins);
}
