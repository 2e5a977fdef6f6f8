// Detects warps that repeat a state: after a backward branch the warp is in the state of an earlier backward
// branch.
//
//     branch ── … ── branch ── … ── branch   state kept at the first, third, seventh, 15th … branch
//       kept                         equal?  (Brent's method): finds a circle from any entry
//
// The state is PC, lanes, splits, call depths, local memory, and the needed registers and predicates. A
// register is needed if, in the instructions executed since the state was kept, a branch, an address, a guard
// or a value leaving the registers depends on the register. A register that only counts rounds may differ.
//
// Premise: no byte of shared or global memory changes its value. A warp in a repeated needed state then
// executes the same instructions with the same needed values for ever, under any scheduler. Every load
// returns its earlier value and every store writes the value already in memory. The duration of a sleep has
// no influence. A warp that needs a clock value never counts as repeating.
//
// Watching a warp has no effect on the warp. The caller reports executed instructions, and asks only while
// memory is unchanged.
#pragma once
#include "exec/warp.h"

struct program;
struct strbuf;

// Registers and predicates needed by a set of instructions: with a value, the sources of the value.
struct circle_needs {
    uint64_t registers[4];
    uint32_t predicates;
    bool time; // a needed value is read from a clock
};

// executed: one bit per instruction.
void circle_needs_make(struct circle_needs *n, const struct program *p, const uint64_t *executed);

enum { CIRCLE_READS = 16 };
struct circle_read { // the last read of an instruction
    uint32_t index;
    uint8_t space, bytes; // of the first lane
    uint64_t address, hash;
};

struct circle {
    uint8_t *kept; // heap; NULL: no backward branch yet
    size_t kept_bytes;
    uint64_t branches, next_kept;
    uint64_t *executed; // bit per instruction executed since the state was kept; heap
    bool is_wider;      // `executed` has changed since `needs` was computed
    bool came_back;     // the state has repeated; never reset
    struct circle_needs needs;
    struct circle_read *reads; // CIRCLE_READS entries, heap; NULL: no read yet
    unsigned read_count;
    // Times on the caller's clock. same_since: no instruction has read new addresses since; read_at: the last
    // read.
    uint64_t same_since, read_at;
};

void circle_fini(struct circle *x);

// Register values of a warp that a mechanism keeps outside the lanes, compared in addition to the lanes. Each
// register has `each` bytes, and equal bytes mean equal values.
struct circle_elsewhere {
    const void *words; // NULL: all values are in the lanes
    size_t each;
};

// Records the instruction and its memory reads. Call after the warp has executed instruction `index`, with
// the warp's state at the next instruction. access: memory addresses of the executed instruction; NULL: no
// memory access. when: time on the caller's clock.
void circle_executed(struct circle *x, const struct warp *w, uint32_t index, const struct exec_access *access,
                     uint64_t when);
// Compares the warp's state with the kept state, and keeps the state anew at doubling distances. Call after
// circle_executed for a backward branch, with no result of the warp outstanding.
void circle_branched(struct circle *x, const struct warp *w, struct circle_elsewhere elsewhere);

// True when the warp has read memory, but no new addresses for at least `long_enough` on the caller's clock.
// The last read must be at most `long_enough` / 4 old.
bool circle_polls(const struct circle *x, uint64_t now, uint64_t long_enough);

// True for a print, an assertion, a reduction at a barrier, and a RISC-V warp command or control-register
// write. Such an instruction acts on more than registers, memory and plain barriers.
bool circle_is_outward(const struct inst *i);

// Appends "goes round pc 0x0030 to 0x0048; reads global 0x10000000 (4 bytes: 0x0), 0 bytes into argument 0
// (…)". Appends nothing if no instruction has executed since the state was kept.
void circle_describe(const struct circle *x, const struct warp *w, struct strbuf *out);
