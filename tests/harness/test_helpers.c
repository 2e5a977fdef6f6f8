// The helpers of tests fail loudly: `test_helpers failing` runs cases that must fail, one for every helper,
// and the output must name what is wrong.
#include "base/str.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/files.h"
#include "harness/fixture.h"
#include "harness/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "MOV R1, 0x5\nIADD3 R2, R1, 0x1, RZ\nEXIT\n",
                  far_away[] = "MOV R2, 0x10\nMOV R3, RZ\nLDG.E R4, [R2]\nEXIT\n";

static void scene_counter_fails(struct test *t)
{
    struct scene s;
    const struct scene_plan plan = {.tech = "gscalar", .text = text, .block = {32}};
    if (scene_begin(&s, t, &plan)) scene_run(&s);
    if (!test_failed(t)) scene_counter(&s, "gscalar.scalars");
    scene_end(&s);
}

static void scene_used_fails(struct test *t)
{
    struct scene s;
    const struct scene_plan plan = {.tech = "gscalar", .text = text, .block = {32}};
    if (scene_begin(&s, t, &plan)) scene_run(&s);
    if (!test_failed(t)) CHECK_EQ(t, scene_counter_if_used(&s, "uv.reused"), 0); // holds
    if (!test_failed(t)) scene_counter_if_used(&s, "uv.reuse");
    scene_end(&s);
}

static void scene_table_fails(struct test *t)
{
    static const struct scene_row rows[] = {{"gscalar", "", text, 32, {2}}, {"gscalar", "", text, 32, {77}}};
    static const struct scene_table table = {.columns = {"scalar"}, .rows = rows, .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

static void scene_run_fails(struct test *t)
{
    struct scene s;
    const struct scene_plan plan = {.text = far_away, .block = {32}};
    if (scene_begin(&s, t, &plan)) scene_run(&s);
    scene_end(&s);
}

static void scene_begin_fails(struct test *t)
{
    struct scene s;
    const struct scene_plan plan = {.tech = "gscalar:colour=red", .text = text, .block = {32}};
    scene_begin(&s, t, &plan);
    CHECK_EQ(t, scene_run(&s), 0);
    scene_end(&s);
}

static void counter_fails(struct test *t)
{
    static const struct wf_counter list[] = {{.name = "exec.blocks", .value = 7}};
    if (counter_in(t, list, 1, "exec.blocks") == 7) counter_in(t, list, 1, "exec.block");
}

static void counter_index_fails(struct test *t) { counter_index(t, "exec.blockses"); }

static void file_fails(struct test *t) { free(test_read_file(t, "tests/no-such-file", NULL)); }

static void bundled_fails(struct test *t)
{
    struct wf_context *c = wf_context_create();
    bundled_run(t, c, "no-such-kernel", NULL, NULL);
    wf_context_destroy(c);
}

static void fixture_fails(struct test *t)
{
    struct fixture f = fixture_begin(t, "no-such-gpu", "", "tests/api/kernels.ptx", 0);
    fixture_end(&f);
}

static const struct test_case failing[] = {{"scene_counter", scene_counter_fails},
                                           {"scene_used", scene_used_fails},
                                           {"scene_table", scene_table_fails},
                                           {"scene_run", scene_run_fails},
                                           {"scene_begin", scene_begin_fails},
                                           {"counter", counter_fails},
                                           {"counter_index", counter_index_fails},
                                           {"file", file_fails},
                                           {"bundled", bundled_fails},
                                           {"fixture", fixture_fails}};

static void test_loud(struct test *t)
{
    static const char *const named[] = {"no counter gscalar.scalars",
                                        "no counter uv.reuse",
                                        "row 1, gscalar: scalar is 2, not 77",
                                        "out-of-bounds global read",
                                        "gscalar:colour=red is refused",
                                        "no counter exec.block\n",
                                        "no counter exec.blockses",
                                        "tests/no-such-file: ",
                                        "no bundled kernel no-such-kernel",
                                        "no-such-gpu"};
    char *out, *err, last[64];
    struct strbuf command = {0};
    const char *built = test_binary();
    strbuf_printf(&command, "%.*s/tests/harness/test_helpers failing", (int)(strrchr(built, '/') - built),
                  built);
    CHECK(t, test_command(strbuf_text(&command), 60, &out, &err) > 0);
    strbuf_fini(&command);
    for (size_t k = 0; k < TEST_COUNT(named); k++) CHECK_HAS(t, out, named[k]);
    snprintf(last, sizeof last, "0 passed, %zu failed, 0 skipped\n", TEST_COUNT(failing));
    CHECK_HAS(t, out, last);
    free(out);
    free(err);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"loud", test_loud}};
    if (argc == 2 && str_equal(argv[1], "failing")) return test_main(1, argv, failing, TEST_COUNT(failing));
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
