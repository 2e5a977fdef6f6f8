// Verifies a split by a method other than its construction. A location (register, predicate, spill slot) is
// valid in a stream if, on all paths, its last writer in the program belongs to the stream. Forward dataflow
// over all locations, to the fixed point.
#include "decouple/slices.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <inttypes.h>
#include <string.h>

struct checking {
    struct decouple *d;
    const struct flow_blocks *flow;
    unsigned stream;
    uint32_t locations;
    bool *good_in; // by block and location: valid on entry
    const char *wrong;
};

static bool is_in(const struct checking *c, uint32_t inst) { return c->d->insts[inst].streams & c->stream; }

// Whether the others' stream takes the comparison's result from a queue: the instruction then writes, but
// reads no operands.
static bool dequeues(const struct checking *c, uint32_t inst)
{
    const struct decouple_inst *n = &c->d->insts[inst];
    return c->stream == DECOUPLE_IN_OTHERS && n->site == DECOUPLE_ENQ_PRED && n->compares;
}

static bool reads_it(const struct checking *c, uint32_t inst, const struct access_list *list, unsigned k)
{
    const struct inst *i = &c->d->program->insts[inst];
    const struct decouple_inst *n = &c->d->insts[inst];
    bool accesses = n->site == DECOUPLE_ENQ_DATA || n->site == DECOUPLE_ENQ_ADDR;
    bool address = list->at[k].role == ROLE_SOURCE && list->at[k].operand < 4 &&
                   i->src[list->at[k].operand].kind == OPERAND_MEM;
    bool guard = list->at[k].role == ROLE_GUARD;
    if (dequeues(c, inst) || (list->at[k].role == ROLE_OLD && n->drops) || (guard && n->free)) return false;
    if (c->stream == DECOUPLE_IN_OTHERS)
        return !(accesses && address) && !(n->site && guard && !n->unguarded);
    if (n->has_result && n->kind != DECOUPLE_VECTOR && !n->orders) return true;
    return (accesses && address) ||
           (guard && !n->feedback && !n->unguarded && (isa_has(i, ISA_BRANCH) || n->site));
}

static void step(struct checking *c, uint32_t inst, bool *good, bool report)
{
    struct access_list list;
    const struct inst *i = &c->d->program->insts[inst];
    access_reads(c->d->program, i, &list);
    for (unsigned k = 0; k < list.count && report && is_in(c, inst); k++)
        if (reads_it(c, inst, &list, k) && !good[list.at[k].location] && !c->wrong)
            c->wrong = arena_printf(&c->d->arena, "the %s stream has not computed a source of %#" PRIx32,
                                    c->stream == DECOUPLE_IN_AFFINE ? "affine" : "others'",
                                    program_pc(c->d->program, inst));
    access_writes(c->d->program, i, &list);
    // An instruction in the affine stream only for memory order, or only for the access address, computes no
    // result in the affine stream.
    const struct decouple_inst *n = &c->d->insts[inst];
    bool computes = c->stream == DECOUPLE_IN_OTHERS || (n->kind != DECOUPLE_VECTOR && !n->orders);
    for (unsigned k = 0; k < list.count; k++) good[list.at[k].location] = is_in(c, inst) && computes;
}

static void walk(struct checking *c, uint32_t block, bool *good, bool report)
{
    const struct flow_block *b = &c->flow->blocks[block];
    memcpy(good, c->good_in + (size_t)block * c->locations, c->locations);
    for (uint32_t k = 0; k < b->count; k++) step(c, b->first + k, good, report);
}

static bool spread(struct checking *c, uint32_t block, const bool *good)
{
    const struct flow_graph *g = &c->flow->graph;
    bool news = false;
    for (uint32_t e = g->succ_first[block]; e < g->succ_first[block + 1]; e++) {
        bool *to = c->good_in + (size_t)g->succs[e] * c->locations;
        for (uint32_t k = 0; k < c->locations; k++) {
            news |= to[k] && !good[k];
            to[k] &= good[k];
        }
    }
    return news;
}

static void check_closure(struct checking *c, unsigned stream)
{
    bool *good = ARENA_ARRAY(&c->d->arena, bool, c->locations);
    c->stream = stream;
    memset(c->good_in, true, (size_t)c->flow->count * c->locations);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t b = 0; b < c->flow->count; b++) {
            walk(c, b, good, false);
            news |= spread(c, b, good);
        }
    }
    for (uint32_t b = 0; b < c->flow->count; b++) walk(c, b, good, true);
}

// Reports in c->wrong an affine-stream instruction on a path from the branch `inst`, outside the affine
// stream, to its reconvergence point. Without such a point: on any path from the branch. seen: scratch.
static void check_passed(struct checking *c, uint32_t inst, bool *seen)
{
    const struct flow_graph *g = &c->flow->graph;
    const struct inst *i = &c->d->program->insts[inst];
    uint32_t *work = ARENA_ARRAY(&c->d->arena, uint32_t, g->count + 2), count = 0;
    uint32_t block = c->flow->block_of[inst];
    uint32_t stop = i->reconverge == NO_TARGET ? FLOW_NONE : c->flow->block_of[i->reconverge];
    memset(seen, false, g->count);
    for (uint32_t from = block;; from = work[--count]) {
        for (uint32_t e = g->succ_first[from]; e < g->succ_first[from + 1]; e++) {
            uint32_t to = g->succs[e];
            if (to == stop || seen[to]) continue;
            seen[to] = true;
            work[count++] = to;
        }
        if (!count) break;
    }
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t k = 0; k < c->flow->blocks[b].count && seen[b]; k++)
            if (c->d->insts[c->flow->blocks[b].first + k].streams & DECOUPLE_IN_AFFINE && !c->wrong)
                c->wrong = arena_printf(
                    &c->d->arena, "the affine stream passes %#" PRIx32 " towards its %#" PRIx32,
                    program_pc(c->d->program, inst), program_pc(c->d->program, c->flow->blocks[b].first + k));
}

bool decouple_check(struct decouple *d, const char **why)
{
    const struct mark_ssa *s = &d->analysis->ssa;
    struct checking c = {.d = d, .flow = &s->flow, .locations = s->location_count};
    if (d->whole) return true;
    c.good_in = ARENA_ARRAY(&d->arena, bool, (size_t)c.flow->count *c.locations);
    check_closure(&c, DECOUPLE_IN_AFFINE);
    check_closure(&c, DECOUPLE_IN_OTHERS);
    bool *seen = ARENA_ARRAY(&d->arena, bool, c.flow->count + 1);
    for (uint32_t k = 0; k < d->count; k++) {
        const struct inst *i = &d->program->insts[k];
        bool passed =
            isa_has(i, ISA_BRANCH) && isa_is_conditional(i) && !(d->insts[k].streams & DECOUPLE_IN_AFFINE);
        if (passed) check_passed(&c, k, seen);
    }
    *why = c.wrong;
    return !c.wrong;
}
