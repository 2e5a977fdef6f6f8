// Rules for integer arithmetic, bitwise operations and shifts. Constants are second operands and move
// outwards,
//
//     (x + c) + y  ▶  (x + y) + c     (x + c) * d  ▶  x * d + c * d     (x + c) << n  ▶  (x << n) + (c << n)
//
// so that constants combine and, in an address, end up in the offset of the access. Multiply-adds are split
// and combined again late (simplify_late.c).
#include "compile/pass/simplify.h"

#include "base/bits.h"
#include "compile/ir/options.h"
#include "isa/profile.h"

static struct ir_value *sum(struct ir_inst *i, struct ir_value *x, struct ir_value *y)
{
    struct builder b = builder_at(i);
    return build2(&b, IR_ADD, simplify_unsigned(i), x, y);
}

static struct ir_value *plus(struct ir_inst *i, struct ir_value *x, uint64_t constant)
{
    return sum(i, x, simplify_constant(i, constant));
}

static struct ir_value *binary(struct ir_inst *i, enum ir_op op, struct ir_value *x, struct ir_value *y)
{
    struct builder b = builder_at(i);
    return build2(&b, op, simplify_unsigned(i), x, y);
}

static struct ir_value *binary_constant(struct ir_inst *i, enum ir_op op, struct ir_value *x,
                                        uint64_t constant)
{
    bool shift = op == IR_SHL || op == IR_SHR;
    return binary(i, op, x,
                  shift ? ir_constant(i->function, IR_CLASS_32, constant) : simplify_constant(i, constant));
}

static struct ir_value *unary(struct ir_inst *i, enum ir_op op, struct ir_value *x)
{
    struct builder b = builder_at(i);
    return build1(&b, op, simplify_unsigned(i), x);
}

// -- sums ---------------------------------------------------------------------------------------------------

static struct ir_value *add_constant(struct simplify *s, struct ir_inst *i, uint64_t c)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_inst *inner;
    uint64_t d;
    if (!c) return x;
    // Broken on purpose: combines the constants of two additions by OR.
    if ((inner = simplify_match_constant(x, IR_ADD, &d)) && !simplify_is_step(inner))
        return plus(i, ir_operand(inner, 0), s->broken ? c | d : c + d);
    if ((inner = simplify_match(x, IR_SUB)) && ir_constant_bits(ir_operand(inner, 0), &d))
        return binary(i, IR_SUB, simplify_constant(i, c + d), ir_operand(inner, 1));
    if (c == 1 && (inner = simplify_match(x, IR_NOT))) return unary(i, IR_NEG, ir_operand(inner, 0));
    return NULL;
}

// (x + c) + y with other readers of x + c, too, as the address of accesses: c moves into their offsets, and x + y serves
// the accesses at other constants. Profile ptxplus has no offsets.
static bool is_base_of_accesses(const struct ir_inst *i, const struct ir_inst *inner)
{
    return simplify_is_wide(i) && i->function->unit->options->profile != PROFILE_PTXPLUS &&
           !simplify_is_step(inner) && simplify_is_address(i->defs[0]);
}

static struct ir_value *add_sides(struct ir_inst *i, struct ir_value *x, struct ir_value *y)
{
    struct ir_inst *inner;
    uint64_t c;
    if ((inner = simplify_match_constant(x, IR_ADD, &c)) &&
        (x->use_count == 1 || is_base_of_accesses(i, inner)))
        return plus(i, sum(i, ir_operand(inner, 0), y), c);
    if ((inner = simplify_match(x, IR_NEG))) return binary(i, IR_SUB, y, ir_operand(inner, 0));
    if ((inner = simplify_match(x, IR_SUB))) {
        if (ir_operand(inner, 1) == y) return ir_operand(inner, 0);
        if (x->use_count == 1 && ir_constant_bits(ir_operand(inner, 0), &c))
            return plus(i, binary(i, IR_SUB, y, ir_operand(inner, 1)), c);
    }
    return NULL;
}

static struct ir_value *rule_add(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1), *by;
    uint64_t c;
    if (ir_constant_bits(y, &c)) return add_constant(s, i, c);
    if ((by = add_sides(i, x, y))) return by;
    return add_sides(i, y, x);
}

static struct ir_value *subtract_from_constant(struct ir_inst *i, uint64_t c)
{
    struct ir_value *y = ir_operand(i, 1);
    struct ir_inst *inner;
    uint64_t d;
    if (!c) return unary(i, IR_NEG, y);
    if (c == simplify_mask(i)) return unary(i, IR_NOT, y);
    if ((inner = simplify_match_constant(y, IR_ADD, &d)))
        return binary(i, IR_SUB, simplify_constant(i, c - d), ir_operand(inner, 0));
    if ((inner = simplify_match(y, IR_SUB)) && ir_constant_bits(ir_operand(inner, 0), &d))
        return plus(i, ir_operand(inner, 1), c - d);
    return NULL;
}

static struct ir_value *rule_subtract(struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_inst *inner;
    uint64_t c;
    if (x == y) return simplify_constant(i, 0);
    if (ir_constant_bits(y, &c)) return plus(i, x, 0 - c);
    if (ir_constant_bits(x, &c)) return subtract_from_constant(i, c);
    if ((inner = simplify_match(y, IR_NEG))) return sum(i, x, ir_operand(inner, 0));
    if ((inner = simplify_match(x, IR_ADD))) {
        if (ir_operand(inner, 0) == y) return ir_operand(inner, 1);
        if (ir_operand(inner, 1) == y) return ir_operand(inner, 0);
        if (x->use_count == 1 && ir_constant_bits(ir_operand(inner, 1), &c))
            return plus(i, binary(i, IR_SUB, ir_operand(inner, 0), y), c);
    }
    if ((inner = simplify_match(y, IR_ADD))) {
        if (ir_operand(inner, 0) == x) return unary(i, IR_NEG, ir_operand(inner, 1));
        if (ir_operand(inner, 1) == x) return unary(i, IR_NEG, ir_operand(inner, 0));
        if (y->use_count == 1 && ir_constant_bits(ir_operand(inner, 1), &c))
            return plus(i, binary(i, IR_SUB, x, ir_operand(inner, 0)), 0 - c);
    }
    return NULL;
}

static struct ir_value *rule_negate(struct ir_inst *i)
{
    struct ir_inst *inner;
    if ((inner = simplify_match(ir_operand(i, 0), IR_NEG))) return ir_operand(inner, 0);
    if ((inner = simplify_match_once(ir_operand(i, 0), IR_SUB)))
        return binary(i, IR_SUB, ir_operand(inner, 1), ir_operand(inner, 0));
    return NULL;
}

// -- products -----------------------------------------------------------------------------------------------

static struct ir_value *rule_multiply(struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_inst *inner;
    uint64_t c, d;
    if (!ir_constant_bits(ir_operand(i, 1), &c)) return NULL;
    if (c == 0) return simplify_constant(i, 0);
    if (c == 1) return x;
    if (c == simplify_mask(i)) return unary(i, IR_NEG, x);
    if ((inner = simplify_match_constant(x, IR_MUL, &d)))
        return binary_constant(i, IR_MUL, ir_operand(inner, 0), c * d);
    if ((inner = simplify_match_constant(x, IR_SHL, &d)) && d < simplify_width(i))
        return binary_constant(i, IR_MUL, ir_operand(inner, 0), c << d);
    if ((inner = simplify_match(x, IR_NEG))) return binary_constant(i, IR_MUL, ir_operand(inner, 0), 0 - c);
    if (x->use_count == 1 && (inner = simplify_match_constant(x, IR_ADD, &d)))
        return plus(i, binary_constant(i, IR_MUL, ir_operand(inner, 0), c), c * d);
    if (is_power_of_two(c)) return binary_constant(i, IR_SHL, x, bit_lowest(c));
    return NULL;
}

static struct ir_value *rule_multiply_high(struct ir_inst *i)
{
    uint64_t c;
    bool is_signed = isa_type_is_signed((enum isa_type)i->type);
    if (!ir_constant_bits(ir_operand(i, 1), &c)) return NULL;
    if (c == 0 || (c == 1 && !is_signed)) return simplify_constant(i, 0);
    if (!is_signed && is_power_of_two(c))
        return binary_constant(i, IR_SHR, ir_operand(i, 0), simplify_width(i) - bit_lowest(c));
    return NULL;
}

static struct ir_value *rule_multiply_wide(struct ir_inst *i)
{
    struct builder b = builder_at(i);
    enum isa_type type = (enum isa_type)i->type;
    uint64_t c;
    if (!ir_constant_bits(ir_operand(i, 1), &c)) return NULL;
    if (c == 0) return build_u64(&b, 0);
    if (c == 1)
        return build_extend(&b, type, isa_type_is_signed(type) ? TYPE_S64 : TYPE_U64, ir_operand(i, 0));
    return NULL;
}

// Splits a multiply-add.
static struct ir_value *take_apart(struct simplify *s, struct ir_inst *i)
{
    if (s->late) return NULL;
    struct builder b = builder_at(i);
    enum ir_op product = i->op == IR_MADWIDE ? IR_MULWIDE : IR_MUL;
    struct ir_value *v = build2(&b, product, (enum isa_type)i->type, ir_operand(i, 0), ir_operand(i, 1));
    return build2(&b, IR_ADD, v->class == IR_CLASS_64 ? TYPE_U64 : TYPE_U32, v, ir_operand(i, 2));
}

static struct ir_value *rule_multiply_add(struct simplify *s, struct ir_inst *i)
{
    uint64_t c;
    if (ir_constant_bits(ir_operand(i, 2), &c) && !c) {
        struct builder b = builder_at(i);
        enum ir_op product = i->op == IR_MADWIDE ? IR_MULWIDE : IR_MUL;
        return build2(&b, product, (enum isa_type)i->type, ir_operand(i, 0), ir_operand(i, 1));
    }
    return take_apart(s, i);
}

// -- bits ---------------------------------------------------------------------------------------------------

static struct ir_value *rule_and(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_inst *inner;
    uint64_t c, d;
    if (x == y) return x;
    uint64_t x_maybe = ~known_of(&s->known, x).zeros & simplify_mask(i),
             y_maybe = ~known_of(&s->known, y).zeros & simplify_mask(i);
    if (!(x_maybe & y_maybe)) return simplify_constant(i, 0);
    if (!(x_maybe & ~known_of(&s->known, y).ones)) return x;
    if (!(y_maybe & ~known_of(&s->known, x).ones)) return y;
    if (!ir_constant_bits(y, &c)) return NULL;
    if ((inner = simplify_match_constant(x, IR_AND, &d)))
        return binary_constant(i, IR_AND, ir_operand(inner, 0), c & d);
    if (simplify_is_wide(i) && c <= UINT32_MAX) {
        struct builder b = builder_at(i);
        struct ir_value *low =
            build2(&b, IR_AND, TYPE_B32, build1(&b, IR_LO, TYPE_NONE, x), build_u32(&b, (uint32_t)c));
        return build_extend(&b, TYPE_U32, TYPE_U64, low);
    }
    return NULL;
}

static struct ir_value *rule_or(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_inst *inner;
    uint64_t c, d = 0;
    if (x == y) return x;
    if (!ir_constant_bits(y, &c)) {
        // a 64-bit value put together from halves
        struct ir_inst *shifted = simplify_match_constant(y, IR_SHL, &d);
        if (!shifted) shifted = simplify_match_constant(x, IR_SHL, &d), x = y;
        struct ir_inst *low = simplify_match(x, IR_ZEXT);
        if (!simplify_is_wide(i) || !shifted || d != 32 || !low || low->type2 != TYPE_U32) return NULL;
        struct builder b = builder_at(i);
        return build2(&b, IR_PACK, TYPE_NONE, ir_operand(low, 0),
                      build1(&b, IR_LO, TYPE_NONE, ir_operand(shifted, 0)));
    }
    if (!c) return x;
    if (c == simplify_mask(i)) return simplify_constant(i, c);
    if (!(~known_of(&s->known, x).ones & c)) return x;
    if ((inner = simplify_match_constant(x, IR_OR, &d)))
        return binary_constant(i, IR_OR, ir_operand(inner, 0), c | d);
    if (!(~known_of(&s->known, x).zeros & c)) return plus(i, x, c); // a sum can be folded into addresses
    return NULL;
}

static struct ir_value *rule_xor(struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_inst *inner;
    uint64_t c, d;
    if (x == y) return simplify_constant(i, 0);
    if (!ir_constant_bits(y, &c)) return NULL;
    if (!c) return x;
    if (c == simplify_mask(i)) return unary(i, IR_NOT, x);
    if ((inner = simplify_match_constant(x, IR_XOR, &d)))
        return binary_constant(i, IR_XOR, ir_operand(inner, 0), c ^ d);
    return NULL;
}

// -- shifts -------------------------------------------------------------------------------------------------

// Shift of an extended word: one multiplication.
static struct ir_value *shift_left_wide(struct ir_inst *i, unsigned n)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_inst *inner = simplify_match(x, IR_SEXT);
    if (!inner) inner = simplify_match(x, IR_ZEXT);
    if (!inner || (inner->type2 != TYPE_U32 && inner->type2 != TYPE_S32) ||
        n > (inner->type2 == TYPE_S32 ? 30u : 31u))
        return NULL;
    struct builder b = builder_at(i);
    return build2(&b, IR_MULWIDE, (enum isa_type)inner->type2, ir_operand(inner, 0), build_u32(&b, 1u << n));
}

static struct ir_value *rule_shift_left(struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *by;
    struct ir_inst *inner;
    uint64_t n, d;
    unsigned width = simplify_width(i);
    if (!ir_constant_bits(ir_operand(i, 1), &n)) return NULL;
    if (!n) return x;
    if (n >= width) return simplify_constant(i, 0);
    if ((inner = simplify_match_constant(x, IR_SHL, &d)))
        return d + n >= width ? simplify_constant(i, 0)
                              : binary_constant(i, IR_SHL, ir_operand(inner, 0), d + n);
    if ((inner = simplify_match_constant(x, IR_MUL, &d)))
        return binary_constant(i, IR_MUL, ir_operand(inner, 0), d << n);
    if (x->use_count == 1 && (inner = simplify_match_constant(x, IR_ADD, &d)))
        return plus(i, binary_constant(i, IR_SHL, ir_operand(inner, 0), n), d << n);
    if ((inner = simplify_match_constant(x, IR_SHR, &d)) && d == n)
        return binary_constant(i, IR_AND, ir_operand(inner, 0), simplify_mask(i) << n);
    if (simplify_is_wide(i) && (by = shift_left_wide(i, (unsigned)n))) return by;
    return NULL;
}

static struct ir_value *high_word_extended(struct ir_inst *i, bool is_signed)
{
    struct builder b = builder_at(i);
    struct ir_value *high = build1(&b, IR_HI, TYPE_NONE, ir_operand(i, 0));
    return build_extend(&b, is_signed ? TYPE_S32 : TYPE_U32, is_signed ? TYPE_S64 : TYPE_U64, high);
}

// (x << n) >> n
static struct ir_value *shift_back(struct ir_inst *i, struct ir_inst *left, unsigned n, bool is_signed)
{
    struct builder b = builder_at(i);
    unsigned width = simplify_width(i);
    if (!is_signed) return binary_constant(i, IR_AND, ir_operand(left, 0), simplify_mask(i) >> n);
    if (width == 32 && (n == 16 || n == 24))
        return build_extend(&b, n == 16 ? TYPE_S16 : TYPE_S8, TYPE_S32, ir_operand(left, 0));
    return NULL;
}

static struct ir_value *shift_right_by(struct ir_inst *i, struct ir_value *x, uint64_t n)
{
    struct builder b = builder_at(i);
    return build2(&b, IR_SHR, (enum isa_type)i->type, x, build_u32(&b, (uint32_t)n));
}

static struct ir_value *rule_shift_right(struct simplify *s, struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_inst *inner;
    uint64_t n, d;
    unsigned width = simplify_width(i);
    bool is_signed = isa_type_is_signed((enum isa_type)i->type);
    if (is_signed && known_not_negative(&s->known, x))
        return binary(i, IR_SHR, x, ir_operand(i, 1)); // unsigned
    if (!ir_constant_bits(ir_operand(i, 1), &n)) return NULL;
    if (!n) return x;
    if (n >= width) return is_signed ? shift_right_by(i, x, width - 1) : simplify_constant(i, 0);
    if (!(~known_of(&s->known, x).zeros & simplify_mask(i) & ~bit_mask((unsigned)n)) && !is_signed)
        return simplify_constant(i, 0);
    if ((inner = simplify_match_constant(x, IR_SHR, &d)) && inner->type == i->type && d < width) {
        if (d + n < width) return shift_right_by(i, ir_operand(inner, 0), d + n);
        return is_signed ? shift_right_by(i, ir_operand(inner, 0), width - 1) : simplify_constant(i, 0);
    }
    if ((inner = simplify_match_constant(x, IR_SHL, &d)) && d == n)
        return shift_back(i, inner, (unsigned)n, is_signed);
    if (width == 64 && n == 32) return high_word_extended(i, is_signed);
    return NULL;
}

static struct ir_value *rule_extract(struct ir_inst *i) // bfe with constants
{
    struct builder b = builder_at(i);
    bool is_signed = isa_type_is_signed((enum isa_type)i->type);
    uint64_t position, length;
    unsigned width = simplify_width(i);
    if (!ir_constant_bits(ir_operand(i, 1), &position) || !ir_constant_bits(ir_operand(i, 2), &length))
        return NULL;
    position &= 255, length &= 255;
    if (!length) return simplify_constant(i, 0);
    if (position >= width)
        return is_signed ? shift_right_by(i, ir_operand(i, 0), width - 1) : simplify_constant(i, 0);
    if (position + length >= width) return shift_right_by(i, ir_operand(i, 0), position);
    if (position || width == 64) return NULL;
    if (length == 8)
        return build_extend(&b, is_signed ? TYPE_S8 : TYPE_U8, (enum isa_type)i->type, ir_operand(i, 0));
    if (length == 16)
        return build_extend(&b, is_signed ? TYPE_S16 : TYPE_U16, (enum isa_type)i->type, ir_operand(i, 0));
    return NULL;
}

// -- order --------------------------------------------------------------------------------------------------

static struct ir_value *rule_extreme(struct simplify *s, struct ir_inst *i) // min, max
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1);
    struct ir_inst *inner;
    enum isa_type type = (enum isa_type)i->type;
    bool is_signed = isa_type_is_signed(type);
    uint64_t c, d;
    if (x == y) return x;
    if (!is_signed || (known_not_negative(&s->known, x) && known_not_negative(&s->known, y))) {
        bool x_less = known_max(&s->known, x) <= known_of(&s->known, y).ones;
        bool y_less = known_max(&s->known, y) <= known_of(&s->known, x).ones;
        if (x_less || y_less) return x_less == (i->op == IR_MIN) ? x : y;
    }
    if (!ir_constant_bits(y, &c)) return NULL;
    uint64_t top = is_signed ? simplify_mask(i) >> 1 : simplify_mask(i), bottom = is_signed ? top + 1 : 0;
    if (c == top) return i->op == IR_MIN ? x : y;
    if (c == (bottom & simplify_mask(i))) return i->op == IR_MIN ? y : x;
    if ((inner = simplify_match_constant(x, i->op, &d)) && inner->type == i->type) {
        bool inner_decides = fold_compare_int(i->op == IR_MIN ? CMP_LE : CMP_GE, type, d, c);
        if (inner_decides) return x;
        struct builder b = builder_at(i);
        return build2(&b, i->op, type, ir_operand(inner, 0), y);
    }
    return NULL;
}

static struct ir_value *rule_absolute(struct simplify *s, struct ir_inst *i)
{
    struct ir_inst *inner = simplify_match(ir_operand(i, 0), IR_NEG);
    if (known_not_negative(&s->known, ir_operand(i, 0))) return ir_operand(i, 0);
    if (!inner) return NULL;
    struct builder b = builder_at(i);
    return build1(&b, IR_ABS, (enum isa_type)i->type, ir_operand(inner, 0));
}

struct ir_value *simplify_integer(struct simplify *s, struct ir_inst *i)
{
    struct ir_inst *inner;
    switch ((int)i->op) {
    case IR_ADD: return rule_add(s, i);
    case IR_SUB: return rule_subtract(i);
    case IR_NEG: return rule_negate(i);
    case IR_MUL: return rule_multiply(i);
    case IR_MULHI: return rule_multiply_high(i);
    case IR_MULWIDE: return rule_multiply_wide(i);
    case IR_MAD:
    case IR_MADWIDE: return rule_multiply_add(s, i);
    case IR_AND: return rule_and(s, i);
    case IR_OR: return rule_or(s, i);
    case IR_XOR: return rule_xor(i);
    case IR_NOT: return (inner = simplify_match(ir_operand(i, 0), IR_NOT)) ? ir_operand(inner, 0) : NULL;
    case IR_SHL: return rule_shift_left(i);
    case IR_SHR: return rule_shift_right(s, i);
    case IR_BFE: return rule_extract(i);
    case IR_MIN:
    case IR_MAX: return rule_extreme(s, i);
    case IR_ABS: return rule_absolute(s, i);
    }
    return NULL;
}
