// Instructions of the machine.
//
// 32-bit vector registers R0..R254 and RZ (255, reads zero, writes vanish); predicates P0..P6 and PT (7);
// 64-bit values in aligned pairs, 128-bit values in aligned quads; a constant bank per kind of launch-wide
// data; fixed-size instructions (pc = 8 * index; place in memory: program.h); one guard per instruction.
// isa.def has one row for every instruction and the meaning of its modifiers; docs/reference/isa.md is generated from
// isa.def.
#pragma once
// clang-format off
#include <stdbool.h>
#include <stdint.h>

enum isa_op {
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) OP_##name,
#include "isa/isa.def"
#undef INST
    OP_COUNT
};

enum isa_unit {
#define UNIT(name, text) UNIT_##name,
#include "isa/names.def"
#undef UNIT
    UNIT_COUNT
};

enum isa_latency {
#define LATENCY(name, text) LATENCY_##name,
#include "isa/names.def"
#undef LATENCY
    LATENCY_COUNT
};

enum { // instruction flags
    ISA_PURE = 1 << 0,        // result depends on its sources (and the guard's old destination) alone
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
    ISA_SIDE_EFFECT = 1 << 14, // any other reason against removing, repeating or moving
    // src[0] and src[1] may be exchanged; a comparison, or the table of a LOP3, is adjusted.
    ISA_COMMUTES = 1 << 15,
    ISA_SPACE_SHIFT = 16       // from bit 16 on: enum isa_space named by the mnemonic
};

// Types of operations and memory accesses.
enum isa_type {
#define TYPE(name, text, bytes, is_signed, is_float) TYPE_##name,
#include "isa/names.def"
#undef TYPE
    TYPE_COUNT
};

enum isa_cmp { // the U forms are true with a NaN operand
#define CMP(name) CMP_##name,
#include "isa/names.def"
#undef CMP
};

enum isa_bool { BOOL_AND, BOOL_OR, BOOL_XOR, BOOL_POPC };

enum isa_round { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

enum isa_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST };

enum isa_cache { CACHE_DEFAULT, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT };

enum isa_sem { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };

enum isa_scope { SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };

enum isa_mode { // sub-function of an instruction
#define MODE(name, text) MODE_##name,
#include "isa/names.def"
#undef MODE
    MODE_COUNT
};

// Special registers.
enum isa_sreg {
#define SREG(name, text, whose) SREG_##name,
#include "isa/names.def"
#undef SREG
    SREG_COUNT
};

enum operand_kind {
    OPERAND_NONE,
    OPERAND_REG,    // reg, width registers
    OPERAND_PRED,   // reg is P0..P6, PT = 7; OPERAND_NOT
    OPERAND_IMM,    // value: 32 bits; for doubles the high word, the low word is zero
    OPERAND_CONST,  // c[bank][value], width registers wide
    OPERAND_SREG,   // reg is an enum isa_sreg
    OPERAND_MEM,    // [reg (width 1 or 2) + (int32_t)value]; RZ with width 1: [value]
    OPERAND_SHARED  // s[reg + (int32_t)value], profile ptxplus: a 32-bit shared load in an ALU instruction
};

enum { // operand modifiers
    OPERAND_NEG = 1 << 0, // arithmetic minus; bitwise NOT of an X instruction's sources
    OPERAND_ABS = 1 << 1,
    OPERAND_NOT = 1 << 2,   // predicates
    OPERAND_H0_H0 = 1 << 3, // both halves from the low half
    OPERAND_H1_H1 = 1 << 4
};

struct operand {
    uint8_t kind;  // enum operand_kind
    uint8_t reg;
    uint8_t width; // registers: 1, 2 or 4 (aligned groups; 3 never)
    uint8_t flags;
    uint8_t bank;  // CONST
    uint32_t value;
};

enum { REG_ZERO = 255, PRED_TRUE = 7, REG_LIMIT = 255, PRED_LIMIT = 7, PC_STEP = 8 };

// Constant banks.
enum isa_bank {
    BANK_LAUNCH = 0,  // block and grid dimensions, then the kernel's parameters at BANK_LAUNCH_PARAMS
    BANK_LITERAL = 2, // doubles and other wide constants of the compiler (program->literals)
    BANK_USER = 3,    // the module's .const variables
    // 64-bit addresses of the module's variables and functions, one per entry of program->symbols.
    BANK_ADDRESS = 4,
    BANK_COUNT = 5
};

// Windows of a block's shared and a thread's local memory in the generic address space: 16 MiB each, window
// + offset. All other generic addresses are global; constants and parameters have no generic address.
#define ISA_SHARED_WINDOW 0xfe000000u
#define ISA_LOCAL_WINDOW  0xff000000u

enum { // byte offsets in BANK_LAUNCH
    LAUNCH_NTID = 0x00,
    LAUNCH_NCTAID = 0x0c,
    LAUNCH_DYNAMIC_SHARED = 0x18, // bytes
    LAUNCH_STACK_TOP = 0x28,      // initial stack pointer: local address just past the stack
    BANK_LAUNCH_PARAMS = 0x160
};

enum { // instruction flags besides the fields below
    INST_FTZ = 1 << 0, INST_SAT = 1 << 1,
    INST_CC = 1 << 2,        // carry out to dst[1]
    INST_X = 1 << 3,         // carry in from src[3]
    INST_HI = 1 << 4,        // IMAD, LEA: high half
    INST_SX = 1 << 5,        // LEA.HI: src[2] is the sign of src[0]
    INST_EX = 1 << 6,        // ISETP: high half of a 64-bit comparison
    INST_WRAP = 1 << 7,      // SHF, BMSK, SGXT
    INST_NAN = 1 << 8, INST_XORSIGN = 1 << 9, INST_RELU = 1 << 10,
    INST_BF = 1 << 11,       // FSET, HSET2: 1.0 instead of all ones
    INST_NC = 1 << 12,       // LDG: read-only data
    // BRA: the source promises agreement of all active lanes (a hint, not trusted).
    INST_UNIFORM = 1 << 13,
    INST_SCALAR = 1 << 14,   // HSETP2
    // ATOM without a used result still returns (volatile order); set by the compiler.
    INST_VECTOR_RETURN = 1 << 15
};

struct inst {
    uint16_t op;         // enum isa_op
    uint8_t guard;       // P0..P6, PT = 7: always
    uint8_t guard_not;
    uint8_t type, type2; // enum isa_type
    uint8_t cmp, boolean, round, mode, space, cache, sem, scope;
    uint8_t lut, lut2, shift; // LOP3, PLOP3; LEA
    uint8_t bank;             // LDC
    uint16_t flags;           // INST_*
    uint8_t mark;             // two bits, see mark/; 0 = vector
    struct operand dst[2];
    struct operand src[4];
    uint32_t target;      // BRA, CALL: instruction index
    uint32_t reconverge;  // BRA, BRX: instruction index of the immediate post-dominator, NO_TARGET when none
    uint16_t table;       // BRX
    uint32_t lines;       // index into program->line_sets
};

#define NO_TARGET UINT32_MAX

struct isa_info {
    const char *name, *mnemonic, *meaning;
    enum isa_unit unit;
    enum isa_latency latency;
    uint32_t flags;
};

extern const struct isa_info isa_table[OP_COUNT];

static inline bool isa_has(const struct inst *i, uint32_t flags) { return (isa_table[i->op].flags & flags) != 0; }

// Whether `target` or `reconverge` hold instruction indices, to be moved with the instructions.
static inline bool isa_names_others(const struct inst *i) { return isa_has(i, ISA_BRANCH) || i->op == OP_SSY; }

// Space of a load, store or atomic; GENERIC: each lane's address decides, or a constant access.
static inline enum isa_space isa_space_of(const struct inst *i)
{
    return i->op == OP_RED ? (enum isa_space)i->space : (enum isa_space)(isa_table[i->op].flags >> ISA_SPACE_SHIFT);
}

// Whether some lanes may execute the instruction and other lanes not; for a branch, whether some lanes may
// take it and other lanes not.
static inline bool isa_is_conditional(const struct inst *i)
{
    return i->guard != PRED_TRUE || i->guard_not || i->op == OP_RBR; // RBR compares operands itself
}

unsigned isa_type_bytes(enum isa_type type);
bool isa_type_is_signed(enum isa_type type);
bool isa_type_is_float(enum isa_type type);
const char *isa_type_name(enum isa_type type); // "U32"
const char *isa_mode_name(enum isa_mode mode); // "RCP"
const char *isa_cmp_name(enum isa_cmp cmp);    // "LTU"
const char *isa_sreg_name(enum isa_sreg sreg); // "SR_TID.X"
// Scope of equal values: SREG_OF_LANE: each lane has its own; SREG_OF_WARP: each warp, or each moment of a
// warp; SREG_OF_BLOCK: each block.
enum isa_sreg_whose { SREG_OF_LANE, SREG_OF_WARP, SREG_OF_BLOCK };
enum isa_sreg_whose isa_sreg_whose(enum isa_sreg sreg);
const char *isa_unit_name(enum isa_unit unit);
const char *isa_latency_name(enum isa_latency latency);

// Checks an instruction against the rules of the machine (operand kinds per row, aligned groups, one
// non-register source, register and predicate ranges). NULL when valid, else the violation. Applied to the
// compiler's output and to every test program.
const char *isa_check(const struct inst *i);
