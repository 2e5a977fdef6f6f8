// State of the load/store unit. Written by lsu.c, lsu_room.c, lsu_place.c and lsu_bulk.c alone, readable everywhere.
#pragma once
#include "base/vec.h"
#include "exec/access.h"
#include "exec/warp.h"
#include "memory/system.h"
#include "sm/decode.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm;
struct sm_grid;

struct lsu_warp {
    uint32_t stores; // lines of stores not yet written
    // loads: the warp's memory instructions with a load_record, but copies; queued: its queued instructions without a
    // load_record, and copies
    uint16_t loads, queued;
};

struct transaction {
    uint64_t line;
    // bytes: payload of a store or atomic, at most a line; first: offset in the line of the accessed byte
    // that opened the transaction
    uint8_t sectors, bytes, first;
};

// A memory instruction in the queue.
struct lsu_entry {
    uint64_t arrive; // cycle from which the instruction can be served, after the last operand read
    const struct op *op;
    struct sm_grid *grid;
    // record: index of the load_record; NONE32: none, for stores, reductions and shared accesses without a
    // result
    uint32_t warp, record;
    uint32_t token; // of an entry without a record, and of a copy
    uint8_t kind;   // enum lsu_kind
    bool begun;     // false: a copy without a place among lsu.copies
    // With mechanisms only: the warp's place (number among the grid's warps on the SM), its index in the
    // block, and the block. A store's warp may have ended, and its slot may hold another warp, before the
    // lines are sent.
    uint8_t place;
    uint32_t index;
    uint64_t block;
    // cycles at the queue's head before the first line is sent: passes over shared memory's banks, extra
    // cycles of textures and constants
    uint16_t cycles;
    uint16_t count, next;      // number of transactions; index of the first transaction not sent
    struct transaction *lines; // in lsu.lines
};

// A memory instruction waiting for its result or replies, from its entry into the queue on.
struct load_record {
    uint64_t ready;  // latest cycle at which a part of the result, received so far, is ready
    uint64_t serial; // sim.check: serial of the register write
    const struct op *op;
    uint16_t registers[4]; // physical destination registers
    uint32_t remaining, next_free;
    uint16_t warp;
    bool issued;   // all lines have been sent
    uint8_t entry; // element in the board; BOARD_NONE
    uint8_t level; // enum gpu_level: the farthest so far that a part came from
    // of a copy (exec/async.h): 1 + its number modulo COPY_NUMBERS; of a bulk copy COPY_BULK; 0: no copy
    uint16_t copy;
};
enum { COPY_NUMBERS = UINT16_MAX - 1, COPY_BULK = UINT16_MAX };

struct lsu_landing { // of a copy that is complete in a later cycle, or a step of the copy engine
    uint64_t cycle;
    uint32_t record; // LSU_STEP: the engine's
};
#define LSU_STEP NONE32
#define LSU_NET  (NONE32 - 1) // a step of the network between SMs (net.h)

// A line requested for L1 by a mechanism.
struct lsu_early {
    struct sm_grid *grid;
    uint64_t line;
    uint32_t token;        // of the mechanism
    uint8_t sectors, tech; // tech: index among the grid's mechanisms
};
enum { LSU_EARLY = 16 };

struct lsu {
    struct lsu_entry *queue; // ring
    // two for each lane of each entry of the queue: a lane's bytes may begin in one line and end in the next
    struct transaction *lines;
    uint32_t lines_each; // of an entry
    uint32_t first, count;
    uint64_t next; // cycle of the next step at the queue's head
    bool blocked;  // the queue's head found no MSHR or way; cleared by lsu_look_again

    // Warps without a queue entry wait in line: a ring of warp slots, first come first served.
    uint8_t line[SM_WARPS];
    uint32_t line_first, line_count;
    uint64_t asked;  // bits: warps in line
    uint64_t parked; // bits, subset of `asked`: warps ready but for a queue entry
    uint64_t turn;   // bits, subset of `asked`: warps ready, with a reserved queue entry
    uint32_t kept;   // number of queue entries reserved for warps in `turn`
    bool shut;       // no free entry, or warps in line: a warp must ask lsu_has_place first

    VEC(struct load_record) records;
    uint32_t free_record, records_used; // used: without copies

    uint32_t copies;                  // under way: from their turn at the queue's head to their landing
    uint16_t copies_of[SM_SLOTS];     // by warp slot: issued and not landed
    VEC(struct lsu_landing) landings; // the next is the last

    struct memory_system *memory; // of the current window
    struct memory_reply waiting;  // next reply
    uint64_t reply_at;   // cycle of the next reply; CYCLE_NEVER: none in the SM's current window of cycles
    uint64_t next_reply; // cycle of the next reply or landing; CYCLE_NEVER: none

    bool rides;         // a request pushed now joins the packet of the previous one (memory_request.rides)
    bool early_blocked; // the mechanisms' oldest queued line found no MSHR or way; cleared by lsu_look_again
    uint32_t first_early, early_count;
    struct lsu_early early[LSU_EARLY]; // ring
};

struct lsu_grid {
    uint64_t requested, replied;
    uint64_t last_reply; // cycle of the grid's latest reply so far
    uint32_t early;      // lines requested by mechanisms and not yet reported to them
};

// lsu_room.c
void lsu_init(struct sm *s);
void lsu_fini(struct sm *s);
void lsu_begin(struct sm_grid *g);
// lsu.c
void lsu_open(struct sm *s, struct memory_system *m); // start of a window
void lsu_take_replies(struct sm *s);                  // replies and landings due in this cycle
void lsu_cycle(struct sm *s);       // a step is due: a queued instruction, `next`, not blocked
void lsu_cycle_early(struct sm *s); // call before lsu_cycle, if lsu_has_early()
// Queues an executed memory instruction and coalesces its accesses. Its operands are read before cycle
// `arrive`.
void lsu_push(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, uint64_t arrive);
// Sets the board element (board.h) of the last pushed instruction.
void lsu_enter_board(struct sm *s, uint8_t entry);
void lsu_request(struct sm_grid *g, uint64_t line, uint8_t sectors, unsigned bytes, enum memory_kind kind,
                 uint32_t token);
// Queues a mechanism's request for an L1 line, looked up in a cycle in which the queue's head sends no line.
// False: the ring of such requests is full.
bool lsu_ask_early(struct sm_grid *g, unsigned tech, uint64_t line, uint8_t sectors, uint32_t token);
void lsu_early_came(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token);
void lsu_look_again(struct sm *s); // an MSHR or way may be free: retry blocked lines
// A part of the record completes in this cycle, from the level.
void lsu_record_part(struct sm *s, uint32_t record, enum gpu_level level);

static inline bool lsu_may_enter(const struct lsu *l, unsigned slot)
{
    return !l->shut || l->turn >> slot & 1;
}
// Call while `shut`, for a warp ready but for a queue entry. True: an entry is reserved. False: the warp
// waits in line and becomes ready at its turn.
bool lsu_has_place(struct sm *s, unsigned slot);
// For warps in the waiting line. lsu_unable: the warp cannot enter the queue now, releases its reserved entry
// and keeps its position in the line. lsu_leave_line: the warp also gives up its position.
void lsu_unable(struct sm *s, unsigned slot);
void lsu_leave_line(struct sm *s, unsigned slot);
// An entry of the queue or a record has become free; call while `shut`.
void lsu_place_free(struct sm *s);
void lsu_place_taken(struct sm *s, unsigned slot); // the warp has taken a queue entry
// Whether a line requested by a mechanism waits and can be looked up in L1.
static inline bool lsu_has_early(const struct lsu *l)
{
    return __builtin_expect(l->early_count, 0) && !l->early_blocked;
}
// For bulk.c. A landing or step in a later cycle; the record of a copy's replies, also freed by lsu_bulk_over, which counts
// `rows` accesses to shared memory; lsu_bulk_sent: all lines are sent.
void lsu_land_at(struct sm *s, uint64_t cycle, uint32_t record);
uint32_t lsu_bulk_begins(struct sm *s, unsigned slot, const struct op *o);
unsigned lsu_bulk_slot(const struct sm *s, uint32_t record);
void lsu_bulk_request(struct sm_grid *g, uint64_t line, uint8_t sectors, unsigned bytes,
                      enum memory_kind kind, uint32_t record);
void lsu_bulk_sent(struct sm *s, uint32_t record);
void lsu_bulk_expect(struct sm *s, uint32_t record, uint32_t replies); // further replies
void lsu_bulk_over(struct sm_grid *g, unsigned slot, uint32_t record, uint32_t rows);
// For lsu_bulk.c.
uint32_t lsu_new_record(struct sm *s, unsigned slot, const struct op *o, enum lsu_kind kind);
void lsu_free_record(struct sm *s, uint32_t record);
// Whether no queued instruction, request or mechanism's line request of the grid is left.
bool lsu_is_done_with(const struct sm_grid *g);
const char *lsu_check(const struct sm *s); // once all grids have left: NULL, or what remains, static text
