// The many-thread-aware scoreboard (Xiang, section 4.4.2; docs/ilp.md): a few entries that all warps of an SM share, one a register
// of an instruction that has issued and is not committed. It holds the value until all older instructions of the warp are
// committed, so that registers change in the program's order; a reader takes the value from here meanwhile. board.c alone
// writes these; everybody may read them.
//
//     issues ─▶ entries: tag, lanes, next of its warp ─▶ complete: its readers may issue ─▶ oldest of its warp: written, free
//        └ none free: the only one of its warp under way, without an entry                     one instruction a cycle
//
// An instruction's registers are one list's element: its entries come and go together.
#pragma once
#include "base/bits.h"
#include "sm/places.h"
#include "sm/sm.h"

struct op;
struct inst;
struct sm;
struct sm_warp;

enum { BOARD_ENTRIES = 64, BOARD_WORDS = 4, BOARD_NONE = 0xff, BOARD_CYCLES = 1024 };

struct board_inst {
    uint64_t done;                   // complete from then on; CYCLE_NEVER: a reply will say
    uint64_t commit;                 // in the register file from then on; CYCLE_NEVER: not known
    uint64_t lanes;                  // the active mask: those that execute it
    uint64_t since;                  // it issued
    uint16_t registers[BOARD_WORDS]; // physical: the tags
    uint8_t words, matches;          // bits: registers that no younger one has defined (NM)
    uint8_t slot, next;              // of its warp
    bool is_memory, is_atomic;
};

// What has kept a warp's next instruction back, bits.
enum { BOARD_FULL = 1, BOARD_MASK = 2, BOARD_STORE = 4, BOARD_LOAD = 8 };

struct board_warp {
    uint64_t committed; // its last one, which need not be in the past
    uint8_t head, tail; // BOARD_NONE: it has none
    bool is_alone;      // its last instruction found no entry free, and it waits for that
    uint8_t held;       // BOARD_*
};

struct board_shadow;

struct board {
    uint32_t entries, used; // there are; with a value
    uint64_t taken;         // bits: elements of `insts`
    uint64_t soonest;       // the first commit that is known; CYCLE_NEVER
    uint64_t wanting;       // bits: warps that wait for entries
    uint64_t lanes;         // of the instruction that is about to issue: those that execute it
    // Heap, with issue.dependences=board alone.
    struct board_inst *insts;    // BOARD_ENTRIES
    struct board_warp *warps;    // by slot
    uint64_t *commits;           // by cycle mod BOARD_CYCLES: the cycle, of a commit
    struct board_shadow *shadow; // sim.check; NULL: nobody looks
    const char *broken;          // a rule that did not hold, static text
};

void board_init(struct sm *s);
void board_fini(struct sm *s);
void board_start(struct sm *s, unsigned slot); // a warp has come
// From which cycle on the board lets the warp's next instruction issue, whose operands are another matter; CYCLE_NEVER: the warp
// is looked at again when that changes. *memory: it waits for memory.
uint64_t board_lets(struct sm *s, unsigned slot, const struct op *o, bool *memory);
// Whether it has what the instruction needs in this cycle; otherwise the warp is woken.
bool board_has_entries(struct sm *s, unsigned slot, const struct op *o);
// It has issued: complete from `done` on; CYCLE_NEVER: a reply will say. The element, BOARD_NONE without one.
uint8_t board_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t done);
void board_passed(struct sm *s, unsigned slot); // an instruction without any part in it has
// The reply. Bits: registers that nobody younger has defined.
uint8_t board_replied(struct sm *s, unsigned slot, uint8_t element, uint64_t done);
const char *board_check(const struct sm *s); // when all has ended
// Tags; values with masks and links; of each warp's entry in the scheduler. As the dissertation counts them.
uint32_t board_tag_bits(uint32_t entries, uint32_t registers, uint32_t lanes);
uint32_t board_value_bits(uint32_t entries, uint32_t lanes);
uint32_t board_warp_bits(uint32_t entries, uint32_t warps);
