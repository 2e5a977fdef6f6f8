// Checks one operand against one letter of sig.def: registers by the PTX ISA's rules of size and kind
// (9.4), constants with conversion to their final bits, and messages for misfits.
#include "ptx/check.h"
#include "ptx/names.h"

#include <stdarg.h>
#include <string.h>

// ---- messages

const char *check_name(const struct ptx_inst *i, char *buffer)
{
    int length = snprintf(buffer, CHECK_NAME_BYTES, "%s", ptx_op_name(i->op));
    for (unsigned t = 0; t < i->type_count; t++)
        length +=
            snprintf(buffer + length, (size_t)(CHECK_NAME_BYTES - length), ".%s", ptx_type_name(i->types[t]));
    return buffer;
}

bool check_says(struct check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(c->p->d, c->i->loc, format, args);
    va_end(args);
    return false;
}

static const char *operand_text(const struct check *c, const struct ptx_operand *o, char *buffer, size_t size)
{
    switch (o->kind) {
    case PTX_OPERAND_REG: {
        const struct ptx_reg *r = &c->p->regs.data[o->reg];
        snprintf(buffer, size, "'%.60s' is a .%s register", r->name, ptx_type_name(r->type));
        return buffer;
    }
    case PTX_OPERAND_SREG:
        snprintf(buffer, size, "%s is a special register (mov reads it)", ptx_sreg_name(o->sreg));
        return buffer;
    case PTX_OPERAND_IMM:
        return o->component == LITERAL_INT ? "an integer constant" : "a floating-point constant";
    case PTX_OPERAND_SYMBOL: return "the address of a variable";
    case PTX_OPERAND_FUNCTION: return "the address of a function";
    case PTX_OPERAND_MEMORY: return "a memory operand";
    case PTX_OPERAND_LABEL: return "a label";
    case PTX_OPERAND_LABELS: return "a list of labels";
    case PTX_OPERAND_VECTOR: return "a vector";
    case PTX_OPERAND_PAIR: return "a pair a|b";
    case PTX_OPERAND_SINK: return "'_'";
    case PTX_OPERAND_NONE: break;
    }
    return "nothing";
}

bool check_wrong(struct check *c, const struct ptx_operand *o, const char *expected)
{
    char text[120], name[CHECK_NAME_BYTES];
    return diag_error(c->p->d, o->loc, "%s; '%s' expects %s here", operand_text(c, o, text, sizeof text),
                      check_name(c->i, name), expected);
}

// Reports the expected operand, such as "a .f32 or .b32 register", with " or a constant" for a source.
// Always false.
static bool wrong_type(struct check *c, const struct ptx_operand *o, enum ptx_type type, bool is_source)
{
    char text[120];
    unsigned bits = ptx_type_bits(type);
    const char *or_constant = is_source ? " or a constant" : "";
    if (type == PTX_PRED)
        snprintf(text, sizeof text, "a .pred register%s", or_constant);
    else if (ptx_type_is_float(type))
        snprintf(text, sizeof text, "a .%s or .b%u register%s", ptx_type_name(type), bits, or_constant);
    else if (ptx_type_is_bits(type))
        snprintf(text, sizeof text, "a register of %u bits%s", bits, or_constant);
    else
        snprintf(text, sizeof text, "a .s%u, .u%u or .b%u register%s", bits, bits, bits, or_constant);
    return check_wrong(c, o, text);
}

// ---- operands

enum ptx_type check_reg_type(const struct check *c, const struct ptx_operand *o)
{
    return c->p->regs.data[o->reg].type;
}

bool check_fits(enum ptx_type wanted, enum ptx_type reg)
{
    if (wanted == reg) return true;
    if (ptx_type_bits(wanted) != ptx_type_bits(reg) || wanted == PTX_PRED || reg == PTX_PRED) return false;
    return ptx_type_is_bits(wanted) || ptx_type_is_bits(reg) ||
           (ptx_type_is_integer(wanted) && ptx_type_is_integer(reg));
}

bool check_dest(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && check_fits(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, false);
}

// A constant wider than its type is truncated, as by ptxas; a warning reports a change of value.
bool check_immediate(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    struct constant k = {(enum literal)o->component, false, o->imm};
    if (!expr_to_type(k, type, &o->imm)) return wrong_type(c, o, type, true);
    unsigned bits = ptx_type_bits(type);
    bool integer = k.literal == LITERAL_INT && type != PTX_PRED && bits < 64;
    int64_t value = (int64_t)k.bits;
    if (integer && (value < -(1ll << (bits - 1)) || value >= 1ll << bits))
        diag_warn(c->p->d, o->loc, "the constant does not fit .%s and is cut to %u bits", ptx_type_name(type),
                  bits);
    o->component = 0;
    return true;
}

bool check_source(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    if (type == PTX_PRED) return check_source_predicate(c, o);
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, type);
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && check_fits(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, true);
}

bool check_dest_predicate(struct check *c, struct ptx_operand *o) { return check_dest(c, o, PTX_PRED); }

// Whether a register of type `reg` fits ld, st or cvt of a `type` (PTX ISA 9.4.1, Tables 26 and 27):
// as wide or wider, of a matching kind.
static bool fits_wide(enum ptx_type type, enum ptx_type reg)
{
    if (reg == PTX_PRED || ptx_type_bits(reg) < ptx_type_bits(type)) return false;
    return ptx_type_is_bits(type) || ptx_type_is_bits(reg) || type == reg ||
           (ptx_type_is_integer(type) && ptx_type_is_integer(reg));
}

bool check_wide_dest(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && fits_wide(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, false);
}

bool check_wide_source(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, type);
    bool integers = !ptx_type_is_float(type) && !ptx_type_is_float(c->i->types[0]);
    if (o->kind == PTX_OPERAND_SREG && c->i->op == PTX_OP_CVT && integers) return check_special(c, o, type);
    bool good = o->kind == PTX_OPERAND_REG && !o->negated && fits_wide(type, check_reg_type(c, o));
    return good || wrong_type(c, o, type, true);
}

bool check_source_predicate(struct check *c, struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_IMM) return check_immediate(c, o, PTX_PRED);
    bool good = o->kind == PTX_OPERAND_REG && check_reg_type(c, o) == PTX_PRED;
    return good || wrong_type(c, o, PTX_PRED, true);
}

bool check_integer(struct check *c, struct ptx_operand *o, int64_t least, int64_t most)
{
    if (o->kind != PTX_OPERAND_IMM || o->component != LITERAL_INT)
        return check_wrong(c, o, "an integer constant");
    if ((int64_t)o->imm >= least && (int64_t)o->imm <= most) return true;
    return diag_error(c->p->d, o->loc, "the constant must be from %lld to %lld", (long long)least,
                      (long long)most);
}

static bool check_sink_or(struct check *c, struct ptx_operand *o, enum ptx_type type)
{
    return o->kind == PTX_OPERAND_SINK || check_dest(c, o, type);
}

// d, or d|p.
static bool check_dest_pair(struct check *c, struct ptx_operand *o, enum ptx_type first)
{
    if (o->kind != PTX_OPERAND_PAIR) return check_dest(c, o, first);
    if (o->elements[0].kind == PTX_OPERAND_SINK && o->elements[1].kind == PTX_OPERAND_SINK)
        return diag_error(c->p->d, o->loc, "one of the two results must be a register");
    return check_sink_or(c, &o->elements[0], first) && check_sink_or(c, &o->elements[1], PTX_PRED);
}

static enum ptx_type wide_type(const struct ptx_inst *i)
{
    if (i->half != PTX_HALF_WIDE) return i->types[0];
    switch ((int)i->types[0]) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return i->types[0];
    }
}

static bool check_wide_form(struct check *c)
{
    char name[CHECK_NAME_BYTES];
    if (c->i->half != PTX_HALF_WIDE || ptx_type_bits(c->i->types[0]) < 64) return true;
    return check_says(c, "'%s' has no .wide form: no register holds a product of 128 bits",
                      check_name(c->i, name));
}

// Checks a source operand that gives an address (cvta): a register, a constant or, except in cvta.to, a
// variable of the instruction's space.
static bool check_address_source(struct check *c, struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_SYMBOL) return check_source(c, o, c->i->types[0]);
    if (c->i->to) return check_wrong(c, o, "a register with a generic address");
    if (o->variable->space == c->i->space) return true;
    return diag_error(c->p->d, o->loc, "'%.80s' is in .%s, not in .%s", o->variable->name,
                      ptx_space_name(o->variable->space), ptx_space_name(c->i->space));
}

static bool check_address_register(struct check *c, struct ptx_operand *o)
{
    bool good = o->kind == PTX_OPERAND_REG &&
                (check_fits(PTX_U64, check_reg_type(c, o)) || check_fits(PTX_U32, check_reg_type(c, o)));
    return good || check_wrong(c, o, "a register with an address");
}

bool check_letter(struct check *c, char letter, struct ptx_operand *o)
{
    struct ptx_inst *i = c->i;
    switch (letter) {
    case 'd': return check_dest(c, o, i->types[0]);
    case 'n': return check_dest(c, o, PTX_U32);
    case 'w':
        if (o == i->operands) return check_wide_form(c) && check_dest(c, o, wide_type(i));
        return check_source(c, o, wide_type(i));
    case 's': return check_source(c, o, i->types[0]);
    case 't': return check_source(c, o, i->types[1]);
    case 'u': return check_source(c, o, PTX_U32);
    case 'X': return check_source(c, o, PTX_U32);
    case 'p': return check_dest_predicate(c, o);
    case 'P': return check_dest_pair(c, o, PTX_PRED);
    case 'q': return check_source_predicate(c, o);
    case 'D': return check_dest_pair(c, o, i->types[0]);
    case 'N': return check_dest_pair(c, o, PTX_U32);
    case 'i': return check_integer(c, o, INT32_MIN, UINT32_MAX);
    case 'x': return check_wide_dest(c, o, i->types[0]);
    case 'y': return check_wide_source(c, o, i->types[1]);
    case 'L': return check_loaded(c, o);
    case 'S': return check_stored(c, o);
    case 'm': return check_memory_operand(c, o, i->space);
    case 'c': return check_address_source(c, o);
    case 'A': return check_address_register(c, o);
    case 'l': return o->kind == PTX_OPERAND_LABEL || check_wrong(c, o, "a label");
    case 'b':
        return (o->kind == PTX_OPERAND_LABELS && c->p->tables.data[o->label].labels) ||
               check_wrong(c, o, "the name of a .branchtargets list");
    default: return false;
    }
}

bool check_count(struct check *c, unsigned least, unsigned most)
{
    unsigned count = c->i->operand_count;
    char name[CHECK_NAME_BYTES];
    if (count >= least && count <= most) return true;
    if (least == most)
        return check_says(c, "'%s' takes %u operand%s, found %u", check_name(c->i, name), least,
                          least == 1 ? "" : "s", count);
    return check_says(c, "'%s' takes %u to %u operands, found %u", check_name(c->i, name), least, most,
                      count);
}
