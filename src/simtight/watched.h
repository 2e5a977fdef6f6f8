// Watching the SIMTight core (simtight/core.h). The core appears as SM 0 of a timeline. An instruction is
// shown in fetch from its warp's choice to its execution. Instructions of the scalar pipeline are marked as
// second issue.
#pragma once
#include "simtight/core.h"
#include "watch/watch.h"

struct watch_core {
    struct watcher *watcher;
    struct watch_sm *sm; // NULL: not watched
    // by warp: index in sm->insts of the instruction with an outstanding result; WATCH_NONE: none
    uint32_t under_way[WATCH_WARPS];
    uint32_t next[WATCH_WARPS]; // by warp: last instruction executed
};

// Begins watching a launch at cycle 0 of the core, all warps resident. Sets the listener's functions and
// context.
void watch_core_begin(struct watch_core *c, struct watcher *w, const struct launch *l,
                      struct watch_stream stream, struct simtight_listener *listener);
void watch_core_end(struct watch_core *c, uint64_t now);
