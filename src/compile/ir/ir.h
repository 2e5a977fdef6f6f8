// The compiler's intermediate representation: SSA values over a control-flow graph, from lowering until
// instruction selection.
//
// ptx_function ─ lower ─▶ ir_function ─ passes ─▶ ir_function ─ select ─▶ machine code with virtual registers
//                                                                ─ schedule ─ allocate ─ emit ─▶ program
//
// Arenas of the unit own functions, blocks, instructions and values; removed instructions are unlinked, not
// freed. Order of blocks, instructions, values and uses is deterministic: nothing is ordered by address.
#pragma once
// clang-format off
#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "isa/fields.h"
#include "ptx/ptx.h"

struct compile_options;
struct program;

enum ir_op {
#define IR(name, text, flags, types, shape, selection, meaning) IR_##name,
#include "compile/ir/ir.def"
#undef IR
    IR_OP_COUNT
};

enum { IR_PURE = 1, IR_COMM = 2, IR_READ = 4, IR_WRITE = 8, IR_EFFECT = 16, IR_END = 32 };

enum ir_class { IR_CLASS_32, IR_CLASS_64, IR_CLASS_128, IR_CLASS_PRED };

// `offset` of TEX. Uses: the texture, the coordinates; then the level, or two gradients, each with as many values as the
// mode has coordinates. GATHER: one component of four texels, numbered by `bank`.
enum ir_fetch { FETCH_PLAIN, FETCH_LEVEL, FETCH_GRADIENT, FETCH_GATHER };
enum { FETCH_USES_MAX = 1 + 4 + 6 };

enum ir_warpgroup { // `offset` of WGMMA
    WGMMA_NEGATES_A = 1,
    WGMMA_NEGATES_B = 2,
    WGMMA_TURNS_A = 4, // a lies along its rows
    WGMMA_TURNS_B = 8, // b lies along its columns
    WGMMA_UPPER = 16,  // sparse: lanes 4n + 2 and 4n + 3 have the metadata
    // For the checker: other instructions touch its registers behind the last fence, or its sums before the wait.
    WGMMA_UNFENCED = 32,
    WGMMA_EXPOSED = 64
};

struct ir_block;
struct ir_inst;

struct ir_use { // operand slot; the slots of a value form a doubly linked list
    struct ir_value *value;
    struct ir_inst *user;
    struct ir_use *previous, *next;
};

// Values and instructions are numerous, and every pass walks over them: little padding, fields that walks
// read come first.
struct ir_value {
    uint32_t id; // dense in the function
    enum ir_class class;
    uint32_t use_count;
    bool is_constant;          // the value is `bits`
    bool is_param;             // parameter of a device function
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
    uint8_t shape, type3; // matrix operations, as in struct inst
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
    // A guarded memory access or effect takes place in lanes where the guard is true (false, if guard_not).
    // In the remaining lanes the defs take old[i]; a NULL old marks a def never read where the guard is
    // false.
    struct ir_use guard; // guard.value == NULL: always
    struct ir_use *old;  // def_count slots, or NULL
    struct ir_function *callee;
    struct ir_function *function; // function that owns the instruction, in a block or detached
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
    struct ir_block *idom, *ipdom; // idom NULL: entry or unreachable; ipdom NULL: no further post-dominator
    uint32_t loop_depth;
    struct ir_block *loop_header; // innermost
    uint32_t dom_depth, rpo;
    // Interval of the dominator tree: a dominates b if a->dom_first <= b->dom_first <= a->dom_last;
    // unreachable: 1, 0.
    uint32_t dom_first, dom_last;
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
    // Bytes of variables in the frame (.local, and .param in memory): in a kernel from local address 0, in a
    // device function above the outgoing area of the stack frame.
    uint32_t frame_bytes;
    bool address_taken;      // reachable through CALLR
    struct u64map constants[4]; // by class: bits -> index into constant_values
    VEC(struct ir_value *) constant_values;
};

// A kernel and every function reachable from it.
struct ir_unit {
    struct arena arena;
    struct arena insts; // instructions only, so that walks touch memory in order
    const struct ptx_module *module;
    const struct compile_options *options;
    VEC(struct ir_function *) functions; // [0] is the kernel
    // result of the compilation; takes params, symbols, line tables, shared size …
    struct program *program;
    // Pointer to a variable or function -> index in program->symbols. The value of a FUNCTION symbol is the
    // function's index in `functions` until emission.
    struct u64map symbols;
    struct u64map line_sets;             // hash of a set -> index
};

extern const struct ir_info {
    const char *name, *meaning;
    const char *shape; // NULL: odd, see ir/verify.c
    uint32_t flags;
    uint32_t types; // set (isa/types.h), empty: unrestricted
} ir_table[IR_OP_COUNT];

// -- building -----------------------------------------------------------------------------------------------
struct ir_unit *ir_unit_create(const struct ptx_module *module, const struct compile_options *options);
// frees u->program, too, unless the caller took it and set it to NULL
void ir_unit_destroy(struct ir_unit *u);
struct ir_function *ir_function_create(struct ir_unit *u, const char *name, bool is_kernel);
struct ir_block *ir_block_create(struct ir_function *f, struct ir_block *after); // after NULL: at the end
struct ir_value *ir_value_create(struct ir_function *f, enum ir_class class);
struct ir_value *ir_constant(struct ir_function *f, enum ir_class class, uint64_t bits); // interned
// Creates a detached instruction and `def_count` results of the given classes. uses NULL: operands are set
// later.
struct ir_inst *ir_inst_create(struct ir_function *f, enum ir_op op, enum isa_type type, uint32_t def_count,
                               const enum ir_class *classes, uint32_t use_count, struct ir_value *const *uses);
void ir_append(struct ir_block *b, struct ir_inst *i);
void ir_insert_before(struct ir_inst *where, struct ir_inst *i);
void ir_insert_after(struct ir_inst *where, struct ir_inst *i);
void ir_detach(struct ir_inst *i); // unlinks from the block and keeps operands, for a new insertion
void ir_remove(struct ir_inst *i); // unlinks from block and use lists; the results must have no uses
void ir_set_use(struct ir_inst *i, uint32_t index, struct ir_value *v);
void ir_set_uses(struct ir_inst *i, uint32_t count, struct ir_value *const *uses); // replaces the array
void ir_set_guard(struct ir_inst *i, struct ir_value *predicate, bool negated);
void ir_set_old(struct ir_inst *i, uint32_t def, struct ir_value *v);
void ir_replace(struct ir_value *of, struct ir_value *by); // in every use, guard and old
// appends the edge to from->succs and to->preds; the caller extends the phis of `to`
void ir_add_edge(struct ir_block *from, struct ir_block *to);
void ir_remove_edge(struct ir_block *from, uint32_t succ);    // drops the phi operands in the target, too
// Changes the target of an edge to `to`; the phis of the former target lose the operand of the edge. The
// position among the successors stays; among the predecessors of `to` the edge comes last. The caller appends
// to the phis of `to` (ir_phi_append). Later successors of `from` must not be `to`.
void ir_redirect_edge(struct ir_block *from, uint32_t succ, struct ir_block *to);
void ir_phi_append(struct ir_inst *phi, struct ir_value *v); // adds the operand of a predecessor just added
void ir_remove_block(struct ir_function *f, struct ir_block *b); // the block must have no edges
struct ir_block *ir_split_edge(struct ir_block *from, uint32_t succ);
uint32_t ir_pred_index(const struct ir_block *from, uint32_t succ); // index of the edge in its target's preds

// Creates an instruction with one result before `where`; *made (may be NULL): the instruction.
struct ir_value *ir_emit_before(struct ir_inst *where, enum ir_op op, enum isa_type type, enum ir_class class,
                                uint32_t use_count, struct ir_value *const *uses, struct ir_inst **made);

// -- queries ------------------------------------------------------------------------------------------------
bool ir_is_pure(const struct ir_inst *i); // may be merged, dropped or moved (loads are not pure)
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

// Line set of an instruction with line set `set` after `function` was inlined at a call with line set
// `call_set`.
uint32_t ir_line_set_inlined(struct ir_unit *u, uint32_t set, uint32_t call_set, const char *function);

// -- checking and printing ----------------------------------------------------------------------------------
// Returns NULL, or the first fault as text in the unit's arena: SSA dominance, phi arity, classes, use lists,
// edges. Runs after every pass under compile.check=1.
const char *ir_verify(struct ir_function *f);
void ir_print(const struct ir_function *f, struct strbuf *out);
void ir_print_inst(const struct ir_inst *i, struct strbuf *out); // one line
