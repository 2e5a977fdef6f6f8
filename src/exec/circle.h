// Whether a warp goes round in circles: behind a backward branch it is in the state that it had behind an earlier one.
//
//     branch ── … ── branch ── … ── branch        state kept at the first, second, fourth … branch (Brent's method),
//       kept                         equal?       so that a circle is found wherever the warp enters it
//
// The state is PC, lanes, parts, calls and local memory, and of registers and predicates the needed ones: whatever
// a branch, an address, a guard or a value that leaves the registers depends on in the instructions that were executed
// since the state was kept. A register that only counts the rounds is needed by nothing, and may differ.
//
// While no byte of shared or global memory changes its value, a warp in a needed state that it had before executes the
// same instructions with the same needed values for ever, whatever the scheduler does: every load gives what it gave, and
// every store writes what is there. How long the warp sleeps changes nothing. A clock does, where its value is needed.
//
// Watching a warp changes nothing. The caller says what was executed, and asks only while memory stands still.
#pragma once
#include "exec/exec_impl.h"

struct circle_needs { // of a set of instructions: closed over where values come from
    uint64_t registers[4];
    uint32_t predicates;
    bool time; // a needed value comes from a clock
};

// executed: a bit an instruction.
void circle_needs_make(struct circle_needs *n, const struct program *p, const uint64_t *executed);

enum { CIRCLE_READS = 16 };
struct circle_read { // what an instruction read the last time
    uint32_t index;
    uint8_t space, bytes; // of the first lane
    uint64_t address, hash;
};

struct circle {
    uint8_t *kept; // heap; NULL: no backward branch yet
    size_t kept_bytes;
    uint64_t branches, next_kept;
    uint64_t *executed; // since then, a bit an instruction; heap
    bool is_wider;      // an instruction is there that `needs` does not know
    bool came_back;     // stays
    struct circle_needs needs;
    struct circle_read *reads; // CIRCLE_READS of them, heap; NULL: none yet
    unsigned read_count;
    // On the caller's clock: since when all reads went where they had gone before; of the last read.
    uint64_t same_since, read_at;
};

void circle_fini(struct circle *x);

// What a mechanism has of a warp's registers in place of their lanes: `each` bytes a register, equal where the value is.
struct circle_elsewhere {
    const void *words; // NULL: nothing
    size_t each;
};

// The warp has executed the instruction, and is where it goes on. access: where it went in memory; NULL: nowhere. when: the
// caller's clock.
void circle_executed(struct circle *x, const struct warp *w, uint32_t index, const struct exec_access *access,
                     uint64_t when);
// The instruction was a backward branch, and no result of the warp's own is under way.
void circle_branched(struct circle *x, const struct warp *w, struct circle_elsewhere elsewhere);

// The warp has read the same places for so long on the caller's clock, and the last time within a quarter of that.
bool circle_polls(const struct circle *x, uint64_t now, uint64_t long_enough);

// An instruction whose effect depends on more than registers and memory, or is seen outside: prints, a reduction at a barrier, what
// a RISC-V warp says to its machine.
bool circle_is_outward(const struct inst *i);

// "goes round pc 0x0030 to 0x0048, k.cu:3; reads global 0x10000000 (4 bytes: 0x0), 0 bytes into argument 0 (…)"; empty while
// nothing is known.
void circle_describe(const struct circle *x, const struct warp *w, struct strbuf *out);
