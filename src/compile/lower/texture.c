// Texture fetches and queries (PTX ISA 9.7.10). The texture object determines filtering and addressing; the
// sampler operand of the independent mode is ignored.
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/space.h"

// A texture handle: from a register, from a parameter, or bound by the loader to the name of a .texref.
static struct ir_value *texture(struct lower *l, const struct ptx_operand *o)
{
    const struct ptx_variable *v = o->variable;
    l->u->unit->program->uses_textures = true;
    if (!v) return lower_read_operand(l, o, PTX_U64);
    if (v->space != PTX_SPACE_PARAM) return lower_symbol(l, v);
    struct ir_value *handle = lower_make(l, IR_BANK, TYPE_U64, IR_CLASS_64, 0, NULL);
    handle->def->bank = BANK_LAUNCH;
    handle->def->offset = BANK_LAUNCH_PARAMS + (int64_t)v->offset;
    return handle;
}

// tex.GEOMETRY.v4.TYPE.CTYPE {d, …}, [texture, {coordinates}]   or   [texture, sampler, {coordinates}]
void lower_tex(struct lower *l)
{
    static const enum ir_class classes[] = {IR_CLASS_32, IR_CLASS_32, IR_CLASS_32, IR_CLASS_32};
    const struct ptx_inst *p = l->inst;
    const struct ptx_operand *d = lower_pair(&p->operands[0], 0), *resident = lower_pair(&p->operands[0], 1);
    const struct ptx_operand *at = &p->operands[p->operand_count - 1];
    unsigned dimensions = (unsigned)(p->mode - PTX_MODE_TEX_1D) + 1;
    struct ir_value *uses[4] = {texture(l, &p->operands[1])};
    for (unsigned k = 0; k < dimensions; k++)
        uses[1 + k] =
            lower_read_operand(l, at->kind == PTX_OPERAND_VECTOR ? &at->elements[k] : at, p->types[1]);
    struct ir_inst *i = lower_effect(l, IR_TEX, lower_type(p->types[0]), 4, classes, 1 + dimensions, uses);
    i->mode = (uint8_t)(MODE_TEX_1D + (p->mode - PTX_MODE_TEX_1D));
    i->type2 = (uint8_t)lower_type(p->types[1]);
    if (d->kind == PTX_OPERAND_VECTOR)
        for (unsigned k = 0; k < d->count && k < 4; k++) lower_write_def(l, &d->elements[k], i, k);
    else
        lower_write_def(l, d, i, 0);
    if (resident) lower_write_operand(l, resident, flag(l, true));
}

void lower_txq(struct lower *l)
{
    struct ir_value *handle = texture(l, &l->inst->operands[1]);
    struct ir_value *r = lower_make(l, IR_TXQ, TYPE_U32, IR_CLASS_32, 1, &handle);
    r->def->mode = (uint8_t)(MODE_TXQ_WIDTH + (l->inst->mode - PTX_MODE_TXQ_WIDTH));
    lower_write(l, 0, r);
}
