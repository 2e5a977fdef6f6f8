// Selection of sums. Three addends fit into IADD3, a shifted and an unshifted addend into LEA, the upper word of a
// shifted pair (a rotation, a word shifted right) and an addend into LEA.HI. Products with
// an addend are IMAD (select/integer.c). In 64-bit sums a predicate carries from the instruction of the low
// half to the instruction of the high half:
//
//     IADD3   d0, p = a0, b0, RZ            LEA      d0, p = (a0 << k) + b0
//     IADD3.X d1    = a1, b1, RZ, p         LEA.HI.X d1    = high(a1:a0 << k) + b1 + p
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/modes.h"
#include "isa/profile.h"

struct source source_negated(struct source o)
{
    if (source_is_imm(&o)) {
        o.o.value = 0u - o.o.value;
        return o;
    }
    if (!source_is_zero(&o)) o.o.flags ^= OPERAND_NEG;
    return o;
}

// Operand ~o by flag NEG: on an instruction with carry in (flag X), NEG means the bitwise complement.
static struct source complemented(struct source o)
{
    if (source_is_imm(&o)) return source_imm(~o.o.value);
    if (source_is_zero(&o))
        return (struct source){{.kind = OPERAND_IMM, .width = 1, .value = ~0u}, MACH_NONE};
    o.o.flags ^= OPERAND_NEG;
    return o;
}

void set_carry_out(struct mach_inst *i, uint32_t unit)
{
    if (unit == MACH_NONE) return;
    i->i.flags |= INST_CC;
    set_dst_pred(i, 1, unit);
}

void set_carry_in(struct mach_inst *i, struct source carry)
{
    i->i.flags |= INST_X;
    set_src(i, 3, carry);
}

void emit_add(struct select *s, uint32_t dst, struct source a, struct source b, uint32_t carry_out)
{
    struct mach_inst *i = begin3(s, OP_IADD3, dst, a, b, source_zero());
    set_carry_out(i, carry_out);
    finish(s, i);
}

void emit_addx(struct select *s, uint32_t dst, struct source a, struct source b, struct source carry,
               uint32_t out)
{
    struct mach_inst *i = begin3(s, OP_IADD3, dst, a, b, source_zero());
    set_carry_in(i, carry);
    set_carry_out(i, out);
    finish(s, i);
}

// -- 32 bits ------------------------------------------------------------------------------------------------

struct term {
    struct ir_value *value;
    bool negative;
};

struct sum {
    struct term terms[3];
    unsigned count;
    uint32_t constant;
};

static bool add_term(struct sum *sum, struct ir_value *v, bool negative)
{
    uint64_t bits;
    if (constant_of(v, &bits)) {
        sum->constant += negative ? 0u - (uint32_t)bits : (uint32_t)bits;
        return true;
    }
    if (sum->count == 3) return false;
    sum->terms[sum->count++] = (struct term){v, negative};
    return true;
}

// True if the value is a constant-bank operand, not a register.
static bool is_bank_operand(const struct select *s, struct ir_value *v)
{
    struct ir_inst *bank = def_of(v, IR_BANK);
    return bank && s->units[strip(v)->id] == MACH_NONE;
}

// True if the sum fits IADD3: at most three operands, at most one of them a constant or parameter.
static bool fits_add3(const struct select *s, const struct sum *sum)
{
    unsigned others = sum->constant != 0;
    for (unsigned k = 0; k < sum->count; k++) others += is_bank_operand(s, sum->terms[k].value);
    return sum->count + (sum->constant != 0) <= 3 && others <= 1;
}

// Replaces term k by the terms of its definition (ADD, SUB, NEG or NOT). False if the definition cannot be
// folded, or if the result does not fit IADD3.
static bool expand_term(struct select *s, struct sum *sum, unsigned k, struct ir_inst **used)
{
    struct term t = sum->terms[k];
    struct ir_inst *add = fold_of(s, t.value, IR_ADD), *sub = fold_of(s, t.value, IR_SUB);
    struct ir_inst *neg = fold_of(s, t.value, IR_NEG), *not = fold_of(s, t.value, IR_NOT);
    struct ir_inst *i = add ? add : sub ? sub : neg ? neg : not ;
    struct sum tried = *sum;
    if (!i) return false;
    tried.terms[k] = tried.terms[--tried.count];
    bool fits = true;
    if (add || sub) {
        fits = add_term(&tried, ir_operand(i, 0), t.negative) &&
               add_term(&tried, ir_operand(i, 1), t.negative != (sub != NULL));
    } else { // -x, or ~x = -x - 1
        fits = add_term(&tried, ir_operand(i, 0), !t.negative);
        if (not ) tried.constant -= t.negative ? ~0u : 1;
    }
    if (!fits || !fits_add3(s, &tried)) return false;
    *sum = tried;
    *used = i;
    return true;
}

static struct source term_source(struct select *s, const struct term *t)
{
    struct source o = source_any(s, t->value);
    return t->negative ? source_negated(o) : o;
}

// The SHL of x << k if k is a constant from 1 to 31 and the shift has no other user, else NULL.
static struct ir_inst *shifted(struct select *s, struct ir_value *v, uint64_t *amount)
{
    struct ir_inst *shl = fold_of(s, v, IR_SHL);
    return shl && constant_of(ir_operand(shl, 1), amount) && *amount > 0 && *amount < 32 ? shl : NULL;
}

// Emits (x << k) + y as LEA, y - (x << k) as LEA of -x (Pascal) or as the product with -2^k; false if the sum has
// a different form.
static bool emit_lea(struct select *s, uint32_t dst, const struct sum *sum)
{
    uint64_t amount;
    unsigned terms = sum->count + (sum->constant != 0);
    for (unsigned k = 0; k < sum->count && terms == 2; k++) {
        struct ir_inst *shl = shifted(s, sum->terms[k].value, &amount);
        bool negative = sum->terms[k].negative;
        if (!shl || is_bank_operand(s, ir_operand(shl, 0))) continue;
        struct source other = source_imm(sum->constant);
        if (sum->count == 2) other = term_source(s, &sum->terms[1 - k]);
        folded(s, shl);
        if (negative && s->profile != PROFILE_PASCAL) {
            emit3(s, OP_IMAD, dst, source_any(s, ir_operand(shl, 0)), source_imm(0u - (1u << amount)), other);
            return true;
        }
        struct mach_inst *i = begin(s, OP_LEA);
        i->i.shift = (uint8_t)amount;
        set_dst(i, 0, dst, 1);
        struct source x = source_reg(s, ir_operand(shl, 0));
        set_src(i, 0, negative ? source_negated(x) : x);
        set_src(i, 1, other);
        finish(s, i);
        return true;
    }
    return false;
}

// The shift behind v as the upper word of high:low << amount (amount from 1 to 31), if it has no other user: a
// funnel shift or a shift of a word to the right by a constant. A signed word (*extends): high is its sign, which
// Pascal's LEA.HI does not make. False: v is something else.
static bool is_upper_word(struct select *s, struct ir_value *v, struct ir_value **low, struct ir_value **high,
                          uint64_t *amount, bool *extends)
{
    struct ir_inst *funnel = fold_of(s, v, IR_FUNNEL), *shr = fold_of(s, v, IR_SHR),
                   *shift = funnel ? funnel : shr;
    if (!shift || !constant_of(ir_operand(shift, funnel ? 2 : 1), amount) || !*amount || *amount > 31)
        return false;
    *extends = shr && shr->type == TYPE_S32;
    if (shr ? shr->type != TYPE_U32 && shr->type != TYPE_S32
            : isa_type_bytes((enum isa_type)funnel->type) == 8)
        return false;
    if (*extends && s->profile == PROFILE_PASCAL) return false;
    *low = ir_operand(shift, 0);
    *high = funnel ? ir_operand(funnel, 1) : NULL;
    if (shr || funnel->mode == MODE_SHF_R) *amount = 32 - *amount;
    folded(s, shift);
    return true;
}

// Emits upper word of (high:low << k) + y as LEA.HI; false if the sum has a different form.
static bool emit_lea_high(struct select *s, uint32_t dst, const struct sum *sum)
{
    struct ir_value *low, *high;
    uint64_t amount;
    bool extends;
    if (sum->count + (sum->constant != 0) != 2) return false;
    for (unsigned k = 0; k < sum->count; k++) {
        if (sum->terms[k].negative || !is_upper_word(s, sum->terms[k].value, &low, &high, &amount, &extends))
            continue;
        struct source other = source_imm(sum->constant);
        if (sum->count == 2) other = term_source(s, &sum->terms[1 - k]);
        struct mach_inst *i = begin(s, OP_LEA);
        i->i.shift = (uint8_t)amount;
        i->i.flags = (uint16_t)(INST_HI | (extends ? INST_SX : 0));
        set_dst(i, 0, dst, 1);
        set_src(i, 0, source_reg(s, low));
        set_src(i, 1, other);
        if (!extends) set_src(i, 2, high ? source_reg(s, high) : source_zero());
        finish(s, i);
        return true;
    }
    return false;
}

static void select_add32(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    struct sum sum = {.count = 0};
    add_term(&sum, ir_operand(i, 0), i->op == IR_NEG);
    if (i->op != IR_NEG) add_term(&sum, ir_operand(i, 1), i->op == IR_SUB);
    for (unsigned k = 0; k < sum.count && s->profile != PROFILE_PTXPLUS;) {
        struct ir_inst *used;
        if (expand_term(s, &sum, k, &used)) {
            folded(s, used);
            k = 0;
        } else {
            k++;
        }
    }
    if (s->profile != PROFILE_PTXPLUS && (emit_lea(s, dst, &sum) || emit_lea_high(s, dst, &sum))) return;
    struct source o[3] = {source_zero(), source_zero(), source_zero()};
    unsigned count = 0;
    for (unsigned k = 0; k < sum.count; k++) o[count++] = term_source(s, &sum.terms[k]);
    if (sum.constant) o[count++] = source_imm(sum.constant);
    emit3(s, OP_IADD3, dst, o[0], o[1], o[2]);
}

// -- 64 bits ------------------------------------------------------------------------------------------------

struct shifted {                 // a 64-bit value << amount
    struct ir_value *narrow;     // extends != TYPE_NONE: the value before its extension to 64 bits
    struct ir_value *wide;       // a 64-bit value; or
    struct ir_value *low, *high; // two halves
    unsigned amount, extends;
};

static void find_extension(struct shifted *x)
{
    uint64_t bits;
    struct ir_inst *zext = x->wide ? def_of(x->wide, IR_ZEXT) : NULL,
                   *sext = x->wide ? def_of(x->wide, IR_SEXT) : NULL;
    if (zext && zext->type2 == TYPE_U32) x->extends = TYPE_U32, x->narrow = ir_operand(zext, 0);
    if (sext && sext->type2 == TYPE_S32) x->extends = TYPE_S32, x->narrow = ir_operand(sext, 0);
    if (x->wide) return;
    struct ir_inst *sign = def_of(x->high, IR_SHR);
    if (constant_of(x->high, &bits) && !bits) x->extends = TYPE_U32, x->narrow = x->low;
    if (sign && sign->type == TYPE_S32 && strip(ir_operand(sign, 0)) == x->low &&
        constant_of(ir_operand(sign, 1), &bits) && bits == 31)
        x->extends = TYPE_S32, x->narrow = x->low;
}

// Matches SHL by a constant of 1 to 30, or its expansion {funnel(low, high, k) : low << k} if the parts have
// no other user. False: any other form, or profile ptxplus.
static bool match_shift(struct select *s, const struct ir_inst *i, struct shifted *x)
{
    uint64_t amount, other;
    *x = (struct shifted){.extends = TYPE_NONE};
    if (i->op == IR_SHL && inst_is_wide(i)) {
        if (!constant_of(ir_operand(i, 1), &amount)) return false;
        x->wide = strip(ir_operand(i, 0));
    } else {
        struct ir_inst *shl = i->op == IR_PACK ? fold_of(s, ir_operand(i, 0), IR_SHL) : NULL;
        struct ir_inst *funnel = i->op == IR_PACK ? fold_of(s, ir_operand(i, 1), IR_FUNNEL) : NULL;
        if (!shl || !funnel || funnel->mode != MODE_SHF_L || funnel->flags & INST_WRAP) return false;
        if (!constant_of(ir_operand(shl, 1), &amount) || !constant_of(ir_operand(funnel, 2), &other))
            return false;
        x->low = strip(ir_operand(shl, 0));
        x->high = strip(ir_operand(funnel, 1));
        if (amount != other || x->low != strip(ir_operand(funnel, 0))) return false;
    }
    x->amount = (unsigned)amount;
    find_extension(x);
    return s->profile != PROFILE_PTXPLUS && amount >= 1 && amount <= 30;
}

static void emit_multiply(struct select *s, uint32_t dst, const struct shifted *x, struct source addend)
{
    struct source factor = source_imm(1u << x->amount);
    struct mach_inst *i = begin3(s, OP_IMADW, dst, source_any(s, x->narrow), factor, addend);
    i->i.type = (uint8_t)x->extends;
    finish(s, i);
}

// Selects a shifted pair with an extended 32-bit value: one wide product instead of two shifts. False: a
// different form, or profile pascal or ptxplus.
bool select_shifted_pair(struct select *s, struct ir_inst *i)
{
    struct shifted x;
    if (s->profile == PROFILE_PASCAL || !match_shift(s, i, &x) || x.extends == TYPE_NONE) return false;
    emit_multiply(s, wanted(s, i, 0), &x, source_unit(MACH_NONE, 2));
    return true;
}

static bool emit_shifted_add64(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b)
{
    struct ir_inst *pack = fold_of(s, a, IR_PACK), *shl = fold_of(s, a, IR_SHL), *shift = pack ? pack : shl;
    struct shifted x;
    if (!shift || !match_shift(s, shift, &x)) return false;
    if (s->profile == PROFILE_PASCAL && x.extends != TYPE_NONE) return false;
    folded(s, shift);
    if (x.extends != TYPE_NONE) {
        emit_multiply(s, dst, &x, source_pair_any(s, b));
        return true;
    }
    struct source low = in_register(s, x.wide ? source_half(s, x.wide, LOW) : source_any(s, x.low));
    struct source high = in_register(s, x.wide ? source_half(s, x.wide, HIGH) : source_any(s, x.high));
    uint32_t carry = mach_pred(s->f);
    struct mach_inst *i = begin(s, OP_LEA);
    i->i.shift = (uint8_t)x.amount;
    set_dst(i, 0, dst, 1);
    set_src(i, 0, low);
    set_src(i, 1, source_half(s, b, LOW));
    set_carry_out(i, carry);
    finish(s, i);
    i = begin(s, OP_LEA);
    i->i.shift = (uint8_t)x.amount;
    i->i.flags = INST_HI;
    set_dst(i, 0, dst + 1, 1);
    set_src(i, 0, low);
    set_src(i, 1, source_half(s, b, HIGH));
    set_src(i, 2, high);
    set_carry_in(i, source_predicate(carry));
    finish(s, i);
    return true;
}

static void emit_add64(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, bool subtract)
{
    uint64_t bits;
    if (!subtract && (emit_shifted_add64(s, dst, a, b) || emit_shifted_add64(s, dst, b, a))) return;
    struct source low = source_half(s, b, LOW), high = source_half(s, b, HIGH);
    struct source a_low = source_half(s, a, LOW), a_high = source_half(s, a, HIGH);
    if (subtract && constant_of(b, &bits)) {
        low = source_imm((uint32_t)(0 - bits));
        high = source_imm((uint32_t)((0 - bits) >> 32));
        subtract = false;
    }
    if (source_is_zero(&low)) { // nothing to carry
        copy_to(s, dst, in_register(s, a_low));
        emit_add(s, dst + 1, a_high, subtract ? source_negated(high) : high, MACH_NONE);
        return;
    }
    uint32_t carry = mach_pred(s->f);
    emit_add(s, dst, a_low, subtract ? source_negated(low) : low, carry);
    emit_addx(s, dst + 1, a_high, subtract ? complemented(high) : high, source_predicate(carry), MACH_NONE);
}

void emit_neg64(struct select *s, uint32_t dst, struct source low, struct source high)
{
    uint32_t carry = mach_pred(s->f);
    // 0 - low with low = RZ: source_negated leaves RZ as is, so the sum would lack the carry of ~0 + 1.
    if (source_is_zero(&low)) {
        move_to(s, dst, source_zero());
        emit_add(s, dst + 1, source_zero(), source_negated(high), MACH_NONE);
        return;
    }
    emit_add(s, dst, source_zero(), source_negated(low), carry);
    emit_addx(s, dst + 1, source_zero(), complemented(high), source_predicate(carry), MACH_NONE);
}

// ADDCC SUBCC ADDX SUBX: sums with the carry as an IR value of its own.
void select_carry(struct select *s, struct ir_inst *i)
{
    bool subtract = i->op == IR_SUBCC || i->op == IR_SUBX, extended = i->op == IR_ADDX || i->op == IR_SUBX;
    struct source a = source_any(s, ir_operand(i, 0)), b = source_any(s, ir_operand(i, 1));
    if (subtract && extended) b = complemented(b);
    // a - b must carry as a + ~b + 1. For a constant b = 0, folding -b to 0 would lose the carry, so b goes
    // to a register and the hardware negates.
    if (subtract && !extended) {
        b = in_register(s, b);
        b.o.flags ^= OPERAND_NEG;
    }
    if (extended)
        emit_addx(s, wanted(s, i, 0), a, b, source_pred(s, ir_operand(i, 2)), wanted(s, i, 1));
    else
        emit_add(s, wanted(s, i, 0), a, b, wanted(s, i, 1));
}

void select_sums(struct select *s, struct ir_inst *i)
{
    uint32_t dst = wanted(s, i, 0);
    if (!inst_is_wide(i))
        select_add32(s, i);
    else if (i->op == IR_NEG)
        emit_neg64(s, dst, source_half(s, ir_operand(i, 0), LOW), source_half(s, ir_operand(i, 0), HIGH));
    else
        emit_add64(s, dst, ir_operand(i, 0), ir_operand(i, 1), i->op == IR_SUB);
}
