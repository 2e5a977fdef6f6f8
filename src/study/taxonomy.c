// Kinds of redundancy in a threadblock (DARSIE, Figure 2), by the weakest pattern among the source registers
// and predicates of an instruction. Uniform: one value in all lanes; affine: base and stride; unstructured:
// any other vector. Executions by diverged or partial warps are not redundant.
#include "study/repeat.h"

enum { DIMENSIONS = 2 }; // blocks of one dimension, of more

#define SHARES                                                                                               \
    {"warp_instructions", "executed"}, {"uniform", "redundant in the block, all sources uniform"},           \
        {"affine", "redundant in the block, sources affine"},                                                \
        {"unstructured", "redundant in the block, a source without a pattern"},                              \
        {"none", "not redundant in the block"},                                                              \
    {                                                                                                        \
        "diverged", "outside the classes: executed by part of a warp"                                        \
    }

static void add_shares(struct study_table *t, const struct repeat_totals *n)
{
    study_count(t, n->executed);
    for (unsigned p = 0; p < PATTERN_COUNT; p++) study_ratio(t, n->block[p], n->executed);
    study_ratio(t, n->executed - repeat_in_block(n), n->executed);
    study_ratio(t, n->diverged, n->executed);
}

struct mean {
    double block[PATTERN_COUNT], diverged;
    size_t count;
};

static void add_mean(struct mean *m, const struct repeat_totals *n)
{
    if (!n->executed) return;
    for (unsigned p = 0; p < PATTERN_COUNT; p++) m->block[p] += (double)n->block[p] / (double)n->executed;
    m->diverged += (double)n->diverged / (double)n->executed;
    m->count++;
}

static void mean_row(struct study_table *t, const char *name, const struct mean *m)
{
    double none = (double)m->count;
    study_text(t, "%s", name);
    study_none(t);
    study_none(t);
    for (unsigned p = 0; p < PATTERN_COUNT; p++) {
        study_share(t, m->block[p] / (double)m->count);
        none -= m->block[p];
    }
    study_share(t, none / (double)m->count);
    study_share(t, m->diverged / (double)m->count);
}

static unsigned dimension_class(const struct study_kernel *k) { return k->block[1] > 1 || k->block[2] > 1; }

static void report_workloads(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"dimensions", "of the block, of the kernel with the most instructions"},
        SHARES};
    struct study_table *t = study_table_add(r, "workloads", "Redundancy in the threadblock by kind", columns,
                                            sizeof columns / sizeof columns[0]);
    struct mean means[DIMENSIONS] = {0};
    for (size_t i = 0; i < s->kernels.count;) {
        const struct study_kernel *first = s->kernels.data[i], *main = first;
        struct repeat_totals n = {0};
        uint64_t most = 0;
        for (; i < s->kernels.count && s->kernels.data[i]->group == first->group; i++) {
            uint64_t before = n.executed;
            repeat_add_kernel(&n, s->kernels.data[i]);
            if (n.executed - before > most) main = s->kernels.data[i];
            if (n.executed - before > most) most = n.executed - before;
        }
        study_text(t, "%s", first->group);
        study_text(t, "%s", main->block[2] > 1 ? "3D" : main->block[1] > 1 ? "2D" : "1D");
        add_shares(t, &n);
        add_mean(&means[dimension_class(main)], &n);
    }
    study_rule(t);
    if (means[0].count > 1) mean_row(t, "mean of 1D", &means[0]);
    if (means[1].count > 1) mean_row(t, "mean of 2D and 3D", &means[1]);
}

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"}, {"kernel", "entry"}, {"block", "threads in x, y, z"}, SHARES};
    struct study_table *t = study_table_add(r, "kernels", "Redundancy in the threadblock by kind, by kernel",
                                            columns, sizeof columns / sizeof columns[0]);
    t->detail = s->kernels.count > 1 && s->kernels.data[0]->group;
    for (size_t i = 0; i < s->kernels.count; i++) {
        struct repeat_totals n = {0};
        repeat_add_kernel(&n, s->kernels.data[i]);
        study_kernel_cells(t, s->kernels.data[i]);
        add_shares(t, &n);
    }
}

static void add_to_line(void *sum, const struct study_kernel *k, uint32_t inst) { repeat_add(sum, k, inst); }

static void line_cells(struct study_table *t, const void *sum) { add_shares(t, sum); }

static void report_lines(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"kernel", "entry"}, {"line", "source line"}, SHARES};
    study_each_line(s, r,
                    &(struct study_rows){columns, sizeof columns / sizeof columns[0],
                                         sizeof(struct repeat_totals), add_to_line, line_cells});
}

static const char *const output_names[OUTPUT_COUNT] = {"uniform redundant", "affine redundant",
                                                       "unstructured redundant", "TB-affine", "unrelated"};

// The most frequent kind of an instruction's results over the warps of a block, in the terms of Figure 3;
// "-": no instance executed by all warps, or no register written.
static const char *output_of(const struct repeat_counts *n)
{
    unsigned best = 0;
    for (unsigned k = 1; k < OUTPUT_COUNT; k++)
        if (n->outputs[k] > n->outputs[best]) best = k;
    return n->outputs[best] ? output_names[best] : "-";
}

static void inst_cells(struct study_table *t, const struct study_kernel *k, uint32_t inst)
{
    struct repeat_totals n = {0};
    repeat_add(&n, k, inst);
    add_shares(t, &n);
    study_text(t, "%s", output_of(&((struct repeat_kernel *)k->data)->counts[inst]));
}

static void report_insts(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"pc", "of the instruction"},
        SHARES,
        {"output", "most frequent pattern of values written by a block's warps"},
        {"instruction", "as in the listing"},
        {"line", "source line"}};
    study_each_inst(s, r, columns, sizeof columns / sizeof columns[0], inst_cells);
}

static void report(struct study *s, struct study_report *r)
{
    if (s->kernels.count && s->kernels.data[0]->group) report_workloads(s, r);
    report_kernels(s, r);
    report_lines(s, r);
    report_insts(s, r);
    repeat_notes(s, r);
}

const struct study_class study_taxonomy = {.observer = REPEAT_OBSERVER, .report = report};
