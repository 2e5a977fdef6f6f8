// Scripts played once for a profiler: no warm-up, no clock, no event; the launches that count stand in a profiler's range.
#pragma once
#include "bench/silicon/play.h"
#include "silicon/point.h"

struct once {
    size_t most;    // profiled launches of a script; a script with more is left out
    double seconds; // no script begins later than so long after the first; 0: no limit
    FILE *out;
};

// Plays a point's script and profiles the launches that the point counts, or a script of any other path and profiles
// all of its launches. Lines go to `out`: "# NAME" before the first launch, play_watch's line of a launch,
// "# NAME done", "# NAME failed" or "# NAME left out: 255 launches" at the end. False: the script failed; errors are in `d`.
bool once_point(struct device *device, const struct once *o, const struct point *p, struct diag *d);
bool once_script(struct device *device, const struct once *o, const char *path, struct diag *d);
// Plays operands: lists of points (silicon/points.csv:WORD,...) and paths of scripts (….wf), one after another. A failed
// script leaves the rest to run. False: a script failed.
bool once_all(struct device *device, const struct once *o, char *const *operands, size_t count,
              struct diag *d);
