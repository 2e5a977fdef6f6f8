#include "cli/gather.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/print.h"
#include "cluster/estimate.h"
#include "cluster/slurm.h"
#include "cluster/status.h"
#include "cluster/worker.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void say(const struct options *o, struct strbuf *text)
{
    if (!options_has(o, OPTION_QUIET)) print_text(stdout, strbuf_text(text));
    strbuf_fini(text);
}

// -- commands on the folder alone
// -----------------------------------------------------------------------------

static bool status(const struct plan *p, struct strbuf *out, struct diag *d)
{
    if (!status_write(p, out, d)) return false;
    slurm_describe(p, out);
    return true;
}

static bool retry(const struct plan *p, struct strbuf *out, struct diag *d)
{
    size_t count;
    bool good = status_retry(p, &count, d);
    strbuf_printf(out, "%zu points are waiting again\n", count);
    return good;
}

static bool cancel(const struct plan *p, struct strbuf *out, struct diag *d)
{
    size_t count;
    bool good = slurm_cancel(p, &count, d);
    strbuf_printf(out, count ? "%zu jobs were told to end\n" : "no jobs were submitted from this folder\n",
                  count);
    return good;
}

static const struct plain {
    enum option_id option;
    bool (*run)(const struct plan *p, struct strbuf *out, struct diag *d);
} plain[] = {{OPTION_STATUS, status}, {OPTION_RETRY, retry}, {OPTION_CANCEL, cancel}};
enum { PLAIN = sizeof plain / sizeof plain[0] };

bool gather_is_plain(const struct options *o)
{
    bool is = false;
    for (size_t i = 0; i < PLAIN; i++) is |= options_has(o, plain[i].option);
    return is;
}

enum wf_status gather_plain(const struct options *o, struct diag *d)
{
    if (o->given.count != 1 || o->operands.count) {
        diag_error(d, loc_none(), "%s DIR takes no experiments: the plan has the experiments",
                   options_name(o->given.data[0].id));
        return WF_BAD_USAGE;
    }
    for (size_t i = 0; i < PLAIN; i++) {
        if (!options_has(o, plain[i].option)) continue;
        struct plan p;
        struct strbuf text = {0};
        bool good = plan_read(&p, options_value(o, plain[i].option), d) && plain[i].run(&p, &text, d);
        if (good)
            say(o, &text);
        else
            strbuf_fini(&text);
        plan_fini(&p);
        return good ? WF_OK : WF_BAD_INPUT;
    }
    return WF_BAD_USAGE;
}

bool gather_check(const struct options *o, struct diag *d)
{
    const char *spec = options_value(o, OPTION_SUBMIT), *workers = options_value(o, OPTION_WORKERS);
    uint64_t count;
    double lease;
    if (spec && !slurm_is(spec) && !str_equal(spec, "hand"))
        return diag_error(d, loc_none(), "--submit %s: must be slurm, slurm:OPTION=VALUE,…, or hand", spec);
    if (workers && (!str_to_u64(workers, &count) || !count || count > 10000))
        return diag_error(d, loc_none(), "--workers %s: must be a number from 1 to 10000", workers);
    if ((workers || options_has(o, OPTION_LEASE)) && (!spec || !slurm_is(spec)))
        return diag_error(d, loc_none(), "%s needs --submit slurm", workers ? "--workers" : "--lease");
    if (!worker_lease(options_value(o, OPTION_LEASE), &lease, d)) return false;
    if (options_has(o, OPTION_WAIT) && !spec && !options_has(o, OPTION_COLLECT))
        return diag_error(d, loc_none(), "--wait needs --submit or --collect");
    return true;
}

// -- the plan -----------------------------------------------------------------------------------------------

static bool is_of_words(enum option_id id)
{
    static const enum option_id others[] = {OPTION_OUT,   OPTION_SUBMIT,    OPTION_WORKERS, OPTION_WAIT,
                                            OPTION_QUIET, OPTION_PROCESSES, OPTION_LEASE};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (id == others[i]) return false;
    return true;
}

static bool add_words(struct plan *p, const struct options *o, struct diag *d)
{
    char home[4096];
    if (!getcwd(home, sizeof home))
        return diag_error(d, loc_none(), "cannot read the name of the current folder");
    p->home = arena_strndup(&p->arena, home, strlen(home));
    for (size_t i = 0; i < o->given.count; i++) {
        const struct option_given *g = &o->given.data[i];
        if (is_of_words(g->id))
            vec_push(&p->words, arena_printf(&p->arena, "%s%s%s", options_name(g->id), g->value ? "=" : "",
                                             g->value ? g->value : ""));
    }
    vec_push(&p->words, "--");
    for (size_t i = 0; i < o->operands.count; i++) vec_push(&p->words, o->operands.data[i]);
    bool good = !strchr(home, '\n');
    for (size_t i = 0; i < p->words.count; i++) good = good && !strchr(p->words.data[i], '\n');
    return good || diag_error(d, loc_none(), "a plan cannot keep words with line breaks");
}

bool gather_words(struct plan *p, const char *folder, struct options *o, struct diag *d)
{
    if (!plan_read(p, folder, d)) return false;
    if (chdir(p->home) != 0)
        return diag_error(d, loc_none(), "the plan was made in %s, not reachable from this machine", p->home);
    return options_parse(o, COMMAND_REPRODUCE, (int)p->words.count, (char **)p->words.data, d);
}

// Expected seconds of one core for each point (run of an experiment), heap; 0: unknown. The seconds come from
// plan `old`, or are estimated now if `old` is NULL. *factor: the total is expected within this factor of the
// sum.
static double *expect_seconds(const struct gather *g, const struct plan *old, double *factor)
{
    if (!old) {
        struct estimate e = {g->folder, g->program, g->jobs, g->db, !options_has(g->options, OPTION_QUIET),
                             20,        1};
        double *expected = estimate_seconds(&e);
        *factor = e.factor;
        return expected;
    }
    *factor = old->factor;
    double *seconds = heap_alloc((g->jobs->list.count + 1) * sizeof *seconds);
    uint32_t index;
    for (size_t i = 0; i < g->jobs->list.count; i++)
        if (strmap_get(&old->by_id, g->jobs->list.data[i].id, 16, &index))
            seconds[i] = old->points.data[index].seconds;
    return seconds;
}

static bool write_plan(const struct gather *g, struct plan *p)
{
    struct plan old = {0};
    bool again = plan_is_there(g->folder), good = !again || plan_read(&old, g->folder, g->diag);
    double factor = 1, *seconds = good ? expect_seconds(g, again ? &old : NULL, &factor) : NULL;
    *p = (struct plan){0};
    if (good) plan_make(p, g->folder, g->build, g->jobs, seconds, factor);
    good = good && add_words(p, g->options, g->diag) && (!again || plan_is_same(&old, p, g->diag)) &&
           plan_write(p, g->diag);
    free(seconds);
    plan_fini(&old);
    return good;
}

// Appends the expected time of all points of the plan on one core (with a likely range) and on `workers`
// cores.
static void say_time(const struct plan *p, uint64_t workers, struct strbuf *out)
{
    double seconds = 0, longest = p->points.count ? p->points.data[0].seconds : 0;
    size_t unknown = 0;
    for (size_t i = 0; i < p->points.count; i++) {
        seconds += p->points.data[i].seconds;
        unknown += p->points.data[i].seconds <= 0;
    }
    if (seconds > 0) {
        strbuf_puts(out, "expected time on one core ");
        status_put_time(out, seconds);
        if (workers > 1) {
            strbuf_printf(out, ", %u of them ", (unsigned)workers);
            status_put_time(out, fmax(seconds / (double)workers, longest));
        }
        strbuf_puts(out, "; from ");
        status_put_time(out, seconds / p->factor);
        strbuf_puts(out, " to ");
        status_put_time(out, seconds * p->factor);
        strbuf_puts(out, " of one core are likely\n");
    }
    if (unknown) strbuf_printf(out, "how long %zu of the points take is not known\n", unknown);
}

bool gather_submit(const struct gather *g)
{
    const char *spec = options_value(g->options, OPTION_SUBMIT),
               *count = options_value(g->options, OPTION_WORKERS);
    struct plan p;
    struct strbuf text = {0};
    struct collection c;
    uint64_t workers = 1;
    char job[32] = "";
    if (count) str_to_u64(count, &workers);
    bool good = write_plan(g, &p) && collect_results(&p, g->jobs, g->db, &c);
    if (good && slurm_is(spec))
        good = slurm_submit(&p,
                            &(struct slurm_order){g->program, spec, options_value(g->options, OPTION_LEASE),
                                                  (unsigned)workers},
                            job, g->diag);
    if (good) {
        printable_format(&text, "%zu points planned in %s, %zu done before\n", c.points, g->folder, c.done);
        say_time(&p, workers, &text);
        if (*job)
            printable_format(&text, "job %s of Slurm: %u workers\n", job, (unsigned)workers);
        else
            printable_format(&text, "start on every machine:             warpfold worker %s\n", g->folder);
        printable_format(&text, "progress:                           warpfold reproduce --status %s\n",
                         g->folder);
        printable_format(&text, "results, also during the run:       warpfold reproduce --collect %s\n",
                         g->folder);
        say(g->options, &text);
    }
    plan_fini(&p);
    return good;
}

// -- results ------------------------------------------------------------------------------------------------

// Adds points given up by workers to the pool's failures, for the report. False and an error: the queue
// cannot be read.
static bool note_left(const struct gather *g, const struct plan *p)
{
    struct tokens all;
    char *path = plan_path(p, "queue", "");
    bool good = tokens_read(&all, path, g->diag);
    uint32_t index;
    for (size_t i = 0; i < all.list.count; i++)
        if (all.list.data[i].state == TOKEN_LEFT &&
            strmap_get(&g->jobs->by_id, all.list.data[i].id, 16, &index))
            vec_push(&g->pool->failures, (struct pool_failure){&g->jobs->list.data[index],
                                                               status_reason(p, all.list.data[i].id)});
    tokens_fini(&all);
    free(path);
    return good;
}

static const double ask_seconds = 10; // seconds between queries to Slurm for live jobs

// Collects results until all points are done or given up, a signal arrives, or Slurm has no live job left.
// A signal is noted in g->pool->interrupted, and is no error. False and an error, for instance: no live job,
// but points are missing.
static bool collect_until(const struct gather *g, const struct plan *p, const sigset_t *watched,
                          struct collection *c)
{
    struct progress bar;
    double asked = clock_seconds();
    bool good, ended = false;
    progress_init(&bar, "reproduce", "points", p->points.count, g->pool->progress);
    while ((good = collect_results(p, g->jobs, g->db, c)) && c->done + c->left < c->points && !ended) {
        progress_update(&bar, c->done);
        if (clock_seconds() - asked > ask_seconds) {
            asked = clock_seconds();
            ended = slurm_has_ended(p); // the loop collects the last results once more
        }
        int signal = sigtimedwait(watched, NULL, &(struct timespec){.tv_sec = !ended});
        if (signal <= 0) continue;
        g->pool->interrupted = signal;
        break;
    }
    progress_fini(&bar);
    if (good && ended && c->done + c->left < c->points)
        good = diag_error(
            g->diag, loc_none(),
            "%zu of %zu points are not done, and Slurm has no more jobs of this folder: submit again",
            c->points - c->done - c->left, c->points);
    return good;
}

static bool collect_all(const struct gather *g, const struct plan *p, struct collection *c)
{
    sigset_t watched, before;
    if (!options_has(g->options, OPTION_WAIT)) return collect_results(p, g->jobs, g->db, c);
    sigemptyset(&watched);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGHUP);
    sigprocmask(SIG_BLOCK, &watched, &before);
    bool good = collect_until(g, p, &watched, c);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return good;
}

bool gather_collect(const struct gather *g, bool *complete)
{
    struct plan p;
    struct collection c = {0};
    *complete = true;
    if (!plan_is_there(g->folder)) return true;
    bool good = plan_read(&p, g->folder, g->diag) && plan_is_of(&p, g->build, g->diag) &&
                collect_all(g, &p, &c) && note_left(g, &p);
    *complete = c.done + c.left >= c.points;
    g->pool->done = c.taken;
    g->pool->reused = c.done - (c.taken < c.done ? c.taken : c.done);
    plan_fini(&p);
    return good;
}
