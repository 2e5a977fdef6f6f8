// A fixed set of threads for repeated rounds of numbered pieces of work. A thread has pieces of its own,
// then takes pieces left by other threads. The caller takes part. Rounds are short (microseconds), so
// waiting is brief spinning, then sleep.
#pragma once
#include "chip/pace.h"

#include <stdbool.h>

struct workers;

// threads: the caller's included; 0 counts as 1. pace: decides how many threads take part in a round; outlives
// the workers, and may serve later workers of as many threads. Threads start with the first rounds that are
// worth the cost.
struct workers *workers_create(unsigned threads, struct pace *pace);
void workers_destroy(struct workers *w);
bool workers_are_more(const struct workers *w); // than the caller
// Calls work(context, k) for every k < count and returns when all calls have returned. Low k are begun first,
// so long pieces have low numbers. A single thread calls in order of k.
void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count);
// The same by the caller alone, for rounds with little work.
void workers_run_alone(struct workers *w, void (*work)(void *context, unsigned k), void *context,
                       unsigned count);
