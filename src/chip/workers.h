// A fixed set of threads for repeated rounds of numbered pieces of work. A thread has pieces of its own,
// then takes pieces left by other threads. The caller takes part. Rounds are short (microseconds), so
// waiting is brief spinning, then sleep.
#pragma once

struct workers;

struct workers *workers_create(unsigned threads); // threads: the caller's included; 0 counts as 1
void workers_destroy(struct workers *w);
// Calls work(context, k) for every k < count and returns when all calls have returned. A single thread
// calls in order of k.
void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count);
