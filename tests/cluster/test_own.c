// Experiments over runs of the user's own: the ten lines of docs/examples/mine.exp, at 64 points, on a single machine
// and by workers that find no path of the first machine. Fails where a bundle lacks a file, where values of variables
// do not reach the run, or where the databases differ.
#include "base/file.h"
#include "base/str.h"
#include "cluster/nodes.h"
#include "cluster/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60, RUNS = 64 * 2 + 8 };

static bool shell(struct test *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool shell(struct test *t, const char *format, ...)
{
    struct strbuf command = {0};
    char *out, *err;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&command, format, args);
    va_end(args);
    int status = test_command(strbuf_text(&command), LIMIT_S, &out, &err);
    CHECK_MSG(t, status == 0, "%s: %s", strbuf_text(&command), err);
    free(out);
    free(err);
    strbuf_fini(&command);
    return status == 0;
}

static bool has_command(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s", name);
    return test_command(command, LIMIT_S, NULL, NULL) == 0;
}

// Makes $D/first with the experiment, its files and the program. False, and the case is skipped: no compiler, or no
// runtime in this build.
static bool prepare(struct test *t)
{
    char libraries[4096];
    const char *d = test_directory(t);
    snprintf(libraries, sizeof libraries, "%s", test_binary());
    snprintf(strrchr(libraries, '/'), 16, "/cudart");
    if (access(libraries, R_OK) != 0 || !has_command("clang") || !has_command("cc")) {
        test_skip(t, "needs clang, cc, and a build with shared libraries");
        return false;
    }
    return shell(t, "mkdir -p %s/first/tests/cudart %s/kernels/ptx/nvcc", d, d) &&
           shell(t, "cp docs/examples/mine.exp docs/examples/axpy.cu docs/examples/relax.wf %s/first", d) &&
           shell(t, "cp tests/cudart/kernels.ptx %s/first/tests/cudart", d) &&
           shell(t, "sed -i 's|../../kernels/ptx/nvcc/||' %s/first/relax.wf", d) &&
           shell(t, "cp kernels/ptx/nvcc/stencil3d.ptx* %s/first", d) &&
           shell(
               t,
               "cc -std=c17 -D_GNU_SOURCE -Isrc -Itests tests/cudart/programs/words.c tests/cudart/fat.c -o "
               "%s/first/words %s/libcudart.so.13",
               d, libraries);
}

static void check_runs(struct test *t, const char *folder)
{
    sqlite3 *db = lab_open(t, folder);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs WHERE status = 'ok'"), RUNS);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(DISTINCT subject) FROM runs"), 3);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs WHERE command LIKE '%/first/%'"), 0);
    CHECK_EQ(t, lab_query(t, db, "SELECT sum(launches) FROM runs WHERE subject = 'relax'"), 8 * 36);
    CHECK_EQ(
        t,
        lab_query(t, db,
                  "SELECT count(DISTINCT warp_instructions) FROM runs WHERE subject = 'axpy' AND settings "
                  "LIKE '%latency=20%'"),
        8);
    CHECK_EQ(t,
             lab_query(t, db,
                       "SELECT count(*) FROM points p JOIN runs r ON r.id = p.run WHERE abs(p.value - 1.0 * "
                       "(SELECT value FROM counters WHERE run = r.id AND name = 'memory.l2_misses') / "
                       "r.warp_instructions) > 1e-12"),
             0);
    sqlite3_close(db);
}

static unsigned count_lines(struct cli *c, const char *name, const char *head)
{
    size_t length;
    char *text = cli_read(c, name, &length);
    unsigned lines = 0;
    CHECK_MSG(c->t, text && str_starts_with(text, head), "%s begins with %.200s", name,
              text ? text : "nothing");
    for (const char *at = text; at && (at = strchr(at, '\n')) != NULL; at++) lines++;
    free(text);
    return lines;
}

static void test_sweep(struct test *t)
{
    struct cli c = {.t = t};
    if (!prepare(t)) return;
    cli_run(&c, "reproduce $D/first/mine.exp --out $D/here");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.err, "136 of 136 runs to make, ");
    check_runs(t, "here");
    CHECK_EQ(
        t,
        count_lines(&c, "here/mine-runs.csv",
                    "experiment,gpu,profile,size,subject,series,mechanism,STEPS,shared.latency,l2.misses / "
                    "instructions,status,cycles"),
        1 + 64 * 3);
    cli_run(&c, "reproduce $D/first/mine.exp --out $D/plan --submit hand --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK(t, shell(t, "mv %s/first %s/gone", test_directory(t), test_directory(t)));
    pid_t a = worker_start(t, "plan", "2", "60");
    CHECK_EQ(t, process_wait(a), 0);
    CHECK_EQ(t, status_number(&c, "plan", "done"), RUNS);
    CHECK(t, shell(t, "mv %s/gone %s/first", test_directory(t), test_directory(t)));
    plan_collect(&c, "plan");
    char *here = lab_dump(t, "here");
    check_same(t, "plan", here, "workers without the first machine's paths");
    free(here);
    cli_fini(&c);
}

static void test_slurm(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    if (!prepare(t) || !nodes_begin(&n, t)) return;
    cli_run(&c,
            "reproduce $D/first/mine.exp --only STEPS=1,2 --out $D/s --submit slurm:partition=main,time=5 "
            "--workers 2 --wait");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_EQ(t, status_number(&c, "s", "done"), 2 * 8 * 2 + 8);
    nodes_end(&n);
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *lines, *error;
    } refused[] = {
        {"run = a : no.ptx --kernel k\n", "cannot read $D/no.ptx: No such file or directory"},
        {"run = a\n", "a run is NAME : FILE --kernel …"},
        {"run = a b : k.ptx\n", "a run is NAME : FILE --kernel …"},
        {"run = a : k.ptx --grid 1\nrun = a : k.ptx --grid 1\n", "run a is given twice"},
        {"run = a : k.ptx --gird 1\n", "--gird is no option of a line `run`; did you mean --grid?"},
        {"run = a : k.ptx --gpu h100\n", "--gpu is no option of a line `run`"},
        {"run = a : k.ptx --grid $N\n", "no setting, series or sweep gives $N a value"},
        {"run = a : k.ptx --grid 1\nsweep = $N : 1 2\n", "no line `run` uses $N"},
        {"run = a : k.ptx --grid $(N/0)\nsweep = $N : 1 2\n", "$(N/0): a division by zero"},
        {"run = a : k.ptx --grid $(N+)\nsweep = $N : 1 2\n",
         "$(N+): a name, a number or a bracket is missing"},
        {"run = a : k.ptx --grid 1 l.ptx\n", "cannot read $D/l.ptx"},
        {"run = a : --script no.wf\n", "cannot read $D/no.wf"},
        {"run = a : --\n", "run a: no program behind --"},
        {"run = a : k.ptx --grid 1\nkernels = vecadd\nsettings = $N=1\n",
         "no bundled kernels beside variables"},
        {"run = a : k.ptx --grid 1\nprograms = VecAdd\n", "no programs or pairs"},
        {"kernels = vecadd\nsettings = $N=1\n", "is for lines `run`, and the experiment has none"}};
    struct cli c = {.t = t};
    cli_write(&c, "k.ptx", ".version 7.0\n", strlen(".version 7.0\n"));
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        struct strbuf text = {0};
        strbuf_printf(&text,
                      "title = t\nkind = runs\nmeasure = cycles\nviews = tiny/sass\nseries = b : base\n%s",
                      refused[i].lines);
        lab_write(&c, "x.exp", text.text);
        strbuf_fini(&text);
        cli_run(&c, "reproduce $D/x.exp --out $D/no");
        CHECK_MSG(t, c.status == 1, "%s: status %d", refused[i].lines, c.status);
        CHECK_HAS(t, cli_errors(&c), refused[i].error);
    }
    CHECK(t, !cli_exists(&c, "no"));
    cli_fini(&c);
}

// A point with bad input has a row with the reason, and the other points go on.
static void test_bad_point(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "x.exp",
              "title = t\nkind = runs\nmeasure = cycles\nviews = tiny/sass\nseries = b : base\n"
              "run = a : v.ptx --kernel vecadd --grid 1 --block 32 --arg buf=f32:32:zero --arg "
              "buf=f32:32:zero --arg "
              "buf=f32:32:zero --arg $T=1\nsweep = issue.schedulers : 1 2\nseries = f : base with "
              "$T=f32\nsettings = "
              "$T=u32\n");
    CHECK(t, shell(t, "cp kernels/ptx/nvcc/vecadd.ptx* %s/", test_directory(t)));
    CHECK(t, shell(t, "cd %s && for f in vecadd.ptx*; do mv $f v${f#vecadd}; done", test_directory(t)));
    cli_run(&c, "reproduce $D/x.exp --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs WHERE status = 'ok'"), 2);
    CHECK_EQ(t,
             lab_query(t, db, "SELECT count(*) FROM runs WHERE status = 'refused' AND message LIKE '%f32%'"),
             2);
    sqlite3_close(db);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sweep", test_sweep},
                                             {"slurm", test_slurm},
                                             {"refused", test_refused},
                                             {"bad_point", test_bad_point}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
