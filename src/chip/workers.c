// Rounds are numbered. A worker takes its own pieces first, the same in every round and so still in its
// core's cache, then pieces left by other workers. A round is over when its pieces are done: nobody waits
// for a worker without a piece, which may itself be waiting for a core.
//
// A waiting thread spins briefly, since the next round usually comes within microseconds, and then sleeps.
// On a core shared with other threads, spinning would delay the thread with work.
//
// The benefit of other threads is measured: rounds of all threads together, rounds of the caller alone, then
// many rounds of the faster way. A worker whose core is wanted by another process may vanish in the middle of
// a piece for the time of a hundred rounds.
//
//     together ─▶ alone ─▶ settled, longer for a clearer result ─▶ together …
#include "chip/workers.h"
#include "base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { SPINS = 20000 };                    // about ten microseconds
enum { ALONE = 64, TOGETHER = 8 * ALONE }; // rounds of a measurement phase
enum { SETTLED = 2048, SETTLED_MOST = 1 << 15 };

enum { CACHE_LINE = 64 }; // of the host: keeps variables of different writers on different lines

struct worker {
    // pieces of the worker not yet taken | round number << 32: a thread late from an earlier round takes
    // nothing
    atomic_ullong left;
    char apart[CACHE_LINE];
    struct workers *all;
    unsigned number;
    pthread_t thread;
};

struct workers {
    unsigned count; // with the caller
    struct worker *each;
    // The current round; changed only while no piece is in work.
    void (*work)(void *context, unsigned k);
    void *context;
    unsigned pieces;
    atomic_uint round;
    char apart[CACHE_LINE];
    atomic_uint finished; // pieces done
    char apart_too[CACHE_LINE];
    // The current measurement.
    enum phase { PHASE_TOGETHER, PHASE_ALONE, PHASE_SETTLED } phase;
    bool is_alone;
    unsigned rounds, left;    // rounds of the current phase; rounds left in the phase
    unsigned settled;         // rounds of the next settled phase if the caller alone is faster
    uint64_t began, round_ns; // start of the phase; time of a round with all threads, in nanoseconds
    atomic_bool over;
    // Sleep protocol. A thread about to sleep first sets its flag, then checks once more for news. A thread
    // with news first publishes the news, then checks the flags.
    atomic_uint sleepers;
    atomic_bool caller_sleeps;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
};

static unsigned pieces_of(const struct workers *w, unsigned owner)
{
    return w->pieces > owner ? (w->pieces - owner - 1) / w->count + 1 : 0;
}

// Takes a piece of worker `owner` in the round. False: no piece is left, or another round has begun.
static bool take_piece(struct workers *w, unsigned owner, unsigned round, unsigned *piece)
{
    unsigned long long left = atomic_load_explicit(&w->each[owner].left, memory_order_acquire);
    do {
        if ((unsigned)(left >> 32) != round || !(unsigned)left) return false;
    } while (!atomic_compare_exchange_weak(&w->each[owner].left, &left, left - 1));
    *piece = owner + (pieces_of(w, owner) - (unsigned)left) * w->count;
    return true;
}

static void wake_caller(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
}

static void share(struct workers *w, unsigned number, unsigned round)
{
    for (unsigned n = 0; n < w->count; n++) {
        unsigned piece;
        while (take_piece(w, (number + n) % w->count, round, &piece)) {
            w->work(w->context, piece);
            atomic_fetch_add(&w->finished, 1);
            if (atomic_load(&w->caller_sleeps)) wake_caller(w);
        }
    }
}

static bool has_news(struct workers *w, unsigned seen)
{
    return atomic_load(&w->round) != seen || atomic_load(&w->over);
}

static void wait_for_round(struct workers *w, unsigned seen)
{
    for (unsigned spins = 0; spins < SPINS; spins++)
        if (has_news(w, seen)) return;
    pthread_mutex_lock(&w->lock);
    atomic_fetch_add(&w->sleepers, 1);
    while (!has_news(w, seen)) pthread_cond_wait(&w->begun, &w->lock);
    atomic_fetch_sub(&w->sleepers, 1);
    pthread_mutex_unlock(&w->lock);
}

static void wait_for_pieces(struct workers *w)
{
    for (unsigned spins = 0; spins < SPINS; spins++)
        if (atomic_load(&w->finished) == w->pieces) return;
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->caller_sleeps, true);
    while (atomic_load(&w->finished) != w->pieces) pthread_cond_wait(&w->ended, &w->lock);
    atomic_store(&w->caller_sleeps, false);
    pthread_mutex_unlock(&w->lock);
}

static void wake_sleepers(struct workers *w)
{
    if (!atomic_load(&w->sleepers)) return;
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->begun);
    pthread_mutex_unlock(&w->lock);
}

// -- benefit of workers ------------------------------------------------------------------------------------

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void begin_phase(struct workers *w, enum phase phase, bool is_alone, unsigned rounds)
{
    w->phase = phase;
    w->is_alone = is_alone;
    w->rounds = w->left = rounds;
    w->began = now_ns();
}

// Settles for the faster way. A measurement of the caller alone forgoes the gain of the other threads, so
// with a larger gain measurements are rarer.
static void settle(struct workers *w, uint64_t alone_ns)
{
    uint64_t gain = alone_ns / (w->round_ns + 1);
    bool is_alone = alone_ns <= w->round_ns;
    uint64_t rounds = is_alone ? w->settled : SETTLED * (gain + 1);
    w->settled = is_alone && 2 * w->settled <= SETTLED_MOST ? 2 * w->settled : SETTLED;
    begin_phase(w, PHASE_SETTLED, is_alone, rounds < SETTLED_MOST ? (unsigned)rounds : SETTLED_MOST);
}

static void next_phase(struct workers *w)
{
    uint64_t round_ns = (now_ns() - w->began) / w->rounds;
    switch (w->phase) {
    case PHASE_TOGETHER:
        w->round_ns = round_ns;
        begin_phase(w, PHASE_ALONE, true, ALONE);
        break;
    case PHASE_ALONE: settle(w, round_ns); break;
    case PHASE_SETTLED: begin_phase(w, PHASE_TOGETHER, false, TOGETHER); break;
    }
}

// -- lifetime ----------------------------------------------------------------------------------------------

static void *worker_main(void *argument)
{
    const struct worker *self = argument;
    struct workers *w = self->all;
    for (unsigned seen = 0;;) {
        wait_for_round(w, seen);
        if (atomic_load(&w->over)) return NULL;
        seen = atomic_load(&w->round);
        share(w, self->number, seen);
    }
}

struct workers *workers_create(unsigned threads)
{
    struct workers *w = heap_alloc(sizeof *w);
    unsigned wanted = threads ? threads : 1;
    w->each = heap_alloc(wanted * sizeof *w->each);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->begun, NULL);
    pthread_cond_init(&w->ended, NULL);
    w->settled = SETTLED;
    begin_phase(w, PHASE_TOGETHER, false, TOGETHER);
    // If fewer threads start than wanted, results are the same. A started thread waits for the first round
    // before reading `count`.
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
    atomic_store(&w->over, true);
    wake_sleepers(w);
    for (unsigned k = 1; k < w->count; k++) pthread_join(w->each[k].thread, NULL);
    pthread_cond_destroy(&w->ended);
    pthread_cond_destroy(&w->begun);
    pthread_mutex_destroy(&w->lock);
    free(w->each);
    free(w);
}

void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count)
{
    if (w->count > 1 && !w->left--) {
        next_phase(w);
        w->left--;
    }
    if (w->count == 1 || w->is_alone) {
        for (unsigned k = 0; k < count; k++) work(context, k);
        return;
    }
    unsigned round = atomic_load(&w->round) + 1;
    w->work = work;
    w->context = context;
    w->pieces = count;
    atomic_store(&w->finished, 0);
    for (unsigned n = 0; n < w->count; n++)
        atomic_store(&w->each[n].left, (unsigned long long)round << 32 | pieces_of(w, n));
    atomic_store(&w->round, round);
    wake_sleepers(w);
    share(w, 0, round);
    wait_for_pieces(w);
}
