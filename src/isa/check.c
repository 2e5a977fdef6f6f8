// isa_check: is this an instruction the machine has? Kinds of operands per row (isa/shape.h has the canonical
// form), aligned register groups, at most one source that is no register, modifiers where they mean
// something.
#include "isa/shape.h"

#include <stddef.h>

enum { OFFSET_LIMIT = 1 << 23 }; // address offsets are 24 bits, signed

static const char *check_group(const struct operand *o, unsigned width)
{
    if (o->width != width) return "a register group of the wrong width";
    if (o->reg == REG_ZERO) return NULL;
    if (o->reg % width) return "a register group that is not aligned";
    if (o->reg + width > REG_LIMIT) return "a register past R254";
    return NULL;
}

static const char *check_predicate(const struct operand *o, bool is_source)
{
    if (o->reg > PRED_TRUE) return "a predicate past PT";
    if (o->flags & ~(is_source ? OPERAND_NOT : 0)) return "a modifier that a predicate cannot carry";
    return NULL;
}

static const char *check_memory(const struct inst *i, const struct operand *o)
{
    bool wide = i->op == OP_LD || i->op == OP_LDG || i->op == OP_ST || i->op == OP_STG || i->op == OP_ATOM ||
                i->op == OP_ATOMG || i->op == OP_RED || i->op == OP_CCTL ||
                (i->op == OP_LDGSTS && o == &i->src[1]);
    if (o->kind != OPERAND_MEM) return "an address operand must be [register + offset]";
    if (o->width != 1 && !(wide && o->width == 2)) return "an address register of the wrong width";
    if (o->flags) return "a modifier on an address";
    int32_t offset = (int32_t)o->value;
    if (o->reg != REG_ZERO && (offset < -OFFSET_LIMIT || offset >= OFFSET_LIMIT))
        return "an address offset past 24 bits";
    return check_group(o, o->width);
}

// Sources that hold a value: registers, or the one immediate, constant or shared-memory operand.
static const char *check_value(const struct inst *i, unsigned k, bool *has_other)
{
    const struct operand *o = &i->src[k];
    unsigned width = isa_src_width(i, k);
    enum isa_unit unit = isa_table[i->op].unit;
    bool alu = unit == UNIT_INT || unit == UNIT_FLOAT || unit == UNIT_SPECIAL || unit == UNIT_DOUBLE;
    bool field = isa_src_is_field((enum isa_op)i->op, k);
    if (o->flags & ~isa_src_modifiers(i, k)) return "an operand modifier the instruction does not have";
    switch ((enum operand_kind)o->kind) {
    case OPERAND_REG: return check_group(o, width);
    case OPERAND_SREG:
        if (i->op != OP_S2R && i->op != OP_CS2R) return "a special register outside S2R and CS2R";
        if (o->reg >= SREG_COUNT) return "an unknown special register";
        if ((i->op == OP_CS2R) != (o->reg == SREG_CLOCK64 || o->reg == SREG_GLOBALTIMER))
            return "64-bit special registers are read by CS2R, the others by S2R";
        return NULL;
    case OPERAND_IMM:
        if (i->op == OP_RET || i->op == OP_BRX || i->op == OP_CALLR || i->op == OP_SYSCALL ||
            i->op == OP_TEX || i->op == OP_TXQ || isa_has(i, ISA_STORE | ISA_LOAD))
            return "an immediate where only a register goes";
        if (o->width != width) return "an immediate of the wrong width";
        break;
    case OPERAND_CONST:
        if (!alu) return "a constant-bank operand outside arithmetic";
        if (o->width != width) return "a constant-bank operand of the wrong width";
        if (o->bank >= BANK_COUNT) return "an unknown constant bank";
        if (o->value % (4 * width)) return "a constant-bank operand that is not aligned";
        break;
    case OPERAND_SHARED:
        if (!alu || width != 1) return "a shared-memory operand outside 32-bit arithmetic";
        if (o->width != 1) return "a shared-memory operand of the wrong width";
        break;
    case OPERAND_NONE: return "a missing source";
    case OPERAND_PRED:
    case OPERAND_MEM: return "an operand of the wrong kind";
    }
    if (i->op == OP_S2R || i->op == OP_CS2R) return "S2R and CS2R read special registers";
    if (o->kind == OPERAND_IMM && field) return NULL;
    if (*has_other) return "more than one source that is no register";
    *has_other = true;
    return NULL;
}

// Where the canonical form lets (true) or makes (required) an operand be absent.
static bool src_may_be_absent(const struct inst *i, unsigned k, bool *required)
{
    *required = false;
    if (isa_has(i, ISA_CARRY) && k == 3) return (*required = !(i->flags & INST_X));
    switch ((int)i->op) {
    case OP_ISETP: return k == 3 && (*required = !(i->flags & INST_EX));
    case OP_LEA: return k == 2 && (*required = !(i->flags & INST_HI) || (i->flags & INST_SX));
    case OP_BAR: return k == 1 || (k == 2 && (*required = i->mode != MODE_BAR_RED));
    case OP_LDGSTS: return k == 2;
    case OP_SYSCALL: return k == 1;
    case OP_SHFL: return k == 3;
    case OP_VOTE: return k == 1;
    case OP_ATOM:
    case OP_ATOMG:
    case OP_ATOMS: return k == 2 && (*required = i->mode != MODE_ATOM_CAS);
    }
    return false;
}

static bool dst_may_be_absent(const struct inst *i, unsigned k, bool *required)
{
    *required = false;
    if (isa_has(i, ISA_CARRY) && k == 1) return (*required = !(i->flags & INST_CC));
    switch ((int)i->op) {
    case OP_LOP3:
    case OP_SHFL:
    case OP_MATCH: return k == 1;
    case OP_VOTE: return k == 1 && (*required = i->mode == MODE_NONE);
    case OP_BAR:
        return *required = i->mode != MODE_BAR_RED || (k == 0) != (i->boolean == BOOL_POPC), *required;
    case OP_SYSCALL: return k == 0;
    }
    return false;
}

static const char *check_sources(const struct inst *i, const struct isa_shape *shape)
{
    bool has_other = false;
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        bool required, absent = src_may_be_absent(i, k, &required);
        const char *wrong = NULL;
        if (shape->src[k] == SHAPE_NONE || (absent && required)) {
            if (o->kind != OPERAND_NONE) return "a source the instruction does not have";
            continue;
        }
        if (o->kind == OPERAND_NONE) {
            if (!absent) return "a missing source";
            continue;
        }
        if (shape->src[k] == SHAPE_MEM)
            wrong = check_memory(i, o);
        else if (shape->src[k] == SHAPE_REG)
            wrong = check_value(i, k, &has_other);
        else
            wrong = o->kind == OPERAND_PRED ? check_predicate(o, true) : "a source that must be a predicate";
        if (wrong) return wrong;
    }
    return NULL;
}

static const char *check_destinations(const struct inst *i, const struct isa_shape *shape)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct operand *o = &i->dst[k];
        bool required, absent = dst_may_be_absent(i, k, &required);
        const char *wrong = NULL;
        if (shape->dst[k] == SHAPE_NONE || (absent && required)) {
            if (o->kind != OPERAND_NONE) return "a destination the instruction does not have";
            continue;
        }
        if (o->kind == OPERAND_NONE) {
            if (!absent) return "a missing destination";
            continue;
        }
        if (shape->dst[k] == SHAPE_PRED)
            wrong = o->kind == OPERAND_PRED ? check_predicate(o, false)
                                            : "a destination that must be a predicate";
        else if (o->kind != OPERAND_REG || o->flags)
            wrong = "a destination that must be a plain register";
        else
            wrong = check_group(o, isa_dst_width(i));
        if (wrong) return wrong;
    }
    return NULL;
}

static bool is_integer32(unsigned type) { return type == TYPE_U32 || type == TYPE_S32; }

static bool is_integer(unsigned type) { return type >= TYPE_U8 && type <= TYPE_S64; }

static bool is_access(unsigned type)
{
    return type == TYPE_U8 || type == TYPE_S8 || type == TYPE_U16 || type == TYPE_S16 || type == TYPE_B32 ||
           type == TYPE_B64 || type == TYPE_B128;
}

// Types that an instruction's row leaves open, limited to those it knows.
static const char *check_types(const struct inst *i)
{
    bool good = i->type < TYPE_COUNT && i->type2 < TYPE_COUNT;
    switch ((int)i->op) {
    case OP_IMAD:
        good = good && (is_integer32(i->type) || (!(i->flags & INST_HI) && i->type == TYPE_NONE));
        break;
    case OP_IMADW:
    case OP_ISETP:
    case OP_IMNMX:
    case OP_VABSDIFF:
    case OP_SHR:
    case OP_BFE:
    case OP_SGXT:
    case OP_FLO: good = is_integer32(i->type); break;
    case OP_SHF: good = i->type == TYPE_U32 || i->type == TYPE_U64 || i->type == TYPE_S64; break;
    case OP_LD:
    case OP_LDG:
    case OP_LDS:
    case OP_LDL:
    case OP_LDC:
    case OP_ST:
    case OP_STG:
    case OP_STS:
    case OP_STL: good = is_access(i->type); break;
    case OP_LDGSTS: good = i->type == TYPE_B32 || i->type == TYPE_B64 || i->type == TYPE_B128; break;
    case OP_HADD2:
    case OP_HMUL2:
    case OP_HFMA2:
    case OP_HMNMX2:
    case OP_HSETP2:
    case OP_HSET2:
    case OP_HMUFU:
    case OP_F2FP: good = i->type == TYPE_F16 || i->type == TYPE_BF16; break;
    case OP_F2F: good = good && isa_type_is_float(i->type) && isa_type_is_float(i->type2); break;
    case OP_F2I: good = good && is_integer(i->type) && isa_type_is_float(i->type2); break;
    case OP_I2F: good = good && i->type2 && isa_type_is_float(i->type) && is_integer(i->type2); break;
    case OP_FRND:
        good = i->type == TYPE_F16 || i->type == TYPE_F32 || i->type == TYPE_F64 || i->type == TYPE_BF16;
        break;
    case OP_ATOM:
    case OP_ATOMG:
    case OP_ATOMS:
    case OP_RED:
    case OP_REDUX: good = good && i->type; break;
    case OP_IDP:
        good = (i->type == TYPE_U8 || i->type == TYPE_S8) && (i->type2 == TYPE_U8 || i->type2 == TYPE_S8);
        break;
    case OP_I2I:
        good = is_integer(i->type) && isa_type_bytes((enum isa_type)i->type) <= 4 && is_integer(i->type2) &&
               isa_type_bytes((enum isa_type)i->type2) <= 4;
        break;
    case OP_TEX:
        good =
            (i->type == TYPE_F32 || is_integer32(i->type)) && (i->type2 == TYPE_F32 || i->type2 == TYPE_S32);
        break;
    case OP_MATCH: good = i->type == TYPE_B32 || i->type == TYPE_B64; break;
    }
    return good ? NULL : "a type the instruction does not have";
}

static bool is_zero(const struct operand *o)
{
    return o->kind == OPERAND_REG && o->reg == REG_ZERO && !(o->flags & OPERAND_NEG);
}

const char *isa_check(const struct inst *i)
{
    if (i->op >= OP_COUNT) return "an unknown operation";
    if (i->guard > PRED_TRUE || i->guard_not > 1) return "a guard that is no predicate";
    if (!isa_mode_fits((enum isa_op)i->op, (enum isa_mode)i->mode))
        return "a mode the instruction does not have";
    if (i->flags & ~isa_inst_flags((enum isa_op)i->op)) return "a flag the instruction does not have";
    if (i->cmp > CMP_T || i->boolean > BOOL_POPC || i->round > ROUND_RNA || i->shift > 31)
        return "a field out of range";
    if (i->space > SPACE_CONST || i->cache > CACHE_WT || i->sem > SEM_SC || i->scope > SCOPE_SYS)
        return "a field out of range";
    if (i->boolean == BOOL_POPC && i->op != OP_BAR) return "a count where a boolean belongs";
    if (i->boolean && i->op == OP_BAR && i->mode != MODE_BAR_RED)
        return "a reduction where nothing is reduced";
    if (i->op == OP_LDC && i->bank >= BANK_COUNT) return "an unknown constant bank";
    const char *wrong = check_types(i);
    struct isa_shape shape = isa_shape_of((enum isa_op)i->op);
    if (!wrong) wrong = check_destinations(i, &shape);
    if (!wrong && i->op == OP_IADD3 && i->flags & INST_CC && !is_zero(&i->src[0]) && !is_zero(&i->src[1]) &&
        !is_zero(&i->src[2]))
        wrong = "a carry out of three addends";
    return wrong ? wrong : check_sources(i, &shape);
}
