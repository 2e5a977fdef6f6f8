// Measured and predicted coverage of a campaign.
#pragma once
#include "inject/inject.h"

// Of one kind of place.
struct inject_tally {
    uint64_t injected, ends[INJECT_OUTCOMES]; // ends: by outcome
    double predicted, measured;               // detected shares
    double low, high;                         // 99.9 % confidence interval of `measured`
    bool agrees;                              // `predicted` lies in the interval
};

// Coverage of one kind of place, from the first `count` injections. False: no injection into the kind.
bool inject_tally(const struct inject_space *space, const struct journal *j, uint32_t count,
                  enum upset_place place, struct inject_tally *t);
// 99.9 % confidence interval (Wilson 1927) of a proportion estimated from `hits` among `all` samples.
void inject_interval(uint64_t hits, uint64_t all, double *low, double *high);
