// Small plans on a real Slurm: workers started by Slurm produce the database of a local run.
// Workers, nodes, controller and submitter are killed, and the folder fills up; fails where the
// database differs or a plan never ends.
#include "base/progress.h"
#include "base/rng.h"
#include "base/str.h"
#include "cluster/nodes.h"
#include "cluster/points.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static void test_small(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    if (!nodes_begin(&n, t)) return;
    char *clean = lab_clean(&c);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/s --submit slurm:partition=main,time=5 "
                "--workers 3 --wait");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "30 points planned in");
    CHECK_HAS(t, c.out, "of Slurm: 3 workers");
    CHECK_HAS(t, c.out, "30 of 30 points are in results.db, 0 were given up; 1 of 1 figures are complete");
    check_same(t, "s", clean, "Slurm");
    CHECK_EQ(t, status_number(&c, "s", "done"), 30);
    CHECK_EQ(t, status_number(&c, "s", "points run twice"), 0);
    free(clean);
    nodes_end(&n);
    cli_fini(&c);
}

// A job refused by Slurm: one line with Slurm's reason, nothing submitted; the plan
// stays and can be submitted again.
static void test_refused(struct test *t)
{
    static const struct {
        const char *spec, *workers, *message;
    } refused[] = {
        {"slurm:partition=nowhere", "1", "sbatch refused: "},
        {"slurm:mem=900T", "1", "sbatch refused: "},
        {"slurm:nodes=7", "1", "sbatch refused: "},
        {"slurm:time=never", "1", "sbatch refused: "},
        {"slurm", "9999", "sbatch refused: "},
        {"slurm:no-such-option=1", "1", "sbatch refused: "},
        {"slurm:partition", "1", "options are OPTION=VALUE"},
    };
    struct cli c = {.t = t};
    struct nodes n;
    lab_write(&c, "small.exp", lab_experiment);
    if (!nodes_begin(&n, t)) return;
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "reproduce $D/small.exp --size small --out $D/r --submit %s --workers %s", refused[i].spec,
                 refused[i].workers);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 1, "%s: status %d", refused[i].spec, c.status);
        CHECK_HAS(t, c.err, refused[i].message);
        CHECK_MSG(t, strchr(c.err, '\n') == c.err + strlen(c.err) - 1, "%s: no one line: %s", refused[i].spec,
                  c.err);
        CHECK_STR(t, c.out, "");
    }
    CHECK_EQ(t, nodes_jobs(&n), 0);
    CHECK_EQ(t, status_number(&c, "r", "waiting"), 30);
    nodes_end(&n);
    cli_fini(&c);
}

// --cancel: workers hand back their claims, and waiting jobs do not begin.
static void test_cancel(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    write_many(&c, "many.exp", 199);
    if (!nodes_begin(&n, t)) return;
    cli_run(&c, "reproduce $D/many.exp --size small --out $D/c --submit slurm --workers 9");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    wait_for_work(&c, "c");
    cli_run(&c, "reproduce --cancel $D/c");
    CHECK_STR(t, c.out, "1 jobs were told to end\n");
    cli_run(&c, "reproduce --status $D/c");
    CHECK_HAS(t, c.out, "jobs in Slurm: ");
    nodes_wait(&n);
    CHECK_EQ(t, status_number(&c, "c", "running"), 0);
    CHECK(t, status_number(&c, "c", "waiting") > 0);
    nodes_end(&n);
    cli_fini(&c);
}

// Slurm's states of the tasks of a folder's jobs: "STATE RESTARTS" a line, heap.
static char *tasks_of(struct test *t, const char *folder)
{
    char command[900], *out;
    snprintf(command, sizeof command,
             "for job in $(cat %s/%s/workers/slurm.jobs); do scontrol show job $job; done | "
             "sed -n 's/.*Requeue=.* Restarts=\\([0-9]*\\) .*/\\1/p; s/.*JobState=\\([A-Z]*\\) .*/\\1/p' | "
             "paste -d ' ' - -",
             test_directory(t), folder);
    CHECK_EQ(t, test_command(command, 20, &out, NULL), 0);
    return out;
}

// A killed worker is a failed job, and Slurm starts no other in its place. After the lease another worker
// takes over the claim, so the database equals a local run's.
static void test_killed(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    if (!nodes_begin(&n, t)) return;
    write_many(&c, "many.exp", 19);
    cli_run(&c, "reproduce $D/many.exp --size small --out $D/clean --quiet");
    char *clean = lab_dump(t, "clean"), *tasks;
    cli_run(&c, "reproduce $D/many.exp --size small --out $D/k --submit slurm --workers 2 --lease 2");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    wait_for_work(&c, "k");
    pid_t worker = worker_find(t, "k", 0);
    CHECK(t, worker && kill(worker, SIGKILL) == 0);
    nodes_wait(&n);
    tasks = tasks_of(t, "k");
    CHECK_HAS(t, tasks, "FAILED 0\n");
    CHECK_HAS(t, tasks, "COMPLETED 0\n");
    plan_collect(&c, "k");
    check_same(t, "k", clean, "a killed worker of Slurm's");
    free(tasks);
    free(clean);
    nodes_end(&n);
    cli_fini(&c);
}

// Stops the point of the first worker. The point now outlasts any job.
static void stop_point(struct test *t, const char *folder)
{
    pid_t point = 0;
    for (double end = patience_end(); !point && clock_seconds() < end;) {
        pid_t worker = worker_find(t, folder, 0);
        if (worker) point = worker_point(worker);
        if (!point) sleep_for(0.01);
    }
    CHECK(t, point && kill(point, SIGSTOP) == 0);
}

// A point longer than three jobs is given up; Slurm announces the end of each job in time.
static void test_time_limit(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    if (!test_is_long() || !nodes_begin(&n, t)) return;
    lab_write(
        &c, "long.exp",
        "title = a test\nkind = runs\nmeasure = ipc\nkernels = LIB\nviews = tiny/sass\nseries = A : base\n");
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        cli_run(&c, "reproduce $D/long.exp --size medium --out $D/t --submit slurm:time=1");
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        stop_point(t, "t");
        nodes_wait(&n);
        cli_run(&c, "reproduce --status $D/t");
        CHECK_HAS(t, c.out,
                  jobs == 3 ? "given up after 0 tries, lost 3 times together with a worker: bench LIB"
                  : jobs == 2
                      ? "will be tried again after 0 tries, lost 2 times together with a worker: bench LIB"
                      : "will be tried again after 0 tries, lost 1 time together with a worker: bench LIB");
    }
    CHECK_HAS(t, c.out, ": the time of three workers was up before the run's end");
    // every worker handed its claim back
    CHECK_EQ(t, status_number(&c, "t", "from vanished workers"), 0);
    nodes_end(&n);
    cli_fini(&c);
}

// -- the storm ----------------------------------------------------------------------------------------------

struct storm {
    struct test *t;
    struct cli *c;
    struct nodes *n;
    struct rng *r;
    const char *folder; // a folder of the case
    pid_t submitter;    // 0: no process
    bool has_disk;      // the folder is a file system of its own and can be filled
};

static const char lease[] = "2";

static void submit(struct storm *s)
{
    char arguments[200];
    snprintf(arguments, sizeof arguments,
             "reproduce $D/many.exp --size small --out $D/%s --submit slurm --workers 4 --lease %s --quiet",
             s->folder, lease);
    cli_run(s->c, arguments);
}

// A random worker at work; 0: none at work.
static pid_t draw_worker(struct storm *s)
{
    pid_t worker = worker_find(s->t, s->folder, (unsigned)rng_next(s->r) % 4);
    return worker ? worker : worker_find(s->t, s->folder, 0);
}

static double draw(struct storm *s, double most) { return most * (double)(rng_next(s->r) % 1000) / 1000; }

static bool kill_worker(struct storm *s)
{
    pid_t worker = draw_worker(s);
    return worker && kill(worker, SIGKILL) == 0;
}

static bool stop_worker(struct storm *s)
{
    pid_t worker = draw_worker(s);
    if (!worker) return false;
    kill(worker, SIGSTOP);
    sleep_for(3 + draw(s, 1)); // the lease and a little
    return kill(worker, SIGCONT) == 0;
}

static bool drain_node(struct storm *s)
{
    unsigned node = (unsigned)rng_next(s->r) % NODES;
    nodes_set(s->n, node, "drain reason=test");
    sleep_for(draw(s, 2));
    nodes_set(s->n, node, "resume");
    return true;
}

// Slurm declares the node's jobs lost and runs them again elsewhere. The old jobs go on
// nevertheless, also after the node's return.
static bool lose_node(struct storm *s)
{
    unsigned node = (unsigned)rng_next(s->r) % NODES;
    nodes_kill(&s->n->node[node]);
    nodes_set(s->n, node, "down reason=test");
    sleep_for(1 + draw(s, 2));
    nodes_start_node(s->n, node);
    nodes_set(s->n, node, "resume");
    return true;
}

static bool restart_controller(struct storm *s)
{
    nodes_kill(&s->n->controller);
    sleep_for(draw(s, 2));
    nodes_start_controller(s->n);
    return true;
}

// Kills the submitting and collecting process at a random moment, then starts another process.
static bool kill_submitter(struct storm *s)
{
    if (s->submitter) {
        kill(s->submitter, SIGKILL);
        process_wait(s->submitter);
    }
    char out[600];
    snprintf(out, sizeof out, "%s/%s", test_directory(s->t), s->folder);
    s->submitter = fork();
    if (s->submitter) return true;
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    execl(test_binary(), "warpfold", "reproduce", "--collect", out, "--wait", (char *)NULL);
    _exit(127);
}

static bool fill_folder(struct storm *s)
{
    char path[600];
    if (!s->has_disk) return false;
    snprintf(path, sizeof path, "%s/%s/filler", test_directory(s->t), s->folder);
    disk_fill(s->t, path);
    sleep_for(1 + draw(s, 2));
    return unlink(path) == 0;
}

static const struct disturbance {
    const char *name;
    bool (*happens)(struct storm *s); // false: no target
} disturbances[] = {{"a worker is killed", kill_worker},
                    {"a worker is stopped", stop_worker},
                    {"a node is drained", drain_node},
                    {"a node is lost", lose_node},
                    {"the controller is restarted", restart_controller},
                    {"the submitter is killed", kill_submitter},
                    {"the folder is full", fill_folder}};
enum { KINDS = sizeof disturbances / sizeof disturbances[0] };

// Applies the disturbances in a random order; in_time counts the disturbances met by running work.
static void disturb(struct storm *s, unsigned in_time[KINDS])
{
    unsigned order[KINDS];
    for (unsigned i = 0; i < KINDS; i++) {
        unsigned k = (unsigned)rng_next(s->r) % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < KINDS; i++) {
        sleep_for(draw(s, 1.5));
        bool early = status_number(s->c, s->folder, "done") < 500, met = disturbances[order[i]].happens(s);
        in_time[order[i]] += early && met;
    }
}

static void finish(struct storm *s)
{
    for (unsigned i = 0; i < NODES; i++)
        nodes_set(s->n, i, "resume"); // a restarted controller may not know the node's state
    double end = clock_seconds() + TEST_WALL_FACTOR * 600;
    while (status_number(s->c, s->folder, "done") < 500 && clock_seconds() < end) {
        if (!nodes_jobs(s->n)) submit(s);
        sleep_for(0.5);
    }
    if (s->submitter) { // it ends by itself in time, unless the disk was full at a write
        kill(s->submitter, SIGTERM);
        process_wait(s->submitter);
    }
    s->submitter = 0;
    plan_collect(s->c, s->folder);
}

enum { MOMENTS = 20, ROUNDS_MOST = 50 };

// Whether every disturbance possible on this machine met running work MOMENTS times.
static bool is_stormy(const unsigned in_time[KINDS], bool has_disks)
{
    for (unsigned k = 0; k < KINDS; k++)
        if (in_time[k] < MOMENTS && (has_disks || disturbances[k].happens != fill_folder)) return false;
    return true;
}

// Rounds of 500 points, until each disturbance met running work at twenty moments.
static void test_storm(struct test *t)
{
    struct cli c = {.t = t};
    struct nodes n;
    struct rng r;
    unsigned in_time[KINDS] = {0}, round = 0;
    unsigned long twice = 0, taken = 0;
    char path[600];
    if (!test_is_long()) return;
    bool own = disks_begin(); // before Slurm: its workers see the mounts, too
    if (!nodes_begin(&n, t)) return;
    rng_init(&r, test_seed(21));
    write_many(&c, "many.exp", 99);
    cli_run(&c, "reproduce $D/many.exp --size small --out $D/clean --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *clean = lab_dump(t, "clean"), folder[20];
    for (; round < ROUNDS_MOST && !is_stormy(in_time, own); round++) {
        snprintf(folder, sizeof folder, "storm%u", round);
        struct storm s = {t, &c, &n, &r, folder, 0, own && disk_mount(t, folder, 100, path)};
        submit(&s);
        kill_submitter(&s); // starts the first
        disturb(&s, in_time);
        finish(&s);
        check_same(t, folder, clean, folder);
        twice += status_number(&c, folder, "points run twice");
        taken += status_number(&c, folder, "from vanished workers");
        if (s.has_disk) umount2(path, MNT_DETACH);
    }
    for (unsigned k = 0; k < KINDS; k++)
        printf("  %s: %u times at work in %u rounds\n", disturbances[k].name, in_time[k], round);
    CHECK(t, is_stormy(in_time, own));
    printf("  %lu points run twice, %lu claims taken over\n", twice, taken);
    CHECK(t, twice > 0 && taken > 0);
    free(clean);
    nodes_end(&n);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"small", test_small},           {"refused", test_refused},
                                             {"cancel", test_cancel},         {"killed", test_killed},
                                             {"time limit", test_time_limit}, {"storm", test_storm}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
