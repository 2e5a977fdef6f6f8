// Instruction selection: declarations shared by the files of the room.
//
// Blocks are walked from last to first and instructions from bottom to top, so users of a value are selected
// before its definition. A user requests its operands in a usable form: `source_*` returns a register, an
// immediate, a constant-bank operand or (profile ptxplus) a shared-memory operand, possibly with more of the
// expression folded in. A definition without effects is selected only if a user requested its result in a
// register. The machine instructions for an IR instruction are inserted, in order, before everything selected
// earlier.
#pragma once
#include "compile/ir/known.h"
#include "compile/mach/mach.h"
#include "isa/profile.h"

struct source { // an operand under construction
    struct operand o;
    uint32_t unit;
};

struct cached { // a constant that the current block keeps in a register or register pair
    struct operand o;
    uint32_t high; // of an immediate pair: the upper word
    uint32_t unit;
    uint32_t chunk; // number of the most recently selected IR instruction that uses the constant
    struct mach_inst *inst[2];
};

// Profile pascal: an angle that the block reduced with RRO, for reuse by a sine and a cosine.
struct angle {
    struct source of;
    struct mach_inst *inst;
};

struct select {
    struct ir_unit *u;
    struct ir_function *ir;
    struct mach_function *f;
    struct arena *arena;
    enum program_profile profile;
    struct known known;           // profile pascal: finds factors of 16 bits
    const struct ir_inst *inst;   // the IR instruction being selected
    uint32_t *units;              // by IR value: first register unit, MACH_NONE: value not requested
    uint32_t *tests;              // by value: predicate "word is not zero"; see select_test
    struct mach_block **blocks;   // by IR block id
    struct mach_block *block;     // the block under selection
    struct mach_inst *cursor;     // insertion point of new instructions
    uint32_t chunk;               // number of the current IR instruction
    uint32_t lines;               // set of source lines: of the IR instruction and all instructions folded in
    VEC(struct cached) cache;     // constants of the current block
    VEC(struct angle) angles;     // angles of the current block
    VEC(struct mach_inst *) made; // machine instructions of the current IR instruction
    struct u64map literals;       // literal bits -> offset in BANK_LITERAL
    uint32_t return_unit;         // device functions: unit with the return address
};

enum half { LOW, HIGH };

// -- operands -----------------------------------------------------------------------------------------------
// First unit of the register (group) for v; requests the definition.
uint32_t demand(struct select *s, struct ir_value *v);
struct source source_any(struct select *s, struct ir_value *v); // 32 bits; register, IMM, CONST or RZ
struct source source_reg(struct select *s, struct ir_value *v); // 32 bits in a register (or RZ)
// 32-bit half of a 64-bit value as an operand of any kind (register, immediate, constant bank; in profile
// ptxplus shared memory, too)
struct source source_half(struct select *s, struct ir_value *v, enum half half);
struct source source_pair(struct select *s, struct ir_value *v);     // 64 bits in a pair
struct source source_pair_any(struct select *s, struct ir_value *v); // a pair or an aligned CONST
struct source source_pred(struct select *s, struct ir_value *v);     // P, !P, PT or !PT
struct source in_register(struct select *s, struct source o);        // adds a MOV if necessary
// A pair with two constant words, shared by all users in the block.
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
// Definition of v (looking through COPY) if its operation is `op`, else NULL.
struct ir_inst *def_of(struct ir_value *v, enum ir_op op);
// Like def_of, but only if folding the definition is free: v has a single use, is computed in the current
// block, and was not requested in a register.
struct ir_inst *fold_of(struct select *s, struct ir_value *v, enum ir_op op);
void folded(struct select *s, const struct ir_inst *i); // adds the source lines of i to s->lines
bool constant_of(struct ir_value *v, uint64_t *bits);

// -- instructions -------------------------------------------------------------------------------------------
struct mach_inst *begin(struct select *s, unsigned op);                       // detached until `finish`
void set_dst(struct mach_inst *i, unsigned k, uint32_t unit, unsigned width); // MACH_NONE: RZ
void set_dst_pred(struct mach_inst *i, unsigned k, uint32_t unit);            // MACH_NONE: PT
void set_src(struct mach_inst *i, unsigned k, struct source o);
// Inserts the instruction after legalising its sources: at most one non-register source, in a position with
// an encoding.
void finish(struct select *s, struct mach_inst *i);
void insert(struct select *s, struct mach_inst *i); // inserts i with sources as given
// First register unit for result number `def` of i, MACH_NONE: no user requested the result.
uint32_t wanted(const struct select *s, const struct ir_inst *i, unsigned def);
void move_to(struct select *s, uint32_t unit, struct source o); // one 32-bit MOV
// A copy that allocation tries to coalesce.
void copy_to(struct select *s, uint32_t unit, struct source o);
// begin3: d = op(a, b, c), detached. emit2: d = op(a, b), emit3: d = op(a, b, c), both inserted.
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
// carry_out: predicate, or MACH_NONE.
void emit_add(struct select *s, uint32_t dst, struct source a, struct source b, uint32_t carry_out);
void emit_addx(struct select *s, uint32_t dst, struct source a, struct source b, struct source carry,
               uint32_t carry_out);
void set_carry_out(struct mach_inst *i, uint32_t unit); // MACH_NONE: no carry out
void set_carry_in(struct mach_inst *i, struct source carry);
void emit_neg64(struct select *s, uint32_t dst, struct source low, struct source high);
// Profile pascal: true if source k, an immediate, has an encoding in the instruction; select/immediate.c.
bool fits_in_place(const struct mach_inst *m, unsigned k);
// Profile pascal: 32-bit products from 16-bit products; select/xmad.c.
// xmad_low: low word of a * b + c
void xmad_low(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, struct source c);
void xmad_low_words(struct select *s, uint32_t dst, struct source a, struct source b, struct source c);
void xmad_high(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, bool is_signed);
// unsigned 64-bit product + the pair c
void xmad_wide_words(struct select *s, uint32_t dst, struct source a, struct source b, struct source c);
void xmad_wide(struct select *s, uint32_t dst, struct ir_inst *i);  // MULWIDE, MADWIDE
bool select_scaled_where(struct select *s, struct ir_inst *select); // select/float.c
bool select_guarded(struct select *s, struct ir_inst *select);      // select/guarded.c; false: not selected
// inserts SSY, after selection of all blocks: select/meeting.c
void select_meetings(struct select *s);
bool select_shifted_pair(struct select *s, struct ir_inst *pack);
// True for a comparison "x == 0" or "x != 0" of a word x defined by logic (AND, OR, XOR, LOP3) in the same
// block, unless a phi reads the comparison. LOP3 defines the predicate "x is not zero" beside the word; users
// of "x == 0" read the predicate negated. The answer depends on the IR alone, so users and definition agree.
bool setp_is_test(const struct ir_inst *setp);
bool select_test(struct select *s, struct ir_inst *setp);

struct compare { // destination of a comparison, and the predicate to combine with
    enum isa_bool boolean;
    // p = (a cmp b) boolean c, q = !(a cmp b) boolean c. Packed halves: p of the low, q of the high halves.
    uint32_t p, q;
    struct source c;
};
void select_compare(struct select *s, struct ir_inst *setp, struct compare *c);
// Profile ptxplus: makes the shared-memory operand for v if v is a load of a shared word that can be delayed
// to the instruction under selection. False otherwise.
bool select_shared_operand(struct select *s, struct ir_value *v, struct source *o);
uint32_t select_literal(struct select *s, uint64_t bits); // offset in BANK_LITERAL, bytes

void select_guard(struct select *s, struct mach_inst *m, struct ir_inst *i, uint32_t unit);
struct source select_address(struct select *s, struct ir_inst *i);
uint32_t select_pack_small(struct select *s, struct ir_value **parts, unsigned count, unsigned size);
void emit_plop3(struct select *s, uint32_t dst, struct source a, struct source b, struct source c,
                unsigned lut);

// -- bodies: each selects the operations with its name in ir.def --------------------------------------------
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
    select_body *body; // NULL: an ELSEWHERE row of ir.def, not selected by itself
    uint16_t op[3];    // enum isa_op: machine operations, further arguments of the row
} select_table[IR_OP_COUNT];

void select_entry(struct select *s); // parameters of a device function, stack pointer of a kernel

struct mach_function *select_function(struct ir_function *ir, struct arena *a);
