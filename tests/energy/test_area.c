// Areas add up to the text's figures, except for wrong sums in the text.
#include "chip/bench.h"
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
    check(t, "chapter 2: vector register file of 64 KB", 2.44, 0);
    check(t, "chapter 2: scalar register file of 128", 0.005, 0);
}

// Name of an SM's composition in the area table, from the settings.
static const char *sm_area(const struct gpu_config *c)
{
    bool is_ilp = c->bypass && c->dependences == DEPENDENCES_BOARD && c->board_entries == 8;
    if (is_ilp && c->registers == 8192) return "SM with ILP cores and 8,192 registers";
    if (is_ilp && c->registers == 16384) return "SM with ILP cores";
    bool is_tlp = !c->bypass && c->dependences == DEPENDENCES_SINGLE && c->registers == 16384;
    return is_tlp ? "SM with TLP cores" : "(an SM that the text does not have)";
}

// The areas of the bundled chips are sums over the chips' SMs.
static void test_chips(struct test *t)
{
    static const struct {
        const char *gpu, *area;
    } rows[] = {{"gpu-t", "GPU-T: 40 SMs with TLP cores"},
                {"gpu-i", "GPU-I: 36 SMs with ILP cores"},
                {"gpu-h", "GPU-H: 20 and 18"},
                {"gpu-t30", "30 SMs with TLP cores"},
                {"gpu-i30", "30 SMs with ILP cores and 8,192 registers"},
                {"gpu-h30", "15 and 15 of these"}};
    for (size_t n = 0; n < TEST_COUNT(rows); n++) {
        struct chip_config c;
        struct gpu_kind kinds[GPU_KINDS_MAX];
        double sum = 0, paper;
        gpu_settings(t, &c, rows[n].gpu, "");
        unsigned count = chip_kinds(&c, kinds);
        for (unsigned k = 0; k < count; k++)
            sum += kinds[k].count * area_of(t, sm_area(&kinds[k].config), &paper);
        double want = area_of(t, rows[n].area, &paper);
        CHECK_MSG(t, fabs(sum - want) < 5e-7, "%s: its SMs have %.6f mm2, not %.6f", rows[n].gpu, sum, want);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sums", test_sums}, {"chips", test_chips}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
