// Reads and writes of vector registers by lane pattern, a warp at a time: the potential of a scalar register
// file (Collange, Defour, Zhang 2009; SIMTight section 2). Every 32-bit register operand counts once an
// execution, a 64-bit operand twice. A guarded instruction also reads its old destination. Predicates,
// constants and immediates do not count.
//
// The pattern is taken over the whole register and all threads of the warp, even in partial executions.
#include "exec/launch.h"
#include "study/study.h"
#include "study/values.h"

struct inst_counts {
    uint64_t executed, reads[PATTERN_COUNT], writes[PATTERN_COUNT];
};

struct kernel_data {
    struct value_op *ops;
    struct inst_counts *counts;
};

static struct kernel_data *data_of(struct study *s) { return s->kernel->data; }

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    struct study_kernel *k = study_kernel_enter(s, l);
    if (k->data) return;
    struct kernel_data *d = k->data = ARENA_NEW(&s->arena, struct kernel_data);
    d->ops = values_ops(&s->arena, l->program);
    d->counts = ARENA_ARRAY(&s->arena, struct inst_counts, k->inst_count);
}

static void block_begin(void *context, struct observed_block *b)
{
    struct study *s = context;
    b->state = heap_alloc(sizeof(struct values));
    values_start(b->state, data_of(s)->ops, s->kernel->program, b, study_kernel_threads(s->kernel));
    if (s->settings.affine == AFFINE_ROW) values_by_row(b->state, s->kernel->block[0], b->warp_size);
}

static void block_end(void *context, struct observed_block *b)
{
    (void)context;
    values_stop(b->state);
    free(b->state);
}

static void barrier(void *context, struct observed_block *b, const struct observed_barrier *x)
{
    (void)context, (void)x;
    values_barrier(b->state, b);
}

// Patterns looked up before values_written are the sources' patterns; afterwards, the results' patterns.
static void after(void *context, const struct observed *o)
{
    struct study *s = context;
    struct values *v = o->block->state;
    struct inst_counts *n = &data_of(s)->counts[o->index];
    const struct value_op *op = &v->ops[o->index];
    n->executed++;
    for (unsigned k = 0; k < op->read_count; k++) n->reads[values_at(v, o->warp, op->reads[k])->pattern]++;
    values_written(v, o);
    for (unsigned k = 0; k < op->write_count; k++) n->writes[values_at(v, o->warp, op->write + k)->pattern]++;
}

// -- report -------------------------------------------------------------------------------------------------

static uint64_t total(const uint64_t n[PATTERN_COUNT])
{
    return n[PATTERN_UNIFORM] + n[PATTERN_AFFINE] + n[PATTERN_OTHER];
}

static void add(struct inst_counts *to, const struct inst_counts *from)
{
    to->executed += from->executed;
    for (unsigned p = 0; p < PATTERN_COUNT; p++) {
        to->reads[p] += from->reads[p];
        to->writes[p] += from->writes[p];
    }
}

static void add_shares(struct study_table *t, const struct inst_counts *n)
{
    uint64_t reads = total(n->reads), writes = total(n->writes);
    study_count(t, n->executed);
    study_count(t, reads);
    study_ratio(t, n->reads[PATTERN_UNIFORM], reads);
    study_ratio(t, n->reads[PATTERN_UNIFORM] + n->reads[PATTERN_AFFINE], reads);
    study_count(t, writes);
    study_ratio(t, n->writes[PATTERN_UNIFORM], writes);
    study_ratio(t, n->writes[PATTERN_UNIFORM] + n->writes[PATTERN_AFFINE], writes);
}

#define SHARES                                                                                               \
    {"warp_instructions", "executed"}, {"reads", "reads of vector registers by warps"},                      \
        {"uniform_reads", "of values equal in all lanes"},                                                   \
        {"affine_reads", "of base + lane * stride, including uniform values"},                               \
        {"writes", "writes of vector registers by warps"},                                                   \
        {"uniform_writes", "of values equal in all lanes"},                                                  \
    {                                                                                                        \
        "affine_writes", "as reads"                                                                          \
    }

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"}, {"kernel", "entry"}, {"block", "threads in x, y, z"}, SHARES};
    struct study_table *t = study_table_add(r, "kernels", "Register operands by the pattern of their lanes",
                                            columns, sizeof columns / sizeof columns[0]);
    struct inst_counts all = {0};
    double sums[4] = {0};
    size_t counted = 0;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct inst_counts n = {0};
        for (uint32_t x = 0; x < k->inst_count; x++) add(&n, &((struct kernel_data *)k->data)->counts[x]);
        study_kernel_cells(t, k);
        add_shares(t, &n);
        add(&all, &n);
        if (!total(n.reads) || !total(n.writes)) continue;
        double reads = (double)total(n.reads), writes = (double)total(n.writes);
        sums[0] += (double)n.reads[PATTERN_UNIFORM] / reads;
        sums[1] += (double)(n.reads[PATTERN_UNIFORM] + n.reads[PATTERN_AFFINE]) / reads;
        sums[2] += (double)n.writes[PATTERN_UNIFORM] / writes;
        sums[3] += (double)(n.writes[PATTERN_UNIFORM] + n.writes[PATTERN_AFFINE]) / writes;
        counted++;
    }
    if (counted < 2) return;
    study_rule(t);
    study_text(t, "mean of kernels");
    for (unsigned n = 0; n < 4; n++) study_none(t);
    for (unsigned n = 0; n < 4; n++) {
        if (n % 2 == 0 && n) study_none(t);
        study_share(t, sums[n] / (double)counted);
    }
    study_text(t, "paper (SIMTight, after Collange)");
    for (unsigned n = 0; n < 4; n++) study_none(t);
    static const double paper[] = {0.27, 0.44, 0.15, 0.28};
    for (unsigned n = 0; n < 4; n++) {
        if (n == 2) study_none(t);
        study_share(t, paper[n]);
    }
}

static const struct inst_counts *counts_of(const struct study_kernel *k, uint32_t inst)
{
    return &((const struct kernel_data *)k->data)->counts[inst];
}

static void add_to_line(void *sum, const struct study_kernel *k, uint32_t inst)
{
    add(sum, counts_of(k, inst));
}

static void line_cells(struct study_table *t, const void *sum) { add_shares(t, sum); }

static void report_lines(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"kernel", "entry"}, {"line", "source line"}, SHARES};
    study_each_line(s, r,
                    &(struct study_rows){columns, sizeof columns / sizeof columns[0],
                                         sizeof(struct inst_counts), add_to_line, line_cells});
}

static void inst_cells(struct study_table *t, const struct study_kernel *k, uint32_t inst)
{
    add_shares(t, counts_of(k, inst));
}

static void report_insts(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"kernel", "entry"},
                                                  {"pc", "of the instruction"},
                                                  SHARES,
                                                  {"instruction", "as in the listing"},
                                                  {"line", "source line"}};
    study_each_inst(s, r, columns, sizeof columns / sizeof columns[0], inst_cells);
}

static void report(struct study *s, struct study_report *r)
{
    report_kernels(s, r);
    report_lines(s, r);
    report_insts(s, r);
}

const struct study_class study_operands = {.observer = {.launch_begin = launch_begin,
                                                        .block_begin = block_begin,
                                                        .block_end = block_end,
                                                        .after = after,
                                                        .barrier = barrier},
                                           .report = report};
