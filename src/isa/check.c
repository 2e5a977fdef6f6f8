// isa_check: whether an instruction exists in the machine. Operand kinds follow the row (canonical form:
// isa/shape.h), and register groups are aligned. At most one source is an immediate, a constant or in shared
// memory; immediates with a field of their own do not count. A modifier is allowed only on rows with a
// meaning for the modifier.
#include "isa/bank.h"
#include "isa/mma.h"
#include "isa/shape.h"
#include "isa/space.h"
#include "isa/sregs.h"

#include <stddef.h>

enum { OFFSET_LIMIT = 1 << 23 }; // address offsets are 24 bits, signed

static const char *check_group(const struct operand *o, unsigned width)
{
    if (o->width != width) return "a register group of the wrong width";
    if (o->reg == REG_ZERO) return NULL;
    if (o->reg % operand_alignment(width)) return "a register group that is not aligned";
    if (o->reg + width > REG_LIMIT) return "a register past R254";
    return NULL;
}

static const char *check_predicate(const struct operand *o, bool is_source)
{
    if (o->reg > PRED_TRUE) return "a predicate past PT";
    if (o->flags & ~(is_source ? OPERAND_NOT : 0)) return "a modifier that a predicate cannot carry";
    return NULL;
}

static const char *check_address(const struct isa_place *place, const struct operand *o)
{
    if (o->kind != OPERAND_MEM) return "an address operand must be [register + offset]";
    if (o->width != 1 && !(place->pair_address && o->width == 2))
        return "an address register of the wrong width";
    if (o->flags) return "a modifier on an address";
    int32_t offset = (int32_t)o->value;
    if (o->reg != REG_ZERO && (offset < -OFFSET_LIMIT || offset >= OFFSET_LIMIT))
        return "an address offset past 24 bits";
    return check_group(o, o->width);
}

static const char *check_special(const struct inst *i, const struct operand *o)
{
    if (o->kind != OPERAND_SREG) return "S2R and CS2R read special registers";
    if (o->reg >= SREG_COUNT) return "an unknown special register";
    if ((isa_dst_width(i) == 2) != (o->reg == SREG_CLOCK64 || o->reg == SREG_GLOBALTIMER))
        return "64-bit special registers are read by CS2R, the others by S2R";
    return o->flags ? "an operand modifier the instruction does not have" : NULL;
}

// Checks that source k is a register, or the instruction's only immediate, constant or shared-memory operand.
// Immediates with a field of their own do not count. NULL when so, else the violation.
static const char *check_value(const struct inst *i, unsigned k, bool *has_other)
{
    const struct operand *o = &i->src[k];
    const struct isa_place *place = &isa_shapes[i->op].src[k];
    unsigned width = isa_src_width(i, k);
    if (o->flags & ~place->modifiers) return "an operand modifier the instruction does not have";
    switch ((enum operand_kind)o->kind) {
    case OPERAND_REG: return check_group(o, width);
    case OPERAND_SREG: return "a special register outside S2R and CS2R";
    case OPERAND_IMM:
        if (place->kind < SHAPE_IMM) return "an immediate where only a register goes";
        if (o->width != width) return "an immediate of the wrong width";
        break;
    case OPERAND_CONST:
        if (place->kind < SHAPE_VALUE) return "a constant-bank operand outside arithmetic";
        if (o->width != width) return "a constant-bank operand of the wrong width";
        if (o->bank >= BANK_COUNT) return "an unknown constant bank";
        if (o->value % (4 * width)) return "a constant-bank operand that is not aligned";
        break;
    case OPERAND_SHARED:
        if (place->kind < SHAPE_VALUE || width != 1)
            return "a shared-memory operand outside 32-bit arithmetic";
        if (o->width != 1) return "a shared-memory operand of the wrong width";
        break;
    case OPERAND_NONE: return "a missing source";
    case OPERAND_PRED:
    case OPERAND_MEM: return "an operand of the wrong kind";
    }
    if (o->kind == OPERAND_IMM && place->own_field) return NULL;
    if (*has_other) return "more than one source that is no register";
    *has_other = true;
    return NULL;
}

static const char *check_source(const struct inst *i, unsigned k, bool *has_other)
{
    const struct operand *o = &i->src[k];
    const struct isa_place *place = &isa_shapes[i->op].src[k];
    switch ((enum shape_kind)place->kind) {
    case SHAPE_PRED:
        return o->kind == OPERAND_PRED ? check_predicate(o, true) : "a source that must be a predicate";
    case SHAPE_ADDRESS:
    case SHAPE_BANK: return check_address(place, o);
    case SHAPE_SPECIAL: return check_special(i, o);
    case SHAPE_NONE:
    case SHAPE_REG:
    case SHAPE_IMM:
    case SHAPE_VALUE:
    case SHAPE_FLOAT: break;
    }
    return check_value(i, k, has_other);
}

static const char *check_sources(const struct inst *i)
{
    bool has_other = false;
    for (unsigned k = 0; k < 4; k++) {
        enum isa_presence presence = isa_presence(i, &isa_shapes[i->op].src[k]);
        const char *wrong = NULL;
        if (i->src[k].kind == OPERAND_NONE)
            wrong = presence == PRESENCE_ALWAYS ? "a missing source" : NULL;
        else if (presence == PRESENCE_NEVER)
            wrong = "a source the instruction does not have";
        else
            wrong = check_source(i, k, &has_other);
        if (wrong) return wrong;
    }
    return NULL;
}

static const char *check_destination(const struct inst *i, const struct isa_place *place,
                                     const struct operand *o)
{
    if (place->kind == SHAPE_PRED)
        return o->kind == OPERAND_PRED ? check_predicate(o, false) : "a destination that must be a predicate";
    if (o->kind != OPERAND_REG || o->flags) return "a destination that must be a plain register";
    return check_group(o, isa_dst_width(i));
}

static const char *check_destinations(const struct inst *i)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct isa_place *place = &isa_shapes[i->op].dst[k];
        enum isa_presence presence = isa_presence(i, place);
        const char *wrong = NULL;
        if (i->dst[k].kind == OPERAND_NONE)
            wrong = presence == PRESENCE_ALWAYS ? "a missing destination" : NULL;
        else if (presence == PRESENCE_NEVER)
            wrong = "a destination the instruction does not have";
        else
            wrong = check_destination(i, place, &i->dst[k]);
        if (wrong) return wrong;
    }
    return NULL;
}

static bool types_fit(const struct inst *i)
{
    const struct isa_shape *s = &isa_shapes[i->op];
    if (i->op == OP_IMAD && i->flags & INST_HI && !i->type) return false; // a low half has no sign
    if (i->type3 && !s->types3) return false;
    return isa_type_is_in(i->type, s->types) && isa_type_is_in(i->type2, s->types2) &&
           isa_type_is_in(i->type3, s->types3);
}

static bool is_zero(const struct operand *o)
{
    return o->kind == OPERAND_REG && o->reg == REG_ZERO && !(o->flags & OPERAND_NEG);
}

const char *isa_check(const struct inst *i)
{
    if (i->op >= OP_COUNT) return "an unknown operation";
    if (i->guard > PRED_TRUE || i->guard_not > 1) return "a guard that is no predicate";
    if (i->mode >= MODE_COUNT || !isa_mode_fits((enum isa_op)i->op, (enum isa_mode)i->mode))
        return "a mode the instruction does not have";
    if (i->flags & ~isa_shapes[i->op].flags) return "a flag the instruction does not have";
    if (i->cmp > CMP_T || i->boolean > BOOL_POPC || i->round > ROUND_RNA || i->shift > 31)
        return "a field out of range";
    if (i->space > SPACE_CONST || i->cache > CACHE_WT || i->sem > SEM_SC || i->scope > SCOPE_SYS)
        return "a field out of range";
    if (i->boolean == BOOL_POPC && i->op != OP_BAR) return "a count where a boolean belongs";
    if (i->boolean == BOOL_OR && i->op == OP_BMMA) return "products of bits are AND or XOR";
    if (i->boolean && i->op == OP_BAR && i->mode != MODE_BAR_RED)
        return "a reduction where nothing is reduced";
    if (i->op == OP_LDC && i->bank >= BANK_COUNT) return "an unknown constant bank";
    if (!types_fit(i)) return "a type the instruction does not have";
    if (i->shape >= MMA_COUNT || !isa_shape_fits((enum isa_op)i->op, i->shape))
        return "a shape the instruction does not have";
    if (i->op == OP_HMMA && isa_quad_of(i->shape).half && (i->type != TYPE_F32 || i->type2 != TYPE_F16))
        return "halves of a product are of f16 with sums in f32";
    const char *wrong = check_destinations(i);
    if (!wrong && i->op == OP_IADD3 && i->flags & INST_CC && !is_zero(&i->src[0]) && !is_zero(&i->src[1]) &&
        !is_zero(&i->src[2]))
        wrong = "a carry out of three addends";
    return wrong ? wrong : check_sources(i);
}
