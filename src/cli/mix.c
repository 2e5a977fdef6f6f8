// `warpfold mix`: bundled workloads run together on one chip (mix/mix.h).
#include "base/file.h"
#include "base/progress.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "mix/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REGISTERS_MAX = 255 };

struct member {
    const struct workload *workload;
    struct tape tape;
    unsigned registers; // of a thread, from --registers; 0: as in struct workload_options
    uint32_t sms;       // of the GPU used for recording
    struct mix_run run; // figures of the run alone
    struct mix_need need;
};

struct mix {
    const struct options *o;
    struct bench_selection what;
    struct member members[MIX_PARTS_MAX];
    struct mix_result results[MIX_PARTS_MAX];
    struct mix_place places[MIX_PARTS_MAX];
    const char *placement;               // the word or list of --place
    char *places_text, *references_text; // heap, split at commas
    const char *references[MIX_PARTS_MAX];
    size_t count;
    struct bench_list own; // runs of the user's own
    struct diag *d;
};

// -- options ------------------------------------------------------------------------------------------------

static enum wf_status parse_members(struct mix *m)
{
    const struct options *o = m->o;
    if (!o->operands.count || o->operands.count > MIX_PARTS_MAX) {
        diag_error(m->d, loc_none(),
                   "name 1 to %d kernels: bundled (`warpfold list kernels`), scripts, or \"k.cu --grid …\"",
                   MIX_PARTS_MAX);
        return WF_BAD_USAGE;
    }
    if (bench_selection(o, &m->what, m->d) != WF_OK) return WF_BAD_USAGE;
    for (size_t k = 0; k < o->operands.count; k++) {
        const char *name = o->operands.data[k];
        const struct workload *w = NULL;
        if (!own_workload_is(name))
            w = bench_find(name, &m->what, m->d);
        else if (bench_add(&m->own, name, &m->what, m->d) == WF_OK)
            w = vec_last(&m->own.all).workload;
        if (!w) return WF_BAD_INPUT;
        tape_init(&m->members[k].tape);
        m->members[m->count++].workload = w;
    }
    return WF_OK;
}

// Parses --reference: one GPU for all workloads of the mix, or a list with one GPU per workload.
static enum wf_status parse_references(struct mix *m)
{
    const char *text = options_value(m->o, OPTION_REFERENCE);
    if (!text) return WF_OK;
    size_t count = 0;
    char *rest = m->references_text = heap_strdup(text);
    for (const char *name; (name = strsep(&rest, ",")) != NULL;)
        if (count++ < m->count) m->references[count - 1] = name;
    for (size_t k = 1; k < m->count && count == 1; k++) m->references[k] = m->references[0];
    if (count == 1 || count == m->count) return WF_OK;
    diag_error(m->d, loc_none(), "--reference %s: name a single GPU, or a GPU per kernel for %zu kernels",
               text, m->count);
    return WF_BAD_USAGE;
}

// Parses --registers: a list with one number of registers per thread for each workload of the mix.
static enum wf_status parse_registers(struct mix *m)
{
    const char *text = options_value(m->o, OPTION_REGISTERS), *rest = text;
    size_t count = 0;
    if (!text) return WF_OK;
    do {
        char *end;
        unsigned long registers = strtoul(rest, &end, 10);
        bool is_number = *rest >= '0' && *rest <= '9' && (*end == ',' || !*end);
        if (!is_number || registers > REGISTERS_MAX || count == m->count) break;
        m->members[count++].registers = (unsigned)registers;
        rest = *end ? end + 1 : NULL;
    } while (rest);
    if (!rest && count == m->count) return WF_OK;
    diag_error(m->d, loc_none(),
               "--registers %s: give a number from 0 to %d for every one of the %zu kernels", text,
               REGISTERS_MAX, m->count);
    return WF_BAD_USAGE;
}

// -- placement ----------------------------------------------------------------------------------------------

static bool range_place(const char *text, struct mix_place *place)
{
    char *end;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (end == text) return false;
    if (*end == '-') {
        text = end + 1;
        last = strtoul(text, &end, 10);
        if (end == text) return false;
    }
    if (*end || last < first || last > UINT16_MAX) return false;
    *place = (struct mix_place){(uint32_t)first, (uint32_t)(last - first + 1)};
    return true;
}

static bool named_place(struct wf_context *c, const char *text, struct mix_place *place)
{
    struct wf_class class;
    *place = (struct mix_place){0};
    if (str_equal(text, "all")) return true;
    for (size_t k = 0; wf_class_at(c, k, &class); k++) {
        if (!str_equal(class.name, text)) continue;
        *place = (struct mix_place){class.first, class.count};
        return true;
    }
    return range_place(text, place);
}

static enum wf_status list_places(struct mix *m, struct wf_context *c)
{
    size_t count = 0;
    char *rest = m->places_text = heap_strdup(m->placement);
    for (const char *text; (text = strsep(&rest, ",")) != NULL; count++) {
        if (count < m->count && named_place(c, text, &m->places[count])) continue;
        if (count < m->count)
            diag_error(m->d, loc_none(),
                       "--place %s: \"%s\" must be a class of the GPU's SMs, a range FIRST-LAST or all",
                       m->placement, text);
        if (count < m->count) return WF_BAD_USAGE;
    }
    if (count == m->count) return WF_OK;
    diag_error(m->d, loc_none(), "--place %s: %zu places for %zu kernels", m->placement, count, m->count);
    return WF_BAD_USAGE;
}

// Chooses the SMs of each workload of the mix, after the launches are recorded: steering uses needs measured
// by recording.
static enum wf_status place_all(struct mix *m, struct wf_context *c)
{
    struct mix_need needs[MIX_PARTS_MAX];
    const char *asked = options_value(m->o, OPTION_PLACE);
    uint32_t sms = m->members[0].sms;
    for (size_t k = 0; k < m->count; k++) needs[k] = m->members[k].need;
    m->placement = asked ? asked : "steer";
    if (str_equal(m->placement, "steer") && mix_steer(c, needs, m->count, m->places)) return WF_OK;
    if (!asked) m->placement = m->count <= sms ? "split" : "all";
    if (str_equal(m->placement, "all")) return WF_OK; // no restriction
    if (str_equal(m->placement, "split") && m->count <= sms) {
        mix_split(sms, m->count, m->places);
        return WF_OK;
    }
    if (str_equal(m->placement, "steer"))
        diag_error(m->d, loc_none(), "--place steer: the GPU has no classes of SMs named ilp and tlp");
    else if (str_equal(m->placement, "split"))
        diag_error(m->d, loc_none(), "--place split: %u SM%s for %zu kernels", sms, sms == 1 ? "" : "s",
                   m->count);
    else
        return list_places(m, c);
    return WF_BAD_USAGE;
}

// -- runs ---------------------------------------------------------------------------------------------------

static void note_launch(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                        const struct wf_stats *stats)
{
    struct member *n = context;
    if (stats->status != WF_OK) return;
    n->sms = (uint32_t)stats->sm_count;
    mix_run_add(&n->run, stats);
    mix_need_note(&n->need, kernel, shape, stats);
}

static enum wf_status run_alone(struct mix *m, struct member *n, struct wf_context *c, struct tape *tape)
{
    const struct workload_options options = {.size = m->what.size,
                                             .ptx = m->what.ptx,
                                             .registers = n->registers,
                                             .launched = note_launch,
                                             .launched_context = n,
                                             .tape = tape};
    struct workload_result result;
    n->run = (struct mix_run){0};
    enum wf_status status = workload_run(n->workload, c, &options, &result);
    if (status == WF_MISMATCH)
        diag_error(m->d, loc_none(), "%s alone: %llu of %llu values differ from the reference: %s",
                   n->workload->name, (unsigned long long)result.mismatches,
                   (unsigned long long)result.compared, result.first_mismatch);
    return status;
}

static struct wf_context *new_context(const struct mix *m, enum wf_status *status)
{
    struct wf_context *c = wf_context_create();
    *status = command_settings(m->o, c, m->d);
    if (*status == WF_OK && !command_has_time(m->o, c, m->d)) *status = WF_BAD_USAGE;
    wf_set_progress(c, !options_has(m->o, OPTION_QUIET));
    interrupt_watch(c);
    return c;
}

// Destroys the context, and before prints its messages if `status` is an error. Returns `status`.
static enum wf_status end_context(struct wf_context *c, enum wf_status status)
{
    if (status != WF_OK) command_fail_context(c, (int)status);
    wf_context_destroy(c);
    return status;
}

static enum wf_status run_reference(struct mix *m, size_t k)
{
    enum wf_status status;
    struct wf_context *c = new_context(m, &status);
    if (status == WF_OK) status = wf_gpu(c, m->references[k]);
    if (status == WF_OK) status = run_alone(m, &m->members[k], c, NULL);
    m->results[k].alone = m->members[k].run;
    m->results[k].reference = m->references[k];
    return end_context(c, status);
}

static void make_part(struct mix *m, struct wf_context *c, size_t k)
{
    struct mix_result *r = &m->results[k];
    const struct member *n = &m->members[k];
    r->name = n->workload->name;
    r->place = m->places[k];
    r->need = n->need;
    r->part = (struct mix_part){.name = n->workload->name,
                                .tape = &n->tape,
                                .stream = wf_stream_create(c),
                                .is_exact = n->workload->output_class == WORKLOAD_CLASS_D};
    wf_stream_name(r->part.stream, n->workload->name);
    wf_stream_place(r->part.stream, m->places[k].first, m->places[k].count);
}

static enum wf_status play_apart(struct mix *m, struct wf_context *c)
{
    enum wf_status status = WF_OK;
    for (size_t k = 0; k < m->count && status == WF_OK; k++) {
        struct mix_part alone = m->results[k].part;
        if (!m->places[k].count) continue;
        status = mix_play(c, &alone, 1);
        m->results[k].apart = alone.run;
        if (status == WF_MISMATCH)
            diag_error(m->d, loc_none(), "%s alone on its SMs: %llu bytes of output differ", alone.name,
                       (unsigned long long)alone.different);
    }
    return status;
}

static enum wf_status play_together(struct mix *m, struct wf_context *c)
{
    struct mix_part parts[MIX_PARTS_MAX];
    for (size_t k = 0; k < m->count; k++) parts[k] = m->results[k].part;
    enum wf_status status = mix_play(c, parts, m->count);
    for (size_t k = 0; k < m->count; k++) {
        m->results[k].part = parts[k];
        if (parts[k].different)
            diag_error(m->d, loc_none(), "%s: %llu bytes of output differ from the output of running alone",
                       parts[k].name, (unsigned long long)parts[k].different);
    }
    return status;
}

static struct mix_shares shares_of(const struct mix *m)
{
    struct mix_part parts[MIX_PARTS_MAX];
    double progress[MIX_PARTS_MAX];
    for (size_t k = 0; k < m->count; k++) {
        parts[k] = m->results[k].part;
        progress[k] = mix_progress(&m->results[k]);
    }
    return mix_figures(parts, progress, m->count);
}

static void publish(struct mix *m, struct wf_context *c, double began, struct results *r)
{
    struct mix_report report = {.gpu = options_has(m->o, OPTION_GPU) ? options_value(m->o, OPTION_GPU)
                                                                     : "gtx1080ti",
                                .tech = options_value(m->o, OPTION_TECH),
                                .placement = m->placement,
                                .size = workload_size_name(m->what.size),
                                .ptx = workload_ptx_name(m->what.ptx),
                                .config_json = wf_config_json(c),
                                .results = m->results,
                                .count = m->count,
                                .shares = shares_of(m),
                                .wall_seconds = clock_seconds() - began};
    struct strbuf text = {0};
    if (options_has(m->o, OPTION_JSON)) {
        mix_report_json(&report, &text);
        command_json(m->o, r, &text);
    }
    strbuf_clear(&text);
    if (!command_json_alone(m->o) && !options_has(m->o, OPTION_QUIET)) {
        mix_report_table(&report, file_takes_colour(STDOUT_FILENO), &text);
        print_text(stdout, strbuf_text(&text));
    }
    strbuf_fini(&text);
}

static enum wf_status run_mix(struct mix *m, struct results *r)
{
    double began = clock_seconds();
    enum wf_status status;
    struct wf_context *c = new_context(m, &status);
    for (size_t k = 0; k < m->count && status == WF_OK; k++) {
        status = run_alone(m, &m->members[k], c, &m->members[k].tape);
        m->results[k].alone = m->members[k].run;
    }
    if (status == WF_OK) status = place_all(m, c); // on the mix's GPU, not on a reference GPU
    for (size_t k = 0; k < m->count && status == WF_OK; k++) make_part(m, c, k);
    for (size_t k = 0; k < m->count && status == WF_OK; k++)
        if (m->references[k]) status = run_reference(m, k);
    if (status == WF_OK) status = play_apart(m, c);
    if (status == WF_OK) status = play_together(m, c);
    if (status == WF_OK || status == WF_MISMATCH) publish(m, c, began, r);
    return end_context(c, status);
}

int command_mix(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_MIX, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct results r;
    diag_init(&d);
    results_init(&r, &d);
    struct mix m = {.o = &o, .d = &d};
    enum wf_status status = parse_members(&m);
    if (status == WF_OK) status = parse_references(&m);
    if (status == WF_OK) status = parse_registers(&m);
    if (status == WF_OK && !command_claim(&o, &r)) status = WF_BAD_INPUT;
    if (status == WF_OK) {
        command_note_gpu(&o, &d);
        status = run_mix(&m, &r);
        enum wf_status written = results_write(&r);
        if (written != WF_OK) status = written;
    }
    exit_status = command_fail(&d, (int)status);
    for (size_t k = 0; k < m.count; k++) tape_fini(&m.members[k].tape);
    bench_list_fini(&m.own);
    free(m.places_text);
    free(m.references_text);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
