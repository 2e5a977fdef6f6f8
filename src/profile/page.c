#include "profile/page.h"
#include "base/hash.h"
#include "profile/beside.h"
#include "profile/sources.h"
#include "report/fields.h"

#include <math.h>
#include <string.h>

extern const char profile_template[];
__asm__(
    ".pushsection .rodata\n.global profile_template\nprofile_template:\n.incbin \"web/profile.html\"\n.byte "
    "0\n.popsection\n");

// -- samples --------------------------------------------------------------------------------------------------------

// Adds the counters of the next sample of the launch.
static void join(const struct report_run *r, struct report_sample *to, const struct report_sample *next)
{
    to->to = next->to;
    for (size_t i = 0; i < r->counter_count; i++) {
        uint64_t *sum = &to->counters[i], more = next->counters[i];
        if (*sum == WF_UNKNOWN || more == WF_UNKNOWN)
            *sum = WF_UNKNOWN;
        else
            *sum = r->counters[i].is_most ? more : *sum + more;
    }
}

static size_t most_of_a_launch(const struct report_run *r)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < r->samples.count; i++) {
        count = i && r->samples.data[i].launch == r->samples.data[i - 1].launch ? count + 1 : 1;
        most = count > most ? count : most;
    }
    return most;
}

void profile_thin(struct report_run *r, size_t most)
{
    size_t each = (most_of_a_launch(r) + most - 1) / most, kept = 0, joined = 0;
    for (size_t i = 0; i < r->samples.count; i++) {
        struct report_sample *s = &r->samples.data[i];
        struct report_sample *last = kept ? &r->samples.data[kept - 1] : NULL;
        if (last && last->launch == s->launch && joined < each) {
            join(r, last, s);
            free(s->counters);
            joined++;
        } else {
            r->samples.data[kept++] = *s;
            joined = 1;
        }
    }
    r->samples.count = kept;
}

// -- JSON -----------------------------------------------------------------------------------------------------------

static const char *state_text(enum rule_state state)
{
    static const char *const texts[] = {[RULE_ABSENT] = "absent",
                                        [RULE_MEASURED] = "measured",
                                        [RULE_BOUND] = "bound",
                                        [RULE_NOT_TRIED] = "not tried",
                                        [RULE_FAILED] = "failed"};
    return texts[state];
}

static void write_rule(const struct rule *r, struct json *j)
{
    bool has_gain = r->state == RULE_MEASURED || r->state == RULE_BOUND;
    json_open_object(j);
    report_text(j, "name", r->name);
    report_text(j, "meaning", r->meaning);
    report_text(j, "state", state_text(r->state));
    report_f64(j, "evidence", r->evidence);
    report_f64(j, "gain", has_gain ? r->gain : NAN);
    report_f64(j, "alone", has_gain ? r->rest : NAN);
    report_f64(j, "cycles", r->state == RULE_MEASURED ? r->cycles : NAN);
    report_text(j, "what_if", r->what_if);
    report_text(j, "settings", r->settings);
    report_text(j, "kernel", r->kernel);
    report_text(j, "line", r->line);
    report_text(j, "advice", r->advice);
    json_close_object(j);
}

static void write_rules(const struct profile *p, struct json *j)
{
    json_key(j, "rules");
    json_open_array(j);
    for (size_t i = 0; i < p->rules.count; i++) write_rule(&p->rules.data[i], j);
    json_close_array(j);
}

static void write_trials(const struct profile *p, struct json *j)
{
    json_key(j, "what_if");
    json_open_array(j);
    for (size_t i = 0; i < p->trial_count; i++) {
        json_open_object(j);
        report_text(j, "settings", p->trials[i].settings);
        report_f64(j, "cycles", p->trials[i].cycles < 0 ? NAN : p->trials[i].cycles);
        json_close_object(j);
    }
    json_close_array(j);
}

// Names and meanings of the reasons of slots, or of the levels of memory.
static void write_names(const char *key, bool (*at)(size_t, struct wf_slot *), struct json *j)
{
    struct wf_slot slot;
    json_key(j, key);
    json_open_array(j);
    for (size_t n = 0; at(n, &slot); n++) {
        json_open_object(j);
        report_text(j, "name", slot.name);
        report_text(j, "meaning", slot.meaning);
        json_close_object(j);
    }
    json_close_array(j);
}

static void write_peaks(const struct wf_peaks *k, double core_mhz, struct json *j)
{
    json_key(j, "peaks");
    json_open_object(j);
    report_f64(j, "core_mhz", core_mhz);
    report_f64(j, "sms", k->sms);
    report_f64(j, "issued", k->issued);
    report_f64(j, "float_lanes", k->float_lanes);
    report_f64(j, "integer_lanes", k->integer_lanes);
    report_f64(j, "special_lanes", k->special_lanes);
    report_f64(j, "double_lanes", k->double_lanes);
    report_f64(j, "shared_accesses", k->shared_accesses);
    report_f64(j, "l2_flits", k->l2_flits);
    report_f64(j, "l2_flit_bytes", k->l2_flit_bytes);
    report_f64(j, "dram_bytes", k->dram_bytes);
    json_close_object(j);
}

static void write_run(const struct report_run *r, struct json *j)
{
    struct strbuf text = {0};
    report_run_json(r, &text);
    json_key(j, "run");
    json_raw(j, strbuf_text(&text));
    strbuf_fini(&text);
}

// -- the run in few bytes, for the page -----------------------------------------------------------------------------

// Numbers without zeros at the end.
static void write_numbers(const uint64_t *values, size_t count, struct json *j)
{
    while (count && !values[count - 1]) count--;
    for (size_t i = 0; i < count; i++) json_u64(j, values[i]);
}

static size_t count_of(bool (*at)(size_t, struct wf_slot *))
{
    struct wf_slot slot;
    size_t n = 0;
    while (at(n, &slot)) n++;
    return n;
}

// [pc, "instruction", number of the lines, slots by reason ..., skipped, reused, beside, slots of memory by level ...]
static void write_row(const struct wf_account *row, size_t lines, size_t slots, struct json *j)
{
    enum { MOST = 64 };
    size_t levels = count_of(wf_level_at);
    uint64_t values[MOST] = {0};
    for (size_t n = 0; n < slots && n + 3 < MOST; n++) values[n] = row->slots[n];
    for (size_t n = 0; n < levels && slots + 3 + n < MOST; n++) values[slots + 3 + n] = row->levels[n];
    values[slots] = row->skipped;
    values[slots + 1] = row->reused;
    values[slots + 2] = row->beside;
    json_open_array(j);
    json_u64(j, row->pc);
    json_string(j, row->instruction);
    json_u64(j, lines);
    write_numbers(values, slots + 3 + levels, j);
    json_close_array(j);
}

static bool is_empty(const struct wf_account *row, size_t slots)
{
    uint64_t all = row->skipped | row->reused | row->beside;
    for (size_t n = 0; n < slots; n++) all |= row->slots[n];
    return !all;
}

// Rows as in the account of `run --json`; texts of lines once, in order of the first row.
static void write_kernel(struct wf_kernel *kernel, struct json *j)
{
    size_t count, slots = count_of(wf_slot_at);
    const struct wf_account *rows = wf_kernel_account(kernel, &count);
    struct strmap seen = {0};
    json_open_object(j);
    report_text(j, "kernel", wf_kernel_info(kernel)->mangled_name);
    json_key(j, "rows");
    json_open_array(j);
    for (size_t i = 0; i + 1 < count; i++) {
        const char *lines = rows[i].lines ? rows[i].lines : "";
        uint32_t number = (uint32_t)seen.entries.count;
        if (is_empty(&rows[i], slots)) continue;
        if (!strmap_get(&seen, lines, strlen(lines), &number))
            strmap_set(&seen, lines, strlen(lines), number);
        write_row(&rows[i], number, slots, j);
    }
    json_close_array(j);
    json_key(j, "texts");
    json_open_array(j);
    for (size_t i = 0; i < seen.entries.count; i++) json_string(j, seen.entries.data[i].key);
    json_close_array(j);
    json_key(j, "none");
    json_open_array(j);
    if (count) write_numbers(rows[count - 1].slots, slots, j);
    json_close_array(j);
    json_close_object(j);
    strmap_fini(&seen);
}

static bool has_changed(const struct report_run *r, size_t counter)
{
    for (size_t i = 0; i < r->samples.count; i++) {
        uint64_t value = r->samples.data[i].counters[counter];
        if (value && value != WF_UNKNOWN) return true;
    }
    return false;
}

// Counters that a sample has: names, and rows of [launch, from, to, values ...].
static void write_series(const struct report_run *r, struct json *j)
{
    bool *shown = heap_alloc((r->counter_count + 1) * sizeof *shown);
    json_key(j, "series");
    json_open_object(j);
    json_key(j, "names");
    json_open_array(j);
    for (size_t i = 0; i < r->counter_count; i++)
        if ((shown[i] = has_changed(r, i))) json_string(j, r->counters[i].name);
    json_close_array(j);
    json_key(j, "rows");
    json_open_array(j);
    for (size_t k = 0; k < r->samples.count; k++) {
        const struct report_sample *s = &r->samples.data[k];
        json_open_array(j);
        json_u64(j, s->launch);
        json_u64(j, s->from);
        json_u64(j, s->to);
        for (size_t i = 0; i < r->counter_count; i++)
            if (shown[i]) json_u64(j, s->counters[i]);
        json_close_array(j);
    }
    json_close_array(j);
    json_close_object(j);
    free(shown);
}

static void write_compact_run(const struct report_run *r, struct json *j)
{
    json_key(j, "run");
    json_open_object(j);
    report_run_members(r, false, j);
    write_series(r, j);
    json_key(j, "kernels");
    json_open_array(j);
    for (size_t k = 0; k < r->kernels.count; k++) write_kernel(r->kernels.data[k], j);
    json_close_array(j);
    json_close_object(j);
}

// -- both -----------------------------------------------------------------------------------------------------------

static void write_all(const struct profile *p, const struct source_files *files, bool is_compact,
                      struct strbuf *out)
{
    struct strbuf text = {0};
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.profile/1");
    report_text(&j, "version", WF_VERSION);
    profile_sentence(p, &text);
    report_text(&j, "sentence", strbuf_text(&text));
    write_rules(p, &j);
    write_trials(p, &j);
    if (p->beside) {
        json_key(&j, "beside");
        beside_json(p->beside, &j);
    }
    write_names("slots", wf_slot_at, &j);
    write_names("levels", wf_level_at, &j);
    if (p->facts.hottest) write_peaks(&p->facts.hottest->peaks, p->facts.hottest->core_mhz, &j);
    if (is_compact)
        write_compact_run(p->facts.run, &j);
    else
        write_run(p->facts.run, &j);
    json_key(&j, "sources");
    sources_write(&p->facts, files, &j);
    json_close_object(&j);
    strbuf_fini(&text);
}

void profile_json(const struct profile *p, const struct source_files *files, struct strbuf *out)
{
    write_all(p, files, false, out);
}

// -- the page -------------------------------------------------------------------------------------------------------

void profile_page(const struct profile *p, const struct source_files *files, struct strbuf *out)
{
    static const char mark[] = "@DATA@";
    const char *place = strstr(profile_template, mark);
    struct strbuf json = {0};
    write_all(p, files, true, &json);
    strbuf_write(out, profile_template, (size_t)(place - profile_template));
    json_embed(out, strbuf_text(&json));
    strbuf_puts(out, place + strlen(mark));
    strbuf_fini(&json);
}
