// A functional launch that runs a turn at a time, so that launches which wait for each other's memory can take turns.
#pragma once
#include "exec/launch.h"

struct exec_session;

enum exec_turn {
    EXEC_ENDED,   // its last block has ended
    EXEC_FAILED,  // a fault
    EXEC_WAITS,   // all its warps wait, or read the same words again and again
    EXEC_GOES_ON, // within the engine alone
};

// The launch outlives the session.
struct exec_session *exec_begin(const struct launch *l);
// Runs until the launch ends, or seems to wait for another one, which is looked at sooner where another one could have the turn
// (is_beside). Only a launch that waits is run again.
enum exec_turn exec_go(struct exec_session *s, bool is_beside);
// Of a launch that waits: it does so for ever, unless somebody else changes memory.
bool exec_is_stuck(const struct exec_session *s);
// The last turn may have changed a byte of global memory. False: it was a look from its beginning to its end, which found
// nothing.
bool exec_has_moved(const struct exec_session *s);
// A launch that is stuck fails with a report of its warps, and of what else is to be said (lines, each behind its '\n').
void exec_fail_stuck(struct exec_session *s, const char *beside);
// The session is over, with its counts added, and what exec_run says of the launch.
bool exec_end(struct exec_session *s, struct exec_counts *counts, struct launch_fault *fault,
              struct launch_race *race);
