// Set dueling between two ways of working, on and off: a few leader SMs work in each way. The other SMs
// follow the leaders with the higher rate of work in the last epochs.
//
//     SM    first …   first + n …   all others
//           on        off           followers: as `begins_on` at first; change after `hold` epochs won in a
//                                   row by the other leaders
//
// For mechanisms: the duel is a part of the launch's state, watches in the hook `window`, and is read by
// hooks of SMs. The duel does not change between two windows, so the number of host threads has no effect.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct duel_config {
    uint64_t epoch; // length in cycles
    // Epochs in a row won by the other way before followers change; 1: followers take the last epoch's
    // winner.
    unsigned hold;
    unsigned leaders; // number of leaders for each way
    unsigned first;   // number of the first leader SM
    bool in_total;    // an epoch is won by the way with more work since the launch's begin, not in the epoch
    bool begins_on;   // the way of the followers until the first change
};

enum duel_role { DUEL_ON, DUEL_OFF, DUEL_FOLLOWS };

struct duel {
    struct duel_config config;
    uint64_t ends;    // cycle in which the current epoch ends
    uint64_t on, off; // total work of each way's leaders at the epoch's begin, as told to duel_tell
    bool followers_on;
    unsigned against; // epochs in a row lost by the way in which the followers work now
};

void duel_init(struct duel *d, const struct duel_config *config, uint64_t now);
enum duel_role duel_role(const struct duel *d, unsigned sm);
bool duel_is_on(const struct duel *d, unsigned sm);
// Call from the hook `window`: at the end of an epoch, reports the leaders' work, counted in lanes of
// executed instructions.
struct tech_view;
void duel_watch(struct duel *d, const struct tech_view *v);
// Reports the work of the leaders of each way so far, in any unit. Called at cycle `now`, after all events
// before the cycle. An epoch without work by one way, or with equal work, is undecided and breaks a row.
void duel_tell(struct duel *d, uint64_t now, uint64_t on, uint64_t off);
