// Rounds are numbered. A worker takes its own pieces first, the same in every round and so still in its
// core's cache, then pieces left by other workers. A round is over when its pieces are done: nobody waits
// for a worker without a piece, which may itself be waiting for a core.
//
//     caller: ticket to each worker ──▶ own pieces, left pieces ──▶ waits until `done` is complete
//     worker:              spins on its ticket ──▶ own pieces, left pieces ──▶ adds to `done` once
//
// A round costs each thread two moves of a cache line: the ticket and `done`. A waiting thread spins for
// tens of microseconds, longer than the wait for another thread's last piece, and then sleeps. On a core
// shared with other threads, spinning would delay the thread with work.
//
// How many threads take part is measured (pace.h): a worker whose core is wanted by another process may
// vanish in the middle of a piece for the time of a hundred rounds.
#include "chip/workers.h"
#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { SPIN_NS = 50000 };
enum { LOOKS = 64 };             // looks at a variable between two looks at the clock
enum { WORTH_A_THREAD = 50000 }; // nanoseconds of work before another thread starts: what a start costs

enum { CACHE_LINE = 64 }; // of the host: keeps variables of different writers on different lines

#define OVER UINT32_MAX // a round number: no round comes any more

struct worker {
    // pieces of the worker not yet taken | round number << 32: a thread late from an earlier round takes
    // nothing
    atomic_ullong ticket;
    char apart[CACHE_LINE];
    atomic_bool sleeps; // written by the worker
    pthread_cond_t begun;
    struct workers *all;
    unsigned number;
    pthread_t thread;
    char apart_too[CACHE_LINE];
};

struct workers {
    unsigned wanted, count; // threads, with the caller; count: started
    struct worker *each;
    // The current round; changed only while no piece is in work, and written only if changed.
    void (*work)(void *context, unsigned k);
    void *context;
    unsigned pieces, active; // active: threads with pieces of their own
    char apart[CACHE_LINE];
    atomic_ullong done; // 2 x pieces done by workers, in all rounds | 1 while the caller sleeps
    char apart_too[CACHE_LINE];
    // The caller's own.
    unsigned round;
    unsigned long long expected; // `done` at the end of the round under way, if workers do the rest of it
    struct pace *pace;
    uint64_t created_ns;
    char apart_again[CACHE_LINE];
    // Sleep protocol. A thread about to sleep first says so, then checks once more for news. A thread with
    // news first publishes the news, then looks for sleepers. Additions to `order` separate the two steps.
    atomic_uint order;
    pthread_mutex_t lock;
    pthread_cond_t ended;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// -- pieces ------------------------------------------------------------------------------------------------

static unsigned pieces_of(const struct workers *w, unsigned owner)
{
    return w->pieces > owner ? (w->pieces - owner - 1) / w->active + 1 : 0;
}

// Takes a piece of worker `owner` in the round. False: no piece is left, or another round has begun.
static bool take_piece(struct workers *w, unsigned owner, unsigned round, unsigned *piece)
{
    unsigned long long ticket = atomic_load_explicit(&w->each[owner].ticket, memory_order_acquire);
    do {
        if ((unsigned)(ticket >> 32) != round || !(unsigned)ticket) return false;
    } while (!atomic_compare_exchange_weak(&w->each[owner].ticket, &ticket, ticket - 1));
    *piece = owner + (pieces_of(w, owner) - (unsigned)ticket) * w->active;
    return true;
}

// Works on pieces of the round until none is left to take; returns their number.
static unsigned share(struct workers *w, unsigned number, unsigned round)
{
    unsigned taken = 0, piece;
    for (unsigned n = 0; n < w->count; n++)
        for (; take_piece(w, (number + n) % w->count, round, &piece); taken++) w->work(w->context, piece);
    return taken;
}

// -- waiting -----------------------------------------------------------------------------------------------

static unsigned round_of(const struct worker *x)
{
    return (unsigned)(atomic_load_explicit(&x->ticket, memory_order_acquire) >> 32);
}

// Spins while `is_waiting` holds. False: it still holds after SPIN_NS.
static bool spin(bool (*is_waiting)(const void *context), const void *context)
{
    for (uint64_t end = 0;;) {
        for (unsigned n = 0; n < LOOKS; n++) {
            if (!is_waiting(context)) return true;
            relax();
        }
        uint64_t now = now_ns();
        if (!end) end = now + SPIN_NS;
        if (now > end) return false;
    }
}

struct expected_round {
    const struct worker *worker;
    unsigned seen;
};

static bool waits_for_round(const void *context)
{
    const struct expected_round *e = context;
    return round_of(e->worker) == e->seen;
}

static unsigned wait_for_round(struct worker *x, unsigned seen)
{
    struct workers *w = x->all;
    const struct expected_round e = {x, seen};
    if (spin(waits_for_round, &e)) return round_of(x);
    pthread_mutex_lock(&w->lock);
    atomic_store(&x->sleeps, true);
    atomic_fetch_add(&w->order, 1);
    while (round_of(x) == seen) pthread_cond_wait(&x->begun, &w->lock);
    atomic_store(&x->sleeps, false);
    pthread_mutex_unlock(&w->lock);
    return round_of(x);
}

// Wakes the workers below `active` that sleep. Their tickets are stored before.
static void wake_sleepers(struct workers *w, unsigned active)
{
    atomic_fetch_add(&w->order, 1);
    for (unsigned n = 1; n < active; n++) {
        if (!atomic_load_explicit(&w->each[n].sleeps, memory_order_relaxed)) continue;
        pthread_mutex_lock(&w->lock);
        pthread_cond_signal(&w->each[n].begun);
        pthread_mutex_unlock(&w->lock);
    }
}

static bool waits_for_pieces(const void *context)
{
    const struct workers *w = context;
    return atomic_load_explicit(&w->done, memory_order_acquire) != w->expected;
}

static void wait_for_pieces(struct workers *w)
{
    if (spin(waits_for_pieces, w)) return;
    pthread_mutex_lock(&w->lock);
    atomic_fetch_or(&w->done, 1);
    while (atomic_load(&w->done) != (w->expected | 1)) pthread_cond_wait(&w->ended, &w->lock);
    atomic_fetch_sub(&w->done, 1);
    pthread_mutex_unlock(&w->lock);
}

static void add_done(struct workers *w, unsigned pieces)
{
    if (!pieces || !(atomic_fetch_add(&w->done, 2ull * pieces) & 1)) return;
    pthread_mutex_lock(&w->lock);
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
}

// -- lifetime ----------------------------------------------------------------------------------------------

static void *worker_main(void *argument)
{
    struct worker *self = argument;
    for (unsigned round = 0; (round = wait_for_round(self, round)) != OVER;)
        add_done(self->all, share(self->all, self->number, round));
    return NULL;
}

// Cores that the process may use.
static unsigned cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) ? (unsigned)CPU_COUNT(&set) : 1;
}

struct workers *workers_create(unsigned threads, struct pace *pace)
{
    struct workers *w = heap_alloc(sizeof *w);
    w->wanted = threads ? threads : 1;
    w->count = w->active = 1;
    w->each = heap_alloc(w->wanted * sizeof *w->each);
    w->pace = pace;
    w->created_ns = now_ns();
    pace_begin(pace, w->wanted, cores(), w->created_ns);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->ended, NULL);
    return w;
}

// If fewer threads start than wanted, results are the same. A started thread waits for its first ticket before
// reading `count`.
static void start_threads(struct workers *w)
{
    for (; w->count < w->wanted; w->count++) {
        struct worker *x = &w->each[w->count];
        x->all = w;
        x->number = w->count;
        pthread_cond_init(&x->begun, NULL);
        if (pthread_create(&x->thread, NULL, worker_main, x) == 0) continue;
        pthread_cond_destroy(&x->begun);
        w->wanted = w->count;
        return;
    }
}

void workers_destroy(struct workers *w)
{
    for (unsigned k = 1; k < w->count; k++)
        atomic_store_explicit(&w->each[k].ticket, (unsigned long long)OVER << 32, memory_order_release);
    wake_sleepers(w, w->count);
    for (unsigned k = 1; k < w->count; k++) {
        pthread_join(w->each[k].thread, NULL);
        pthread_cond_destroy(&w->each[k].begun);
    }
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->lock);
    free(w->each);
    free(w);
}

bool workers_are_more(const struct workers *w) { return w->wanted > 1; }

// -- rounds ------------------------------------------------------------------------------------------------

static void work_alone(void (*work)(void *context, unsigned k), void *context, unsigned count)
{
    for (unsigned k = 0; k < count; k++) work(context, k);
}

// Shares a round among the first `active` threads.
static void work_together(struct workers *w, void (*work)(void *context, unsigned k), void *context,
                          unsigned count, unsigned active)
{
    if (w->work != work || w->context != context || w->pieces != count || w->active != active) {
        w->work = work;
        w->context = context;
        w->pieces = count;
        w->active = active;
    }
    if (++w->round == OVER) w->round = 1;
    for (unsigned n = active; n-- > 0;)
        atomic_store_explicit(&w->each[n].ticket, (unsigned long long)w->round << 32 | pieces_of(w, n),
                              memory_order_release);
    wake_sleepers(w, active);
    w->expected += 2ull * (count - share(w, 0, w->round));
    wait_for_pieces(w);
}

void workers_run_alone(struct workers *w, void (*work)(void *context, unsigned k), void *context,
                       unsigned count)
{
    pace_leave_out(w->pace);
    work_alone(work, context, count);
}

void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count)
{
    if (w->wanted == 1) {
        work_alone(work, context, count);
        return;
    }
    unsigned active = pace_threads(w->pace);
    if (w->count < w->wanted) {
        if (now_ns() - w->created_ns > (uint64_t)WORTH_A_THREAD * w->wanted) start_threads(w);
        workers_run_alone(w, work, context, count);
        return;
    }
    if (active > w->count) active = w->count;
    if (w->pace->is_measuring) pace_round(w->pace, now_ns());
    if (active == 1)
        work_alone(work, context, count);
    else
        work_together(w, work, context, count, active);
    pace_count(w->pace, now_ns());
}
