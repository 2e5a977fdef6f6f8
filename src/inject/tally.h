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

// False: no such places, or no injection into them.
bool inject_tally(const struct inject_space *space, const struct journal *j, uint32_t count,
                  enum upset_place place, struct inject_tally *t);
// Confidence interval of a share, `hits` of `all` (Wilson 1927): shares with which the observed hits are
// within 99.9 % probability.
void inject_interval(uint64_t hits, uint64_t all, double *low, double *high);
