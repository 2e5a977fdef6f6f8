// The program with one host thread and a clock at every piece of a window's work: the bound of the gain from
// more threads. Linked in front of workers.c (--wrap). A line on standard error at the end of the process:
//
//     SECONDS of launches, WINDOWS, their PIECES, SERIAL percent between windows, bounds for 2, 4, 8, 16 threads
//
// The bound is all time over the serial time and, for every window, the time of the busiest thread when the
// longest piece goes first, always to the thread with the least work.
#include "chip/workers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECES = 512, BOUNDS = 4, THREADS = 1 << BOUNDS };

struct workers *__real_workers_create(unsigned threads, struct pace *pace);
struct workers *__wrap_workers_create(unsigned threads, struct pace *pace);
void __wrap_workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context,
                        unsigned count);

static struct {
    uint64_t windows, pieces, serial_ns, work_ns;
    uint64_t span_ns[BOUNDS]; // with 2, 4, 8, 16 threads
    uint64_t end;             // of the last round
    uint64_t clock_ns;        // cost of a look at the clock
    double usual[PIECES];     // mean times of pieces
} all;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void print(void)
{
    double total = (double)(all.serial_ns + all.work_ns);
    if (!all.windows) return;
    fprintf(stderr, "%.4f %" PRIu64 " %.1f %.2f", total / 1e9, all.windows,
            (double)all.pieces / (double)all.windows, 100 * (double)all.serial_ns / total);
    for (unsigned k = 0; k < BOUNDS; k++)
        fprintf(stderr, " %.2f", total / (double)(all.serial_ns + all.span_ns[k]));
    fprintf(stderr, "\n");
}

static void begin(void)
{
    enum { LOOKS = 1000 };
    uint64_t from = now_ns();
    for (unsigned k = 0; k < LOOKS; k++) now_ns();
    all.clock_ns = (now_ns() - from) / LOOKS;
    atexit(print);
}

struct workers *__wrap_workers_create(unsigned threads, struct pace *pace)
{
    if (!all.clock_ns) begin();
    struct workers *w = __real_workers_create(threads, pace);
    all.end = now_ns();
    return w;
}

// The host takes the core away now and then; the piece then counts as usual.
static uint64_t usual(unsigned k, uint64_t ns)
{
    enum { TAKEN_NS = 50000, TIMES = 20 };
    double *mean = &all.usual[k];
    if (ns > TAKEN_NS && (double)ns > TIMES * *mean && *mean > 0) return (uint64_t)*mean;
    *mean += ((double)ns - *mean) / 16;
    return ns;
}

static int longest_first(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

static uint64_t span(const uint64_t *ns, unsigned count, unsigned threads)
{
    uint64_t load[THREADS] = {0}, most = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned least = 0;
        for (unsigned n = 1; n < threads; n++)
            if (load[n] < load[least]) least = n;
        load[least] += ns[k];
        if (load[least] > most) most = load[least];
    }
    return most;
}

void __wrap_workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context,
                        unsigned count)
{
    uint64_t ns[PIECES], at = now_ns();
    (void)w;
    if (count > PIECES) abort();
    all.serial_ns += usual(PIECES - 1, at - all.end);
    for (unsigned k = 0; k < count; k++) {
        work(context, k);
        uint64_t end = now_ns();
        ns[k] = usual(k, end - at > all.clock_ns ? end - at - all.clock_ns : 0);
        all.work_ns += ns[k];
        at = end;
    }
    all.windows++;
    all.pieces += count;
    qsort(ns, count, sizeof *ns, longest_first);
    for (unsigned k = 0; k < BOUNDS; k++) all.span_ns[k] += span(ns, count, 2u << k);
    all.end = now_ns();
}
