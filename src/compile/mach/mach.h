// Machine code with virtual registers: made by selection, ordered by scheduling, coloured by allocation.
//
// A virtual register is a group of 1, 2 or 4 *units* of 32 bits (WGMMA: a range of up to 128) that will occupy consecutive aligned machine
// registers. A predicate is a group of one unit in the predicate file. Operands name units: a half of a pair
// is readable without an extra instruction, and two instructions may define a pair. Every unit except the
// stack pointer has one definition.
//
//     group 7 (pair): units 12, 13       IADD3   u12, u30 = u4, u9, RZ
//                                        IADD3.X u13 = u5, u10, RZ, u30
//                                        LDG     u14 = [u12:u13 + 16]
//
// A guarded instruction with `old` units reads them, too: the destination keeps the old value where the guard
// is false.
#pragma once
#include "compile/ir/ir.h"
#include "isa/inst.h"
#include "isa/isa.h"

enum { MACH_NONE = UINT32_MAX };

// `bank` of IMM and MEM operands: area of the frame from whose start `value` counts. Emission adds the start
// of the area to `value`.
enum {
    MACH_FRAME = 1,    // the function's own variables
    MACH_CALLER = 2,   // the caller's outgoing area: arguments and results without a register
    MACH_OUTGOING = 3, // the function's outgoing area
    MACH_SPILL = 4     // spill slots
};

enum { // machine registers with a part in calls (docs/reference/abi.md)
    ABI_STACK_POINTER = 1,
    ABI_RETURN_ADDRESS = 3,
    ABI_FIRST_ARGUMENT = 4,
    ABI_ARGUMENT_END = 16,
    ABI_FIRST_SAVED = 16 // R16 and above: callee-saved
};

enum {                      // pseudo operations, numbered behind isa_op
    MACH_COPIES = OP_COUNT, // parallel copies: moves[k].dst = moves[k].src, all at once
    MACH_ENTRY,             // moves[k].dst: registers live at the entry of a device function
    // for allocate/check.c: the register of dst[0] has the constant src[0] already; no code
    MACH_SAME,
    // behind the wait for asynchronous products: dst[0], a range, has the products' results from here on. old[0]: the
    // same registers as the products left them. No code
    MACH_LANDED,
    MACH_OP_COUNT
};

enum mach_transfer { // instructions inserted by allocation to carry values from place to place
    TRANSFER_NONE,
    // Copies the only source to dst[0]: a register, predicate or spill slot. An STL has no dst[0] and copies
    // a register to its slot.
    TRANSFER_MOVE,
    // exchanges dst[0] and src[1], together with the two TRANSFER_SWAP_REST instructions that follow
    TRANSFER_SWAP,
    TRANSFER_SWAP_REST, // second and third exclusive or of an exchange
};

struct mach_group {
    uint32_t unit; // first unit
    uint8_t width;
    bool predicate;
    bool temporary; // made by spill code; spilling again would gain nothing
    int16_t fixed;  // required machine register, -1: any
};

struct mach_move {        // a move of a parallel copy; at calls, entry and RET only dst or only src is used
    uint32_t dst;         // unit
    uint32_t src;         // unit; MACH_NONE: `value`
    struct operand value; // IMM, CONST, or RZ, PT or !PT
    uint32_t name;        // dst before spilling
};

struct mach_names { // operands before spilling, for allocate/check.c
    uint32_t dst[2], src[4], guard, old[2];
    struct mach_move *moves;
    uint32_t move_count;
};

struct mach_inst {
    struct inst i;   // the emitted instruction without register numbers; of its guard only guard_not
    uint32_t dst[2]; // first unit of a register or predicate operand, MACH_NONE: RZ, PT or no register
    uint32_t src[4];
    uint32_t guard;
    uint32_t old[2]; // first unit of the value that dst[k] keeps where the guard is false, MACH_NONE: none
    // COPIES: the copies. ENTRY: dst = return address and parameters. RET: src = results. CALL, CALLR: dst =
    // results, src = arguments. The units of all but COPIES have fixed registers.
    struct mach_move *moves;
    uint32_t move_count;
    struct mach_block *target; // BRA, SSY
    struct mach_block **table; // BRX
    uint32_t table_count;
    struct ir_function *callee; // CALL
    struct mach_block *block;
    struct mach_inst *previous, *next;
    uint32_t position; // by mach_number
    uint32_t note;
    uint8_t transfer; // enum mach_transfer
    bool hands_on;    // true: COPIES that pass phi operands to a successor, at the end of a block
    // operands before spilling. NULL if the allocation is not checked, or if allocation inserted the
    // instruction to carry a value (load, store, move).
    const struct mach_names *names;
};

struct mach_phi { // of one unit: a pair needs two phis
    uint32_t dst;
    uint32_t *src;          // by predecessor: unit, or MACH_NONE: the operand is values[k]
    struct operand *values; // IMM, CONST, RZ, PT; kind NONE: undefined
};

struct mach_block {
    uint32_t id; // dense, layout order
    struct ir_block *source;
    struct mach_inst *first, *last;
    struct mach_block **preds, **succs;
    uint32_t pred_count, succ_count;
    VEC(struct mach_phi) phis;
    struct mach_phi *named_phis; // phis before spilling, for allocate/check.c
    uint32_t named_phi_count;
    uint32_t loop_depth;
    struct mach_block *parted_at; // block of the SSY that makes lanes reconverge here, or NULL
    uint32_t start, end;          // positions by mach_number, [start, end); instructions from start + 1
    uint32_t note;
};

struct mach_function {
    struct ir_function *source;
    struct arena *arena;
    struct mach_block **blocks; // layout order; [0] is the entry
    uint32_t block_count;
    VEC(struct mach_group) groups;
    VEC(uint32_t) group_of;  // by unit: index in groups
    uint32_t outgoing_bytes; // stack area for arguments and results of calls
    bool has_calls;
    uint32_t stack_pointer; // unit with the fixed register R1; MACH_NONE until first used
    uint32_t barrier_count; // as in struct program
    // filled by allocation
    uint8_t *reg;                   // machine register of each unit
    uint32_t reg_count, pred_count; // used
    uint32_t spill_bytes, spill_loads, spill_stores;
    bool saved[REG_LIMIT]; // callee-saved registers that the function writes
};

struct mach_function *mach_function_create(struct ir_function *source, struct arena *a);
void mach_function_fini(struct mach_function *f); // frees vectors; the arena owns the rest

uint32_t mach_reg(struct mach_function *f, unsigned width); // creates a group; returns its first unit
uint32_t mach_pred(struct mach_function *f);
uint32_t mach_fixed(struct mach_function *f, unsigned width, unsigned reg); // fixed to machine register `reg`
uint32_t mach_stack_pointer(struct mach_function *f);
static inline struct mach_group *mach_group_of(const struct mach_function *f, uint32_t unit)
{
    return &f->groups.data[f->group_of.data[unit]];
}
static inline uint32_t mach_unit_count(const struct mach_function *f) { return (uint32_t)f->group_of.count; }

struct mach_inst *mach_inst_create(struct mach_function *f, unsigned op); // detached, no operands
// where == NULL: at the end of b
void mach_insert_before(struct mach_block *b, struct mach_inst *where, struct mach_inst *i);
void mach_remove(struct mach_inst *i);
// Names of an instruction with `unit` as dst[0] and no other operands.
const struct mach_names *mach_names_of_result(struct mach_function *f, uint32_t unit);
bool mach_is_terminator(const struct mach_inst *i);                  // BRA, BRX, RET or EXIT
struct mach_inst *mach_first_terminator(const struct mach_block *b); // NULL: none, the block falls through
// Assigns block ids and positions 1, 2, 3 …; every block's start takes a position of its own.
void mach_number(struct mach_function *f);

// Calls `visit` for every unit that the instruction reads (guard and old values included), then for every
// unit written. A unit is a 32-bit part of a virtual register, or a virtual predicate.
enum mach_access { MACH_READ, MACH_WRITE };
typedef void mach_visit(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access);
void mach_each_unit(struct mach_function *f, struct mach_inst *i, mach_visit *visit, void *context);

// Units of dst[k]: width of the operand, 1 for a predicate, 0 for MACH_NONE.
unsigned mach_dst_units(const struct mach_inst *i, unsigned k);
unsigned mach_src_units(const struct mach_inst *i, unsigned k);

// True if src[k] has the same value at every read: a number, a word of a constant bank, RZ, PT. A word of
// shared memory (profile ptxplus) has no register either, but stores change it.
bool mach_src_is_constant(const struct mach_inst *i, unsigned k);
// True for an unguarded MOV of a constant to a register.
bool mach_makes_constant(const struct mach_inst *i);
// True for an unguarded S2R of a register constant for the life of a thread: all but clocks and timers.
bool mach_reads_fixed_special(const struct mach_inst *i);

void mach_print(const struct mach_function *f, struct strbuf *out);
