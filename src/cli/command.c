// Shared code of the commands: help, errors, settings, shapes.
#include "cli/command.h"
#include "base/file.h"
#include "cli/print.h"
#include "lab/process.h"
#include "report/steps.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_fail(const struct diag *d, int status)
{
    struct strbuf text = {0};
    diag_format(d, file_takes_colour(STDERR_FILENO), &text);
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
    return status;
}

int command_fail_context(struct wf_context *c, int status)
{
    print_text(stderr, file_takes_colour(STDERR_FILENO) ? wf_errors_colour(c) : wf_errors(c));
    return status;
}

int command_fail_both(struct wf_context *c, const struct diag *d, int status)
{
    command_fail_context(c, status);
    return command_fail(d, status);
}

bool command_begin(struct options *o, enum command_id command, int argc, char **argv, int *status)
{
    struct diag d;
    diag_init(&d);
    bool ok = options_parse(o, command, argc, argv, &d);
    if (options_has(o, OPTION_HELP)) {
        struct strbuf help = {0};
        options_help(command, &help);
        print_text(stdout, strbuf_text(&help));
        strbuf_fini(&help);
        *status = WF_OK;
        ok = false;
    } else if (!ok) {
        *status = command_fail(&d, WF_BAD_USAGE);
    }
    diag_fini(&d);
    if (!ok) options_fini(o);
    return ok;
}

bool command_claim(const struct options *o, struct results *r)
{
    for (size_t i = 0; i < o->given.count; i++) {
        const struct option_given *g = &o->given.data[i];
        const char *path = g->value;
        bool good = true;
        if (g->id == OPTION_JSON || g->id == OPTION_TIMELINE || g->id == OPTION_CHECKPOINT)
            good = results_claim(r, options_name(g->id), path, loc_none());
        else if (g->id == OPTION_DUMP && (path = strchr(path, '=')) != NULL && path[1])
            good = results_claim(r, "--dump", path + 1, loc_none());
        else if (g->id == OPTION_RESUME)
            good = results_claim_read(r, path, loc_none());
        else if (g->id == OPTION_GPU && file_is_regular(path) && strpbrk(path, "/."))
            good = results_claim_read(r, path, loc_none());
        if (!good) return false;
    }
    return true;
}

bool command_json_alone(const struct options *o)
{
    const char *json = options_value(o, OPTION_JSON);
    return json && str_equal(json, "-");
}

void command_json(const struct options *o, struct results *r, const struct strbuf *text)
{
    results_put(r, options_value(o, OPTION_JSON), strbuf_text(text), text->length);
}

static enum wf_status apply_tech(const struct options *o, struct wf_context *c, struct diag *d)
{
    const char *tech = options_value(o, OPTION_TECH);
    wf_set_verify(c, options_has(o, OPTION_VERIFY));
    if (!tech || str_equal(tech, "base")) return WF_OK;
    if (!options_has(o, OPTION_FUNCTIONAL)) return wf_tech(c, tech);
    diag_error(d, loc_none(), "--tech %s: a mechanism changes timing, and --functional has no timing", tech);
    return WF_BAD_USAGE;
}

bool command_number(const struct options *o, enum option_id id, uint64_t most, uint64_t *n, struct diag *d)
{
    const char *text = options_value(o, id);
    *n = 0;
    if (!text || (str_to_u64(text, n) && *n && *n <= most)) return true;
    if (most == UINT64_MAX)
        return diag_error(d, loc_none(), "%s %s: must be a number from 1", options_name(id), text);
    return diag_error(d, loc_none(), "%s %s: must be a number from 1 to %" PRIu64, options_name(id), text,
                      most);
}

static enum wf_status apply_gpu(const struct options *o, struct wf_context *c, struct diag *d)
{
    const char *gpu = options_value(o, OPTION_GPU);
    uint64_t threads, cycles;
    if (!command_number(o, OPTION_THREADS, 1024, &threads, d) ||
        !command_number(o, OPTION_MAX_CYCLES, UINT64_MAX, &cycles, d))
        return WF_BAD_USAGE;
    if (gpu && options_has(o, OPTION_FUNCTIONAL)) {
        diag_error(d, loc_none(), "--gpu %s: a GPU times the run, and --functional has no time", gpu);
        return WF_BAD_USAGE;
    }
    if (cycles && options_has(o, OPTION_FUNCTIONAL)) {
        diag_error(d, loc_none(), "--max-cycles %s: a functional run has no cycles",
                   options_value(o, OPTION_MAX_CYCLES));
        return WF_BAD_USAGE;
    }
    if (options_has(o, OPTION_ENERGY) && options_has(o, OPTION_FUNCTIONAL)) {
        diag_error(d, loc_none(),
                   "--energy: part of the energy depends on time, and --functional has no time");
        return WF_BAD_USAGE;
    }
    if (options_has(o, OPTION_LINES) && options_has(o, OPTION_FUNCTIONAL)) {
        diag_error(d, loc_none(), "--lines: lines are ranked by time, and --functional has no time");
        return WF_BAD_USAGE;
    }
    if (options_has(o, OPTION_TIMELINE) && options_has(o, OPTION_FUNCTIONAL)) {
        diag_error(d, loc_none(), "--timeline %s: a timeline shows cycles, and --functional has no cycles",
                   options_value(o, OPTION_TIMELINE));
        return WF_BAD_USAGE;
    }
    if (threads) wf_set_threads(c, (unsigned)threads);
    wf_set_max_cycles(c, cycles);
    // Sets the GPU for functional runs, too: their kernels are compiled for the GPU's code profile.
    enum wf_status status = wf_gpu(c, gpu ? gpu : "gtx1080ti");
    bool is_untimed =
        options_has(o, OPTION_FUNCTIONAL) || o->command == COMMAND_STUDY || o->command == COMMAND_CHECK;
    return status == WF_OK && is_untimed ? wf_gpu(c, NULL) : status;
}

static enum wf_status apply_set(const char *pair, struct wf_context *c, struct diag *d)
{
    const char *equals = strchr(pair, '=');
    if (!equals) {
        diag_error(d, loc_none(), "--set %s: write KEY=VALUE", pair);
        return WF_BAD_USAGE;
    }
    char *key = heap_strndup(pair, (size_t)(equals - pair));
    enum wf_status status = wf_set(c, key, equals + 1);
    free(key);
    return status;
}

enum wf_status command_set(const struct options *o, struct wf_context *c, struct diag *d)
{
    for (size_t i = 0; i < o->given.count; i++)
        if (o->given.data[i].id == OPTION_SET && apply_set(o->given.data[i].value, c, d) != WF_OK)
            return WF_BAD_USAGE;
    return wf_check_settings(c);
}

// --sample: sets key `sample`, before --set.
static enum wf_status apply_sample(const struct options *o, struct wf_context *c, struct diag *d)
{
    if (!options_has(o, OPTION_SAMPLE)) return WF_OK;
    const char *what = options_value(o, OPTION_SAMPLE);
    if (!options_has(o, OPTION_FUNCTIONAL)) return wf_set(c, "sample", what ? what : "both");
    diag_error(d, loc_none(), "--sample: a sample is a part of the timing, and --functional has no timing");
    return WF_BAD_USAGE;
}

enum wf_status command_settings(const struct options *o, struct wf_context *c, struct diag *d)
{
    wf_keep_programs(c, getenv(PROCESS_COMPILED));
    if (apply_tech(o, c, d) != WF_OK || apply_gpu(o, c, d) != WF_OK || apply_sample(o, c, d) != WF_OK)
        return WF_BAD_USAGE;
    return command_set(o, c, d);
}

void command_note_gpu(const struct options *o, struct diag *d)
{
    const char *gpu = options_value(o, OPTION_GPU);
    bool is_like;
    if (!gpu || !strpbrk(gpu, "/.") || options_has(o, OPTION_QUIET)) return;
    struct wf_context *c = wf_context_create();
    size_t count = wf_gpu(c, gpu) == WF_OK ? wf_gpu_left_out(c, &is_like) : 0;
    if (count && !is_like)
        diag_note(d, loc_none(),
                  "%s leaves out %zu keys; missing keys have their defaults (`warpfold list "
                  "gpus %s`)",
                  gpu, count, gpu);
    wf_context_destroy(c);
}

static bool is_on(struct wf_context *c, const char *name)
{
    struct wf_key k;
    size_t n = 0;
    while (wf_key_at(c, n, &k) && !str_equal(k.name, name)) n++;
    return str_equal(k.value, "1");
}

bool command_has_time(const struct options *o, struct wf_context *c, struct diag *d)
{
    return !is_on(c, "check.races") ||
           diag_error(d, loc_none(),
                      "check.races=1: %s needs a timed run, and the race detector needs a functional run",
                      options_command(o));
}

void command_note_races(const struct options *o, struct wf_context *c, struct diag *d)
{
    const char *tech = options_value(o, OPTION_TECH);
    bool has_tech = tech && !str_equal(tech, "base");
    if (options_has(o, OPTION_QUIET) || options_has(o, OPTION_FUNCTIONAL) || !is_on(c, "check.races")) return;
    diag_note(d, loc_none(), "check.races=1: the run is functional, with no cycles%s",
              has_tech ? " and no mechanism" : "");
}

void command_watch(const struct options *o, struct wf_context *c)
{
    if (!options_has(o, OPTION_TIMELINE)) return;
    if (report_timeline_is_steps(options_value(o, OPTION_TIMELINE)))
        wf_watch_steps(c);
    else
        wf_watch(c, true);
}

static void write_steps(const struct options *o, const struct watcher *w, struct wf_context *base,
                        struct strbuf *out)
{
    const char *tech = options_value(o, OPTION_TECH);
    struct report_steps_run runs[2];
    size_t count = 0;
    if (base && wf_watched(base)) runs[count++] = (struct report_steps_run){"base", wf_watched(base)};
    runs[count++] = (struct report_steps_run){tech ? tech : "base", w};
    report_steps(runs, count, out);
}

void command_timeline(const struct options *o, struct wf_context *c, struct wf_context *base,
                      struct strbuf *out, struct diag *d)
{
    const char *path = options_value(o, OPTION_TIMELINE);
    const struct watcher *w = wf_watched(c);
    if (report_timeline_is_steps(path))
        write_steps(o, w, base, out);
    else
        report_timeline(w, report_timeline_is_konata(path), out);
    if (w->truncated)
        diag_warn(d, loc_none(),
                  "%s ends at cycle %" PRIu64 ", full with timeline.limit=%" PRIu64
                  " entries; choose a part with timeline.from, .to, .sm and .warps",
                  path, w->config.to, w->config.limit);
}
