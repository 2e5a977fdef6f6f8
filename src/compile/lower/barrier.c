// Barriers (PTX ISA 9.7.13.1, 9.7.13.2).
//
//     bar.sync a {, b}        bar.arrive a, b        bar.red.OP d, a {, b}, c        bar.warp.sync members
//     barrier.cluster.arrive      barrier.cluster.wait
#include "compile/lower/impl.h"
#include "isa/modes.h"
#include "isa/program.h"

enum { BARRIERS = 16 };

static struct ir_value *barrier_number(struct lower *l, unsigned operand)
{
    struct program *p = l->u->unit->program;
    struct ir_value *number = lower_read(l, operand, PTX_U32);
    uint64_t bits;
    uint32_t count = ir_constant_bits(number, &bits) && bits < BARRIERS ? (uint32_t)bits + 1 : BARRIERS;
    if (count > p->barrier_count) p->barrier_count = count;
    return number;
}

static void reduce(struct lower *l)
{
    static const enum ir_class predicate = IR_CLASS_PRED, value = IR_CLASS_32;
    const struct ptx_inst *p = l->inst;
    bool counts = p->boolean == PTX_BOOL_POPC;
    unsigned n = 0, last = p->operand_count - 1u;
    struct ir_value *uses[3];
    uses[n++] = barrier_number(l, 1);
    if (last == 3) uses[n++] = lower_read(l, 2, PTX_U32);
    uses[n++] = lower_read(l, last, PTX_PRED);
    struct ir_inst *i = lower_effect(l, IR_BAR, TYPE_NONE, 1, counts ? &value : &predicate, n, uses);
    i->mode = MODE_BAR_RED;
    i->boolean = (uint8_t)(counts ? BOOL_POPC : p->boolean == PTX_BOOL_AND ? BOOL_AND : BOOL_OR);
    lower_write_def(l, &p->operands[0], i, 0);
}

void lower_bar(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    if (p->of_cluster) {
        struct ir_inst *i = lower_effect(l, IR_CLUSTERBAR, TYPE_NONE, 0, NULL, 0, NULL);
        i->mode = p->mode == PTX_MODE_BAR_WAIT ? MODE_BAR_WAIT : MODE_BAR_ARRIVE;
        i->sem = p->mode == PTX_MODE_BAR_WAIT ? SEM_ACQUIRE
                 : p->sem == PTX_SEM_RELAXED  ? SEM_RELAXED
                                              : SEM_RELEASE;
        return;
    }
    if (p->mode == PTX_MODE_BAR_RED) {
        reduce(l);
        return;
    }
    struct ir_value *uses[2] = {0};
    if (p->mode == PTX_MODE_BAR_WARP_SYNC) {
        uses[0] = lower_read(l, 0, PTX_B32);
        lower_effect(l, IR_WARPSYNC, TYPE_NONE, 0, NULL, 1, uses);
        return;
    }
    uses[0] = barrier_number(l, 0);
    if (p->operand_count > 1) uses[1] = lower_read(l, 1, PTX_U32);
    struct ir_inst *i = lower_effect(l, IR_BAR, TYPE_NONE, 0, NULL, p->operand_count > 1 ? 2 : 1, uses);
    i->mode = p->mode == PTX_MODE_BAR_ARRIVE ? MODE_BAR_ARRIVE : MODE_BAR_SYNC;
}
