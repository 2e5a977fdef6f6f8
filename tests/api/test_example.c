// The example programs of the documentation, compiled by the command in their first lines, and run.
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_example(struct test *t, const char *name, const char *const *parts, size_t count)
{
    char command[10000], *out, *err;
    const char *compiler = getenv("CC"), *directory = test_directory(t);
    if (!compiler || !*compiler) compiler = "cc";
    // A sanitizer build of the library needs the sanitizer's runtime.
    const char *extra = strstr(test_binary(), "build-asan")   ? "-fsanitize=address,undefined"
                        : strstr(test_binary(), "build-tsan") ? "-fsanitize=thread"
                                                              : "";
    snprintf(command, sizeof command,
             "%s -std=c17 -Wall -Wextra -Werror %s -Isrc docs/examples/%s.c "
             "$(dirname %s)/libwarpfold.a "
             "-lm -pthread -o %s/%s && %s/%s",
             compiler, extra, name, test_binary(), directory, name, directory, name);
    CHECK_EQ(t, test_command(command, 60, &out, &err), 0);
    CHECK_STR(t, err, "");
    for (size_t k = 0; k < count; k++) CHECK_HAS(t, out, parts[k]);
    free(out);
    free(err);
}

static void test_saxpy(struct test *t)
{
    static const char *const parts[] = {"y[999] = 1998.5\n", " warp instructions on "};
    check_example(t, "saxpy", parts, TEST_COUNT(parts));
}

static void test_streams(struct test *t)
{
    static const char *const parts[] = {"launch 0: ", "launch 2: ", " cycles in all\n", "both[999] = 3996\n"};
    check_example(t, "streams", parts, TEST_COUNT(parts));
}

// Every header compiles alone, with the macros of the interpreter's builds (src/exec/rules.mk).
static void test_headers(struct test *t)
{
    char *err;
    int status = test_command("cd src && find . -name '*.h' | sort | while read -r h; do "
                              "echo \"#include \\\"$h\\\"\" | "
                              "${CC:-cc} -std=c17 -Wall -Wextra -Werror -D_GNU_SOURCE -DFAST_BITS=128 "
                              "-DFAST_LANES=32 -DFAST_NAME=test -I. "
                              "-fsyntax-only -x c - || exit 1; done",
                              60, NULL, &err);
    CHECK_MSG(t, status == 0, "%s", err);
    free(err);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"saxpy", test_saxpy}, {"streams", test_streams}, {"headers", test_headers}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
