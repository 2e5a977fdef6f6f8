// The modifiers in NVIDIA's order, their texts and their values.
#include "isa/syntax.h"
#include "isa/mma.h"
#include "isa/shape.h"
#include "isa/space.h"

#define M(name) MODIFIER_##name

enum isa_modifier isa_next_modifier(enum isa_op op, enum isa_modifier m)
{
    while (m < MODIFIER_COUNT && !isa_has_modifier(op, m)) m = (enum isa_modifier)(m + 1);
    return m;
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
    [M(UNFENCED)] = {INST_UNFENCED, "UNFENCED"},
    [M(EXPOSED)] = {INST_EXPOSED, "EXPOSED"},
};

const char *isa_modifier_text(const struct inst *i, enum isa_modifier m)
{
    switch (m) {
    case M(MODE):
        return i->mode == MODE_MIN || i->mode == MODE_MAX ? "" : isa_mode_name((enum isa_mode)i->mode);
    case M(CMP): return isa_cmp_name((enum isa_cmp)i->cmp);
    case M(BOOL): return i->op == OP_BAR && i->mode != MODE_BAR_RED ? "" : bool_names[i->boolean];
    case M(SH): return i->mode == MODE_FLO_SH ? "SH" : "";
    case M(SIGN): return i->type == TYPE_U32 ? "U32" : "";
    case M(TYPE): return isa_type_name((enum isa_type)i->type);
    case M(TYPE2): return isa_type_name((enum isa_type)i->type2);
    case M(TYPE3): return isa_type_name((enum isa_type)i->type3);
    case M(SHAPE): return isa_mma_shapes[i->shape].text;
    case M(ACCESS):
        return i->type == TYPE_B32    ? ""
               : i->type == TYPE_B64  ? "64"
               : i->type == TYPE_B128 ? "128"
                                      : isa_type_name((enum isa_type)i->type);
    case M(WIDE): return i->src[isa_address_source((enum isa_op)i->op)].width == 2 ? "E" : "";
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
    case M(UNFENCED):
    case M(EXPOSED):
    case M(SCALAR): return i->flags & flags[m].flag ? flags[m].text : "";
    case M(LUT2):
    case M(SHIFT):
    case M(TABLE):
    case M(TARGET):
    case M(JOIN):
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

static bool set_shape(struct inst *i, unsigned v)
{
    for (unsigned shape = 0; shape < MMA_COUNT; shape++)
        if (isa_shape_fits((enum isa_op)i->op, shape) && v-- == 0) return i->shape = (uint8_t)shape, true;
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
    case M(SH): i->mode = v ? MODE_FLO_SH : MODE_NONE; return v < 2;
    case M(SIGN): i->type = v ? TYPE_U32 : TYPE_S32; return v < 2;
    case M(TYPE): return set_byte(&i->type, v, TYPE_COUNT);
    case M(TYPE2): return set_byte(&i->type2, v, TYPE_COUNT);
    case M(TYPE3): return set_byte(&i->type3, v, TYPE_COUNT);
    case M(SHAPE): return set_shape(i, v);
    case M(ACCESS): return set_access(i, v);
    case M(WIDE): i->src[isa_address_source((enum isa_op)i->op)].width = v ? 2 : 1; return v < 2;
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
    case M(UNFENCED):
    case M(EXPOSED):
    case M(SCALAR):
        i->flags = (uint16_t)(v ? i->flags | flags[m].flag : i->flags & ~flags[m].flag);
        return v < 2;
    case M(LUT2):
    case M(SHIFT):
    case M(TABLE):
    case M(TARGET):
    case M(JOIN):
    case M(COUNT): break;
    }
    return false;
}
