// The mechanism that docs/adding-a-mechanism.md shows, added as the page says: a folder and a row.
#include "base/file.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The page's block that begins with the given fence, to a file.
static void extract(struct test *t, const char *page, const char *fence, const char *path, const char *before)
{
    const char *start = strstr(page, fence), *why = "";
    const char *end = start ? strstr(start + strlen(fence), "```") : NULL;
    CHECK_MSG(t, end != NULL, "the page has no %s", fence);
    if (!end) return;
    start += strlen(fence);
    char *text = NULL;
    int length = asprintf(&text, "%s%.*s", before, (int)(end - start), start);
    CHECK_MSG(t, length > 0 && file_write(path, text, (size_t)length, &why), "%s: %s", path, why);
    free(text);
}

// Builds the command with the mechanism: its registry stands in front of the library's.
static void build(struct test *t, const char *directory)
{
    char command[8000], *err;
    const char *extra = strstr(test_binary(), "build-asan")   ? "-fsanitize=address,undefined"
                        : strstr(test_binary(), "build-tsan") ? "-fsanitize=thread"
                                                              : "";
    snprintf(command, sizeof command,
             "D=%s; B=$(dirname %s); "
             "L=$(echo '#include <sqlite3.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 && echo -lsqlite3); "
             "${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion "
             "-Werror %s -I$D -Isrc $D/parted.c src/tech/registry.c $B/src/cli/main.o $B/libwarpfold.a -lm "
             "$L -pthread -o $D/warpfold",
             directory, test_binary(), extra);
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

static void test_parted(struct test *t)
{
    const char *directory = test_directory(t), *why = "";
    char path[4000], *page = NULL, *rows = NULL;
    size_t length;
    CHECK(t, file_read("docs/adding-a-mechanism.md", &page, &length, &why));
    CHECK(t, file_read("src/tech/registry.def", &rows, &length, &why));
    snprintf(path, sizeof path, "%s/parted.c", directory);
    extract(t, page, "```c\n", path, "");
    snprintf(path, sizeof path, "mkdir -p %s/tech", directory);
    CHECK_EQ(t, test_command(path, 10, NULL, NULL), 0);
    snprintf(path, sizeof path, "%s/tech/registry.def", directory);
    extract(t, page, "```def\n", path, rows);
    build(t, directory);
    CHECK_EQ(t, counted(t, directory, "vecadd"), 0); // whole warps throughout
    CHECK(t, counted(t, directory, "nqueens") > 1000);
    free(page);
    free(rows);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"parted", test_parted}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
