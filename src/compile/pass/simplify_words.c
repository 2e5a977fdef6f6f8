// Rules for values made of words: extensions, packing and unpacking of 64-bit values. If only the low word is
// read, it is computed in 32 bits.
#include "compile/pass/simplify.h"

#include "base/bits.h"

static struct ir_value *low_of(struct builder *b, struct ir_value *v)
{
    return build1(b, IR_LO, TYPE_NONE, v);
}

// Half of a 64-bit value in a constant bank: the 32-bit word `offset` bytes after the start of the value.
static struct ir_value *part_of_bank(struct ir_inst *i, const struct ir_inst *bank, int64_t offset)
{
    struct builder b = builder_at(i);
    struct ir_value *v = ir_emit_before(i, IR_BANK, (enum isa_type)TYPE_NONE, IR_CLASS_32, 0, NULL, &b.made);
    b.made->bank = bank->bank;
    b.made->offset = bank->offset + offset;
    return v;
}

// lo(x op y) = lo x op lo y, for operations with a low word that depends on low words alone. Also a right
// shift by 32 or more, from the high word. NULL: any other operation.
static struct ir_value *narrow_low(struct ir_inst *i, struct ir_inst *inner)
{
    struct builder b = builder_at(i);
    struct ir_value *x = inner->use_count > 0 ? ir_operand(inner, 0) : NULL,
                    *y = inner->use_count > 1 ? ir_operand(inner, 1) : NULL;
    uint64_t n;
    switch ((int)inner->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL: return build2(&b, inner->op, TYPE_U32, low_of(&b, x), low_of(&b, y));
    case IR_AND:
    case IR_OR:
    case IR_XOR: return build2(&b, inner->op, TYPE_B32, low_of(&b, x), low_of(&b, y));
    case IR_NEG: return build1(&b, IR_NEG, TYPE_U32, low_of(&b, x));
    case IR_NOT: return build1(&b, IR_NOT, TYPE_B32, low_of(&b, x));
    case IR_SHL:
        return build2(&b, IR_SHL, TYPE_U32, low_of(&b, x), y); // an amount of 32 to 63 clears the low word
    case IR_SHR:
        if (ir_constant_bits(y, &n) && n == 32) return build1(&b, IR_HI, TYPE_NONE, x);
        if (ir_constant_bits(y, &n) && n > 32 && n < 64)
            return build2(&b, IR_SHR, isa_type_is_signed((enum isa_type)inner->type) ? TYPE_S32 : TYPE_U32,
                          build1(&b, IR_HI, TYPE_NONE, x), build_u32(&b, (uint32_t)n - 32));
        return NULL;
    case IR_MULWIDE: return build2(&b, IR_MUL, TYPE_U32, x, y);
    case IR_MADWIDE: return build3(&b, IR_MAD, TYPE_U32, x, y, low_of(&b, ir_operand(inner, 2)));
    case IR_SELECT: return build_select(&b, ir_operand(inner, 2), low_of(&b, x), low_of(&b, y));
    }
    return NULL;
}

static struct ir_value *rule_low(struct ir_inst *i)
{
    struct ir_inst *inner = ir_operand(i, 0)->def;
    if (!inner) return NULL;
    struct builder b = builder_at(i);
    switch ((int)inner->op) {
    case IR_PACK: return ir_operand(inner, 0);
    case IR_BANK: return part_of_bank(i, inner, 0);
    case IR_ZEXT:
    case IR_SEXT:
        if (isa_type_bytes((enum isa_type)inner->type2) == 4) return ir_operand(inner, 0);
        return build_extend(&b, (enum isa_type)inner->type2, TYPE_U32, ir_operand(inner, 0));
    }
    return ir_operand(i, 0)->use_count == 1 ? narrow_low(i, inner) : NULL;
}

static struct ir_value *rule_high(struct ir_inst *i)
{
    struct ir_inst *inner = ir_operand(i, 0)->def;
    if (!inner) return NULL;
    struct builder b = builder_at(i);
    bool once = ir_operand(i, 0)->use_count == 1;
    uint64_t n;
    switch ((int)inner->op) {
    case IR_PACK: return ir_operand(inner, 1);
    case IR_BANK: return part_of_bank(i, inner, 4);
    case IR_ZEXT: return build_u32(&b, 0);
    case IR_SEXT:
        if (inner->type2 != TYPE_S32) return NULL;
        return build2(&b, IR_SHR, TYPE_S32, ir_operand(inner, 0), build_u32(&b, 31));
    case IR_MULWIDE:
        return once ? build2(&b, IR_MULHI, (enum isa_type)inner->type, ir_operand(inner, 0),
                             ir_operand(inner, 1))
                    : NULL;
    case IR_AND:
    case IR_OR:
    case IR_XOR:
        if (!once) return NULL;
        return build2(&b, inner->op, TYPE_B32, build1(&b, IR_HI, TYPE_NONE, ir_operand(inner, 0)),
                      build1(&b, IR_HI, TYPE_NONE, ir_operand(inner, 1)));
    case IR_SHL:
        if (!once || !ir_constant_bits(ir_operand(inner, 1), &n) || n < 32 || n >= 64) return NULL;
        return build2(&b, IR_SHL, TYPE_U32, low_of(&b, ir_operand(inner, 0)),
                      build_u32(&b, (uint32_t)n - 32));
    }
    return NULL;
}

static struct ir_value *rule_pack(struct ir_inst *i)
{
    struct builder b = builder_at(i);
    struct ir_value *low = ir_operand(i, 0), *high = ir_operand(i, 1);
    struct ir_inst *from_low = simplify_match(low, IR_LO), *from_high = simplify_match(high, IR_HI), *sign;
    uint64_t n;
    if (from_low && from_high && ir_operand(from_low, 0) == ir_operand(from_high, 0))
        return ir_operand(from_low, 0);
    if (ir_constant_bits(high, &n) && !n) return build_extend(&b, TYPE_U32, TYPE_U64, low);
    if ((sign = simplify_match_constant(high, IR_SHR, &n)) && n == 31 && sign->type == TYPE_S32 &&
        ir_operand(sign, 0) == low)
        return build_extend(&b, TYPE_S32, TYPE_S64, low);
    return NULL;
}

// Removes an extension of an operand that already has the extended value. The bits above the narrow type (for
// SEXT the sign bit, too) are then known to be 0. SEXT of a sign bit known to be 0 becomes ZEXT. Two
// extensions, one of the other, become one.
static struct ir_value *rule_extend(struct simplify *s, struct ir_inst *i)
{
    struct builder b = builder_at(i);
    struct ir_value *x = ir_operand(i, 0);
    enum isa_type from = (enum isa_type)i->type2;
    unsigned bits = 8 * isa_type_bytes(from);
    struct known_bits k = known_of(&s->known, x);
    uint64_t above = UINT32_MAX & ~bit_mask(bits); // of the word
    bool top_clear = k.zeros >> (bits - 1) & 1;
    bool is_plain = i->op == IR_ZEXT ? !(above & ~k.zeros) : top_clear && !(above & ~k.zeros);
    if (bits < 32 && is_plain) return simplify_is_wide(i) ? build_extend(&b, TYPE_U32, TYPE_U64, x) : x;
    if (i->op == IR_SEXT && top_clear) {
        static const enum isa_type unsigned_of[] = {[1] = TYPE_U8, [2] = TYPE_U16, [4] = TYPE_U32};
        return build_extend(&b, unsigned_of[bits / 8], simplify_unsigned(i), x);
    }
    if (bits == 32 && !simplify_is_wide(i)) return x;
    // the outer extension suffices
    struct ir_inst *inner = simplify_match(x, IR_ZEXT);
    if (!inner) inner = simplify_match(x, IR_SEXT);
    if (inner && !simplify_is_wide(inner) && isa_type_bytes((enum isa_type)inner->type2) >= bits / 8)
        return build_extend(&b, from, (enum isa_type)i->type, ir_operand(inner, 0));
    if (inner && inner->op == i->op && !simplify_is_wide(inner))
        return build_extend(&b, (enum isa_type)inner->type2, (enum isa_type)i->type, ir_operand(inner, 0));
    return NULL;
}

struct ir_value *simplify_words(struct simplify *s, struct ir_inst *i)
{
    switch ((int)i->op) {
    // A kernel's frame starts at local address 0, so late passes make FRAME a constant; early passes tell
    // variables apart by FRAME.
    case IR_FRAME:
        return s->late && s->f->is_kernel ? ir_constant(s->f, IR_CLASS_32, (uint64_t)i->offset) : NULL;
    case IR_LO: return rule_low(i);
    case IR_HI: return rule_high(i);
    case IR_PACK: return rule_pack(i);
    case IR_ZEXT:
    case IR_SEXT: return rule_extend(s, i);
    }
    return NULL;
}
