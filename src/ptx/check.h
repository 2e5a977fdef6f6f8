// Type check of instructions: the table of forms (sig.def), and checks beyond the table.
#pragma once
#include "ptx/parse_impl.h"

struct signature {
    uint64_t types[2]; // sets of enum ptx_type; empty = no such type suffix
    uint64_t may, must, one_of;
    const char *operands;
    enum ptx_op op;
    bool refuse;
};

// Rows of sig.def for each operation, and the union of the rows' modifiers.
struct signature_index {
    const struct signature *first[PTX_OP_COUNT];
    uint32_t count[PTX_OP_COUNT];
    uint64_t fields[PTX_OP_COUNT];
};

struct signature_index *signature_index_create(void);
void signature_index_destroy(struct signature_index *index);
uint64_t signature_fields(const struct signature_index *index, enum ptx_op op);

// Least and most operands of a form.
void signature_operands(const char *operands, unsigned *least, unsigned *most);
// Finds the form of the instruction. NULL: the wrong types, modifiers or operand count were reported.
struct check;
const struct signature *signature_find(struct check *c);
// Letter of sig.def for an operand; 0: the operation's own check function checks the operand.
char signature_letter(const struct signature_index *index, const struct ptx_inst *i, unsigned operand);

// Set in `unsupported` by check_instruction for a valid but refused form; the caller replaces it by the
// full name.
extern const char ptx_unsupported_form[];

// The instruction's name for messages, such as "add.s32". `buffer` has CHECK_NAME_BYTES.
enum { CHECK_NAME_BYTES = 96 };
const char *check_name(const struct ptx_inst *i, char *buffer);

// ---- checks of one operand: each returning bool, but check_fits, reports a misfit and returns false

struct check {
    struct parser *p;
    struct ptx_inst *i;
    uint64_t given; // modifiers written, as bits of enum ptx_field
};

enum ptx_type check_reg_type(const struct check *c, const struct ptx_operand *o);
bool check_fits(enum ptx_type wanted, enum ptx_type reg); // PTX ISA 9.4, Table 25
bool check_dest(struct check *c, struct ptx_operand *o, enum ptx_type type);
bool check_source(struct check *c, struct ptx_operand *o, enum ptx_type type);
// ld, st and cvt: the register may be wider than the type.
bool check_wide_dest(struct check *c, struct ptx_operand *o, enum ptx_type type);
bool check_wide_source(struct check *c, struct ptx_operand *o, enum ptx_type type);
bool check_dest_predicate(struct check *c, struct ptx_operand *o);
bool check_source_predicate(struct check *c, struct ptx_operand *o);
bool check_integer(struct check *c, struct ptx_operand *o, int64_t least, int64_t most);
// Converts a constant operand to the bits of the type. False: the type takes no constant of this kind.
bool check_immediate(struct check *c, struct ptx_operand *o, enum ptx_type type);
bool check_wrong(struct check *c, const struct ptx_operand *o, const char *expected);
bool check_says(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool check_count(struct check *c, unsigned least, unsigned most);
bool check_letter(struct check *c, char letter, struct ptx_operand *o); // by a letter of sig.def

// ---- checks of whole operations, by family
bool check_comparison(struct check *c);
bool check_product(struct check *c);
bool check_half_rounding(struct check *c);
bool check_min_max(struct check *c);
bool check_field(struct check *c, unsigned first);
bool check_vote(struct check *c);
bool check_shuffle(struct check *c);
bool check_redux(struct check *c);
bool check_fence(struct check *c);
bool check_isspacep(struct check *c);
bool check_memory_operand(struct check *c, struct ptx_operand *o, enum ptx_space space);
bool check_loaded(struct check *c, struct ptx_operand *o);
bool check_stored(struct check *c, struct ptx_operand *o);
bool check_load_store(struct check *c);
bool check_atom(struct check *c);
bool check_cp(struct check *c);
bool check_bulk_relative(struct check *c);                    // st.async, red.async, prefetch.tensormap
bool check_bulk(struct check *c);                             // cp.async.bulk and its relatives
bool check_mbarrier_place(struct check *c, unsigned operand); // address of an mbarrier
bool check_mbarrier(struct check *c);
bool check_cluster_barrier(struct check *c);
bool check_of_cluster(struct check *c); // the instruction has .shared::cluster or .cluster
bool check_cluster_address(struct check *c);
bool check_griddepcontrol(struct check *c);
bool check_setmaxnreg(struct check *c);
bool check_target(struct check *c, unsigned first); // the module is for sm_`first` or later
bool check_policy(struct check *c);
bool check_prefetch(struct check *c);
bool check_special(struct check *c, const struct ptx_operand *o, enum ptx_type type);
bool check_mov(struct check *c);
bool check_cvt(struct check *c);
bool check_texture(struct check *c);
bool check_texture_query(struct check *c);
bool check_surface(struct check *c);
bool check_barrier(struct check *c);
bool check_call(struct check *c);
bool check_mma(struct check *c); // the whole instruction, types and modifiers included
bool check_wmma(struct check *c);
bool check_wgmma(struct check *c);
bool check_matrix_rows(struct check *c);
bool check_movmatrix(struct check *c);
