// Modifiers of every instruction in NVIDIA's order, their texts and their values.
#include "isa/syntax.h"
#include "isa/shape.h"

#define M(name) MODIFIER_##name

static const enum isa_modifier none[] = {MODIFIER_END};

const enum isa_modifier *isa_modifiers(enum isa_op op)
{
    static const enum isa_modifier prmt[] = {M(MODE), M(END)};
    static const enum isa_modifier carry[] = {M(X), M(END)};
    static const enum isa_modifier imad[] = {M(HI), M(SIGN), M(X), M(END)};
    static const enum isa_modifier sign[] = {M(SIGN), M(END)};
    static const enum isa_modifier imadw[] = {M(SIGN), M(X), M(END)};
    static const enum isa_modifier lea[] = {M(HI), M(SX), M(X), M(END)};
    static const enum isa_modifier isetp[] = {M(CMP), M(SIGN), M(BOOL), M(EX), M(END)};
    static const enum isa_modifier idp[] = {M(MODE), M(TYPE), M(TYPE2), M(END)};
    static const enum isa_modifier lut[] = {M(LUT), M(END)};
    static const enum isa_modifier shf[] = {M(MODE), M(WRAP), M(TYPE), M(END)};
    static const enum isa_modifier wrap[] = {M(WRAP), M(END)};
    static const enum isa_modifier sgxt[] = {M(WRAP), M(SIGN), M(END)};
    static const enum isa_modifier flo[] = {M(SIGN), M(MODE), M(END)};
    static const enum isa_modifier i2i[] = {M(TYPE), M(TYPE2), M(SAT), M(END)};
    static const enum isa_modifier arith[] = {M(FTZ), M(ROUND), M(SAT), M(END)};
    static const enum isa_modifier half[] = {M(TYPE), M(FTZ), M(ROUND), M(SAT), M(RELU), M(END)};
    static const enum isa_modifier minmax[] = {M(TYPE), M(FTZ), M(NAN), M(XORSIGN), M(END)};
    static const enum isa_modifier fsetp[] = {M(TYPE), M(CMP), M(FTZ), M(BOOL), M(BF), M(SCALAR), M(END)};
    static const enum isa_modifier mufu[] = {M(MODE), M(TYPE), M(FTZ), M(SAT), M(END)};
    static const enum isa_modifier fchk[] = {M(FTZ), M(END)};
    static const enum isa_modifier f2f[] = {M(TYPE), M(TYPE2), M(FTZ), M(ROUND), M(SAT), M(RELU), M(END)};
    static const enum isa_modifier f2i[] = {M(TYPE), M(TYPE2), M(FTZ), M(ROUND_INT), M(SAT), M(END)};
    static const enum isa_modifier frnd[] = {M(TYPE), M(FTZ), M(ROUND_INT), M(SAT), M(END)};
    static const enum isa_modifier memory[] = {M(WIDE), M(ACCESS), M(NC), M(CACHE), M(SEM), M(SCOPE), M(END)};
    static const enum isa_modifier atomic[] = {M(WIDE),  M(SPACE), M(MODE),  M(TYPE),   M(FTZ),
                                               M(CACHE), M(SEM),   M(SCOPE), M(RETURN), M(END)};
    static const enum isa_modifier fence[] = {M(SEM), M(SCOPE), M(END)};
    static const enum isa_modifier cctl[] = {M(WIDE), M(SPACE), M(CACHE), M(END)};
    static const enum isa_modifier tex[] = {M(MODE), M(TYPE), M(TYPE2), M(END)};
    static const enum isa_modifier typed[] = {M(MODE), M(TYPE), M(END)};
    static const enum isa_modifier bra[] = {M(UNIFORM), M(END)};
    static const enum isa_modifier bar[] = {M(MODE), M(BOOL), M(END)};
    switch (op) {
    case OP_PRMT:
    case OP_TXQ:
    case OP_SHFL:
    case OP_VOTE:
    case OP_TRAP:
    case OP_SYSCALL: return prmt;
    case OP_IADD3: return carry;
    case OP_IMAD: return imad;
    case OP_IMADW: return imadw;
    case OP_IMNMX:
    case OP_VABSDIFF:
    case OP_SHR:
    case OP_BFE: return sign;
    case OP_LEA: return lea;
    case OP_ISETP: return isetp;
    case OP_IDP: return idp;
    case OP_LOP3:
    case OP_PLOP3: return lut;
    case OP_SHF: return shf;
    case OP_BMSK: return wrap;
    case OP_SGXT: return sgxt;
    case OP_FLO: return flo;
    case OP_I2I: return i2i;
    case OP_FADD:
    case OP_FMUL:
    case OP_FFMA:
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA: return arith;
    case OP_HADD2:
    case OP_HMUL2:
    case OP_HFMA2: return half;
    case OP_FMNMX:
    case OP_DMNMX:
    case OP_HMNMX2: return minmax;
    case OP_FSETP:
    case OP_FSET:
    case OP_DSETP:
    case OP_HSETP2:
    case OP_HSET2: return fsetp;
    case OP_MUFU:
    case OP_HMUFU: return mufu;
    case OP_FCHK: return fchk;
    case OP_F2F:
    case OP_F2FP:
    case OP_I2F: return f2f;
    case OP_F2I: return f2i;
    case OP_FRND: return frnd;
    case OP_LD:
    case OP_LDG:
    case OP_LDS:
    case OP_LDL:
    case OP_LDC:
    case OP_ST:
    case OP_STG:
    case OP_STS:
    case OP_STL:
    case OP_LDGSTS: return memory;
    case OP_ATOM:
    case OP_ATOMG:
    case OP_ATOMS:
    case OP_RED: return atomic;
    case OP_MEMBAR: return fence;
    case OP_CCTL: return cctl;
    case OP_TEX: return tex;
    case OP_MATCH:
    case OP_REDUX: return typed;
    case OP_BRA: return bra;
    case OP_BAR: return bar;
    case OP_NOP:
    case OP_MOV:
    case OP_SEL:
    case OP_S2R:
    case OP_CS2R:
    case OP_IABS:
    case OP_SHL:
    case OP_BFI:
    case OP_BREV:
    case OP_POPC:
    case OP_LDGDEPBAR:
    case OP_DEPBAR:
    case OP_BRX:
    case OP_CALL:
    case OP_CALLR:
    case OP_RET:
    case OP_EXIT:
    case OP_WARPSYNC:
    case OP_NANOSLEEP:
    case OP_COUNT: break;
    }
    return none;
}

static const char *const space_names[] = {"", "GLOBAL", "SHARED", "LOCAL", "CONST"};
static const char *const cache_names[] = {"", "CA", "CG", "CS", "LU", "CV", "WB", "WT"};
static const char *const sem_names[] = {"", "VOLATILE", "STRONG", "ACQUIRE", "RELEASE", "ACQ_REL", "SC"};
static const char *const scope_names[] = {"CTA", "GPU", "SYS"};
static const char *const bool_names[] = {"AND", "OR", "XOR", "POPC"};
static const char *const round_names[] = {"", "RZ", "RM", "RP", "RNA"};
static const char *const round_int_names[] = {"", "TRUNC", "FLOOR", "CEIL", "RNA"};

static const struct {
    uint16_t flag;
    const char *text;
} flags[MODIFIER_COUNT] = {
    [M(FTZ)] = {INST_FTZ, "FTZ"},
    [M(SAT)] = {INST_SAT, "SAT"},
    [M(X)] = {INST_X, "X"},
    [M(HI)] = {INST_HI, "HI"},
    [M(SX)] = {INST_SX, "SX32"},
    [M(EX)] = {INST_EX, "EX"},
    [M(WRAP)] = {INST_WRAP, "W"},
    [M(NAN)] = {INST_NAN, "NAN"},
    [M(XORSIGN)] = {INST_XORSIGN, "XORSIGN"},
    [M(RELU)] = {INST_RELU, "RELU"},
    [M(BF)] = {INST_BF, "BF"},
    [M(NC)] = {INST_NC, "CONSTANT"},
    [M(UNIFORM)] = {INST_UNIFORM, "U"},
    [M(SCALAR)] = {INST_SCALAR, "H0_H0"},
    [M(RETURN)] = {INST_VECTOR_RETURN, "RTN"},
};

static const struct operand *address_of(const struct inst *i)
{
    return i->op == OP_LDGSTS ? &i->src[1] : &i->src[0];
}

const char *isa_modifier_text(const struct inst *i, enum isa_modifier m)
{
    switch (m) {
    case M(MODE):
        return i->mode == MODE_MIN || i->mode == MODE_MAX ? "" : isa_mode_name((enum isa_mode)i->mode);
    case M(CMP): return isa_cmp_name((enum isa_cmp)i->cmp);
    case M(BOOL): return i->op == OP_BAR && i->mode != MODE_BAR_RED ? "" : bool_names[i->boolean];
    case M(SIGN): return i->type == TYPE_U32 ? "U32" : "";
    case M(TYPE): return isa_type_name((enum isa_type)i->type);
    case M(TYPE2): return isa_type_name((enum isa_type)i->type2);
    case M(ACCESS):
        return i->type == TYPE_B32    ? ""
               : i->type == TYPE_B64  ? "64"
               : i->type == TYPE_B128 ? "128"
                                      : isa_type_name((enum isa_type)i->type);
    case M(WIDE): return address_of(i)->width == 2 ? "E" : "";
    case M(SPACE): return space_names[i->space];
    case M(CACHE): return cache_names[i->cache];
    case M(SEM): return sem_names[i->sem];
    case M(SCOPE): return i->sem == SEM_WEAK ? "" : scope_names[i->scope];
    case M(ROUND): return round_names[i->round];
    case M(ROUND_INT): return round_int_names[i->round];
    case M(LUT): return "LUT";
    case M(FTZ):
    case M(SAT):
    case M(X):
    case M(HI):
    case M(SX):
    case M(EX):
    case M(WRAP):
    case M(NAN):
    case M(XORSIGN):
    case M(RELU):
    case M(BF):
    case M(NC):
    case M(UNIFORM):
    case M(SCALAR):
    case M(RETURN): return i->flags & flags[m].flag ? flags[m].text : "";
    case M(END):
    case M(COUNT): break;
    }
    return "";
}

static bool set_access(struct inst *i, unsigned v)
{
    static const uint8_t access[] = {TYPE_B32, TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16, TYPE_B64, TYPE_B128};
    if (v < sizeof access) i->type = access[v];
    return v < sizeof access;
}

static bool set_mode(struct inst *i, unsigned v)
{
    for (unsigned mode = 0; mode < MODE_COUNT; mode++)
        if (isa_mode_fits((enum isa_op)i->op, (enum isa_mode)mode) && v-- == 0)
            return i->mode = (uint8_t)mode, true;
    return false;
}

static bool set_byte(uint8_t *field, unsigned v, unsigned count)
{
    if (v < count) *field = (uint8_t)v;
    return v < count;
}

bool isa_modifier_set(struct inst *i, enum isa_modifier m, unsigned v)
{
    switch (m) {
    case M(MODE): return set_mode(i, v);
    case M(CMP): return set_byte(&i->cmp, v, CMP_T + 1);
    case M(BOOL): return set_byte(&i->boolean, v, BOOL_POPC + 1);
    case M(SIGN): i->type = v ? TYPE_U32 : TYPE_S32; return v < 2;
    case M(TYPE): return set_byte(&i->type, v, TYPE_COUNT);
    case M(TYPE2): return set_byte(&i->type2, v, TYPE_COUNT);
    case M(ACCESS): return set_access(i, v);
    case M(WIDE): i->src[i->op == OP_LDGSTS].width = v ? 2 : 1; return v < 2;
    case M(SPACE): return set_byte(&i->space, v, SPACE_CONST + 1);
    case M(CACHE): return set_byte(&i->cache, v, CACHE_WT + 1);
    case M(SEM): return set_byte(&i->sem, v, SEM_SC + 1);
    case M(SCOPE): return set_byte(&i->scope, v, SCOPE_SYS + 1);
    case M(ROUND):
    case M(ROUND_INT): return set_byte(&i->round, v, ROUND_RNA + 1);
    case M(LUT): return v == 0;
    case M(FTZ):
    case M(SAT):
    case M(X):
    case M(HI):
    case M(SX):
    case M(EX):
    case M(WRAP):
    case M(NAN):
    case M(XORSIGN):
    case M(RELU):
    case M(BF):
    case M(NC):
    case M(UNIFORM):
    case M(SCALAR):
    case M(RETURN):
        i->flags = (uint16_t)(v ? i->flags | flags[m].flag : i->flags & ~flags[m].flag);
        return v < 2;
    case M(END):
    case M(COUNT): break;
    }
    return false;
}
