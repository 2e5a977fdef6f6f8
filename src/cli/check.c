// `warpfold check`: the launches of a kernel, a script or bundled kernels under the checker, and its findings.
// Code is compiled without the optimiser, so that an instruction belongs to one line and local arrays stay in
// memory.
#include "report/check.h"
#include "base/file.h"
#include "base/vec.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "cli/hosted.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/run.h"

#include <string.h>
#include <unistd.h>

enum { BAD = 2 }; // exit status

struct found {
    struct report_check report;
    VEC(struct wf_finding) findings;
    struct arena arena;
};

static struct wf_finding_place keep_place(struct arena *a, struct wf_finding_place p)
{
    const char **texts[] = {&p.kernel, &p.instruction, &p.file, &p.lines, &p.ptx_file};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        if (*texts[k]) *texts[k] = arena_strndup(a, *texts[k], strlen(*texts[k]));
    return p;
}

// Copies the context's findings, whose texts end with the context.
static void take(struct found *f, struct wf_context *c)
{
    struct wf_finding from;
    for (size_t i = 0; wf_finding_at(c, i, &from); i++) {
        struct wf_finding_place *places =
            ARENA_ARRAY(&f->arena, struct wf_finding_place, from.place_count + 1);
        for (size_t k = 0; k < from.place_count; k++) places[k] = keep_place(&f->arena, from.places[k]);
        from.places = places;
        from.what = arena_strndup(&f->arena, from.what, strlen(from.what));
        vec_push(&f->findings, from);
    }
}

static enum wf_status settle(const struct options *o, struct wf_context *c, struct diag *d)
{
    enum wf_status status = wf_set(c, "compile.optimise", "0");
    wf_set_progress(c, !options_has(o, OPTION_QUIET));
    if (status == WF_OK) status = command_settings(o, c, d);
    if (status == WF_OK) status = wf_check(c);
    interrupt_watch(c);
    return status;
}

// A failed launch is among the findings. Errors stay where the run never began.
static enum wf_status judge(struct wf_context *c, enum wf_status status)
{
    struct wf_finding first;
    if (status != WF_PROGRAM_FAILED || !wf_finding_at(c, 0, &first)) return status;
    wf_clear_errors(c);
    return WF_OK;
}

// -- bundled kernels ----------------------------------------------------------------------------------------

static enum wf_status check_bench(const struct options *o, struct found *f, const struct bench_member *member,
                                  const struct bench_selection *what, struct diag *d)
{
    struct wf_context *c = wf_context_create();
    enum wf_status status = settle(o, c, d);
    if (status == WF_OK) {
        struct workload_options options = {
            .size = what->size, .ptx = what->ptx, .registers = member->registers};
        struct workload_result result = {0};
        status = judge(c, workload_run(member->workload, c, &options, &result));
        if (status == WF_MISMATCH) status = WF_OK; // excused accesses change results
        f->report.launches += result.launches;
        f->report.warp_instructions += result.warp_instructions;
        f->report.wall_seconds += result.simulation_seconds;
        take(f, c);
    }
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    return status;
}

static enum wf_status check_benches(const struct options *o, struct found *f, struct diag *d)
{
    struct bench_list list = {0};
    struct bench_selection what;
    if (o->operands.count || options_has(o, OPTION_SCRIPT)) {
        diag_error(d, loc_none(), "--bench goes without a file and without --script");
        return WF_BAD_USAGE;
    }
    enum wf_status status = bench_selection(o, &what, d);
    char *names = heap_strdup(options_value(o, OPTION_BENCHES)), *rest = names;
    for (const char *name; status == WF_OK && (name = strsep(&rest, ",")) != NULL;)
        status = bench_add(&list, name, &what, d);
    free(names);
    for (size_t i = 0; i < list.all.count && status == WF_OK; i++)
        status = check_bench(o, f, &list.all.data[i], &what, d);
    bench_list_fini(&list);
    return status;
}

// -- a kernel or a script -----------------------------------------------------------------------------------

static void print_kernel_text(void *context, const char *text, size_t length)
{
    print_bytes(context, text, length);
}

static enum wf_status check_operand(const struct options *o, struct diag *d)
{
    enum wf_status status = run_check(o, d);
    if (status != WF_OK || options_has(o, OPTION_SCRIPT)) return status;
    if (hosted_kind(o->operands.data[0]) != HOSTED_PROGRAM) return WF_OK;
    diag_error(d, loc_none(), "check is for CUDA kernels; %s is a RISC-V program", o->operands.data[0]);
    return WF_BAD_USAGE;
}

static enum wf_status check_file(const struct options *o, struct found *f, struct results *r, struct diag *d)
{
    struct session s;
    session_init(&s, wf_context_create(), d, r);
    struct sources sources;
    sources_init(&sources, o);
    s.sources = &sources;
    s.is_checked = true;
    wf_set_print(s.context, print_kernel_text, stderr);
    enum wf_status status = check_operand(o, d);
    if (status == WF_OK) status = settle(o, s.context, d);
    if (status == WF_OK) status = run_execute(o, &s);
    if (status == WF_OK && options_has(o, OPTION_SCRIPT)) session_leaks(&s);
    status = judge(s.context, status);
    take(f, s.context);
    const struct report_launch sum = report_run_sum(&s.report);
    f->report.launches = s.report.launches.count;
    f->report.warp_instructions = sum.warp_instructions;
    f->report.wall_seconds = sum.wall_seconds;
    if (status != WF_OK) command_fail_context(s.context, (int)status);
    wf_context_destroy(s.context);
    session_fini(&s);
    sources_fini(&sources);
    return status;
}

// -- results ------------------------------------------------------------------------------------------------

static enum wf_status publish(const struct options *o, struct found *f, struct results *r)
{
    struct strbuf text = {0};
    enum wf_status status = WF_OK;
    f->report.findings = f->findings.data;
    f->report.count = f->findings.count;
    if (options_has(o, OPTION_JSON)) {
        report_check_json(&f->report, &text);
        command_json(o, r, &text);
        status = results_write(r);
    }
    if (!command_json_alone(o) && !options_has(o, OPTION_QUIET)) {
        strbuf_clear(&text);
        report_check_text(&f->report, file_takes_colour(STDOUT_FILENO), &text);
        print_text(stdout, strbuf_text(&text));
    }
    strbuf_fini(&text);
    return status;
}

static int exit_of(enum wf_status status, const struct found *f)
{
    switch (status) {
    case WF_OK: return f->findings.count ? CHECK_FOUND : 0;
    case WF_BAD_INPUT:
    case WF_BAD_USAGE: return BAD;
    case WF_PROGRAM_FAILED:
    case WF_MISMATCH:
    case WF_INTERRUPTED: break;
    }
    return (int)status;
}

int command_check(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_CHECK, argc, argv, &exit_status)) return exit_status;
    if (cuda_program_is_named(&o)) return cuda_program_command(&o);
    struct diag d;
    struct results r;
    struct found f = {0};
    diag_init(&d);
    results_init(&r, &d);
    arena_init(&f.arena);
    enum wf_status status;
    if (!options_has(&o, OPTION_BENCHES))
        status = check_file(&o, &f, &r, &d);
    else if (command_claim(&o, &r))
        status = check_benches(&o, &f, &d);
    else
        status = WF_BAD_INPUT;
    f.report.interrupted = status == WF_INTERRUPTED;
    if (status == WF_OK || status == WF_INTERRUPTED) {
        enum wf_status written = publish(&o, &f, &r);
        if (written != WF_OK) status = WF_BAD_INPUT;
    }
    print_flush(stdout); // stdout precedes the messages
    exit_status = command_fail(&d, exit_of(status, &f));
    vec_fini(&f.findings);
    arena_fini(&f.arena);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
