// Selection of moves, products, shifts and bit fields. A 64-bit integer is a pair of 32-bit halves.
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/profile.h"
#include "isa/space.h"
#include "isa/sregs.h"

// -- products -----------------------------------------------------------------------------------------------

static void emit_imad(struct select *s, uint32_t dst, struct source a, struct source b, struct source c)
{
    if (s->profile == PROFILE_PASCAL)
        xmad_low_words(s, dst, a, b, c);
    else
        emit3(s, OP_IMAD, dst, a, b, c);
}

static void emit_wide(struct select *s, uint32_t dst, struct source a, struct source b, struct source c)
{
    if (s->profile == PROFILE_PASCAL) {
        xmad_wide_words(s, dst, a, b, c);
        return;
    }
    struct mach_inst *wide = begin3(s, OP_IMADW, dst, a, b, c);
    wide->i.type = TYPE_U32;
    finish(s, wide);
}

// Low 64 bits of (a1:a0) * (b1:b0) + c, from 32-bit halves (t1:t0 is t, d1:d0 the result):
//     t = a0 * b0 + c        64 bits
//     u = a0 * b1 + t1       d0 = t0
//     d1 = a1 * b0 + u
static void select_mul64(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0), middle = mach_reg(s->f, 1), product = mach_reg(s->f, 2);
    struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
    struct source c = i->op == IR_MAD ? source_pair_any(s, ir_operand(i, 2)) : source_unit(MACH_NONE, 2);
    struct source a0 = source_half(s, a, LOW), a1 = source_half(s, a, HIGH);
    struct source b0 = source_half(s, b, LOW), b1 = source_half(s, b, HIGH);
    emit_wide(s, product, a0, b0, c);
    copy_to(s, dst, source_unit(product, 1));
    struct source sum = source_unit(product + 1, 1);
    if (!source_is_zero(&b1)) {
        emit_imad(s, middle, a0, b1, sum);
        sum = source_unit(middle, 1);
    }
    if (source_is_zero(&a1))
        copy_to(s, dst + 1, sum);
    else
        emit_imad(s, dst + 1, a1, b0, sum);
}

void select_mul(struct select *s, struct ir_inst *i)
{
    if (inst_is_wide(i)) {
        select_mul64(s, i);
        return;
    }
    struct source c = i->op == IR_MAD ? source_any(s, ir_operand(i, 2)) : source_zero();
    if (s->profile == PROFILE_PASCAL && i->op == IR_MULHI) {
        xmad_high(s, wanted(s, i, 0), ir_operand(i, 0), ir_operand(i, 1), i->type == TYPE_S32);
        return;
    }
    if (s->profile == PROFILE_PASCAL) {
        xmad_low(s, wanted(s, i, 0), ir_operand(i, 0), ir_operand(i, 1), c);
        return;
    }
    struct mach_inst *m = begin3(s, OP_IMAD, wanted(s, i, 0), source_any(s, ir_operand(i, 0)),
                                 source_any(s, ir_operand(i, 1)), c);
    if (i->op == IR_MULHI) {
        m->i.flags |= INST_HI;
        m->i.type = i->type;
    }
    finish(s, m);
}

void select_mulwide(struct select *s, struct ir_inst *i)
{
    if (s->profile == PROFILE_PASCAL) {
        xmad_wide(s, wanted(s, i, 0), i);
        return;
    }
    struct source c = i->op == IR_MADWIDE ? source_pair_any(s, ir_operand(i, 2)) : source_unit(MACH_NONE, 2);
    struct mach_inst *m = begin3(s, OP_IMADW, wanted(s, i, 0), source_any(s, ir_operand(i, 0)),
                                 source_any(s, ir_operand(i, 1)), c);
    m->i.type = i->type;
    finish(s, m);
}

// Profile pascal: a multiply-add with carry as the product, then an addition with carry out (MADX: carry in,
// too).
static void select_madcc_apart(struct select *s, struct ir_inst *i)
{
    uint32_t product = mach_reg(s->f, 1);
    if (i->flags & INST_HI)
        xmad_high(s, product, ir_operand(i, 0), ir_operand(i, 1), i->type == TYPE_S32);
    else
        xmad_low(s, product, ir_operand(i, 0), ir_operand(i, 1), source_zero());
    struct source c = source_any(s, ir_operand(i, 2));
    if (i->op == IR_MADX)
        emit_addx(s, wanted(s, i, 0), source_unit(product, 1), c, source_pred(s, ir_operand(i, 3)),
                  wanted(s, i, 1));
    else
        emit_add(s, wanted(s, i, 0), source_unit(product, 1), c, wanted(s, i, 1));
}

void select_madcc(struct select *s, struct ir_inst *i)
{
    if (s->profile == PROFILE_PASCAL) {
        select_madcc_apart(s, i);
        return;
    }
    struct mach_inst *m = begin3(s, OP_IMAD, wanted(s, i, 0), source_any(s, ir_operand(i, 0)),
                                 source_any(s, ir_operand(i, 1)), source_any(s, ir_operand(i, 2)));
    m->i.type = i->type;
    m->i.flags |= i->flags & INST_HI;
    if (i->op == IR_MADX) set_carry_in(m, source_pred(s, ir_operand(i, 3)));
    set_carry_out(m, wanted(s, i, 1));
    finish(s, m);
}

// -- shifts and fields --------------------------------------------------------------------------------------

static void emit_shift(struct select *s, unsigned op, uint32_t dst, struct source a, struct source b,
                       unsigned type)
{
    struct mach_inst *i = begin(s, op);
    i->i.type = (uint8_t)(op == OP_SHR ? type : TYPE_NONE);
    set_dst(i, 0, dst, 1);
    set_src(i, 0, a);
    set_src(i, 1, b);
    finish(s, i);
}

static void emit_funnel(struct select *s, uint32_t dst, struct source low, struct source amount,
                        struct source high, unsigned mode, unsigned type, bool wrap)
{
    struct mach_inst *i = begin3(s, OP_SHF, dst, low, amount, high);
    i->i.mode = (uint8_t)mode;
    i->i.type = (uint8_t)type;
    i->i.flags = wrap ? INST_WRAP : 0;
    finish(s, i);
}

// Left shift: the funnel shift makes the high word, a plain shift the low word; right shift: vice versa.
// Shift amounts above 64 count as 64.
static void select_shift64(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    bool left = i->op == IR_SHL;
    unsigned type = i->type == TYPE_S64 ? TYPE_S64 : TYPE_U64;
    struct source low = source_half(s, ir_operand(i, 0), LOW), high = source_half(s, ir_operand(i, 0), HIGH);
    struct source amount = source_any(s, ir_operand(i, 1));
    emit_funnel(s, left ? dst + 1 : dst, low, amount, high, left ? MODE_SHF_L : MODE_SHF_R,
                left ? TYPE_U64 : type, false);
    if (left)
        emit_shift(s, OP_SHL, dst, low, amount, TYPE_NONE);
    else
        emit_shift(s, OP_SHR, dst + 1, high, amount, type == TYPE_S64 ? TYPE_S32 : TYPE_U32);
}

void select_shift(struct select *s, struct ir_inst *i)
{
    if (inst_is_wide(i)) {
        if (!select_shifted_pair(s, i)) select_shift64(s, i);
        return;
    }
    unsigned type = i->type == TYPE_S32 ? TYPE_S32 : TYPE_U32;
    emit_shift(s, i->op == IR_SHL ? OP_SHL : OP_SHR, wanted(s, i, 0), source_any(s, ir_operand(i, 0)),
               source_any(s, ir_operand(i, 1)), type);
}

void select_funnel(struct select *s, struct ir_inst *i)
{
    unsigned type = i->type == TYPE_U64 || i->type == TYPE_S64 ? i->type : TYPE_U32;
    emit_funnel(s, wanted(s, i, 0), source_any(s, ir_operand(i, 0)), source_any(s, ir_operand(i, 2)),
                source_any(s, ir_operand(i, 1)), i->mode, type, (i->flags & INST_WRAP) != 0);
}

static void emit_prmt(struct select *s, uint32_t dst, struct source a, struct source selector,
                      struct source c, unsigned mode)
{
    struct mach_inst *i = begin3(s, OP_PRMT, dst, a, selector, c);
    i->i.mode = (uint8_t)mode;
    finish(s, i);
}

void select_prmt(struct select *s, struct ir_inst *i)
{
    emit_prmt(s, wanted(s, i, 0), source_any(s, ir_operand(i, 0)), source_any(s, ir_operand(i, 2)),
              source_any(s, ir_operand(i, 1)), i->mode);
}

// Volta and later have neither BFE nor BFI. A field at a constant place within the word is taken out by PRMT, if
// of whole bytes, or by a shift and a mask (an extension, for signed fields), and put in by PRMT, if of whole
// bytes. Other fields are put in by BFI: ptxas has a shift and a LOP3 in two pipes, at the rate of one instruction.
struct field {
    unsigned position, length;
};

static bool is_fixed(const struct select *s, struct ir_value *position, struct ir_value *length,
                     struct field *f)
{
    uint64_t p, l;
    if (s->profile != PROFILE_SASS || !constant_of(position, &p) || !constant_of(length, &l)) return false;
    *f = (struct field){p & 0xff, l & 0xff};
    return f->length && f->position + f->length <= 32;
}

static bool is_of_bytes(const struct field *f) { return f->position % 8 == 0 && f->length % 8 == 0; }

// PRMT's selector: byte k of the result is byte k - `to` + `from` of the first word for `length` bits, in other
// places byte k of the second word, or, without a second word, zero.
static uint32_t bytes_selector(unsigned from, unsigned to, unsigned length, bool second)
{
    uint32_t selector = 0;
    for (unsigned k = 0; k < 4; k++) {
        bool inside = 8 * k >= to && 8 * k < to + length;
        selector |= (inside ? k - to / 8 + from / 8 : second ? 4 + k : 7) << 4 * k;
    }
    return selector;
}

static void extract(struct select *s, uint32_t dst, struct ir_value *x, const struct field *f, bool is_signed)
{
    bool at_end = f->position + f->length == 32;
    struct source shifted = source_reg(s, x);
    if (is_of_bytes(f) && !is_signed && !at_end) {
        emit_prmt(s, dst, shifted, source_imm(bytes_selector(f->position, 0, f->length, false)),
                  source_zero(), MODE_NONE);
        return;
    }
    if (f->position) {
        uint32_t unit = at_end ? dst : mach_reg(s->f, 1);
        emit_shift(s, OP_SHR, unit, shifted, source_imm(f->position), is_signed ? TYPE_S32 : TYPE_U32);
        shifted = source_unit(unit, 1);
    }
    if (at_end && f->position) return;
    if (!is_signed) {
        emit_lop3(s, dst, shifted, source_imm((uint32_t)bit_mask(f->length)), source_zero(), LUT_AND);
        return;
    }
    struct mach_inst *m = begin(s, OP_SGXT);
    m->i.type = TYPE_S32;
    set_dst(m, 0, dst, 1);
    set_src(m, 0, shifted);
    set_src(m, 1, source_imm(f->length));
    finish(s, m);
}

void select_bfe(struct select *s, struct ir_inst *i)
{
    struct field f;
    if (is_fixed(s, ir_operand(i, 1), ir_operand(i, 2), &f)) {
        extract(s, wanted(s, i, 0), ir_operand(i, 0), &f, i->type == TYPE_S32);
        return;
    }
    struct mach_inst *m = begin(s, OP_BFE);
    struct source length = source_any(s, ir_operand(i, 2));
    if (length.o.kind == OPERAND_CONST || length.o.kind == OPERAND_SHARED) length = in_register(s, length);
    m->i.type = i->type == TYPE_S32 ? TYPE_S32 : TYPE_U32;
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0, source_any(s, ir_operand(i, 0)));
    set_src(m, 1, source_any(s, ir_operand(i, 1)));
    set_src(m, 2, length);
    finish(s, m);
}

// Position and length of a bit field in one operand, as BFI requires: position in byte 0, length in byte 1.
static struct source pack_field(struct select *s, struct ir_value *position, struct ir_value *length)
{
    uint64_t p, l;
    if (constant_of(position, &p) && constant_of(length, &l))
        return source_imm((uint32_t)((p & 0xff) | (l & 0xff) << 8));
    uint32_t low = mach_reg(s->f, 1), both = mach_reg(s->f, 1);
    emit_prmt(s, low, source_reg(s, position), source_imm(0x4440), source_zero(), MODE_NONE);
    emit_prmt(s, both, source_unit(low, 1), source_imm(0x2240), source_reg(s, length), MODE_NONE);
    return source_unit(both, 1);
}

void select_bfi(struct select *s, struct ir_inst *i)
{
    struct field f;
    if (is_fixed(s, ir_operand(i, 2), ir_operand(i, 3), &f) && is_of_bytes(&f)) {
        emit_prmt(s, wanted(s, i, 0), source_reg(s, ir_operand(i, 0)),
                  source_imm(bytes_selector(0, f.position, f.length, true)), source_reg(s, ir_operand(i, 1)),
                  MODE_NONE);
        return;
    }
    struct source field = pack_field(s, ir_operand(i, 2), ir_operand(i, 3));
    emit3(s, OP_BFI, wanted(s, i, 0), source_any(s, ir_operand(i, 0)), field,
          source_any(s, ir_operand(i, 1)));
}

// Sign or zero extension of the low byte or half word of `a` to 32 bits, in one instruction.
static void emit_extend(struct select *s, uint32_t dst, struct source a, unsigned type)
{
    a = in_register(s, a);
    switch (type) {
    case TYPE_U8: emit_lop3(s, dst, a, source_imm(0xff), source_zero(), LUT_AND); break;
    case TYPE_U16: emit_lop3(s, dst, a, source_imm(0xffff), source_zero(), LUT_AND); break;
    case TYPE_S8: emit_prmt(s, dst, a, source_imm(0x8880), source_zero(), MODE_NONE); break;
    case TYPE_S16: emit_prmt(s, dst, a, source_imm(0x9910), source_zero(), MODE_NONE); break;
    default: copy_to(s, dst, a);
    }
}

// Puts v into `unit`. If v is not yet requested and the only result of an unguarded instruction, v is defined
// there directly, except of some operations (PHI, LO, BANK, CALL …). Any other value is copied.
static void place(struct select *s, uint32_t unit, struct ir_value *v)
{
    v = strip(v);
    enum ir_op op = v->def ? v->def->op : IR_PHI;
    bool free_to_choose = !v->is_constant && !v->is_param && s->units[v->id] == MACH_NONE && v->def &&
                          v->def->def_count == 1 && op != IR_PHI && op != IR_LO && op != IR_HI &&
                          op != IR_UNDEF && op != IR_CALL && op != IR_CALLR && op != IR_BANK &&
                          op != IR_FRAME && !v->def->guard.value;
    if (free_to_choose)
        s->units[v->id] = unit;
    else
        move_to(s, unit, source_any(s, v));
}

// True if operand 0 is an unguarded load of one value of the type to extend from: the load extends by itself.
// If i is the only user, a load of the same size is changed to the type.
static bool is_extended_already(struct select *s, struct ir_inst *i)
{
    struct ir_inst *load = def_of(ir_operand(i, 0), IR_LOAD);
    if (!load || load->def_count != 1 || load->guard.value) return false;
    if (load->type == i->type2) return true;
    bool same_size = isa_type_bytes((enum isa_type)load->type) == isa_type_bytes((enum isa_type)i->type2);
    if (!same_size || load->defs[0]->use_count != 1 || s->units[load->defs[0]->id] != MACH_NONE) return false;
    load->type = i->type2; // no other user
    return true;
}

void select_extend(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    if (is_extended_already(s, i))
        place(s, dst, ir_operand(i, 0));
    else
        emit_extend(s, dst, source_any(s, ir_operand(i, 0)), i->type2);
    if (!inst_is_wide(i)) return;
    if (i->op == IR_ZEXT)
        move_to(s, dst + 1, source_zero());
    else
        emit_shift(s, OP_SHR, dst + 1, source_unit(dst, 1), source_imm(31), TYPE_S32);
}

// -- the rest -----------------------------------------------------------------------------------------------

static void emit_unary(struct select *s, struct ir_inst *i, unsigned op, uint32_t dst, struct source a,
                       unsigned type)
{
    struct mach_inst *m = begin(s, op);
    if (op == OP_FLO) {
        m->i.type = (uint8_t)type;
        m->i.mode = i->mode;
    }
    if (op == OP_I2I) {
        m->i.type = i->type;
        m->i.type2 = i->type2;
        m->i.flags |= INST_SAT;
    }
    set_dst(m, 0, dst, 1);
    set_src(m, 0, a);
    finish(s, m);
}

static void emit_select(struct select *s, uint32_t dst, struct source yes, struct source no,
                        struct source predicate)
{
    emit3(s, OP_SEL, dst, yes, no, predicate);
}

static struct source is_negative(struct select *s, struct source word)
{
    struct source p = source_true();
    struct mach_inst *m = begin(s, OP_ISETP);
    p.unit = mach_pred(s->f);
    m->i.type = TYPE_S32;
    m->i.cmp = CMP_LT;
    set_dst_pred(m, 0, p.unit);
    set_dst_pred(m, 1, MACH_NONE);
    set_src(m, 0, word);
    set_src(m, 1, source_zero());
    set_src(m, 2, source_true());
    finish(s, m);
    return p;
}

// |a| is 0 - a if the high word is negative, else a.
static void select_abs64(struct select *s, uint32_t dst, struct source low, struct source high)
{
    uint32_t negative = mach_reg(s->f, 2);
    emit_neg64(s, negative, low, high);
    struct source p = is_negative(s, in_register(s, high));
    emit_select(s, dst, source_unit(negative, 1), low, p);
    emit_select(s, dst + 1, source_unit(negative + 1, 1), high, p);
}

// Position of the leading one in 64 bits: from the high word, or from the low word if the high word is zero.
// For signed numbers it is the leading bit unlike the sign; a negative number is complemented first.
static void select_flo64(struct select *s, struct ir_inst *i, struct source low, struct source high)
{
    uint32_t dst = wanted(s, i, 0), from_low = mach_reg(s->f, 1), from_high = mach_reg(s->f, 1),
             sum = mach_reg(s->f, 1);
    bool shift = i->mode == MODE_FLO_SH;
    if (i->type == TYPE_S64) {
        uint32_t sign = mach_reg(s->f, 1), turned = mach_reg(s->f, 2);
        emit_shift(s, OP_SHR, sign, high, source_imm(31), TYPE_S32);
        emit_lop3(s, turned, low, source_unit(sign, 1), source_zero(), LUT_XOR);
        emit_lop3(s, turned + 1, high, source_unit(sign, 1), source_zero(), LUT_XOR);
        low = source_unit(turned, 1);
        high = source_unit(turned + 1, 1);
    }
    emit_unary(s, i, OP_FLO, from_low, low, TYPE_U32);
    emit_unary(s, i, OP_FLO, from_high, high, TYPE_U32);
    // 32 is added to a position found in the high word, or in shift-amount mode to an amount found in the low
    // word; -1 (no bit set in the word) stays.
    struct source none = source_true();
    struct mach_inst *m = begin(s, OP_ISETP);
    none.unit = mach_pred(s->f);
    m->i.type = TYPE_S32;
    m->i.cmp = CMP_LT;
    set_dst_pred(m, 0, none.unit);
    set_dst_pred(m, 1, MACH_NONE);
    set_src(m, 0, source_unit(shift ? from_low : from_high, 1));
    set_src(m, 1, source_zero());
    set_src(m, 2, source_true());
    finish(s, m);
    emit_add(s, sum, source_unit(shift ? from_low : from_high, 1), source_imm(32), MACH_NONE);
    if (!shift) {
        emit_select(s, dst, source_unit(from_low, 1), source_unit(sum, 1), none);
        return;
    }
    uint32_t moved = mach_reg(s->f, 1);
    emit_select(s, moved, source_unit(from_low, 1), source_unit(sum, 1), none);
    struct source p = is_negative(s, source_unit(from_high, 1));
    emit_select(s, dst, source_unit(moved, 1), source_unit(from_high, 1), p);
}

void select_unary(struct select *s, struct ir_inst *i)
{
    unsigned op = select_table[i->op].op[0];
    uint32_t dst = wanted(s, i, 0);
    struct ir_value *a = ir_operand(i, 0);
    if (!inst_is_wide(i)) {
        emit_unary(s, i, op, dst, source_any(s, a), i->type == TYPE_S32 ? TYPE_S32 : TYPE_U32);
        return;
    }
    struct source low = source_half(s, a, LOW), high = source_half(s, a, HIGH);
    if (op == OP_IABS) {
        select_abs64(s, dst, low, high);
    } else if (op == OP_FLO) {
        select_flo64(s, i, low, high);
    } else if (op == OP_BREV) {
        emit_unary(s, i, op, dst, high, TYPE_U32);
        emit_unary(s, i, op, dst + 1, low, TYPE_U32);
    } else { // POPC
        uint32_t part = mach_reg(s->f, 2);
        emit_unary(s, i, op, part, low, TYPE_U32);
        emit_unary(s, i, op, part + 1, high, TYPE_U32);
        emit_add(s, dst, source_unit(part, 1), source_unit(part + 1, 1), MACH_NONE);
    }
}

// A 64-bit comparison and one select per half.
static void select_minmax64(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
    struct compare c = {BOOL_AND, mach_pred(s->f), MACH_NONE, source_true()};
    struct ir_inst comparison = *i;
    comparison.cmp = i->op == IR_MIN ? CMP_LT : CMP_GT;
    select_compare(s, &comparison, &c);
    struct source p = source_predicate(c.p);
    for (unsigned h = 0; h < 2; h++)
        emit_select(s, dst + h, source_half(s, a, (enum half)h), source_half(s, b, (enum half)h), p);
}

void select_minmax(struct select *s, struct ir_inst *i)
{
    if (inst_is_wide(i)) {
        select_minmax64(s, i);
        return;
    }
    struct mach_inst *m = begin(s, OP_IMNMX);
    m->i.type = i->type == TYPE_S32 ? TYPE_S32 : TYPE_U32;
    m->i.mode = i->op == IR_MIN ? MODE_MIN : MODE_MAX;
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0, source_any(s, ir_operand(i, 0)));
    set_src(m, 1, source_any(s, ir_operand(i, 1)));
    finish(s, m);
}

void select_dot(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_IDP);
    m->i.type = isa_type_is_signed((enum isa_type)i->type) ? TYPE_S8 : TYPE_U8;
    m->i.type2 = isa_type_is_signed((enum isa_type)i->type2) ? TYPE_S8 : TYPE_U8;
    m->i.mode = i->mode;
    set_dst(m, 0, wanted(s, i, 0), 1);
    for (unsigned k = 0; k < 3; k++) set_src(m, k, source_any(s, ir_operand(i, k)));
    finish(s, m);
}

static bool is_pair(const struct ir_value *v) { return v->class == IR_CLASS_64; }

void select_copy(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    struct ir_value *a = ir_operand(i, 0);
    if (i->defs[0]->class == IR_CLASS_PRED) {
        struct source o = source_pred(s, a);
        if (o.unit != MACH_NONE && o.o.flags & OPERAND_NOT)
            emit_plop3(s, dst, o, source_true(), source_true(), LUT_A);
        else
            copy_to(s, dst, o);
        return;
    }
    for (unsigned h = 0; h < (is_pair(a) ? 2u : 1u); h++)
        move_to(s, dst + h, is_pair(a) ? source_half(s, a, (enum half)h) : source_any(s, a));
}

void select_pack(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    if (select_shifted_pair(s, i)) return;
    place(s, dst, ir_operand(i, 0));
    place(s, dst + 1, ir_operand(i, 1));
}

// A word or pair of a constant bank (parameter, launch constant), or a symbol's address, requested in a
// register.
void select_bank(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    unsigned width = i->defs[0]->class == IR_CLASS_64 ? 2 : 1,
             first = i->op == IR_SYMBOL ? (unsigned)i->offset * 8 : (unsigned)i->offset;
    for (unsigned k = 0; k < width; k++) {
        struct operand o = {.kind = OPERAND_CONST,
                            .width = 1,
                            .bank = (uint8_t)(i->op == IR_SYMBOL ? BANK_ADDRESS : i->bank),
                            .value = (first & ~3u) + 4 * k};
        move_to(s, dst + k, (struct source){o, MACH_NONE});
    }
    if (first % 4) emit_shift(s, OP_SHR, dst, source_unit(dst, 1), source_imm(8 * (first % 4)), TYPE_U32);
}

void select_frame(struct select *s, struct ir_inst *i)
{
    struct source offset = source_imm((uint32_t)i->offset);
    if (s->ir->is_kernel) {
        move_to(s, wanted(s, i, 0), offset);
        return;
    }
    offset = (struct source){
        {.kind = OPERAND_IMM, .width = 1, .bank = MACH_FRAME, .value = (uint32_t)i->offset}, MACH_NONE};
    emit_add(s, wanted(s, i, 0), source_unit(mach_stack_pointer(s->f), 1), offset, MACH_NONE);
}

void select_sreg(struct select *s, struct ir_inst *i)
{
    bool wide = i->offset == SREG_CLOCK64 || i->offset == SREG_GLOBALTIMER;
    struct mach_inst *m = begin(s, wide ? OP_CS2R : OP_S2R);
    struct operand o = {.kind = OPERAND_SREG, .reg = (uint8_t)i->offset, .width = 1};
    set_dst(m, 0, wanted(s, i, 0), wide ? 2 : 1);
    set_src(m, 0, (struct source){o, MACH_NONE});
    finish(s, m);
}

void select_select(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    bool wide = i->defs[0]->class == IR_CLASS_64;
    if (!wide && (select_scaled_where(s, i) || select_guarded(s, i))) return;
    for (unsigned h = 0; h < (wide ? 2u : 1u); h++) {
        struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
        struct source left = wide ? source_half(s, a, (enum half)h) : source_any(s, a);
        struct source right = wide ? source_half(s, b, (enum half)h) : source_any(s, b);
        emit3(s, OP_SEL, dst + h, left, right, source_pred(s, ir_operand(i, 2)));
    }
}
