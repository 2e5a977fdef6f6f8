// The whole analysis, the cost of a split, and explanations in words.
#include "decouple/decouple.h"
#include "decouple/slices.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/profile.h"
#include "isa/program.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const decouple_switch_words[] = {"off", "on", NULL};

static bool calls(const struct program *p)
{
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (isa_has(&p->insts[k], ISA_CALL | ISA_INDIRECT)) return true;
    return p->function_count > 1 || p->profile == PROFILE_RISCV || p->functions[0].first != 0;
}

struct decouple *decouple_begin(const struct program *p, const struct decouple_rules *r, const bool *shared)
{
    struct decouple *d = heap_alloc(sizeof *d);
    *d = (struct decouple){.program = p, .rules = *r, .shared = shared, .count = p->inst_count};
    arena_init(&d->arena);
    d->insts = ARENA_ARRAY(&d->arena, struct decouple_inst, d->count + 1);
    d->analysis = ARENA_ARRAY(&d->arena, struct decouple_slices, 1);
    if (calls(p)) {
        d->whole = DECOUPLE_FOR_CALLS;
        return d;
    }
    mark_ssa_init(&d->analysis->ssa, p, &d->arena);
    decouple_find_spills(d);
    decouple_find_demands(d);
    return d;
}

struct decouple *decouple_compute(const struct program *p, const struct decouple_rules *r, const bool *shared)
{
    struct decouple *d = decouple_begin(p, r, shared);
    if (d->whole) return d;
    divergence_init(&d->analysis->divergence, &d->analysis->ssa);
    decouple_find_kinds(d);
    decouple_find_slices(d);
    return d;
}

void decouple_free(struct decouple *d)
{
    if (!d) return;
    arena_fini(&d->arena);
    free(d);
}

// -- cost ---------------------------------------------------------------------------------------------------

struct decouple_cost decouple_cost_of(const struct decouple *d, const uint64_t *executions,
                                      const uint64_t *once)
{
    struct decouple_cost c = {0};
    struct decouple_code code;
    struct arena a;
    arena_init(&a);
    decouple_code_of(d, &a, &code);
    for (uint32_t k = 0; k < d->count; k++) {
        const struct decouple_inst *n = &d->insts[k];
        c.base += executions[k];
        c.affine += (code.first[k + 1] - code.first[k]) * once[k];
        if (!(n->streams & DECOUPLE_IN_OTHERS)) continue;
        c.others += executions[k];
        if (n->streams & DECOUPLE_IN_AFFINE && n->has_result && n->kind != DECOUPLE_VECTOR && !n->site)
            c.replicated += executions[k];
    }
    arena_fini(&a);
    return c;
}

// By block: whether each warp takes the stream's steps alone: behind a branch that the lanes decide, or beside an
// instruction that a warp must have passed first, other than a barrier.
static bool *find_alone(const struct decouple *d, struct arena *a)
{
    const struct decouple_slices *x = d->analysis;
    const struct mark_ssa *s = &x->ssa;
    bool *alone = ARENA_ARRAY(a, bool, s->flow.count);
    for (uint32_t k = 0; k < d->count; k++)
        alone[s->flow.block_of[k]] |= d->insts[k].orders && !isa_has(&d->program->insts[k], ISA_BARRIER);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t b = 0; b < s->flow.count; b++)
            for (uint32_t e = x->depends_first[b]; !alone[b] && e < x->depends_first[b + 1]; e++) {
                alone[b] = alone[x->depends[e]] || d->insts[decouple_last_of(s, x->depends[e])].feedback;
                news |= alone[b];
            }
    }
    return alone;
}

// A loop counts as this many iterations.
static uint64_t weight_of(const struct mark_ssa *s, uint32_t block)
{
    enum { ITERATIONS = 8, DEPTH_MAX = 4 };
    uint64_t weight = 1;
    unsigned depth = 0;
    for (uint32_t l = s->loops.innermost[block]; l != FLOW_NONE && depth < DEPTH_MAX;
         l = s->loops.loops[l].parent)
        weight *= ITERATIONS, depth++;
    return weight;
}

bool decouple_gains(const struct decouple *d, uint32_t warps)
{
    const struct mark_ssa *s = &d->analysis->ssa;
    struct decouple_code code;
    struct arena a;
    uint64_t steps = 0, removed = 0;
    if (d->whole) return false;
    arena_init(&a);
    decouple_code_of(d, &a, &code);
    const bool *alone = find_alone(d, &a);
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t block = s->flow.block_of[k];
        uint64_t weight = weight_of(s, block);
        steps += (code.first[k + 1] - code.first[k]) * weight * (alone[block] ? warps : 1);
        removed += d->insts[k].streams & DECOUPLE_IN_OTHERS ? 0 : weight * warps;
    }
    arena_fini(&a);
    return steps < removed;
}

// -- explanations -------------------------------------------------------------------------------------------

static const char *const cause_texts[] = {
#define CAUSE(name, text) text,
#include "decouple/causes.def"
#undef CAUSE
};

const char *decouple_kind_name(enum decouple_kind k)
{
    static const char *const names[] = {"scalar", "affine", "piecewise", "vector"};
    return names[k];
}

const char *decouple_site_name(enum decouple_site s)
{
    static const char *const names[] = {"", "enq.data", "enq.addr", "enq.pred"};
    return names[s];
}

const char *decouple_whole(const struct decouple *d) { return d->whole ? cause_texts[d->whole] : NULL; }

static bool leads_on(const struct decouple_inst *n)
{
    return n->cause == DECOUPLE_FOR_SOURCE || n->cause == DECOUPLE_FOR_GUARD;
}

void decouple_explain(const struct decouple *d, uint32_t inst, struct strbuf *out)
{
    enum { CHAIN_MAX = 64 };
    const struct decouple_inst *n = &d->insts[inst];
    if (d->whole && d->whole != DECOUPLE_FOR_NOTHING) {
        strbuf_printf(out, "not decoupled: %s", cause_texts[d->whole]);
        return;
    }
    strbuf_printf(out, "%s",
                  n->has_result ? decouple_kind_name((enum decouple_kind)n->kind)
                  : n->site     ? decouple_site_name((enum decouple_site)n->site)
                                : "the lanes'");
    for (unsigned k = 0; k < CHAIN_MAX && n->cause; k++) {
        strbuf_printf(out, "%s%s", k ? ", " : ": ", cause_texts[n->cause]);
        if (n->from != FLOW_NONE) strbuf_printf(out, " %#" PRIx32, program_pc(d->program, n->from));
        if (n->from == FLOW_NONE || n->from == inst || !leads_on(n)) break;
        inst = n->from;
        n = &d->insts[inst];
    }
}

static void print_affine(const struct decouple *d, struct strbuf *out)
{
    struct arena a;
    struct decouple_code c;
    arena_init(&a);
    decouple_code_of(d, &a, &c);
    for (uint32_t k = 0; k < c.count; k++) {
        const struct decouple_step *s = &c.steps[k];
        bool moves = s->kind == DECOUPLE_COMPUTES && d->insts[s->inst].slot;
        if (moves && s->word) continue; // printed with its first word
        if (moves) strbuf_printf(out, "move ");
        if (s->kind == DECOUPLE_ENQUEUES)
            strbuf_printf(out, "%s ", decouple_site_name((enum decouple_site)s->site));
        if (s->kind == DECOUPLE_ORDERS) strbuf_printf(out, "token ");
        if (s->kind == DECOUPLE_BRANCHES && d->insts[s->inst].feedback) strbuf_printf(out, "told ");
        program_print_inst(d->program, s->inst, out);
        strbuf_printf(out, "\n");
    }
    arena_fini(&a);
}

void decouple_print(const struct decouple *d, unsigned stream, struct strbuf *out)
{
    if (stream == DECOUPLE_IN_AFFINE) {
        print_affine(d, out);
        return;
    }
    for (uint32_t k = 0; k < d->count; k++) {
        const struct decouple_inst *n = &d->insts[k];
        if (!(n->streams & DECOUPLE_IN_OTHERS)) continue;
        if (n->site) strbuf_printf(out, "deq%s ", decouple_site_name((enum decouple_site)n->site) + 3);
        program_print_inst(d->program, k, out);
        strbuf_printf(out, "\n");
    }
}
