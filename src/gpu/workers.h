// A fixed set of threads that share out numbered pieces of work, again and again: thread t of n takes the
// pieces t, t + n, t + 2n … The caller is thread 0. Rounds are short (microseconds), so waiting is spinning
// that gives way.
#pragma once

struct workers;

struct workers *workers_create(unsigned threads); // at least the caller
void workers_destroy(struct workers *w);
// Calls work(context, k) for every k < count, and returns when all have returned.
void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count);
