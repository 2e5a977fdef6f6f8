// The text of a plan: read, printed again, refused for points no worker could finish. Also
// times in the words of --status.
#include "base/str.h"
#include "cluster/plan.h"
#include "cluster/status.h"
#include "harness/test.h"

#include <math.h>
#include <string.h>

#define HEAD  "warpfold plan 2\nbuild 2a982fea57114686\nhome /home/me\nfactor 3.000\nword --size=small\n"
#define FIRST "point 3e2a588bdd06374a bench 0.064200 bench bfs --gpu tiny\n"
#define OTHER "point a1fee2696674a805 mark 0.000000 mark kernels/vecadd.ptx\n"

static bool reads(const char *text)
{
    struct plan p;
    bool good = plan_read_text(&p, "/", text, strlen(text));
    plan_fini(&p);
    return good;
}

static void test_read(struct test *t)
{
    static const char text[] = HEAD FIRST OTHER "points 2\n";
    struct strbuf again = {0};
    struct plan p;
    uint32_t index = 9;
    CHECK(t, plan_read_text(&p, "/", text, sizeof text - 1));
    CHECK_EQ(t, p.points.count, 2);
    CHECK_STR(t, p.points.data[1].command, "mark kernels/vecadd.ptx");
    CHECK(t, strmap_get(&p.by_id, "a1fee2696674a805", 16, &index) && index == 1);
    plan_print(&p, &again);
    CHECK_STR(t, strbuf_text(&again), text);
    strbuf_fini(&again);
    plan_fini(&p);
    CHECK(t, reads(HEAD "points 0\n"));
}

// Half a plan, points without a possible token, two points of the same name, times below 0 or not finite.
static void test_refused(struct test *t)
{
    static const char *const texts[] = {
        "",
        "warpfold plan 1\n",
        HEAD,
        HEAD FIRST,
        HEAD FIRST "points 2\n",
        HEAD FIRST "points 1\nword late\n",
        HEAD FIRST FIRST "points 2\n",
        HEAD FIRST OTHER FIRST "points 3\n",
        HEAD "point 3e2a588bdd06374 bench 1 bench bfs\npoints 1\n",
        HEAD "point 3E2A588BDD06374A bench 1 bench bfs\npoints 1\n",
        HEAD "point ../../../../etc/ bench 1 bench bfs\npoints 1\n",
        HEAD "point 3e2a588bdd06374a bench nan bench bfs\npoints 1\n",
        HEAD "point 3e2a588bdd06374a bench inf bench bfs\npoints 1\n",
        HEAD "point 3e2a588bdd06374a bench -1 bench bfs\npoints 1\n",
        HEAD "point 3e2a588bdd06374a bench 1 \npoints 1\n",
        HEAD "point 3e2a588bdd06374a  1 bench bfs\npoints 1\n",
        HEAD "point 3e2a588bdd06374a bench 1\npoints 1\n",
        "warpfold plan 2\nbuild 2a982fea57114686\nhome /home/me\nfactor nan\npoints 0\n",
        "warpfold plan 2\nbuild 2a982fea57114686\nhome here\nfactor 3\npoints 0\n",
        "warpfold plan 2\nbuild 2a982fea57114686\nfactor 3\npoints 0\n",
        "warpfold plan 2\nhome /home/me\nfactor 3\npoints 0\n",
        "warpfold plan 2\nbuild 2a98\nhome /home/me\nfactor 3\npoints 0\n",
    };
    for (size_t i = 0; i < TEST_COUNT(texts); i++)
        CHECK_MSG(t, !reads(texts[i]), "read, not refused:\n%s", texts[i]);
}

static void test_time(struct test *t)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {{0, "0 s"},
                {-3, "0 s"},
                {59.9, "59 s"},
                {60, "1 min 00 s"},
                {7383, "2 h 03 min"},
                {NAN, "0 s"},
                {1e49, "277777777 h 46 min"},
                {INFINITY, "277777777 h 46 min"}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct strbuf out = {0};
        status_put_time(&out, rows[i].seconds);
        CHECK_STR(t, strbuf_text(&out), rows[i].text);
        strbuf_fini(&out);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"read", test_read}, {"refused", test_refused}, {"time", test_time}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
