// A functional launch that runs one turn at a time, for launches that wait for each other's memory.
#pragma once
#include "exec/launch.h"

struct exec_counts;
struct exec_session;

enum exec_turn {
    EXEC_ENDED,   // the last block has ended
    EXEC_FAILED,  // a fault
    EXEC_WAITS,   // every warp waits, repeats a state, or reads the same words again and again
    EXEC_GOES_ON, // internal to the engine
};

// The launch outlives the session.
struct exec_session *exec_begin(const struct launch *l);
// Runs until the launch ends, fails, or seems to wait for another launch. is_beside: another launch could
// have the turn, so the first look begins sooner. May be called again only after EXEC_WAITS.
enum exec_turn exec_go(struct exec_session *s, bool is_beside);
// True for a waiting launch proved to wait for ever unless another launch changes memory.
bool exec_is_stuck(const struct exec_session *s);
// True when the last turn may have changed a byte of global memory. False: the turn was one look from
// beginning to end, and found no change.
bool exec_has_moved(const struct exec_session *s);
// Fails a stuck launch with a report of its warps and with `beside`: further lines, each after its '\n'.
void exec_fail_stuck(struct exec_session *s, const char *beside);
// Ends and frees the session, and adds its counts to *counts. Result, *fault and *race are as of exec_run.
bool exec_end(struct exec_session *s, struct exec_counts *counts, struct launch_fault *fault,
              struct launch_race *race);
