// `warpfold profile`: a run with samples, then what-if runs of the same launches, then ranked rules, as text, JSON and a
// page. A what-if run has a context of its own, and its memory contents are thrown away.
#include "base/file.h"
#include "cli/command.h"
#include "cli/hosted.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "cli/run.h"
#include "profile/beside.h"
#include "profile/page.h"
#include "profile/text.h"
#include "report/lines.h"

#include <string.h>
#include <unistd.h>

static const char PAGE[] = "profile.html", INTERVAL[] = "256";
enum { SAMPLES = 200, LONGEST = 4 }; // LONGEST: cycles of a what-if launch over the longest of the base run

// -- settings of what-if runs ---------------------------------------------------------------------------------------

// PTX in place of quotients and roots, for @division.
static const char *const cheap_division[][2] = {
    {"div.rn.f32", "div.approx.f32"},   {"div.rn.ftz.f32", "div.approx.ftz.f32"},
    {"div.full.f32", "div.approx.f32"}, {"div.full.ftz.f32", "div.approx.ftz.f32"},
    {"sqrt.rn.f32", "sqrt.approx.f32"}, {"sqrt.rn.ftz.f32", "sqrt.approx.ftz.f32"},
    {"rcp.rn.f32", "rcp.approx.f32"},   {"rcp.rn.ftz.f32", "rcp.approx.ftz.f32"},
    {"div.rn.f64", "mul.rn.f64"},       {"sqrt.rn.f64", "abs.f64"},
    {"rcp.rn.f64", "abs.f64"},          {"div.s32", "mul.lo.s32"},
    {"div.u32", "mul.lo.u32"},          {"rem.s32", "mul.lo.s32"},
    {"rem.u32", "mul.lo.u32"},          {"div.s64", "mul.lo.s64"},
    {"div.u64", "mul.lo.u64"},          {"rem.s64", "mul.lo.s64"},
    {"rem.u64", "mul.lo.u64"},          {"div.s16", "mul.lo.s16"},
    {"div.u16", "mul.lo.u16"},          {"rem.s16", "mul.lo.s16"},
    {"rem.u16", "mul.lo.u16"},
};

struct what_if {
    struct wf_context *context;
    const struct facts *facts;
    struct session_change *change;
};

static bool find_key(struct wf_context *c, const char *name, struct wf_key *key)
{
    for (size_t n = 0; wf_key_at(c, n, key); n++)
        if (str_equal(key->name, name)) return true;
    return false;
}

// The largest value of a key with a range such as "1 to 64".
static double most_of(const struct wf_key *key)
{
    const char *last = key->range ? strrchr(key->range, ' ') : NULL;
    double most;
    char digits[32];
    size_t n = 0;
    for (; last && *last && n < sizeof digits - 1; last++)
        if (*last >= '0' && *last <= '9') digits[n++] = *last;
    digits[n] = 0;
    return str_to_f64(digits, &most) ? most : 1e18;
}

// Appends the value of a setting: "@KEY", "*N", "@", or the text.
static bool find_value(const struct what_if *w, const char *name, const char *value, struct strbuf *out)
{
    struct wf_key key;
    if (str_equal(value, "@")) {
        strbuf_printf(out, "%u", w->facts->registers);
    } else if (*value == '@') {
        if (!find_key(w->context, value + 1, &key)) return false;
        strbuf_puts(out, key.value);
    } else if (*value == '*') {
        double factor;
        if (!find_key(w->context, name, &key) || !str_to_f64(value + 1, &factor)) return false;
        double times = factor * (double)strtoull(key.value, NULL, 10), most = most_of(&key);
        strbuf_printf(out, "%.0f", times < most ? times : most);
    } else {
        strbuf_puts(out, value);
    }
    return true;
}

// Applies a setting to the context, or to the change of program and launches. False: refused.
static bool apply_one(const struct what_if *w, const char *name, const char *value)
{
    struct strbuf text = {0};
    if (str_equal(name, "@tech")) return wf_tech(w->context, value) == WF_OK;
    if (str_equal(name, "@division")) {
        w->change->rewrites = cheap_division;
        w->change->rewrite_count = sizeof cheap_division / sizeof cheap_division[0];
        return true;
    }
    if (str_equal(name, "@waves")) {
        w->change->whole_waves = w->facts->sms;
        return true;
    }
    bool good = find_value(w, name, value, &text) && wf_set(w->context, name, strbuf_text(&text)) == WF_OK;
    strbuf_fini(&text);
    return good;
}

// Applies the settings of a trial (rules.def), separated by spaces. False: a setting was refused.
static bool apply_settings(const struct what_if *w, const char *settings)
{
    char *copy = heap_strdup(settings), *rest = copy, *word;
    bool good = true;
    while (good && (word = strtok_r(rest, " ", &rest)) != NULL) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        good = equals && apply_one(w, word, equals + 1);
    }
    free(copy);
    return good;
}

// -- runs -----------------------------------------------------------------------------------------------------------

static uint64_t longest_launch(const struct report_run *r)
{
    uint64_t most = 0;
    for (size_t i = 0; i < r->launches.count; i++) {
        uint64_t cycles = r->launches.data[i].cycles;
        if (cycles != WF_UNKNOWN && cycles > most) most = cycles;
    }
    return most;
}

// Makes trial number i. False: interrupted.
static bool try_rule(const struct options *o, struct profile *p, size_t i, struct sources *sources)
{
    struct diag quiet;
    struct session s;
    struct results nothing;
    struct session_change change = {0};
    diag_init(&quiet);
    results_init(&nothing, &quiet);
    session_init(&s, wf_context_create(), &quiet, &nothing);
    s.change = &change;
    s.sources = sources;
    struct what_if w = {s.context, &p->facts, &change};
    enum wf_status status = command_settings(o, s.context, &quiet);
    if (status == WF_OK && !apply_settings(&w, p->trials[i].settings)) status = WF_BAD_USAGE;
    if (status == WF_OK) status = wf_set(s.context, "sample", "off"); // as in the base run, timed whole
    wf_set_max_cycles(s.context, LONGEST * longest_launch(p->facts.run) + 10000);
    wf_set_progress(s.context, !options_has(o, OPTION_QUIET));
    interrupt_watch(s.context);
    if (status == WF_OK) status = run_execute(o, &s);
    profile_tried(p, i, status == WF_OK ? &s.report : NULL, s.context);
    wf_context_destroy(s.context);
    session_fini(&s);
    results_fini(&nothing);
    diag_fini(&quiet);
    return status != WF_INTERRUPTED;
}

// Makes the trials and ranks the rules.
static enum wf_status try_all(const struct options *o, struct profile *p, struct sources *sources)
{
    for (size_t i = 0; i < p->trial_count; i++)
        if (!try_rule(o, p, i, sources)) return WF_INTERRUPTED;
    profile_rank(p);
    return WF_OK;
}

// -- results --------------------------------------------------------------------------------------------------------

struct modules {
    const char **data;
    size_t count, capacity;
};

static const char *page_path(const struct options *o)
{
    const char *path = options_value(o, OPTION_PAGE);
    return path ? path : PAGE;
}

static void print_summary(const struct options *o, const struct session *s, const struct profile *p)
{
    bool colour = file_takes_colour(STDOUT_FILENO);
    struct strbuf out = {0};
    profile_text(p, colour, &out);
    if (p->beside) beside_text(p->beside, colour, &out);
    report_run_table(&s->report, colour, &out);
    report_lines_table(&s->report, colour, &out);
    strbuf_printf(&out, "\npage: %s\n", page_path(o));
    print_text(stdout, strbuf_text(&out));
    strbuf_fini(&out);
}

// Appends the paths of files read by the run, PTX files included.
static void find_modules(const struct results *r, struct modules *m)
{
    for (size_t i = 0; i < r->list.count; i++)
        if (r->list.data[i].is_read) vec_push(m, r->list.data[i].path);
}

// Compares the profile in the file of --beside with the JSON `now`; NULL: with itself, to check the file. False and an
// error: the file is no profile.
static bool compare(const char *path, const char *now, struct beside *b, struct diag *d)
{
    const char *why;
    char *before;
    size_t length;
    if (!file_read(path, &before, &length, &why))
        return diag_error(d, loc_none(), "cannot read %s: %s", path, why);
    bool good = beside_init(b, path, before, now ? now : before, &why);
    if (!good)
        diag_error(d, loc_none(), "--beside %s: %s; `warpfold profile --json` writes such a file", path, why);
    free(before);
    return good;
}

static enum wf_status check_beside(const struct options *o, struct session *s)
{
    const char *path = options_value(o, OPTION_BESIDE);
    struct beside b = {0};
    if (!path) return WF_OK;
    bool good = results_claim_read(s->results, path, loc_none()) && compare(path, NULL, &b, s->diag);
    if (b.file) beside_fini(&b);
    return good ? WF_OK : WF_BAD_INPUT;
}

// Writes page and JSON, then prints the summary.
static enum wf_status publish(const struct options *o, struct session *s, struct profile *p)
{
    struct beside beside = {0};
    struct strbuf json = {0}, page = {0};
    struct modules modules = {0};
    s->report.config_json = wf_config_json(s->context);
    profile_thin(&s->report, SAMPLES);
    find_modules(s->results, &modules);
    const char *before = options_value(o, OPTION_BESIDE);
    if (before) {
        profile_json(p, modules.data, modules.count, &json);
        p->beside = compare(before, strbuf_text(&json), &beside, s->diag) ? &beside : NULL;
        strbuf_clear(&json);
    }
    profile_json(p, modules.data, modules.count, &json);
    profile_page(p, modules.data, modules.count, &page);
    vec_fini(&modules);
    if (options_has(o, OPTION_JSON)) command_json(o, s->results, &json);
    results_put(s->results, page_path(o), strbuf_text(&page), page.length);
    enum wf_status status = results_write(s->results);
    if (status == WF_OK && !command_json_alone(o) && !options_has(o, OPTION_QUIET)) print_summary(o, s, p);
    strbuf_fini(&json);
    strbuf_fini(&page);
    p->beside = NULL;
    if (beside.file) beside_fini(&beside);
    return status == WF_OK ? WF_OK : WF_BAD_INPUT;
}

// -- the command ----------------------------------------------------------------------------------------------------

static enum wf_status check(const struct options *o, struct diag *d)
{
    enum wf_status status = run_check(o, d);
    if (status != WF_OK || options_has(o, OPTION_SCRIPT)) return status;
    if (hosted_kind(o->operands.data[0]) != HOSTED_PROGRAM) return WF_OK;
    diag_error(d, loc_none(), "profile is for CUDA kernels; %s is a RISC-V program", o->operands.data[0]);
    return WF_BAD_USAGE;
}

// The settings of the base run. Sampling in time is on unless --set names another interval.
static enum wf_status settle(const struct options *o, struct session *s)
{
    enum wf_status status = wf_set(s->context, "report.interval", INTERVAL);
    if (status == WF_OK) status = command_settings(o, s->context, s->diag);
    if (status == WF_OK && !command_has_time(o, s->context, s->diag)) status = WF_BAD_USAGE;
    return status;
}

// Base run, trials, results. A failed base run leaves no page.
static enum wf_status run_profile(const struct options *o, struct session *s)
{
    struct profile p;
    if (!results_claim(s->results, "--out", page_path(o), loc_none())) return WF_BAD_INPUT;
    enum wf_status status = check_beside(o, s);
    if (status == WF_OK) status = run_execute(o, s);
    if (status != WF_OK) return status;
    profile_init(&p, &s->report, s->context);
    status = try_all(o, &p, s->sources);
    if (status == WF_OK) status = publish(o, s, &p);
    profile_fini(&p);
    return status;
}

int command_profile(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_PROFILE, argc, argv, &exit_status)) return exit_status;
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
    enum wf_status status = check(&o, &d);
    if (status == WF_OK) status = settle(&o, &s);
    interrupt_watch(s.context);
    if (status == WF_OK) status = run_profile(&o, &s);
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
