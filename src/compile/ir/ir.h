// The compiler's intermediate representation: SSA values over a control-flow graph, from lowering until
// register allocation.
//
//   ptx_function ─ lower ─▶ ir_function ─ passes ─▶ ir_function ─ select ─▶ machine code with virtual registers
//                                                                  ─ schedule ─ allocate ─ emit ─▶ program
//
// Everything is owned by the arena of the unit; removed instructions are unlinked and forgotten. Order of
// blocks, instructions, values and uses is deterministic: nothing here is ordered by address.
#pragma once
// clang-format off
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "compile/ir/options.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "ptx/ptx.h"

enum ir_op {
#define IR(name, text, flags, types, shape, selection, meaning) IR_##name,
#include "compile/ir/ir.def"
#undef IR
    IR_OP_COUNT
};

enum { IR_PURE = 1, IR_COMM = 2, IR_READ = 4, IR_WRITE = 8, IR_EFFECT = 16, IR_END = 32 };

enum ir_class { IR_CLASS_32, IR_CLASS_64, IR_CLASS_128, IR_CLASS_PRED };

struct ir_inst;
struct ir_block;

struct ir_use { // one operand slot; slots of a value form a doubly linked list
    struct ir_value *value;
    struct ir_inst *user;
    struct ir_use *previous, *next;
};

// Values and instructions are many, and passes walk over all of them: no padding, what walks read comes first.
struct ir_value {
    uint32_t id; // dense in the function
    enum ir_class class;
    uint32_t use_count;
    bool is_constant;          // bits
    bool is_param;             // of a device function
    struct ir_inst *def;       // NULL: constant or function parameter
    struct ir_use *first_use;  // in no particular order
    uint64_t bits;             // constant: zero-extended; predicates 0 or 1
    uint64_t note;             // scratch of the running pass
};

struct ir_inst {
    enum ir_op op;
    uint8_t type, type2; // enum isa_type
    uint8_t cmp, boolean, round, mode, space, cache, sem, scope; // enums of isa.h
    uint8_t lut;
    uint8_t bank;
    uint16_t flags; // INST_*
    bool guard_not;
    uint32_t lines; // index into unit->line_sets
    struct ir_inst *previous, *next; // in the block
    struct ir_block *block;
    uint32_t def_count, use_count;
    struct ir_value **defs;
    struct ir_use *uses; // array of use_count slots
    uint64_t note;
    int64_t offset, offset2;
    // A guarded memory access or effect: it happens in lanes where guard is true (false, when guard_not). Its defs
    // then take old[i] in the other lanes; NULL old means their value there is never read.
    struct ir_use guard; // guard.value == NULL: always
    struct ir_use *old;  // def_count slots, or NULL
    struct ir_function *callee;
    struct ir_function *function; // the one it was created in, attached or not
    uint32_t order;               // scratch: position, renumbered by ir_number
};

struct ir_block {
    struct ir_function *function;
    uint32_t id;    // dense, in layout order after ir_number
    struct ir_inst *first, *last; // phis first; last is the END instruction
    struct ir_block **preds, **succs;
    uint32_t pred_count, succ_count;
    struct ir_block *previous, *next; // layout order
    // filled by ir_analyse (invalid after the graph changes):
    struct ir_block *idom, *ipdom; // NULL at the entry; NULL: only the virtual exit post-dominates
    uint32_t loop_depth;
    struct ir_block *loop_header; // innermost
    uint32_t dom_depth, rpo;
    uint32_t dom_first, dom_last; // a dominates b when a->dom_first <= b->dom_first <= a->dom_last; unreachable: 1, 0
    uint64_t note;
};

struct ir_function {
    struct ir_unit *unit;
    const char *name;
    bool is_kernel;
    const struct ptx_function *source;
    struct ir_block *first_block, *last_block; // first is the entry, without predecessors
    uint32_t block_count, value_count, inst_count;
    struct ir_value **params; // device functions
    uint32_t param_count;
    uint8_t *result_classes; // enum ir_class of RETURN's uses
    uint32_t result_count;
    uint32_t frame_bytes;    // .local variables: kernel: from local address 0; device functions: from the stack pointer
    bool address_taken;      // reachable through CALLR
    struct u64map constants[4]; // by class: bits -> index into constant_values
    VEC(struct ir_value *) constant_values;
};

// All functions of one kernel.
struct ir_unit {
    struct arena arena;
    struct arena insts; // instructions alone: walks over them go through memory in order
    const struct ptx_module *module;
    const struct compile_options *options;
    VEC(struct ir_function *) functions; // [0] is the kernel
    struct program *program;             // being filled: params, symbols, line tables, shared size …
    struct u64map symbols; // variable or function (its pointer) to index in program->symbols; a FUNCTION symbol's value
                           // is its index in `functions` until emit
    struct u64map line_sets;             // hash of a set -> index
};

extern const struct ir_info {
    const char *name, *meaning;
    const char *shape; // NULL: odd, see ir/verify.c
    uint32_t flags;
    uint32_t types; // set (isa/types.h), empty: not asked
} ir_table[IR_OP_COUNT];

// -- building -----------------------------------------------------------------------------------------------
struct ir_unit *ir_unit_create(const struct ptx_module *module, const struct compile_options *options);
void ir_unit_destroy(struct ir_unit *u); // the program, if taken by the caller, must be set to NULL before
struct ir_function *ir_function_create(struct ir_unit *u, const char *name, bool is_kernel);
struct ir_block *ir_block_create(struct ir_function *f, struct ir_block *after); // NULL: at the end
struct ir_value *ir_value_create(struct ir_function *f, enum ir_class class);
struct ir_value *ir_constant(struct ir_function *f, enum ir_class class, uint64_t bits); // interned
// A detached instruction with room for its operands; defs of the given classes are created.
struct ir_inst *ir_inst_create(struct ir_function *f, enum ir_op op, enum isa_type type, uint32_t def_count,
                               const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses);
void ir_append(struct ir_block *b, struct ir_inst *i);
void ir_insert_before(struct ir_inst *where, struct ir_inst *i);
void ir_insert_after(struct ir_inst *where, struct ir_inst *i);
void ir_detach(struct ir_inst *i); // takes it out of its block, operands kept, to be inserted elsewhere
void ir_remove(struct ir_inst *i); // unlinks it and its uses; its defs must have none left
void ir_set_use(struct ir_inst *i, uint32_t index, struct ir_value *v);
void ir_set_uses(struct ir_inst *i, uint32_t count, struct ir_value *const *uses); // replaces the array
void ir_set_guard(struct ir_inst *i, struct ir_value *predicate, bool negated);
void ir_set_old(struct ir_inst *i, uint32_t def, struct ir_value *v);
void ir_replace(struct ir_value *of, struct ir_value *by); // every use, guard and old of `of`
void ir_add_edge(struct ir_block *from, struct ir_block *to); // appends to succs and preds; phis are the caller's
void ir_remove_edge(struct ir_block *from, uint32_t succ);    // drops the phi operand in the target too
// The edge leads to `to` from now on: at the same place among the successors, last among to's predecessors. The
// caller appends to the phis of `to` (ir_phi_append). No later successor of `from` may be `to`.
void ir_redirect_edge(struct ir_block *from, uint32_t succ, struct ir_block *to);
void ir_phi_append(struct ir_inst *phi, struct ir_value *v); // an operand for a predecessor just added
void ir_remove_block(struct ir_function *f, struct ir_block *b); // unreachable, edges already gone
struct ir_block *ir_split_edge(struct ir_block *from, uint32_t succ);
uint32_t ir_pred_index(const struct ir_block *from, uint32_t succ); // of that edge in its target's preds

// Shorthands: one result, placed before `where` (or appended to block b by the lowering's own wrappers).
struct ir_value *ir_emit_before(struct ir_inst *where, enum ir_op op, enum isa_type type, enum ir_class class,
                                uint32_t use_count, struct ir_value *const *uses, struct ir_inst **made);

// -- asking -------------------------------------------------------------------------------------------------
bool ir_is_pure(const struct ir_inst *i); // may be merged, dropped, moved (loads are not pure)
static inline struct ir_value *ir_operand(const struct ir_inst *i, uint32_t k) { return i->uses[k].value; }
static inline bool ir_constant_bits(const struct ir_value *v, uint64_t *bits)
{
    if (!v->is_constant) return false;
    *bits = v->bits;
    return true;
}
enum ir_class ir_class_of_type(enum isa_type type);
void ir_number(struct ir_function *f);  // block ids in layout order, inst->order
void ir_analyse(struct ir_function *f); // block ids, rpo, idom, ipdom, loops (through flow/)
bool ir_dominates(const struct ir_block *a, const struct ir_block *b);

// -- source lines -------------------------------------------------------------------------------------------
uint32_t ir_line_set_of(struct ir_unit *u, uint32_t ptx_line_info);        // interned singleton
uint32_t ir_line_set_union(struct ir_unit *u, uint32_t a, uint32_t b);     // interned union

// The set of an operation of `function` after its body was inlined at a call that stands for `call_set`.
uint32_t ir_line_set_inlined(struct ir_unit *u, uint32_t set, uint32_t call_set, const char *function);

// -- checking and printing ----------------------------------------------------------------------------------
// NULL when sound (SSA dominance, phi arity, classes, use lists, edges); else a text in the unit's arena. Run after
// every pass in test builds and under compile.check=1.
const char *ir_verify(struct ir_function *f);
void ir_print(const struct ir_function *f, struct strbuf *out);
void ir_print_inst(const struct ir_inst *i, struct strbuf *out); // one line
