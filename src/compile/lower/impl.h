// Declarations shared by the files of the lowering: state, and helpers to create instructions and values.
//
//     lower.c          the kernel: functions, blocks, order, the table of instructions
//     lower/cut.c      basic blocks of PTX            lower/reach.c    code and variables a kernel can reach
//     lower/layout.c   shared, constant, parameters   lower/value.c    operands read and written, guards
//     lower/integer.c  lower/wide.c     lower/bits.c     lower/float.c    lower/compare.c  lower/convert.c
//     lower/move.c     lower/memory.c   lower/address.c  lower/atomic.c   lower/texture.c  lower/warp.c
//     lower/barrier.c  lower/special.c  lower/param.c    lower/call.c     lower/note.c
//
// Guards. An operation without side effects executes in every lane, and lower_write merges the result with
// the old value of the register. Thus `@p add r, a, b` becomes r' = select(p, a + b, r); bodies need not
// know. Memory accesses and side effects carry the guard and the old value themselves: bodies create them by
// lower_effect and write their results by lower_write_def.
#pragma once
#include "base/bits.h"
#include "compile/ir/ssa.h"
#include "compile/lower/layout.h"
#include "compile/lower/lower.h"
#include "compile/lower/reach.h"

// Storage of a .param variable of the function.
enum place_kind {
    PLACE_WORDS,  // SSA variables, one per four bytes
    PLACE_FRAME,  // in the frame, at `frame_offset`
    PLACE_POINTER // in a caller's frame, at the local address `pointer`
};
struct place {
    enum place_kind kind;
    uint32_t first_variable, words;
    uint32_t frame_offset;
    struct ir_value *pointer;
};

struct lower_unit { // lowering of one kernel
    struct ir_unit *unit;
    const struct ptx_module *module;
    const struct ptx_function *kernel;
    const struct reach *reach;
    const struct layout *layout;
    struct diag *diag;
    struct ir_function **functions;     // by index in reach->functions
    VEC(struct program_symbol) symbols; // becomes program->symbols
    uint32_t *line_sets;                // by line_info of the module: 1 + line set, 0: not yet requested
    bool failed;                        // an error was reported
};

struct lower { // lowering of one function
    struct lower_unit *u;
    struct ir_function *f;
    const struct reach_function *source;
    const struct ptx_function *ptx;
    struct ssa ssa;
    uint32_t *register_variable; // by PTX register: first SSA variable
    uint32_t carry_variable;     // SSA variable of the condition code: carry or borrow of the last .cc
    struct u64map places;        // struct ptx_variable * (.param) -> index in place_list
    VEC(struct place) place_list;
    struct u64map locals;   // struct ptx_variable * (.local) -> frame offset
    uint32_t params_copy;   // kernel: frame offset of the parameters' copy (cvta.param)
    uint8_t *product_marks; // by PTX instruction: WGMMA_UNFENCED, WGMMA_EXPOSED; NULL: not yet known
    uint32_t assert_frame;  // frame offset + 1 of the record for __assertfail, 0: not allocated

    // The current instruction.
    struct ir_block *block;
    const struct ptx_inst *inst;
    uint32_t lines;
    struct ir_value *guard; // NULL: always
    bool guard_not;
};

// -- making instructions (lower/value.c) --------------------------------------------------------------------
struct ir_inst *lower_inst(struct lower *l, enum ir_op op, enum isa_type type, uint32_t def_count,
                           const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses);
// Like lower_inst; the created instruction executes under the guard of the current PTX instruction.
struct ir_inst *lower_effect(struct lower *l, enum ir_op op, enum isa_type type, uint32_t def_count,
                             const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses);
struct ir_value *lower_make(struct lower *l, enum ir_op op, enum isa_type type, enum ir_class class,
                            uint32_t use_count, struct ir_value *const *uses);

static inline struct ir_value *op1(struct lower *l, enum ir_op op, enum isa_type type, struct ir_value *a)
{
    return lower_make(l, op, type, ir_class_of_type(type), 1, &a);
}
static inline struct ir_value *op2(struct lower *l, enum ir_op op, enum isa_type type, struct ir_value *a,
                                   struct ir_value *b)
{
    return lower_make(l, op, type, ir_class_of_type(type), 2, (struct ir_value *[]){a, b});
}
static inline struct ir_value *op3(struct lower *l, enum ir_op op, enum isa_type type, struct ir_value *a,
                                   struct ir_value *b, struct ir_value *c)
{
    return lower_make(l, op, type, ir_class_of_type(type), 3, (struct ir_value *[]){a, b, c});
}
static inline struct ir_value *op4(struct lower *l, enum ir_op op, enum isa_type type, struct ir_value *a,
                                   struct ir_value *b, struct ir_value *c, struct ir_value *d)
{
    return lower_make(l, op, type, ir_class_of_type(type), 4, (struct ir_value *[]){a, b, c, d});
}
static inline struct ir_value *word(struct lower *l, uint32_t bits)
{
    return ir_constant(l->f, IR_CLASS_32, bits);
}
static inline struct ir_value *wide(struct lower *l, uint64_t bits)
{
    return ir_constant(l->f, IR_CLASS_64, bits);
}
static inline struct ir_value *flag(struct lower *l, bool bit)
{
    return ir_constant(l->f, IR_CLASS_PRED, bit);
}
struct ir_value *lower_low(struct lower *l, struct ir_value *v);  // low word of a 64-bit value
struct ir_value *lower_high(struct lower *l, struct ir_value *v); // high word
struct ir_value *lower_pack(struct lower *l, struct ir_value *low, struct ir_value *high);
// Two 16-bit values in one word.
struct ir_value *lower_widen_half(struct lower *l, struct ir_value *both,
                                  unsigned half); // f16 of a half, in f32
struct ir_value *lower_pack_halves(struct lower *l, struct ir_value *low, struct ir_value *high);
struct ir_value *lower_compare(struct lower *l, enum isa_cmp cmp, enum isa_type type, struct ir_value *a,
                               struct ir_value *b);
struct ir_value *lower_select(struct lower *l, struct ir_value *p, struct ir_value *yes, struct ir_value *no);
struct ir_value *lower_not(struct lower *l, struct ir_value *p);
struct ir_value *lower_combine(struct lower *l, enum ptx_bool how, struct ir_value *p, struct ir_value *q);
struct ir_value *lower_lop3(struct lower *l, uint8_t lut, struct ir_value *a, struct ir_value *b,
                            struct ir_value *c);
// Extends a value of a type below 32 bits to 32 bits, by the sign of the type. Other values are returned
// unchanged.
struct ir_value *lower_extend(struct lower *l, enum ptx_type type, struct ir_value *v);
// Extends a 32-bit value of the type to 64 bits, by the sign of the type.
struct ir_value *lower_to_wide(struct lower *l, enum ptx_type type, struct ir_value *v);

// -- float and carry bodies shared by several instructions --------------------------------------------------
void lower_float_binary(struct lower *l, enum ir_op op);
void lower_float_sub(struct lower *l);
void lower_float_div(struct lower *l);
void lower_float_sign(struct lower *l, enum ir_op op);
// v + (-0), an operation to put the flags of .ftz or .sat on: flushes or saturates, and otherwise changes
// only NaNs.
struct ir_value *lower_flush(struct lower *l, enum isa_type t, struct ir_value *v);

// -- operands (lower/value.c) -------------------------------------------------------------------------------
// An operand as a value of `type`'s class; for types of 8 and 16 bits the upper bits are unspecified.
struct ir_value *lower_read_operand(struct lower *l, const struct ptx_operand *o, enum ptx_type type);
struct ir_value *lower_read(struct lower *l, unsigned operand, enum ptx_type type);
// Reads a PTX operand by number as a value of `type`, extended to 32 bits if the type is narrower.
struct ir_value *lower_read_extended(struct lower *l, unsigned operand, enum ptx_type type);
void lower_read_b128(struct lower *l, const struct ptx_operand *o, struct ir_value *halves[2]);
void lower_write_b128(struct lower *l, const struct ptx_operand *o, struct ir_value *const halves[2]);
// Writes an SSA variable. Under a guard, lanes with a false guard keep the old value of the variable.
void lower_write_variable(struct lower *l, uint32_t variable, struct ir_value *v);
// Writes a PTX register. Lanes with a false guard keep the old value. A sink (operand _) discards the value.
void lower_write_operand(struct lower *l, const struct ptx_operand *o, struct ir_value *v);
void lower_write(struct lower *l, unsigned operand, struct ir_value *v);
// Writes a value of `type` to a register that may be wider: zero- or sign-extended by the type.
void lower_write_wider(struct lower *l, const struct ptx_operand *o, enum ptx_type type, struct ir_value *v);
// Writes result `def` of i to register o. Where the guard of i is false, the register keeps its old value.
void lower_write_def(struct lower *l, const struct ptx_operand *o, struct ir_inst *i, uint32_t def);
unsigned lower_register_bits(const struct lower *l, const struct ptx_operand *o);
// Half 0 (d) or half 1 (p) of a destination operand d|p; NULL: an absent p.
const struct ptx_operand *lower_pair(const struct ptx_operand *o, unsigned half);

struct ir_value *lower_sreg(struct lower *l, enum ptx_sreg sreg, unsigned component); // lower/special.c

// -- types --------------------------------------------------------------------------------------------------
// The type of the same name; B8 … B64 and packed integers: unsigned.
enum isa_type lower_type(enum ptx_type type);
enum isa_type lower_integer_type(enum ptx_type type); // 8 and 16 bits: the 32-bit type of equal sign
static inline enum ptx_type lower_type0(const struct lower *l) { return l->inst->types[0]; }
static inline bool lower_is_float(enum ptx_type type) { return ptx_type_is_float(type); }
static inline bool lower_is_narrow(enum ptx_type type) { return ptx_type_bits(type) < 32; }
enum isa_round lower_round(enum ptx_round round);

// -- addresses (lower/address.c) ----------------------------------------------------------------------------
struct address {
    uint8_t space;         // enum isa_space
    uint8_t bank;          // SPACE_CONST: enum isa_bank
    struct ir_value *base; // 32 bits for shared, local and const
    int64_t offset;
    // .param variable kept in SSA variables: `offset` counts from its start, base is NULL. NULL: other
    // storage.
    const struct place *words;
};
struct address lower_address(struct lower *l, const struct ptx_operand *o, enum ptx_space space);
struct ir_value *lower_symbol(struct lower *l, const struct ptx_variable *v);
struct ir_value *lower_function_symbol(struct lower *l, const struct ptx_function *f);
// The value of "mov d, variable": an address in the variable's own space, as 64 bits.
struct ir_value *lower_variable_address(struct lower *l, const struct ptx_variable *v);
struct ir_value *lower_frame(struct lower *l, uint32_t offset); // local address, 32 bits
uint32_t lower_frame_alloc(struct lower *l, uint64_t size_bytes, uint32_t align_bytes);

// Function symbols are numbered like reach->functions.
uint32_t lower_add_function_symbol(struct lower_unit *u, const struct ptx_function *f);

// -- memory (lower/memory.c) --------------------------------------------------------------------------------
void lower_order(struct lower *l, struct ir_inst *i); // semantics and scope of the PTX instruction
void lower_place_access(struct ir_inst *i, const struct address *a); // space, offset, bank
enum isa_scope lower_scope(enum ptx_scope scope, enum isa_scope otherwise);
// The operand's elements of memory other than .param variables in SSA variables, by the current instruction's cache operator and order.
void lower_load_elements(struct lower *l, struct address a, const struct ptx_operand *d, enum ptx_type type);
void lower_store_elements(struct lower *l, struct address a, const struct ptx_operand *s, enum ptx_type type);
// A reduction of the current instruction's .op and type at the address.
void lower_reduce_at(struct lower *l, const struct address *a, struct ir_value *v, enum ptx_type type);
// Loads a scalar from any storage; 8 and 16 bits are extended.
struct ir_value *lower_load_value(struct lower *l, const struct address *a, enum ptx_type type);
void lower_store_value(struct lower *l, const struct address *a, enum ptx_type type, struct ir_value *v);

// -- parameters (lower/param.c) -----------------------------------------------------------------------------
// NULL: the variable is in the launch's bank.
const struct place *lower_place(const struct lower *l, const struct ptx_variable *v);
// Assigns storage to every .param variable except a kernel's parameters; returns the number past the last SSA
// variable.
uint32_t lower_places(struct lower *l, uint32_t first_variable);
// Accesses bytes of a .param kept in words, little-endian as in memory. Bytes outside load as zero and are
// not stored.
struct ir_value *lower_words_load(struct lower *l, const struct place *p, uint64_t offset,
                                  enum ptx_type type);
void lower_words_store(struct lower *l, const struct place *p, uint64_t offset, enum ptx_type type,
                       struct ir_value *v);

// -- calls (lower/call.c) -----------------------------------------------------------------------------------
// Sets parameters and results of f.
void lower_signature(struct ir_function *f, const struct ptx_prototype *t);
// Moves parameters to their storage.
void lower_enter(struct lower *l);
void lower_return(struct lower *l);

// cp.async.mbarrier.arrive (lower/mbarrier.c); cp.async.bulk and its relatives (lower/bulk.c)
void lower_copy_arrive(struct lower *l);
void lower_bulk(struct lower *l);
void lower_complete(struct lower *l, unsigned operand, uint32_t bytes);

// wgmma: the first instruction from `from` on with registers of sums that no instruction before names; inst_count: none
// (lower/warpgroup.c).
uint32_t lower_next_sums(const struct lower *l, uint32_t from);
// Marks of the current instruction, a product (enum ir_warpgroup).
uint8_t lower_product_marks(struct lower *l);

int lower_atom_mode(enum ptx_atom atom); // enum isa_mode (lower/atomic.c)

// Reports an error at the current PTX instruction: "kernel 'k' uses <what>, not executed by warpfold (…)".
// Only the first error of a kernel is reported.
void lower_refuse(struct lower *l, const char *what);

// Notes reads and writes of every block in ssa.h, before blocks are filled (lower/note.c). `blocks`: by index
// of the cut's blocks.
void lower_note_all(struct lower *l, struct ir_block *const *blocks);

// Lowers the current instruction; lower/bodies.def names the function for every PTX instruction that warpfold
// executes. NULL in lower_bodies: the instruction only ends a block, or warpfold refuses it.
typedef void lower_body(struct lower *l);
#define BODY(op, function) lower_body function;
#define END(op)
#include "compile/lower/bodies.def"
#undef END
#undef BODY
extern lower_body *const lower_bodies[PTX_OP_COUNT];
