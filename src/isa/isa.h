// The table of instructions: a row of isa.def per instruction, and checks and questions that need a row.
#pragma once
// clang-format off
#include "isa/inst.h"

enum isa_op {
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) OP_##name,
#include "isa/isa.def"
#undef INST
    OP_COUNT
};

enum { // instruction flags
    ISA_PURE = 1 << 0,        // result depends on the sources alone (with a guard: also on old destination)
    ISA_CARRY = 1 << 1,       // may have carry out (dst[1], INST_CC) and carry in (src[3], INST_X)
    ISA_FLOAT = 1 << 2,       // works on floats; ftz, sat, round apply
    ISA_LOAD = 1 << 3,
    ISA_STORE = 1 << 4,
    ISA_ATOMIC = 1 << 5,
    ISA_FENCE = 1 << 6,
    ISA_CROSS_LANE = 1 << 7,  // reads other lanes
    ISA_SPECIAL_READ = 1 << 8,
    ISA_BRANCH = 1 << 9,      // may change the pc
    ISA_INDIRECT = 1 << 10,   // target from a register
    ISA_CALL = 1 << 11,
    ISA_EXIT = 1 << 12,
    ISA_BARRIER = 1 << 13,
    ISA_SIDE_EFFECT = 1 << 14, // any other reason against removing, repeating or moving the instruction
    // src[0] and src[1] may be exchanged; a comparison, LOP3's table or SEL's predicate is then adjusted.
    ISA_COMMUTES = 1 << 15,
    ISA_SPACE_SHIFT = 16       // from bit 16 on: enum isa_space named by the mnemonic
};

struct isa_info {
    const char *name, *mnemonic, *meaning;
    uint8_t unit, latency; // enum isa_unit, enum isa_latency (units.h)
    uint32_t flags;
};

extern const struct isa_info isa_table[OP_COUNT];

static inline bool isa_has(const struct inst *i, uint32_t flags) { return (isa_table[i->op].flags & flags) != 0; }

// Whether `target` or `reconverge` hold instruction indices, to be updated when instructions move.
static inline bool isa_names_others(const struct inst *i) { return isa_has(i, ISA_BRANCH) || i->op == OP_SSY; }

// Space of a load, store or atomic, an enum isa_space (space.h). SPACE_GENERIC: each lane's address decides.
// LDC, LDGSTS and fetches give SPACE_GENERIC, too.
static inline unsigned isa_space_of(const struct inst *i)
{
    return i->op == OP_RED ? i->space : isa_table[i->op].flags >> ISA_SPACE_SHIFT;
}

// Fetches of texels; all that read the table of textures and surfaces.
static inline bool isa_is_fetch(unsigned op) { return op >= OP_TEX && op <= OP_TLD4; }
static inline bool isa_reads_textures(unsigned op) { return op >= OP_TEX && op <= OP_TXQ; }

// Whether the guard may exclude some lanes of the instruction. (@!PT: no lane executes.)
static inline bool isa_is_guarded(const struct inst *i) { return i->guard != PRED_TRUE || i->guard_not; }

// Asynchronous products of a warpgroup.
static inline bool isa_is_warpgroup(unsigned op) { return op >= OP_WGMMA && op <= OP_WGMMASSP; }

// Whether the old value of the destination matters: lanes that the guard excludes keep it, a warpgroup's product adds to it.
static inline bool isa_keeps_old(const struct inst *i) { return isa_is_guarded(i) || isa_is_warpgroup(i->op); }

// Whether some lanes may execute the instruction and other lanes not; for a branch, whether some lanes may
// take the branch and other lanes not.
static inline bool isa_is_conditional(const struct inst *i)
{
    return isa_is_guarded(i) || i->op == OP_RBR; // RBR compares operands itself
}

// Checks an instruction against the rules of the machine (operand kinds per row, aligned groups, one
// non-register source, register and predicate ranges). NULL when valid, else the violation. Applied to every
// program by program_check.
const char *isa_check(const struct inst *i);
