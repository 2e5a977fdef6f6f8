// Hoists loop-invariant values out of loops, as far out as their operands allow.
//
//     e: branch p, h, x                 e: t = mul a, b
//     h: i = phi 0, i2                     branch p, h, x
//        t = mul a, b          ──▶      h: i = phi 0, i2
//        …                                 …
//
// Values move to the end of the single block that enters the loop, even if the block has other successors.
// The move is safe: only pure values move, and no pure operation can fault. Loops with several entering
// blocks are skipped. Predicates stay, since the machine has only seven. Any other hoisted value is live
// through the whole loop, so the number of registers per loop is limited.
#include "compile/pass/passes.h"

enum { UNITS_MAX = 40 }; // limit per loop: 32-bit registers of values hoisted out of the loop

struct loop {
    struct ir_block *header, *entering; // entering: NULL if several
    uint32_t parent;                    // 1 + index, 0 = outermost
    unsigned units;
};

typedef VEC(struct loop) loop_list; // a header's note is the index of its loop

static struct ir_block *entering_block(const struct ir_block *header)
{
    struct ir_block *found = NULL;
    for (uint32_t k = 0; k < header->pred_count; k++) {
        if (ir_dominates(header, header->preds[k])) continue; // a back edge
        if (found) return NULL;
        found = header->preds[k];
    }
    return found;
}

static struct loop *loop_of(const loop_list *loops, const struct ir_block *b)
{
    return b->loop_header ? &loops->data[b->loop_header->note] : NULL;
}

static struct loop *parent_of(const loop_list *loops, const struct loop *l)
{
    return l->parent ? &loops->data[l->parent - 1] : NULL;
}

// Sets the parent (the next outer loop) of every loop. Climbs the dominator tree from the loop's header, past
// sibling loops, to the first block with a loop depth one lower. The block lies in the parent.
static void find_parents(const loop_list *loops)
{
    for (size_t k = 0; k < loops->count; k++) {
        struct loop *l = &loops->data[k];
        uint32_t depth = l->header->loop_depth - 1;
        const struct ir_block *b = l->header->idom;
        while (depth && b && b->loop_depth != depth)
            b = b->loop_depth > depth ? b->loop_header->idom : b->idom;
        if (depth && b) l->parent = 1 + (uint32_t)b->loop_header->note;
    }
}

static void find_loops(const struct ir_function *f, loop_list *loops)
{
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->loop_header == b) {
            b->note = loops->count;
            vec_push(loops, (struct loop){b, entering_block(b), 0, 0});
        }
    find_parents(loops);
}

static bool is_inside(const loop_list *loops, const struct ir_block *b, const struct loop *loop)
{
    for (const struct loop *l = loop_of(loops, b); l; l = parent_of(loops, l))
        if (l == loop) return true;
    return false;
}

static bool is_invariant(const loop_list *loops, const struct ir_inst *i, const struct loop *loop)
{
    for (uint32_t k = 0; k < i->use_count; k++) {
        const struct ir_value *v = ir_operand(i, k);
        if (v && v->def && is_inside(loops, v->def->block, loop)) return false;
    }
    return true;
}

// 32-bit registers occupied by the value of i; 0: an operand can take the value without an instruction.
static unsigned units_of(const struct ir_inst *i)
{
    switch ((unsigned)i->op) {
    case IR_BANK:
    case IR_FRAME:
    case IR_LO:
    case IR_HI:
    case IR_PACK:
    case IR_COPY:
    case IR_UNDEF:
    case IR_FNEG:
    case IR_FABS: return 0;
    default: return i->defs[0]->class == IR_CLASS_64 ? 2 : 1;
    }
}

static bool may_move(const struct ir_inst *i)
{
    if (!ir_is_pure(i) || i->op == IR_PHI || !i->def_count) return false;
    for (uint32_t k = 0; k < i->def_count; k++)
        if (i->defs[k]->class == IR_CLASS_PRED) return false;
    return true;
}

static bool hoist(const loop_list *loops, struct ir_inst *i, bool broken)
{
    struct ir_block *target = NULL;
    unsigned units = units_of(i);
    for (struct loop *l = loop_of(loops, i->block); l && l->entering; l = parent_of(loops, l)) {
        if (l->units + units > UNITS_MAX || !is_invariant(loops, i, l)) break;
        l->units += units;
        target = l->entering;
    }
    // Broken on purpose: loads of memory that the loop may write are hoisted, too.
    if (!target && broken && i->op == IR_LOAD && loop_of(loops, i->block))
        target = loop_of(loops, i->block)->entering;
    if (!target) return false;
    ir_detach(i);
    ir_insert_before(target->last, i);
    return true;
}

bool pass_hoist(struct ir_function *f, const struct pass_context *c)
{
    loop_list loops = {0};
    bool changed = false;
    ir_analyse(f);
    find_loops(f, &loops);
    for (struct ir_block *b = loops.count ? f->first_block : NULL; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            bool breakable = c->broken && i->op == IR_LOAD && !i->guard.value && i->sem == SEM_WEAK &&
                             loop_of(&loops, b) && is_invariant(&loops, i, loop_of(&loops, b));
            if (may_move(i) || breakable) changed |= hoist(&loops, i, c->broken);
        }
    vec_fini(&loops);
    return changed;
}
