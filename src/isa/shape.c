// Shapes of operands. The kinds are read from isa.def's text, so that the listing, the check and the table
// cannot disagree; the widths are the one thing that depends on an instruction's types.
#include "isa/shape.h"

#include <string.h>

// "d, q, a, b, c, pe" -> kinds. A 'p' directly before a source letter makes it a predicate, a 'p' alone is
// dst[0].
struct isa_shape isa_shape_of(enum isa_op op)
{
    static const char letters[] = "abce";
    struct isa_shape s = {{0}, {0}};
    const char *text = isa_table[op].operands;
    if (op == OP_LDC) { // "d, c[bank][a]": the bank is no operand
        s.dst[0] = SHAPE_REG;
        s.src[0] = SHAPE_MEM;
        return s;
    }
    for (; *text; text++) {
        bool predicate = *text == 'p', memory = *text == '[';
        if ((predicate && text[1] && text[1] != ',') || memory) text++;
        const char *found = strchr(letters, *text);
        if (found)
            s.src[found - letters] = memory ? SHAPE_MEM : predicate ? SHAPE_PRED : SHAPE_REG;
        else if (*text == 'p')
            s.dst[0] = SHAPE_PRED;
        else if (*text == 'd')
            s.dst[0] = SHAPE_REG;
        else if (*text == 'q')
            s.dst[1] = SHAPE_PRED;
    }
    return s;
}

static unsigned type_width(enum isa_type type)
{
    return isa_type_bytes(type) == 16 ? 4 : isa_type_bytes(type) == 8 ? 2 : 1;
}

static bool is_double(const struct inst *i) { return isa_table[i->op].unit == UNIT_DOUBLE; }

static bool is_load(const struct inst *i)
{
    return i->op == OP_LD || i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDL || i->op == OP_LDC;
}

static bool is_atomic(const struct inst *i) { return isa_has(i, ISA_ATOMIC); }

static bool is_convert(const struct inst *i)
{
    return i->op == OP_F2F || i->op == OP_F2I || i->op == OP_I2F || i->op == OP_FRND;
}

unsigned isa_dst_width(const struct inst *i)
{
    if (i->op == OP_IMADW || i->op == OP_CS2R) return 2;
    if (is_double(i)) return 2;
    if (is_convert(i) || is_load(i) || is_atomic(i)) return type_width((enum isa_type)i->type);
    if (i->op == OP_TEX) return 4;
    return 1;
}

unsigned isa_src_width(const struct inst *i, unsigned k)
{
    if (i->op == OP_IMADW) return k == 2 ? 2 : 1;
    if (is_double(i)) return 2;
    if (i->op == OP_FRND) return type_width((enum isa_type)i->type);
    if (is_convert(i)) return type_width((enum isa_type)i->type2);
    if (isa_has(i, ISA_STORE) && i->op != OP_LDGSTS) return type_width((enum isa_type)i->type);
    if (i->op == OP_TEX) return k == 0 ? 2 : i->mode == MODE_TEX_1D ? 1 : i->mode == MODE_TEX_2D ? 2 : 4;
    if (i->op == OP_MATCH && k == 0) return type_width((enum isa_type)i->type);
    if (i->op == OP_TXQ || i->op == OP_CALLR || i->op == OP_SYSCALL) return 2;
    return 1;
}

bool isa_mode_fits(enum isa_op op, enum isa_mode mode)
{
    static const struct {
        uint8_t first, last;
        bool or_none;
    } modes[OP_COUNT] = {
        [OP_PRMT] = {MODE_PRMT_F4E, MODE_PRMT_RC16, true},
        [OP_IMNMX] = {MODE_MIN, MODE_MAX, false},
        [OP_FMNMX] = {MODE_MIN, MODE_MAX, false},
        [OP_HMNMX2] = {MODE_MIN, MODE_MAX, false},
        [OP_DMNMX] = {MODE_MIN, MODE_MAX, false},
        [OP_IDP] = {MODE_IDP_4A, MODE_IDP_2A_HI, false},
        [OP_SHF] = {MODE_SHF_L, MODE_SHF_R, false},
        [OP_FLO] = {MODE_FLO_SH, MODE_FLO_SH, true},
        [OP_MUFU] = {MODE_MUFU_RCP, MODE_MUFU_RSQ64H, false},
        [OP_HMUFU] = {MODE_MUFU_EX2, MODE_MUFU_TANH, false},
        [OP_ATOM] = {MODE_ATOM_ADD, MODE_ATOM_CAS, false},
        [OP_ATOMG] = {MODE_ATOM_ADD, MODE_ATOM_CAS, false},
        [OP_ATOMS] = {MODE_ATOM_ADD, MODE_ATOM_CAS, false},
        [OP_RED] = {MODE_ATOM_ADD, MODE_ATOM_DEC, false},
        [OP_TEX] = {MODE_TEX_1D, MODE_TEX_3D, false},
        [OP_TXQ] = {MODE_TXQ_WIDTH, MODE_TXQ_DEPTH, false},
        [OP_SHFL] = {MODE_SHFL_UP, MODE_SHFL_IDX, false},
        [OP_VOTE] = {MODE_VOTE_ALL, MODE_VOTE_UNI, true},
        [OP_MATCH] = {MODE_VOTE_ALL, MODE_VOTE_ANY, false},
        [OP_REDUX] = {MODE_ATOM_ADD, MODE_ATOM_XOR, false},
        [OP_BAR] = {MODE_BAR_SYNC, MODE_BAR_RED, false},
        [OP_TRAP] = {MODE_TRAP_ABORT, MODE_TRAP_BREAK, false},
        [OP_SYSCALL] = {MODE_SYS_VPRINTF, MODE_SYS_ASSERTFAIL, false},
    };
    if (mode == MODE_NONE) return modes[op].or_none || !modes[op].first;
    if (op == OP_HMUFU) return mode == MODE_MUFU_EX2 || mode == MODE_MUFU_TANH;
    return modes[op].first && mode >= modes[op].first && mode <= modes[op].last;
}

unsigned isa_src_modifiers(const struct inst *i, unsigned k)
{
    enum { SIGN = OPERAND_NEG | OPERAND_ABS, HALVES = OPERAND_H0_H0 | OPERAND_H1_H1 };
    switch ((enum isa_op)i->op) {
    case OP_SEL: return k < 2 ? SIGN : 0;
    case OP_IADD3:
    case OP_LEA: return OPERAND_NEG;
    case OP_IMAD: return OPERAND_NEG;
    case OP_IMADW: return k == 2 ? OPERAND_NEG : 0;
    case OP_HADD2:
    case OP_HMUL2:
    case OP_HFMA2:
    case OP_HMNMX2:
    case OP_HSETP2:
    case OP_HSET2:
    case OP_HMUFU:
    case OP_F2F:
    case OP_F2I:
    case OP_FRND: return SIGN | HALVES;
    case OP_I2F: return 0;
    case OP_NOP:
    case OP_MOV:
    case OP_S2R:
    case OP_CS2R:
    case OP_PRMT:
    case OP_ISETP:
    case OP_IMNMX:
    case OP_IABS:
    case OP_VABSDIFF:
    case OP_IDP:
    case OP_LOP3:
    case OP_SHL:
    case OP_SHR:
    case OP_SHF:
    case OP_BFE:
    case OP_BFI:
    case OP_BMSK:
    case OP_SGXT:
    case OP_BREV:
    case OP_POPC:
    case OP_FLO:
    case OP_I2I:
    case OP_PLOP3:
    case OP_FADD:
    case OP_FMUL:
    case OP_FFMA:
    case OP_FMNMX:
    case OP_FSETP:
    case OP_FSET:
    case OP_FCHK:
    case OP_MUFU:
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_DMNMX:
    case OP_DSETP:
    case OP_F2FP:
    case OP_LD:
    case OP_LDG:
    case OP_LDS:
    case OP_LDL:
    case OP_LDC:
    case OP_ST:
    case OP_STG:
    case OP_STS:
    case OP_STL:
    case OP_ATOM:
    case OP_ATOMG:
    case OP_ATOMS:
    case OP_RED:
    case OP_MEMBAR:
    case OP_LDGSTS:
    case OP_LDGDEPBAR:
    case OP_DEPBAR:
    case OP_CCTL:
    case OP_TEX:
    case OP_TXQ:
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_CALLR:
    case OP_RET:
    case OP_EXIT:
    case OP_BAR:
    case OP_WARPSYNC:
    case OP_NANOSLEEP:
    case OP_TRAP:
    case OP_SYSCALL:
    case OP_COUNT: break;
    }
    return isa_has(i, ISA_FLOAT) ? SIGN : 0;
}

static bool saturates(enum isa_op op)
{
    bool compares = op == OP_FMNMX || op == OP_FSETP || op == OP_FSET || op == OP_HMNMX2 || op == OP_HSETP2 ||
                    op == OP_HSET2 || op == OP_DMNMX || op == OP_DSETP;
    return op == OP_I2I || (isa_table[op].flags & ISA_FLOAT && !compares);
}

unsigned isa_inst_flags(enum isa_op op)
{
    uint32_t traits = isa_table[op].flags;
    unsigned flags = 0;
    if (traits & ISA_CARRY) flags |= INST_CC | INST_X;
    if (traits & ISA_FLOAT) flags |= INST_FTZ;
    if (saturates(op)) flags |= INST_SAT;
    if (op == OP_IMAD || op == OP_LEA) flags |= INST_HI;
    if (op == OP_LEA) flags |= INST_SX;
    if (op == OP_ISETP) flags |= INST_EX;
    if (op == OP_SHF || op == OP_BMSK || op == OP_SGXT) flags |= INST_WRAP;
    if (op == OP_FMNMX || op == OP_HMNMX2) flags |= INST_NAN | INST_XORSIGN;
    if (op == OP_HFMA2 || op == OP_F2F || op == OP_F2FP) flags |= INST_RELU;
    if (op == OP_FSET || op == OP_HSET2) flags |= INST_BF;
    if (op == OP_FCHK) flags |= INST_FTZ;
    if (op == OP_LDG) flags |= INST_NC;
    if (op == OP_BRA) flags |= INST_UNIFORM;
    if (op == OP_HSETP2) flags |= INST_SCALAR;
    if (op == OP_ATOM || op == OP_ATOMG || op == OP_ATOMS) flags |= INST_VECTOR_RETURN | INST_FTZ;
    if (op == OP_RED) flags |= INST_FTZ;
    return flags;
}

bool isa_src_is_field(enum isa_op op, unsigned k)
{
    if (op == OP_SHFL || op == OP_MATCH || op == OP_REDUX) return k > 0; // lane, segment and member masks
    return op == OP_BAR || (op == OP_BFE && k == 2); // position and length share one immediate
}
