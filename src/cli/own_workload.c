#include "cli/own_workload.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/command.h"
#include "cli/hosted.h"
#include "cli/run.h"
#include "cli/session.h"
#include "workload/own.h"

#include <stdlib.h>
#include <string.h>

struct own_workload {
    struct workload_own own;
    char *name, *text, *title; // text: the words, which the options point into
    VEC(char *) words;         // within text
    struct options options;
    struct sources sources;
    bool has_run; // without an error: failures of further runs, with injected faults, are not printed
};

static bool is_script(const char *word) { return str_ends_with(word, ".wf"); }

bool own_workload_is(const char *operand)
{
    return strchr(operand, ' ') || is_script(operand) || str_ends_with(operand, ".ptx") ||
           str_ends_with(operand, ".cu");
}

// -- a run --------------------------------------------------------------------------------------------------

struct sink {
    const struct workload_options *options;
    struct workload_result *result;
};

static void note_launch(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                        const struct wf_stats *stats)
{
    const struct sink *s = context;
    workload_own_account(s->result, stats);
    if (s->options->launched) s->options->launched(s->options->launched_context, kernel, shape, stats);
}

// Every live buffer is an output.
static enum wf_status take_outputs(struct session *s, struct workload_result *result)
{
    enum wf_status status = WF_OK;
    for (size_t i = 0; i < s->buffers.count && status == WF_OK; i++) {
        const struct session_buffer *b = &s->buffers.data[i];
        if (b->freed) continue;
        uint8_t *bytes = heap_alloc(b->size_bytes + 1);
        status = wf_read(s->context, b->address, bytes, b->size_bytes);
        result->output_hash = hash_bytes(bytes, b->size_bytes, result->output_hash);
        result->compared += b->spec.count;
        if (s->tape) tape_output(s->tape, b->address, bytes, b->size_bytes);
        free(bytes);
    }
    return status;
}

static bool has_atomics(const struct session *s)
{
    for (size_t i = 0; i < s->report.counter_count; i++)
        if (str_equal(s->report.counters[i].name, "exec.atomics")) return s->report.counters[i].value != 0;
    return false;
}

static enum wf_status run(void *context, struct wf_context *c, const struct workload_options *options,
                          struct workload_result *result)
{
    struct own_workload *w = context;
    struct sink sink = {options, result};
    struct session s;
    struct results nothing;
    struct diag d;
    diag_init(&d);
    results_init(&nothing, &d);
    session_init(&s, c, &d, &nothing);
    s.sources = &w->sources;
    s.tape = options->tape;
    s.launched = note_launch;
    s.launched_context = &sink;
    enum wf_status status = run_execute(&w->options, &s);
    if (status == WF_OK) status = take_outputs(&s, result);
    if (status == WF_OK && s.tape && has_atomics(&s)) w->own.workload.output_class = WORKLOAD_CLASS_O;
    if (!w->has_run) command_fail(&d, (int)status);
    w->has_run |= status == WF_OK;
    session_fini(&s);
    results_fini(&nothing);
    diag_fini(&d);
    return status;
}

// -- the words ----------------------------------------------------------------------------------------------

static void split(struct own_workload *w, const char *operand)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s", is_script(operand) && !strchr(operand, ' ') ? "--script " : "", operand);
    char *rest = w->text = text.text;
    for (char *word; (word = strsep(&rest, " \t\n")) != NULL;)
        if (*word) vec_push(&w->words, word);
}

// "k" for dir/k.cu. Heap.
static char *name_of(const struct options *o)
{
    const char *path = options_has(o, OPTION_SCRIPT) ? options_value(o, OPTION_SCRIPT) : o->operands.data[0],
               *slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    return heap_strndup(path, strcspn(path, "."));
}

// The words, and a hash of the file: a campaign of other content is another campaign. Heap.
static char *title_of(const struct options *o, const char *operand)
{
    const char *path = options_has(o, OPTION_SCRIPT) ? options_value(o, OPTION_SCRIPT) : o->operands.data[0],
               *why;
    char *bytes;
    size_t length;
    struct strbuf text = {0};
    bool is_read = file_read(path, &bytes, &length, &why);
    strbuf_printf(&text, "%s, content %016llx", operand,
                  is_read ? (unsigned long long)hash_bytes(bytes, length, 0) : 0ull);
    if (is_read) free(bytes);
    return text.text;
}

static bool check(const struct options *o, struct diag *d)
{
    static const enum option_id taken[] = {OPTION_KERNEL,  OPTION_GRID,   OPTION_BLOCK,
                                           OPTION_ARG,     OPTION_SYMBOL, OPTION_SHARED,
                                           OPTION_CLUSTER, OPTION_SCRIPT, OPTION_CC};
    for (size_t i = 0; i < o->given.count; i++) {
        bool is_taken = false;
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) is_taken |= taken[k] == o->given.data[i].id;
        if (!is_taken)
            return diag_error(d, loc_none(),
                              "%s stands outside the quotes: it is for every kernel of the command",
                              options_name(o->given.data[i].id));
    }
    if (o->is_behind_dashes)
        return diag_error(
            d, loc_none(),
            "%s: a program launches its kernels in a process of its own; use `run -- PROGRAM`, or an "
            "experiment",
            o->operands.count ? o->operands.data[0] : "--");
    if (run_check(o, d) != WF_OK) return false;
    return options_has(o, OPTION_SCRIPT) || hosted_kind(o->operands.data[0]) != HOSTED_PROGRAM ||
           diag_error(d, loc_none(), "%s is a RISC-V program", o->operands.data[0]);
}

struct own_workload *own_workload_create(const char *operand, struct diag *d)
{
    struct own_workload *w = heap_alloc(sizeof *w);
    split(w, operand);
    sources_init(&w->sources, &w->options);
    if (!options_parse(&w->options, COMMAND_RUN, (int)w->words.count, w->words.data, d) ||
        !check(&w->options, d)) {
        own_workload_destroy(w);
        return NULL;
    }
    w->name = name_of(&w->options);
    w->title = title_of(&w->options, operand);
    workload_own_init(&w->own, w->name, run, w);
    w->own.workload.title = w->title;
    return w;
}

void own_workload_destroy(struct own_workload *w)
{
    sources_fini(&w->sources);
    options_fini(&w->options);
    vec_fini(&w->words);
    free(w->name);
    free(w->title);
    free(w->text);
    free(w);
}

const struct workload *own_workload_of(const struct own_workload *w) { return &w->own.workload; }
