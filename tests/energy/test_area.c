// Areas add up to what the text says, where its sums are right.
#include "energy/area.h"
#include "harness/test.h"

#include <math.h>
#include <string.h>

static double area_of(struct test *t, const char *name, double *paper)
{
    struct area a;
    for (size_t k = 0; area_at(k, &a); k++) {
        if (strcmp(a.name, name) != 0) continue;
        *paper = a.paper;
        return a.mm2;
    }
    test_fail(t, __FILE__, __LINE__, "no area of %s", name);
    return 0;
}

static void check(struct test *t, const char *name, double mm2, double printed)
{
    double paper = 0, got = area_of(t, name, &paper);
    CHECK_MSG(t, fabs(got - mm2) < 5e-7, "%s has %.6f mm2, not %.6f", name, got, mm2);
    CHECK_MSG(t, fabs(paper - printed) < 5e-7, "%s: the text prints %.6f, not %.6f", name, printed, paper);
}

static void test_sums(struct test *t)
{
    check(t, "SM with TLP cores, 16,384 registers", 11.823, 0);
    check(t, "SM with TLP cores", 11.823, 0);
    check(t, "SM with ILP cores", 12.964, 0); // 11.823 + 8 x 0.028 + 0.917
    check(t, "SM with ILP cores and 8,192 registers", 12.026, 0);
    check(t, "GPU-T: 40 SMs with TLP cores", 472.92, 472.92);
    check(t, "GPU-I: 36 SMs with ILP cores", 466.704, 466.704);
    check(t, "GPU-H: 20 and 18", 469.812, 467.812); // 20 x 11.823 is 236.46, not 234.46
    check(t, "30 SMs with TLP cores", 354.69, 0);
    check(t, "30 SMs with ILP cores and 8,192 registers", 360.78, 0);
    check(t, "15 and 15 of these", 357.735, 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sums", test_sums}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
