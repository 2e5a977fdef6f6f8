// `warpfold inject`: fault-injection campaigns on bundled kernels, one kernel after the other.
#include "base/file.h"
#include "base/printable.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/print.h"
#include "inject/tally.h"
#include "report/fields.h"
#include "report/table.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char default_tech[] = "uv:variant=token,protect=on,parity=on";
enum { DEFAULT_COUNT = 1000 };

struct session {
    const struct options *options;
    struct diag *diag;
    struct bench_selection what;
    struct bench_list workloads;
    struct inject campaign;    // of the present workload
    const char *tech, *folder; // folder NULL: no files are kept
    char build[17], *program;
    uint64_t count;
    int lock;
    struct table table;
    struct json json;
};

// -- options ------------------------------------------------------------------------------------------------

static bool prepare(void *context, struct wf_context *x)
{
    struct session *s = context;
    enum wf_status status = command_settings(s->options, x, s->diag);
    if (status == WF_OK && !options_has(s->options, OPTION_TECH)) status = wf_tech(x, s->tech);
    return status == WF_OK && command_has_time(s->options, x, s->diag);
}

// Takes --tech, or the default, and refuses all but mechanism uv alone: only uv reports places for bit flips
// (sm/mech/upset.h).
static enum wf_status choose_tech(struct session *s)
{
    const char *given = options_value(s->options, OPTION_TECH);
    s->tech = given ? given : default_tech;
    size_t name = strcspn(s->tech, ":");
    if (name == strlen("uv") && str_starts_with(s->tech, "uv") && !strchr(s->tech, '+')) return WF_OK;
    diag_error(s->diag, loc_none(),
               "--tech %s: injections need the structures of uv: give uv alone, with its options", s->tech);
    return WF_BAD_USAGE;
}

static enum wf_status choose_places(struct session *s)
{
    const char *text = options_value(s->options, OPTION_PLACES);
    s->campaign.places = (1u << UPSET_PLACES) - 1;
    if (!text) return WF_OK;
    s->campaign.places = 0;
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        unsigned p = 0;
        while (p < UPSET_PLACES && (strlen(inject_place_name((enum upset_place)p)) != length ||
                                    memcmp(inject_place_name((enum upset_place)p), text, length) != 0))
            p++;
        if (p == UPSET_PLACES) {
            diag_error(s->diag, loc_none(), "--places %s: must be one or more of lanes, registers, entries",
                       options_value(s->options, OPTION_PLACES));
            return WF_BAD_USAGE;
        }
        s->campaign.places |= 1u << p;
    }
    return WF_OK;
}

static enum wf_status choose_workloads(struct session *s)
{
    const struct options *o = s->options;
    if (!o->operands.count) {
        diag_error(s->diag, loc_none(),
                   "name the kernels for the bit flips (warpfold list kernels), or a group");
        return WF_BAD_USAGE;
    }
    for (size_t i = 0; i < o->operands.count; i++)
        if (bench_add(&s->workloads, o->operands.data[i], &s->what, s->diag) != WF_OK) return WF_BAD_INPUT;
    return WF_OK;
}

static enum wf_status choose(struct session *s)
{
    const struct options *o = s->options;
    uint64_t processes;
    enum wf_status status = bench_selection(o, &s->what, s->diag);
    if (status == WF_OK) status = choose_tech(s);
    if (status == WF_OK) status = choose_places(s);
    if (status == WF_OK && (!command_number(o, OPTION_INJECTIONS, INJECT_MOST, &s->count, s->diag) ||
                            !command_number(o, OPTION_SEED, UINT64_MAX, &s->campaign.seed, s->diag) ||
                            !command_number(o, OPTION_PROCESSES, 64, &processes, s->diag)))
        status = WF_BAD_USAGE;
    if (status == WF_OK) status = choose_workloads(s);
    if (status != WF_OK) return status;
    if (!s->count) s->count = DEFAULT_COUNT;
    if (!s->campaign.seed) s->campaign.seed = 1;
    if (!processes) processes = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    s->campaign.workers = processes < 64 ? (unsigned)processes : 64;
    s->campaign.options = (struct workload_options){.size = s->what.size, .ptx = s->what.ptx};
    s->campaign.prepare = prepare;
    s->campaign.prepare_context = s;
    s->campaign.progress = !options_has(o, OPTION_QUIET);
    s->campaign.diag = s->diag;
    if (interrupt_hold()) s->campaign.is_interrupted = interrupt_asked;
    return WF_OK;
}

// -- files --------------------------------------------------------------------------------------------------

static bool open_folder(struct session *s)
{
    s->folder = options_value(s->options, OPTION_OUT);
    if (!s->folder) return true;
    if (!folder_make(s->folder, s->diag)) return false;
    s->lock = folder_lock(s->folder, "inject", s->diag);
    if (s->lock < 0 || !folder_program(&s->program, s->build, s->diag)) return false;
    folder_sweep(s->folder, (const char *const[]){".csv", NULL}, NULL);
    return true;
}

// Writes a line with the workload, options and build of a campaign, to recognise a journal of another
// campaign.
static void identify(const struct session *s, struct strbuf *out)
{
    const struct options *o = s->options;
    strbuf_printf(out, "# warpfold inject %s --size %s --ptx %s --seed %" PRIu64 " --places",
                  s->campaign.workload->name, workload_size_name(s->what.size),
                  workload_ptx_name(s->what.ptx), s->campaign.seed);
    for (unsigned p = 0, n = 0; p < UPSET_PLACES; p++)
        if (s->campaign.places >> p & 1)
            strbuf_printf(out, "%s%s", n++ ? "," : " ", inject_place_name((enum upset_place)p));
    strbuf_printf(out, " --tech %s", s->tech);
    if (options_has(o, OPTION_GPU)) strbuf_printf(out, " --gpu %s", options_value(o, OPTION_GPU));
    for (size_t i = 0; i < o->given.count; i++)
        if (o->given.data[i].id == OPTION_SET) strbuf_printf(out, " --set %s", o->given.data[i].value);
    strbuf_printf(out, " (%s; build %s)", s->campaign.workload->title, s->build);
    for (size_t i = 0; i < out->length; i++)
        if (out->text[i] == '\n') out->text[i] = ' ';
}

static bool publish(struct session *s, const struct journal *j)
{
    struct strbuf text = {0}, path = {0};
    const char *why;
    if (!s->folder) return true;
    journal_csv(j, (uint32_t)s->count, &text);
    strbuf_printf(&path, "%s/%s.csv", s->folder, s->campaign.workload->name);
    bool good = file_write(path.text, text.text, text.length, &why) ||
                diag_error(s->diag, loc_none(), "cannot write %s: %s", path.text, why);
    strbuf_fini(&text);
    strbuf_fini(&path);
    return good;
}

// -- output -------------------------------------------------------------------------------------------------

static void show_tally(struct session *s, enum upset_place place, const struct inject_tally *t)
{
    table_add(&s->table, "%s", s->campaign.workload->name);
    table_add(&s->table, "%s", inject_place_name(place));
    table_add_u64(&s->table, t->injected);
    for (unsigned o = INJECT_DETECTED; o < INJECT_OUTCOMES; o++) table_add_u64(&s->table, t->ends[o]);
    table_add(&s->table, "%.2f %%", 100 * t->measured);
    table_add(&s->table, "%.2f to %.2f", 100 * t->low, 100 * t->high);
    table_add(&s->table, "%.2f %%", 100 * t->predicted);
    table_add(&s->table, "%s", t->agrees ? "yes" : "no");
}

static void write_tally(struct json *json, enum upset_place place, const struct inject_space *space,
                        const struct inject_tally *t)
{
    json_open_object(json);
    report_text(json, "places", inject_place_name(place));
    report_u64(json, "places_there", space->places[place]);
    report_u64(json, "places_covered", space->covered[place]);
    report_u64(json, "injected", t->injected);
    for (unsigned o = INJECT_DETECTED; o < INJECT_OUTCOMES; o++)
        report_u64(json, inject_outcome_name((enum inject_outcome)o), t->ends[o]);
    report_f64(json, "measured", t->measured);
    report_f64(json, "low", t->low);
    report_f64(json, "high", t->high);
    report_f64(json, "predicted", t->predicted);
    json_key(json, "agrees");
    json_bool(json, t->agrees);
    json_close_object(json);
}

static void begin_json(struct session *s)
{
    json_open_object(&s->json);
    report_text(&s->json, "schema", "warpfold.inject/1");
    report_text(&s->json, "version", WF_VERSION);
    report_text(&s->json, "size", workload_size_name(s->what.size));
    report_text(&s->json, "ptx", workload_ptx_name(s->what.ptx));
    report_text(&s->json, "gpu", options_value(s->options, OPTION_GPU));
    report_text(&s->json, "tech", s->tech);
    report_u64(&s->json, "seed", s->campaign.seed);
    report_u64(&s->json, "count", s->count);
    json_key(&s->json, "kernels");
    json_open_array(&s->json);
}

static void tell(struct session *s, const struct inject_space *space, const struct journal *j)
{
    json_open_object(&s->json);
    report_text(&s->json, "kernel", s->campaign.workload->name);
    report_u64(&s->json, "cycles", space->cycles);
    json_key(&s->json, "kinds");
    json_open_array(&s->json);
    for (unsigned p = 0; p < UPSET_PLACES; p++) {
        struct inject_tally t;
        if (!inject_tally(space, j, (uint32_t)s->count, (enum upset_place)p, &t)) continue;
        show_tally(s, (enum upset_place)p, &t);
        write_tally(&s->json, (enum upset_place)p, space, &t);
    }
    json_close_array(&s->json);
    json_close_object(&s->json);
}

// -- one workload -------------------------------------------------------------------------------------------

static enum wf_status run_one(struct session *s, const struct inject_space *space)
{
    struct strbuf of_what = {0}, path = {0};
    struct journal j;
    identify(s, &of_what);
    strbuf_printf(&path, "%s/%s.journal", s->folder ? s->folder : "", s->campaign.workload->name);
    enum wf_status status = WF_BAD_INPUT;
    if (journal_open(&j, s->folder ? path.text : NULL, of_what.text, s->diag)) {
        status = inject_run(&s->campaign, space, (uint32_t)s->count, &j);
        if (status == WF_OK && !publish(s, &j)) status = WF_BAD_INPUT;
        if (status == WF_OK) tell(s, space, &j);
        if (status == WF_INTERRUPTED) {
            struct strbuf text = {0};
            strbuf_printf(&text, "%s: stopped with %u of %" PRIu64 " injections done%s\n",
                          s->campaign.workload->name, j.done, s->count,
                          s->folder ? "; repeat the command to continue" : "");
            print_text(stderr, text.text);
            strbuf_fini(&text);
        }
    }
    journal_close(&j);
    strbuf_fini(&of_what);
    strbuf_fini(&path);
    return status;
}

static enum wf_status replay_one(struct session *s, const struct inject_space *space, uint64_t seed)
{
    struct inject_replayed r;
    struct strbuf text = {0};
    enum wf_status status = inject_replay(&s->campaign, space, seed, &r);
    if (status != WF_OK) return status;
    printable_format(&text,
                     "%s, injection 0x%016" PRIx64 ": %s\n"
                     "  %s %u, lane %u, bit %u, in cycle %" PRIu64 "\n"
                     "  launch %u (%s), SM %u, block %" PRIu64 ", warp %u, instruction %u: %s\n",
                     s->campaign.workload->name, seed,
                     inject_outcome_name((enum inject_outcome)r.result.outcome), r.result.what,
                     r.result.what_number, r.result.lane, r.result.bit, r.result.cycle, r.result.launch,
                     r.kernel, r.result.sm, r.result.block, r.result.warp, r.result.index, r.instruction);
    if (r.result.found) printable_format(&text, "  found in cycle %" PRIu64 "\n", r.result.found);
    print_text(stdout, text.text);
    strbuf_fini(&text);
    return WF_OK;
}

// -- all workloads ------------------------------------------------------------------------------------------

static enum wf_status run_all(struct session *s)
{
    const char *replay = options_value(s->options, OPTION_REPLAY);
    uint64_t seed = 0;
    enum wf_status status = choose(s);
    if (status == WF_OK && replay && (!str_to_u64(replay, &seed) || s->workloads.all.count != 1)) {
        diag_error(s->diag, loc_none(), "--replay %s: give the seed of an injection, and one kernel", replay);
        return WF_BAD_USAGE;
    }
    if (status != WF_OK) return status;
    if (!replay && !open_folder(s)) return WF_BAD_INPUT;
    begin_json(s);
    for (size_t n = 0; n < s->workloads.all.count && status != WF_INTERRUPTED;
         n++) { // workloads after a failed workload run, too
        struct inject_space space;
        s->campaign.workload = s->workloads.all.data[n].workload;
        s->campaign.options.registers = s->workloads.all.data[n].registers;
        enum wf_status one = inject_measure(&s->campaign, &space);
        if (one == WF_OK) one = replay ? replay_one(s, &space, seed) : run_one(s, &space);
        if (one > status) status = one;
        if (one == WF_BAD_USAGE) break;
    }
    return status;
}

static void print_results(struct session *s, struct results *r, struct strbuf *json)
{
    struct strbuf text = {0};
    json_close_array(&s->json);
    json_close_object(&s->json);
    if (options_has(s->options, OPTION_JSON)) {
        command_json(s->options, r, json);
        results_write(r);
    }
    if (!command_json_alone(s->options) && !options_has(s->options, OPTION_QUIET) &&
        s->table.cells.count > s->table.columns) {
        table_print(&s->table, file_takes_colour(STDOUT_FILENO), &text);
        print_text(stdout, strbuf_text(&text));
    }
    strbuf_fini(&text);
}

int command_inject(int argc, char **argv)
{
    static const char *const heads[] = {"kernel",   "places",          "injected",  "detected",
                                        "masked",   "silent",          "crash",     "hang",
                                        "measured", "99.9 % interval", "predicted", "agrees"};
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_INJECT, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct results r;
    struct strbuf json = {0};
    struct session s = {.options = &o, .diag = &d, .lock = -1};
    diag_init(&d);
    results_init(&r, &d);
    table_init(&s.table, heads, sizeof heads / sizeof heads[0]);
    json_init(&s.json, &json);
    enum wf_status status = command_claim(&o, &r) ? WF_OK : WF_BAD_INPUT;
    if (status == WF_OK) status = run_all(&s);
    if (status == WF_OK || s.table.cells.count > s.table.columns) print_results(&s, &r, &json);
    print_flush(stdout); // stdout precedes the messages
    exit_status = command_fail(&d, (int)status);
    if (s.lock >= 0) close(s.lock);
    free(s.program);
    bench_list_fini(&s.workloads);
    table_fini(&s.table);
    strbuf_fini(&json);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
