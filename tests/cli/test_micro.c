// silicon/run-micro: simulated latencies of a card's units are within a seventh of published measurements. The h100's
// quantities are within a tenth of our own measurement, but for the quantities listed here.
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

// The quantities of the H100 which no key of the model has (silicon/h100/README.md, The model beside the card).
static bool is_far(const char *line)
{
    static const char *const far[] = {"int_add: rate",
                                      "int_bfe",
                                      "int_bfi: latency",
                                      "int_popc",
                                      "int_find",
                                      "float_compare: rate",
                                      "float_fma: rate",
                                      "lane_vote: rate",
                                      "lane_match",
                                      "half_fma",
                                      "special_sine: latency",
                                      "emulated_",
                                      "shared: atomic of one warp at stride 0",
                                      "shared: atomic of one warp at stride 32"};
    for (size_t i = 0; i < TEST_COUNT(far); i++)
        if (str_starts_with(line, "h100,") && strncmp(line + 5, far[i], strlen(far[i])) == 0) return true;
    return false;
}

// Checks the ratios of the h100's quantities with a word in the name; returns the number of checked quantities.
static unsigned check_h100(struct test *t, const char *of)
{
    struct cli c = {.t = t};
    struct strbuf command = {0};
    strbuf_printf(&command, "WARPFOLD=%s silicon/run-micro --csv --of=%s h100", test_binary(), of);
    c.status = test_command(command.text, 120, &c.out, &c.err);
    CHECK_EQ(t, c.status, 0);
    unsigned count = 0;
    for (char *line = strtok(c.out, "\n"); line; line = strtok(NULL, "\n")) {
        char *ratio = line;
        for (unsigned comma = 0; ratio && comma < 5; comma++) ratio = strchr(ratio + 1, ',');
        if (!ratio || !str_starts_with(line, "h100,") || is_far(line)) continue;
        double of_card = strtod(ratio + 1, NULL);
        CHECK_MSG(t, of_card > 0.895 && of_card < 1.105, "%s", line);
        count++;
    }
    strbuf_fini(&command);
    cli_fini(&c);
    return count;
}

static void test_h100(struct test *t)
{
    if (!test_has_tool("python3")) {
        test_skip_tool(t, "python3");
        return;
    }
    CHECK(t, check_h100(t, "_") >= 35);
    CHECK(t, check_h100(t, "shared:") >= 22);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"latencies", test_latencies}, {"h100", test_h100}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
