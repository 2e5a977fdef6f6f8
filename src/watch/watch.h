// Watching SMs: what happened to every instruction and warp, and when, for timelines.
//
//     fetched ─▶ buffered ─▶ issued ─▶ collected ─▶ done      one watch_inst an instruction
//     warp, block, waiting for …                               one watch_span from a cycle to a cycle
//
// An SM without a watch pays a test of a pointer where an instruction is issued and where a memory
// instruction ends. A watched one is looked at after every cycle it simulates, and what changed is noted: the
// stages themselves know nothing of it. Every SM writes to its own watch, so SMs may run at once; what is
// kept does not depend on the number of threads, nor on idle cycles being skipped.
//
// Launches that are on the chip together are watched together. Cycles count on from one that leaves the chip empty to
// the next that comes.
#pragma once
#include "base/vec.h"
#include "exec/launch.h"

enum {
    WATCH_NAME = 32,
    WATCH_WARPS = 64,
    WATCH_BLOCKS = 64,
    WATCH_SMS = 256,
    WATCH_IBUFFER = 16,
    WATCH_GRIDS = 32
};
enum { WATCH_NONE = UINT32_MAX }; // no instruction, no launch

// What to keep: instructions issued or dropped in [from, to), and of spans what lies in it.
struct watch_config {
    uint64_t from, to;
    uint64_t warps;               // bits by slot
    uint64_t sms[WATCH_SMS / 64]; // bits
    uint64_t limit; // instructions and spans together: the window in which it is met is the last
};

enum watch_state { // of a warp in a cycle; those above 0 become spans
    WATCH_BUSY,    // it issued
    WATCH_FETCH,
    WATCH_CODE, // a line of code that was not in the instruction cache
    WATCH_ALU,
    WATCH_MEMORY,
    WATCH_CONSTANT,
    WATCH_BARRIER,
    WATCH_UNIT,
    WATCH_OPERAND,
    WATCH_SYNC,  // other warps, by a mechanism
    WATCH_READY, // another warp of its scheduler went first
    WATCH_STATES
};

struct watch_inst {
    uint64_t fetched, buffered;       // buffered: it could issue from then on
    uint64_t issued, collected, done; // issued: or dropped; done: first cycle with its result, 0: never came
    uint64_t mask;                    // lanes of the warp's part that executed it, before its guard
    uint32_t inst, launch;
    uint8_t slot;
    bool flushed, memory, second; // second: of two in a cycle
};

enum watch_span_kind { WATCH_WAIT, WATCH_WARP, WATCH_BLOCK, WATCH_LATE }; // LATE: warps have not started

struct watch_span {
    uint64_t from, to;
    uint32_t inst, launch; // WAIT: what could not issue
    uint32_t block[3];     // not of a WAIT
    uint32_t index;        // WARP, LATE: in its block, the first of them
    uint8_t kind, state;   // WAIT: enum watch_state
    uint8_t slot;          // of a warp; BLOCK, LATE: of a block, among those of its launch
};

struct watch_stream { // launches of one never overlap
    unsigned number;  // 0: the default stream
    const char *name; // not of 0; in a watch_launch the watcher's, heap
};

struct watch_launch {
    const struct program *program; // its caller's, as long as the watcher
    struct watch_stream stream;
    uint64_t from, to;
    uint32_t grid[3], block[3];
};

struct watch_fetched {
    uint64_t fetched, buffered;
    uint32_t inst;
};

struct watch_warp { // as it was seen last
    struct watch_fetched buffer[WATCH_IBUFFER];
    unsigned count;
    bool resident;
    uint64_t fill_at, issued_at;
    uint64_t since, started;
    uint32_t state_inst, after_inst, launch, block[3], index;
    uint8_t state, after; // after: from the next cycle on, should that be skipped
};

struct watch_blocks { // of a launch
    struct watch_span running[WATCH_BLOCKS];
    struct watch_span late[WATCH_BLOCKS]; // of those: their warps that have not started
    uint64_t run, partial;                // bits: of `running`, of `late`
};

struct watcher;

struct watch_sm { // of one SM
    const struct watcher *watcher;
    char class[WATCH_NAME];       // of the SM's; "": the GPU has no classes
    uint64_t last;                // cycle looked at
    bool closed;                  // the timeline's end is behind
    VEC(struct watch_inst) insts; // in order of issue
    VEC(struct watch_span) spans; // in order of their ends
    struct watch_warp warps[WATCH_WARPS];
    uint64_t seen;                            // bits: warps resident at the last look
    struct watch_blocks *blocks[WATCH_GRIDS]; // heap, by the numbers of grids; NULL: none has come yet
    VEC(uint32_t)
    queued, recorded; // instructions by place in the load/store queue, by load record; WATCH_NONE
};

struct watcher {
    struct watch_config config;
    bool truncated;                    // the limit was met, and config.to is where
    uint64_t now;                      // the latest end of a launch
    uint64_t offset;                   // from the chip's cycles to the timeline's
    VEC(struct watch_launch) launches; // in order of their beginnings
    unsigned living;                   // of these, on the chip
    uint32_t by_number[WATCH_GRIDS];   // these, by the numbers of their grids; WATCH_NONE
    struct watch_sm *sms[WATCH_SMS];   // heap; NULL: not watched
};

void watcher_init(struct watcher *w, const struct watch_config *c);
void watcher_fini(struct watcher *w);

// -- the chip, all of whose launches have the same watcher: a launch, whose grid has that number, begins at the chip's
// cycle `start` on so many SMs; after a window; at the launch's end
void watcher_begin(struct watcher *w, const struct launch *l, struct watch_stream stream, unsigned number,
                   uint64_t start, unsigned sms);
void watcher_window(struct watcher *w, uint64_t now);
void watcher_end(struct watcher *w, unsigned number, uint64_t now);
