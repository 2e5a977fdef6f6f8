// Machine forms that would hide structure from other rules, made last: multiply-adds and bit field
// extraction.
#include "compile/ir/options.h"
#include "compile/pass/simplify.h"
#include "isa/profile.h"

#include "base/bits.h"

enum { SUMS_MAX = 4 };

// True if all users of the product are sums that can absorb it, so that the product disappears: at most SUMS_MAX,
// but any number on Volta for a 64-bit product, whose sums are two instructions each.
static bool only_summed(const struct ir_value *product)
{
    const struct ir_inst *m = product->def;
    bool saves = m->op == IR_MULWIDE && m->function->unit->options->profile == PROFILE_SASS;
    if (product->use_count > SUMS_MAX && !saves) return false;
    for (const struct ir_use *u = product->first_use; u; u = u->next) {
        const struct ir_inst *user = u->user;
        if (user->op != IR_ADD || u == &user->guard) return false;
        if (ir_operand(user, 0) == ir_operand(user, 1)) return false;
    }
    return true;
}

// Profile pascal, where a product is several instructions: true if the product may move into the sum. The
// product must have a single use. A product as wide as its factors (IR_MUL) must lie in at least as many
// loops as the sum. A 64-bit product of 32-bit factors (IR_MULWIDE) must be free in the sum: unsigned, times
// a power of two (LEA). On hardware a product shared by several sums is computed once
// (docs/explanation/profiles.md).
static bool is_cheap_again(const struct ir_value *product, const struct ir_inst *sum)
{
    const struct ir_inst *m = product->def;
    uint64_t c;
    if (product->use_count > 1) return false;
    if (m->op == IR_MUL) return m->block->loop_depth >= sum->block->loop_depth;
    return m->type == TYPE_U32 && ir_constant_bits(ir_operand(m, 1), &c) && is_power_of_two(c); // LEA
}

static struct ir_value *multiply_add(struct ir_inst *i, struct ir_value *product, struct ir_value *other)
{
    struct ir_inst *m = product->def;
    if (!m || (m->op != IR_MUL && m->op != IR_MULWIDE) || !only_summed(product)) return NULL;
    if (i->function->unit->options->profile == PROFILE_PASCAL && !is_cheap_again(product, i)) return NULL;
    struct builder b = builder_at(i);
    b.lines = ir_line_set_union(i->function->unit, i->lines, m->lines);
    enum ir_op op = m->op == IR_MUL ? IR_MAD : IR_MADWIDE;
    return build3(&b, op, (enum isa_type)m->type, ir_operand(m, 0), ir_operand(m, 1), other);
}

// y - x * c = x * -c + y
static struct ir_value *multiply_subtract(struct ir_inst *i)
{
    uint64_t c;
    struct ir_value *product = ir_operand(i, 1);
    struct ir_inst *m = product->use_count == 1 ? simplify_match_constant(product, IR_MUL, &c) : NULL;
    if (!m || ir_operand(i, 0) == product) return NULL;
    struct builder b = builder_at(i);
    b.lines = ir_line_set_union(i->function->unit, i->lines, m->lines);
    return build3(&b, IR_MAD, (enum isa_type)m->type, ir_operand(m, 0), simplify_constant(m, 0 - c),
                  ir_operand(i, 0));
}

// (x >> p) & (2^n - 1) as the extraction of a bit field. Volta has no such instruction: NULL in its profile.
static struct ir_value *bit_field(struct ir_inst *i)
{
    if (i->function->unit->options->profile == PROFILE_SASS) return NULL;
    struct ir_value *shifted = ir_operand(i, 0);
    uint64_t p, mask;
    struct ir_inst *inner = shifted->use_count == 1 ? simplify_match_constant(shifted, IR_SHR, &p) : NULL;
    if (!inner || simplify_is_wide(i) || !ir_constant_bits(ir_operand(i, 1), &mask)) return NULL;
    if (!mask || mask & (mask + 1) || p >= 32) return NULL;
    unsigned n = bit_highest(mask) + 1;
    if (p + n > 32) return NULL;
    struct builder b = builder_at(i);
    b.lines = ir_line_set_union(i->function->unit, i->lines, inner->lines);
    return build3(&b, IR_BFE, TYPE_U32, ir_operand(inner, 0), build_u32(&b, (uint32_t)p), build_u32(&b, n));
}

// Profile pascal: x << up >> down as the extraction of a bit field. NULL: any other shift or profile.
static struct ir_value *shifted_field(struct ir_inst *i)
{
    uint64_t up, down;
    struct ir_value *shifted = ir_operand(i, 0);
    struct ir_inst *inner = shifted->use_count == 1 ? simplify_match_constant(shifted, IR_SHL, &up) : NULL;
    if (i->function->unit->options->profile != PROFILE_PASCAL || !inner || simplify_is_wide(i)) return NULL;
    if (!ir_constant_bits(ir_operand(i, 1), &down) || down < up || down > 31) return NULL;
    struct builder b = builder_at(i);
    b.lines = ir_line_set_union(i->function->unit, i->lines, inner->lines);
    return build3(&b, IR_BFE, i->type == TYPE_S32 ? TYPE_S32 : TYPE_U32, ir_operand(inner, 0),
                  build_u32(&b, (uint32_t)(down - up)), build_u32(&b, (uint32_t)(32 - down)));
}

struct ir_value *simplify_late(struct simplify *s, struct ir_inst *i)
{
    (void)s;
    struct ir_value *by;
    switch ((int)i->op) {
    case IR_ADD:
        if ((by = multiply_add(i, ir_operand(i, 0), ir_operand(i, 1)))) return by;
        return multiply_add(i, ir_operand(i, 1), ir_operand(i, 0));
    case IR_SUB: return multiply_subtract(i);
    case IR_AND: return bit_field(i);
    case IR_SHR: return shifted_field(i);
    }
    return NULL;
}
