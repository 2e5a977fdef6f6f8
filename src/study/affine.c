// The potential of an affine warp for a kernel (DAC, sections 3 and 4). For each instruction: computation on
// scalars and thread indices or not, the compiler's classification, the resulting stream and why, and
// executions. The split is that of `--tech decoupled`, by the same rules (decouple/). Options of the
// technique are settings of the study, study.decoupled.pieces …
#include "decouple/decouple.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "study/study.h"

struct inst_fate {
    uint64_t executed;
    const char *kind, *stream, *why;
    bool potential, has_result, removed, loads, decoupled;
    uint8_t of_kind; // enum decouple_kind
};

struct kernel_fate {
    struct inst_fate *insts;
    uint32_t steps;
    const char *whole; // reason for not splitting the kernel into two streams; NULL: split
};

static struct kernel_fate *fate_of(const struct study_kernel *k) { return k->data; }

static const char *explained(struct study *s, const struct decouple *d, uint32_t inst)
{
    struct strbuf text = {0};
    decouple_explain(d, inst, &text);
    const char *kept = arena_strndup(&s->arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

static const char *stream_of(const struct decouple *d, const struct decouple_inst *n)
{
    static const char *const names[] = {"", "affine", "others", "both"};
    return d->whole  ? "others"
           : n->site ? decouple_site_name((enum decouple_site)n->site)
                     : names[n->streams];
}

static void describe(struct study *s, struct study_kernel *k, const struct decouple *d)
{
    struct kernel_fate *f = k->data = ARENA_NEW(&s->arena, struct kernel_fate);
    struct decouple_code code = {0};
    f->insts = ARENA_ARRAY(&s->arena, struct inst_fate, k->inst_count);
    if (!d->whole) decouple_code_of(d, &s->arena, &code);
    f->steps = code.count;
    f->whole = decouple_whole(d);
    for (uint32_t n = 0; n < k->inst_count; n++) {
        const struct decouple_inst *x = &d->insts[n];
        const struct inst *i = &d->program->insts[n];
        bool accesses = x->site == DECOUPLE_ENQ_DATA || x->site == DECOUPLE_ENQ_ADDR;
        f->insts[n] =
            (struct inst_fate){.kind = x->has_result ? decouple_kind_name((enum decouple_kind)x->kind) : "",
                               .of_kind = x->kind,
                               .stream = stream_of(d, x),
                               .why = explained(s, d, n),
                               .potential = x->potential,
                               .has_result = x->has_result,
                               .removed = !d->whole && !(x->streams & DECOUPLE_IN_OTHERS),
                               .loads = i->op == OP_LDG || i->op == OP_LD || i->op == OP_LDL,
                               .decoupled = accesses};
    }
}

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    struct study_kernel *k = study_kernel_enter(s, l);
    if (k->data) return;
    struct decouple *d = decouple_compute(l->program, &s->settings.rules, NULL);
    describe(s, k, d);
    decouple_free(d);
}

static void after(void *context, const struct observed *o)
{
    struct study *s = context;
    fate_of(s->kernel)->insts[o->index].executed++;
}

// -- report -------------------------------------------------------------------------------------------------

struct sums {
    uint64_t insts, potential, kinds[DECOUPLE_VECTOR + 1], executed, removed, loads, decoupled;
};

static struct sums sum_up(const struct study_kernel *k)
{
    struct sums n = {0};
    for (uint32_t x = 0; x < k->inst_count; x++) {
        const struct inst_fate *i = &fate_of(k)->insts[x];
        n.insts++;
        n.potential += i->potential && i->has_result;
        n.kinds[i->has_result ? i->of_kind : DECOUPLE_VECTOR]++;
        n.executed += i->executed;
        n.removed += i->removed ? i->executed : 0;
        n.loads += i->loads ? i->executed : 0;
        n.decoupled += i->loads && i->decoupled ? i->executed : 0;
    }
    return n;
}

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"instructions", "instructions of the code"},
        {"potential", "instructions on scalars and thread indices alone (DAC, Figure 6)"},
        {"scalar", "one value for a block"},
        {"affine", "base and offsets"},
        {"piecewise", "one of a few affine values"},
        {"affine_stream", "instructions of the affine stream"},
        {"warp_instructions", "executed"},
        {"removed", "executions moved to the affine stream, once for all warps"},
        {"loads", "of global and local memory, executed by warps"},
        {"decoupled", "loads with an address from a queue"},
        {"because", "reason for not splitting the kernel"}};
    struct study_table *t = study_table_add(r, "kernels", "Work fit for an affine warp", columns,
                                            sizeof columns / sizeof columns[0]);
    double potential = 0, decoupled = 0;
    size_t with_loads = 0;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct sums n = sum_up(k);
        study_kernel_cells(t, k);
        study_count(t, n.insts);
        study_ratio(t, n.potential, n.insts);
        for (unsigned kind = DECOUPLE_SCALAR; kind < DECOUPLE_VECTOR; kind++)
            study_ratio(t, n.kinds[kind], n.insts);
        study_count(t, fate_of(k)->steps);
        study_count(t, n.executed);
        study_ratio(t, n.removed, n.executed);
        study_count(t, n.loads);
        study_ratio(t, n.decoupled, n.loads);
        study_text(t, "%s", fate_of(k)->whole ? fate_of(k)->whole : "");
        potential += (double)n.potential / (double)n.insts;
        if (n.loads) decoupled += (double)n.decoupled / (double)n.loads;
        with_loads += n.loads != 0;
    }
    if (s->kernels.count > 1 && with_loads)
        study_note(r,
                   "means of kernels: potentially affine %.1f %% of the code (DAC: about half), loads "
                   "decoupled %.1f %% (79.8)",
                   100 * potential / (double)s->kernels.count, 100 * decoupled / (double)with_loads);
}

static void inst_cells(struct study_table *t, const struct study_kernel *k, uint32_t inst)
{
    const struct inst_fate *i = &fate_of(k)->insts[inst];
    study_count(t, i->executed);
    study_text(t, "%s", i->kind);
    study_text(t, "%s", i->stream);
    study_text(t, "%s", i->why);
}

static void report(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"kernel", "entry"},
                                                  {"pc", "of the instruction"},
                                                  {"executed", "by warps"},
                                                  {"kind", "of its result"},
                                                  {"stream", "affine, others, both; or the enqueued value"},
                                                  {"why", "reason for the kind"},
                                                  {"instruction", "as in the listing"},
                                                  {"line", "source line"}};
    report_kernels(s, r);
    study_each_inst(s, r, columns, sizeof columns / sizeof columns[0], inst_cells);
}

const struct study_class study_affine = {.observer = {.launch_begin = launch_begin, .after = after},
                                         .report = report};
