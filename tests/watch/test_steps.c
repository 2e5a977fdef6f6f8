// The stepping page agrees with the Konata log event by event, with the counters and with runs without a record; its
// bytes; its view in Chromium.
#include "api/warpfold.h"
#include "cli/cli.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "harness/test.h"
#include "report/steps.h"
#include "report/timeline.h"
#include "watch/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS_MAX = 400 };

struct observed {
    struct test *t;
    struct wf_context *context;
    uint64_t cycles, counters[COUNTERS_MAX];
};

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct observed *o = context;
    (void)kernel;
    (void)shape;
    o->cycles += stats->cycles;
    for (size_t n = 0; n < stats->counter_count && n < COUNTERS_MAX; n++)
        o->counters[n] += stats->counters[n].value;
}

static void observe(struct observed *o, struct test *t, const char *name, const char *gpu, const char *tech,
                    const char *settings, bool watches)
{
    *o = (struct observed){.t = t, .context = wf_context_create()};
    CHECK_EQ(t, wf_gpu(o->context, gpu), WF_OK);
    CHECK_EQ(t, wf_tech(o->context, tech), WF_OK);
    settings_apply(t, o->context, settings);
    if (watches) wf_watch_steps(o->context);
    bundled_run(t, o->context, name, launched, o);
}

static char *page_of(const struct observed *o)
{
    struct strbuf text = {0};
    const struct report_steps_run run = {"run", wf_watched(o->context)};
    report_steps(&run, 1, &text);
    return text.text;
}

// -- the Konata log -----------------------------------------------------------------------------------------

static void add_stage(struct strbuf *out, uint64_t cycle, uint64_t id, const char *stage)
{
    strbuf_printf(out, "%" PRIu64 " %" PRIu64 " %s\n", cycle, id, stage);
}

// Events of the instruction, a line each.
static void write_events(struct strbuf *out, const struct steps_inst *i, uint64_t id, uint64_t launch_end)
{
    uint64_t end = i->done ? i->done : launch_end;
    add_stage(out, i->fetched, id, "F");
    if (i->buffered < i->issued) add_stage(out, i->buffered, id, "D");
    if (i->flags & STEPS_FLUSHED) {
        add_stage(out, i->issued, id, "dropped");
        return;
    }
    add_stage(out, i->issued, id, "I");
    if (end <= i->issued) end = i->issued + 1;
    if (i->issued + 1 < end) add_stage(out, i->issued + 1, id, "C");
    if (i->collected + 1 < end) add_stage(out, i->collected + 1, id, i->flags & STEPS_MEMORY ? "M" : "X");
    if (i->done) add_stage(out, end, id, "W");
    add_stage(out, end + (i->done ? 1 : 0), id, i->done ? "retired" : "dropped");
}

static int by_line(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Lines of a text in order.
static char *sorted(const char *text)
{
    VEC(char *) lines = {0};
    char *copy = strdup(text), *rest = copy, *line;
    struct strbuf out = {0};
    while ((line = strtok_r(rest, "\n", &rest)) != NULL) vec_push(&lines, line);
    if (lines.count) qsort(lines.data, lines.count, sizeof *lines.data, by_line);
    for (size_t k = 0; k < lines.count; k++) strbuf_printf(&out, "%s\n", lines.data[k]);
    strbuf_puts(&out, "");
    vec_fini(&lines);
    free(copy);
    return out.text ? out.text : strdup("");
}

// The log's events in the form of write_events, and by id "SM slot pc text mask".
static char *konata_events(const char *konata)
{
    struct strbuf out = {0};
    char *copy = strdup(konata), *rest = copy, *line;
    uint64_t cycle = 0, value, id, unused;
    unsigned what;
    while ((line = strtok_r(rest, "\n", &rest)) != NULL) {
        char stage;
        if (sscanf(line, "C=\t%" SCNu64, &value) == 1)
            cycle = value;
        else if (sscanf(line, "C\t%" SCNu64, &value) == 1)
            cycle += value;
        else if (sscanf(line, "S\t%" SCNu64 "\t0\t%c", &id, &stage) == 2)
            strbuf_printf(&out, "%" PRIu64 " %" PRIu64 " %c\n", cycle, id, stage);
        else if (sscanf(line, "R\t%" SCNu64 "\t%" SCNu64 "\t%u", &id, &unused, &what) == 3)
            add_stage(&out, cycle, id, what ? "dropped" : "retired");
        else if (sscanf(line, "L\t%" SCNu64 "\t0\t", &id) == 1 && strstr(line, "SM "))
            strbuf_printf(&out, "%" PRIu64 " is %s\n", id, strstr(line, "SM "));
        else if (strstr(line, "mask 0x") && sscanf(line, "L\t%" SCNu64, &id) == 1)
            strbuf_printf(&out, "%" PRIu64 " mask %.8s\n", id, strstr(line, "mask 0x") + 7);
    }
    char *all = sorted(strbuf_text(&out));
    strbuf_fini(&out);
    free(copy);
    return all;
}

static char *page_events(struct test *t, const struct observed *o, const char *page)
{
    struct arena a = {0};
    struct strbuf out = {0};
    size_t count;
    const struct watcher *w = wf_watched(o->context);
    const struct json_value *run = steps_run(steps_data(t, page, &a), "run");
    struct steps_inst *list = steps_insts(t, run, &count);
    for (size_t id = 0; id < count; id++) {
        const struct steps_inst *i = &list[id];
        write_events(&out, i, id, w->launches.data[i->launch].to);
        strbuf_printf(&out, "%zu is SM %u warp %02u %s: %s\n", id, i->sm, i->slot, i->pc, i->text);
        strbuf_printf(&out, "%zu mask %.8s\n", id, i->mask ? i->mask : "00000000");
    }
    char *all = sorted(strbuf_text(&out));
    strbuf_fini(&out);
    free(list);
    arena_fini(&a);
    return all;
}

static const char *const kernels[][4] = {
    {"reduction", "tiny", "base", ""},
    {"bfs", "gtx1080ti-paper", "base", "gpu.sm_count=4"},
    {"scan", "titanv", "base", "issue.width=2 gpu.sm_count=2"},
    {"matrixMul", "tiny", "darsie", "timeline.to=3000"},
    {"pathfinder", "tiny", "uv", "timeline.from=500 timeline.to=4000"},
    {"nqueens", "tiny", "dac", "issue.scheduler=lrr timeline.to=3000"},
};

static void test_konata(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(kernels); n++) {
        struct observed o;
        char settings[200];
        snprintf(settings, sizeof settings, "timeline.limit=10000000 %s", kernels[n][3]);
        observe(&o, t, kernels[n][0], kernels[n][1], kernels[n][2], settings, true);
        struct strbuf konata = {0};
        report_timeline_konata(wf_watched(o.context), &konata);
        char *page = page_of(&o), *want = konata_events(strbuf_text(&konata)),
             *got = page_events(t, &o, page);
        CHECK_MSG(t, strlen(want) > 10000 && strcmp(want, got) == 0, "%s", kernels[n][0]);
        free(page);
        free(want);
        free(got);
        strbuf_fini(&konata);
        wf_context_destroy(o.context);
    }
}

// -- runs ---------------------------------------------------------------------------------------------------

// A recorded run has the counters of a run without a record, under every mechanism.
static void test_unchanged(struct test *t)
{
    const char *tech, *meaning;
    for (size_t k = 0; wf_tech_at(k, &tech, &meaning); k++) {
        struct observed plain, seen;
        observe(&plain, t, "reduction", "tiny", tech, "", false);
        observe(&seen, t, "reduction", "tiny", tech, "timeline.limit=100000", true);
        CHECK_MSG(t, plain.cycles && plain.cycles == seen.cycles, "%s", tech);
        CHECK_MSG(t, memcmp(plain.counters, seen.counters, sizeof plain.counters) == 0, "%s", tech);
        wf_context_destroy(plain.context);
        wf_context_destroy(seen.context);
    }
}

// Neither host threads nor single-stepped idle cycles change the page, and mechanisms tell rows.
static void test_same(struct test *t)
{
    static const char *const techs[] = {"darsie",  "dac",    "uv",          "decoupled",
                                        "rfcache", "coarse", "silicon-sync"};
    for (size_t n = 0; n < TEST_COUNT(techs); n++) {
        struct observed first, other;
        static const char base[] = "timeline.to=4000 gpu.sm_count=2";
        observe(&first, t, "pathfinder", "tiny", techs[n], base, true);
        char settings[100];
        snprintf(settings, sizeof settings, "%s sim.skip_idle=0", base);
        observe(&other, t, "pathfinder", "tiny", techs[n], settings, true);
        char *a = page_of(&first), *b = page_of(&other);
        CHECK_MSG(t, strcmp(a, b) == 0, "%s", techs[n]);
        char table[40];
        snprintf(table, sizeof table, "[\"%s\",\"", techs[n]);
        CHECK_MSG(t, strstr(a, table) != NULL, "%s tells no row", techs[n]);
        free(a);
        free(b);
        wf_context_destroy(first.context);
        wf_context_destroy(other.context);
    }
}

static uint64_t counter_of(const struct observed *o, const char *name)
{
    return o->counters[counter_index(o->t, name)];
}

// Skipped instructions are counted, and every load and store that was queued has its lines.
static void test_counted(struct test *t)
{
    struct observed o;
    struct arena a = {0};
    size_t count;
    uint64_t lines = 0, passes = 0;
    observe(&o, t, "transpose", "tiny", "darsie", "timeline.limit=10000000", true);
    char *page = page_of(&o);
    const struct json_value *run = steps_run(steps_data(t, page, &a), "run"), *sm;
    sm = steps_element(json_member(run, "sms"), 0);
    struct steps_inst *list = steps_insts(t, run, &count);
    for (size_t k = 0; k < count; k++) {
        lines += list[k].lines;
        if (list[k].passes && !list[k].lines) passes += list[k].passes - 1;
        if (list[k].flags & STEPS_QUEUED)
            CHECK_MSG(t, list[k].sent > list[k].collected, "%s: collected %" PRIu64 ", sent %" PRIu64,
                      list[k].text, list[k].collected, list[k].sent);
    }
    CHECK_EQ(t, lines, counter_of(&o, "sm.lsu.transactions"));
    CHECK_EQ(t, passes, counter_of(&o, "sm.shared.conflict_cycles"));
    CHECK(t, steps_length(json_member(sm, "skips")) > 100);
    CHECK(t, steps_length(json_member(sm, "changes")) > 100);
    CHECK(t, strstr(page, "[\"darsie\",\"PC skip table\"]") != NULL);
    free(list);
    free(page);
    arena_fini(&a);
    wf_context_destroy(o.context);
}

// -- files --------------------------------------------------------------------------------------------------

#define LESSON "run docs/examples/lessons.ptx --gpu tiny --set icache.perfect=1 --quiet "

// With a mechanism the page has both runs, and the base run is the run without the mechanism.
static void test_beside(struct test *t)
{
    struct cli c = {.t = t};
    struct arena a = {0}, b = {0};
    size_t length;
    cli_run(&c, LESSON "--kernel figure5 --grid 1 --block 32,3 --arg buf=s32:32:zero --arg buf=s32:96:zero "
                       "--tech darsie --timeline $D/x.html");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_STR(t, c.err, "");
    CHECK_EQ(t, cli_files(&c), 1);
    char *both = cli_read(&c, "x.html", &length);
    cli_run(&c, LESSON "--kernel figure5 --grid 1 --block 32,3 --arg buf=s32:32:zero --arg buf=s32:96:zero "
                       "--timeline $D/y.html");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *alone = cli_read(&c, "y.html", &length);
    const struct json_value *x = steps_data(t, both, &a), *y = steps_data(t, alone, &b);
    const struct json_value *base = steps_run(x, "base"), *tech = steps_run(x, "darsie");
    CHECK(t, base && tech && steps_length(json_member(x, "runs")) == 2);
    CHECK(t, steps_length(json_member(y, "runs")) == 1);
    CHECK_EQ(t, json_unsigned(json_member(base, "to")),
             json_unsigned(json_member(steps_run(y, "base"), "to")));
    const struct json_value *sms = json_member(tech, "sms");
    CHECK(t, steps_length(json_member(sms->first, "skips")) > 0);
    CHECK_EQ(t, steps_length(json_member(json_member(base, "sms")->first, "skips")), 0);
    // No request: the policy forbids every source, and no address is in the page but the name space of drawings.
    CHECK_HAS(t, both, "default-src 'none'");
    const char *at = strstr(both, "http");
    CHECK(t, at && strncmp(at, "http-equiv", 10) == 0);
    at = strstr(at + 1, "http");
    CHECK(t, at && strncmp(at, "http://www.w3.org/2000/svg", 26) == 0 && !strstr(at + 1, "http"));
    free(both);
    free(alone);
    arena_fini(&a);
    arena_fini(&b);
    cli_fini(&c);
}

// 10,000 cycles of four warps, with a mechanism beside the unmodified GPU: less than 3 MB.
static void test_bytes(struct test *t)
{
    struct cli c = {.t = t};
    size_t length = 0;
    struct arena a = {0};
    cli_run(&c, "bench matrixMul --size small --gpu tiny --tech darsie --quiet --set timeline.warps=0-3 "
                "--set timeline.to=10000 --timeline $D/x.html");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *page = cli_read(&c, "x.html", &length);
    const struct json_value *data = steps_data(t, page, &a), *base = steps_run(data, "base");
    CHECK(t, json_unsigned(json_member(base, "to")) == 10000 && steps_run(data, "darsie"));
    CHECK_MSG(t, length > 100000 && length < 3000000, "%zu bytes", length);
    if (getenv("TEST_VERBOSE")) printf("%zu bytes\n", length);
    free(page);
    arena_fini(&a);
    cli_fini(&c);
}

// -- Chromium -----------------------------------------------------------------------------------------------

// The document after its scripts: no error, the named cycle, warps at the barrier in words.
static void test_views(struct test *t)
{
    static const char *const views[][2] = {
        {"1600,1000", "light"}, {"390,844", "light"}, {"1600,1000", "dark"}, {"390,844", "dark"}};
    if (!test_has_tool("chromium")) {
        test_skip_tool(t, "chromium");
        return;
    }
    struct cli c = {.t = t};
    cli_run(&c, LESSON "--kernel barrier --grid 1 --block 128 --arg buf=f32:128:zero --timeline $D/x.html");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    const char *folder = test_directory(t);
    for (size_t i = 0; i < TEST_COUNT(views); i++) {
        char command[900], wanted[64], *out;
        snprintf(command, sizeof command,
                 "chromium --headless --no-sandbox --disable-gpu --no-first-run "
                 "--disable-background-networking --disable-component-update --disable-sync "
                 "--user-data-dir=%s/profile --window-size=%s --dump-dom 'file://%s/x.html#%s,barrier'",
                 folder, views[i][0], folder, views[i][1]);
        CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
        snprintf(wanted, sizeof wanted, "data-theme=\"%s\"", views[i][1]);
        CHECK_HAS(t, out, wanted);
        CHECK_HAS(t, out, "data-ready=\"yes\"");
        CHECK_MSG(t, !strstr(out, "data-error"), "%.300s", strstr(out, "data-error"));
        CHECK_HAS(t, out, "at the barrier");
        CHECK_HAS(t, out, " of 4 warps");
        free(out);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"konata", test_konata}, {"unchanged", test_unchanged},
                                             {"same", test_same},     {"counted", test_counted},
                                             {"beside", test_beside}, {"bytes", test_bytes},
                                             {"views", test_views}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
