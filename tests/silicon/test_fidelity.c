// Figures of fidelity computed from runs with made-up results. Fails where a figure
// differs from a calculation by hand.
#include "lab/lab.h"
#include "silicon/fidelity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An L2 of 40 sectors: on the card, `all` reads 20 times as many. With 400 sectors,
// `mean` reads the L2's size once.
#define L2(SETS)                                                                                             \
    "\"config\": {\"memory.partitions\": 1, \"l2.slices\": 2, \"l2.sets\": " #SETS                           \
    ", \"l2.ways\": 5, \"memory.line_bytes\": 128}, "

static void check_near(struct test *t, double got, double want)
{
    CHECK_MSG(t, fabs(got - want) < 1e-9 || (isnan(got) && isnan(want)), "%.12g, not %.12g", got, want);
}

// -- means and correlations ---------------------------------------------------------------------------------

static void test_accuracy(struct test *t)
{
    const double ours[] = {1100, 1600, 4000}, theirs[] = {1000, 2000, 4000};
    struct accuracy a = accuracy_of(ours, theirs, 3);
    CHECK_EQ(t, a.count, 3);
    check_near(t, a.error, (0.1 + 0.2 + 0) / 3);
    check_near(t, a.bias, (0.1 - 0.2 + 0) / 3);
    check_near(t, a.ratio, cbrt(1.1 * 0.8 * 1));
    check_near(t, a.rank_correlation, 1);
    // Powers of two: logarithms 0 1 2 3 and 0 2 1 3 with means of 1.5: (2.25 - 0.25 - 0.25 + 2.25) / 5.
    const double x[] = {1, 2, 4, 8}, y[] = {1, 4, 2, 8};
    a = accuracy_of(x, y, 4);
    check_near(t, a.log_correlation, 0.8);
    check_near(t, a.rank_correlation, 0.8);
    // Equal values share ranks: 1.5 1.5 3 with 1 2 3: 1.5 / sqrt(1.5 * 2).
    const double tied[] = {5, 5, 9}, rising[] = {1, 2, 3};
    check_near(t, accuracy_of(tied, rising, 3).rank_correlation, 1.5 / sqrt(3));
    // Two values give no correlation, no values give no error, and equal values do not correlate.
    check_near(t, accuracy_of(ours, theirs, 2).log_correlation, NAN);
    check_near(t, accuracy_of(ours, theirs, 0).error, NAN);
    check_near(t, accuracy_of(tied, tied, 2).rank_correlation, NAN);
}

// t = core^-0.5 memory^-0.25 at powers of two; then a constant clock, both clocks in
// proportion, and a single point.
static void test_elasticity(struct test *t)
{
    const double core[] = {1, 2, 4, 1}, memory[] = {1, 1, 4, 16}, same[] = {3, 3, 3, 3};
    double time[4], of_core, of_memory;
    for (unsigned i = 0; i < 4; i++) time[i] = 7 * pow(core[i], -0.5) * pow(memory[i], -0.25);
    elasticity_fit(core, memory, time, 4, &of_core, &of_memory);
    check_near(t, of_core, -0.5);
    check_near(t, of_memory, -0.25);
    elasticity_fit(core, same, core, 4, &of_core, &of_memory);
    check_near(t, of_core, 1);
    check_near(t, of_memory, NAN);
    elasticity_fit(same, memory, core, 4, &of_core, &of_memory); // logarithms 0 1 2 0 on 0 0 2 4
    check_near(t, of_core, NAN);
    check_near(t, of_memory, -0.5 / 11);
    elasticity_fit(core, core, time, 4, &of_core, &of_memory);
    check_near(t, of_core, NAN);
    elasticity_fit(core, memory, time, 1, &of_core, &of_memory);
    check_near(t, of_core, NAN);
    check_near(t, of_memory, NAN);
}

// -- a list of points, and runs of them ---------------------------------------------------------------------

// Results of the runs of tests/silicon/list/points.csv, as a script's JSON. Of `last` the last launch counts;
// of `mean`, half of the two launches' sum.
static const struct {
    const char *point, *json;
} results[] = {
    {"all", "{\"status\": \"ok\", " L2(
                1) "\"elapsed_cycles\": 1100, \"cycles\": 1100, \"warp_instructions\": 600, "
                   "\"counters\": {\"dram.reads\": "
                   "1000, "
                   "\"dram.writes\": 80}, \"launches\": [{\"elapsed_cycles\": 600, \"cycles\": 600, "
                   "\"warp_instructions\": 300}, {\"elapsed_cycles\": 500, \"cycles\": 500, "
                   "\"warp_instructions\": 300}]}"},
    {"last",
     "{\"status\": \"ok\", \"elapsed_cycles\": 5600, \"cycles\": 5600, \"warp_instructions\": 900, "
     "\"counters\": {\"dram.reads\": 70}, "
     "\"launches\": [{\"elapsed_cycles\": 4000, \"cycles\": 4000, \"warp_instructions\": 600}, "
     "{\"elapsed_cycles\": 1600, \"cycles\": 1600, "
     "\"warp_instructions\": 300}], \"samples\": [{\"launch\": 0, \"from\": 0, \"to\": 4000, \"counters\": "
     "{\"memory.l2_read_sectors\": 7000}}, {\"launch\": 1, \"from\": 0, \"to\": 1600, \"counters\": "
     "{\"memory.l2_read_sectors\": 1100, \"memory.l2_write_sectors\": 550}}]}"},
    {"mean",
     "{\"status\": \"ok\", " L2(
         10) "\"elapsed_cycles\": 8000, \"cycles\": 8000, \"warp_instructions\": 1000, "
             "\"counters\": "
             "{\"dram.reads\": 600}, "
             "\"launches\": [{\"elapsed_cycles\": 5000, \"cycles\": 5000, \"warp_instructions\": 500}, "
             "{\"elapsed_cycles\": 3000, \"cycles\": 3000, "
             "\"warp_instructions\": 500}]}"},
    {"second", "{\"status\": \"ok\", \"elapsed_cycles\": 750, \"cycles\": 750, \"warp_instructions\": 130, "
               "\"counters\": {}, \"launches\": "
               "[{\"elapsed_cycles\": 750, \"cycles\": 750, \"warp_instructions\": 130}], \"limits\": "
               "[{\"limited_by\": \"barriers\"}, {\"limited_by\": \"issue slots\"}]}"},
    {"hidden", "{\"status\": \"ok\", \"elapsed_cycles\": 222, \"cycles\": 222, \"warp_instructions\": 10, "
               "\"counters\": {}, \"launches\": "
               "[{\"elapsed_cycles\": 222, \"cycles\": 222, \"warp_instructions\": 10}], \"limits\": "
               "[{\"limited_by\": \"issue slots\"}]}"},
    {"broken", "{\"status\": \"failed\", \"fault\": \"a fault\\nand more\", \"elapsed_cycles\": 5, "
               "\"cycles\": 5, \"launches\": []}"}};

struct scene {
    struct diag diag;
    struct points points;
    struct jobs jobs;
    struct database db;
    struct pool pool;
    struct fidelity fidelity;
    size_t runs[16];
};

static void add_result(struct test *t, struct scene *s, const struct job *job)
{
    struct arena a;
    const char *why;
    size_t offset;
    arena_init(&a);
    for (size_t i = 0; i < TEST_COUNT(results); i++)
        if (str_equal(results[i].point, job->subject)) {
            const struct json_value *v =
                json_parse(results[i].json, strlen(results[i].json), &a, &why, &offset);
            CHECK(t, v && database_add_run(&s->db, job, v));
        }
    if (str_equal(job->subject, "nowhere")) CHECK(t, database_add_refused(&s->db, job, "no GPU"));
    arena_fini(&a);
}

static void begin(struct test *t, struct scene *s, bool measure)
{
    char path[600];
    *s = (struct scene){0};
    diag_init(&s->diag);
    points_init(&s->points);
    jobs_init(&s->jobs);
    CHECK(t, points_add(&s->points, "tests/silicon/list/points.csv", &s->diag));
    if (measure) CHECK(t, points_measure(&s->points, "tests/silicon/list/measurements", &s->diag));
    snprintf(path, sizeof path, "%s/%s.db", test_directory(t), measure ? "measured" : "plain");
    CHECK(t, database_open(&s->db, path, "test", &s->diag));
    for (size_t i = 0; i < s->points.list.count; i++) {
        const struct point *p = &s->points.list.data[i];
        const struct job_script script = {.subject = p->name,
                                          .path = "script",
                                          .gpu = p->card,
                                          .settings = p->settings,
                                          .more = "",
                                          .silent = "",
                                          .hash = i,
                                          .left_out = p->left_out};
        s->runs[i] = jobs_script(&s->jobs, &script);
        add_result(t, s, &s->jobs.list.data[s->runs[i]]);
    }
    CHECK(t, fidelity_make(&s->fidelity, &s->points, s->runs, &s->jobs, &s->pool, &s->db));
    CHECK(t, fidelity_store(&s->fidelity, &s->db));
    CHECK_MSG(t, !s->diag.messages.count, "%s", s->diag.messages.count ? s->diag.messages.data[0].text : "");
}

static void end(struct scene *s)
{
    fidelity_fini(&s->fidelity);
    database_close(&s->db);
    jobs_fini(&s->jobs);
    points_fini(&s->points);
    diag_fini(&s->diag);
}

static const struct fidelity_group *group(struct test *t, const struct scene *s, enum point_set set,
                                          const char *card, const char *class)
{
    for (size_t i = 0; i < s->fidelity.groups.count; i++) {
        const struct fidelity_group *g = &s->fidelity.groups.data[i];
        bool same_card = g->card && card ? str_equal(g->card, card) : g->card == card;
        if (g->set == set && same_card &&
            (g->class && class ? str_equal(g->class, class) : g->class == class))
            return g;
    }
    CHECK_MSG(t, false, "no group of %s %s", card ? card : "all", class ? class : "all");
    abort();
}

// Cycles: card 1000 2000 4000, simulated 1100 1600 4000. Instructions: 600 400 500 and 600 300 500. DRAM
// sectors, where both are known: 900 and 1080. L2 sectors of `last`: 1500 and 1650.
static void test_groups(struct test *t)
{
    struct scene s;
    begin(t, &s, false);
    const struct fidelity_group *g = group(t, &s, POINT_TUNING, NULL, NULL);
    CHECK_EQ(t, g->points, 3);
    CHECK_EQ(t, g->cycles.count, 3);
    check_near(t, g->cycles.error, 0.1);
    check_near(t, g->cycles.bias, -0.1 / 3);
    check_near(t, g->cycles.rank_correlation, 1);
    check_near(t, g->instructions.ratio, cbrt(1 * 0.75 * 1));
    check_near(t, g->dram, 1080.0 / 900 - 1);
    check_near(t, g->l2, 1650.0 / 1500 - 1);
    g = group(t, &s, POINT_TUNING, "tiny", "memory");
    check_near(t, g->cycles.error, 0.15);
    check_near(t, g->cycles.bias, -0.05);
    // `hidden` has no measurement and `broken` no run; both count as points.
    g = group(t, &s, POINT_SECOND, "tiny", NULL);
    CHECK_EQ(t, g->points, 3);
    CHECK_EQ(t, g->cycles.count, 1);
    check_near(t, g->cycles.error, 0.5);
    check_near(t, g->instructions.ratio, 1.3);
    CHECK_EQ(t, group(t, &s, POINT_SECOND, NULL, NULL)->points, 4);
    CHECK_EQ(t, group(t, &s, POINT_SECOND, "no-such-gpu", NULL)->cycles.count, 0);
    CHECK_EQ(t, s.fidelity.rivals.count, 0);
    end(&s);
    begin(t, &s, true); // the card's 333 cycles of `hidden`, and 444 of another simulator
    g = group(t, &s, POINT_SECOND, "tiny", NULL);
    CHECK_EQ(t, g->cycles.count, 2);
    check_near(t, g->cycles.error, (0.5 + 1.0 / 3) / 2);
    CHECK_EQ(t, s.fidelity.rivals.count, 1);
    check_near(t, s.fidelity.rivals.data[0].theirs.error, 1.0 / 3);
    check_near(t, s.fidelity.rivals.data[0].ours.bias, -1.0 / 3);
    end(&s);
}

// `all`, of class memory: 1,080 simulated sectors for 900 on the card, with an L2 of 40. `last` has no DRAM
// sectors, and `mean` is of another class.
static void test_streams(struct test *t)
{
    struct scene s;
    begin(t, &s, false);
    const struct fidelity_row *rows = s.fidelity.rows.data;
    CHECK_EQ(t, s.fidelity.streams.count, 1);
    const struct fidelity_stream *stream = &s.fidelity.streams.data[0];
    CHECK(t, stream->set == POINT_TUNING && str_equal(stream->card, "tiny"));
    CHECK_EQ(t, stream->count, 1);
    CHECK_EQ(t, stream->within, 0);
    check_near(t, stream->error, 0.2);
    check_near(t, stream->bias, 0.2);
    check_near(t, rows[0].l2_sectors, 40);
    check_near(t, fidelity_l2s_moved(&rows[0]), 20);
    check_near(t, rows[1].l2_sectors, NAN); // its result has no configuration of the GPU
    check_near(t, rows[2].l2_sectors, 400);
    CHECK(t, fidelity_is_stream(&rows[0]) && !fidelity_is_stream(&rows[1]) && !fidelity_is_stream(&rows[2]));
    end(&s);
}

static void test_texts(struct test *t)
{
    struct scene s;
    struct strbuf out = {0};
    begin(t, &s, true);
    fidelity_table(&s.fidelity, false, &out);
    strbuf_puts(&out, "\n-- Markdown --\n");
    fidelity_markdown(&s.fidelity, &out);
    strbuf_puts(&out, "\n-- launches --\n");
    fidelity_launches_markdown(&s.fidelity, &out);
    strbuf_puts(&out, "\n-- plot --\n");
    fidelity_plot(&s.fidelity, &out);
    strbuf_puts(&out, "\n-- report/measured.def --\n");
    fidelity_measured(&s.fidelity, &out);
    CHECK_GOLDEN(t, "tests/silicon/fidelity.golden", out.text);
    strbuf_clear(&out);
    fidelity_csv(&s.fidelity, &out);
    CHECK_HAS(t, out.text, ",,,-0.2,1600,2000,300,400,0,,0,,1100,1000,550,500\n");
    CHECK_HAS(t, out.text, ",failed: a fault,,,,700,,,,,,,,,,\n");
    strbuf_fini(&out);
    end(&s);
}

static void test_rows(struct test *t)
{
    struct scene s;
    begin(t, &s, true);
    static const struct {
        const char *sql;
        double value;
    } rows[] = {
        {"SELECT count(*) FROM silicon", 7},
        {"SELECT cycles FROM silicon WHERE point = 'last'", 1600},
        {"SELECT cycles FROM silicon WHERE point = 'mean'", 4000},
        {"SELECT dram_reads FROM silicon WHERE point = 'mean'", 300},
        {"SELECT l2_reads FROM silicon WHERE point = 'last'", 1100},
        {"SELECT avg(abs(cycles / card_cycles - 1)) FROM silicon WHERE chosen = 'tuning'", 0.1},
        {"SELECT card_cycles FROM silicon WHERE point = 'hidden'", 333},
        {"SELECT count(*) FROM silicon WHERE trouble = 'failed: a fault' OR trouble = 'refused: no GPU'", 2}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
        check_near(t, lab_query(t, s.db.handle, rows[i].sql), rows[i].value);
    end(&s);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"accuracy", test_accuracy}, {"elasticity", test_elasticity},
                                             {"groups", test_groups},     {"streams", test_streams},
                                             {"texts", test_texts},       {"rows", test_rows}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
