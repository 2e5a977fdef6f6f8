// Reconvergence of diverged lanes (profile pascal). SSY announces the reconvergence point before lanes
// diverge:
//
//          SSY J                     SSY J
//          @P0 BRA J                 loop: …
//          …                         @P0 BRA loop
//          SYNC                      SYNC
//     J:   …                    J:   …
//
// One SSY per reconvergence point, before the first branch that may diverge towards it and outside that
// branch's loops. The path that falls through to J ends in SYNC, written by emission; a path that jumps to J
// has BRA where ptxas has SYNC. A uniform branch needs neither SSY nor SYNC. Neither does a branch to the
// thread's end, which becomes EXIT.
#include "compile/ir/varying.h"
#include "compile/select/select.h"

static bool only_exits(const struct ir_block *b) { return b->first && b->first->op == IR_EXIT; }

static bool is_in_loop(const struct ir_block *b, const struct ir_block *header)
{
    const struct ir_block *at = b->loop_header;
    while (at && at != header) at = at->idom ? at->idom->loop_header : NULL;
    return at != NULL;
}

// Block to put the SSY of a branch in b: b, or the immediate dominator of the header of the outermost loop
// that lanes leave before `meeting`.
static struct ir_block *outside_loops(struct ir_block *b, const struct ir_block *meeting)
{
    while (b->loop_header && b->loop_depth >= meeting->loop_depth && !is_in_loop(meeting, b->loop_header) &&
           b->loop_header->idom)
        b = b->loop_header->idom;
    return b;
}

static struct ir_block *common_dominator(struct ir_block *a, struct ir_block *b)
{
    while (a != b) {
        if (a->dom_depth < b->dom_depth)
            b = b->idom;
        else
            a = a->idom;
    }
    return a;
}

static bool parts(const struct ir_block *b, const bool *varying)
{
    if (!b->ipdom || only_exits(b->ipdom) || !block_may_part(b, varying)) return false;
    for (uint32_t k = 0; k < b->succ_count; k++)
        if (only_exits(b->succs[k])) return false; // becomes a guarded EXIT
    return true;
}

static void announce(struct select *s, struct mach_block *before, struct mach_block *meeting)
{
    struct mach_inst *i = begin(s, OP_SSY);
    i->target = meeting;
    mach_insert_before(before, mach_first_terminator(before), i);
    meeting->parted_at = before;
}

void select_meetings(struct select *s)
{
    const bool *varying = find_varying(s->ir, s->arena);
    struct ir_block **before = ARENA_ARRAY(s->arena, struct ir_block *, s->ir->block_count);
    for (struct ir_block *b = s->ir->first_block; b; b = b->next) {
        if (b->rpo == UINT32_MAX || !parts(b, varying)) continue;
        struct ir_block **place = &before[b->ipdom->id], *at = outside_loops(b, b->ipdom);
        *place = *place ? common_dominator(*place, at) : at;
    }
    // Blocks backwards, so that of several SSYs in one block the SSY of the outermost reconvergence point is
    // first.
    for (struct ir_block *b = s->ir->last_block; b; b = b->previous)
        if (before[b->id]) announce(s, s->blocks[before[b->id]->id], s->blocks[b->id]);
}
