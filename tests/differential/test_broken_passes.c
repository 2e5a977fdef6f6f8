// Tests the differential test: each pass of the optimiser, made wrong on purpose, is noticed within a
// thousand generated kernels. Fails when a broken pass goes unnoticed.
#include "harness/test.h"

#include "compile/compile.h"
#include "differential/differential.h"

#include <stdio.h>

static void test_each_pass(struct test *t)
{
    for (unsigned k = 0; compile_pass_name(k); k++) {
        struct finding found;
        char setting[80];
        snprintf(setting, sizeof setting, "compile.break=%s", compile_pass_name(k));
        struct hunt h = {
            .first = test_seed(1), .count = 1000, .only_variant = 0, .extra = setting, .stop_after = 1};
        bool caught = hunt(&h, &found, 1) == 1;
        if (caught)
            printf("  %s: caught by kernel %llu: %s\n", compile_pass_name(k),
                   (unsigned long long)(h.seeds_done + 1), verdict_name(found.verdict));
        CHECK_MSG(t, caught && found.verdict != INVALID, "%s broken: not noticed in %llu kernels",
                  compile_pass_name(k), (unsigned long long)h.programs);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"each pass", test_each_pass}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
