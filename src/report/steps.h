// The stepping page of watched launches: one HTML file that shows every warp in every cycle, of one run or of two side
// by side. docs/reference/timeline.md describes the page; web/steps.html is its template.
//
// The data of the page, JSON. A list of numbers has a record after the other; the first number of a record is the
// difference of its cycle to the cycle of the record before.
//
//     {"states": [name of enum watch_state …], "runs": [RUN …]}
//     RUN     {"name", "from", "to", "truncated", "launches": [LAUNCH …], "kernels": [KERNEL …], "masks": ["ffffffff" …],
//              "sms": [SM …]}                       from, to: first cycle, and first cycle after the last
//     LAUNCH  {"kernel": index in `kernels`, "stream", "from", "to", "grid": [x, y, z], "block": [x, y, z]}
//     KERNEL  {"name", "insts": [[pc, text, source lines, "R2 P0" written, "R1" read] …]}       instructions in records
//     SM      {"sm", "class", "schedulers", "insts", "spans", "skips", "tables", "rows", "texts", "changes"}
//       insts    fetched, flags, slot, launch, instruction, buffered - fetched, issued - buffered
//                not FLUSHED: collected - issued, done - issued (0: never), index in `masks`
//                QUEUED: lines, passes, sent - issued (0: never)              in order of the ids of the Konata log
//       spans    from, to - from, enum watch_span_kind, slot, launch;  a wait: enum watch_state, instruction + 1 (0: none)
//                a warp, late warps: number of the warp, block x, y, z;  a block: block x, y, z
//       skips    cycle, slot, launch, instruction
//       tables   ["mechanism", "name"] …
//       rows     table, enum watch_owner, index, number, launch             without cycle
//       changes  cycle, row, index in `texts`
//
// An instruction is its number in the kernel's `insts`.
#pragma once
#include "base/str.h"
#include "watch/watch.h"

#include <stddef.h>

enum { STEPS_FLUSHED = 1, STEPS_MEMORY = 2, STEPS_SECOND = 4, STEPS_REUSED = 8, STEPS_QUEUED = 16 };

struct report_steps_run {
    const char *name; // "base", or the mechanisms
    const struct watcher *watcher;
};

void report_steps(const struct report_steps_run *runs, size_t count, struct strbuf *out);
