// Asynchronous products of a warpgroup (PTX ISA 9.7.15).
//
//     wgmma.mma_async d, a, b, p        d' = wgmma d, a, b, p       tied to d's registers until the wait
//     wgmma.wait_group 0                wgwait;  d" = wglanded d'   no pass moves a reader of d" before the wait
//
// A wait lands the registers that any product of the function sums in: which products are pending at a wait is a question of
// the run.
#include "compile/lower/impl.h"

#include <string.h>

enum { SUMS_MAX = 128, FACTORS_MAX = 4 + 1 + 1 + 1 };

static bool is_product(const struct ptx_inst *i)
{
    return i->op == PTX_OP_WGMMA && i->mode == PTX_MODE_WGMMA_MMA;
}

static bool are_same(const struct ptx_operand *x, const struct ptx_operand *y)
{
    if (x->count != y->count) return false;
    for (unsigned k = 0; k < x->count; k++)
        if (x->elements[k].reg != y->elements[k].reg) return false;
    return true;
}

uint32_t lower_next_sums(const struct lower *l, uint32_t from)
{
    for (; from < l->ptx->inst_count; from++) {
        const struct ptx_inst *i = &l->ptx->insts[from];
        if (!is_product(i)) continue;
        bool is_known = false;
        for (uint32_t k = 0; k < from && !is_known; k++)
            is_known =
                is_product(&l->ptx->insts[k]) && are_same(&l->ptx->insts[k].operands[0], &i->operands[0]);
        if (!is_known) break;
    }
    return from;
}

static bool is_value(const struct ir_value *v)
{
    return !v->is_constant && !(v->def && v->def->op == IR_UNDEF);
}

// The sums are ordinary values from here on.
static void land(struct lower *l, const struct ptx_operand *sums)
{
    struct ir_value *uses[SUMS_MAX];
    enum ir_class classes[SUMS_MAX];
    bool has_value = false;
    for (unsigned k = 0; k < sums->count; k++) {
        uses[k] = lower_read_operand(l, &sums->elements[k], PTX_B32);
        classes[k] = IR_CLASS_32;
        has_value |= is_value(uses[k]);
    }
    if (!has_value) return;
    struct ir_inst *i = lower_inst(l, IR_WGLANDED, TYPE_NONE, sums->count, classes, sums->count, uses);
    for (unsigned k = 0; k < sums->count; k++)
        lower_write_variable(l, l->register_variable[sums->elements[k].reg], i->defs[k]);
}

static void lower_wait(struct lower *l)
{
    struct ir_inst *wait = lower_effect(l, IR_WGWAIT, TYPE_NONE, 0, NULL, 0, NULL);
    wait->offset = (int64_t)l->inst->operands[0].imm;
    l->guard = NULL;
    for (uint32_t k = lower_next_sums(l, 0); k < l->ptx->inst_count; k = lower_next_sums(l, k + 1))
        land(l, &l->ptx->insts[k].operands[0]);
}

// imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b; with a in registers without imm-trans-a.
static int64_t options(const struct ptx_inst *p, const struct ptx_operand *scale)
{
    int64_t found = 0;
    bool has_descriptor = p->operands[1].kind != PTX_OPERAND_VECTOR;
    if (scale->count < 2) return p->sparse && p->operands[4].imm ? WGMMA_UPPER : 0;
    if ((int64_t)scale->elements[0].imm < 0) found |= WGMMA_NEGATES_A;
    if ((int64_t)scale->elements[1].imm < 0) found |= WGMMA_NEGATES_B;
    if (scale->count == 4 && has_descriptor && scale->elements[2].imm) found |= WGMMA_TURNS_A;
    if (scale->count > 2 && scale->elements[scale->count - 1].imm) found |= WGMMA_TURNS_B;
    if (p->sparse && p->operands[4].imm) found |= WGMMA_UPPER;
    return found;
}

static void lower_product(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    const struct ptx_operand *d = &p->operands[0], *a = &p->operands[1],
                             *scale = &p->operands[p->sparse ? 5 : 3];
    struct ir_value *uses[SUMS_MAX + FACTORS_MAX];
    enum ir_class classes[SUMS_MAX];
    uint32_t count = 0;
    for (; count < d->count; count++) {
        uses[count] = lower_read_operand(l, &d->elements[count], PTX_B32);
        classes[count] = IR_CLASS_32;
    }
    if (a->kind == PTX_OPERAND_VECTOR)
        for (unsigned k = 0; k < a->count; k++)
            uses[count++] = lower_read_operand(l, &a->elements[k], PTX_B32);
    else
        uses[count++] = lower_read(l, 1, PTX_B64);
    uses[count++] = lower_read(l, 2, PTX_B64);
    uses[count++] = lower_read_operand(l, scale, PTX_PRED);
    if (p->sparse) uses[count++] = lower_read(l, 3, PTX_B32);
    struct ir_inst *i = lower_effect(l, IR_WGMMA, lower_type(p->types[0]), d->count, classes, count, uses);
    i->type2 = (uint8_t)lower_type(p->types[1]);
    i->type3 = (uint8_t)lower_type(p->types[2]);
    i->lut = p->sparse != 0;
    i->offset = options(p, scale) | lower_product_marks(l);
    if (p->clamps) i->flags |= INST_SAT;
    for (unsigned k = 0; k < d->count; k++) lower_write_def(l, &d->elements[k], i, k);
}

void lower_wgmma(struct lower *l)
{
    switch ((int)l->inst->mode) {
    case PTX_MODE_WGMMA_MMA: lower_product(l); break;
    case PTX_MODE_CP_WAIT_GROUP: lower_wait(l); break;
    case PTX_MODE_CP_COMMIT_GROUP: lower_effect(l, IR_WGCOMMIT, TYPE_NONE, 0, NULL, 0, NULL); break;
    default: lower_effect(l, IR_WGFENCE, TYPE_NONE, 0, NULL, 0, NULL); break;
    }
}
