// A progress bar on stderr for work longer than a second: share done, rate and time left. No output if stderr
// is no terminal. Times come from the monotonic clock and affect only the bar.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *label, *unit;
    uint64_t total; // 0 = unknown
    double started_s, drawn_s;
    bool enabled, visible;
};

void progress_init(struct progress *p, const char *label, const char *unit, uint64_t total, bool enabled);
void progress_update(struct progress *p, uint64_t done); // cheap: redraws at most ten times a second
void progress_fini(struct progress *p);                  // removes the bar
double clock_seconds(void);                              // monotonic
