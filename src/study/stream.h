// Accesses of a kernel in their order at the cache, and the division into streams by level: one for the whole
// chip, one per SM, block or warp.
#pragma once
#include "base/diag.h"
#include "base/reuse.h"
#include "base/vec.h"

enum stream_level { STREAM_CHIP, STREAM_SM, STREAM_BLOCK, STREAM_WARP, STREAM_LEVELS };
extern const char *const stream_level_names[STREAM_LEVELS + 2]; // then "all", NULL

struct stream_access {
    uint64_t address, cycle, block; // cycle: of the chip's clock; in a file, the number of the access
    uint32_t launch;
    uint16_t sm, warp;
};

struct stream {
    VEC(struct stream_access) list;
    uint64_t left_out; // accesses dropped for lack of room
};

// Sorts the list by stream of the level, then by time.
void stream_sort(struct stream *s, enum stream_level level);
// Adds the reuse counts of all streams of a list sorted for the level. addresses: scratch, room for the whole
// list.
void stream_count(const struct stream *s, enum stream_level level, unsigned shift, enum reuse_window window,
                  struct reuse *r, uint64_t *addresses, struct reuse_counts *to);
// Reads comma-separated values: a column `address`, and optionally `sm`, `block` and `warp`. False: an error,
// reported in d.
bool stream_read(struct stream *s, const char *text, uint32_t source, struct diag *d);
