#include "lab/pool.h"
#include "base/file.h"
#include "base/progress.h"
#include "lab/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS_MAX = 64 };

struct worker {
    pid_t process; // 0: idle
    const struct job *job;
};

static char *path_of(const struct pool *p, const struct job *j, const char *ending)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/runs/%s.%s", p->folder, j->id, ending);
    return path.text;
}

static void remove_leftovers(const struct pool *p, const struct job *j)
{
    static const char *const endings[] = {"json", "err"};
    for (size_t i = 0; i < 2; i++) {
        char *path = path_of(p, j, endings[i]);
        unlink(path);
        free(path);
    }
}

// -- a process ----------------------------------------------------------------------------------------------

static pid_t start(const struct pool *p, const struct job *j, const sigset_t *mask)
{
    char json[40], *errors = path_of(p, j, "err");
    snprintf(json, sizeof json, "runs/%s.json", j->id);
    int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    pid_t process = process_start(&(struct process_order){.program = p->program,
                                                          .folder = p->folder,
                                                          .command = j->command,
                                                          .is_mark = str_equal(j->kind, "mark"),
                                                          .json = json,
                                                          .errors = err,
                                                          .signals = mask});
    if (process < 0) diag_error(p->diag, loc_none(), "cannot start a process: %s", strerror(errno));
    if (err >= 0) close(err);
    free(errors);
    return process;
}

// -- its result ---------------------------------------------------------------------------------------------

// Stores the JSON of a finished run in the database. False: no JSON, or broken JSON, which is removed (*there
// false in both cases); or JSON that is not storable (*there true).
static bool take_result(struct pool *p, struct database *db, const struct job *j, bool *there)
{
    char *path = path_of(p, j, "json"), *bytes;
    size_t length, offset;
    const char *why;
    *there = file_read(path, &bytes, &length, &why);
    bool good = false;
    if (*there) {
        struct arena arena;
        arena_init(&arena);
        const struct json_value *v = json_parse(bytes, length, &arena, &why, &offset);
        if (!v) {
            unlink(path); // broken JSON: run again
            *there = false;
        } else {
            good = database_add_run(db, j, v);
        }
        arena_fini(&arena);
        free(bytes);
    }
    free(path);
    if (good) remove_leftovers(p, j);
    return good;
}

// The error message of a job's failed process, in one line. Heap.
static char *complaint(const struct pool *p, const struct job *j)
{
    char *path = path_of(p, j, "err"), *text;
    size_t length;
    const char *why;
    if (!file_read(path, &text, &length, &why)) text = heap_strdup("");
    free(path);
    char *message = process_complaint(text);
    free(text);
    return message;
}

// Records the failure of a job of kind "run", the script of a measured launch (jobs_script); the pool goes
// on. False: another kind of job.
static bool note_failure(struct pool *p, const struct job *j, const char *why)
{
    if (!str_equal(j->kind, "run")) return false;
    vec_push(&p->failures, (struct pool_failure){j, heap_strdup(why)});
    remove_leftovers(p, j);
    return true;
}

// Handles an ended process. Without JSON, exit status 2 (bad usage) is a result too: the build lacks
// something needed by the run. A run of the user's own may be refused for bad input, too. False and an error: a result not storable, or a failed run (not of kind
// "run").
static bool settle(struct pool *p, struct database *db, const struct job *j, int status)
{
    bool there, good = take_result(p, db, j, &there);
    if (there) return good;
    char *why = complaint(p, j);
    bool is_own = str_equal(j->kind, "own") && WIFEXITED(status);
    if (is_own || (WIFEXITED(status) && WEXITSTATUS(status) == 2)) {
        good = database_add_refused(db, j, why);
        if (good) remove_leftovers(p, j);
    } else {
        struct strbuf end = {0};
        if (WIFEXITED(status))
            strbuf_printf(&end, "ended with status %d: %s", WEXITSTATUS(status), *why ? why : "no message");
        else
            strbuf_printf(&end, "was killed by signal %d", WTERMSIG(status));
        good = note_failure(p, j, end.text) ||
               diag_error(p->diag, loc_none(), "warpfold %s %s", j->command, end.text);
        strbuf_fini(&end);
    }
    free(why);
    return good;
}

// -- the pool -----------------------------------------------------------------------------------------------

static void kill_all(struct worker *workers, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (!workers[k].process) continue;
        kill(workers[k].process, SIGKILL);
        waitpid(workers[k].process, NULL, 0);
    }
}

// Collects the results of ended processes; false: cannot continue.
static bool collect(struct pool *p, struct database *db, struct worker *workers)
{
    bool good = true;
    for (unsigned k = 0; k < p->workers && good; k++) {
        int status;
        if (!workers[k].process || waitpid(workers[k].process, &status, WNOHANG) != workers[k].process)
            continue;
        workers[k].process = 0;
        good = settle(p, db, workers[k].job, status);
        p->done += good;
    }
    return good;
}

// Starts jobs on idle workers; jobs with a result, and left-out jobs, are only counted. Returns the number of
// busy workers; -1: an error, such as a process not started.
static int feed(struct pool *p, struct database *db, const struct jobs *jobs, size_t *next,
                struct worker *workers, const sigset_t *mask)
{
    int busy = 0;
    for (unsigned k = 0; k < p->workers; k++) {
        while (!workers[k].process && *next < jobs->list.count) {
            const struct job *j = &jobs->list.data[(*next)++];
            bool there;
            if (database_has_run(db, j->id) || take_result(p, db, j, &there)) {
                p->reused++;
                continue;
            }
            if (j->left_out) {
                p->left_out++;
                continue;
            }
            if (p->diag->errors) return -1;
            workers[k] = (struct worker){start(p, j, mask), j};
            if (workers[k].process < 0) {
                workers[k].process = 0;
                return -1;
            }
        }
        busy += workers[k].process != 0;
    }
    return busy;
}

enum {
    GROWS_AFTER = 10,
    GROWTH_SHARE = 20
}; // seconds to the first call of `grown`; time over the time of calls

struct growth {
    double next;  // time of the next call of `grown`
    size_t count; // runs at the last call
};

static bool tell_growth(struct pool *p, struct growth *g)
{
    double now = clock_seconds();
    if (!p->grown || now < g->next || p->done == g->count) return true;
    g->count = p->done;
    bool good = p->grown(p->grown_context);
    double after = clock_seconds();
    g->next = after + fmax(GROWS_AFTER, GROWTH_SHARE * (after - now));
    return good;
}

bool pool_run(struct pool *p, struct database *db, const struct jobs *jobs)
{
    struct worker workers[WORKERS_MAX] = {{0}};
    if (p->workers > WORKERS_MAX) p->workers = WORKERS_MAX;
    sigset_t watched, before;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGHUP);
    sigprocmask(SIG_BLOCK, &watched, &before); // pending until sigtimedwait
    struct progress bar;
    progress_init(&bar, "reproduce", "runs", jobs->list.count, p->progress);
    size_t next = 0;
    bool good = true;
    struct growth growth = {.next = clock_seconds() + GROWS_AFTER};
    for (;;) {
        good = collect(p, db, workers) && tell_growth(p, &growth);
        int busy = good ? feed(p, db, jobs, &next, workers, &before) : -1;
        if (busy <= 0) {
            good = good && busy == 0;
            break;
        }
        progress_update(&bar, p->done + p->reused + p->left_out);
        int signal = sigtimedwait(&watched, NULL, &(struct timespec){.tv_nsec = 200 * 1000 * 1000});
        if (signal <= 0 || signal == SIGCHLD) continue;
        p->interrupted = signal;
        good = false;
        break;
    }
    progress_fini(&bar);
    kill_all(workers, p->workers);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return good;
}

void pool_fini(struct pool *p)
{
    for (size_t i = 0; i < p->failures.count; i++) free(p->failures.data[i].why);
    vec_fini(&p->failures);
}
