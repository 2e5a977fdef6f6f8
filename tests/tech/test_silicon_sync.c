// silicon-sync: programs that terminate still do, with the same bytes; no barrier is inserted behind a place
// where threads may wait for each other.
#include "base/str.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLES = 300000 }; // every program here ends within 10,000

// Runs a kernel of waits.ptx; the bytes of its output (heap).
static char *run(struct cli *c, const char *kernel, const char *tech, const char *settings, size_t *length)
{
    struct strbuf line = {0};
    strbuf_printf(&line,
                  "run tests/tech/programs/waits.ptx --kernel %s --grid 3 --block 64 --gpu tiny --tech %s %s "
                  "--max-cycles %d --arg buf=u32:64:zero --arg u32=5 --dump 0=$D/out --json $D/json --quiet",
                  kernel, tech, settings, CYCLES);
    cli_run(c, line.text);
    CHECK_MSG(c->t, c->status == 0, "%s, %s, %s: %s", kernel, tech, settings, c->err);
    strbuf_fini(&line);
    return cli_read(c, "out", length);
}

static long inserted(struct cli *c)
{
    size_t length;
    char *json = cli_read(c, "json", &length);
    long count = json ? strtol(cli_json(json, "silicon-sync.barriers"), NULL, 10) : -1;
    free(json);
    return count;
}

static const char *const settings[] = {"", "--set simt=stack", "--set compile.optimise=0",
                                       "--set compile.profile=ptxplus --set simt=stack"};

// Compares the bytes without and with the mechanism. Returns the number of
// barriers inserted with the first settings.
static long compare(struct test *t, const char *kernel)
{
    struct cli c = {.t = t};
    long first = 0;
    for (size_t s = 0; s < TEST_COUNT(settings); s++) {
        size_t length, with_length;
        char *without = run(&c, kernel, "base", settings[s], &length);
        char *with = run(&c, kernel, "silicon-sync", settings[s], &with_length);
        CHECK_MSG(t, without && with && length == with_length && memcmp(without, with, length) == 0,
                  "%s, %s: other bytes", kernel, settings[s]);
        if (s == 0) first = inserted(&c);
        free(without);
        free(with);
    }
    cli_fini(&c);
    return first;
}

static void test_early(struct test *t) { compare(t, "early"); }
static void test_one_way(struct test *t) { compare(t, "one_way"); }
static void test_trips(struct test *t) { compare(t, "trips"); }
static void test_flag(struct test *t) { compare(t, "flag"); }
static void test_turns(struct test *t) { compare(t, "turns"); }
static void test_called(struct test *t) { compare(t, "called"); }
// Three blocks of two warps go round a loop five times before the first wait.
static void test_work_first(struct test *t) { CHECK_EQ(t, compare(t, "work_first"), 3 * 2 * 5 + 3 * 2); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"early", test_early}, {"one_way", test_one_way}, {"trips", test_trips},          {"flag", test_flag},
        {"turns", test_turns}, {"called", test_called},   {"work_first", test_work_first}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
