// `warpfold bench`: bundled workloads, each in a separate context, checked against a CPU reference.
#include "report/bench.h"
#include "base/file.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/unmodified.h"

#include <string.h>
#include <unistd.h>

static bool parse_word(const char *option, const char *text, const char *const *words, unsigned *value,
                       struct diag *d)
{
    if (!text) return true;
    for (unsigned i = 0; words[i]; i++)
        if (str_equal(words[i], text)) {
            *value = i;
            return true;
        }
    struct strbuf known = {0};
    for (unsigned i = 0; words[i]; i++) strbuf_printf(&known, "%s%s", i ? ", " : "", words[i]);
    diag_error(d, loc_none(), "%s %s: must be one of %s", option, text, strbuf_text(&known));
    strbuf_fini(&known);
    return false;
}

enum wf_status bench_selection(const struct options *o, struct bench_selection *what, struct diag *d)
{
    static const char *const sources[] = {"nvcc", "clang", NULL};
    const char *sizes[WORKLOAD_SIZES + 1] = {NULL};
    for (unsigned i = 0; i < WORKLOAD_SIZES; i++) sizes[i] = workload_size_name((enum workload_size)i);
    unsigned size = WORKLOAD_MEDIUM, ptx = WORKLOAD_NVCC;
    if (!parse_word("--size", options_value(o, OPTION_SIZE), sizes, &size, d) ||
        !parse_word("--ptx", options_value(o, OPTION_PTX), sources, &ptx, d))
        return WF_BAD_USAGE;
    *what = (struct bench_selection){(enum workload_size)size, (enum workload_ptx)ptx};
    return WF_OK;
}

static bool has(const struct workload *w, const struct bench_selection *what)
{
    return workload_has_size(w, what->size) && w->ptx[what->ptx];
}

const struct workload *bench_find(const char *name, const struct bench_selection *what, struct diag *d)
{
    const char *near;
    const struct workload *w = workload_find(name, &near);
    if (w && has(w, what)) return w;
    if (w && workload_has_size(w, what->size))
        diag_error(d, loc_none(), "%s has no PTX by %s: leave out --ptx", name, workload_ptx_name(what->ptx));
    else if (w)
        diag_error(d, loc_none(), "%s has no input of a paper: give size small, medium or large", name);
    else if (near)
        diag_error(d, loc_none(), "no bundled kernel \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(d, loc_none(), "no bundled kernel \"%s\"; `warpfold list kernels` lists every kernel",
                   name);
    return NULL;
}

void bench_list_fini(struct bench_list *list)
{
    for (size_t i = 0; i < list->own.count; i++) own_workload_destroy(list->own.data[i]);
    vec_fini(&list->own);
    vec_fini(&list->all);
}

static enum wf_status add_own(struct bench_list *list, const char *operand, struct diag *d)
{
    struct own_workload *own = own_workload_create(operand, d);
    if (!own) return WF_BAD_INPUT;
    vec_push(&list->own, own);
    vec_push(&list->all, (struct bench_member){.workload = own_workload_of(own)});
    return WF_OK;
}

enum wf_status bench_add(struct bench_list *list, const char *name, const struct bench_selection *what,
                         struct diag *d)
{
    const struct workload *w;
    size_t before = list->all.count;
    if (own_workload_is(name)) return add_own(list, name, d);
    if (!workload_is_group(name)) {
        if (!(w = bench_find(name, what, d))) return WF_BAD_INPUT;
        vec_push(&list->all, (struct bench_member){.workload = w});
        return WF_OK;
    }
    for (size_t i = 0; (w = workload_in_group(name, i, NULL)) != NULL; i++)
        if (has(w, what)) vec_push(&list->all, (struct bench_member){w, workload_registers(name, w->name)});
    if (list->all.count > before) return WF_OK;
    diag_error(d, loc_none(), "no kernel of group \"%s\" has size %s and PTX by %s", name,
               workload_size_name(what->size), workload_ptx_name(what->ptx));
    return WF_BAD_INPUT;
}

static enum wf_status parse_usage(const struct options *o, struct bench_selection *what,
                                  struct bench_list *list, struct results *r, struct diag *d)
{
    if (bench_selection(o, what, d) != WF_OK) return WF_BAD_USAGE;
    for (size_t i = 0; i < o->operands.count; i++)
        if (bench_add(list, o->operands.data[i], what, d) != WF_OK) return WF_BAD_INPUT;
    const char *timeline = options_value(o, OPTION_TIMELINE);
    if (timeline && list->all.count != 1) {
        diag_error(d, loc_none(), "--timeline %s: name a single kernel", timeline);
        return WF_BAD_USAGE;
    }
    if (!o->operands.count) bench_add(list, "all", what, d);
    return command_claim(o, r) ? WF_OK : WF_BAD_INPUT;
}

// Blocks of a shape that the chip of a timed launch holds at once; 0 for a functional launch.
static uint64_t room_of(struct wf_kernel *kernel, const struct wf_launch_config *shape,
                        const struct wf_stats *stats)
{
    uint64_t blocks = 0;
    struct wf_occupancy o;
    if (!stats->gpu) return 0;
    for (size_t k = 0; wf_occupancy_at(kernel, shape, k, &o); k++)
        blocks += (uint64_t)o.blocks * (o.sm_class ? stats->classes[k].sm_class.count : stats->sm_count);
    return blocks;
}

static void record_launch(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                          const struct wf_stats *stats)
{
    struct report_run *run = context;
    report_run_add(run, kernel, shape, stats);
    vec_last(&run->launches).room = room_of(kernel, shape, stats);
}

// --verify: runs the workload again, functionally, without optimisation, on the general engine
// (exec.isa=general). In class D (the output bytes depend on the input alone), the hash of the output bytes
// must equal `output_hash` of the first run. Outputs of other classes are only compared with the reference.
static enum wf_status verify(const struct options *o, const struct bench_selection *what,
                             const struct workload *w, uint64_t output_hash, struct diag *d)
{
    struct wf_context *c = wf_context_create();
    struct workload_options options = {.size = what->size, .ptx = what->ptx};
    struct workload_result plain;
    enum wf_status status = command_settings(o, c, d);
    if (status == WF_OK) status = wf_gpu(c, NULL);
    if (status == WF_OK) status = wf_set(c, "compile.optimise", "0");
    if (status == WF_OK) status = wf_set(c, "exec.isa", "general");
    interrupt_watch(c);
    if (status == WF_OK) status = workload_run(w, c, &options, &plain);
    if (status != WF_OK)
        command_fail_context(c, (int)status);
    else if (w->output_class == WORKLOAD_CLASS_D && plain.output_hash != output_hash) {
        diag_error(d, loc_none(), "%s: --verify: output bytes differ from the plain run's", w->name);
        status = WF_MISMATCH;
    }
    wf_context_destroy(c);
    return status;
}

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
}

// Writes the record of the timeline, for the stepping page beside the same workload without mechanisms.
static void write_timeline(const struct options *o, const struct workload *w, struct wf_context *c,
                           struct workload_options options, struct strbuf *out, struct diag *d)
{
    struct wf_context *base = unmodified_is_wanted(o) ? wf_context_create() : NULL;
    struct workload_result result;
    if (base && unmodified_settings(o, base, d) == WF_OK) {
        options.launched = NULL;
        command_watch(o, base);
        interrupt_watch(base);
        workload_run(w, base, &options, &result);
    }
    command_timeline(o, c, base, out, d);
    wf_context_destroy(base);
}

// Runs one workload in its own context and prints the context's errors at once. Adds a row to the results,
// except after wrong settings.
static enum wf_status run_one(const struct options *o, const struct bench_selection *what,
                              const struct bench_member *member, struct report_bench *b,
                              struct strbuf *timeline, struct diag *d)
{
    const struct workload *w = member->workload;
    struct wf_context *c = wf_context_create();
    struct report_bench_row row = {
        .name = w->name, .class_letter = workload_class_letter(w->output_class), .tolerance = w->tolerance};
    wf_set_progress(c, !options_has(o, OPTION_QUIET));
    enum wf_status status = command_settings(o, c, d);
    if (status == WF_OK) {
        struct workload_options options = {.size = what->size,
                                           .ptx = what->ptx,
                                           .registers = member->registers,
                                           .launched = record_launch,
                                           .launched_context = &row.run};
        struct workload_result result;
        if (!b->rows.count) command_note_races(o, c, d); // once per command
        command_watch(o, c);
        interrupt_watch(c);
        status = workload_run(w, c, &options, &result);
        if (wf_watched(c)) write_timeline(o, w, c, options, timeline, d);
        row.verified = result.verified;
        row.compared = result.compared;
        row.mismatches = result.mismatches;
        row.max_error = result.max_error;
        row.output_hash = result.output_hash;
        if (status == WF_MISMATCH)
            complain("%s: %llu of %llu values differ from the reference: %s\n", w->name,
                     (unsigned long long)result.mismatches, (unsigned long long)result.compared,
                     result.first_mismatch);
        else if (status != WF_OK)
            complain("%s: ", w->name);
        else if (row.run.verify_mismatches) {
            complain("%s: %llu shared values differ from the values their readers would have computed\n",
                     w->name, (unsigned long long)row.run.verify_mismatches);
            status = WF_MISMATCH;
        } else if (row.run.race_text && w->output_class != WORKLOAD_CLASS_R) {
            complain("%s: %s\n", w->name, row.run.race_text);
            status = WF_PROGRAM_FAILED;
        } else if (options_has(o, OPTION_VERIFY))
            status = verify(o, what, w, result.output_hash, d);
        row.status = status;
        vec_push(&b->rows, row);
    }
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    return status;
}

// Writes the files of --json and --timeline. Prints the tables, with the rows of failed workloads, too; no
// tables with --quiet, or if stdout is reserved for JSON.
static enum wf_status publish(const struct options *o, struct report_bench *b, const struct strbuf *timeline,
                              struct results *r, struct diag *d)
{
    struct strbuf text = {0};
    if (options_has(o, OPTION_JSON)) {
        struct wf_context *c = wf_context_create();
        command_settings(o, c, d);
        b->config_json = wf_config_json(c);
        report_bench_json(b, &text);
        wf_context_destroy(c);
        command_json(o, r, &text);
    }
    if (timeline->length) results_put(r, options_value(o, OPTION_TIMELINE), timeline->text, timeline->length);
    enum wf_status status = results_write(r);
    if (!command_json_alone(o) && !options_has(o, OPTION_QUIET)) {
        strbuf_clear(&text);
        report_bench_table(b, file_takes_colour(STDOUT_FILENO), &text);
        if (options_has(o, OPTION_ENERGY)) report_bench_energy(b, file_takes_colour(STDOUT_FILENO), &text);
        print_text(stdout, strbuf_text(&text));
    }
    strbuf_fini(&text);
    return status;
}

static enum wf_status run_all(const struct options *o, const struct bench_selection *what,
                              const struct bench_list *list, struct report_bench *b, struct results *r,
                              struct diag *d)
{
    enum wf_status worst = WF_OK;
    struct strbuf timeline = {0};
    for (size_t i = 0; i < list->all.count; i++) {
        enum wf_status status = run_one(o, what, &list->all.data[i], b, &timeline, d);
        if (status == WF_BAD_USAGE) {
            strbuf_fini(&timeline);
            return status;
        }
        if (status > worst) worst = status;
        if (status == WF_INTERRUPTED) break;
    }
    enum wf_status status = publish(o, b, &timeline, r, d);
    strbuf_fini(&timeline);
    return status == WF_OK ? worst : status;
}

int command_bench(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_BENCH, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct report_bench b = {0};
    struct results r;
    diag_init(&d);
    results_init(&r, &d);
    struct bench_selection what;
    struct bench_list list = {0};
    enum wf_status status = parse_usage(&o, &what, &list, &r, &d);
    if (status == WF_OK) {
        command_note_gpu(&o, &d);
        b.size = workload_size_name(what.size);
        b.ptx = workload_ptx_name(what.ptx);
        status = run_all(&o, &what, &list, &b, &r, &d);
    }
    exit_status = command_fail(&d, (int)status);
    bench_list_fini(&list);
    report_bench_fini(&b);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
