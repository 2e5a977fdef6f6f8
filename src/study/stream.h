// Accesses of a kernel in the order in which they reach the cache, and the streams that they are to its levels: one of the whole
// chip, one an SM, a block, a warp.
#pragma once
#include "base/diag.h"
#include "base/vec.h"
#include "study/reuse.h"

enum stream_level { STREAM_CHIP, STREAM_SM, STREAM_BLOCK, STREAM_WARP, STREAM_LEVELS };
extern const char *const stream_level_names[STREAM_LEVELS + 2]; // then "all", NULL

struct stream_access {
    uint64_t address, cycle, block; // cycle: of the launch; of those of a file their number
    uint32_t launch;
    uint16_t sm, warp;
};

struct stream {
    VEC(struct stream_access) list;
    uint64_t left_out; // for want of room
};

// Into the order of the level's streams, one behind the other.
void stream_sort(struct stream *s, enum stream_level level);
// Streams of a sorted list: P's counts of all of them together.
void stream_count(const struct stream *s, enum stream_level level, unsigned shift, enum reuse_window window,
                  struct reuse *r, uint64_t *addresses, struct reuse_counts *to);
// Of a file of comma-separated values: a column `address`, and `sm`, `block` and `warp` where it has them. False and errors.
bool stream_read(struct stream *s, const char *text, uint32_t source, struct diag *d);
