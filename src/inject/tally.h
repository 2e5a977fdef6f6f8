// What a campaign has measured, beside what was predicted.
#pragma once
#include "inject/inject.h"

struct inject_tally {                         // of one kind of place
    uint64_t injected, ends[INJECT_OUTCOMES]; // by outcome
    double predicted, measured;               // shares that are found
    double low, high;                         // of the measured one: its 99.9 % interval
    bool agrees;                              // the predicted one is in it
};

// False: there are no such places, or no injection there.
bool inject_tally(const struct inject_space *space, const struct journal *j, uint32_t count,
                  enum upset_place place, struct inject_tally *t);
// The interval of a share, `hits` of `all` (Wilson 1927): the shares that would give this many with a probability of 99.9 %.
void inject_interval(uint64_t hits, uint64_t all, double *low, double *high);
