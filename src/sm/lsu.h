// The load/store unit's state. lsu.c alone writes these; everybody may read them.
#pragma once
#include "base/vec.h"
#include "exec/timed.h"
#include "memory/system.h"
#include "sm/decode.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm;
struct sm_grid;

enum { LSU_LINES = 2 * LANES_MAX };

struct lsu_warp {
    uint32_t stores;        // whose lines are not written yet
    uint16_t loads, queued; // outstanding; without a reply to come, and in the queue
};

struct transaction {
    uint64_t line;
    uint8_t sectors, bytes, first; // bytes: of data, for stores; first: byte of the line that a lane wants
};

// A memory instruction in the queue.
struct lsu_entry {
    uint64_t arrive; // operands are collected
    const struct op *op;
    struct sm_grid *grid;
    uint32_t warp, record; // record: NONE32 for stores
    uint32_t token;        // of stores
    uint8_t kind;          // enum lsu_kind
    uint8_t place;         // with mechanisms, this and the next two: the warp's, its number in its block, and
    uint32_t index;  // the block's, since a store's warp may have ended and its slot have another by the
    uint64_t block;  // time that its lines are sent
    uint16_t cycles; // before its lines: passes over shared memory's banks, what textures and constants take
    uint16_t count, next; // transactions
    struct transaction lines[LSU_LINES];
};

// A memory instruction that left the queue and waits for replies.
struct load_record {
    uint64_t ready;  // the latest of its parts so far
    uint64_t serial; // sim.check: of its write
    const struct op *op;
    uint16_t registers[4]; // physical, that it writes
    uint32_t warp, remaining;
    uint32_t next_free;
    bool issued;   // all its lines have been asked for
    uint8_t entry; // in the board; BOARD_NONE
};

// A line that a mechanism wants in L1.
struct lsu_early {
    struct sm_grid *grid;
    uint64_t line;
    uint32_t token;        // the mechanism's
    uint8_t sectors, tech; // which of the grid's
};
enum { LSU_EARLY = 16 };

struct lsu {
    struct lsu_entry *queue; // ring
    uint32_t first, count;
    uint64_t next; // cycle of the next look at the queue's head
    bool blocked;  // until a reply

    // Who found no place in the queue stands in line: a ring of warp slots, in the order in which they asked.
    uint8_t line[SM_WARPS];
    uint32_t line_first, line_count;
    uint64_t asked;  // bits: they stand in that line;
    uint64_t parked; // of those: they would be ready, had they a place,
    uint64_t turn;   // and a place is kept for them: ready
    uint32_t kept;   // places
    bool shut;       // no place left, or a line before it: whoever comes has to ask

    VEC(struct load_record) records;
    uint32_t free_record, records_used;

    struct memory_system *memory; // of the window under way
    struct memory_reply waiting;  // the next reply
    uint64_t next_reply;          // its cycle; CYCLE_NEVER: there is none in this window

    bool rides;         // what is asked of the L2 goes along with what was asked before it
    bool early_blocked; // until a reply
    uint32_t first_early, early_count;
    struct lsu_early early[LSU_EARLY]; // ring
};

struct lsu_grid {
    uint64_t requested, replied;
    uint64_t last_reply; // cycle of the last one taken
    uint32_t early;      // lines that mechanisms have asked for and not been told of
};

void lsu_init(struct sm *s);
void lsu_fini(struct sm *s);
void lsu_open(struct sm *s, struct memory_system *m); // a window begins
void lsu_take_replies(struct sm *s);                  // those of this cycle
void lsu_cycle(struct sm *s);
void lsu_cycle_early(struct sm *s); // before it, with lsu_has_early
void lsu_push(struct sm *s, unsigned slot, const struct op *o, const struct inst *i, uint64_t arrive);
void lsu_enter_board(struct sm *s, uint8_t entry); // of the instruction that was pushed last
void lsu_request(struct sm_grid *g, uint64_t line, uint8_t sectors, unsigned bytes, enum memory_kind kind,
                 uint32_t token);
// For a mechanism of the grid, when no warp's line is to be sent. False: there is no place.
bool lsu_ask_early(struct sm_grid *g, unsigned tech, uint64_t line, uint8_t sectors, uint32_t token);
void lsu_early_came(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token);
void lsu_look_again(struct sm *s);                   // a way may be free
void lsu_record_part(struct sm *s, uint32_t record); // of a record is done in this cycle

static inline bool lsu_may_enter(const struct lsu *l, unsigned slot)
{
    return !l->shut || l->turn >> slot & 1;
}
// While it is shut, for a warp that would be ready with a place in the queue. False: it stands in line from now
// on, and becomes ready when its turn comes.
bool lsu_has_place(struct sm *s, unsigned slot);
// Of warps in line. Unable: it could not enter now, and lets others by; its place in the line stays its own.
void lsu_unable(struct sm *s, unsigned slot);
void lsu_leave_line(struct sm *s, unsigned slot);
// A mechanism's line that could be looked up.
static inline bool lsu_has_early(const struct lsu *l)
{
    return __builtin_expect(l->early_count, 0) && !l->early_blocked;
}
bool lsu_is_done_with(const struct sm_grid *g); // no request of the grid's is, nor will be
const char *lsu_check(const struct sm *s);      // when all has ended: NULL, or what is left over
