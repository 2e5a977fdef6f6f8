// Register allocation: machine registers for every unit.
//
//   phis taken apart ─▶ live ranges ─▶ webs (copies coalesced) ─▶ colours ─▶ spill code and once more, or done
//
// Positions are those of mach_number. An instruction at n reads in slot n and writes in slot n + 1: a value
// defined at n and last read at m is live in slots [n + 1, m + 1), so an instruction may write a register it
// reads.
#pragma once
#include "base/vec.h"
#include "compile/mach/mach.h"

struct segment {
    uint32_t start, end; // slots
    uint32_t value;      // segments of one value may overlap: they hold the same bits (copies)
};

struct range { // sorted, disjoint
    struct segment *segments;
    uint32_t count;
};

enum { RUNS_MAX = 28 };

// The range of one part of a web that grows by joining others: a few sorted runs, each at least twice as long
// as the next, so that joining a short range to a long one does not touch the long one. Segments of different
// runs may overlap where they have one value.
struct runs {
    struct range *run;
    uint32_t count; // of runs
    uint32_t total; // segments
};

struct web { // groups that share registers
    uint8_t width;
    bool predicate, fixed_by_convention, spilled, is_temporary;
    int16_t reg;                      // machine register of its first part, -1: none yet
    struct runs growing[4];           // while webs are joined
    struct range parts[4];            // afterwards
    uint32_t first_group, last_group; // members, through next_group
    uint32_t member_count;
    uint32_t start, end; // hull of all parts
    float cost;          // of spilling: accesses weighted by loop depth
};

struct allocation {
    struct mach_function *f;
    struct arena *arena;    // of this round
    unsigned limit;         // registers R0..limit-1
    uint32_t *def_block;    // of each unit
    struct mach_inst **def; // NULL: phi or nothing
    struct range *live;     // of each unit
    uint32_t *value;        // of each unit: itself, or the unit it is a copy of
    struct web *webs;
    uint32_t web_count;
    uint32_t *web_of;   // by group
    uint8_t *offset_of; // of a group in its web
    uint32_t *next_group;
    uint64_t *busy[REG_LIMIT], *busy_pred[PRED_LIMIT]; // a bit per slot
    uint64_t *kept[REG_LIMIT], *kept_pred;             // the part of it that convention takes
    uint32_t slot_words;
    uint32_t spilled_count;
    uint32_t moves_left; // of temporaries that had to make room: a limit against moving each other in turn
};

void allocate_phis(struct mach_function *f); // phis and old operands get units of their own and copies
void allocate_live(struct allocation *a);    // live, def, value
// How many registers (or predicates) are live in each slot, from 0 to the last slot; in `arena`.
int32_t *allocate_live_counts(const struct allocation *a, struct arena *arena, bool predicates,
                              int32_t *most);
uint32_t allocate_pressure(struct mach_function *f); // the most registers live anywhere
void allocate_webs(struct allocation *a);            // webs, web_of
bool allocate_colours(struct allocation *a);         // reg of every web; false: some are marked spilled
void allocate_spill(struct allocation *a);           // rewrites the code without the spilled webs
void allocate_moves(struct allocation *a);           // parallel copies become MOVs
static inline uint32_t web_of_unit(const struct allocation *a, uint32_t unit)
{
    return a->web_of[a->f->group_of.data[unit]];
}

// Everything. Afterwards f->reg is filled and only machine instructions, MACH_COPIES (now without effect) and
// MACH_ENTRY are left. NULL, or under `check` what the check found.
const char *mach_allocate(struct mach_function *f, unsigned max_registers, bool check);

// Replays the allocated code: every operand's register must hold the unit that the code before allocation
// named there, on every path. NULL, or what is wrong (in f->arena).
const char *mach_allocation_check(struct mach_function *f);
