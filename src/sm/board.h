// The many-thread-aware scoreboard (Xiang's dissertation, section 4.4.2; docs/explanation/ilp.md). All warps
// of an SM share a few entries, one for each destination register of an issued, uncommitted instruction. An
// entry holds the value until the instruction is complete and all older instructions of the warp are
// committed. Registers thus change in program order; readers take the value from the entry meanwhile. Written
// by board.c alone, readable everywhere.
//
//     issue ─▶ entries: tag, lanes, next ─▶ complete: readers may issue ─▶ oldest of its warp: written, freed
//       └─ no entry free, warp not in the board: issue without an entry         one instruction a cycle
//
// One list element covers all destination registers of an instruction: its entries are taken and freed
// together.
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
    uint64_t done;                   // cycle of completion; CYCLE_NEVER: a reply is outstanding
    uint64_t commit;                 // cycle of the write to the register file; CYCLE_NEVER: not yet known
    uint64_t lanes;                  // active lanes under the guard
    uint64_t since;                  // cycle of issue
    uint16_t registers[BOARD_WORDS]; // physical, used as tags
    // words: number of `registers` in use; matches, bit n: no younger instruction of the warp defines
    // registers[n] (complement of the dissertation's NM)
    uint8_t words, matches;
    uint8_t slot, next; // warp slot; next element of the warp
    bool is_memory, is_atomic;
};

// Causes, as bits, of a wait of a warp's next instruction: no free entry for the instruction or for its
// predecessor; an older write to the same register; memory order of a store, of a load.
enum { BOARD_FULL = 1, BOARD_MASK = 2, BOARD_STORE = 4, BOARD_LOAD = 8 };

struct board_warp {
    uint64_t committed; // latest commit cycle reserved for the warp, possibly in the future
    uint8_t head, tail; // list of the warp's elements in `insts`, oldest first; BOARD_NONE: empty
    // the warp's latest instruction issued without the entry it needs: the next instruction waits for the
    // result
    bool is_alone;
    uint8_t held; // BOARD_*
};

struct board_shadow;

struct board {
    uint32_t entries, used; // number of entries; entries in use
    uint64_t taken;         // bits: elements of `insts` in use
    uint64_t soonest;       // earliest known commit cycle in `insts`; CYCLE_NEVER: none
    uint64_t wanting;       // bits by slot: warps waiting for free entries
    uint64_t lanes;         // of the instruction about to issue: active lanes under the guard
    // Heap; NULL unless issue.dependences=board.
    struct board_inst *insts;    // BOARD_ENTRIES
    struct board_warp *warps;    // by slot
    uint64_t *commits;           // by cycle mod BOARD_CYCLES: latest cycle reserved for a commit
    struct board_shadow *shadow; // with sim.check; else NULL
    const char *broken;          // the first broken rule, static text; NULL
};

void board_init(struct sm *s);
void board_fini(struct sm *s);
void board_start(struct sm *s, unsigned slot); // a warp has started
// The first cycle in which the board may let the warp's next instruction `o` issue, ready operands assumed;
// 0: at once. CYCLE_NEVER: unknown; the warp is evaluated again on a change. *memory: the wait is for memory.
uint64_t board_lets(struct sm *s, unsigned slot, const struct op *o, bool *memory);
// Whether entries are free now for the destination registers of `o`, or the warp has no instruction in the
// board. False: evaluate the warp again. Sets `lanes`.
bool board_has_entries(struct sm *s, unsigned slot, const struct op *o);
// Enters the issued instruction, which completes at cycle `done`; CYCLE_NEVER: with its memory reply. Returns
// the index of the list element; BOARD_NONE: no destination register, or no free entry.
uint8_t board_issued(struct sm *s, unsigned slot, const struct op *o, uint64_t done);
// A memory instruction without an accessing lane, or an instruction at a mechanism's port, has issued: clears
// the warp's is_alone and held.
void board_passed(struct sm *s, unsigned slot);
// A memory instruction's replies have arrived: its list element completes at cycle `done`. Returns bits: the
// destination registers without a younger definition; all bits set for BOARD_NONE.
uint8_t board_replied(struct sm *s, unsigned slot, uint8_t element, uint64_t done);
const char *board_check(const struct sm *s); // once every launch has ended: NULL, or the broken rule
// Storage of the board in bits, counted as in Xiang's dissertation: tags; values with masks and links;
// pointers and flags of the warps.
uint32_t board_tag_bits(uint32_t entries, uint32_t registers, uint32_t lanes);
uint32_t board_value_bits(uint32_t entries, uint32_t lanes);
uint32_t board_warp_bits(uint32_t entries, uint32_t warps);
