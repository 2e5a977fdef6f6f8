// Out of SSA, so that every operand may get any register (after Boissinot, Darte, Rastello, Dupont de
// Dinechin and Guillon, "Revisiting Out-of-SSA Translation", CGO 2009). Result and operands of a phi become
// fresh units. Parallel copies at the start of the block and at the ends of its predecessors connect fresh
// and old units. The fresh units of a phi never live at the same time and share a register. Coalescing then
// removes nearly every copy.
//
//     d = phi(s, t)      ─▶      pred 0: s' = s     pred 1: t' = t     block: d' = phi(s', t');  d = d'
//
// The old value of a guarded instruction is split alike: o' = o before the instruction, and o' shares a
// register with the result.
#include "compile/allocate/allocate.h"

static struct mach_inst *copies_at_end(struct mach_function *f, struct mach_block *b, uint32_t room)
{
    struct mach_inst *where = mach_first_terminator(b), *before = where ? where->previous : b->last;
    if (before && before->i.op == MACH_COPIES && before->hands_on) return before;
    struct mach_inst *i = mach_inst_create(f, MACH_COPIES);
    i->hands_on = true;
    i->moves = ARENA_ARRAY(f->arena, struct mach_move, room);
    if (where) i->i.lines = where->i.lines;
    mach_insert_before(b, where, i);
    return i;
}

static uint32_t twin(struct mach_function *f, uint32_t unit)
{
    return mach_group_of(f, unit)->predicate ? mach_pred(f) : mach_reg(f, 1);
}

static void split_operands(struct mach_function *f, struct mach_block *b, uint32_t pred, uint32_t room)
{
    struct mach_inst *copies = NULL;
    for (size_t p = 0; p < b->phis.count; p++) {
        struct mach_phi *phi = &b->phis.data[p];
        if (phi->src[pred] == MACH_NONE && phi->values[pred].kind == OPERAND_NONE) continue;
        if (!copies) copies = copies_at_end(f, b->preds[pred], room);
        uint32_t unit = twin(f, phi->dst);
        copies->moves[copies->move_count++] =
            (struct mach_move){unit, phi->src[pred], phi->values[pred], unit};
        phi->src[pred] = unit;
    }
}

static void split_results(struct mach_function *f, struct mach_block *b)
{
    if (!b->phis.count) return;
    struct mach_inst *copies = mach_inst_create(f, MACH_COPIES);
    copies->moves = ARENA_ARRAY(f->arena, struct mach_move, b->phis.count);
    for (size_t p = 0; p < b->phis.count; p++) {
        struct mach_phi *phi = &b->phis.data[p];
        uint32_t unit = twin(f, phi->dst);
        struct operand kind = {.kind = mach_group_of(f, unit)->predicate ? OPERAND_PRED : OPERAND_REG,
                               .width = 1};
        copies->moves[copies->move_count++] = (struct mach_move){phi->dst, unit, kind, phi->dst};
        phi->dst = unit;
    }
    mach_insert_before(b, b->first, copies);
}

static void split_old(struct mach_function *f, struct mach_inst *i, unsigned k)
{
    unsigned width = mach_dst_units(i, k);
    bool predicate = i->i.dst[k].kind == OPERAND_PRED;
    struct mach_inst *copies = mach_inst_create(f, MACH_COPIES);
    copies->moves = ARENA_ARRAY(f->arena, struct mach_move, width);
    copies->i.lines = i->i.lines;
    uint32_t unit = predicate ? mach_pred(f) : mach_reg(f, width);
    for (unsigned u = 0; u < width; u++) {
        struct operand kind = {.kind = predicate ? OPERAND_PRED : OPERAND_REG, .width = 1};
        copies->moves[copies->move_count++] = (struct mach_move){unit + u, i->old[k] + u, kind, unit + u};
    }
    i->old[k] = unit;
    mach_insert_before(i->block, i, copies);
}

// Upper bound of phi copies at the end of b: the phis of its successors.
static uint32_t room_at_end(const struct mach_block *b)
{
    uint32_t room = 0;
    for (uint32_t k = 0; k < b->succ_count; k++) room += (uint32_t)b->succs[k]->phis.count;
    return room;
}

void allocate_phis(struct mach_function *f)
{
    for (uint32_t k = 0; k < f->block_count; k++)
        for (struct mach_inst *i = f->blocks[k]->first; i; i = i->next)
            for (unsigned d = 0; d < 2; d++)
                if (i->old[d] != MACH_NONE) split_old(f, i, d);
    for (uint32_t k = 0; k < f->block_count; k++) {
        struct mach_block *b = f->blocks[k];
        for (uint32_t pred = 0; pred < b->pred_count; pred++)
            split_operands(f, b, pred, room_at_end(b->preds[pred]));
    }
    for (uint32_t k = 0; k < f->block_count; k++) split_results(f, f->blocks[k]);
}
