// JSON of a program's launches: status, fault, energy and counters. Fails where the
// launches do not add up to the run.
#include "base/arena.h"
#include "base/json_read.h"
#include "base/str.h"
#include "harness/files.h"
#include "riscv/bench.h"
#include "simtight/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The JSON of `warpfold run ARGUMENTS`, in the arena; NULL after a failed check.
static const struct json_value *run(struct test *t, const char *arguments, int status, struct arena *arena)
{
    struct strbuf line = {0};
    char *out = NULL, *err = NULL;
    const char *why = "";
    size_t offset;
    strbuf_printf(&line, "%s run %s --json -", test_binary(), arguments);
    int got = test_command(strbuf_text(&line), 120, &out, &err);
    CHECK_MSG(t, got == status, "%s: status %d: %s", strbuf_text(&line), got, err);
    const struct json_value *v = json_parse(out, strlen(out), arena, &why, &offset);
    CHECK_MSG(t, v, "%s: %s", arguments, why);
    strbuf_fini(&line);
    free(out);
    free(err);
    return v;
}

static bool is_most(const char *name)
{
    for (size_t k = 0; k < simtight_count_count; k++)
        if (str_equal(simtight_count_infos[k].name, name)) return simtight_count_infos[k].is_most;
    return false;
}

// A member over all launches: the sum, or the maximum for counters of maxima.
static double together(const struct json_value *launches, const char *object, const char *name)
{
    double sum = 0, most = 0;
    for (const struct json_value *l = launches->first; l; l = l->next) {
        double x = json_number(json_member(object ? json_member(l, object) : l, name));
        sum += x;
        most = x > most ? x : most;
    }
    return is_most(name) ? most : sum;
}

static void check_counters(struct test *t, const struct json_value *j, const struct json_value *launches)
{
    unsigned measured = 0;
    for (const struct json_value *c = json_member(j, "counters")->first; c; c = c->next) {
        measured += json_number(c) != 0;
        CHECK_MSG(t, json_number(c) == together(launches, "counters", c->key),
                  "%s: %.0f, and %.0f of launches", c->key, json_number(c),
                  together(launches, "counters", c->key));
    }
    CHECK_MSG(t, measured > 5, "%u counters", measured);
    for (const struct json_value *l = launches->first; l; l = l->next) {
        double executed = json_number(json_member(json_member(l, "counters"), "exec.warp_instructions"));
        CHECK(t, executed > 0 && executed == json_number(json_member(l, "warp_instructions")));
    }
}

static void test_members(struct test *t)
{
    static const char *const gpus[] = {"", " --gpu simtight-ads", " --gpu gtx1080ti"};
    for (size_t k = 0; k < TEST_COUNT(gpus); k++) {
        struct arena arena;
        struct strbuf arguments = {0};
        arena_init(&arena);
        strbuf_printf(&arguments, "kernels/riscv/elf/BitonicLa.elf --input 01%s", gpus[k]);
        const struct json_value *j = run(t, strbuf_text(&arguments), 0, &arena);
        const struct json_value *launches = json_member(j, "launches");
        unsigned count = 0;
        for (const struct json_value *l = launches ? launches->first : NULL; l; l = l->next, count++) {
            CHECK_STR(t, json_text(json_member(l, "status")), "ok");
            CHECK(t, json_member(l, "fault") && json_member(l, "energy") && json_member(l, "counters"));
        }
        CHECK_EQ(t, count, 3);
        if (count) check_counters(t, j, launches);
        double energy = json_number(json_member(json_member(j, "energy"), "total_pj"));
        CHECK_EQ(t, energy > 0, strstr(gpus[k], "gtx") != NULL);
        // JSON has nine digits: the total and each launch's energy are rounded by at most 5e-9 of themselves.
        CHECK(t, fabs(energy - together(launches, "energy", "total_pj")) <= 2 * 5e-9 * energy);
        strbuf_fini(&arguments);
        arena_fini(&arena);
    }
}

// A kernel ending with the failure command, and a kernel with a fault.
static void test_failing(struct test *t)
{
    for (int faults = 0; faults < 2; faults++) {
        struct maker m = {0};
        struct strbuf file = {0}, path = {0};
        struct arena arena;
        arena_init(&arena);
        bench_host(&m, false, 0);
        maker_put(&m, faults ? lw(A0, X0, 0) : addi(X0, X0, 0));
        maker_put(&m, csrwi(0x830, 1));
        maker_elf(&m, &file);
        strbuf_printf(&path, "%s/failed.elf", test_directory(t));
        test_write_file(t, strbuf_text(&path), file.text, file.length);
        const struct json_value *j = run(t, strbuf_text(&path), 3, &arena);
        const struct json_value *launch = json_member(j, "launches")->first;
        const char *fault = json_text(json_member(launch, "fault"));
        CHECK_STR(t, json_text(json_member(launch, "status")), "failed");
        CHECK_HAS(t, fault ? fault : "none", faults ? "out-of-bounds global read" : "none");
        strbuf_fini(&path);
        strbuf_fini(&file);
        arena_fini(&arena);
        maker_fini(&m);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"members", test_members}, {"failing", test_failing}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
