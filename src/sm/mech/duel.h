// Two ways to work, one of which is better: some SMs work in the one, some in the other, and the rest as those did that
// got more done in the last epoch.
//
//     SM    first …   first + n …   all others
//           on        off           followers: off at first; change when the other leaders have won `hold` epochs in a row
//
// For mechanisms, which keep one in the state of a launch, have it watch by the hook `window`, and ask it in their
// hooks of an SM: between two windows nothing in it changes, so host threads do not matter.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct duel_config {
    uint64_t epoch;   // cycles
    unsigned hold;    // epochs in a row before followers change, 1: they follow the last one
    unsigned leaders; // of each way
    unsigned first;   // SM that leads
};

enum duel_role { DUEL_ON, DUEL_OFF, DUEL_FOLLOWS };

struct duel {
    struct duel_config config;
    uint64_t ends;    // of the epoch
    uint64_t on, off; // work of the leaders when it began
    bool followers_on;
    unsigned against; // epochs in a row that were lost by the followers' way
};

void duel_init(struct duel *d, const struct duel_config *config, uint64_t now);
enum duel_role duel_role(const struct duel *d, unsigned sm);
bool duel_is_on(const struct duel *d, unsigned sm);
// By hook `window`: work is thread instructions, whose rate is what counts.
struct tech_view;
void duel_watch(struct duel *d, const struct tech_view *v);
// At a cycle, after all that has happened before it: what the leaders of each way have done so far, in any unit. An
// epoch in which either did nothing, or both the same, says nothing and ends a row.
void duel_tell(struct duel *d, uint64_t now, uint64_t on, uint64_t off);
