// `warpfold profile`: a run with samples, then what-if runs of the same launches, then ranked rules, as text, JSON and a
// page. A what-if run has a context of its own, and its memory contents are thrown away.
#include "base/file.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/profile_out.h"
#include "cli/profile_runs.h"
#include "cli/what_if.h"

#include <string.h>
#include <unistd.h>

// -- runs -----------------------------------------------------------------------------------------------------------

// Makes trial number i. False: interrupted.
static bool try_rule(const struct profile_subject *of, struct profile *p, size_t i, struct sources *sources)
{
    struct diag quiet;
    struct session s;
    struct results nothing;
    struct session_change change = {0};
    bool is_over = false;
    diag_init(&quiet);
    results_init(&nothing, &quiet);
    session_init(&s, wf_context_create(), &quiet, &nothing);
    s.change = &change;
    s.sources = sources;
    enum wf_status status = command_settings(of->options, s.context, &quiet);
    if (status == WF_OK && !what_if_apply(s.context, &p->facts, &change, p->trials[i].settings))
        status = WF_BAD_USAGE;
    if (status == WF_OK) status = wf_set(s.context, "sample", "off"); // as in the base run, timed whole
    wf_set_progress(s.context, !options_has(of->options, OPTION_QUIET));
    interrupt_watch(s.context);
    if (status == WF_OK) status = profile_subject_run_within(of, &s, profile_most_cycles(p), &is_over);
    profile_tried(p, i, status == WF_OK ? &s.report : NULL, is_over, s.context);
    wf_context_destroy(s.context);
    session_fini(&s);
    results_fini(&nothing);
    diag_fini(&quiet);
    return status != WF_INTERRUPTED;
}

// Makes the trials and ranks the rules.
static enum wf_status try_all(const struct profile_subject *of, struct profile *p, struct sources *sources)
{
    for (size_t i = 0; i < p->trial_count; i++)
        if (!try_rule(of, p, i, sources)) return WF_INTERRUPTED;
    profile_rank(p);
    return WF_OK;
}

// -- results --------------------------------------------------------------------------------------------------------

struct modules {
    const char **data;
    size_t count, capacity;
};

// Appends the paths of files read by the run, PTX files included.
static void find_modules(const struct results *r, struct modules *m)
{
    for (size_t i = 0; i < r->list.count; i++)
        if (r->list.data[i].is_read) vec_push(m, r->list.data[i].path);
}

static enum wf_status check_beside(const struct options *o, struct session *s)
{
    const char *path = options_value(o, OPTION_BESIDE);
    if (!path) return WF_OK;
    bool good = results_claim_read(s->results, path, loc_none()) && profile_out_check_beside(path, s->diag);
    return good ? WF_OK : WF_BAD_INPUT;
}

// Writes page and JSON, then prints the summary.
static enum wf_status publish(const struct profile_subject *of, struct session *s, struct profile *p)
{
    const struct options *o = of->options;
    struct modules modules = {0};
    struct profile_out out;
    char name[64] = "";
    if (of->workload) snprintf(name, sizeof name, "%s.cu", of->workload->file);
    find_modules(s->results, &modules);
    report_run_compare(&s->report, s->context);
    s->report.config_json = wf_config_json(s->context);
    const struct profile_request request = {.files = {.modules = modules.data,
                                                      .module_count = modules.count,
                                                      .name = of->workload ? name : NULL,
                                                      .text = of->workload ? of->workload->source : NULL},
                                            .beside = options_value(o, OPTION_BESIDE),
                                            .page_path = profile_out_path(o),
                                            .has_json = options_has(o, OPTION_JSON),
                                            .colour = file_takes_colour(STDOUT_FILENO)};
    profile_out_make(&out, p, &s->report, &request, s->diag);
    vec_fini(&modules);
    if (options_has(o, OPTION_JSON)) command_json(o, s->results, &out.json);
    results_put(s->results, profile_out_path(o), strbuf_text(&out.page), out.page.length);
    enum wf_status status = results_write(s->results);
    if (status == WF_OK && !command_json_alone(o) && !options_has(o, OPTION_QUIET))
        print_text(stdout, strbuf_text(&out.text));
    profile_out_fini(&out);
    return status == WF_OK ? WF_OK : WF_BAD_INPUT;
}

// -- the command ----------------------------------------------------------------------------------------------------

// The settings of the base run. Sampling in time is on unless --set names another interval.
static enum wf_status settle(const struct options *o, struct session *s)
{
    enum wf_status status = wf_set(s->context, "report.interval", PROFILE_INTERVAL);
    if (status == WF_OK) status = command_settings(o, s->context, s->diag);
    if (status == WF_OK && !command_has_time(o, s->context, s->diag)) status = WF_BAD_USAGE;
    return status;
}

// Base run, trials, results. A failed base run leaves no page.
static enum wf_status run_profile(const struct profile_subject *of, struct session *s)
{
    const struct options *o = of->options;
    struct profile p;
    if (!results_claim(s->results, "--out", profile_out_path(o), loc_none())) return WF_BAD_INPUT;
    enum wf_status status = check_beside(o, s);
    if (status == WF_OK && of->workload && !command_claim(o, s->results)) status = WF_BAD_INPUT;
    if (status == WF_OK) status = profile_subject_run(of, s);
    if (status != WF_OK) return status;
    profile_init(&p, &s->report, s->context, true);
    status = try_all(of, &p, s->sources);
    if (status == WF_OK) status = publish(of, s, &p);
    profile_fini(&p);
    return status;
}

int command_profile(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_PROFILE, argc, argv, &exit_status)) return exit_status;
    if (cuda_program_is_named(&o)) return cuda_program_command(&o);
    struct diag d;
    struct session s;
    struct results r;
    diag_init(&d);
    results_init(&r, &d);
    session_init(&s, wf_context_create(), &d, &r);
    struct sources sources;
    sources_init(&sources, &o);
    s.sources = &sources;
    wf_set_progress(s.context, !options_has(&o, OPTION_QUIET));
    struct profile_subject subject;
    enum wf_status status = profile_subject_init(&subject, &o, &d);
    if (status == WF_OK) status = settle(&o, &s);
    interrupt_watch(s.context);
    if (status == WF_OK) status = run_profile(&subject, &s);
    print_flush(stdout);
    exit_status = command_fail_both(s.context, &d, (int)status);
    wf_context_destroy(s.context);
    session_fini(&s);
    sources_fini(&sources);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
