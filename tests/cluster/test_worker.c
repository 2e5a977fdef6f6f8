// Plans that workers run, without a scheduler: whatever happens to workers at whatever moment, the database is that of one clean run.
#include "base/progress.h"
#include "base/rng.h"
#include "cluster/points.h"
#include "cluster/token.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void plan(struct cli *c, const char *folder)
{
    char arguments[160];
    snprintf(arguments, sizeof arguments,
             "reproduce $D/small.exp --size small --out $D/%s --submit hand --quiet", folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

// Two workers on one folder; results are taken in while they work, and once more than there are any.
static void test_two(struct test *t)
{
    struct cli c = {.t = t};
    char *clean = lab_clean(&c);
    plan(&c, "two");
    cli_run(&c, "reproduce --status $D/two");
    CHECK_HAS(t, c.out, "points: 30; done 0, running 0, waiting 30, left 0");
    pid_t a = worker_start(t, "two", "1", "60"), b = worker_start(t, "two", "2", "60");
    plan_collect(&c, "two");
    CHECK_EQ(t, process_wait(a), 0);
    CHECK_EQ(t, process_wait(b), 0);
    plan_collect(&c, "two");
    CHECK_HAS(t, c.out, "30 of 30 points are in results.db, 0 were left; 1 of 1 figures are complete");
    plan_collect(&c, "two");
    check_same(t, "two", clean, "two workers");
    size_t length[2];
    char *here = cli_read(&c, "two/report.html", &length[0]),
         *there = cli_read(&c, "clean/report.html", &length[1]);
    CHECK(t, here && there && length[0] == length[1] && memcmp(here, there, length[0]) == 0);
    free(here);
    free(there);
    cli_run(&c, "reproduce --status $D/two");
    CHECK_HAS(t, c.out, "points: 30; done 30, running 0, waiting 0, left 0");
    free(clean);
    cli_fini(&c);
}

// Workers that are killed, or stopped for longer than their lease, at random moments; another finds what they held.
static void test_storm(struct test *t)
{
    struct cli c = {.t = t};
    double began = clock_seconds();
    char *clean = lab_clean(&c);
    double whole = clock_seconds() - began;
    struct rng r;
    rng_init(&r, test_seed(11));
    unsigned moments = test_is_long() ? 20 : 1, ended = 0;
    for (unsigned moment = 0; moment < 2 * moments; moment++) {
        char folder[20];
        bool stopped = moment % 2;
        snprintf(folder, sizeof folder, "storm%u", moment);
        plan(&c, folder);
        pid_t victim = worker_start(t, folder, "2", "1");
        sleep_for(0.05 + whole * (double)(rng_next(&r) % 500) / 1000);
        kill(victim, stopped ? SIGSTOP : SIGKILL);
        if (!stopped) ended += process_wait(victim) == -SIGKILL;
        CHECK_EQ(t, process_wait(worker_start(t, folder, "2", "1")), 0);
        if (stopped) {
            kill(victim, SIGCONT);
            CHECK_EQ(t, process_wait(victim), 0);
        }
        plan_collect(&c, folder);
        check_same(t, folder, clean, stopped ? "a worker was stopped" : "a worker was killed");
    }
    CHECK_MSG(t, ended > 0, "no worker was killed at work");
    free(clean);
    cli_fini(&c);
}

// SIGTERM: what it holds is handed back at once, so that another, with a lease of an hour, need not wait for it.
static void test_handed_back(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "back");
    pid_t first = worker_start(t, "back", "2", "3600");
    sleep_for(0.5);
    kill(first, SIGTERM);
    CHECK_EQ(t, process_wait(first), 0);
    cli_run(&c, "reproduce --status $D/back");
    CHECK_HAS(t, c.out, "running 0");
    CHECK_EQ(t, process_wait(worker_start(t, "back", "2", "3600")), 0);
    cli_run(&c, "reproduce --status $D/back");
    CHECK_HAS(t, c.out, "done 30");
    cli_fini(&c);
}

// A point that fails three times is left with its reason, and tried again when somebody says so.
static void test_left(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(
        &c, "stuck.exp",
        "title = a test\nkind = runs\nmeasure = speedup\nkernels = vecadd matrixMul\nviews = tiny/sass\n"
        "series = LRR : base with issue.scheduler=lrr\n");
    cli_run(&c, "reproduce $D/stuck.exp --size small --out $D/left --submit hand");
    CHECK_EQ(t, c.status, 0);
    char command[1400]; // breaks the command of a point behind the plan's back
    snprintf(command, sizeof command,
             "sed -i 's/ bench vecadd .*lrr.*/ run nowhere.ptx --kernel k --grid 1 --block 1/' %s/left/plan",
             test_directory(t));
    CHECK_EQ(t, test_command(command, 10, NULL, NULL), 0);
    cli_run(&c, "worker $D/left --processes 2");
    CHECK_HAS(t, c.out, "3 points run, 3 tries failed");
    cli_run(&c, "reproduce --status $D/left");
    CHECK_HAS(t, c.out, "done 3, running 0, waiting 0, left 1");
    CHECK_HAS(t, c.out, "left after 3 tries: run nowhere.ptx");
    CHECK_HAS(t, c.out, "ended with status 1: cannot read nowhere.ptx");
    cli_run(&c, "reproduce --collect $D/left");
    CHECK_HAS(t, c.out, "3 of 4 points are in results.db, 1 were left; 0 of 1 figures are complete");
    cli_run(&c, "reproduce --retry $D/left");
    CHECK_HAS(t, c.out, "1 points are waiting again");
    cli_run(&c, "reproduce $D/stuck.exp --size small --out $D/left --submit hand"); // writes the plan anew
    CHECK_HAS(t, c.out, "4 points planned");
    cli_run(&c, "worker $D/left --processes 2");
    cli_run(&c, "reproduce --collect $D/left");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were left; 1 of 1 figures are complete");
    cli_fini(&c);
}

// The longest come first, by how many instructions they have and how fast their view has run them.
// A point that is open becomes one that was lost so often and is held by a worker of which nobody knows.
static void hold(struct test *t, const char *folder, unsigned losses)
{
    char queue[1200], from[1500], to[1500];
    struct tokens all;
    snprintf(queue, sizeof queue, "%s/%s/queue", test_directory(t), folder);
    CHECK_EQ(t, tokens_list(&all, queue), 0);
    for (size_t i = 0; i < all.list.count; i++) {
        struct token held = all.list.data[i];
        char old[TOKEN_NAME_MAX], new[TOKEN_NAME_MAX];
        if (held.state != TOKEN_OPEN) continue;
        token_name(&held, old);
        held.state = TOKEN_HELD;
        held.losses = losses;
        snprintf(held.who, sizeof held.who, "nobody");
        token_name(&held, new);
        snprintf(from, sizeof from, "%s/%s", queue, old);
        snprintf(to, sizeof to, "%s/%s", queue, new);
        CHECK_EQ(t, rename(from, to), 0);
        break;
    }
    tokens_fini(&all);
}

// A point whose workers are lost again and again is left to somebody who looks at it: it may be what takes them with it.
static void test_losses(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "losses");
    hold(t, "losses", 4); // it will have been five
    hold(t, "losses", 1);
    cli_run(&c, "worker $D/losses --processes 2 --lease 1");
    cli_run(&c, "reproduce --status $D/losses");
    CHECK_HAS(t, c.out, "done 29, running 0, waiting 0, left 1");
    CHECK_HAS(t, c.out, "5 workers that ran it were lost");
    cli_run(&c, "reproduce --retry $D/losses");
    CHECK_HAS(t, c.out, "1 points are waiting again");
    cli_run(&c, "worker $D/losses --processes 2 --lease 1");
    cli_run(&c, "reproduce --status $D/losses");
    CHECK_HAS(t, c.out, "done 30");
    cli_fini(&c);
}

static void test_estimate(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    lab_write(&c, "two.exp",
              "title = a test\nkind = runs\nmeasure = ipc\nkernels = vecadd LIB gcd\n"
              "views = tiny/sass\nseries = A : base\n");
    cli_run(&c, "reproduce $D/two.exp --size small --out $D/long --submit hand");
    CHECK_HAS(t, c.out, "is expected to take one core");
    char *plan = cli_read(&c, "long/plan", &length), *first = plan ? strstr(plan, "\npoint ") : NULL;
    double seconds = 0;
    CHECK_MSG(t, first && sscanf(first, " point %*s bench %lf bench LIB", &seconds) == 1 && seconds > 0,
              "LIB is not the first: %s", first ? first : "no plan");
    CHECK(t, first && strstr(first + 1, "\npoint ") && strstr(first + 1, " 0.000000 ") == NULL);
    free(plan);
    cli_fini(&c);
}

static void test_refusals(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "out");
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out --submit pbs");
    CHECK_EQ(t, c.status, 2);
    CHECK_HAS(t, c.err, "--submit pbs: must be slurm");
    cli_run(&c, "reproduce --status $D");
    CHECK_HAS(t, c.err, "has no plan (");
    cli_run(&c, "worker $D --processes 1");
    CHECK_HAS(t, c.err, "has no plan (");
    char command[1400];
    snprintf(command, sizeof command, "sed -i '$d' %s/out/plan", test_directory(t));
    CHECK_EQ(t, test_command(command, 10, NULL, NULL), 0);
    cli_run(&c, "worker $D/out --processes 1");
    CHECK_HAS(t, c.err, "is no plan that this version of warpfold can read");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"two", test_two},          {"storm", test_storm},   {"handed back", test_handed_back},
        {"left", test_left},        {"losses", test_losses}, {"estimate", test_estimate},
        {"refusals", test_refusals}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
