// Plans run by workers, without a scheduler. Fails where the database differs from a clean run's, whatever
// happens to workers at whatever moment.
#include "base/progress.h"
#include "base/rng.h"
#include "base/str.h"
#include "cluster/claims.h"
#include "cluster/points.h"
#include "cluster/result.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void plan(struct cli *c, const char *folder)
{
    char arguments[160];
    snprintf(arguments, sizeof arguments,
             "reproduce $D/small.exp --size small --out $D/%s --submit hand --quiet", folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

static unsigned count_files(struct test *t, const char *folder)
{
    char path[600];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s", test_directory(t), folder);
    DIR *all = opendir(path);
    for (struct dirent *e; all && (e = readdir(all)) != NULL;) count += e->d_name[0] != '.';
    if (all) closedir(all);
    return count;
}

// Two workers on one folder. Results are collected during the run, and a last time with nothing left.
static void test_two(struct test *t)
{
    struct cli c = {.t = t};
    char *clean = lab_clean(&c);
    plan(&c, "two");
    cli_run(&c, "reproduce --status $D/two");
    CHECK_HAS(t, c.out, "points: 30; done 0, running 0, waiting 30, given up 0");
    pid_t a = worker_start(t, "two", "1", "60"), b = worker_start(t, "two", "2", "60");
    plan_collect(&c, "two");
    CHECK_EQ(t, process_wait(a), 0);
    CHECK_EQ(t, process_wait(b), 0);
    plan_collect(&c, "two");
    CHECK_HAS(t, c.out, "30 of 30 points are in results.db, 0 were given up; 1 of 1 figures are complete");
    CHECK_EQ(t, count_files(t, "two/compiled"), 6); // of 30 points: three kernels in two profiles
    plan_collect(&c, "two");
    check_same(t, "two", clean, "two workers");
    size_t length[2];
    char *here = cli_read(&c, "two/report.html", &length[0]),
         *there = cli_read(&c, "clean/report.html", &length[1]);
    CHECK(t, here && there && length[0] == length[1] && memcmp(here, there, length[0]) == 0);
    free(here);
    free(there);
    cli_run(&c, "reproduce --status $D/two");
    CHECK_HAS(t, c.out, "points: 30; done 30, running 0, waiting 0, given up 0");
    free(clean);
    cli_fini(&c);
}

// Workers killed, or stopped beyond their lease, at random moments; another worker takes over their claims.
static void test_storm(struct test *t)
{
    struct cli c = {.t = t};
    struct test_time start = test_now();
    char *clean = lab_clean(&c);
    double whole = test_since(start).processor;
    struct rng r;
    rng_init(&r, test_seed(11));
    unsigned moments = test_is_long() ? 20 : 1, ended = 0;
    for (unsigned moment = 0; moment < 2 * moments; moment++) {
        char folder[20];
        bool stopped = moment % 2;
        snprintf(folder, sizeof folder, "storm%u", moment);
        plan(&c, folder);
        pid_t victim = worker_start(t, folder, "2", "1");
        test_let_run(victim, 0.05 + whole * (double)(rng_next(&r) % 500) / 1000);
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

// SIGTERM: the worker hands its claims back at once. Another worker, with a lease of an hour, need not wait.
static void test_handed_back(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "back");
    pid_t first = worker_start(t, "back", "2", "3600");
    wait_for_work(&c, "back");
    kill(first, SIGTERM);
    CHECK_EQ(t, process_wait(first), 0);
    cli_run(&c, "reproduce --status $D/back");
    CHECK_HAS(t, c.out, "running 0");
    CHECK_EQ(t, process_wait(worker_start(t, "back", "2", "3600")), 0);
    cli_run(&c, "reproduce --status $D/back");
    CHECK_HAS(t, c.out, "done 30");
    cli_fini(&c);
}

// A point failing three times is given up with its reason, and tried again at the user's request.
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
    CHECK_HAS(t, c.out, "done 3, running 0, waiting 0, given up 1");
    CHECK_HAS(t, c.out, "given up after 3 tries: run nowhere.ptx");
    CHECK_HAS(t, c.out, "ended with status 1: cannot read nowhere.ptx");
    cli_run(&c, "reproduce --collect $D/left");
    CHECK_HAS(t, c.out, "3 of 4 points are in results.db, 1 were given up; 0 of 1 figures are complete");
    cli_run(&c, "reproduce --retry $D/left");
    CHECK_HAS(t, c.out, "1 points are waiting again");
    cli_run(&c, "reproduce $D/stuck.exp --size small --out $D/left --submit hand"); // writes the plan anew
    CHECK_HAS(t, c.out, "4 points planned");
    cli_run(&c, "worker $D/left --processes 2");
    cli_run(&c, "reproduce --collect $D/left");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were given up; 1 of 1 figures are complete");
    cli_fini(&c);
}

// -- points lost with their workers -------------------------------------------------------------------------

// One point of half a second.
static void plan_long(struct cli *c, const char *folder)
{
    char arguments[160];
    lab_write(c, "long.exp",
              "title = a test\nkind = runs\nmeasure = ipc\nkernels = binomialOptions\n"
              "views = tiny/sass\nseries = A : base\n");
    snprintf(arguments, sizeof arguments, "reproduce $D/long.exp --size medium --out $D/%s --submit hand",
             folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

// The token of the only point.
static struct token token_now(struct test *t, const char *folder)
{
    char path[600];
    struct tokens all;
    struct token now = {.state = TOKEN_STATES};
    snprintf(path, sizeof path, "%s/%s/queue", test_directory(t), folder);
    if (tokens_list(&all, path) == 0 && all.list.count) now = all.list.data[0];
    tokens_fini(&all);
    return now;
}

// Starts a worker and sends a signal so many seconds after its claim of the point.
// False: the worker ended by itself.
static bool interrupt_worker(struct test *t, const char *folder, double seconds, int signal)
{
    pid_t worker = worker_start(t, folder, "1", "1");
    struct token now = token_now(t, folder), before = now;
    for (double end = patience_end(); clock_seconds() < end; now = token_now(t, folder)) {
        bool held = now.state == TOKEN_HELD && !str_equal(now.who, before.who);
        if (held || now.state == TOKEN_LEFT) break;
        sleep_for(0.01);
    }
    if (now.state == TOKEN_HELD) {
        sleep_for(seconds);
        kill(worker, signal);
    }
    process_wait(worker);
    return now.state == TOKEN_HELD;
}

// A point killing every worker is tried by three workers. The next worker reports the point and goes on.
static void test_disappeared(struct test *t)
{
    struct cli c = {.t = t};
    plan_long(&c, "gone");
    for (unsigned losses = 0; losses < TOKEN_TRIES; losses++) {
        CHECK(t, interrupt_worker(t, "gone", 0, SIGKILL));
        CHECK_EQ(t, token_now(t, "gone").losses, losses);
        cli_run(&c, "reproduce --status $D/gone");
        CHECK_HAS(t, c.out,
                  losses == 2   ? ", lost 2 times together with a worker: bench"
                  : losses == 1 ? ", lost 1 time together with a worker: bench"
                                : " ago: bench");
    }
    cli_run(&c, "worker $D/gone --lease 1");
    CHECK_HAS(t, c.out, "0 points run, 0 tries failed, 1 claims taken over");
    cli_run(&c, "reproduce --status $D/gone");
    CHECK_HAS(t, c.out, "given up after 0 tries, lost 3 times together with a worker: bench binomialOptions");
    CHECK_HAS(t, c.out, ": three workers disappeared");
    cli_run(&c, "reproduce --collect $D/gone");
    CHECK_HAS(t, c.out, "0 of 1 points are in results.db, 1 were given up");
    cli_run(&c, "reproduce --retry $D/gone");
    CHECK_EQ(t, token_now(t, "gone").losses, 0);
    cli_run(&c, "worker $D/gone");
    plan_collect(&c, "gone");
    CHECK_HAS(t, c.out, "1 of 1 points are in results.db, 0 were given up");
    cli_fini(&c);
}

// Workers whose time is up. A loss counts if the whole time went to the point; a
// worker told to end counts no loss.
static void test_too_long(struct test *t)
{
    struct cli c = {.t = t};
    plan_long(&c, "time");
    CHECK(t, interrupt_worker(t, "time", 0.1, SIGTERM));
    CHECK_EQ(t, token_now(t, "time").losses, 0);
    CHECK_EQ(t, token_now(t, "time").state, TOKEN_OPEN);
    for (unsigned tries = 0; tries < 12 && token_now(t, "time").state != TOKEN_LEFT; tries++)
        interrupt_worker(t, "time", 0.2, SIGUSR1); // on a busy machine a worker may have less than its time
    cli_run(&c, "reproduce --status $D/time");
    CHECK_HAS(t, c.out, "given up after 0 tries, lost 3 times together with a worker: bench binomialOptions");
    CHECK_HAS(t, c.out, ": the time of three workers was up before the run's end");
    cli_fini(&c);
}

// A suspect point is claimed last, and only by a worker running nothing else.
static void test_suspect(struct test *t)
{
    struct cli c = {.t = t};
    struct diag d;
    struct plan p;
    struct claims claims;
    struct token suspect = {.state = TOKEN_OPEN}, moved, got;
    char folder[600];
    bool taken;
    int problem;
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "alone");
    snprintf(folder, sizeof folder, "%s/alone", test_directory(t));
    diag_init(&d);
    CHECK(t, plan_read(&p, folder, &d) && claims_begin(&claims, &p, "us", 60, NULL, &d));
    memcpy(suspect.id, p.points.data[0].id, sizeof suspect.id);
    moved = suspect;
    moved.losses = TOKEN_TRIES - 1;
    CHECK_EQ(t, token_move(claims.queue, &suspect, &moved), 0);
    for (unsigned i = 1; i < 30; i++) {
        CHECK_EQ(t, claims_next(&claims, true, &got, &taken, &problem), CLAIM_GOT);
        CHECK_STR(t, got.id, p.points.data[i].id);
    }
    CHECK_EQ(t, claims_next(&claims, true, &got, &taken, &problem), CLAIM_NONE);
    CHECK_EQ(t, claims_next(&claims, false, &got, &taken, &problem), CLAIM_GOT);
    CHECK_STR(t, got.id, suspect.id);
    CHECK_EQ(t, got.losses, TOKEN_TRIES - 1);
    claims_fini(&claims);
    plan_fini(&p);
    diag_fini(&d);
    cli_fini(&c);
}

// A holder without a beat file is one lost worker: after a lease its claims are taken over.
static void test_no_beat(struct test *t)
{
    struct cli c = {.t = t};
    struct diag d;
    struct plan p;
    struct claims claims;
    struct token got;
    char folder[600];
    bool taken = false;
    int problem = 0;
    lab_write(&c, "small.exp", lab_experiment);
    plan(&c, "mute");
    snprintf(folder, sizeof folder, "%s/mute", test_directory(t));
    diag_init(&d);
    CHECK(t, plan_read(&p, folder, &d) && claims_begin(&claims, &p, "us", 2, NULL, &d));
    for (size_t i = 0; i < p.points.count; i++) {
        struct token was = {.state = TOKEN_OPEN}, held = {.state = TOKEN_HELD, .who = "somebody"};
        memcpy(was.id, p.points.data[i].id, sizeof was.id);
        memcpy(held.id, was.id, sizeof held.id);
        CHECK_EQ(t, token_move(claims.queue, &was, &held), 0);
    }
    CHECK_EQ(t, claims_next(&claims, false, &got, &taken, &problem), CLAIM_NONE);
    CHECK_EQ(t, claims.others.count, 1);
    cli_run(&c, "reproduce --status $D/mute");
    CHECK_HAS(t, c.out, ", no record of beats: bench ");
    sleep_for(2.1); // more than a lease
    CHECK_EQ(t, claims_next(&claims, false, &got, &taken, &problem), CLAIM_GOT);
    CHECK(t, taken);
    CHECK_EQ(t, claims.others.count, 1);
    claims_fini(&claims);
    plan_fini(&p);
    diag_fini(&d);
    cli_fini(&c);
}

// Longest points first, estimated from the number of instructions and the measured speed of the point's view.
static void test_estimate(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    lab_write(&c, "two.exp",
              "title = a test\nkind = runs\nmeasure = ipc\nkernels = vecadd LIB gcd\n"
              "views = tiny/sass\nseries = A : base\n");
    cli_run(&c, "reproduce $D/two.exp --size small --out $D/long --submit hand");
    CHECK_HAS(t, c.out, "expected time on one core 0 s; from 0 s to ");
    CHECK_HAS(t, c.out, " s of one core are likely\n");
    char *plan = cli_read(&c, "long/plan", &length), *first = plan ? strstr(plan, "\npoint ") : NULL;
    double seconds = 0;
    CHECK_MSG(t, first && sscanf(first, " point %*s bench %lf bench LIB", &seconds) == 1 && seconds > 0,
              "LIB is not the first: %s", first ? first : "no plan");
    CHECK(t, first && strstr(first + 1, "\npoint ") && strstr(first + 1, " 0.000000 ") == NULL);
    free(plan);
    cli_fini(&c);
}

// Programs, studies, marks and pairs have estimates, too, from a small run.
static void test_estimate_kinds(struct test *t)
{
    static const struct {
        const char *kind, *lines;
    } kinds[] = {
        {"program", "kind = runs\nmeasure = time\nprograms = VecAdd\nviews = simtight/rv32i\n"
                    "series = A : simtight-rfc512\n"},
        {"study", "kind = study\nshow = stack\nstudy = taxonomy\ntable = workloads\nkernels = vecadd\n"
                  "views = tiny/sass\nseries = uniform : uniform\n"},
        {"mark", "kind = marks\nkernels = vecadd\nviews = tiny/sass\nseries = mark : mark\n"},
        {"mix", "kind = runs\nmeasure = weighted_speedup\npairs = vecadd + scan\n"
                "views = gtx285/ptxplus\nbase = base with place=split\nseries = A : base with place=all\n"},
    };
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
        char text[400], arguments[160], name[40], before[40];
        double seconds = 0;
        size_t length;
        snprintf(text, sizeof text, "title = a test\n%s", kinds[i].lines);
        lab_write(&c, "kind.exp", text);
        snprintf(arguments, sizeof arguments,
                 "reproduce $D/kind.exp --size medium --out $D/of-%s --submit hand", kinds[i].kind);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0 && !strstr(c.out, "not known"), "%s: %s%s", kinds[i].kind, c.out, c.err);
        snprintf(name, sizeof name, "of-%s/plan", kinds[i].kind);
        snprintf(before, sizeof before, " point %%*s %s %%lf", kinds[i].kind);
        char *plan = cli_read(&c, name, &length), *first = plan ? strstr(plan, "\npoint ") : NULL;
        CHECK_MSG(t, first && sscanf(first, before, &seconds) == 1 && seconds > 0, "%s: %s", kinds[i].kind,
                  first ? first : "no plan");
        free(plan);
    }
    cli_fini(&c);
}

// -- missing or changed files -------------------------------------------------------------------------------

static void shell(struct test *t, const char *folder, const char *command)
{
    char text[1600];
    snprintf(text, sizeof text, "cd %s/%s && %s", test_directory(t), folder, command);
    CHECK_EQ(t, test_command(text, 20, NULL, NULL), 0);
}

// Writes a plan of four short points.
static void plan_four(struct cli *c, const char *folder)
{
    char arguments[160];
    lab_write(
        c, "four.exp",
        "title = a test\nkind = runs\nmeasure = speedup\nkernels = vecadd matrixMul\nviews = tiny/sass\n"
        "series = LRR : base with issue.scheduler=lrr\n");
    snprintf(arguments, sizeof arguments,
             "reproduce $D/four.exp --size small --out $D/%s --submit hand --quiet", folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

// A point without a token is run all the same. A token lost after the run does no
// harm: the database has the result.
static void test_no_token(struct test *t)
{
    struct cli c = {.t = t};
    plan_four(&c, "token");
    shell(t, "token", "rm $(ls -d queue/*.open | head -n 1)");
    cli_run(&c, "reproduce --status $D/token");
    CHECK_HAS(t, c.out, "points: 4; done 0, running 0, waiting 3, given up 0, without a token 1\n");
    CHECK_HAS(t, c.out, "  no token in queue, to be restored by a worker: ");
    cli_run(&c, "worker $D/token --processes 2");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "4 points run, 0 tries failed");
    CHECK_HAS(t, c.err, "worker: point ");
    CHECK_HAS(t, c.err, "/token/queue and is open again: bench ");
    plan_collect(&c, "token");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were given up");
    shell(t, "token", "rm $(ls -d queue/*.done | head -n 1)");
    plan_collect(&c, "token"); // the database has the result
    cli_run(&c, "reproduce --status $D/token");
    CHECK_HAS(t, c.out, "points: 4; done 4, running 0, waiting 0, given up 0\n");
    cli_fini(&c);
}

// Duplicate tokens: a point counts once, and no worker waits for the copy.
static void test_surplus(struct test *t)
{
    struct cli c = {.t = t};
    plan_four(&c, "copies");
    shell(t, "copies", "for f in queue/*.open; do cp $f ${f%0.0.open}1.0.open; done");
    cli_run(&c, "reproduce --status $D/copies");
    CHECK_HAS(t, c.out, "points: 4; done 0, running 0, waiting 4, given up 0\n");
    CHECK_HAS(t, c.out, "  surplus tokens in queue: 4\n");
    cli_run(&c, "worker $D/copies --processes 2");
    CHECK_EQ(t, c.status, 0);
    shell(t, "copies",
          "f=$(ls -d queue/*.done | head -n 1); cp $f ${f%?.?.done}0.2.done; cp $f ${f%?.?.done}2.0.open");
    cli_run(&c, "worker $D/copies --processes 2");
    CHECK_HAS(t, c.out, "0 points run, 0 tries failed");
    plan_collect(&c, "copies");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were given up");
    cli_run(&c, "reproduce --status $D/copies");
    CHECK_HAS(t, c.out, "points: 4; done 4, running 0, waiting 0, given up 0\n");
    cli_fini(&c);
}

// The folder of results vanishes before and during a worker's run: the work goes on,
// and no point is lost for good.
static void test_no_committed(struct test *t)
{
    struct cli c = {.t = t};
    plan_four(&c, "gone4");
    shell(t, "gone4", "rm -r committed");
    cli_run(&c, "reproduce --status $D/gone4");
    CHECK_HAS(t, c.out, "/gone4/committed is missing\n");
    cli_run(&c, "worker $D/gone4 --processes 2");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "4 points run, 0 tries failed");
    CHECK_HAS(t, c.err, "/gone4/committed was missing, with every result not collected: made anew");
    shell(t, "gone4", "rm -r committed");
    plan_collect(&c, "gone4");
    CHECK_HAS(t, c.err, "/gone4/committed was gone, and is made anew\n");
    cli_run(&c, "reproduce --status $D/gone4");
    CHECK_HAS(t, c.out, "points: 4; done 0, running 0, waiting 4, given up 0\n");
    pid_t worker = worker_start(t, "gone4", "1", "60");
    while (!status_number(&c, "gone4", "done")) sleep_for(0.01);
    shell(t, "gone4", "mv committed removed && rm -r removed"); // the worker goes on writing
    CHECK_EQ(t, process_wait(worker), 0);
    plan_collect(&c, "gone4");
    cli_run(&c, "worker $D/gone4 --processes 2");
    plan_collect(&c, "gone4");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were given up");
    cli_fini(&c);
}

// Waits until a worker has looked at the queue: the first beat is written after the first look.
static void wait_for_beat(struct test *t, const char *folder)
{
    char command[700];
    double end = patience_end();
    snprintf(command, sizeof command, "test -s %s/%s/workers/*.beat", test_directory(t), folder);
    while (test_command(command, 20, NULL, NULL) != 0 && clock_seconds() < end) sleep_for(0.01);
    CHECK_MSG(t, clock_seconds() < end, "%s: no worker has begun", folder);
}

// A worker waiting for a point of another worker ends when the plan is removed. The plan is renamed first,
// in one step: the worker makes a missing folder of results anew, and may do so between two steps of rm.
static void test_no_folder(struct test *t)
{
    struct cli c = {.t = t};
    plan_four(&c, "away");
    shell(t, "away", "for f in queue/*.open; do mv $f ${f%open}held.somebody; done");
    pid_t worker = worker_start(t, "away", "1", "600");
    wait_for_beat(t, "away");
    CHECK_EQ(t, waitpid(worker, NULL, WNOHANG), 0);
    shell(t, ".", "mv away removed && rm -r removed");
    CHECK_EQ(t, process_wait(worker), 1);
    cli_fini(&c);
}

// A changed digit in a result is found by the collector and by a worker; the point is run again.
static void test_changed_result(struct test *t)
{
    struct cli c = {.t = t};
    plan_four(&c, "digit");
    cli_run(&c, "worker $D/digit --processes 2");
    shell(t, "digit", "f=$(ls -d committed/*.json | head -n 1) && sed -i '/\"cycles\": /s/[1-8]/9/' $f");
    cli_run(&c, "reproduce --collect $D/digit");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "3 of 4 points are in results.db, 0 were given up");
    CHECK_HAS(t, c.err, "warning: ");
    CHECK_HAS(t, c.err,
              ".json has a wrong checksum: the result is rejected, and the point is "
              "open again: bench ");
    cli_run(&c, "worker $D/digit --processes 2");
    CHECK_HAS(t, c.out, "1 points run, 0 tries failed");
    shell(t, "digit",
          "f=$(ls -d committed/*.json) && sed -i '1s/{/ {/' $f && i=$(basename $f .json) && "
          "mv queue/$i.0.0.done queue/$i.0.0.open");
    cli_run(&c, "worker $D/digit --processes 2");
    CHECK_HAS(t, c.out, "1 points run, 0 tries failed");
    CHECK_HAS(t, c.err, ".json has a wrong checksum: the point runs again");
    plan_collect(&c, "digit");
    CHECK_HAS(t, c.out, "4 of 4 points are in results.db, 0 were given up");
    CHECK_STR(t, c.err, "");
    cli_fini(&c);
}

// A result with any bit changed is refused, and so are a truncated result and another point's.
static void test_every_byte(struct test *t)
{
    static const char id[] = "0123456789abcdef";
    struct cli c = {.t = t};
    char path[600], text[] = "{\n  \"cycles\": 12345\n}\n", *bytes;
    const char *why;
    size_t length, whole;
    snprintf(path, sizeof path, "%s/one.json", test_directory(t));
    CHECK(t, result_write(path, id, text, &why));
    CHECK_EQ(t, result_read(path, id, &bytes, &length), RESULT_GOOD);
    CHECK(t, bytes && length == strlen(text) && memcmp(bytes, text, length) == 0);
    free(bytes);
    CHECK_EQ(t, result_read(path, "0123456789abcdee", &bytes, &length), RESULT_BROKEN);
    char *file = cli_read(&c, "one.json", &whole);
    for (size_t n = 0; file && n < whole; n++)
        for (unsigned bit = 0; bit < 8; bit++) {
            file[n] = (char)(file[n] ^ 1 << bit);
            cli_write(&c, "one.json", file, whole);
            CHECK_EQ(t, result_read(path, id, &bytes, &length), RESULT_BROKEN);
            file[n] = (char)(file[n] ^ 1 << bit);
        }
    for (size_t n = 0; file && n < whole; n++) {
        cli_write(&c, "one.json", file, n);
        CHECK_EQ(t, result_read(path, id, &bytes, &length), RESULT_BROKEN);
    }
    cli_write(&c, "one.json", text, strlen(text));
    CHECK(t, result_seal(path, id));
    CHECK_EQ(t, result_read(path, id, &bytes, &length), RESULT_GOOD);
    free(bytes);
    free(file);
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
    CHECK_HAS(t, c.err, "is not a plan readable by this version of warpfold");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"two", test_two},
                                             {"storm", test_storm},
                                             {"handed back", test_handed_back},
                                             {"left", test_left},
                                             {"disappeared", test_disappeared},
                                             {"too long", test_too_long},
                                             {"suspect", test_suspect},
                                             {"no beat", test_no_beat},
                                             {"estimate", test_estimate},
                                             {"estimate of kinds", test_estimate_kinds},
                                             {"no token", test_no_token},
                                             {"surplus", test_surplus},
                                             {"no committed", test_no_committed},
                                             {"no folder", test_no_folder},
                                             {"changed result", test_changed_result},
                                             {"every byte", test_every_byte},
                                             {"refusals", test_refusals}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
