// The example program of the documentation, compiled as its first lines say and
// run.
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_saxpy(struct test *t)
{
    char command[10000], *out, *err;
    const char *compiler = getenv("CC"), *directory = test_directory(t);
    if (!compiler || !*compiler) compiler = "cc";
    // A sanitizer build of the library needs its runtime.
    const char *extra = strstr(test_binary(), "build-asan")   ? "-fsanitize=address,undefined"
                        : strstr(test_binary(), "build-tsan") ? "-fsanitize=thread"
                                                              : "";
    snprintf(command, sizeof command,
             "%s -std=c17 -Wall -Wextra -Werror %s -Isrc docs/examples/saxpy.c "
             "$(dirname %s)/libwarpfold.a "
             "-lm -pthread -o %s/saxpy && %s/saxpy",
             compiler, extra, test_binary(), directory, directory);
    CHECK_EQ(t, test_command(command, 60, &out, &err), 0);
    CHECK_STR(t, err, "");
    CHECK_HAS(t, out, "y[999] = 1998.5\n");
    CHECK_HAS(t, out, " warp instructions on ");
    free(out);
    free(err);
}

// Every header compiles alone. The macros are those of the interpreter's builds (src/exec/rules.mk).
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
    static const struct test_case cases[] = {{"saxpy", test_saxpy}, {"headers", test_headers}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
