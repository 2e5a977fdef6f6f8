// Watching the SIMTight core (simtight/core.h): it stands as SM 0 of a timeline, where a warp is fetched from the cycle in which
// it is chosen until it executes, and the scalar pipeline's instructions are the second ones.
#pragma once
#include "simtight/core.h"
#include "watch/watch.h"

struct watch_core {
    struct watcher *watcher;
    struct watch_sm *sm;             // NULL: it is not among those watched
    uint32_t under_way[WATCH_WARPS]; // of a warp, the instruction whose result is to come; WATCH_NONE
    uint32_t next[WATCH_WARPS];      // what it executed last
};

// A launch begins at cycle 0 of the core's time; all of its warps are there. The listener's functions and the context are set.
void watch_core_begin(struct watch_core *c, struct watcher *w, const struct launch *l,
                      struct watch_stream stream, struct simtight_listener *listener);
void watch_core_end(struct watch_core *c, uint64_t now);
