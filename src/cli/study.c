// `warpfold study`: launches observed by a limit study, from a file or bundled workloads, and the study's
// tables.
#include "report/study.h"
#include "base/file.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/run.h"

#include <string.h>
#include <unistd.h>

static const char *next_study(const void *context, size_t i)
{
    const char *name = NULL, *meaning;
    (void)context;
    return wf_study_at(i, &name, &meaning) ? name : NULL;
}

// Creates the study named by the first operand, and removes the operand. The others are operands of `run`.
// NULL and an error: no operand, or an unknown study.
static struct wf_study *take_study(struct options *o, struct diag *d, const char **name)
{
    if (!o->operands.count) {
        diag_error(d, loc_none(), "study needs a study's name; `warpfold list studies` explains the studies");
        return NULL;
    }
    *name = o->operands.data[0];
    memmove(o->operands.data, o->operands.data + 1, --o->operands.count * sizeof *o->operands.data);
    struct wf_study *s = wf_study_create(*name);
    const char *near = s ? NULL : str_nearest(*name, next_study, NULL);
    if (near)
        diag_error(d, loc_none(), "no study \"%s\"; did you mean \"%s\"?", *name, near);
    else if (!s)
        diag_error(d, loc_none(), "no study \"%s\"; `warpfold list studies` lists every study", *name);
    return s;
}

// Totals of the observed launches.
struct ran {
    struct wf_study *study;
    uint64_t warp_instructions;
    double seconds;
    size_t workloads;
};

// Selects the GPU for a study of timed launches. For a functional study, refuses --tech, --threads and
// --max-cycles.
static enum wf_status choose_gpu(const struct options *o, struct wf_context *c, const struct wf_study *s,
                                 struct diag *d)
{
    static const enum option_id of_time[] = {OPTION_TECH, OPTION_THREADS, OPTION_MAX_CYCLES};
    const char *gpu = options_value(o, OPTION_GPU);
    if (wf_study_times(s)) return wf_gpu(c, gpu ? gpu : "gtx1080ti");
    for (size_t i = 0; i < sizeof of_time / sizeof of_time[0]; i++)
        if (options_has(o, of_time[i])) {
            diag_error(d, loc_none(),
                       "%s is for studies of timed launches; the study needs functional launches",
                       options_name(of_time[i]));
            return WF_BAD_USAGE;
        }
    return WF_OK;
}

// -- bundled workloads --------------------------------------------------------------------------------------

struct benches {
    struct bench_list list;
    struct bench_selection selection;
};

static enum wf_status parse_benches(const struct options *o, struct benches *b, struct diag *d)
{
    static const enum option_id own[] = {OPTION_KERNEL, OPTION_GRID,   OPTION_BLOCK,   OPTION_ARG,
                                         OPTION_SYMBOL, OPTION_SHARED, OPTION_CLUSTER, OPTION_SCRIPT};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (options_has(o, own[i])) {
            diag_error(d, loc_none(),
                       "%s does not go with --bench: bundled kernels have launches of their own",
                       options_name(own[i]));
            return WF_BAD_USAGE;
        }
    if (o->operands.count) {
        diag_error(d, loc_none(), "\"%s\" beside --bench: give a file or bundled kernels",
                   o->operands.data[0]);
        return WF_BAD_USAGE;
    }
    enum wf_status status = bench_selection(o, &b->selection, d);
    char *names = heap_strdup(options_value(o, OPTION_BENCHES)), *rest = names;
    for (const char *name; status == WF_OK && (name = strsep(&rest, ",")) != NULL;)
        status = bench_add(&b->list, name, &b->selection, d);
    free(names);
    return status;
}

static enum wf_status run_bench(const struct options *o, struct ran *ran, const struct bench_member *member,
                                const struct bench_selection *what, struct diag *d)
{
    const struct workload *w = member->workload;
    struct wf_context *c = wf_context_create();
    wf_set_progress(c, !options_has(o, OPTION_QUIET));
    enum wf_status status = command_settings(o, c, d);
    if (status == WF_OK) status = choose_gpu(o, c, ran->study, d);
    if (status == WF_OK) status = wf_set_study(c, ran->study);
    if (status == WF_OK) {
        struct workload_options options = {
            .size = what->size, .ptx = what->ptx, .registers = member->registers};
        struct workload_result result;
        wf_study_group(ran->study, w->name);
        interrupt_watch(c);
        status = workload_run(w, c, &options, &result);
        ran->warp_instructions += result.warp_instructions;
        ran->seconds += result.simulation_seconds;
        ran->workloads++;
        if (status == WF_MISMATCH)
            diag_error(d, loc_none(), "%s: %llu of %llu values differ from the reference: %s", w->name,
                       (unsigned long long)result.mismatches, (unsigned long long)result.compared,
                       result.first_mismatch);
    }
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    return status;
}

static enum wf_status run_benches(const struct options *o, struct ran *ran, struct results *r, struct diag *d)
{
    struct benches b = {0};
    enum wf_status status = parse_benches(o, &b, d);
    if (status == WF_OK && !command_claim(o, r)) status = WF_BAD_INPUT;
    for (size_t i = 0; i < b.list.all.count && status == WF_OK; i++)
        status = run_bench(o, ran, &b.list.all.data[i], &b.selection, d);
    vec_fini(&b.list.all);
    return status;
}

// -- a file -------------------------------------------------------------------------------------------------

static void print_kernel_text(void *context, const char *text, size_t length)
{
    print_bytes(context, text, length);
}

// Makes the PTX file's folder the folder with the study's source files.
static void look_beside(struct wf_study *s, const char *path)
{
    const char *name = strrchr(path, '/');
    char *folder = name ? heap_strndup(path, (size_t)(name - path)) : heap_strdup(".");
    wf_study_sources(s, folder);
    free(folder);
}

static enum wf_status run_file(const struct options *o, struct ran *ran, struct results *r, struct diag *d)
{
    struct session session;
    struct wf_context *c = wf_context_create();
    session_init(&session, c, d, r);
    struct sources sources;
    sources_init(&sources, o);
    session.sources = &sources;
    wf_set_print(c, print_kernel_text, stderr);
    wf_set_progress(c, !options_has(o, OPTION_QUIET));
    enum wf_status status = run_check(o, d);
    if (status == WF_OK) status = command_settings(o, c, d);
    if (status == WF_OK) status = choose_gpu(o, c, ran->study, d);
    if (status == WF_OK) status = wf_set_study(c, ran->study);
    if (status == WF_OK && o->operands.count) look_beside(ran->study, o->operands.data[0]);
    interrupt_watch(c);
    if (status == WF_OK) status = run_execute(o, &session);
    const struct report_launch sum = report_run_sum(&session.report);
    ran->warp_instructions = sum.warp_instructions;
    ran->seconds = sum.wall_seconds;
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    session_fini(&session);
    sources_fini(&sources);
    return status;
}

// Reads launches or accesses from a file, for studies that need no run.
static enum wf_status read_launches(const struct options *o, struct ran *ran, struct results *r,
                                    struct diag *d)
{
    if (o->operands.count > 1) {
        diag_error(d, loc_none(), "study takes a single file; \"%s\" is a second operand",
                   o->operands.data[1]);
        return WF_BAD_USAGE;
    }
    if (!command_claim(o, r) || !results_claim_read(r, o->operands.data[0], loc_none())) return WF_BAD_INPUT;
    struct wf_context *c = wf_context_create();
    enum wf_status status = command_settings(o, c, d);
    if (status == WF_OK) status = wf_study_read(ran->study, c, o->operands.data[0]);
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    return status;
}

// -- results ------------------------------------------------------------------------------------------------

static enum wf_status publish(const struct options *o, const char *name, const struct ran *ran,
                              enum wf_status status, struct results *results, struct diag *d)
{
    const struct wf_study_results *r = wf_study_report(ran->study);
    if (status == WF_OK) status = r->status;
    struct report_study shown = {.study = name,
                                 .report = r,
                                 .status = status,
                                 .warp_instructions = ran->warp_instructions,
                                 .wall_seconds = ran->seconds,
                                 .detail = ran->workloads <= 1 || options_has(o, OPTION_DETAIL)};
    struct strbuf text = {0};
    if (options_has(o, OPTION_JSON)) {
        struct wf_context *c = wf_context_create(); // holds the given settings
        command_settings(o, c, d);
        shown.config_json = wf_config_json(c);
        report_study_json(&shown, &text);
        wf_context_destroy(c);
        command_json(o, results, &text);
        if (results_write(results) != WF_OK) status = WF_BAD_INPUT;
    }
    if (!command_json_alone(o) && !options_has(o, OPTION_QUIET)) {
        strbuf_clear(&text);
        report_study_table(&shown, file_takes_colour(STDOUT_FILENO), &text);
        print_text(stdout, strbuf_text(&text));
    }
    for (size_t i = 0; i < r->failure_count; i++) diag_error(d, loc_none(), "%s", r->failures[i]);
    strbuf_fini(&text);
    return status;
}

static enum wf_status study(struct options *o, struct diag *d)
{
    const char *name;
    struct ran ran = {.study = take_study(o, d, &name)};
    if (!ran.study) return WF_BAD_USAGE;
    enum wf_status status;
    struct results r;
    results_init(&r, d);
    if (options_has(o, OPTION_BENCHES)) {
        status = run_benches(o, &ran, &r, d);
    } else {
        bool is_list = o->operands.count && str_ends_with(o->operands.data[0], ".csv");
        status = is_list ? read_launches(o, &ran, &r, d) : run_file(o, &ran, &r, d);
    }
    if (status == WF_OK || status == WF_PROGRAM_FAILED || status == WF_INTERRUPTED)
        status = publish(o, name, &ran, status, &r, d);
    results_fini(&r);
    wf_study_destroy(ran.study);
    return status;
}

int command_study(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_STUDY, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    diag_init(&d);
    enum wf_status status = study(&o, &d);
    print_flush(stdout); // stdout precedes the messages
    exit_status = command_fail(&d, (int)status);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
