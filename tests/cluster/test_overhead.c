// Overhead of a plan beside its points: points do nothing and leave a ready-made result. Fails where a plan
// costs more than the limits of issue 21. The long form runs 10,000 points by 1, 2 and 8 workers, and a plan
// of 100,000 (figures: docs/howto/many-machines.md).
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "cluster/points.h"
#include "cluster/worker.h"
#include "harness/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char result_variable[] = "WARPFOLD_TEST_RESULT"; // path of the result to leave

// Stands in for warpfold: "warpfold WORD… --json PATH".
static int do_nothing(int argc, char **argv)
{
    const char *result = getenv(result_variable), *path = argv[argc - 1];
    char *bytes;
    size_t length;
    const char *why;
    if (!file_read(result, &bytes, &length, &why)) return 3;
    bool good = file_write(path, bytes, length, &why);
    free(bytes);
    return good ? 0 : 3;
}

// Writes $D/many.exp: 4 kernels over the points of three axes, or of four (large).
static void write_sweep(struct cli *c, bool large)
{
    struct strbuf text = {0};
    strbuf_puts(&text,
                "title = Many\nkind = runs\nmeasure = cycles\nkernels = vecadd matrixMul reduction scan\n"
                "views = tiny/sass\nseries = A : base\n");
    static const struct {
        const char *key;
        unsigned count;
    } axes[] = {{"l1.latency", 25}, {"shared.latency", 20}, {"constant.latency", 5}, {"barrier.latency", 10}};
    for (size_t a = 0; a < (large ? 4 : 3); a++) {
        strbuf_printf(&text, "sweep = %s :", axes[a].key);
        for (unsigned i = 1; i <= (test_is_long() || a < 2 ? axes[a].count : 1); i++)
            strbuf_printf(&text, " %u", i);
        strbuf_putc(&text, '\n');
    }
    cli_write(c, "many.exp", text.text, text.length);
    strbuf_fini(&text);
}

struct cost {
    // processor: seconds of processor time, unaffected by other work on the machine.
    double seconds, processor, megabytes;
};

static double processor_seconds(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

// Runs warpfold with `words` and, as a last argument, a folder of the case.
static struct cost measure(struct test *t, const char *const words[], const char *folder)
{
    char path[600];
    const char *arguments[12] = {"warpfold"};
    size_t count = 1;
    snprintf(path, sizeof path, "%s/%s", test_directory(t), folder);
    for (; words[count - 1]; count++) arguments[count] = words[count - 1];
    arguments[count] = path;
    double began = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        chdir(test_directory(t));
        execv(test_binary(), (char **)arguments);
        _exit(127);
    }
    int status;
    struct rusage used;
    wait4(child, &status, 0, &used);
    CHECK_MSG(t, WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status 0x%x", words[1],
              (unsigned)status);
    return (struct cost){clock_seconds() - began, processor_seconds(&used), (double)used.ru_maxrss / 1024};
}

static void submit(struct test *t, const char *folder, struct cost *cost)
{
    static const char *const words[] = {"reproduce", "many.exp", "--size", "small",
                                        "--submit",  "hand",     "--out",  NULL};
    *cost = measure(t, words, folder);
}

// Writes the result of the first kernel to a file.
static void make_result(struct test *t)
{
    char command[1400], path[600];
    snprintf(path, sizeof path, "%s/result.json", test_directory(t));
    snprintf(command, sizeof command, "%s bench vecadd --size small --gpu tiny --quiet --json %s",
             test_binary(), path);
    CHECK_EQ(t, test_command(command, 60, NULL, NULL), 0);
    setenv(result_variable, path, 1);
}

// own: receives the worker's own seconds of processor time, without its points'.
static pid_t start_worker(struct test *t, const char *folder, const char *build, double *own)
{
    pid_t child = fork();
    if (child) return child;
    char path[600];
    struct diag d;
    struct worker_report r;
    diag_init(&d);
    snprintf(path, sizeof path, "%s/%s", test_directory(t), folder);
    bool good = worker_run(&(struct worker_order){.run = do_nothing,
                                                  .build = build,
                                                  .folder = path,
                                                  .processes = 1,
                                                  .lease_seconds = 120,
                                                  .diag = &d},
                           &r);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    *own = processor_seconds(&used);
    _exit(!good);
}

// Cost without a plan: the same points in processes of their own, so many at a
// time. Returns milliseconds a point.
static double start_processes(struct test *t, unsigned each, unsigned at_a_time)
{
    char part[600];
    pid_t child[8];
    double began = clock_seconds();
    for (unsigned w = 0; w < at_a_time; w++) {
        child[w] = fork();
        for (unsigned i = 0; child[w] == 0 && i < each; i++) {
            pid_t point = fork();
            // A new file each time: ext4 waits for the disk when a file replaces another.
            snprintf(part, sizeof part, "%s/%u-%u-%u", test_directory(t), at_a_time, w, i);
            if (point == 0) _exit(do_nothing(2, (char *[]){"warpfold", part}));
            process_wait(point);
        }
        if (child[w] == 0) _exit(0);
    }
    for (unsigned w = 0; w < at_a_time; w++) process_wait(child[w]);
    return 1000 * (clock_seconds() - began) / each;
}

static void read_build(struct cli *c, const char *folder, char build[17])
{
    char name[40];
    size_t length;
    snprintf(name, sizeof name, "%s/plan", folder);
    char *plan = cli_read(c, name, &length), *at = plan ? strstr(plan, "\nbuild ") : NULL;
    snprintf(build, 17, "%s", at ? at + strlen("\nbuild ") : "");
    free(plan);
}

static void test_workers(struct test *t)
{
    static const unsigned workers[] = {1, 2, 8};
    struct cli c = {.t = t};
    struct cost cost;
    double *own = mmap(NULL, 8 * sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned points = test_is_long() ? 10000 : 2000;
    make_result(t);
    write_sweep(&c, false);
    for (size_t i = test_is_long() ? 0 : 1; i < (test_is_long() ? 3 : 2); i++) {
        char folder[20], build[17];
        pid_t child[8];
        snprintf(folder, sizeof folder, "by%u", workers[i]);
        submit(t, folder, &cost);
        read_build(&c, folder, build);
        double began = clock_seconds();
        for (unsigned w = 0; w < workers[i]; w++) child[w] = start_worker(t, folder, build, &own[w]);
        for (unsigned w = 0; w < workers[i]; w++) CHECK_EQ(t, process_wait(child[w]), 0);
        double each = 1000 * (clock_seconds() - began) * workers[i] / points;
        double self = 0;
        for (unsigned w = 0; w < workers[i]; w++) self += 1000 * own[w] / points;
        double bare = start_processes(t, points / workers[i], workers[i]);
        printf("  %u points by %u workers: %.2f ms a point and worker, of which %.2f are the process; %.2f "
               "of the "
               "worker's own processor time\n",
               points, workers[i], each, bare, self);
        CHECK_MSG(t, test_is_within((struct test_time){self, each - bare}, 5),
                  "%u workers: %.2f ms of processor time a point, %.2f ms on the clock", workers[i], self,
                  each - bare);
        CHECK_EQ(t, status_number(&c, folder, "done"), points);
        CHECK_EQ(t, status_number(&c, folder, "points run twice"), 0);
    }
    munmap(own, 8 * sizeof *own);
    cli_fini(&c);
}

enum { LINKS_MOST = 30000 }; // links to one file: ext4 has 65,000

// Completes the plan as if by workers: every token is done and every result
// committed, as links to a few files.
static void commit_all(struct cli *c, const char *folder)
{
    char name[40], path[2][700];
    size_t length, plan_length, count = 0;
    snprintf(name, sizeof name, "%s/plan", folder);
    char *plan = cli_read(c, name, &plan_length), *rest = plan, *result = cli_read(c, "result.json", &length);
    for (char *line; plan && result && (line = strsep(&rest, "\n")) != NULL;) {
        if (!str_starts_with(line, "point ")) continue;
        const char *id = line + strlen("point ");
        snprintf(path[1], sizeof path[1], "%s/%s/committed/%.16s.json", test_directory(c->t), folder, id);
        snprintf(path[0], sizeof path[0], "%s/result-%zu", test_directory(c->t), count / LINKS_MOST);
        if (count++ % LINKS_MOST == 0) test_write_file(c->t, path[0], result, length);
        CHECK_EQ(c->t, link(path[0], path[1]), 0);
        snprintf(path[0], sizeof path[0], "%s/%s/queue/%.16s.0.0.open", test_directory(c->t), folder, id);
        snprintf(path[1], sizeof path[1], "%s/%s/queue/%.16s.0.0.done", test_directory(c->t), folder, id);
        CHECK_EQ(c->t, rename(path[0], path[1]), 0);
    }
    free(plan);
    free(result);
}

static void test_large(struct test *t)
{
    static const char *const status[] = {"reproduce", "--status", NULL}, *const collect[] = {
                                                                             "reproduce", "--quiet",
                                                                             "--collect", NULL};
    struct cli c = {.t = t};
    struct cost cost[3];
    static const char *const names[] = {"submitted", "listed", "collected"};
    if (!test_is_long()) return;
    make_result(t);
    write_sweep(&c, true);
    submit(t, "large", &cost[0]);
    cost[1] = measure(t, status, "large");
    commit_all(&c, "large");
    cost[2] = measure(t, collect, "large");
    for (size_t i = 0; i < 3; i++) {
        printf("  100000 points %s: %.1f s, %.1f of them processor time, %.0f MB\n", names[i],
               cost[i].seconds, cost[i].processor, cost[i].megabytes);
        CHECK_MSG(t, cost[i].processor < 60 && cost[i].megabytes < 500,
                  "100000 points %s: %.1f s of processor time, %.0f MB", names[i], cost[i].processor,
                  cost[i].megabytes);
    }
    CHECK_EQ(t, status_number(&c, "large", "done"), 100000);
    sqlite3 *db = lab_open(t, "large");
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs"), 100000);
    sqlite3_close(db);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"workers", test_workers}, {"large", test_large}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
