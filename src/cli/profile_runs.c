#include "cli/profile_runs.h"
#include "cli/hosted.h"
#include "cli/run.h"

#include <string.h>

static enum wf_status check_bench(struct profile_subject *p, const char *name, struct diag *d)
{
    static const enum option_id own[] = {OPTION_KERNEL, OPTION_GRID,   OPTION_BLOCK, OPTION_ARG,
                                         OPTION_SYMBOL, OPTION_SHARED, OPTION_CC};
    const struct options *o = p->options;
    if (o->operands.count || options_has(o, OPTION_SCRIPT)) {
        diag_error(d, loc_none(), "--bench goes without a file and without --script");
        return WF_BAD_USAGE;
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (options_has(o, own[i])) {
            diag_error(d, loc_none(), "%s does not go with --bench: a bundled kernel has its own launches",
                       options_name(own[i]));
            return WF_BAD_USAGE;
        }
    enum wf_status status = bench_selection(o, &p->selection, d);
    if (status == WF_OK) p->workload = bench_find(name, &p->selection, d);
    return status == WF_OK && !p->workload ? WF_BAD_INPUT : status;
}

enum wf_status profile_subject_init(struct profile_subject *p, const struct options *o, struct diag *d)
{
    static const enum option_id of_bench[] = {OPTION_SIZE, OPTION_PTX};
    const char *name = options_value(o, OPTION_BENCHES);
    *p = (struct profile_subject){.options = o};
    if (name) return check_bench(p, name, d);
    for (size_t i = 0; i < sizeof of_bench / sizeof of_bench[0]; i++)
        if (options_has(o, of_bench[i])) {
            diag_error(d, loc_none(), "%s goes with --bench", options_name(of_bench[i]));
            return WF_BAD_USAGE;
        }
    enum wf_status status = run_check(o, d);
    if (status != WF_OK || options_has(o, OPTION_SCRIPT)) return status;
    if (hosted_kind(o->operands.data[0]) != HOSTED_PROGRAM) return WF_OK;
    diag_error(d, loc_none(), "profile is for CUDA kernels; %s is a RISC-V program", o->operands.data[0]);
    return WF_BAD_USAGE;
}

// -- a bundled kernel -----------------------------------------------------------------------------------------------

static void launching(void *context, struct wf_kernel *kernel, struct wf_launch_config *shape)
{
    const struct session *s = context;
    change_shape(s->change, kernel, shape);
}

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct session *s = context;
    report_run_add(&s->report, kernel, shape, stats);
    if (s->launched) s->launched(s->launched_context, kernel, shape, stats);
}

static enum wf_status run_workload(const struct profile_subject *p, struct session *s)
{
    struct workload workload = *p->workload;
    struct workload_options options = {.size = p->selection.size,
                                       .ptx = p->selection.ptx,
                                       .launching = launching,
                                       .launching_context = s,
                                       .launched = launched,
                                       .launched_context = s};
    struct workload_result result;
    struct strbuf text = {0};
    if (s->change && s->change->rewrite_count) {
        change_text(s->change, workload.ptx[options.ptx], &text);
        workload.ptx[options.ptx] = strbuf_text(&text);
        workload.ptx_end[options.ptx] = strbuf_text(&text) + text.length;
    }
    enum wf_status status = workload_run(&workload, s->context, &options, &result);
    strbuf_fini(&text);
    return status == WF_MISMATCH ? WF_OK : status; // values of what-if runs may be void
}

enum wf_status profile_subject_run(const struct profile_subject *p, struct session *s)
{
    return p->workload ? run_workload(p, s) : run_execute(p->options, s);
}

// -- a limit of cycles for all launches -----------------------------------------------------------------------------

struct budget {
    struct wf_context *context;
    double left; // cycles
};

static void pay(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct budget *b = context;
    (void)kernel;
    (void)shape;
    if (stats->cycles != WF_UNKNOWN) b->left -= (double)stats->cycles;
    wf_set_max_cycles(b->context, b->left > 1 ? (uint64_t)b->left : 1);
}

enum wf_status profile_subject_run_within(const struct profile_subject *p, struct session *s, double most,
                                          bool *is_over)
{
    struct budget b = {s->context, most};
    s->launched = pay;
    s->launched_context = &b;
    wf_set_max_cycles(s->context, most > 1 ? (uint64_t)most : 1);
    enum wf_status status = profile_subject_run(p, s);
    *is_over = status == WF_PROGRAM_FAILED && b.left <= 0;
    return status;
}
