#include "cli/gather.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/print.h"
#include "cluster/slurm.h"
#include "cluster/status.h"
#include "cluster/worker.h"

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

// -- what needs the folder alone ----------------------------------------------------------------------------

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
    strbuf_printf(out, count ? "%zu jobs are told to end\n" : "no jobs were submitted from this folder\n",
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
        diag_error(d, loc_none(), "%s DIR stands alone: the plan says what is run",
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
        return diag_error(d, loc_none(), "%s is of --submit slurm", workers ? "--workers" : "--lease");
    if (!worker_lease(options_value(o, OPTION_LEASE), &lease, d)) return false;
    if (options_has(o, OPTION_WAIT) && !spec && !options_has(o, OPTION_COLLECT))
        return diag_error(d, loc_none(), "--wait is of --submit or --collect");
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
    if (!getcwd(home, sizeof home)) return diag_error(d, loc_none(), "cannot tell which folder this is");
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
        return diag_error(d, loc_none(), "the plan was made in %s, which cannot be reached from here",
                          p->home);
    return options_parse(o, COMMAND_REPRODUCE, (int)p->words.count, (char **)p->words.data, d);
}

// What runs of the same took before in this folder, on average; 0: nothing is known of it.
static double *expect_seconds(const struct gather *g)
{
    double *seconds = heap_alloc((g->jobs->list.count + 1) * sizeof *seconds);
    for (size_t i = 0; i < g->jobs->list.count; i++) {
        const struct job *j = &g->jobs->list.data[i];
        sqlite3_stmt *s =
            database_query(g->db, "SELECT avg(wall_seconds) FROM runs WHERE subject = ? AND size IS ?", "tt",
                           j->subject, j->size);
        if (s && sqlite3_step(s) == SQLITE_ROW) seconds[i] = sqlite3_column_double(s, 0);
        sqlite3_finalize(s);
    }
    return seconds;
}

static bool write_plan(const struct gather *g, struct plan *p)
{
    double *seconds = expect_seconds(g);
    plan_make(p, g->folder, g->build, g->jobs, seconds);
    free(seconds);
    bool good = add_words(p, g->options, g->diag);
    if (good && plan_is_there(g->folder)) {
        struct plan old;
        good = plan_read(&old, g->folder, g->diag) && plan_is_same(&old, p, g->diag);
        plan_fini(&old);
    }
    return good && plan_write(p, g->diag);
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
        printable_format(&text, "%zu points planned in %s, %zu of them done before\n", c.points, g->folder,
                         c.done);
        if (*job)
            printable_format(&text, "job %s of Slurm: %u workers\n", job, (unsigned)workers);
        else
            printable_format(&text, "on every machine that shall work:   warpfold worker %s\n", g->folder);
        printable_format(&text, "how far it is:                      warpfold reproduce --status %s\n",
                         g->folder);
        printable_format(&text, "the results, also while it runs:    warpfold reproduce --collect %s\n",
                         g->folder);
        say(g->options, &text);
    }
    plan_fini(&p);
    return good;
}

// -- results ------------------------------------------------------------------------------------------------

// What was left is, to the report, a run that failed.
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

static const double ask_seconds = 10; // between questions to Slurm whether it has jobs of ours

// Takes in what comes, until all is there or somebody interrupts; or until no job is left that anything could come from.
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
            ended = slurm_has_ended(p); // and then once more: the last results
        }
        int signal = sigtimedwait(watched, NULL, &(struct timespec){.tv_sec = !ended});
        if (signal <= 0) continue;
        g->pool->interrupted = signal;
        break;
    }
    progress_fini(&bar);
    if (good && ended && c->done + c->left < c->points)
        good = diag_error(g->diag, loc_none(),
                          "%zu of %zu points are not done, and no job of Slurm is left: submit again",
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
