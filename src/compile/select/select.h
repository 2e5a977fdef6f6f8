// Instruction selection, the part that its files share.
//
// Blocks are walked from last to first and instructions from bottom to top, so that a value's users are seen
// before its definition. A user asks for its operands in the form it can use: `source_*` gives a register, an
// immediate, a constant-bank operand, possibly of something deeper in the expression; only what was asked for
// as a register is selected when its definition is reached. What one IR instruction becomes is inserted, in
// order, before everything selected so far.
#pragma once
#include "compile/ir/known.h"
#include "compile/mach/mach.h"

struct source { // an operand in the making
    struct operand o;
    uint32_t unit;
};

struct cached { // a constant that sits in a register or a pair of this block
    struct operand o;
    uint32_t high; // of an immediate pair: its upper word
    uint32_t unit;
    uint32_t chunk; // the IR instruction it was last needed by
    struct mach_inst *inst[2];
};

struct angle { // profile pascal: what RRO made of an operand in this block, for a sine and a cosine of it
    struct source of;
    struct mach_inst *inst;
};

struct select {
    struct ir_unit *u;
    struct ir_function *ir;
    struct mach_function *f;
    struct arena *arena;
    enum program_profile profile;
    struct known known;           // profile pascal: which factors fit in 16 bits
    const struct ir_inst *inst;   // being selected
    uint32_t *units;              // first unit of each value, MACH_NONE: not asked for
    uint32_t *tests;              // predicate that says whether a word is not zero, by value; see select_test
    struct mach_block **blocks;   // by IR block id
    struct mach_block *block;     // being filled
    struct mach_inst *cursor;     // what is selected now goes before this
    uint32_t chunk;               // counts IR instructions
    uint32_t lines;               // of the IR instruction and of all that was folded into it
    VEC(struct cached) cache;     // of the block
    VEC(struct angle) angles;     // of the block
    VEC(struct mach_inst *) made; // by the current IR instruction
    struct u64map literals;       // bits to offset in BANK_LITERAL
    uint32_t return_unit;         // device functions: holds the return address
};

enum half { LOW, HIGH };

// -- operands -----------------------------------------------------------------------------------------------
uint32_t demand(struct select *s, struct ir_value *v); // first unit of a register (group) that will hold v
struct source source_any(struct select *s, struct ir_value *v); // 32 bits; register, IMM, CONST or RZ
struct source source_reg(struct select *s, struct ir_value *v); // 32 bits in a register (or RZ)
struct source source_half(struct select *s, struct ir_value *v,
                          enum half half);                           // of a 64-bit value, any kind
struct source source_pair(struct select *s, struct ir_value *v);     // 64 bits in a pair
struct source source_pair_any(struct select *s, struct ir_value *v); // a pair or an aligned CONST
struct source source_pred(struct select *s, struct ir_value *v);     // P, !P, PT or !PT
struct source in_register(struct select *s, struct source o);        // through MOV where needed
// Two words that are constants, in a pair that the block keeps for all who want them.
struct source constant_pair(struct select *s, struct source low, struct source high);
struct source source_unit(uint32_t unit, unsigned width);
struct source source_imm(uint32_t bits); // 0 becomes RZ
struct source source_zero(void);
struct source source_true(void);
struct source source_predicate(uint32_t unit);
static inline bool source_is_reg(const struct source *o) { return o->o.kind == OPERAND_REG; }
static inline bool source_is_zero(const struct source *o)
{
    return o->o.kind == OPERAND_REG && o->unit == MACH_NONE;
}
static inline bool source_is_imm(const struct source *o) { return o->o.kind == OPERAND_IMM; }

struct ir_value *strip(struct ir_value *v); // through COPY
struct ir_inst *def_of(struct ir_value *v,
                       enum ir_op op); // v's definition when it is such an operation, else NULL
// The same when folding it into the instruction at hand costs nothing: only used here, and computed in this
// block.
struct ir_inst *fold_of(struct select *s, struct ir_value *v, enum ir_op op);
void folded(struct select *s, const struct ir_inst *i); // its lines join the current ones
bool constant_of(struct ir_value *v, uint64_t *bits);

// -- instructions -------------------------------------------------------------------------------------------
struct mach_inst *begin(struct select *s, unsigned op);                       // detached until `finish`
void set_dst(struct mach_inst *i, unsigned k, uint32_t unit, unsigned width); // MACH_NONE: RZ
void set_dst_pred(struct mach_inst *i, unsigned k, uint32_t unit);            // MACH_NONE: PT
void set_src(struct mach_inst *i, unsigned k, struct source o);
// Brings the sources into a form the machine has (one non-register source, in its place), and inserts the
// instruction.
void finish(struct select *s, struct mach_inst *i);
void insert(struct select *s, struct mach_inst *i); // as it is
uint32_t wanted(const struct select *s, const struct ir_inst *i,
                unsigned def);                                  // unit of a def, MACH_NONE: nobody asked
void move_to(struct select *s, uint32_t unit, struct source o); // one 32-bit MOV
void copy_to(struct select *s, uint32_t unit,
             struct source o); // a copy that allocation will try to make vanish
// d = op(a, b, c), detached; d = op(a, b) and d = op(a, b, c), finished.
struct mach_inst *begin3(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b,
                         struct source c);
struct mach_inst *emit2(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b);
struct mach_inst *emit3(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b,
                        struct source c);
void emit_lop3(struct select *s, uint32_t dst, struct source a, struct source b, struct source c,
               unsigned lut);

enum { LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa, LUT_AND = LUT_A & LUT_B, LUT_XOR = LUT_A ^ LUT_B };

static inline bool inst_is_wide(const struct ir_inst *i)
{
    return isa_type_bytes((enum isa_type)i->type) == 8;
}
struct source source_negated(struct source o);
void emit_add(struct select *s, uint32_t dst, struct source a, struct source b,
              uint32_t carry_out); // MACH_NONE: none
void emit_addx(struct select *s, uint32_t dst, struct source a, struct source b, struct source carry,
               uint32_t carry_out);
void set_carry_out(struct mach_inst *i, uint32_t unit); // MACH_NONE: nobody wants it
void set_carry_in(struct mach_inst *i, struct source carry);
void emit_neg64(struct select *s, uint32_t dst, struct source low, struct source high);
// Profile pascal: the instruction has room for its source k, an immediate; select/immediate.c.
bool fits_in_place(const struct mach_inst *m, unsigned k);
// Profile pascal: products of 32 bits out of those of 16, select/xmad.c.
void xmad_low(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b,
              struct source c); // low word of a * b, + c
void xmad_low_words(struct select *s, uint32_t dst, struct source a, struct source b, struct source c);
void xmad_high(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, bool is_signed);
void xmad_wide_words(struct select *s, uint32_t dst, struct source a, struct source b,
                     struct source c);                              // unsigned, + the pair c
void xmad_wide(struct select *s, uint32_t dst, struct ir_inst *i);  // MULWIDE, MADWIDE
bool select_scaled_where(struct select *s, struct ir_inst *select); // select/float.c
void select_meetings(struct select *s);                             // SSY, after all blocks: select/meeting.c
bool select_shifted_pair(struct select *s, struct ir_inst *pack);
// A comparison "x == 0" or "x != 0" of a word that logic of the same block makes: LOP3 makes the predicate
// "not zero" beside the word, and users of "x == 0" read it negated. It depends on the code alone, so users
// and maker agree.
bool setp_is_test(const struct ir_inst *setp);
bool select_test(struct select *s, struct ir_inst *setp);

struct compare { // where a comparison's result goes, and what it is combined with
    enum isa_bool boolean;
    uint32_t p, q; // q = !(a cmp b) boolean c; of packed halves: the high half's result
    struct source c;
};
void select_compare(struct select *s, struct ir_inst *setp, struct compare *c);
// Profile ptxplus: the shared-memory operand that v is, when it is a load that can wait for the instruction
// being selected; false otherwise.
bool select_shared_operand(struct select *s, struct ir_value *v, struct source *o);
uint32_t select_literal(struct select *s, uint64_t bits); // offset in BANK_LITERAL

uint32_t select_pack_small(struct select *s, struct ir_value **parts, unsigned count, unsigned size);
void emit_plop3(struct select *s, uint32_t dst, struct source a, struct source b, struct source c,
                unsigned lut);

// -- the bodies: each selects the operations whose rows of ir.def name it -----------------------------------
typedef void select_body(struct select *s, struct ir_inst *i);
#define DIRECT(op)
#define FLOAT(op32, op64, op16)
#define AS(body, op) select_body body;
#define BY(body)     select_body body;
#define ELSEWHERE
#define IR(name, text, flags, types, shape, selection, meaning) selection
#include "compile/ir/ir.def"
#undef IR
#undef ELSEWHERE
#undef BY
#undef AS
#undef FLOAT
#undef DIRECT
select_body select_direct, select_arithmetic;

extern const struct select_row {
    select_body *body; // NULL: ELSEWHERE
    uint16_t op[3];    // enum isa_op: what the row names besides
} select_table[IR_OP_COUNT];

void select_entry(struct select *s); // parameters of a device function, stack pointer of a kernel

struct mach_function *select_function(struct ir_function *ir, struct arena *a);
