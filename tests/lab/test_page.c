// report.html: one file, whose data are what the database has, and which a browser draws without an error.
// web/test/report.mjs looks at it more closely (`make check-web`).
#include "base/json_read.h"
#include "base/str.h"
#include "lab/lab.h"

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
                                 "paper = DARSIE | MM = 1.3\n";

static char *make_page(struct cli *c, size_t *length)
{
    cli_write(c, "own.exp", experiment, strlen(experiment));
    cli_run(c, "reproduce $D/own.exp fig3b area --size small --out $D/out --quiet");
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
    char *page = cli_read(c, "out/report.html", length);
    CHECK(c->t, page != NULL);
    return page ? page : strdup("");
}

// Every number of the page stands in the database, and comes from runs that are there; a mean comes from
// those of its group.
static void check_traces(struct test *t, const struct json_value *page)
{
    sqlite3 *db = lab_open(t, "out");
    sqlite3_stmt *s = NULL;
    static const char sql[] = "SELECT 1 FROM points p WHERE experiment = ? AND gpu = ? AND profile = ? AND "
                              "category_order = ? AND series_order = ? "
                              "AND (value IS ?6 OR abs(value - ?6) < 1e-8) AND (run IN (SELECT id FROM runs) "
                              "AND (base IS NULL OR base IN "
                              "(SELECT id FROM runs)) OR category "
                              "LIKE '%MEAN%' AND 1 < (SELECT count(run) FROM points q WHERE q.experiment = "
                              "p.experiment AND q.gpu = p.gpu AND "
                              "q.profile = p.profile AND q.series_order = p.series_order))";
    CHECK_MSG(t, sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    unsigned points = 0;
    for (const struct json_value *f = json_member(page, "figures")->first; f; f = f->next)
        for (const struct json_value *v = json_member(f, "views")->first; v; v = v->next)
            for (const struct json_value *p = json_member(v, "points")->first; p; p = p->next, points++) {
                const struct json_value *value = json_member(p, "value");
                sqlite3_bind_text(s, 1, json_text(json_member(f, "name")), -1, SQLITE_STATIC);
                sqlite3_bind_text(s, 2, json_text(json_member(v, "gpu")), -1, SQLITE_STATIC);
                sqlite3_bind_text(s, 3, json_text(json_member(v, "profile")), -1, SQLITE_STATIC);
                sqlite3_bind_double(s, 4, json_number(json_member(p, "order")));
                sqlite3_bind_double(s, 5, json_number(json_member(p, "seriesOrder")));
                if (json_is_number(value))
                    sqlite3_bind_double(s, 6, json_number(value));
                else
                    sqlite3_bind_null(s, 6);
                CHECK_MSG(t, sqlite3_step(s) == SQLITE_ROW, "%s: %s of %s comes from no run",
                          json_text(json_member(f, "name")), json_text(json_member(p, "series")),
                          json_text(json_member(p, "category")));
                sqlite3_reset(s);
            }
    sqlite3_finalize(s);
    CHECK_EQ(t, points, (unsigned)lab_query(t, db, "SELECT count(*) FROM points"));
    sqlite3_close(db);
}

static void test_data(struct test *t)
{
    struct cli c = {.t = t};
    size_t length = 0, offset;
    const char *why;
    char *page = make_page(&c, &length);
    static const char open[] = "<script id=\"data\" type=\"application/json\">";
    char *start = strstr(page, open), *end = start ? strstr(start, "</script>") : NULL;
    CHECK(t, start && end && !strstr(page, "@DATA@"));
    if (!start || !end) return;
    start += strlen(open);
    struct arena a;
    arena_init(&a);
    const struct json_value *v = json_parse(start, (size_t)(end - start), &a, &why, &offset);
    CHECK_MSG(t, v != NULL, "the data are no JSON at %zu: %s", offset, why);
    const struct json_value *figures = json_member(v, "figures"), *own = figures ? figures->first : NULL;
    CHECK_STR(t, json_text(json_member(own, "title")), "</script> & \"quotes\" <b>");
    unsigned runs = 0, points = 0;
    for (const struct json_value *r = json_member(v, "runs")->first; r; r = r->next) {
        runs++;
        CHECK(t, json_text(json_member(r, "command")) != NULL);
        if (str_equal(json_text(json_member(r, "kind")), "bench"))
            CHECK(t, json_member(json_member(r, "slots"), "issued") &&
                         json_member(json_member(r, "energy"), "dram"));
    }
    CHECK_EQ(t, runs, 14); // 2 kernels, 2 views, 3 mechanisms; a study; a run for the area
    for (const struct json_value *view = json_member(own, "views")->first; view; view = view->next)
        for (const struct json_value *p = json_member(view, "points")->first; p; p = p->next, points++) {
            const char *run = json_text(json_member(p, "run"));
            CHECK(t, json_is_number(json_member(p, "value")));
            CHECK(t, !run || json_member(json_member(v, "runs"), run));
        }
    CHECK_EQ(t, points, 12); // with the means
    check_traces(t, v);
    arena_fini(&a);
    // Nothing is loaded: every address in the file is a name space or a licence's.
    for (const char *p = page; (p = strstr(p, "src=")) != NULL; p++)
        CHECK_MSG(t, !str_starts_with(p + 4, "\"http") && !str_starts_with(p + 4, "\"/"), "%.60s", p);
    CHECK(t, !strstr(page, "<link rel=\"stylesheet\""));
    free(page);
    cli_fini(&c);
}

// The template that becomes part of warpfold was built from the sources beside it (`make web`).
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

// Once drawn, the page says so; what goes wrong before leaves no mark.
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
    for (const char *p = out; (p = strstr(p, "<svg ")) != NULL; p++) drawings++;
    CHECK_MSG(t, drawings >= 4, "%u drawings", drawings); // the figure, stalls, energy twice
    CHECK_HAS(t, out, "&lt;/script&gt; &amp; \"quotes\" &lt;b&gt;</h2>");
    free(out);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"data", test_data}, {"built", test_built}, {"drawn", test_drawn}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
