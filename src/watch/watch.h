// Watching SMs: events of every instruction and warp with their cycles, for timelines.
//
//     fetched ─▶ buffered ─▶ issued ─▶ collected ─▶ done      one watch_inst per instruction
//     warp, block, waiting for …                               one watch_span per interval of cycles
//
// Cost without a watch: a pointer test every cycle, at instruction issue, and at the end of a memory
// instruction. A watched SM is inspected after every simulated cycle and changes are recorded; other pipeline
// stages know nothing of the watch. Every SM writes to its own watch, so SMs may run in parallel. Records
// depend neither on the number of threads nor on skipping idle cycles.
//
// Launches resident together are watched together. When a launch leaves the chip empty, timeline cycles
// continue with the next launch.
#pragma once
#include "base/vec.h"
#include "watch/rows.h"

#include <stdbool.h>
#include <stdint.h>

struct launch;
struct program;

enum {
    WATCH_NAME = 32,
    WATCH_WARPS = 64,
    WATCH_BLOCKS = 64,
    WATCH_SMS = 256,
    WATCH_IBUFFER = 16,
    WATCH_GRIDS = 32
};
enum { WATCH_NONE = UINT32_MAX }; // no instruction, no launch

// Records to keep: instructions issued or dropped in [from, to), and the part of each span inside.
struct watch_config {
    uint64_t from, to;
    uint64_t warps;               // bits by slot
    uint64_t sms[WATCH_SMS / 64]; // bits
    // Maximum number of records, instructions plus spans. The simulation window in which the limit is reached
    // is the last.
    uint64_t limit;
    bool steps; // for the stepping page: also keeps skipped instructions and the rows of mechanisms
};

enum watch_state { // of a warp in a cycle; states above 0 become spans
    WATCH_BUSY,    // issued an instruction
    WATCH_FETCH,
    WATCH_CODE, // instruction cache miss
    WATCH_ALU,
    WATCH_MEMORY,
    WATCH_CONSTANT,
    WATCH_BARRIER,
    WATCH_UNIT,
    WATCH_OPERAND,
    WATCH_SYNC,  // waits for other warps, by a mechanism
    WATCH_COPY,  // waits for asynchronous copies
    WATCH_READY, // the scheduler issued another warp first
    WATCH_STATES
};

struct watch_inst {
    uint64_t fetched, buffered; // buffered: first cycle able to issue
    // issued: cycle of issue, or of the drop; done: first cycle with the result, 0: never
    uint64_t issued, collected, done;
    uint64_t mask; // executing lanes of the warp's split, before the guard
    // Of an instruction queued by the load/store unit. sent: first cycle outside the queue; 0: not queued, or still
    // inside. passes: cycles at the queue's head before the first line, of a shared access its passes over the banks.
    uint64_t sent;
    uint32_t inst, launch;
    uint16_t lines, passes;
    uint8_t slot;
    bool flushed, memory, second; // second: second issue of a cycle
    bool reused;                  // a mechanism has supplied the result
};

struct watch_skip { // an instruction that a mechanism has taken the warp past
    uint64_t time;
    uint32_t inst, launch;
    uint8_t slot;
};

// WATCH_LATE: warps of a resident block have not started yet.
enum watch_span_kind { WATCH_WAIT, WATCH_WARP, WATCH_BLOCK, WATCH_LATE };

struct watch_span {
    uint64_t from, to;
    uint32_t inst, launch; // WAIT: instruction unable to issue
    uint32_t block[3];     // all kinds but WAIT
    uint32_t index;      // WARP: number of the warp in its block; LATE: number of the block's first late warp
    uint8_t kind, state; // state: of a WAIT, enum watch_state
    // WAIT, WARP: slot of the warp on the SM; BLOCK, LATE: the block's index in watch_blocks
    uint8_t slot;
};

struct watch_stream { // launches of one stream never overlap
    unsigned number;  // 0: the default stream
    const char *name; // NULL for stream 0; in a watch_launch owned by the watcher (heap)
};

struct watch_launch {
    const struct program *program; // the caller's; must outlive the watcher
    struct watch_stream stream;
    uint64_t from, to;
    uint32_t grid[3], block[3];
};

struct watch_fetched {
    uint64_t fetched, buffered;
    uint32_t inst;
};

struct watch_warp { // state at the last inspection
    struct watch_fetched buffer[WATCH_IBUFFER];
    unsigned count;
    bool resident;
    uint64_t fill_at, issued_at;
    uint64_t since, started;
    uint32_t state_inst, after_inst, launch, block[3], index;
    uint8_t state, after; // after: state from the next cycle on, if the next cycle is skipped
};

struct watch_blocks { // of one launch
    struct watch_span running[WATCH_BLOCKS];
    struct watch_span late[WATCH_BLOCKS]; // for blocks in `running`: warps not started
    uint64_t run, partial;                // bits: valid entries of `running`, of `late`
};

struct watcher;

struct watch_sm { // of one SM
    const struct watcher *watcher;
    char class[WATCH_NAME];       // class of the SM; "": the GPU has no classes
    unsigned schedulers;          // 0: the core has none
    uint64_t last;                // last cycle inspected
    bool closed;                  // past the end of the timeline
    VEC(struct watch_inst) insts; // in order of issue
    VEC(struct watch_span) spans; // in order of end
    VEC(struct watch_skip) skips; // in order of time
    struct watch_rows rows;
    struct watch_warp warps[WATCH_WARPS];
    uint64_t seen;                            // bits: warps resident at the last inspection
    struct watch_blocks *blocks[WATCH_GRIDS]; // heap, by grid number; NULL: no block so far
    // Index in `insts` of the instruction at a place in the load/store queue (queued), or of a load record
    // (recorded). WATCH_NONE: no watched instruction.
    VEC(uint32_t) queued, recorded;
    // By place in the load/store queue: index in `insts`, whether or not the instruction has a load record.
    VEC(uint32_t) sending;
    uint32_t queue_first; // place of the queue's head at the last inspection
};

struct watcher {
    struct watch_config config;
    bool truncated;                    // limit reached; config.to is the end
    uint64_t now;                      // latest end of a launch
    uint64_t offset;                   // timeline cycle minus chip cycle
    VEC(struct watch_launch) launches; // in order of beginning
    unsigned living;                   // launches on the chip
    uint32_t by_number[WATCH_GRIDS];   // index in `launches` by grid number; WATCH_NONE: no launch
    struct watch_sm *sms[WATCH_SMS];   // heap; NULL: not watched
};

void watcher_init(struct watcher *w, const struct watch_config *c);
void watcher_fini(struct watcher *w);

// -- for the chip; one watcher serves all of its launches.
// Begins a launch with grid number `number` at chip cycle `start`, on a chip of `sms` SMs.
void watcher_begin(struct watcher *w, const struct launch *l, struct watch_stream stream, unsigned number,
                   uint64_t start, unsigned sms);
// To be called after every window of simulated cycles: at the limit of records, ends the timeline at `now`.
void watcher_window(struct watcher *w, uint64_t now);
// Ends the launch with grid number `number` at chip cycle `now`.
void watcher_end(struct watcher *w, unsigned number, uint64_t now);
