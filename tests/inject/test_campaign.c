// Campaigns: a single run carrying many injections finds the same as a whole run per injection, for any
// number of processes, and across interruptions.
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "cli/cli.h"
#include "inject/tally.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// -- against whole runs -------------------------------------------------------------------------------------

struct setting {
    const char *kernel, *gpu, *tech;
    unsigned count;
};

static bool prepare(void *context, struct wf_context *x)
{
    const struct setting *s = context;
    return wf_gpu(x, s->gpu) == WF_OK && wf_tech(x, s->tech) == WF_OK;
}

static void check_same(struct test *t, const struct setting *s, const struct inject_result *fast,
                       const struct inject_result *whole)
{
    CHECK_MSG(t,
              fast->outcome == whole->outcome && fast->place == whole->place &&
                  fast->launch == whole->launch && fast->cycle == whole->cycle && fast->sm == whole->sm &&
                  fast->block == whole->block && fast->warp == whole->warp && fast->index == whole->index &&
                  str_equal(fast->what, whole->what) && fast->what_number == whole->what_number &&
                  fast->lane == whole->lane && fast->bit == whole->bit && fast->found == whole->found,
              "%s, %s, injection 0x%016llx: %s, and %s in a whole run", s->kernel, s->tech,
              (unsigned long long)fast->seed, inject_outcome_name((enum inject_outcome)fast->outcome),
              inject_outcome_name((enum inject_outcome)whole->outcome));
}

static struct inject run_campaign(struct test *t, struct setting *s, uint32_t count, struct diag *d,
                                  struct inject_space *space, struct journal *j)
{
    const char *near;
    struct inject c = {.workload = workload_find(s->kernel, &near),
                       .options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC},
                       .prepare = prepare,
                       .prepare_context = s,
                       .seed = test_seed(3),
                       .places = (1u << UPSET_PLACES) - 1,
                       .workers = 2,
                       .diag = d};
    CHECK(t, journal_open(j, NULL, "", d));
    CHECK_EQ(t, inject_measure(&c, space), WF_OK);
    CHECK_EQ(t, inject_run(&c, space, count, j), WF_OK);
    CHECK_EQ(t, j->done, count);
    return c;
}

static void test_whole_runs(struct test *t)
{
    static struct setting settings[] = {
        {"vecadd", "gtx285", "uv:variant=token,protect=on,parity=on", 20},
        {"fft512", "tiny", "uv:variant=srf,protect=on,parity=on", 10},
        {"nqueens", "gtx1080ti", "uv:variant=token,intra=off,protect=on,parity=on", 10},
        {"reduction", "gtx285", "uv:variant=srf,inter=off,registers=16", 10},
        {"histogram", "gtx1080ti", "uv", 10},
    };
    unsigned ends[INJECT_OUTCOMES] = {0};
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        struct setting *s = &settings[k];
        unsigned count = test_is_long() ? 20 * s->count : test_is_quick() ? s->count / 4 : s->count;
        struct diag d;
        struct journal j;
        struct inject_space space;
        diag_init(&d);
        const struct inject c = run_campaign(t, s, count, &d, &space, &j);
        for (uint32_t n = 0; n < count && !test_failed(t); n++) {
            struct inject_replayed r;
            CHECK_EQ(t, inject_replay(&c, &space, inject_seed(&c, n), &r), WF_OK);
            check_same(t, s, &j.results.data[n], &r.result);
            CHECK(t, r.kernel[0] && r.instruction[0]);
            ends[r.result.outcome]++;
        }
        journal_close(&j);
        diag_fini(&d);
    }
    CHECK(t, ends[INJECT_DETECTED] && ends[INJECT_MASKED] && ends[INJECT_SILENT] && ends[INJECT_CRASH]);
}

// -- against predictions ------------------------------------------------------------------------------------

// Among the predicted shares: a bit of an entry without parity is never
// found, a bit of an entry with parity always.
static void test_coverage(struct test *t)
{
    static struct setting settings[] = {
        {"vecadd", "gtx285", "uv:variant=token,protect=on,parity=on", 150},
        {"scalarProd", "gtx285", "uv:variant=srf,registers=32,protect=on,parity=on", 40},
        {"nqueens", "gtx1080ti", "uv:variant=token,protect=on", 40},
        {"vecadd", "gtx285-16", "uv:variant=srf,inter=off,parity=on", 40},
    };
    unsigned shares = 0;
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        uint32_t count = test_is_long() ? 10000 : settings[k].count;
        struct diag d;
        struct journal j;
        struct inject_space space;
        diag_init(&d);
        run_campaign(t, &settings[k], count, &d, &space, &j);
        for (unsigned p = 0; p < UPSET_PLACES; p++) {
            struct inject_tally a;
            if (!inject_tally(&space, &j, count, (enum upset_place)p, &a)) continue;
            CHECK_MSG(t, a.agrees, "%s, %s, %s: %.4f is predicted, %.4f to %.4f measured", settings[k].kernel,
                      settings[k].tech, inject_place_name((enum upset_place)p), a.predicted, a.low, a.high);
            CHECK(t, (a.predicted > 0 || a.ends[INJECT_DETECTED] == 0) &&
                         (a.predicted < 1 || a.ends[INJECT_DETECTED] == a.injected));
            shares++;
        }
        journal_close(&j);
        diag_fini(&d);
    }
    CHECK_EQ(t, shares, 11);
}

// -- interruptions ------------------------------------------------------------------------------------------

static const char command[] = "inject vecadd fft512 --size small --gpu tiny --count 40 --quiet --out $D/%s "
                              "--processes %u --json $D/%s.json";

static void run(struct cli *c, const char *folder, unsigned processes)
{
    char arguments[200];
    snprintf(arguments, sizeof arguments, command, folder, processes, folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

static void check_equal(struct cli *c, const char *folder)
{
    static const char *const files[] = {"/vecadd.csv", "/fft512.csv", ".json"};
    for (size_t k = 0; k < TEST_COUNT(files); k++) {
        char path[2][60];
        size_t length[2];
        snprintf(path[0], sizeof path[0], "clean%s", files[k]);
        snprintf(path[1], sizeof path[1], "%s%s", folder, files[k]);
        char *a = cli_read(c, path[0], &length[0]), *b = cli_read(c, path[1], &length[1]);
        CHECK_MSG(c->t, a && b && length[0] == length[1] && memcmp(a, b, length[0]) == 0,
                  "%s is not that of a clean run", path[1]);
        free(a);
        free(b);
    }
}

// The journal has exactly one line per injection.
static void check_once(struct cli *c, const char *folder, unsigned count)
{
    char path[60];
    size_t length;
    unsigned lines = 0;
    snprintf(path, sizeof path, "%s/vecadd.journal", folder);
    char *text = cli_read(c, path, &length);
    for (const char *at = text; at && (at = strchr(at, '\n')) != NULL; at++) lines++;
    CHECK_EQ(c->t, lines, count + 1);
    free(text);
}

// Sends a signal after some seconds of processor time. True: the
// signal ended the process before it was done.
static bool start_and_kill(struct test *t, const char *folder, int number, double seconds)
{
    char out[600];
    snprintf(out, sizeof out, "%s/%s", test_directory(t), folder);
    pid_t process = fork();
    if (process == 0) {
        int nothing = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
        execl(test_binary(), "warpfold", "inject", "vecadd", "fft512", "--size", "small", "--gpu", "tiny",
              "--count", "40", "--quiet", "--out", out, "--processes", "2", (char *)NULL);
        _exit(127);
    }
    test_let_run(process, seconds);
    kill(process, number);
    int status;
    waitpid(process, &status, 0);
    bool stopped = number == SIGKILL ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 130;
    CHECK_MSG(t, stopped || status == 0, "status 0x%x", (unsigned)status);
    return stopped;
}

static void test_killed(struct test *t)
{
    struct cli c = {.t = t};
    struct rng r;
    unsigned killed = 0, moments = test_is_long() ? 40 : test_is_quick() ? 1 : 2;
    rng_init(&r, test_seed(5));
    struct test_time start = test_now();
    run(&c, "clean", 2);
    double whole = test_since(start).processor;
    run(&c, "one", 1);
    check_equal(&c, "one");
    for (unsigned moment = 0; moment < moments; moment++) {
        char folder[20];
        snprintf(folder, sizeof folder, "killed%u", moment);
        for (unsigned again = 0; again < 3; again++)
            killed += start_and_kill(t, folder, again == 1 ? SIGINT : SIGKILL,
                                     whole * (double)(rng_next(&r) % 1000) / 2000);
        run(&c, folder, 1 + moment % 3);
        check_equal(&c, folder);
        check_once(&c, folder, 40);
    }
    CHECK_MSG(t, killed >= moments, "%u of %u were killed", killed, 3 * moments);
    cli_fini(&c);
}

// A torn last line is redone; a larger count continues a smaller campaign; foreign journals are refused.
static void test_journal(struct test *t)
{
    struct cli c = {.t = t};
    size_t length, csv_length;
    cli_run(&c, "inject vecadd --size small --gpu tiny --count 20 --quiet --out $D/j");
    char *journal = cli_read(&c, "j/vecadd.journal", &length),
         *csv = cli_read(&c, "j/vecadd.csv", &csv_length);
    CHECK(t, journal && csv);
    if (test_failed(t)) return;
    cli_write(&c, "j/vecadd.journal", journal, length - 3);
    cli_run(&c, "inject vecadd --size small --gpu tiny --count 20 --quiet --out $D/j");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    check_once(&(struct cli){.t = t}, "j", 20);
    cli_run(&c, "inject vecadd --size small --gpu tiny --count 30 --quiet --out $D/j");
    check_once(&(struct cli){.t = t}, "j", 30);
    size_t longer_length;
    char *longer = cli_read(&c, "j/vecadd.csv", &longer_length);
    CHECK(t, longer && longer_length > csv_length && memcmp(longer, csv, csv_length) == 0);
    cli_expect(&c, "inject vecadd --size small --gpu tiny --seed 9 --quiet --out $D/j", 1,
               "error: $D/j/vecadd.journal has injections of a different build, kernel or setting: give a "
               "different --out, or remove the file\n");
    struct strbuf twice = {0};
    strbuf_write(&twice, journal, length);
    strbuf_puts(&twice, strchr(journal, '\n') + 1); // a number already present
    cli_write(&c, "j/vecadd.journal", twice.text, twice.length);
    cli_expect(&c, "inject vecadd --size small --gpu tiny --quiet --out $D/j", 1,
               "error: $D/j/vecadd.journal: line 22 is not a line of a journal\n");
    strbuf_fini(&twice);
    free(longer);
    free(journal);
    free(csv);
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    struct cli c = {.t = t};
    cli_expect(
        &c, "inject vecadd --tech darsie", 2,
        "error: --tech darsie: injections need the structures of uv: give uv alone, with its options\n");
    cli_expect(
        &c, "inject vecadd --tech uv+rfcache", 2,
        "error: --tech uv+rfcache: injections need the structures of uv: give uv alone, with its options\n");
    cli_expect(&c, "inject vecadd --places lanes,banks", 2,
               "error: --places lanes,banks: must be one or more of lanes, registers, entries\n");
    cli_expect(&c, "inject", 2,
               "error: name the kernels for the bit flips (warpfold list kernels), or a group\n");
    cli_expect(&c, "inject vecadd --replay soon", 2,
               "error: --replay soon: give the seed of an injection, and one kernel\n");
    cli_expect(&c, "inject vecadd --size small --tech uv:inter=off --places entries", 1,
               "error: vecadd: the kernel has no place of the given kinds for a bit flip\n");
    cli_expect(&c, "inject vecadd --count 0", 2, "error: --count 0: must be a number from 1 to 10000000\n");
    cli_fini(&c);
}

// -- figures ------------------------------------------------------------------------------------------------

// Draws of a share fall outside the interval as rarely as stated, and
// the interval is no wider than necessary.
static void test_interval(struct test *t)
{
    struct rng r;
    double low, high;
    rng_init(&r, test_seed(1));
    inject_interval(0, 1000, &low, &high);
    CHECK(t, low == 0 && high > 0.005 && high < 0.012);
    inject_interval(1000, 1000, &low, &high);
    CHECK(t, high == 1 && low < 0.995 && low > 0.988);
    inject_interval(5000, 10000, &low, &high);
    CHECK(t, fabs(high - low - 2 * 3.2905 * 0.005) < 1e-4);
    unsigned missed = 0;
    for (unsigned k = 0; k < 4000; k++) {
        unsigned hits = 0;
        for (unsigned n = 0; n < 1000; n++) hits += rng_f64(rng_next(&r)) < 0.211;
        inject_interval(hits, 1000, &low, &high);
        missed += low > 0.211 || high < 0.211;
    }
    CHECK_MSG(t, missed <= 14, "%u of 4000 are outside", missed); // 4 are expected
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"whole_runs", test_whole_runs}, {"coverage", test_coverage},
                                             {"killed", test_killed},         {"journal", test_journal},
                                             {"refused", test_refused},       {"interval", test_interval}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
