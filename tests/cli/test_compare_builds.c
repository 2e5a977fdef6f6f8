// tools/compare-builds: equal builds have no differences, and one changed latency is found and named.
#include "base/str.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Compares this build with a wrapper of it, `new` (a line of shell). kinds: cells to
// compare, words separated by |.
static void compare_builds(struct cli *c, const char *new, const char *kinds)
{
    struct strbuf text = {0};
    cli_fini(c);
    strbuf_printf(&text, "#!/bin/sh\n%s\n", new);
    cli_write(c, "new", text.text, text.length);
    strbuf_fini(&text);
    strbuf_printf(&text, "%s/new", test_directory(c->t));
    CHECK_EQ(c->t, chmod(text.text, 0755), 0);
    strbuf_fini(&text);
    strbuf_printf(&text, "tools/compare-builds %s %s/new -j 1 -n 100 -f '^tiny[.]base[.]sass[.](%s)$'",
                  test_binary(), test_directory(c->t), kinds);
    c->status = test_command(text.text, 120, &c->out, &c->err);
    strbuf_fini(&text);
}

static void test_equal(struct test *t)
{
    struct cli c = {.t = t};
    struct strbuf same = {0};
    strbuf_printf(&same, "exec %s \"$@\"", test_binary());
    compare_builds(&c, same.text, "nvcc|peers|streams|mixes");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, " figures of 16 results compared, 0 differ\n");
    CHECK_STR(t, c.err, "");
    strbuf_fini(&same);
    cli_fini(&c);
}

static void test_one_latency(struct test *t)
{
    struct cli c = {.t = t};
    struct strbuf slower = {0};
    strbuf_printf(&slower, "exec %s \"$@\" --set shared.latency=25", test_binary());
    compare_builds(&c, slower.text, "nvcc|peers|streams");
    CHECK_EQ(t, c.status, 4);
    CHECK_HAS(t, c.out, "tiny.base.sass.nvcc: workloads DCT8x8#1 cycles: ");
    CHECK_HAS(t, c.out, "tiny.base.sass.peers-matmul16: cycles: ");
    CHECK_HAS(t, c.out, "tiny.base.sass.streams-shared: cycles: ");
    strbuf_fini(&slower);
    cli_fini(&c);
}

// The bytes in a script's buffers are compared, too.
static void test_other_bytes(struct test *t)
{
    struct cli c = {.t = t};
    struct strbuf wrong = {0};
    strbuf_printf(
        &wrong,
        "%s \"$@\"\nstatus=$?\nfor word; do\n  case $word in left=*) printf x >>\"${word#left=}\" ;; "
        "esac\ndone\nexit $status",
        test_binary());
    compare_builds(&c, wrong.text, "streams");
    CHECK_EQ(t, c.status, 4);
    CHECK_HAS(t, c.out, "tiny.base.sass.streams-sums: bytes of buffers differ");
    CHECK_HAS(t, c.out, " compared, 2 differ");
    strbuf_fini(&wrong);
    cli_fini(&c);
}

// A build refusing a run or losing a result counts as a difference.
static void test_no_result(struct test *t)
{
    struct cli c = {.t = t};
    compare_builds(&c, "exit 3", "nvcc");
    CHECK_EQ(t, c.status, 4);
    CHECK_HAS(t, c.out, "tiny.base.sass.nvcc: exit status 0, now 3");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"equal", test_equal},
                                             {"one_latency", test_one_latency},
                                             {"other_bytes", test_other_bytes},
                                             {"no_result", test_no_result}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
