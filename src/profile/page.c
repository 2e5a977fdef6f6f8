#include "profile/page.h"
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

static void write_slots(struct json *j)
{
    struct wf_slot slot;
    json_key(j, "slots");
    json_open_array(j);
    for (size_t n = 0; wf_slot_at(n, &slot); n++) {
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

void profile_json(const struct profile *p, const char *const *modules, size_t module_count,
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
    write_slots(&j);
    if (p->facts.hottest) write_peaks(&p->facts.hottest->peaks, p->facts.hottest->core_mhz, &j);
    strbuf_clear(&text);
    report_run_json(p->facts.run, &text);
    json_key(&j, "run");
    json_raw(&j, strbuf_text(&text));
    json_key(&j, "sources");
    sources_write(&p->facts, modules, module_count, &j);
    json_close_object(&j);
    strbuf_fini(&text);
}

// -- the page -------------------------------------------------------------------------------------------------------

void profile_page(const struct strbuf *json, struct strbuf *out)
{
    static const char mark[] = "@DATA@";
    const char *place = strstr(profile_template, mark);
    strbuf_write(out, profile_template, (size_t)(place - profile_template));
    // Escapes every "<", since "</" would end the script element, and drops indentation.
    for (const char *p = strbuf_text(json); *p; p++) {
        if (*p == '\n')
            p += strspn(p, "\n ") - 1;
        else if (*p == '<')
            strbuf_puts(out, "\\u003c");
        else
            strbuf_putc(out, *p);
    }
    strbuf_puts(out, place + strlen(mark));
}
