// The mechanism, the scheduler and the grid policy shown by docs/tutorial/mechanism.md, docs/howto/add-a-scheduler.md and add-a-grid-policy.md,
// added as the pages say: a file and a row.
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the page's code block that begins with the given fence to a file.
static void extract(struct test *t, const char *page, const char *fence, const char *path, const char *before)
{
    const char *start = strstr(page, fence);
    const char *end = start ? strstr(start + strlen(fence), "```") : NULL;
    CHECK_MSG(t, end != NULL, "the page has no %s", fence);
    if (!end) return;
    start += strlen(fence);
    char *text = NULL;
    int length = asprintf(&text, "%s%.*s", before, (int)(end - start), start);
    CHECK(t, length > 0);
    test_write_text(t, path, text);
    free(text);
}

// Builds the command with `sources` in front of the library's.
static void build(struct test *t, const char *directory, const char *sources)
{
    char command[8000], *err;
    const char *extra = strstr(test_binary(), "build-asan")   ? "-fsanitize=address,undefined"
                        : strstr(test_binary(), "build-tsan") ? "-fsanitize=thread"
                                                              : "";
    snprintf(command, sizeof command,
             "D=%s; B=$(dirname %s); "
             "L=$(echo '#include <sqlite3.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 && echo -lsqlite3); "
             "${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion "
             "-Werror %s -I$D -Isrc %s $B/src/cli/main.o $B/libwarpfold.a -lm "
             "$L -pthread -o $D/warpfold",
             directory, test_binary(), extra, sources);
    CHECK_EQ(t, test_command(command, 120, NULL, &err), 0);
    CHECK_STR(t, err, "");
    free(err);
}

static unsigned long long counted(struct test *t, const char *directory, const char *workload)
{
    char command[4000], *out, *at;
    snprintf(command, sizeof command, "%s/warpfold bench %s --size small --gpu tiny --tech parted --json -",
             directory, workload);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"parted.instructions\": ");
    CHECK_MSG(t, at != NULL, "%s: no counter", workload);
    unsigned long long n = at ? strtoull(at + 23, NULL, 10) : 0;
    free(out);
    return n;
}

// Extracts a page's file, adds its row at the end of a table, and builds the command with both.
static void add(struct test *t, const char *page_path, const char *file, const char *table,
                const char *sources)
{
    const char *directory = test_directory(t);
    char path[4000];
    snprintf(path, sizeof path, "src/%s", table);
    char *page = test_read_file(t, page_path, NULL), *rows = test_read_file(t, path, NULL);
    snprintf(path, sizeof path, "%s/%s", directory, file);
    extract(t, page, "```c\n", path, "");
    snprintf(path, sizeof path, "mkdir -p $(dirname %s/%s)", directory, table);
    CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
    snprintf(path, sizeof path, "%s/%s", directory, table);
    extract(t, page, "```def\n", path, rows);
    build(t, directory, sources);
    free(page);
    free(rows);
}

static void test_parted(struct test *t)
{
    add(t, "docs/tutorial/mechanism.md", "parted.c", "tech/registry.def", "$D/parted.c src/tech/registry.c");
    CHECK_EQ(t, counted(t, test_directory(t), "vecadd"), 0); // whole warps throughout
    CHECK(t, counted(t, test_directory(t), "nqueens") > 1000);
}

static uint64_t cycles(struct test *t, const char *scheduler)
{
    char command[4000], *out, *at;
    snprintf(command, sizeof command,
             "%s/warpfold bench hotspot --size small --gpu tiny --set issue.scheduler=%s --json -",
             test_directory(t), scheduler);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"cycles\": ");
    uint64_t n = at ? strtoull(at + 10, NULL, 10) : 0;
    free(out);
    return n;
}

static void test_youngest(struct test *t)
{
    add(t, "docs/howto/add-a-scheduler.md", "youngest.c", "sm/issue/pick.def",
        "$D/youngest.c src/sm/issue/pick/pick.c src/sm/config.c");
    uint64_t youngest = cycles(t, "youngest");
    CHECK(t, youngest && youngest != cycles(t, "gto") && youngest != cycles(t, "lrr"));
}

// Two launches in separate streams, the second shorter: true if the second ends first, by start and cycles.
static bool second_is_first(struct test *t, const char *policy)
{
    char command[4000], *out, *at;
    uint64_t cycles[2] = {0};
    snprintf(command, sizeof command,
             "cd %s && printf 'load %s/kernels/ptx/nvcc/vecadd.ptx\\nbuffer a f32:65536:iota\\nstream "
             "x\\nstream y\\n"
             "launch vecadd 256 256 a a a s32=65536 stream=x\\nlaunch vecadd 8 256 a a a s32=0 stream=y\\n' "
             "> two.wf && "
             "./warpfold run --script two.wf --gpu tiny --set gpu.dispatch=%s --json -",
             test_directory(t), getenv("PWD"), policy);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    at = strstr(out, "\"launches\": [");
    for (unsigned k = 0; k < 2 && at; k++) {
        at = strstr(at, "\"cycles\": ");
        cycles[k] = at ? strtoull(at += 10, NULL, 10) : 0;
    }
    CHECK_MSG(t, cycles[0] && cycles[1], "%s", out);
    free(out);
    return cycles[1] < cycles[0] / 2;
}

static void test_shortest(struct test *t)
{
    add(t, "docs/howto/add-a-grid-policy.md", "shortest.c", "chip/dispatch.def",
        "$D/shortest.c src/chip/dispatch.c src/chip/config.c");
    CHECK(t, second_is_first(t, "shortest"));
    CHECK(t, !second_is_first(t, "oldest"));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"parted", test_parted}, {"youngest", test_youngest}, {"shortest", test_shortest}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
