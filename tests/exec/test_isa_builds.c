// isa_select.c refers to the builds of the fast forms that it is told of, and to no other (src/exec/rules.mk).
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const builds[] = {"portable_32", "portable_64", "avx2_32", "avx2_64", "avx512_32"};

// Compiles isa_select.c for the builds of bit set `set`, and compares the builds of undefined symbols with the set.
static void check_set(struct test *t, unsigned set)
{
    char command[4000], *out, *err;
    int n = snprintf(
        command, sizeof command,
        "${CC:-cc} -std=c17 -Wall -Wextra -Werror -D_GNU_SOURCE -Isrc -DFAST_X86=1 -DTILE_HAS_avx2=1");
    for (unsigned b = 0; b < TEST_COUNT(builds); b++)
        n += snprintf(command + n, sizeof command - (size_t)n, " -DFAST_HAS_%s=%u", builds[b], set >> b & 1);
    snprintf(command + n, sizeof command - (size_t)n,
             " -c -o %s/select.o src/exec/isa_select.c && nm -u %s/select.o", test_directory(t),
             test_directory(t));
    int status = test_command(command, 60, &out, &err);
    CHECK_MSG(t, status == 0, "%s", err);
    for (unsigned b = 0; b < TEST_COUNT(builds); b++) {
        char name[40];
        snprintf(name, sizeof name, "fast_integer_%s\n", builds[b]);
        CHECK_MSG(t, !strstr(out, name) == !(set >> b & 1), "builds %#x, %s", set, name);
        snprintf(name, sizeof name, "fast_loops_%s\n", builds[b]);
        CHECK_MSG(t, !strstr(out, name) == !(set >> b & 1), "builds %#x, %s", set, name);
    }
    free(out);
    free(err);
}

static void test_sets(struct test *t)
{
#if defined(__x86_64__)
    for (unsigned set = 0; set < 1u << TEST_COUNT(builds); set++) check_set(t, set);
#else
    test_skip(t, "the sets are of x86-64");
#endif
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sets", test_sets}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
