// `warpfold profile`: kernels with one planted cost each (causes.cu) get the rule of the cost, with the line, as their
// first rule; estimates beside repaired kernels; kernels without a planted cost get no claim that no run shows; the page
// and its data beside `run --json`. Fails where a rule names another cost, or where page and run differ.
#include "base/json_read.h"
#include "base/str.h"
#include "cli/cli.h"
#include "harness/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL "--set gpu.sm_count=7 "
#define MATRICES                                                                                             \
    "--block 32,32 --arg buf=f32:16384:rand:1 --arg buf=f32:16384:rand:2 --arg buf=f32:16384:zero --arg "    \
    "s32=128"
#define PICTURE "--block 32,8 --arg buf=f32:65536:rand:1 --arg buf=f32:65536:zero --arg s32=256"
#define FLOATS  "--arg buf=f32:65536:rand:1 --arg buf=f32:65536:zero "

struct profiled {
    struct cli cli;
    struct arena arena;
    const struct json_value *data;
};

static void profile(struct profiled *p, const char *file, const char *arguments)
{
    char text[600];
    const char *why = "none";
    size_t offset = 0;
    snprintf(text, sizeof text,
             "profile tests/cli/%s.ptx --gpu gtx1080ti " SMALL "--quiet --json - --out $D/p.html --kernel %s",
             file, arguments);
    cli_run(&p->cli, text);
    CHECK_MSG(p->cli.t, p->cli.status == 0, "%s: status %d, %s", arguments, p->cli.status, p->cli.err);
    p->data = json_parse(p->cli.out, strlen(p->cli.out), &p->arena, &why, &offset);
    CHECK_MSG(p->cli.t, p->data != NULL, "%s: no JSON at %zu: %s", arguments, offset, why);
}

static void forget(struct profiled *p)
{
    cli_fini(&p->cli);
    arena_fini(&p->arena);
}

static const struct json_value *first_rule(const struct profiled *p)
{
    const struct json_value *rules = json_member(p->data, "rules");
    return rules ? rules->first : NULL;
}

static double cycles_of(const struct profiled *p)
{
    return json_number(json_member(json_member(p->data, "run"), "cycles"));
}

// "causes.cu:12": the line of the source that ends in the comment `mark`.
static void find_line(struct test *t, const char *mark, char out[32])
{
    char *text = test_read_file(t, "tests/cli/causes.cu", NULL), comment[64];
    unsigned line = 1;
    snprintf(comment, sizeof comment, "// %s\n", mark);
    const char *at = strstr(text, comment);
    CHECK_MSG(t, at != NULL, "no line \"%s\"", mark);
    for (const char *p = text; at && p < at; p++) line += *p == '\n';
    snprintf(out, 32, "causes.cu:%u", line);
    free(text);
}

#define EQUAL " --block 256 --arg buf=f32:65536:zero --arg s32=200"
#define SPILLED                                                                                              \
    "spilled --grid 28 --block 256 --arg buf=f32:131072:rand:1 --arg buf=f32:65536:zero --arg s32=10"
#define CHAIN "chain --grid 56 --block 64 --arg buf=f32:65536:zero --arg f32=0.5 --arg s32=400"

// A kernel with a planted cost, the first rule of its profile with the line, and a repaired kernel.
static const struct {
    const char *arguments, *rule, *mark; // mark: a comment at the end of the line, or a place; NULL: any line
    const char *repaired;
    double work; // of the planted kernel, over the repaired kernel's
} causes[] = {
    {"conflicts --grid 4,4 " MATRICES, "bank conflicts", "bank conflicts", "padded --grid 4,4 " MATRICES, 1},
    {"transpose --grid 8,8 " PICTURE, "uncoalesced accesses", "uncoalesced",
     "transpose_tiled --grid 8,8 " PICTURE, 1},
    {"equal --grid 57" EQUAL, "partial wave", NULL, "equal --grid 56" EQUAL, 57.0 / 56},
    {"equal --grid 4 --block 256 --arg buf=f32:65536:zero --arg s32=1000", "too few blocks", NULL,
     "equal --grid 7 --block 146 --arg buf=f32:65536:zero --arg s32=1000", 1},
    {"unequal --grid 56 --block 256 --arg buf=f32:65536:zero --arg s32=100", "imbalance between blocks", NULL,
     "equal --grid 56 --block 256 --arg buf=f32:65536:zero --arg s32=116", 1},
    {"barriers --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=100", "barriers", "barrier",
     "barriers_even --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=100", 1},
    {"literal --grid 56 --block 256 " FLOATS "--arg f32=1.5", "double literals", "double literal",
     "literal_float --grid 56 --block 256 " FLOATS "--arg f32=1.5", 1},
    {"cold --grid 7 --block 64 --arg buf=f32:65536:zero --arg f32=0.5", "cold code", "cold code",
     "cold_rolled --grid 7 --block 64 --arg buf=f32:65536:zero --arg f32=0.5", 1},
    {"counted --grid 224 --block 256 --arg buf=s32:65536:iota --arg buf=s32:16:zero", "atomics",
     "atomic.h:", "counted_once --grid 224 --block 256 --arg buf=s32:65536:iota --arg buf=s32:16:zero", 1},
    {"divided --grid 56 --block 256 " FLOATS "--arg f32=1.5", "division", "division",
     "divided_fast --grid 56 --block 256 " FLOATS "--arg f32=1.5", 1},
    {SPILLED " --set compile.max_registers=24", "spills", "spills", SPILLED, 1},
    {"divergent --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=f32:65536:zero --arg s32=32",
     "divergence", NULL,
     "divergent_sorted --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=f32:65536:zero --arg s32=32",
     1},
    {"chase --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=s32:65536:zero", "waiting for memory",
     "exposed load", "chase_shared --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=s32:65536:zero",
     1},
    {"shared_counts --grid 28 --block 256 --arg buf=s32:256:iota --arg buf=s32:1024:zero --arg s32=200",
     "atomics in shared memory", "atomic.h:",
     "shared_counts_apart --grid 28 --block 256 --arg buf=s32:256:iota --arg buf=s32:1024:zero --arg s32=200",
     1},
    {"equal --grid 448 --block 33 --arg buf=f32:65536:zero --arg s32=200", "partial warps", NULL,
     "equal --grid 448 --block 32 --arg buf=f32:65536:zero --arg s32=200", 33.0 / 32},
    {"table_local --grid 56 --block 128 --arg buf=s32:8192:rand:1 --arg buf=f32:8192:zero --arg s32=100",
     "local arrays", "local array",
     "table_shared --grid 56 --block 128 --arg buf=s32:8192:rand:1 --arg buf=f32:8192:zero --arg s32=100", 1},
    {"uneven --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=400", "imbalance between warps",
     "uneven", "even --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=400", 1},
    {"long_warp --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=200", "imbalance between warps",
     "long warp", "equal_warps --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=400", 1},
    {"powers --grid 56 --block 256 --arg buf=f32:65536:zero --arg s32=100", "special functions",
     "special function", "products --grid 56 --block 256 --arg buf=f32:65536:zero --arg s32=100", 1},
    {CHAIN " --shared 49152", "occupancy by shared memory", "chain", CHAIN, 1},
    {CHAIN " --set launch.registers=255", "occupancy by registers", "chain", CHAIN, 1},
};

// A profile costs at most six runs: at most four what-if runs, none longer than the base run but for a fiftieth.
static void check_cost(struct test *t, const struct profiled *p, const char *arguments)
{
    const struct json_value *list = json_member(p->data, "what_if");
    double runs = 0, sum = 0, base = cycles_of(p);
    for (const struct json_value *w = list ? list->first : NULL; w; w = w->next, runs++)
        sum += json_number(json_member(w, "cycles"));
    CHECK_MSG(t, runs <= 4 && sum <= 1.02 * 4 * base,
              "%s: %g what-if runs of %.0f cycles together, base %.0f", arguments, runs, sum, base);
}

// The first rule has the planted name and line.
static void check_first(struct test *t, const struct profiled *p, size_t i)
{
    const struct json_value *rule = first_rule(p);
    const char *name = json_text(json_member(rule, "name")), *at = json_text(json_member(rule, "line"));
    char line[32];
    CHECK_MSG(t, name && str_equal(name, causes[i].rule), "%s: first is \"%s\", not \"%s\": %s",
              causes[i].arguments, name ? name : "none", causes[i].rule,
              json_text(json_member(p->data, "sentence")));
    CHECK_MSG(t, str_equal(json_text(json_member(rule, "state")), "measured"), "%s: no run",
              causes[i].arguments);
    if (!causes[i].mark) return;
    if (strchr(causes[i].mark, ':'))
        snprintf(line, sizeof line, "%s", causes[i].mark);
    else
        find_line(t, causes[i].mark, line);
    CHECK_MSG(t, at && strstr(at, line), "%s: the line is %s, not %s", causes[i].arguments, at ? at : "none",
              line);
}

// Runs a kernel of causes.cu.
static void run(struct profiled *p, const char *arguments)
{
    char text[600];
    const char *why;
    size_t offset;
    snprintf(text, sizeof text,
             "run tests/cli/causes.ptx --gpu gtx1080ti " SMALL "--quiet --json - --kernel %s", arguments);
    cli_run(&p->cli, text);
    CHECK_MSG(p->cli.t, p->cli.status == 0, "%s: status %d, %s", arguments, p->cli.status, p->cli.err);
    p->data = json_parse(p->cli.out, strlen(p->cli.out), &p->arena, &why, &offset);
}

static double run_cycles(struct test *t, const char *arguments)
{
    struct profiled p = {.cli = {.t = t}};
    run(&p, arguments);
    double cycles = json_number(json_member(p.data, "cycles"));
    forget(&p);
    return cycles;
}

// Slots of memory are charged to the place that the data came from, and add up.
static void test_levels(struct test *t)
{
    static const struct {
        const char *arguments, *level;
        double least; // share of the slots of memory
    } cases[] = {
        {"chase --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=s32:65536:zero", "l2", 0.75},
        {"chase_shared --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=s32:65536:zero", "shared",
         0.3},
        {"transpose --grid 8,8 " PICTURE, "dram", 0.75},
        {"equal --grid 4" EQUAL, "constants", 0.75},
        {SPILLED " --set compile.max_registers=24", "local", 0.75},
        {"table_local --grid 56 --block 128 --arg buf=s32:8192:rand:1 --arg buf=f32:8192:zero --arg s32=100",
         "local", 0.75},
    };
    for (size_t i = 0; i < TEST_COUNT(cases); i++) {
        struct profiled p = {.cli = {.t = t}};
        char name[64];
        double all = 0;
        run(&p, cases[i].arguments);
        const struct json_value *counters = json_member(p.data, "counters");
        for (const struct json_value *v = counters ? counters->first : NULL; v; v = v->next)
            if (str_starts_with(v->key, "sm.memory_slots.")) all += json_number(v);
        snprintf(name, sizeof name, "sm.memory_slots.%s", cases[i].level);
        CHECK(t, all > 0 && all == json_number(json_member(counters, "sm.slots.memory")));
        CHECK_MSG(t, json_number(json_member(counters, name)) >= cases[i].least * all,
                  "%s: %s has %g of %g slots", cases[i].arguments, cases[i].level,
                  json_number(json_member(counters, name)), all);
        const struct json_value *limits = json_member(p.data, "limits");
        const char *by = json_text(json_member(limits ? limits->first : NULL, "limited_by"));
        CHECK_MSG(t, str_equal(cases[i].level, "local") == (by && str_equal(by, "local memory")),
                  "%s: limited by %s", cases[i].arguments, by ? by : "nothing");
        forget(&p);
    }
}

// What-if runs with values leave the bytes of the plain run.
static void test_values(struct test *t)
{
    static const char divergent[] = "divergent --grid 56 --block 256 --arg buf=s32:65536:iota --arg "
                                    "buf=f32:65536:zero --arg s32=32 --dump 1=$D/out";
    static const char *const runs[][2] = {
        {divergent, "sim.no_divergence=1"},
        {divergent, "memory.perfect=1"},
        {divergent, "icache.perfect=1"},
        {"conflicts --grid 4,4 " MATRICES " --dump 2=$D/out", "sim.no_conflicts=1"},
        {"transpose --grid 8,8 " PICTURE " --dump 1=$D/out", "sim.no_scatter=1"},
        {"counted --grid 224 --block 256 --arg buf=s32:65536:iota --arg buf=s32:16:zero --dump 1=$D/out",
         "sim.no_atomics=1"},
    };
    for (size_t i = 0; i < TEST_COUNT(runs); i++) {
        char text[700], *bytes[2];
        double cycles[2];
        size_t length[2];
        for (int k = 0; k < 2; k++) {
            struct profiled p = {.cli = {.t = t}};
            snprintf(text, sizeof text, "%s%s%s", runs[i][0], k ? " --set " : "", k ? runs[i][1] : "");
            run(&p, text);
            cycles[k] = json_number(json_member(p.data, "cycles"));
            bytes[k] = cli_read(&p.cli, "out", &length[k]);
            forget(&p);
        }
        CHECK_MSG(t, cycles[1] < cycles[0], "%s: %g cycles, plain %g", runs[i][1], cycles[1], cycles[0]);
        CHECK_MSG(
            t, bytes[0] && bytes[1] && length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0,
            "%s: other bytes", runs[i][1]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

// Rule and line of every planted cost; the cycles of the what-if run differ from the cycles of the repaired kernel by at
// most 20 % of the planted kernel's. TEST_VERBOSE prints the cycles.
static void test_causes(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(causes); i++) {
        struct profiled p = {.cli = {.t = t}};
        profile(&p, "causes", causes[i].arguments);
        check_cost(t, &p, causes[i].arguments);
        check_first(t, &p, i);
        double before = cycles_of(&p), after = causes[i].work * run_cycles(t, causes[i].repaired),
               estimate = json_number(json_member(first_rule(&p), "cycles"));
        if (getenv("TEST_VERBOSE"))
            printf("%-28s %8.0f cycles, what if %8.0f, repaired %8.0f, apart %5.1f %%\n", causes[i].rule,
                   before, estimate, after, 100 * (estimate - after) / before);
        CHECK_MSG(t, after < 0.95 * before && fabs(estimate - after) <= 0.2 * before,
                  "%s: %.0f cycles, repaired %.0f, estimated %.0f", causes[i].arguments, before, after,
                  estimate);
        forget(&p);
    }
}

// Claims of more than 5 % without a run.
static void test_clean(struct test *t)
{
    static const char *const clean[][2] = {
        {"causes",
         "padded --grid 7,8 --block 32,32 --arg buf=f32:65536:rand:1 --arg buf=f32:65536:rand:2 --arg "
         "buf=f32:65536:zero --arg s32=224"},
        {"causes", "equal --grid 56 --block 256 --arg buf=f32:65536:zero --arg s32=400"},
        {"causes", "transpose_tiled --grid 8,8 " PICTURE},
        {"causes", "barriers_even --grid 28 --block 256 --arg buf=f32:65536:zero --arg s32=100"},
        {"causes", "literal_float --grid 56 --block 256 " FLOATS "--arg f32=1.5"},
        {"causes", "counted_once --grid 224 --block 256 --arg buf=s32:65536:iota --arg buf=s32:16:zero"},
        {"causes", "divided_fast --grid 56 --block 256 " FLOATS "--arg f32=1.5"},
        {"causes", "divergent_sorted --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=f32:65536:zero "
                   "--arg s32=32"},
        {"causes", "chase_shared --grid 56 --block 256 --arg buf=s32:65536:iota --arg buf=s32:65536:zero"},
        {"causes", SPILLED},
        {"limits", "stream --grid 1024 --block 256 --arg buf=f32:1048576:rand:1 --arg buf=f32:1048576:zero"},
        {"limits", "fmas --grid 56 --block 256 --arg buf=f32:57344:zero --arg f32=0.5"},
    };
    for (size_t i = 0; i < TEST_COUNT(clean); i++) {
        struct profiled p = {.cli = {.t = t}};
        profile(&p, clean[i][0], clean[i][1]);
        const struct json_value *rules = json_member(p.data, "rules");
        for (const struct json_value *r = rules ? rules->first : NULL; r; r = r->next) {
            const char *state = json_text(json_member(r, "state"));
            CHECK_MSG(t, str_equal(state, "measured") || json_number(json_member(r, "gain")) <= 0.05,
                      "%s: %s claims %g", clean[i][1], json_text(json_member(r, "name")),
                      json_number(json_member(r, "gain")));
        }
        forget(&p);
    }
}

// -- the page -------------------------------------------------------------------------------------------------------

// Members that differ between two runs of one launch, or between runs with and without samples.
static bool may_differ(const char *key)
{
    static const char *const keys[] = {"wall_seconds", "simulated_warp_instructions_per_second", "samples",
                                       "report.interval"};
    for (size_t i = 0; key && i < TEST_COUNT(keys); i++)
        if (str_equal(keys[i], key)) return true;
    return false;
}

static void check_equal(struct test *t, const struct json_value *a, const struct json_value *b)
{
    if (may_differ(a->key)) return;
    CHECK_MSG(t, a->type == b->type && (!a->text || !b->text || str_equal(a->text, b->text)), "%s: %s and %s",
              a->key ? a->key : "an element", a->text ? a->text : "-", b->text ? b->text : "-");
    const struct json_value *x = a->type >= JSON_ARRAY ? a->first : NULL,
                            *y = b->type >= JSON_ARRAY ? b->first : NULL;
    for (; x && y; x = x->next, y = y->next) check_equal(t, x, y);
    CHECK_MSG(t, !x && !y, "%s: unequal numbers of members", a->key ? a->key : "an element");
}

static double sum_of(const struct json_value *slots)
{
    double sum = 0;
    for (const struct json_value *v = slots ? slots->first : NULL; v; v = v->next) sum += json_number(v);
    return sum;
}

static double sum_of_rows(const struct json_value *rows)
{
    double sum = 0;
    for (const struct json_value *r = rows ? rows->first : NULL; r; r = r->next)
        sum += sum_of(json_member(r, "slots"));
    return sum;
}

// Slots of lines, of instructions with slots of no warp, and of SMs add up to the counters.
static void check_slots(struct test *t, const struct json_value *run)
{
    const struct json_value *account = json_member(run, "account"),
                            *kernel = json_member(account, "kernels")->first,
                            *counters = json_member(run, "counters");
    double counted = 0;
    for (const struct json_value *v = counters->first; v; v = v->next)
        if (str_starts_with(v->key, "sm.slots.")) counted += json_number(v);
    double none = json_number(json_member(counters, "sm.slots.no_warp"));
    CHECK(t, counted > 0);
    CHECK_EQ(t, sum_of(json_member(kernel, "slots")), counted);
    CHECK_EQ(t, sum_of_rows(json_member(kernel, "lines")), counted);
    CHECK_EQ(t, sum_of_rows(json_member(kernel, "instructions")) + none, counted);
    CHECK_EQ(t, sum_of_rows(json_member(account, "sms")), counted);
}

static const struct json_value *element_of(const struct json_value *list, size_t i)
{
    const struct json_value *v = list ? list->first : NULL;
    for (; v && i; i--) v = v->next;
    return v;
}

static size_t index_of(const struct json_value *list, const char *text)
{
    size_t i = 0;
    const struct json_value *v = list ? list->first : NULL;
    for (; v && !str_equal(json_text(v), text); v = v->next) i++;
    return i;
}

// The sum of a counter over the page's samples.
static double sum_of_samples(const struct json_value *run, const char *counter)
{
    double sum = 0;
    const struct json_value *series = json_member(run, "series"), *rows = json_member(series, "rows");
    size_t column = 3 + index_of(json_member(series, "names"), counter);
    for (const struct json_value *s = rows ? rows->first : NULL; s; s = s->next)
        sum += json_number(element_of(s, column));
    return sum;
}

// A row of the page, [pc, instruction, number of the lines, slots ...], is an instruction of the account.
static void check_row(struct test *t, const struct json_value *data, const struct json_value *kernel,
                      const struct json_value *row, const struct json_value *instruction)
{
    size_t lines = (size_t)json_number(element_of(row, 2)), n = 3;
    CHECK_EQ(t, json_number(element_of(row, 0)), json_number(json_member(instruction, "pc")));
    CHECK_STR(t, json_text(element_of(row, 1)), json_text(json_member(instruction, "instruction")));
    CHECK_STR(t, json_text(element_of(json_member(kernel, "texts"), lines)),
              json_text(json_member(instruction, "lines")));
    for (const struct json_value *s = json_member(data, "slots")->first; s; s = s->next, n++)
        CHECK_EQ(
            t, json_number(element_of(row, n)),
            json_number(json_member(json_member(instruction, "slots"), json_text(json_member(s, "name")))));
}

// The rows of the page's only kernel beside the account of `run`.
static void check_rows(struct test *t, const struct json_value *data, const struct json_value *run)
{
    const struct json_value *kernel = json_member(json_member(data, "run"), "kernels")->first,
                            *instructions = json_member(
                                json_member(json_member(run, "account"), "kernels")->first, "instructions"),
                            *row = json_member(kernel, "rows")->first, *i = instructions->first;
    CHECK(t, row && i);
    for (; row && i; row = row->next, i = i->next) check_row(t, data, kernel, row, i);
    CHECK(t, !row && !i);
}

// The page's data, in the arena.
static const struct json_value *page_data(struct test *t, char *page, struct arena *a)
{
    static const char open[] = "<script id=\"data\" type=\"application/json\">";
    char *start = strstr(page, open), *end = start ? strstr(start, "</script>") : NULL;
    const char *why = "none";
    size_t offset = 0;
    CHECK(t, start && end && !strstr(page, "@DATA@"));
    if (!start || !end) return NULL;
    start += strlen(open);
    const struct json_value *v = json_parse(start, (size_t)(end - start), a, &why, &offset);
    CHECK_MSG(t, v != NULL, "the data are no JSON at %zu: %s", offset, why);
    return v;
}

static void test_page(struct test *t)
{
    static const char arguments[] = "conflicts --grid 4,4 " MATRICES;
    struct profiled p = {.cli = {.t = t}};
    struct cli run = {.t = t};
    struct arena arena = {0};
    char text[600];
    const char *why;
    size_t length = 0, offset;
    profile(&p, "causes", arguments);
    char *page = cli_read(&p.cli, "p.html", &length);
    snprintf(text, sizeof text,
             "run tests/cli/causes.ptx --gpu gtx1080ti " SMALL "--quiet --json - --kernel %s", arguments);
    cli_run(&run, text);
    const struct json_value *plain = json_parse(run.out, strlen(run.out), &arena, &why, &offset),
                            *data = page ? page_data(t, page, &arena) : NULL;
    CHECK(t, plain && data && length < 2 << 20);
    if (plain && data) {
        const struct json_value *inside = json_member(data, "run");
        for (const struct json_value *m = p.data->first; m; m = m->next)
            if (!str_equal(m->key, "run")) check_equal(t, m, json_member(data, m->key));
        for (const struct json_value *m = plain->first; m; m = m->next) {
            if (may_differ(m->key)) continue;
            check_equal(t, m, json_member(json_member(p.data, "run"), m->key));
            if (!str_equal(m->key, "account")) check_equal(t, m, json_member(inside, m->key));
        }
        check_slots(t, plain);
        check_rows(t, data, plain);
        CHECK_EQ(t, sum_of_samples(inside, "sm.issue.issued"),
                 json_number(json_member(json_member(inside, "counters"), "sm.issue.issued")));
        CHECK_HAS(t, page, "sum += left[y][k] * right[x][k]; // bank conflicts");
    }
    // No request: no address but the name of SVG, no script, style or picture of another file.
    static const char svg[] = "://www.w3.org/2000/svg";
    for (char *at = page; at && (at = strstr(at, "://")) != NULL; at++)
        CHECK_MSG(t, str_starts_with(at, svg), "an address: %.40s", at);
    CHECK(t, page && !strstr(page, " src=") && !strstr(page, "fetch(") && !strstr(page, "import "));
    free(page);
    cli_fini(&run);
    arena_fini(&arena);
    forget(&p);
}

// -- the command ----------------------------------------------------------------------------------------------------

static void test_text(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "profile tests/cli/causes.ptx --gpu gtx1080ti " SMALL
                "--out $D/p.html --kernel transpose --grid 8,8 " PICTURE);
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "kernel transpose is limited by ");
    CHECK_HAS(t, c.out, "; without uncoalesced accesses it takes at most ");
    CHECK_HAS(t, c.out, "\nuncoalesced accesses  causes.cu:");
    CHECK_HAS(t, c.out, "\npage: ");
    CHECK_EQ(t, cli_files(&c), 1);
    cli_fini(&c);
}

static void test_script(struct test *t)
{
    static const char script[] = "load causes.ptx\nbuffer a f32:65536:zero\nlaunch equal 14 256 a s32=100\n"
                                 "launch chain 14 64 a f32=0.5 s32=100\n";
    struct cli c = {.t = t};
    size_t length;
    char *ptx = test_read_file(t, "tests/cli/causes.ptx", &length);
    cli_write(&c, "causes.ptx", ptx, length);
    free(ptx);
    cli_write(&c, "s.txt", script, sizeof script - 1);
    cli_run(&c, "profile --script $D/s.txt --gpu gtx1080ti " SMALL "--out $D/p.html --quiet --json -");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "\"kernel\": \"chain\"");
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    struct cli c = {.t = t};
    cli_expect(
        &c, "profile --kernel vecadd", 2,
        "error: profile needs a PTX file, CUDA C, or a RISC-V program; see `warpfold profile --help`\n");
    cli_expect(&c, "profile kernels/riscv/elf/VecAdd.elf", 2,
               "error: profile is for CUDA kernels; kernels/riscv/elf/VecAdd.elf is a RISC-V program\n");
    cli_run(&c, "profile tests/cli/causes.ptx --kernel equal --grid 4 --block 256 --arg buf=f32:64:zero "
                "--arg s32=4 --out "
                "$D/p.html");
    CHECK_EQ(t, c.status, 3); // out of bounds: no page
    CHECK_EQ(t, cli_files(&c), 0);
    cli_fini(&c);
}

// A bundled kernel: its source from the program, what-if runs that end where they gain nothing, and refusals.
static void test_bench(struct test *t)
{
    struct cli c = {.t = t};
    struct arena arena = {0};
    const char *why;
    size_t offset, runs = 0;
    cli_run(&c, "profile --bench imageDenoisingNLM --size small --quiet --json - --out $D/p.html");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    const struct json_value *data = json_parse(c.out, strlen(c.out), &arena, &why, &offset),
                            *list = json_member(data, "what_if");
    double base = json_number(json_member(json_member(data, "run"), "cycles"));
    for (const struct json_value *w = list ? list->first : NULL; w; w = w->next, runs++)
        CHECK_MSG(t, json_number(json_member(w, "cycles")) <= 1.02 * base, "%s: %g cycles, base %g",
                  json_text(json_member(w, "settings")), json_number(json_member(w, "cycles")), base);
    CHECK(t, runs && runs <= 4);
    CHECK_HAS(t, c.out, "denoise_nlm(");
    cli_expect(&c, "profile --bench vecadd --grid 4", 2,
               "error: --grid does not go with --bench: a bundled kernel has its own launches\n");
    cli_expect(&c, "profile tests/cli/causes.ptx --size small", 2, "error: --size goes with --bench\n");
    cli_run(&c, "profile --bench vecad");
    CHECK_HAS(t, c.err, "did you mean \"vecadd\"?");
    cli_fini(&c);
    arena_fini(&arena);
}

// The what-if run without divisions keeps an index by a remainder in the array.
static void test_remainders(struct test *t)
{
    struct profiled p = {.cli = {.t = t}};
    bool seen = false;
    profile(&p, "causes", "remainders --grid 14 --block 256 " FLOATS "--arg s32=65536");
    const struct json_value *rules = json_member(p.data, "rules");
    for (const struct json_value *r = rules ? rules->first : NULL; r; r = r->next) {
        CHECK_MSG(t, !str_equal(json_text(json_member(r, "state")), "failed"), "%s failed",
                  json_text(json_member(r, "name")));
        seen |= str_equal(json_text(json_member(r, "name")), "division") &&
                str_equal(json_text(json_member(r, "state")), "measured");
    }
    CHECK(t, seen);
    forget(&p);
}

// An earlier profile beside the profile of the repaired kernel, a line at a time: the planted line lost its slots, all
// lines add up to the accounts, and a file that is no profile is refused before the run.
static void test_beside(struct test *t)
{
    struct profiled before = {.cli = {.t = t}}, now = {.cli = {.t = t}};
    char line[32], arguments[400];
    profile(&before, "causes", "conflicts --grid 4,4 " MATRICES);
    double cycles = cycles_of(&before), sums[2] = {0};
    cli_write(&now.cli, "before.json", before.cli.out, strlen(before.cli.out));
    snprintf(arguments, sizeof arguments, "padded --grid 4,4 %s --beside $D/before.json", MATRICES);
    profile(&now, "causes", arguments);
    const struct json_value *beside = json_member(now.data, "beside"), *lines = json_member(beside, "lines"),
                            *first = lines ? lines->first : NULL, *slots = json_member(first, "slots");
    find_line(t, "bank conflicts", line);
    CHECK(t, json_number(json_member(beside, "cycles")->first) == cycles);
    CHECK(t, json_number(json_member(beside, "cycles")->first->next) == cycles_of(&now));
    CHECK_MSG(t, first && strstr(json_text(json_member(first, "lines")->first), line),
              "the first line is not %s", line);
    CHECK_MSG(t, slots && json_number(slots->first) > 4 * json_number(slots->first->next),
              "the planted line keeps its slots");
    for (const struct json_value *l = first; l; l = l->next) {
        sums[0] += json_number(json_member(l, "slots")->first);
        sums[1] += json_number(json_member(l, "slots")->first->next);
    }
    CHECK(t, sums[0] == json_number(json_member(beside, "slots")->first));
    CHECK(t, sums[1] == json_number(json_member(beside, "slots")->first->next));
    cli_run(&now.cli, "profile tests/cli/causes.ptx --kernel padded --grid 4,4 " MATRICES
                      " --beside tests/cli/causes.cu --out $D/p.html");
    CHECK_EQ(t, now.cli.status, 1);
    CHECK_HAS(t, now.cli.err, "--beside tests/cli/causes.cu: expected a value");
    forget(&before);
    forget(&now);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"causes", test_causes}, {"levels", test_levels},   {"values", test_values},
        {"clean", test_clean},   {"page", test_page},       {"text", test_text},
        {"script", test_script}, {"refused", test_refused}, {"remainders", test_remainders},
        {"beside", test_beside}, {"bench", test_bench}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
