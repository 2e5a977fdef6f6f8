// Marks of a whole program, promotion by the block's shape, and the chain of reasons behind a mark.
#include "mark/mark.h"
#include "isa/isa.h"
#include "isa/profile.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "mark/chain.h"

#include <stdlib.h>

void mark_rules_default(struct mark_rules *r) { *r = (struct mark_rules){.warp_size = 32}; }

// Causes followed as a plain dependence. source_causes: without a printed link; plain_causes: on the way to
// the root cause.
static const uint32_t source_causes = 1u << CAUSE_SOURCE, plain_causes = 1u << CAUSE_SOURCE |
                                                                         1u << CAUSE_GUARD | 1u << CAUSE_OLD |
                                                                         1u << CAUSE_LOCAL;

static struct mark_ssa *analyse(const struct program *p, const struct mark_rules *r, struct arena *a)
{
    struct mark_ssa *s = ARENA_NEW(a, struct mark_ssa);
    mark_ssa_init(s, p, a);
    mark_propagate(s, r);
    return s;
}

// Fills the grid members of all marks: repeats the analysis with values that differ between blocks as VECTOR.
static void add_grid_marks(struct marks *m)
{
    struct mark_rules r = m->rules;
    struct arena scratch;
    arena_init(&scratch);
    r.scope = MARK_SCOPE_GRID;
    struct mark_ssa *s = analyse(m->program, &r, &scratch);
    for (uint32_t k = 0; k < m->program->inst_count; k++) {
        struct mark at_grid;
        mark_of_inst(s, &r, k, &at_grid);
        m->marks[k].grid = at_grid.kind != MARK_VECTOR;
        m->marks[k].grid_conditions = at_grid.conditions;
    }
    arena_fini(&scratch);
}

// No marks for rules->none, nor for programs with unknown jump targets: the flow graph lacks edges.
static bool is_unmarked(const struct marks *m) { return m->rules.none || m->ssa->flow.jumps_anywhere; }

// Marks everything VECTOR.
static void remove_marks(struct marks *m)
{
    for (uint32_t k = 0; k < m->program->inst_count; k++) {
        struct mark *x = &m->marks[k];
        x->kind = x->way = MARK_VECTOR;
        x->conditions = 0;
        x->cause = CAUSE_UNMARKED;
        x->pattern = (struct mark_pattern){.known = true, .class = MARK_UNSTRUCTURED};
    }
}

struct marks *marks_compute(const struct program *p, const struct mark_rules *r)
{
    struct marks *m = heap_alloc(sizeof *m);
    arena_init(&m->arena);
    m->program = p;
    m->rules = *r;
    m->rules.scope = MARK_SCOPE_BLOCK;
    m->ssa = analyse(p, &m->rules, &m->arena);
    m->marks = ARENA_ARRAY(&m->arena, struct mark, p->inst_count);
    for (uint32_t k = 0; k < p->inst_count; k++) mark_of_inst(m->ssa, r, k, &m->marks[k]);
    m->source_ends = mark_chain_ends(m->ssa, source_causes, &m->arena);
    m->root_ends = mark_chain_ends(m->ssa, plain_causes, &m->arena);
    if (is_unmarked(m))
        remove_marks(m);
    else if (r->grid && !r->paper)
        add_grid_marks(m);
    return m;
}

void marks_free(struct marks *m)
{
    if (!m) return;
    arena_fini(&m->arena);
    free(m);
}

static bool divides(uint64_t a, uint64_t b) { return a && b % a == 0; }

unsigned mark_conditions_met(const struct mark_rules *r, const uint32_t block[3])
{
    uint32_t x = block[0], y = block[1], z = block[2], w = r->warp_size;
    // DARSIE section 4.2: exactly two dimensions (only one of y and z above 1), x a power of two and not
    // above the warp size
    if (r->paper) {
        bool two = (y > 1) + (z > 1) == 1;
        return two && divides(x, w) ? MARK_IF_TID_X : 0;
    }
    unsigned met = 0;
    bool excluded = r->two_dimensions && (y > 1) + (z > 1) != 1;
    if (divides(x, w) && !excluded) met |= MARK_IF_TID_X;
    if (y == 1 || divides((uint64_t)x * y, w)) met |= MARK_IF_TID_Y;
    if (z == 1) met |= MARK_IF_TID_Z;
    if ((y == 1 && z == 1) || divides(x, w) || divides(w, x)) met |= MARK_IF_TID_X_MOD;
    return met;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

// Period, in warps, of the thread index named by a condition, in a block of x * y * z threads and warps of W.
// Thread t of a block is in warp t / W. In lane 0, t mod x returns to 0 after lcm(x, W) threads, and t mod
// x*y after lcm(x*y, W) threads.
static uint64_t period_of(unsigned condition, unsigned met, uint64_t x, uint64_t y, uint64_t z, uint64_t w)
{
    if (met & condition) return 1;
    switch ((enum mark_condition)condition) {
    case MARK_IF_TID_X:
    case MARK_IF_TID_X_MOD: return common_multiple(x, w) / w;
    case MARK_IF_TID_Y: return common_multiple(x * y, w) / w;
    case MARK_IF_TID_Z: break;
    }
    return common_multiple(x * y * z, w) / w;
}

uint32_t mark_warp_classes(const struct mark_rules *r, const struct mark *m, const uint32_t block[3])
{
    unsigned met = mark_conditions_met(r, block);
    enum mark_kind kind = mark_promoted(m, met);
    if (kind == MARK_REDUNDANT) return 1;
    if (m->kind == MARK_VECTOR || !r->warp_classes || r->paper) return 0;
    uint64_t period = 1, warps = (uint64_t)block[0] * block[1] * block[2] / r->warp_size;
    for (unsigned k = 1; k <= MARK_IF_TID_X_MOD; k <<= 1)
        if (m->conditions & k)
            period = common_multiple(period, period_of(k, met, block[0], block[1], block[2], r->warp_size));
    return period < warps ? (uint32_t)period : 0;
}

void marks_encode(const struct marks *m, struct program *p)
{
    p->mark_conditions = 0;
    for (uint32_t k = 0; k < p->inst_count; k++) {
        p->insts[k].mark = m->marks[k].kind;
        p->mark_conditions |= m->marks[k].conditions;
    }
}

void marks_finalise(const struct marks *m, const uint32_t block[3], struct program *p)
{
    unsigned met = mark_conditions_met(&m->rules, block);
    for (uint32_t k = 0; k < p->inst_count; k++) p->insts[k].mark = (uint8_t)mark_promoted(&m->marks[k], met);
    p->mark_conditions = 0;
}

bool mark_hardware_promotes(const struct mark_rules *r, const struct program *p, const uint32_t block[3])
{
    return !(p->mark_conditions & ~mark_conditions_met(r, block));
}

const char *mark_kind_name(enum mark_kind k)
{
    static const char *const names[] = {"V", "CR", "DR"};
    return names[k];
}

const char *mark_class_name(enum mark_class c)
{
    static const char *const names[] = {"uniform", "affine", "unstructured"};
    return names[c];
}

void mark_print_pattern(const struct mark_pattern *p, struct strbuf *out)
{
    static const char *const bases[] = {"", "threadIdx.x", "%laneid"};
    strbuf_puts(out, mark_class_name((enum mark_class)p->class));
    if (p->class == MARK_UNSTRUCTURED) return;
    if (p->base_known && (p->class == MARK_UNIFORM || p->base))
        strbuf_printf(out, p->base < 10 ? " %u" : " 0x%x", p->base);
    if (p->class == MARK_UNIFORM) return;
    strbuf_puts(out, p->base_known && !p->base ? " " : p->base_known ? "+" : " ?+");
    if (!p->stride_known)
        strbuf_printf(out, "?*%s", bases[p->basis]);
    else if (p->stride == 1)
        strbuf_puts(out, bases[p->basis]);
    else
        strbuf_printf(out, "%d*%s", p->stride, bases[p->basis]);
}

const char *mark_cause_name(enum mark_cause c)
{
    switch (c) {
    case CAUSE_NONE: return "none";
    case CAUSE_THREAD_INDEX: return "thread-index";
    case CAUSE_SPECIAL: return "special-register";
    case CAUSE_SOURCE: return "source";
    case CAUSE_GUARD: return "guard";
    case CAUSE_OLD: return "old-value";
    case CAUSE_JOIN: return "join";
    case CAUSE_LOOP: return "loop";
    case CAUSE_BARRIER: return "barrier";
    case CAUSE_EPOCH: return "epoch";
    case CAUSE_BLOCK: return "block";
    case CAUSE_UNDEFINED: return "undefined";
    case CAUSE_LOCAL: return "local-memory";
    case CAUSE_GENERIC: return "generic-address";
    case CAUSE_ORDERED: return "ordered-load";
    case CAUSE_ATOMIC: return "atomic";
    case CAUSE_CROSS_LANE: return "cross-lane";
    case CAUSE_EFFECT: return "effect";
    case CAUSE_CALL: return "call";
    case CAUSE_CONTROL: return "control";
    case CAUSE_UNMARKED: return "unmarked";
    }
    return "?";
}

static void describe_place(const struct marks *m, uint32_t inst, struct strbuf *out)
{
    if (inst >= m->program->inst_count) {
        strbuf_puts(out, "an earlier value");
        return;
    }
    size_t before = out->length;
    program_print_lines(m->program, inst, out);
    if (out->length == before) strbuf_printf(out, "0x%04x", program_pc(m->program, inst));
}

static const char *thread_index_of(const struct marks *m, const struct mark_def *d)
{
    if (d->kind != DEF_INST) return "the thread index";
    if (m->program->insts[d->inst].op == OP_LOP3)
        return m->program->profile == PROFILE_RISCV ? "threadIdx.x" : "threadIdx.x modulo a power of two";
    switch (m->program->insts[d->inst].src[0].reg) {
    case SREG_TID_X: return "threadIdx.x";
    case SREG_TID_Y: return "threadIdx.y";
    case SREG_TID_Z: return "threadIdx.z";
    case SREG_WARPID: return "%warpid";
    case SREG_LANEID: return "%laneid";
    case SREG_HART: return "the hart's number";
    default: return "a lane mask";
    }
}

static const char *root_text(enum mark_cause c)
{
    switch (c) {
    case CAUSE_SPECIAL: return "reads a special register with different values in different warps";
    case CAUSE_UNDEFINED: return "is not written on every path";
    case CAUSE_GENERIC: return "is loaded through a generic address, possibly private";
    case CAUSE_ORDERED: return "is a volatile or ordered load";
    case CAUSE_ATOMIC: return "is an atomic";
    case CAUSE_CROSS_LANE: return "depends on the active lanes";
    case CAUSE_CALL: return "comes through a function call";
    case CAUSE_BLOCK: return "differs between blocks";
    case CAUSE_EFFECT:
    case CAUSE_CONTROL: return "must happen for every warp";
    case CAUSE_UNMARKED: return "belongs to a program without marks";
    case CAUSE_NONE:
    case CAUSE_THREAD_INDEX:
    case CAUSE_SOURCE:
    case CAUSE_GUARD:
    case CAUSE_OLD:
    case CAUSE_JOIN:
    case CAUSE_LOOP:
    case CAUSE_BARRIER:
    case CAUSE_LOCAL:
    case CAUSE_EPOCH: break;
    }
    return "";
}

static const char *branch_text(enum mark_cause c)
{
    if (c == CAUSE_JOIN) return "merges values of two sides of";
    if (c == CAUSE_LOOP) return "leaves a loop with a trip count decided by";
    if (c == CAUSE_EPOCH) return "is loaded where warps may have met different barriers or fences after";
    return "is carried around a loop with barriers that warps may reach unevenly after";
}

// The definition a branch depends on: the first non-redundant source, or UINT32_MAX if all sources are
// redundant.
static uint32_t asked_of(const struct marks *m, uint32_t branch)
{
    for (uint32_t k = m->ssa->read_first[branch]; k < m->ssa->read_first[branch + 1]; k++) {
        const struct mark_def *d = &m->ssa->defs[m->ssa->reads[k]];
        if (d->vector || d->conditions) return m->ssa->reads[k];
    }
    return FLOW_NONE;
}

// Prints the link at `def` of the chain of causes. Returns the next definition of the chain, UINT32_MAX at
// the root. Data dependences (CAUSE_SOURCE) are followed without printing.
static uint32_t explain_link(const struct marks *m, uint32_t def, bool first, struct strbuf *out)
{
    bool passed = m->ssa->defs[def].cause == CAUSE_SOURCE; // through intermediate values
    const struct mark_def *d = &m->ssa->defs[m->source_ends[def]];
    if (!first) strbuf_puts(out, ", which ");
    if (passed) strbuf_puts(out, d->cause == CAUSE_THREAD_INDEX ? "depends on " : "depends on a value that ");
    switch ((enum mark_cause)d->cause) {
    case CAUSE_THREAD_INDEX:
        strbuf_printf(out, "%s%s (", passed ? "" : first ? "reads " : "is ", thread_index_of(m, d));
        describe_place(m, d->inst, out);
        strbuf_putc(out, ')');
        return FLOW_NONE;
    case CAUSE_GUARD:
        strbuf_puts(out, "is written under a guard at ");
        describe_place(m, d->inst, out);
        return d->from_def;
    case CAUSE_OLD:
        strbuf_puts(out, "keeps the old value under a false guard at ");
        describe_place(m, d->inst, out);
        return d->from_def;
    case CAUSE_LOCAL:
        strbuf_puts(out, "is loaded from local memory at ");
        describe_place(m, d->inst, out);
        return d->from_def;
    case CAUSE_JOIN:
    case CAUSE_LOOP:
    case CAUSE_BARRIER:
    case CAUSE_EPOCH:
        strbuf_printf(out, "%s the branch at ", branch_text((enum mark_cause)d->cause));
        describe_place(m, d->from_inst, out);
        return asked_of(m, d->from_inst);
    case CAUSE_SPECIAL:
    case CAUSE_UNDEFINED:
    case CAUSE_GENERIC:
    case CAUSE_ORDERED:
    case CAUSE_ATOMIC:
    case CAUSE_CROSS_LANE:
    case CAUSE_CALL:
    case CAUSE_BLOCK:
    case CAUSE_EFFECT:
    case CAUSE_CONTROL:
    case CAUSE_UNMARKED:
        strbuf_puts(out, root_text((enum mark_cause)d->cause));
        if (d->kind == DEF_INST) {
            strbuf_puts(out, " (");
            describe_place(m, d->inst, out);
            strbuf_putc(out, ')');
        }
        return FLOW_NONE;
    case CAUSE_SOURCE: strbuf_puts(out, "is carried around a loop"); break; // the chain ends in a cycle
    case CAUSE_NONE: break;
    }
    return FLOW_NONE;
}

static void print_conditions(unsigned conditions, struct strbuf *out)
{
    static const char *const texts[] = {"x divides the warp size", "x*y divides the warp size or y = 1",
                                        "z = 1", "y = z = 1, or x divides the warp size or is a multiple"};
    bool some = false;
    for (unsigned k = 0; k < 4; k++)
        if (conditions >> k & 1) {
            strbuf_printf(out, "%s%s", some ? ", and " : "if ", texts[k]);
            some = true;
        }
}

// Start of an instruction's chain of causes: the first VECTOR definition among the instruction's results,
// else the first definition. UINT32_MAX: no result.
static uint32_t weakest_def(const struct marks *m, uint32_t inst)
{
    uint32_t def = FLOW_NONE;
    for (uint32_t k = m->ssa->write_first[inst]; k < m->ssa->write_first[inst + 1]; k++) {
        const struct mark_def *d = &m->ssa->defs[m->ssa->writes[k]];
        if (def == FLOW_NONE || d->vector > m->ssa->defs[def].vector) def = m->ssa->writes[k];
    }
    return def;
}

// Follows the result's cause back through operands, guards, old values and local memory, to the first
// definition with another cause. NULL: no result, a redundant instruction, or a program without marks.
static const struct mark_def *root_def(const struct marks *m, uint32_t inst)
{
    uint32_t def = weakest_def(m, inst);
    if (def == FLOW_NONE || m->marks[inst].kind == MARK_REDUNDANT || is_unmarked(m)) return NULL;
    return &m->ssa->defs[m->root_ends[def]];
}

enum mark_cause mark_root_cause(const struct marks *m, uint32_t inst, uint32_t *root)
{
    const struct mark_def *d = root_def(m, inst);
    *root = !d                          ? FLOW_NONE
            : d->from_inst != FLOW_NONE ? d->from_inst
            : d->kind == DEF_INST       ? d->inst
                                        : FLOW_NONE;
    return (enum mark_cause)(d ? d->cause : m->marks[inst].cause);
}

static const char *root_name(enum mark_cause c)
{
    switch (c) {
    case CAUSE_JOIN: return "a branch taken differently by warps";
    case CAUSE_LOOP: return "a loop with different trip counts in different warps";
    case CAUSE_BARRIER: return "barriers in a loop reached unevenly by warps";
    case CAUSE_EPOCH: return "loads behind different barriers or fences";
    case CAUSE_SPECIAL: return "a special register";
    case CAUSE_UNDEFINED: return "a register not written before";
    case CAUSE_LOCAL: return "local memory";
    case CAUSE_GENERIC: return "a generic address";
    case CAUSE_ORDERED: return "a volatile or ordered load";
    case CAUSE_ATOMIC: return "an atomic";
    case CAUSE_CROSS_LANE: return "the active lanes";
    case CAUSE_CALL: return "a function call";
    case CAUSE_BLOCK: return "the block";
    case CAUSE_NONE:
    case CAUSE_THREAD_INDEX:
    case CAUSE_SOURCE:
    case CAUSE_GUARD:
    case CAUSE_OLD:
    case CAUSE_EFFECT:
    case CAUSE_CONTROL:
    case CAUSE_UNMARKED: break;
    }
    return mark_cause_name(c);
}

void mark_print_root(const struct marks *m, uint32_t inst, struct strbuf *out)
{
    const struct mark_def *d = root_def(m, inst);
    enum mark_cause cause = (enum mark_cause)(d ? d->cause : m->marks[inst].cause);
    strbuf_puts(out, d && cause == CAUSE_THREAD_INDEX ? thread_index_of(m, d) : root_name(cause));
}

void mark_explain(const struct marks *m, uint32_t inst, struct strbuf *out)
{
    enum { LINKS_MAX = 6 };
    const struct mark *mark = &m->marks[inst];
    strbuf_printf(out, "%s: ", mark_kind_name((enum mark_kind)mark->kind));
    if (mark->kind == MARK_REDUNDANT) {
        strbuf_printf(out, "%s, the same in every warp of the block",
                      mark_class_name((enum mark_class)mark->pattern.class));
        return;
    }
    if (mark->cause == CAUSE_EFFECT || mark->cause == CAUSE_CONTROL || mark->cause == CAUSE_ATOMIC) {
        strbuf_puts(out, mark->cause == CAUSE_ATOMIC ? "every execution changes memory"
                                                     : "must happen for every warp");
        return;
    }
    if (is_unmarked(m)) {
        strbuf_puts(out, root_text(CAUSE_UNMARKED));
        return;
    }
    if (mark->kind == MARK_CONDITIONAL) {
        print_conditions(mark->conditions, out);
        strbuf_puts(out, ": ");
    }
    uint32_t def = weakest_def(m, inst);
    for (unsigned k = 0; k < LINKS_MAX && def != FLOW_NONE; k++) def = explain_link(m, def, k == 0, out);
    if (def != FLOW_NONE) strbuf_puts(out, ", …");
}
