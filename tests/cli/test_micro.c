// silicon/run-micro: simulated latencies of a card's units are within a seventh of published measurements.
#include "base/str.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

// Checks lines `gpu,quantity,unit,ours,published,ratio,source` of one kind of unit; returns their number.
static unsigned check_latencies(struct test *t, const char *gpu, const char *of)
{
    struct cli c = {.t = t};
    struct strbuf command = {0};
    strbuf_printf(&command, "WARPFOLD=%s silicon/run-micro --csv --of=%s %s", test_binary(), of, gpu);
    c.status = test_command(command.text, 120, &c.out, &c.err);
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, c.err, "");
    unsigned count = 0;
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n")) {
        char *ratio = strstr(line, ": latency,cycles,");
        if (!ratio) continue;
        for (unsigned comma = 0; ratio && comma < 4; comma++) ratio = strchr(ratio + 1, ',');
        double of_published = ratio ? strtod(ratio + 1, NULL) : 0;
        CHECK_MSG(t, of_published > 6.0 / 7 && of_published < 7.0 / 6, "%s: %g of what was published", line,
                  of_published);
        count++;
    }
    strbuf_fini(&command);
    cli_fini(&c);
    return count;
}

static void test_latencies(struct test *t)
{
    if (!test_has_tool("python3")) {
        test_skip_tool(t, "python3");
        return;
    }
    CHECK(t, check_latencies(t, "gtx1080ti", "float_") >= 4);
    CHECK(t, check_latencies(t, "titanv", "double_") >= 3);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"latencies", test_latencies}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
