// Rounds are numbered; a worker waits for the next number, does its share and counts itself in.
#include "gpu/workers.h"
#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000 };

struct workers {
    unsigned count; // threads, the caller included
    pthread_t *threads;
    atomic_uint round, done;
    atomic_bool over;
    void (*work)(void *context, unsigned k);
    void *context;
    unsigned pieces;
};

struct worker {
    struct workers *all;
    unsigned index;
};

static void share(struct workers *w, unsigned index)
{
    for (unsigned k = index; k < w->pieces; k += w->count) w->work(w->context, k);
}

static void pause_a_little(unsigned *spins)
{
    if (++*spins % SPINS == 0) sched_yield();
}

static void *worker_main(void *argument)
{
    struct worker self = *(struct worker *)argument;
    struct workers *w = self.all;
    free(argument);
    for (unsigned seen = 0;;) {
        unsigned spins = 0;
        while (atomic_load_explicit(&w->round, memory_order_acquire) == seen) {
            if (atomic_load_explicit(&w->over, memory_order_acquire)) return NULL;
            pause_a_little(&spins);
        }
        seen++;
        share(w, self.index);
        atomic_fetch_add_explicit(&w->done, 1, memory_order_release);
    }
}

struct workers *workers_create(unsigned threads)
{
    struct workers *w = heap_alloc(sizeof *w);
    w->count = threads ? threads : 1;
    w->threads = heap_alloc(w->count * sizeof *w->threads);
    unsigned started = 1;
    for (; started < w->count; started++) {
        struct worker *self = heap_alloc(sizeof *self);
        *self = (struct worker){w, started};
        if (pthread_create(&w->threads[started], NULL, worker_main, self) == 0) continue;
        free(self); // fewer threads do the same work
        break;
    }
    w->count = started;
    return w;
}

void workers_destroy(struct workers *w)
{
    atomic_store_explicit(&w->over, true, memory_order_release);
    for (unsigned k = 1; k < w->count; k++) pthread_join(w->threads[k], NULL);
    free(w->threads);
    free(w);
}

void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count)
{
    w->work = work;
    w->context = context;
    w->pieces = count;
    atomic_store_explicit(&w->done, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->round, 1, memory_order_release);
    share(w, 0);
    unsigned spins = 0;
    while (atomic_load_explicit(&w->done, memory_order_acquire) != w->count - 1) pause_a_little(&spins);
}
