// Rounds are numbered; a worker waits for the next number, takes pieces while there are any and counts itself
// in.
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
    atomic_uint round, done, next; // next: piece
    atomic_bool over;
    void (*work)(void *context, unsigned k);
    void *context;
    unsigned pieces;
};

static void share(struct workers *w)
{
    unsigned k;
    while ((k = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->pieces)
        w->work(w->context, k);
}

static void pause_a_little(unsigned *spins)
{
    if (++*spins % SPINS == 0) sched_yield();
}

static void *worker_main(void *argument)
{
    struct workers *w = argument;
    for (unsigned seen = 0;;) {
        unsigned spins = 0;
        while (atomic_load_explicit(&w->round, memory_order_acquire) == seen) {
            if (atomic_load_explicit(&w->over, memory_order_acquire)) return NULL;
            pause_a_little(&spins);
        }
        seen++;
        share(w);
        atomic_fetch_add_explicit(&w->done, 1, memory_order_release);
    }
}

struct workers *workers_create(unsigned threads)
{
    struct workers *w = heap_alloc(sizeof *w);
    w->count = threads ? threads : 1;
    w->threads = heap_alloc(w->count * sizeof *w->threads);
    unsigned started = 1;
    while (started < w->count && pthread_create(&w->threads[started], NULL, worker_main, w) == 0) started++;
    w->count = started; // fewer threads do the same work
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
    if (w->count == 1) {
        for (unsigned k = 0; k < count; k++) work(context, k);
        return;
    }
    w->work = work;
    w->context = context;
    w->pieces = count;
    atomic_store_explicit(&w->next, 0, memory_order_relaxed);
    atomic_store_explicit(&w->done, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->round, 1, memory_order_release);
    share(w);
    unsigned spins = 0;
    while (atomic_load_explicit(&w->done, memory_order_acquire) != w->count - 1) pause_a_little(&spins);
}
