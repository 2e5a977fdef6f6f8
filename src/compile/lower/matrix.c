// Matrix instructions (PTX ISA 9.7.14): registers of the operands one after the other; widths are the machine's business.
#include "compile/lower/impl.h"
#include "isa/mma.h"
#include "isa/modes.h"
#include "isa/space.h"

enum { REGISTERS_MAX = 32 }; // of all operands

static unsigned shape_of(const struct ptx_inst *p)
{
    static const uint8_t shapes[] = {[PTX_SHAPE_M8N8K4] = MMA_884,      [PTX_SHAPE_M8N8K16] = MMA_8816,
                                     [PTX_SHAPE_M8N8K32] = MMA_8832,    [PTX_SHAPE_M8N8K128] = MMA_88128,
                                     [PTX_SHAPE_M16N8K4] = MMA_1684,    [PTX_SHAPE_M16N8K8] = MMA_1688,
                                     [PTX_SHAPE_M16N8K16] = MMA_16816,  [PTX_SHAPE_M16N8K32] = MMA_16832,
                                     [PTX_SHAPE_M16N8K64] = MMA_16864,  [PTX_SHAPE_M16N8K128] = MMA_168128,
                                     [PTX_SHAPE_M16N8K256] = MMA_168256};
    bool a_rows = p->layouts[0] == PTX_LAYOUT_ROW, b_rows = p->layouts[1] == PTX_LAYOUT_ROW;
    if (p->shape != PTX_SHAPE_M8N8K4 || p->types[1] != PTX_F16) return shapes[p->shape];
    return a_rows ? (b_rows ? MMA_884_RR : MMA_884) : (b_rows ? MMA_884_CR : MMA_884_CC);
}

static unsigned element_count(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
}

static const struct ptx_operand *element(const struct ptx_operand *o, unsigned k)
{
    return o->kind == PTX_OPERAND_VECTOR ? &o->elements[k] : o;
}

// Appends the registers of an operand.
static unsigned read_registers(struct lower *l, unsigned operand, enum ptx_type type, struct ir_value **to,
                               unsigned count)
{
    const struct ptx_operand *o = &l->inst->operands[operand];
    for (unsigned k = 0; k < element_count(o); k++) to[count++] = lower_read_operand(l, element(o, k), type);
    return count;
}

static void write_registers(struct lower *l, struct ir_inst *i)
{
    for (unsigned k = 0; k < i->def_count; k++) lower_write_def(l, element(&l->inst->operands[0], k), i, k);
}

// f64 beyond m8n8k4 as products of m8n8k4: 8 rows and 4 columns of a at a time, in increasing depth. The chain of fused operations of
// an element is the same.
static void lower_doubles(struct lower *l)
{
    enum { STEPS_MAX = 4 };
    static const enum ir_class classes[] = {IR_CLASS_64, IR_CLASS_64};
    const struct ptx_inst *p = l->inst;
    struct ir_value *a[2 * STEPS_MAX], *b[STEPS_MAX], *c[4];
    unsigned steps = element_count(&p->operands[2]);
    read_registers(l, 1, PTX_F64, a, 0);
    read_registers(l, 2, PTX_F64, b, 0);
    read_registers(l, 3, PTX_F64, c, 0);
    for (unsigned step = 0; step < steps; step++)
        for (unsigned half = 0; half < 2; half++) {
            struct ir_value *uses[] = {a[2 * step + half], b[step], c[2 * half], c[2 * half + 1]};
            struct ir_inst *i = lower_effect(l, IR_MMA, TYPE_F64, 2, classes, 4, uses);
            i->type2 = i->type3 = TYPE_F64;
            i->shape = MMA_884;
            i->round = (uint8_t)lower_round(p->round);
            c[2 * half] = i->defs[0];
            c[2 * half + 1] = i->defs[1];
        }
    for (unsigned k = 0; k < 4; k++) lower_write_operand(l, element(&p->operands[0], k), c[k]);
}

// c of m8n8k4 in f16 as c in f32. A lane of f16 has a row of 8 columns in 4 registers, a lane of f32 has 4 columns of two
// rows, all in the same 4 lanes.
static void spread_halves(struct lower *l, struct ir_value *c[8])
{
    static const enum ir_class words[] = {IR_CLASS_32};
    struct ir_value *rows[4], *lane = lower_sreg(l, PTX_SREG_LANEID, 0);
    struct ir_value *columns = op2(l, IR_AND, TYPE_U32, lane, word(l, 2));
    struct ir_value *is_right = lower_compare(l, CMP_NE, TYPE_U32, columns, word(l, 0));
    read_registers(l, 3, PTX_B32, rows, 0);
    for (unsigned k = 0; k < 4;
         k++) { // pairs of columns: of the left or right four, of the upper or lower row
        unsigned half = k / 2, row = k % 2;
        struct ir_value *from = op2(l, IR_AND, TYPE_U32, lane, word(l, ~2u)), *pair[2];
        from = op2(l, IR_OR, TYPE_U32, from, word(l, 2 * row));
        for (unsigned side = 0; side < 2; side++) {
            struct ir_value *uses[] = {rows[2 * half + side], from, word(l, 31), word(l, UINT32_MAX)};
            struct ir_inst *i = lower_effect(l, IR_SHFL, TYPE_B32, 1, words, 4, uses);
            i->mode = MODE_SHFL_IDX;
            pair[side] = i->defs[0];
        }
        struct ir_value *both = lower_select(l, is_right, pair[1], pair[0]);
        c[2 * k] = lower_widen_half(l, both, 0);
        c[2 * k + 1] = lower_widen_half(l, both, 1);
    }
}

// m8n8k4 of f16 with sums in f32: an instruction for columns 0 to 3 of d, one for 4 to 7.
static void lower_halves(struct lower *l)
{
    enum { FACTORS = 4, SUMS = 4 };
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_32};
    struct ir_value *uses[FACTORS + SUMS], *c[2 * SUMS], *d[2 * SUMS];
    unsigned count = read_registers(l, 1, PTX_B32, uses, 0);
    read_registers(l, 2, PTX_B32, uses, count);
    if (l->inst->types[3] == PTX_F16)
        spread_halves(l, c);
    else
        read_registers(l, 3, PTX_B32, c, 0);
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned k = 0; k < SUMS; k++) uses[FACTORS + k] = c[half * SUMS + k];
        struct ir_inst *i = lower_effect(l, IR_MMA, TYPE_F32, SUMS, classes, FACTORS + SUMS, uses);
        i->type2 = i->type3 = TYPE_F16;
        i->shape = (uint8_t)isa_half_quad(shape_of(l->inst), half + 1);
        for (unsigned k = 0; k < SUMS; k++) d[half * SUMS + k] = i->defs[k];
    }
    for (unsigned k = 0; k < 2 * SUMS; k++) lower_write_operand(l, element(&l->inst->operands[0], k), d[k]);
}

void lower_mma(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    if (p->types[0] == PTX_F32 && p->shape == PTX_SHAPE_M8N8K4) {
        lower_halves(l);
        return;
    }
    if (p->types[0] == PTX_F64 && p->shape != PTX_SHAPE_M8N8K4) {
        lower_doubles(l);
        return;
    }
    bool is_wide = p->types[0] == PTX_F64;
    enum ptx_type type = is_wide ? PTX_F64 : PTX_B32;
    struct ir_value *uses[REGISTERS_MAX];
    enum ir_class classes[REGISTERS_MAX];
    unsigned count = 0, defs = element_count(&p->operands[0]);
    for (unsigned o = 1; o < (p->sparse ? 5u : 4u); o++) count = read_registers(l, o, type, uses, count);
    for (unsigned k = 0; k < defs; k++) classes[k] = is_wide ? IR_CLASS_64 : IR_CLASS_32;
    struct ir_inst *i = lower_effect(l, IR_MMA, lower_type(p->types[0]), defs, classes, count, uses);
    i->type2 = (uint8_t)lower_type(p->types[1]);
    i->type3 = (uint8_t)lower_type(p->types[2]);
    i->shape = (uint8_t)shape_of(p);
    if (p->clamps) i->flags |= INST_SAT;
    i->round = (uint8_t)lower_round(p->round);
    i->boolean = p->boolean == PTX_BOOL_XOR ? BOOL_XOR : BOOL_AND;
    i->lut = p->sparse != 0;
    i->bank = p->sparse ? (uint8_t)p->operands[5].imm : 0;
    write_registers(l, i);
}

// Address of the rows of ldmatrix and stmatrix. A generic address of shared memory: the offset is below the window's 24 bits.
static struct address rows_at(struct lower *l, unsigned operand)
{
    struct address a = lower_address(l, &l->inst->operands[operand], l->inst->space);
    if (a.space == SPACE_GENERIC) a.base = op2(l, IR_AND, TYPE_U32, lower_low(l, a.base), word(l, 0xffffff));
    return a;
}

static void describe_rows(struct lower *l, struct ir_inst *i, const struct address *a)
{
    const struct ptx_inst *p = l->inst;
    unsigned first = p->transposed ? MMA_MT88_1 : MMA_M88_1;
    i->shape = (uint8_t)(first + (p->matrices == 4 ? 2 : p->matrices == 2 ? 1 : 0));
    i->space = SPACE_SHARED;
    i->offset = a->offset;
}

void lower_ldmatrix(struct lower *l)
{
    static const enum ir_class words[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_32};
    struct address a = rows_at(l, 1);
    struct ir_inst *i = lower_effect(l, IR_LDMATRIX, TYPE_B32, l->inst->matrices, words, 1, &a.base);
    describe_rows(l, i, &a);
    write_registers(l, i);
}

void lower_stmatrix(struct lower *l)
{
    struct address a = rows_at(l, 0);
    struct ir_value *uses[5] = {a.base};
    unsigned count = read_registers(l, 1, PTX_B32, uses, 1);
    describe_rows(l, lower_effect(l, IR_STMATRIX, TYPE_B32, 0, NULL, count, uses), &a);
}

void lower_movmatrix(struct lower *l)
{
    struct ir_value *a = lower_read(l, 1, PTX_B32);
    static const enum ir_class words[] = {IR_CLASS_32};
    struct ir_inst *i = lower_effect(l, IR_MOVMATRIX, TYPE_B32, 1, words, 1, &a);
    lower_write_def(l, &l->inst->operands[0], i, 0);
}
