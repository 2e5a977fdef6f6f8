#include "cluster/worker.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "cluster/claims.h"
#include "cluster/result.h"
#include "lab/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double pause_seconds = 1; // pause before the next claim after an error of the file system
// A point is too long if, when the worker's time is up, the point's run has taken more than this share of the
// time.
static const double whole_time = 0.9;

enum { TIME_IS_UP = SIGUSR1 }; // sent by Slurm before the end of a job (slurm.c)

struct slot {
    pid_t process; // 0: free
    struct token token;
    const struct plan_point *point;
    double started;
    int errors; // descriptor of the stderr of `process`, a file in memory: works on a full disk
};

struct renaming {
    struct token from, to;
};

struct worker {
    const struct worker_order *order;
    struct worker_report *report;
    struct plan plan;
    struct claims claims;
    struct beat beat;
    char *compiled; // folder of shared compiled kernels
    // own clock, seconds: start of the worker; last beat written; earliest next claim
    double began, beaten, resume;
    bool has_told;                // a file-system error has been reported
    VEC(struct renaming) delayed; // renames of own tokens that failed and are retried
    struct slot slots[WORKER_PROCESSES_MOST];
    unsigned busy;
    sigset_t watched, before;
};

// Path of a point's result file, "committed/ID[.WHO].ENDING": relative to the plan's folder, or absolute if
// `whole`. WHO, the worker's name, occurs in partial files only.
static char *result_path(const struct worker *w, const struct token *t, bool whole, const char *ending)
{
    struct strbuf path = {0};
    bool part = str_equal(ending, "part");
    strbuf_printf(&path, "%s%scommitted/%s%s%s.%s", whole ? w->plan.folder : "", whole ? "/" : "", t->id,
                  part ? "." : "", part ? w->beat.who : "", ending);
    return path.text;
}

// Whether an errno may be temporary: disk full, file system unavailable, no memory or file descriptor left,
// or an interrupted call.
static bool is_place_error(int number)
{
    static const int numbers[] = {ENOSPC, EDQUOT, EIO, ESTALE, EAGAIN, EINTR, ENOMEM, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (number == numbers[i]) return true;
    return false;
}

static bool is_place_complaint(const char *text)
{
    static const int numbers[] = {ENOSPC, EDQUOT, EIO, ESTALE, ENOMEM};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strstr(text, strerror(numbers[i]))) return true;
    return false;
}

// -- end of a point -----------------------------------------------------------------------------------------

static void tell(const struct worker *w, const char *line)
{
    if (w->order->tell) w->order->tell(line);
}

// Stops claiming for a while after an error of the file system. Reports the error once until the next
// committed result. why NULL: no report.
static void pause_for(struct worker *w, const char *why)
{
    struct strbuf line = {0};
    w->resume = clock_seconds() + pause_seconds;
    if (!why || w->has_told) return;
    strbuf_printf(&line, "waits for %s, and tries again every second: %s", w->plan.folder, why);
    tell(w, line.text);
    w->has_told = true;
    strbuf_fini(&line);
}

// Renames a token. True also if another worker has taken over the claim: the result counts in any case.
// False: the caller retries later.
static bool rename_token(struct worker *w, const struct renaming *r)
{
    int problem = token_move(w->claims.queue, &r->from, &r->to);
    w->beat.lost += problem == ENOENT;
    if (problem && problem != ENOENT) pause_for(w, strerror(problem));
    return !problem || problem == ENOENT;
}

// Records a point's new state. No other worker may change the token while the own beat advances, so a failed
// rename is retried.
static void release_as(struct worker *w, const struct token *t, enum token_state state, unsigned failures,
                       unsigned losses)
{
    struct renaming r = {*t, *t};
    r.to.state = state;
    r.to.failures = failures;
    r.to.losses = losses;
    if (!rename_token(w, &r)) vec_push(&w->delayed, r);
}

static void rename_delayed(struct worker *w)
{
    while (w->delayed.count && rename_token(w, &vec_last(&w->delayed))) w->delayed.count--;
}

static void release(struct worker *w, const struct token *t, enum token_state state)
{
    release_as(w, t, state, t->failures, t->losses);
}

static void hand_back(struct worker *w, struct token *t, const char *why)
{
    release(w, t, TOKEN_OPEN);
    pause_for(w, why);
}

// Whether a valid result of the point exists. Removes and reports a broken result.
static bool is_committed(const struct worker *w, const struct token *t)
{
    static const char *const endings[] = {"json", "refused"};
    bool there = false;
    for (size_t i = 0; i < 2 && !there; i++) {
        char *path = result_path(w, t, true, endings[i]), *bytes;
        size_t length;
        enum result_state state = result_read(path, t->id, &bytes, &length);
        there = state == RESULT_GOOD;
        if (state == RESULT_BROKEN && unlink(path) == 0) {
            struct strbuf line = {0};
            strbuf_printf(&line, "%s has a wrong checksum: the point runs again", path);
            tell(w, line.text);
            strbuf_fini(&line);
        }
        free(bytes);
        free(path);
    }
    return there;
}

static void discard_part(const struct worker *w, const struct token *t)
{
    char *path = result_path(w, t, true, "part");
    unlink(path);
    free(path);
}

// Counts a run before its result is visible. A worker killed in between leaves a counted run without a
// result, which shows as a duplicate.
static void count_run(struct worker *w)
{
    w->beat.runs++;
    beat_write(&w->beat);
}

static void commit_result(struct worker *w, struct token *t)
{
    char *part = result_path(w, t, true, "part"), *path = result_path(w, t, true, "json");
    count_run(w);
    if (result_seal(part, t->id) && rename(part, path) == 0) {
        w->has_told = false;
        release(w, t, TOKEN_DONE);
    } else {
        const char *why = strerror(errno);
        discard_part(w, t);
        hand_back(w, t, why);
    }
    free(part);
    free(path);
}

// Commits a run without a result: writes its message in place of the result. Ending "refused": the point is
// done; "failed": the point is reopened, or given up after TOKEN_TRIES failures.
static void commit_message(struct worker *w, struct token *t, const char *ending, const char *message)
{
    char *path = result_path(w, t, true, ending);
    const char *why;
    bool refused = str_equal(ending, "refused");
    unsigned failures = t->failures + 1;
    if (refused) count_run(w);
    if (!result_write(path, t->id, message, &why)) {
        hand_back(w, t, why);
    } else if (refused) {
        release(w, t, TOKEN_DONE);
    } else {
        w->beat.failed++;
        release_as(w, t, failures < TOKEN_TRIES ? TOKEN_OPEN : TOKEN_LEFT, failures, t->losses);
    }
    free(path);
}

// Gives up a point lost too often. If the message cannot be written, the point is reopened with its losses so
// far.
static void give_up(struct worker *w, struct token *t, const char *message)
{
    char *path = result_path(w, t, true, "failed");
    const char *why;
    if (result_write(path, t->id, message, &why))
        release_as(w, t, TOKEN_LEFT, t->failures, TOKEN_TRIES);
    else
        hand_back(w, t, why);
    free(path);
}

// First line of the text written to a descriptor, without "error: "; heap.
static char *read_back(int file)
{
    char text[4096];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return process_complaint(text);
}

// Whether a point's process was killed together with the worker: the kill of a job reaches all processes in
// any order. Such an end is no failure of the point.
static bool is_our_end(int status)
{
    if (!WIFSIGNALED(status) || (WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGTERM)) return false;
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) || sigismember(&pending, SIGHUP);
}

static bool is_own(const struct slot *s) { return str_equal(s->point->kind, "own"); }

static void settle(struct worker *w, struct slot *s, int status)
{
    char *said = read_back(s->errors), *part = result_path(w, &s->token, true, "part");
    struct strbuf message = {0};
    close(s->errors);
    s->process = 0;
    w->busy--;
    if (!WIFSIGNALED(status) && access(part, F_OK) == 0) {
        commit_result(w, &s->token);
        // Exit status 2: the build lacks a feature needed by the run. A refusal is a result, too.
        // Runs of the user's own may have bad input at a point of a sweep.
    } else if (WIFEXITED(status) && (WEXITSTATUS(status) == 2 || (is_own(s) && !is_place_complaint(said)))) {
        commit_message(w, &s->token, "refused", said);
    } else if (is_place_complaint(said) || is_our_end(status)) {
        discard_part(w, &s->token);
        hand_back(w, &s->token, is_place_complaint(said) ? said : NULL);
    } else {
        if (WIFEXITED(status))
            strbuf_printf(&message, "ended with status %d: %s", WEXITSTATUS(status),
                          *said ? said : "no message");
        else
            strbuf_printf(&message, "was killed by signal %d", WTERMSIG(status));
        discard_part(w, &s->token);
        commit_message(w, &s->token, "failed", message.text);
    }
    strbuf_fini(&message);
    free(part);
    free(said);
}

static void reap(struct worker *w)
{
    int status;
    for (unsigned k = 0; k < w->order->processes; k++)
        if (w->slots[k].process && waitpid(w->slots[k].process, &status, WNOHANG) == w->slots[k].process)
            settle(w, &w->slots[k], status);
}

// -- start of a point ---------------------------------------------------------------------------------------

static void start(struct worker *w, struct slot *s, const struct token *t)
{
    uint32_t index = 0;
    strmap_get(&w->plan.by_id, t->id, 16, &index);
    *s = (struct slot){.token = *t, .point = &w->plan.points.data[index]};
    if (is_committed(w, t)) { // committed by a worker that ended before it renamed the token
        release(w, &s->token, TOKEN_DONE);
        return;
    }
    if (t->losses >= TOKEN_TRIES) {
        give_up(w, &s->token, "three workers disappeared during the run (killed for memory, maybe)");
        return;
    }
    char *part = result_path(w, t, false, "part");
    s->errors = memfd_create("errors", MFD_CLOEXEC);
    pid_t process = process_start(&(struct process_order){.run = w->order->run,
                                                          .folder = w->plan.folder,
                                                          .command = s->point->command,
                                                          .is_mark = str_equal(s->point->kind, "mark"),
                                                          .json = part,
                                                          .errors = s->errors,
                                                          .compiled = w->compiled,
                                                          .signals = &w->before});
    free(part);
    if (process < 0) {
        hand_back(w, &s->token, strerror(errno));
        if (s->errors >= 0) close(s->errors);
        return;
    }
    s->process = process;
    s->started = clock_seconds();
    w->busy++;
}

static bool cannot_claim(const struct worker *w, int problem)
{
    return diag_error(w->order->diag, loc_none(), "cannot claim points in %s: %s", w->claims.queue_path,
                      strerror(problem));
}

// Whether a suspect (a point with one loss less than the limit) is running; a suspect runs alone.
static bool is_alone(const struct worker *w)
{
    for (unsigned k = 0; k < w->order->processes; k++)
        if (w->slots[k].process && token_is_suspect(&w->slots[k].token)) return true;
    return false;
}

// Checks that DIR/committed exists, or creates the folder. False with *problem 0: a temporary error. False
// with *problem an errno: a permanent error, with a message.
static bool has_room(struct worker *w, int *problem)
{
    bool is_new = false;
    *problem = 0;
    if (plan_has_folder(&w->plan, "committed", &is_new)) {
        struct strbuf line = {0};
        strbuf_printf(&line,
                      "%s/committed was missing, with every result not collected: made anew; "
                      "`warpfold reproduce --collect` finds the points to run again",
                      w->plan.folder);
        if (is_new) tell(w, line.text);
        strbuf_fini(&line);
        return true;
    }
    if (is_place_error(errno)) {
        pause_for(w, strerror(errno));
        return false;
    }
    *problem = errno;
    diag_error(w->order->diag, loc_none(), "cannot make %s/committed: %s", w->plan.folder, strerror(errno));
    return false;
}

// Starts points in free slots. False and an error: claims are impossible for good.
static bool feed(struct worker *w)
{
    struct token t;
    bool taken;
    int problem;
    if (clock_seconds() >= w->resume) rename_delayed(w);
    for (unsigned k = 0; k < w->order->processes; k++)
        while (!w->slots[k].process) {
            if (clock_seconds() < w->resume || is_alone(w)) return true;
            if (!has_room(w, &problem)) return !problem;
            enum claim_answer answer = claims_next(&w->claims, w->busy > 0, &t, &taken, &problem);
            if (answer == CLAIM_NONE) return true;
            if (answer == CLAIM_FAILED && !is_place_error(problem)) return cannot_claim(w, problem);
            if (answer == CLAIM_FAILED) {
                pause_for(w, strerror(problem));
                return true;
            }
            w->beat.taken += taken;
            start(w, &w->slots[k], &t);
        }
    return true;
}

// Reopens a point whose process was killed at the worker's end, or gives the point up after too many losses.
// The end counts as a loss if the worker's time expired and the point had run for nearly the whole time.
static void interrupt(struct worker *w, struct slot *s)
{
    double now = clock_seconds();
    bool too_long = w->report->interrupted == TIME_IS_UP && now - s->started > whole_time * (now - w->began);
    if (too_long && s->token.losses + 1 >= TOKEN_TRIES)
        give_up(w, &s->token,
                "the time of three workers was up before the run's end: submit with a longer time");
    else
        release_as(w, &s->token, TOKEN_OPEN, s->token.failures, s->token.losses + too_long);
}

static void stop_all(struct worker *w)
{
    for (unsigned k = 0; k < w->order->processes; k++) {
        struct slot *s = &w->slots[k];
        if (!s->process) continue;
        kill(-s->process, SIGKILL);
        kill(s->process, SIGKILL);
        waitpid(s->process, NULL, 0);
        close(s->errors);
        discard_part(w, &s->token);
        interrupt(w, s);
    }
}

static bool work(struct worker *w)
{
    double between = w->order->lease_seconds / 8;
    w->began = clock_seconds();
    for (;;) {
        reap(w);
        if (!feed(w)) return false;
        if (clock_seconds() - w->beaten >= between) {
            beat_write(&w->beat);
            w->beaten = clock_seconds();
        }
        if (!w->busy && w->claims.finished) return true;
        int signal = sigtimedwait(&w->watched, NULL, &(struct timespec){.tv_nsec = 100 * 1000 * 1000});
        if (signal <= 0 || signal == SIGCHLD) continue;
        w->report->interrupted = signal;
        return true;
    }
}

static void watch_signals(struct worker *w)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, TIME_IS_UP};
    sigemptyset(&w->watched);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&w->watched, signals[i]);
    sigprocmask(SIG_BLOCK, &w->watched, &w->before);
}

// Creates the worker's record, and waits while the file system has a temporary error (disk full). True also
// if a signal ends the wait. False and an error: a permanent failure.
static bool enter(struct worker *w)
{
    char *workers = plan_path(&w->plan, "workers", "");
    int problem;
    while (!beat_begin(&w->beat, workers, &problem) && is_place_error(problem) && !w->report->interrupted) {
        int signal = sigtimedwait(&w->watched, NULL, &(struct timespec){.tv_sec = 1});
        if (signal > 0 && signal != SIGCHLD) w->report->interrupted = signal;
    }
    bool good =
        !problem || w->report->interrupted ||
        diag_error(w->order->diag, loc_none(), "cannot write into %s: %s", workers, strerror(problem));
    free(workers);
    return good;
}

bool worker_lease(const char *text, double *seconds, struct diag *d)
{
    *seconds = 120;
    return !text || (str_to_f64(text, seconds) && *seconds >= 1 && *seconds <= 1e6) ||
           diag_error(d, loc_none(), "--lease %s: must be seconds, from 1 to 1000000", text);
}

bool worker_run(const struct worker_order *o, struct worker_report *r)
{
    assert(o->processes && o->processes <= WORKER_PROCESSES_MOST);
    struct worker *w = heap_alloc(sizeof *w);
    *w = (struct worker){.order = o, .report = r, .claims = {.queue = -1}, .beat = {.file = -1}};
    *r = (struct worker_report){0};
    watch_signals(w);
    bool good =
        plan_read(&w->plan, o->folder, o->diag) && plan_is_of(&w->plan, o->build, o->diag) && enter(w);
    w->compiled = plan_path(&w->plan, "compiled", "");
    if (good && !r->interrupted)
        good = claims_begin(&w->claims, &w->plan, w->beat.who, o->lease_seconds, o->tell, o->diag) && work(w);
    stop_all(w);
    claims_fini(&w->claims);
    beat_end(&w->beat);
    *r = (struct worker_report){w->beat.runs, w->beat.failed, w->beat.taken, w->beat.lost, r->interrupted};
    sigprocmask(SIG_SETMASK, &w->before, NULL);
    free(w->compiled);
    vec_fini(&w->delayed);
    plan_fini(&w->plan);
    free(w);
    return good;
}
