// Recall of the marks on RISC-V programs: the study `marks` over the bundled programs. Arguments are
// loads, or constants of the launch, or constants with known thread indices. Writes
// docs/explanation/riscv-marks.md (UPDATE_GOLDEN=1). Fails where a marked execution differs from its corresponding
// execution in the study's ghosts, or where knowing more catches less. Random programs run under the
// same settings and must print the same text.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"
#include "riscv/programs.h"
#include "riscv/random.h"
#include "study/tables.h"

#include <stdio.h>

struct setting {
    const char *closure, *hart;
};
static const struct setting settings[] = {{"loads", "0"}, {"constants", "0"}, {"constants", "1"}};
enum { SETTINGS = sizeof settings / sizeof settings[0], KERNELS_MAX = 8 };

struct figures { // of a kernel
    char name[64];
    double executions, repeated, caught;
};

static unsigned watch(struct test *t, const char *elf, const struct setting *with, struct figures *out)
{
    char path[128];
    unsigned count = 0;
    struct wf_study *s = wf_study_create("marks");
    struct wf_context *c = wf_context_create();
    struct wf_program_config config = {0};
    struct wf_program_stats stats;
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    CHECK(t, wf_gpu(c, NULL) == WF_OK && wf_set(c, "riscv.closure", with->closure) == WF_OK &&
                 wf_set(c, "mark.hart", with->hart) == WF_OK && wf_set_study(c, s) == WF_OK);
    struct wf_module *m = wf_module_load_file(c, path);
    bool good = m && wf_program_run(m, &config, &stats) == WF_OK;
    CHECK_MSG(t, good, "%s: %s", elf, wf_errors(c));
    const struct wf_study_results *r = wf_study_report(s);
    CHECK_MSG(t, r->status == WF_OK, "%s: %s", elf, r->failure_count ? r->failures[0] : "");
    const struct wf_table *kernels = tables_find(r, "kernels");
    for (size_t row = 0; kernels && row < kernels->row_count && count < KERNELS_MAX; row++) {
        struct figures *f = &out[count++];
        snprintf(f->name, sizeof f->name, "%s", tables_text(kernels, row, "kernel"));
        f->executions = (double)tables_cell(kernels, row, "executions")->count;
        f->repeated = tables_share(kernels, row, "repeated");
        f->caught = tables_share(kernels, row, "caught");
    }
    wf_context_destroy(c);
    wf_study_destroy(s);
    return count;
}

struct page {
    struct strbuf *out;
    double repeated, caught[SETTINGS], programs; // sums of shares over kernels
};

static void add_program(struct test *t, const char *elf, void *context)
{
    struct page *p = context;
    struct figures f[SETTINGS][KERNELS_MAX] = {0};
    unsigned count = 0;
    for (unsigned k = 0; k < SETTINGS; k++) {
        unsigned got = watch(t, elf, &settings[k], f[k]);
        CHECK(t, !k || got == count);
        count = got;
    }
    for (unsigned n = 0; n < count; n++) {
        const struct figures *plain = &f[0][n];
        strbuf_printf(p->out, "| %s | %s | %.0f | %.1f %% |", elf, plain->name, plain->executions,
                      100 * plain->repeated);
        for (unsigned k = 0; k < SETTINGS; k++) {
            CHECK_MSG(t, str_equal(f[k][n].name, plain->name) && f[k][n].executions == plain->executions,
                      "%s: %s", elf, f[k][n].name);
            CHECK_MSG(t, !k || f[k][n].caught >= f[k - 1][n].caught, "%s: %s: knowing more catches less", elf,
                      plain->name);
            strbuf_printf(p->out, " %.1f %% |", 100 * f[k][n].caught);
            p->caught[k] += f[k][n].caught;
        }
        strbuf_putc(p->out, '\n');
        p->repeated += f[SETTINGS - 1][n].repeated;
        p->programs++;
    }
}

static void test_page(struct test *t)
{
    struct strbuf out = {0};
    struct page p = {.out = &out};
    strbuf_puts(
        &out,
        "# What the marks catch on RISC-V programs\n\n"
        "Made by `UPDATE_GOLDEN=1 build/tests/study/test_riscv_marks`: every program of `kernels/riscv` "
        "with its small input. For one of them:\n\n"
        "    warpfold study marks kernels/riscv/elf/MatMul.elf --set riscv.closure=constants --set "
        "mark.hart=1\n\n"
        "*Repeated* executions had equal operands and equal results in two or more of the launch's "
        "64 warps after equal histories;\n*caught* executions have a marked instruction. Both are "
        "shares of executions with a result ([soundness](soundness.md)).\n\n"
        "| program | kernel | executions | repeated | caught: loads | constants | and indices |\n"
        "|---|---|---|---|---|---|---|\n");
    if (programs_each(t, add_program, &p)) {
        strbuf_printf(&out, "| mean | | | | %.1f %% | %.1f %% | %.1f %% |\n\n",
                      100 * p.caught[0] / p.programs, 100 * p.caught[1] / p.programs,
                      100 * p.caught[2] / p.programs);
        strbuf_printf(&out,
                      "*Loads*: the program as given. Arguments are loads through generic addresses, so "
                      "values computed from arguments are vectors;\nconstants and the stack pointer remain. "
                      "*Constants*: `riscv.closure=constants`, a driver that finalises the program for its\n"
                      "launch (`src/riscv/closure.h`). *And indices*: `mark.hart=1` besides: hart number & "
                      "(2^n - 1) is threadIdx.x, equal in all\nwarps for n of 5 or less. Without constants "
                      "the rule finds nothing here: the mask is an argument. Recall, caught of repeated, is\n"
                      "%.0f %%, %.0f %% and %.0f %% of the sums of these columns.\n\n"
                      "Vectors remain: the block of a warp (`hart >> block_shift`), and so all values merged "
                      "by a grid-stride loop; words\nspilled to the stack; loads of data at addresses not "
                      "proved outside the threads' stacks.\n",
                      100 * p.caught[0] / p.repeated, 100 * p.caught[1] / p.repeated,
                      100 * p.caught[2] / p.repeated);
    }
    CHECK_GOLDEN(t, "docs/explanation/riscv-marks.md", strbuf_text(&out));
    strbuf_fini(&out);
}

// -- random programs ----------------------------------------------------------------------------------------
static void keep_text(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

static uint64_t run_random(struct test *t, uint64_t seed, const struct strbuf *file, bool crosses_parts,
                           const struct setting *with, struct strbuf *printed)
{
    struct wf_study *s = wf_study_create("marks");
    struct wf_context *c = wf_context_create();
    struct wf_program_config config = {0};
    struct wf_program_stats stats;
    uint64_t compared = 0;
    wf_set_print(c, keep_text, printed);
    CHECK(t, wf_gpu(c, NULL) == WF_OK && wf_set(c, "riscv.closure", with->closure) == WF_OK &&
                 wf_set(c, "mark.hart", with->hart) == WF_OK &&
                 wf_set(c, "check.bounds", crosses_parts ? "ignore" : "stop") == WF_OK &&
                 wf_set_study(c, s) == WF_OK);
    struct wf_module *m = wf_module_load(c, "random", file->text, file->length);
    CHECK_MSG(t, m && wf_program_run(m, &config, &stats) == WF_OK, "seed %llu: %s", (unsigned long long)seed,
              wf_errors(c));
    const struct wf_study_results *r = wf_study_report(s);
    CHECK_MSG(t, r->status == WF_OK, "seed %llu: %s", (unsigned long long)seed,
              r->failure_count ? r->failures[0] : "");
    const struct wf_table *kernels = tables_find(r, "kernels");
    for (size_t row = 0; kernels && row < kernels->row_count; row++)
        compared += tables_cell(kernels, row, "compared")->count;
    wf_context_destroy(c);
    wf_study_destroy(s);
    return compared;
}

static void test_random(struct test *t)
{
    enum { PROGRAMS = 150 };
    uint64_t compared[SETTINGS] = {0};
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct random_program p;
        struct strbuf file = {0}, printed[SETTINGS] = {0};
        random_program_make(seed, &p);
        maker_elf(&p.code, &file);
        for (unsigned k = 0; k < SETTINGS; k++) {
            compared[k] += run_random(t, seed, &file, p.crosses_parts, &settings[k], &printed[k]);
            CHECK_STR(t, strbuf_text(&printed[k]), strbuf_text(&printed[0]));
        }
        for (unsigned k = 0; k < SETTINGS; k++) strbuf_fini(&printed[k]);
        strbuf_fini(&file);
        random_program_fini(&p);
    }
    printf("  compared: %llu, %llu, %llu executions\n", (unsigned long long)compared[0],
           (unsigned long long)compared[1], (unsigned long long)compared[2]);
    // setting 2 adds nothing: the arguments are no masks of thread numbers
    CHECK(t, compared[0] > 0 && compared[1] > compared[0]);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"docs/explanation/riscv-marks.md", test_page},
                                             {"random programs", test_random}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
