// A fixed set of threads that share out numbered pieces of work, again and again: each has its own, and
// whoever is done takes what others have left. The caller is one of them. Rounds are short (microseconds), so
// waiting is a little spinning, then sleep.
#pragma once

struct workers;

struct workers *workers_create(unsigned threads); // at least the caller
void workers_destroy(struct workers *w);
// Calls work(context, k) for every k < count, in that order when alone, and returns when all have returned.
void workers_run(struct workers *w, void (*work)(void *context, unsigned k), void *context, unsigned count);
