// The table of shapes, expanded from isa.def; operand widths and presence by type and mode.
#include "isa/shape.h"
#include "isa/mma.h"

// Macros for the "form" column of isa.def: designated initializers of struct isa_shape.
#define d(...)          .dst[0] = {__VA_ARGS__},
#define q(...)          .dst[1] = {__VA_ARGS__},
#define a(...)          .src[0] = {__VA_ARGS__},
#define b(...)          .src[1] = {__VA_ARGS__},
#define c(...)          .src[2] = {__VA_ARGS__},
#define e(...)          .src[3] = {__VA_ARGS__},
#define NO_OPERANDS     .dst[0] = {.kind = SHAPE_NONE},
#define GROUP(kind_, n) .kind = SHAPE_##kind_, .width = WIDTH_##n
#define R1              GROUP(REG, 1)
#define R2              GROUP(REG, 2)
#define R4              GROUP(REG, 4)
#define RT              GROUP(REG, TYPE)
#define RU              GROUP(REG, TYPE2)
#define RX              GROUP(REG, TEXTURE)
#define RA              GROUP(REG, A)
#define RB              GROUP(REG, B)
#define RD              GROUP(REG, D)
#define I1              GROUP(IMM, 1)
#define V1              GROUP(VALUE, 1)
#define V2              GROUP(VALUE, 2)
#define VT              GROUP(VALUE, TYPE)
#define VU              GROUP(VALUE, TYPE2)
#define F1              GROUP(FLOAT, 1)
#define F2              GROUP(FLOAT, 2)
#define P               .kind = SHAPE_PRED
#define SR              .kind = SHAPE_SPECIAL
#define BANK            .kind = SHAPE_BANK
#define ADDRESS         .kind = SHAPE_ADDRESS
#define ADDRESS_E       .kind = SHAPE_ADDRESS, .pair_address = true
#define NEG             .modifiers = OPERAND_NEG
#define SIGNS           .modifiers = OPERAND_NEG | OPERAND_ABS
#define HALVES          .modifiers = OPERAND_NEG | OPERAND_ABS | OPERAND_H0_H0 | OPERAND_H1_H1
#define H1              .modifiers = OPERAND_H1_H1
#define MATRIX          .modifiers = OPERAND_NEG | OPERAND_T
#define OWN             .own_field = true
#define MAY             .when = WHEN_MAY
#define IF(condition)   .when = WHEN_##condition

#define M(name)            (1ull << MODIFIER_##name)
#define FLAG(set, name)    ((set)&M(name) ? INST_##name : 0)
#define UNORDERED          (M(UNFENCED) | M(EXPOSED))
#define CARRY(set)         ((set)&M(X) ? INST_CC | INST_X : 0)
#define MODE(name)         (1ull << MODE_##name)
#define MODES(first, last) ((2ull << MODE_##last) - MODE(first))
#define T(name)            ISA_TYPE(name)
#define mode(set)          .modes = (set),
#define type(set)          .types = (set),
#define type2(set)         .types2 = (set),
#define type3(set)         .types3 = (set),
#define SHAPE(name)        (1u << MMA_##name)
#define shape(set)         .shapes = (set),
#define has(set)                                                                                             \
    .modifiers = (set),                                                                                      \
    .flags = FLAG(set, FTZ) | FLAG(set, SAT) | CARRY(set) | FLAG(set, HI) | FLAG(set, SX) | FLAG(set, EX) |  \
             FLAG(set, WRAP) | FLAG(set, NAN) | FLAG(set, XORSIGN) | FLAG(set, RELU) | FLAG(set, BF) |       \
             FLAG(set, NC) | FLAG(set, UNIFORM) | FLAG(set, SCALAR) | FLAG(set, UNFENCED) |                  \
             FLAG(set, EXPOSED),

_Static_assert(MODE_COUNT <= 64 && MODIFIER_COUNT <= 64, "a set of either is 64 bits");

const struct isa_shape isa_shapes[OP_COUNT] = {
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) [OP_##name] = {form},
#include "isa/isa.def"
#undef INST
};

#undef d
#undef q
#undef a
#undef b
#undef c
#undef e
#undef mode
#undef type
#undef type2
#undef type3
#undef shape

static unsigned type_width(unsigned type)
{
    unsigned bytes = isa_type_bytes((enum isa_type)type);
    return bytes == 16 ? 4 : bytes == 8 ? 2 : 1;
}

static unsigned width_of(const struct inst *i, const struct isa_place *place)
{
    switch ((enum shape_width)place->width) {
    case WIDTH_1: break;
    case WIDTH_2: return 2;
    case WIDTH_4: return 4;
    case WIDTH_TYPE: return type_width(i->type);
    case WIDTH_TYPE2: return type_width(i->type2);
    case WIDTH_A: return isa_mma_registers(i, FACTOR_A);
    case WIDTH_B: return isa_mma_registers(i, FACTOR_B);
    case WIDTH_D: return isa_mma_registers(i, FACTOR_D);
    case WIDTH_TEXTURE: return i->mode == MODE_TEX_1D ? 1 : i->mode == MODE_TEX_2D ? 2 : 4;
    }
    return 1;
}

unsigned isa_dst_width(const struct inst *i) { return width_of(i, &isa_shapes[i->op].dst[0]); }

unsigned isa_src_width(const struct inst *i, unsigned k) { return width_of(i, &isa_shapes[i->op].src[k]); }

static enum isa_presence exactly(bool present) { return present ? PRESENCE_ALWAYS : PRESENCE_NEVER; }

enum isa_presence isa_presence(const struct inst *i, const struct isa_place *place)
{
    bool reduces = i->mode == MODE_BAR_RED, counts = i->boolean == BOOL_POPC;
    if (!place->kind) return PRESENCE_NEVER;
    switch ((enum isa_when)place->when) {
    case WHEN_ALWAYS: return PRESENCE_ALWAYS;
    case WHEN_MAY: return PRESENCE_MAY;
    case WHEN_CC: return exactly(i->flags & INST_CC);
    case WHEN_X: return exactly(i->flags & INST_X);
    case WHEN_EX: return exactly(i->flags & INST_EX);
    case WHEN_TWO_WORDS: return exactly((i->flags & INST_HI) && !(i->flags & INST_SX));
    case WHEN_CAS: return exactly(i->mode == MODE_ATOM_CAS);
    case WHEN_NO_BALLOT: return exactly(i->mode != MODE_NONE);
    case WHEN_REDUCTION: return exactly(reduces);
    case WHEN_COUNT: return exactly(reduces && counts);
    case WHEN_TRUTH: return exactly(reduces && !counts);
    }
    return PRESENCE_NEVER;
}

unsigned isa_address_source(enum isa_op op)
{
    const struct isa_shape *s = &isa_shapes[op];
    for (unsigned k = 2; k-- > 0;)
        if (s->src[k].kind == SHAPE_ADDRESS || s->src[k].kind == SHAPE_BANK) return k;
    return 4;
}
