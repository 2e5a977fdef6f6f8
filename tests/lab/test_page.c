// report.html: one file with the database's data, drawn by a browser without errors. Fails where a number of
// the page has no source in the database. web/test/report.mjs checks more (`make check-web`).
#include "base/json_read.h"
#include "base/str.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char experiment[] = "title = </script> & \"quotes\" <b>\n"
                                 "kind = runs\n"
                                 "show = bars\n"
                                 "measure = speedup\n"
                                 "kernels = matrixMul hotspot\n"
                                 "views = tiny/sass tiny/ptxplus\n"
                                 "series = DARSIE : darsie\n"
                                 "series = UV : uv\n"
                                 "series = one port : darsie:read-ports=1\n"
                                 "series = slow : base with issue.scheduler=lrr\n"
                                 "headline = DARSIE : runs {DARSIE | MM} times as fast\n"
                                 "claim = all : UV > 7\n"
                                 "claim = MM : one port ~ DARSIE within 100%\n"
                                 "paper = DARSIE | MM = 1.3\n";

static void check_near(struct test *t, double got, double want)
{
    CHECK_MSG(t, fabs(got - want) < 1e-4, "%g where %g is expected", got, want);
}

static char *make_page(struct cli *c, size_t *length)
{
    cli_write(c, "own.exp", experiment, strlen(experiment));
    cli_run(c, "reproduce $D/own.exp fig3b area --size small --out $D/out --quiet");
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
    char *page = cli_read(c, "out/report.html", length);
    CHECK(c->t, page != NULL);
    return page ? page : strdup("");
}

// The page's data, in the arena; NULL: no data, already reported as a failure.
static const struct json_value *parse_data(struct test *t, char *page, struct arena *a)
{
    static const char open[] = "<script id=\"data\" type=\"application/json\">";
    char *start = strstr(page, open), *end = start ? strstr(start, "</script>") : NULL;
    size_t offset = 0;
    const char *why = "none";
    CHECK(t, start && end && !strstr(page, "@DATA@"));
    if (!start || !end) return NULL;
    start += strlen(open);
    const struct json_value *v = json_parse(start, (size_t)(end - start), a, &why, &offset);
    CHECK_MSG(t, v != NULL, "the data are no JSON at %zu: %s", offset, why);
    return v;
}

static const struct json_value *element(const struct json_value *list, size_t i)
{
    const struct json_value *v = list ? list->first : NULL;
    for (; v && i; i--) v = v->next;
    return v;
}

// A value is [category, bar, series, value, text, paper, run, base], without trailing nulls.
enum { CATEGORY, BAR, SERIES, VALUE, TEXT, PAPER, RUN, BASE };
static size_t index_of(const struct json_value *value, size_t field)
{
    return (size_t)json_number(element(value, field));
}

static const char *name_of(const struct json_value *view, const char *names, const struct json_value *value,
                           size_t field)
{
    const struct json_value *name = element(json_member(view, names), index_of(value, field));
    return field == SERIES ? json_text(json_member(name, "name")) : json_text(name);
}

// Every number of the page is in the database and belongs to existing runs; a mean
// belongs to the runs of its group.
static void check_traces(struct test *t, const struct json_value *page)
{
    sqlite3 *db = lab_open(t, "out");
    sqlite3_stmt *s = NULL;
    static const char sql[] =
        "SELECT 1 FROM points p WHERE experiment = ? AND gpu = ? AND profile = ? AND "
        "category_order = ? AND series_order = ? "
        "AND (value IS ?6 OR abs(value - ?6) < 1e-8) AND run IS ?7 AND (run IN (SELECT id FROM runs) "
        "AND (base IS NULL OR base IN "
        "(SELECT id FROM runs)) OR category "
        "LIKE '%MEAN%' AND 1 < (SELECT count(run) FROM points q WHERE q.experiment = "
        "p.experiment AND q.gpu = p.gpu AND "
        "q.profile = p.profile AND q.series_order = p.series_order))";
    CHECK_MSG(t, sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    unsigned points = 0;
    for (const struct json_value *f = json_member(page, "figures")->first; f; f = f->next)
        for (const struct json_value *v = json_member(f, "views")->first; v; v = v->next)
            for (const struct json_value *p = json_member(v, "values")->first; p; p = p->next, points++) {
                const struct json_value *value = element(p, VALUE), *run = element(p, RUN);
                sqlite3_bind_text(s, 1, json_text(json_member(f, "name")), -1, SQLITE_STATIC);
                sqlite3_bind_text(s, 2, json_text(json_member(v, "gpu")), -1, SQLITE_STATIC);
                sqlite3_bind_text(s, 3, json_text(json_member(v, "profile")), -1, SQLITE_STATIC);
                sqlite3_bind_double(s, 4, json_number(element(p, CATEGORY)));
                sqlite3_bind_double(s, 5, json_number(element(p, SERIES)));
                if (json_is_number(value))
                    sqlite3_bind_double(s, 6, json_number(value));
                else
                    sqlite3_bind_null(s, 6);
                if (run)
                    sqlite3_bind_text(s, 7, json_text(run), -1, SQLITE_STATIC);
                else
                    sqlite3_bind_null(s, 7);
                CHECK_MSG(t, sqlite3_step(s) == SQLITE_ROW, "%s: %s of %s comes from no run",
                          json_text(json_member(f, "name")), name_of(v, "series", p, SERIES),
                          name_of(v, "categories", p, CATEGORY));
                sqlite3_reset(s);
            }
    sqlite3_finalize(s);
    CHECK_EQ(t, points, (unsigned)lab_query(t, db, "SELECT count(*) FROM points"));
    sqlite3_close(db);
}

// Runs appear in the order of the figures, and every view of a figure has values for all runs.
static void check_runs(struct test *t, const struct json_value *page, const struct json_value *own)
{
    unsigned runs = 0, points = 0;
    for (const struct json_value *r = json_member(page, "runs")->first; r; r = r->next, runs++)
        CHECK(t, json_text(json_member(r, "command")) != NULL);
    CHECK_EQ(t, runs, 22); // 2 kernels, 2 views, 5 mechanisms; a study; a run for the area
    CHECK_STR(t, json_text(json_member(json_member(page, "runs")->first, "tech")), "base");
    for (const struct json_value *view = json_member(own, "views")->first; view; view = view->next)
        for (const struct json_value *p = json_member(view, "values")->first; p; p = p->next, points++)
            CHECK(t, json_is_number(element(p, VALUE)));
    CHECK_EQ(t, points, 24); // means included
}

static void test_data(struct test *t)
{
    struct cli c = {.t = t};
    struct arena a;
    size_t length = 0;
    arena_init(&a);
    char *page = make_page(&c, &length);
    const struct json_value *v = parse_data(t, page, &a);
    const struct json_value *own = v ? json_member(v, "figures")->first : NULL;
    if (own) {
        CHECK_STR(t, json_text(json_member(own, "title")), "</script> & \"quotes\" <b>");
        check_runs(t, v, own);
        check_traces(t, v);
    }
    arena_fini(&a);
    // The page loads nothing: every address in the file is a name space or part of a licence.
    for (const char *p = page; (p = strstr(p, "src=")) != NULL; p++)
        CHECK_MSG(t, !str_starts_with(p + 4, "\"http") && !str_starts_with(p + 4, "\"/"), "%.60s", p);
    CHECK(t, !strstr(page, "<link rel=\"stylesheet\""));
    free(page);
    cli_fini(&c);
}

// The value for a kernel and a series in the first view of a figure.
static double value_at(const struct json_value *figure, const char *category, const char *series)
{
    const struct json_value *view = json_member(figure, "views")->first;
    for (const struct json_value *p = json_member(view, "values")->first; p; p = p->next)
        if (str_equal(name_of(view, "categories", p, CATEGORY), category) &&
            str_equal(name_of(view, "series", p, SERIES), series))
            return json_number(element(p, VALUE));
    return NAN;
}

// Views follow the order of the files. Every view reports results and expectations with its own values.
static void test_views(struct test *t)
{
    static const char *const profiles[] = {"volta", "ptxplus"};
    struct cli c = {.t = t};
    struct arena a;
    size_t length = 0, n = 0;
    arena_init(&a);
    char *page = make_page(&c, &length), text[40], expected[200];
    const struct json_value *v = parse_data(t, page, &a);
    const struct json_value *own = v ? json_member(v, "figures")->first : NULL;
    for (const struct json_value *view = own ? json_member(v, "views")->first : NULL; view;
         view = view->next, n++) {
        const struct json_value *said = json_member(view, "headline");
        if (n >= 2) break; // views of other experiments follow
        CHECK_STR(t, json_text(json_member(view, "gpu")), "tiny");
        CHECK_STR(t, json_text(json_member(view, "profile")), profiles[n]);
        CHECK_STR(t, json_text(json_member(element(said, 0), "words")), "DARSIE");
        CHECK_STR(t, json_text(json_member(element(said, 4), "paper")), "1.30");
        if (n) continue;
        snprintf(text, sizeof text, "%.2f", value_at(own, "MM", "DARSIE"));
        CHECK_STR(t, json_text(json_member(element(said, 3), "value")), text);
    }
    CHECK_MSG(t, n == 2, "%zu views", n);
    if (!own) return;
    CHECK_HAS(t, page, "All 21 outputs are verified against the CPU's.");
    snprintf(expected, sizeof expected, "MM: UV %.3f is not above 7.000; HS: UV %.3f is not above 7.000",
             value_at(own, "MM", "UV"), value_at(own, "HS", "UV"));
    CHECK_HAS(t, page, expected);
    CHECK_HAS(t, page, "{\"label\": \"MM\",\"name\": \"matrixMul\"");
    arena_fini(&a);
    free(page);
    cli_fini(&c);
}

// The height of a stacked bar in the first view.
static double height_at(const struct json_value *stacks, const char *category, const char *bar)
{
    const struct json_value *view = json_member(stacks, "views")->first;
    double height = 0;
    for (const struct json_value *p = json_member(view, "values")->first; p; p = p->next)
        if (str_equal(name_of(view, "categories", p, CATEGORY), category) &&
            str_equal(name_of(view, "bars", p, BAR), bar))
            height += json_number(element(p, VALUE));
    return height;
}

// Stacks of cycles and energy: every variant appears, as high as its time and energy relative to base.
static void test_costs(struct test *t)
{
    static const char *const variants[] = {"DARSIE", "UV", "one port", "slow"};
    struct cli c = {.t = t};
    struct arena a;
    size_t length = 0, cost = 0;
    arena_init(&a);
    char *page = make_page(&c, &length);
    const struct json_value *v = parse_data(t, page, &a);
    const struct json_value *own = v ? json_member(v, "figures")->first : NULL;
    sqlite3 *db = lab_open(t, "out");
    for (const struct json_value *costs = own ? json_member(v, "costs")->first : NULL; costs;
         costs = costs->next, cost++) {
        const struct json_value *stacks = costs->first;
        CHECK_MSG(t, stacks && !stacks->next, "stacks of one experiment are expected");
        if (!stacks) break;
        check_near(t, height_at(stacks, "MM", "base"), 1);
        check_near(t, height_at(stacks, "HS", "base"), 1);
        for (size_t i = 0; i < TEST_COUNT(variants); i++) {
            double height = height_at(stacks, "HS", variants[i]);
            CHECK_MSG(t, height > 0.1, "no %s in stack %zu", variants[i], cost);
            if (cost == 0) check_near(t, height * value_at(own, "HS", variants[i]), 1);
        }
        if (cost == 1)
            check_near(t, height_at(stacks, "MM", "DARSIE"),
                       lab_query(t, db,
                                 "SELECT r.energy_pj / b.energy_pj FROM runs r JOIN runs b ON b.tech = "
                                 "'base' AND b.settings = '' AND b.subject = r.subject AND b.gpu = r.gpu AND "
                                 "b.profile = r.profile WHERE r.tech = 'darsie' AND r.gpu = 'tiny' AND "
                                 "r.subject = 'matrixMul' AND r.profile = 'volta'"));
    }
    CHECK_EQ(t, cost, 3);
    sqlite3_close(db);
    arena_fini(&a);
    free(page);
    cli_fini(&c);
}

// For an experiment without a headline of its own, the page reports the highest and the lowest mean.
static void test_headline(struct test *t)
{
    struct cli c = {.t = t};
    struct arena a;
    struct strbuf said = {0};
    size_t length = 0;
    char expected[200];
    arena_init(&a);
    lab_write(&c, "plain.exp",
              "title = plain\nmeasure = speedup\nkernels = vecadd reduction\nviews = tiny/sass\n"
              "series = A : darsie\nseries = B : base with issue.scheduler=lrr\nseries = C : no-such\n");
    cli_run(&c, "reproduce $D/plain.exp --size small --out $D/out --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *page = cli_read(&c, "out/report.html", &length);
    const struct json_value *v = page ? parse_data(t, page, &a) : NULL;
    const struct json_value *pieces = v ? json_member(json_member(v, "views")->first, "headline") : NULL;
    for (const struct json_value *p = pieces ? pieces->first : NULL; p; p = p->next) {
        const char *words = json_text(json_member(p, "words"));
        strbuf_puts(&said, words ? words : json_text(json_member(p, "value")));
    }
    sqlite3 *db = lab_open(t, "out");
    double one = lab_query(t, db, "SELECT value FROM points WHERE category = 'GMEAN' AND series = 'A'"),
           other = lab_query(t, db, "SELECT value FROM points WHERE category = 'GMEAN' AND series = 'B'");
    snprintf(expected, sizeof expected,
             "Speedup over base, mean of 2 kernels (VA, reduction): %s %.2f, the highest of 2; %s %.2f, the "
             "lowest. All 6 "
             "outputs are "
             "verified against the CPU's. 2 runs were refused.",
             one > other ? "A" : "B", fmax(one, other), one > other ? "B" : "A", fmin(one, other));
    CHECK_STR(t, strbuf_text(&said), expected);
    sqlite3_close(db);
    strbuf_fini(&said);
    arena_fini(&a);
    free(page);
    cli_fini(&c);
}

// A headline names the kernels of its mean and, behind the number, inputs that leave the chip partly empty. The page says what
// the mechanisms of its series do.
static void test_named(struct test *t)
{
    struct cli c = {.t = t};
    struct arena a;
    struct strbuf said = {0};
    size_t length = 0;
    arena_init(&a);
    lab_write(&c, "named.exp",
              "title = named\nmeasure = speedup\nkernels = vecadd reduction\nviews = gtx1080ti/sass\n"
              "series = shared : darsie\nseries = B : uv:entries=8\n"
              "headline = Sharing : runs {shared | GMEAN} times as fast\n");
    cli_run(&c, "reproduce $D/named.exp --size small --out $D/out --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *page = cli_read(&c, "out/report.html", &length);
    const struct json_value *v = page ? parse_data(t, page, &a) : NULL;
    const struct json_value *pieces = v ? json_member(json_member(v, "views")->first, "headline") : NULL;
    for (const struct json_value *p = pieces ? pieces->first : NULL; p; p = p->next) {
        const char *words = json_text(json_member(p, "words"));
        strbuf_puts(&said, words ? words : "#");
    }
    CHECK_STR(t, strbuf_text(&said),
              "Sharing runs # (inputs too small: 2 of 2 kernels have fewer blocks than the chip holds) times "
              "as fast. "
              "The mean is of 2 kernels: VA, reduction. All 6 outputs are verified against the CPU's.");
    const struct json_value *named = v ? json_member(v, "mechanisms") : NULL;
    CHECK_STR(t, json_text(json_member(element(named, 0), "label")), "shared");
    CHECK_STR(t, json_text(json_member(element(named, 0), "name")), "darsie");
    CHECK_HAS(t, json_text(json_member(element(named, 1), "meaning")), " ");
    CHECK(t, !element(named, 2));
    strbuf_fini(&said);
    arena_fini(&a);
    free(page);
    cli_fini(&c);
}

// The template built into warpfold was made from the sources beside it (`make web`).
static void test_built(struct test *t)
{
    char *sum, *built, expected[100];
    CHECK_EQ(t,
             test_command("cd web && LC_ALL=C && export LC_ALL && cat index.html package-lock.json "
                          "vite.config.js src/* | sha256sum",
                          10, &sum, NULL),
             0);
    snprintf(expected, sizeof expected, "<meta name=\"sources\" content=\"%.64s\">", sum);
    CHECK_EQ(t, test_command("head -n 20 web/dist/report.html", 10, &built, NULL), 0);
    CHECK_MSG(t, strstr(built, expected) != NULL, "web/dist/report.html is out of date: make web");
    free(sum);
    free(built);
}

// The page sets a mark after drawing; an error before leaves no mark.
static void test_drawn(struct test *t)
{
    if (!test_has_tool("chromium")) {
        test_skip_tool(t, "chromium");
        return;
    }
    struct cli c = {.t = t};
    size_t length;
    char command[900], *out;
    free(make_page(&c, &length));
    const char *folder = test_directory(t);
    snprintf(command, sizeof command,
             "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
             "--disable-component-update --disable-sync --user-data-dir=%s/profile --dump-dom "
             "file://%s/out/report.html",
             folder, folder);
    int status = test_command(command, 60, &out, NULL);
    CHECK_EQ(t, status, 0);
    CHECK_HAS(t, out, "data-ready=\"yes\"");
    unsigned drawings = 0;
    for (const char *p = out; (p = strstr(p, "<div class=\"chart\"")) != NULL; p++) drawings++;
    CHECK_EQ(t, drawings, 4); // the figure, cycles, energy twice
    CHECK_HAS(t, out, "1 of 2 expectations did not come true:");
    CHECK_HAS(t, out, "&lt;/script&gt; &amp; \"quotes\" &lt;b&gt;</h2>");
    free(out);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"data", test_data},   {"views", test_views}, {"costs", test_costs}, {"headline", test_headline},
        {"named", test_named}, {"built", test_built}, {"drawn", test_drawn}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
