// The part of `warpfold run -- PROGRAM`, `profile` and `check` inside the program's process: options for the context of the CUDA runtime, and the
// report of launches when the program ends (cudart/hooks.h).
//
// The options are those of the command, in the variable WARPFOLD_RUN, a word a line; without the variable, launches are
// functional and nothing is reported. `warpfold run` reads the outcome from a pipe (cuda_program.h).
#include "base/file.h"
#include "base/str.h"
#include "cli/check_program.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "cli/print.h"
#include "cli/profile_out.h"
#include "cli/profile_program.h"
#include "cudart/hooks.h"
#include "report/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct attached {
    struct wf_context *context;
    struct options options;
    char *text;         // of WARPFOLD_RUN, which the options point into; heap. NULL: the variable is not set
    VEC(char *) words;  // within text
    const char *folder; // of the program at its start, within text; NULL: not for `profile`
    struct report_run report;
    struct cuda_program_choice choice;
    uint64_t matching; // launches of the chosen kernel so far
    bool is_timed;     // the context's present state
    bool is_checked;   // `check`
};

// Splits the text into words at line breaks or, without line breaks, at spaces.
static void split(struct attached *a)
{
    const char *separators = strchr(a->text, '\n') ? "\n" : " ";
    char *rest = a->text, *word;
    while ((word = strsep(&rest, separators)) != NULL)
        if (*word) vec_push(&a->words, word);
}

static bool apply(struct attached *a, struct diag *d)
{
    const struct options *o = &a->options;
    char **words = a->words.data;
    int count = (int)a->words.count;
    bool is_profile = count > 1 && str_equal(words[0], "profile");
    if (is_profile) {
        a->folder = words[1];
        words += 2;
        count -= 2;
        if (wf_set(a->context, "report.interval", PROFILE_INTERVAL) != WF_OK) return false;
    }
    a->is_checked = count && str_equal(words[0], "check");
    if (a->is_checked && !check_program_begin(a->context)) return false;
    enum command_id command = is_profile ? COMMAND_PROFILE : a->is_checked ? COMMAND_CHECK : COMMAND_RUN;
    if (!options_parse(&a->options, command, count - a->is_checked, words + a->is_checked, d)) return false;
    if (!cuda_program_check(o, d) || !cuda_program_choose(&a->choice, o, d)) return false;
    if (command_settings(o, a->context, d) != WF_OK) return false;
    a->is_timed = !a->is_checked && !options_has(o, OPTION_FUNCTIONAL);
    command_watch(o, a->context);
    return true;
}

static void *begin(struct wf_context *c)
{
    const char *text = getenv(CUDA_PROGRAM_OPTIONS);
    struct attached *a = heap_alloc(sizeof *a);
    struct diag d;
    a->context = c;
    a->report.keeps_launches = true;
    if (!text) return a;
    a->text = heap_strdup(text);
    split(a);
    diag_init(&d);
    bool good = apply(a, &d);
    if (!good) command_fail_both(c, &d, WF_BAD_USAGE);
    if (!good) cuda_program_tell(CUDA_PROGRAM_REFUSED);
    diag_fini(&d);
    return good ? a : NULL;
}

// Switches the context between timed and functional launches.
static void set_timed(struct attached *a, bool timed)
{
    const char *gpu = options_value(&a->options, OPTION_GPU);
    if (a->is_timed == timed) return;
    a->is_timed = timed;
    wf_gpu(a->context, timed ? gpu ? gpu : CUDA_PROGRAM_GPU : NULL);
}

static void choose(void *state, const char *kernel)
{
    struct attached *a = state;
    if (!a->text || a->is_checked || options_has(&a->options, OPTION_FUNCTIONAL)) return;
    bool matches = !a->choice.kernel || str_equal(a->choice.kernel, kernel);
    a->matching += matches;
    set_timed(a, matches && a->matching >= a->choice.first && a->matching <= a->choice.last);
}

static void over(void *state, struct wf_kernel *k, const struct wf_launch_config *shape,
                 const struct wf_stats *stats)
{
    struct attached *a = state;
    if (a->text) report_run_add(&a->report, k, shape, stats);
}

static void put_file(const struct attached *a, enum option_id id, const struct strbuf *text)
{
    const char *path = options_value(&a->options, id), *why;
    if (!file_write(path, strbuf_text(text), text->length, &why))
        fprintf(stderr, "warpfold: cannot write %s: %s\n", path, why);
}

static void write_files(struct attached *a)
{
    struct strbuf text = {0};
    if (options_has(&a->options, OPTION_JSON)) {
        a->report.config_json = wf_config_json(a->context);
        report_run_json(&a->report, &text);
        put_file(a, OPTION_JSON, &text);
    }
    if (options_has(&a->options, OPTION_TIMELINE)) {
        struct diag d;
        diag_init(&d);
        strbuf_clear(&text);
        command_timeline(&a->options, a->context, NULL, &text, &d);
        put_file(a, OPTION_TIMELINE, &text);
        command_fail(&d, WF_OK);
        diag_fini(&d);
    }
    strbuf_fini(&text);
}

// The table and the warnings, on stderr: stdout is the program's.
static void print_report(const struct attached *a)
{
    struct strbuf out = {0};
    report_run_table(&a->report, file_takes_colour(STDERR_FILENO), &out);
    for (size_t i = 0; i < a->report.warnings.count; i++) {
        strbuf_puts(&out, "warning: ");
        report_warning_print(&a->report.warnings.data[i], &out);
        strbuf_putc(&out, '\n');
    }
    fflush(stdout);
    print_text(stderr, strbuf_text(&out));
    strbuf_fini(&out);
}

static uint8_t outcome_of(const struct attached *a, unsigned failed_launches)
{
    if (failed_launches) return CUDA_PROGRAM_FAILED;
    return a->report.verified == REPORT_MISMATCH ? CUDA_PROGRAM_MISMATCH : CUDA_PROGRAM_DONE;
}

// Not idle: another thread may still write the report, so nothing of it is read.
static void end(void *state, bool is_idle, unsigned failed_launches)
{
    struct attached *a = state;
    if (!a->text) return;
    if (!is_idle) {
        fputs("warpfold: the program ended within a launch: no report\n", stderr);
        cuda_program_tell(failed_launches ? CUDA_PROGRAM_FAILED : CUDA_PROGRAM_DONE);
        return;
    }
    if (options_has(&a->options, OPTION_VERIFY))
        a->report.verified = a->report.verify_mismatches ? REPORT_MISMATCH : REPORT_VERIFIED;
    fflush(stdout);
    if (a->is_checked) {
        bool found = check_program_end(&a->report, a->context, &a->options);
        cuda_program_tell(found             ? CUDA_PROGRAM_FOUND
                          : failed_launches ? CUDA_PROGRAM_FAILED
                                            : CUDA_PROGRAM_DONE);
        return;
    }
    uint8_t outcome = outcome_of(a, failed_launches);
    report_run_compare(&a->report, a->context);
    if (!a->folder)
        write_files(a);
    else if (!failed_launches && !profile_program(&a->report, a->context, &a->options, a->folder))
        outcome = CUDA_PROGRAM_FAILED;
    bool prints = !a->folder || failed_launches;
    if (prints && a->report.launches.count && !options_has(&a->options, OPTION_QUIET)) print_report(a);
    cuda_program_tell(outcome);
}

static const char *gpu(const void *state)
{
    const struct attached *a = state;
    if (!a->text || options_has(&a->options, OPTION_FUNCTIONAL)) return NULL;
    const char *name = options_value(&a->options, OPTION_GPU);
    return name || a->is_checked ? name : CUDA_PROGRAM_GPU;
}

static bool is_quiet(const void *state)
{
    const struct attached *a = state;
    return a && a->text && options_has(&a->options, OPTION_QUIET);
}

const struct cudart_hooks cudart_hooks = {begin, choose, over, end, gpu, is_quiet};
