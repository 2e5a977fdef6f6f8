// The copy engine of an SM: bulk copies (exec/bulk.h) in order of issue, a line at a time.
//
//     issue ─ latency ─▶ first in line ─▶ lines sent at a rate ─▶ departure ─▶ replies ─▶ landing
//
//     load    requests at bulk.load_bytes a cycle; memory is read with the last; lands with the last reply
//     store   shared memory is read at bulk.store_bytes a cycle, lines leave at once; over with the last acknowledgement
//     send    shared memory is read and written at bulk.store_bytes a cycle; to another block over the network (net.h)
//
// Both directions share the engine. A copy starts while fewer than bulk.commands copies or less than bulk.bytes bytes are
// under way. Written by bulk.c alone. The engine's steps are landings of the load/store unit's list (LSU_STEP).
#pragma once
#include "exec/bulk.h"

struct sm;
struct sm_grid;

struct bulk_command {
    struct bulk_copy *copy;
    struct sm_grid *grid;
    uint64_t earliest; // cycle of the first line
    size_t piece;      // next to send
    uint32_t at;       // bytes of the piece sent
    uint32_t record;   // of the load/store unit, for the replies
    bool begun, sent;  // sent: entries to other blocks have left
};

enum { BULK_MAPS = 16 }; // tensor maps kept by the engine, first in, first out (a choice)

struct bulk_unit {
    VEC(struct bulk_command) queue; // not sent, in order of issue
    VEC(struct bulk_command) under_way;
    uint64_t maps[BULK_MAPS]; // addresses
    unsigned next_map;
    uint64_t busy;  // in 1/256 cycles: end of the last line
    uint64_t bytes; // of copies begun and not over
    uint64_t step;  // cycle of the next step, CYCLE_NEVER: none asked for
};

void bulk_issued(void *sm_grid, struct warp *w, struct bulk_copy *c); // exec->copies
void bulk_step(struct sm *s);
void bulk_complete(struct sm *s, uint32_t record); // the last reply of the command with the record
void bulk_unit_fini(struct sm *s);
