// Machine code with virtual registers: what selection makes, scheduling orders and allocation colours.
//
// A virtual register is a group of 1, 2 or 4 *units*, 32 bits each, that will get consecutive aligned machine
// registers; a predicate is a group of one unit in the other file. Operands name units, so a half of a pair
// needs no instruction to be reached, and a pair may be made by two instructions. Until phis are taken apart
// every unit has one definition.
//
//     group 7 (pair): units 12, 13       IADD3   u12, u30 = u4, u9, RZ
//                                        IADD3.X u13 = u5, u10, RZ, u30
//                                        LDG     u14 = [u12:u13 + 16]
//
// A guarded instruction with `old` units reads them too: its destination keeps the old value where the guard
// is false.
#pragma once
#include "compile/ir/ir.h"

enum { MACH_NONE = UINT32_MAX };

enum { // tags in `bank` of IMM and MEM operands: what is added to `value` when the frame is laid out
    MACH_FRAME = 1,    // the function's own variables
    MACH_CALLER = 2,   // the caller's outgoing area: arguments and results that have no register
    MACH_OUTGOING = 3, // our own outgoing area
    MACH_SPILL = 4     // spill slots
};

enum { // machine registers with a part in calls (docs/abi.md)
    ABI_STACK_POINTER = 1,
    ABI_RETURN_ADDRESS = 3,
    ABI_FIRST_ARGUMENT = 4,
    ABI_ARGUMENT_END = 16,
    ABI_FIRST_SAVED = 16 // R16 and above belong to the caller
};

enum {                      // operations that no machine has, numbered behind isa_op
    MACH_COPIES = OP_COUNT, // parallel copies: moves[k].dst = moves[k].src, all at once
    MACH_ENTRY,             // defines the registers a device function is entered with: moves[k].dst
    MACH_SAME, // for the allocation's check: dst[0] is a name for the constant src[0], which is there already
    MACH_OP_COUNT
};

enum mach_transfer { // what allocation inserts only carries values from place to place
    TRANSFER_NONE,
    TRANSFER_MOVE, // dst[0] = the one source, be it a register, a predicate or a spill slot (STL: the other
                   // way)
    TRANSFER_SWAP, // dst[0] and src[1] change places, together with the
    TRANSFER_SWAP_REST, // two instructions behind it
};

struct mach_group {
    uint32_t unit; // first
    uint8_t width;
    bool predicate;
    bool temporary; // made by spill code: spilling it again would gain nothing
    int16_t fixed;  // machine register it must have, -1: any
};

struct mach_move {        // of a parallel copy; in calls only one side is used
    uint32_t dst;         // unit
    uint32_t src;         // unit; MACH_NONE: `value`
    struct operand value; // IMM, CONST, or RZ, PT or !PT
    uint32_t name;        // dst before spilling
};

struct mach_names { // operands as they were before spilling, for the allocation's check
    uint32_t dst[2], src[4], guard, old[2];
    struct mach_move *moves;
    uint32_t move_count;
};

struct mach_inst {
    struct inst i;   // everything but register numbers, guard included: guard_not only
    uint32_t dst[2]; // first unit of a register or predicate operand, MACH_NONE: RZ, PT or no register
    uint32_t src[4];
    uint32_t guard;
    uint32_t old[2]; // first unit that dst[k] takes where the guard is false; MACH_NONE: nothing is read
    struct mach_move *
        moves; // COPIES, ENTRY; RET: src = results; CALL, CALLR: dst = results, src = arguments (fixed units)
    uint32_t move_count;
    struct mach_block *target; // BRA, SSY
    struct mach_block **table; // BRX
    uint32_t table_count;
    struct ir_function *callee; // CALL
    struct mach_block *block;
    struct mach_inst *previous, *next;
    uint32_t position; // by mach_number
    uint32_t note;
    uint8_t transfer;               // enum mach_transfer
    bool hands_on;                  // COPIES: the copies of phi operands at a block's end
    const struct mach_names *names; // NULL unless the allocation is checked, and for what allocation inserted
};

struct mach_phi { // of one unit: a pair has two
    uint32_t dst;
    uint32_t *src;          // one a predecessor: unit, or MACH_NONE: values[k]
    struct operand *values; // IMM, CONST, RZ, PT; kind NONE: any value will do
};

struct mach_block {
    uint32_t id; // dense, layout order
    struct ir_block *source;
    struct mach_inst *first, *last;
    struct mach_block **preds, **succs;
    uint32_t pred_count, succ_count;
    VEC(struct mach_phi) phis;
    struct mach_phi *named_phis; // as phis were before spilling, for the allocation's check
    uint32_t named_phi_count;
    uint32_t loop_depth;
    struct mach_block *parted_at; // where SSY says that lanes meet here; NULL: nowhere
    uint32_t start, end;          // positions, by mach_number: [start, end), instructions from start + 1
    uint32_t note;
};

struct mach_function {
    struct ir_function *source;
    struct arena *arena;
    struct mach_block **blocks; // layout order; [0] is the entry
    uint32_t block_count;
    VEC(struct mach_group) groups;
    VEC(uint32_t) group_of;  // of a unit
    uint32_t outgoing_bytes; // stack area for arguments and results of calls
    bool has_calls;
    uint32_t stack_pointer; // a unit with the fixed register R1; MACH_NONE until somebody needs it
    uint32_t barrier_count; // as in struct program
    // filled by allocation
    uint8_t *reg;                   // machine register of each unit
    uint32_t reg_count, pred_count; // used
    uint32_t spill_bytes, spill_loads, spill_stores;
    bool saved[REG_LIMIT]; // callee-saved registers that are written
};

struct mach_function *mach_function_create(struct ir_function *source, struct arena *a);
void mach_function_fini(struct mach_function *f); // vectors only; the rest is the arena's

uint32_t mach_reg(struct mach_function *f, unsigned width); // a fresh group, its first unit
uint32_t mach_pred(struct mach_function *f);
uint32_t mach_fixed(struct mach_function *f, unsigned width, unsigned reg); // must get this machine register
uint32_t mach_stack_pointer(struct mach_function *f);
static inline struct mach_group *mach_group_of(const struct mach_function *f, uint32_t unit)
{
    return &f->groups.data[f->group_of.data[unit]];
}
static inline uint32_t mach_unit_count(const struct mach_function *f) { return (uint32_t)f->group_of.count; }

struct mach_inst *mach_inst_create(struct mach_function *f, unsigned op); // detached, no operands
void mach_insert_before(struct mach_block *b, struct mach_inst *where,
                        struct mach_inst *i); // NULL: at the end
void mach_remove(struct mach_inst *i);
const struct mach_names *mach_names_of_result(struct mach_function *f, uint32_t unit); // dst[0] alone
bool mach_is_terminator(const struct mach_inst *i);                  // BRA, BRX, RET, EXIT at a block's end
struct mach_inst *mach_first_terminator(const struct mach_block *b); // NULL: none, the block falls through
void mach_number(
    struct mach_function *f); // ids and positions: 1, 2, 3 … with one number for each block's start

// Visits every unit an instruction reads (guard, old and every unit of a group included) or writes.
enum mach_access { MACH_READ, MACH_WRITE };
typedef void mach_visit(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access);
void mach_each_unit(struct mach_function *f, struct mach_inst *i, mach_visit *visit, void *context);

unsigned mach_dst_units(const struct mach_inst *i,
                        unsigned k); // registers behind dst[k]: its operand's width, 1 for a predicate
unsigned mach_src_units(const struct mach_inst *i, unsigned k);

// Whether src[k] is the same wherever it is read: a number, a word of a constant bank, RZ, PT. A word of
// shared memory (profile ptxplus) names no register either, but stores change it.
bool mach_src_is_constant(const struct mach_inst *i, unsigned k);
// An unguarded MOV of a constant to a register.
bool mach_makes_constant(const struct mach_inst *i);
// An unguarded S2R of what stays the same while a thread runs: anything but clocks and timers.
bool mach_reads_fixed_special(const struct mach_inst *i);

void mach_print(const struct mach_function *f, struct strbuf *out);
