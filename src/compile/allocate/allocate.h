// Register allocation: assigns a machine register to every unit.
//
//   phis split ─▶ live ranges ─▶ webs (copies coalesced) ─▶ colours ─▶ spill code and a new round, or done
//
// mach_number assigns positions. An instruction at position n reads in slot n and writes in slot n + 1.
// A value defined at n and last read at m is live in slots [n + 1, m + 1), so an instruction may write a
// register of its own operands.
#pragma once
#include "base/vec.h"
#include "compile/mach/mach.h"
#include "isa/inst.h"

struct segment {
    uint32_t start, end; // slots, half-open: [start, end)
    // value number: segments with the same number hold equal bits (copies, equal constants) and may overlap
    uint32_t value;
};

struct range { // sorted, disjoint
    struct segment *segments;
    uint32_t count;
};

enum { RUNS_MAX = 28 };

// Live range of one part (register) of a web while webs are joined: a few sorted runs, each with at least
// twice as many segments as the next. Joining a short range to a long range thus leaves the long run
// untouched. Segments of different runs may overlap where their values are equal.
struct runs {
    struct range *run;
    uint32_t count; // number of runs
    uint32_t total; // segments of all runs
};

struct web { // groups of units that share registers
    uint8_t width;
    bool predicate, fixed_by_convention, spilled, is_temporary;
    int16_t reg;                      // machine register of the first part, -1: not yet assigned
    struct runs *growing;             // by part: live range while webs are joined
    struct range *parts;              // by part: live range after all joins
    uint32_t first_group, last_group; // list of member groups, linked by next_group
    uint32_t member_count;
    uint32_t start, end; // slots: smallest interval that covers all parts
    float cost;          // of spilling: accesses weighted by loop depth
};

struct allocation {
    struct mach_function *f;
    struct arena *arena;    // freed at the end of the round
    unsigned limit;         // available registers: R0..limit-1
    uint32_t *def_block;    // by unit: block of the definition
    struct mach_inst **def; // by unit: defining instruction; NULL: a phi or undefined
    struct range *live;     // by unit: live range
    uint32_t *value;        // by unit: value number: first unit of a chain of copies, or of equal constants
    struct web *webs;
    uint32_t web_count;
    uint32_t *web_of;   // by group
    uint8_t *offset_of; // by group: offset inside the web, in units
    uint32_t *next_group;
    // by machine register: bit set of the slots occupied by coloured webs or reserved by convention
    uint64_t *busy[REG_LIMIT], *busy_pred[PRED_LIMIT];
    uint64_t *kept[REG_LIMIT], *kept_pred; // part of `busy` reserved by the calling convention
    uint32_t slot_words;
    uint32_t spilled_count;
    // Remaining evictions of temporary webs (of spill code); the budget keeps evictions from going on for
    // ever.
    uint32_t moves_left;
};

// Leaves SSA form: gives phis, and the old values of guarded instructions, fresh units. Parallel copies
// connect fresh and former units.
void allocate_phis(struct mach_function *f);
// Fills live, def, def_block and value.
void allocate_live(struct allocation *a);
// Number of registers (or predicates) live in each slot, from 0 to the last slot, allocated in `arena`;
// *most: the maximum.
int32_t *allocate_live_counts(const struct allocation *a, struct arena *arena, bool predicates,
                              int32_t *most);
// Maximum number of general registers live at once, before allocation.
uint32_t allocate_pressure(struct mach_function *f);
// Fills webs, web_of, offset_of, next_group.
void allocate_webs(struct allocation *a);
// Assigns `reg` of every live web without a fixed register. False: some webs are marked spilled, or
// allocation is impossible (spilled_count is 0).
bool allocate_colours(struct allocation *a);
// Rewrites the code so that spilled webs live in local memory. Some constants are recomputed instead, and
// spilled predicates live in registers.
void allocate_spill(struct allocation *a);
// Emits the moves of parallel copies.
void allocate_moves(struct allocation *a);
// Ranges of asynchronous products (WGMMA) keep their registers: they get colours first and are not spilled.
static inline bool web_is_range(const struct web *w) { return w->width > 4; }
static inline uint32_t web_of_unit(const struct allocation *a, uint32_t unit)
{
    return a->web_of[a->f->group_of.data[unit]];
}

// Runs the whole allocation. Afterwards f->reg is filled. Pseudo instructions stay in the code without
// effect, MACH_COPIES included. Returns NULL, or an error text in f->arena: no allocation found, or, under
// `check`, a fault found by the checker.
const char *mach_allocate(struct mach_function *f, unsigned max_registers, bool check);

// Checks the allocated code: on every path, every operand's register must hold the unit that the code named
// before spilling. NULL, or the fault as text in f->arena.
const char *mach_allocation_check(struct mach_function *f);
