#include "cluster/slurm.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
    struct arena arena;
    VEC(char *) list;
};

static void add_word(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_word(struct words *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vec_push(&w->list, arena_vprintf(&w->arena, format, values));
    va_end(values);
}

static void begin_words(struct words *w, const char *program)
{
    *w = (struct words){0};
    arena_init(&w->arena);
    add_word(w, "%s", program);
}

static void end_words(struct words *w)
{
    vec_fini(&w->list);
    arena_fini(&w->arena);
}

// -- Slurm programs -----------------------------------------------------------------------------------------

enum { NOT_THERE = 127 };

// Runs a program and collects stdout and stderr in `said`. Returns the exit status, or NOT_THERE if the
// program is not installed; -1: not started, or killed.
static int run_program(struct words *w, struct strbuf *said)
{
    int ends[2], status;
    char chunk[512];
    vec_push(&w->list, NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(w->list.data[0], w->list.data);
        _exit(NOT_THERE);
    }
    close(ends[1]);
    for (ssize_t n;
         process > 0 && ((n = read(ends[0], chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR));)
        if (n > 0) strbuf_write(said, chunk, (size_t)n);
    close(ends[0]);
    if (process < 0 || waitpid(process, &status, 0) != process) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The last line of Slurm's output, which holds the reason. Earlier lines describe consequences.
static const char *reason(struct strbuf *said)
{
    char *text = said->length ? str_trim(said->text) : NULL, *last = text ? strrchr(text, '\n') : NULL;
    return last ? last + 1 : text ? text : "no message";
}

static bool refuse(const struct words *w, int status, struct strbuf *said, struct diag *d)
{
    if (status == NOT_THERE)
        return diag_error(d, loc_none(), "no program %s: this machine cannot submit to Slurm",
                          w->list.data[0]);
    return diag_error(d, loc_none(), "%s refused: %s", w->list.data[0], reason(said));
}

// -- jobs of a folder ---------------------------------------------------------------------------------------

static char *jobs_path(const struct plan *p) { return plan_path(p, "workers", "slurm.jobs"); }

// Appends the numbers of the Slurm jobs recorded in the folder to a command. Returns the number of jobs.
static size_t add_jobs(const struct plan *p, struct words *w)
{
    char *path = jobs_path(p), *text = NULL, *rest;
    size_t length, before = w->list.count;
    const char *why;
    if (file_read(path, &text, &length, &why)) {
        rest = text;
        for (char *line; (line = strsep(&rest, "\n")) != NULL;)
            if (*line) add_word(w, "%s", line);
        free(text);
    }
    free(path);
    return w->list.count - before;
}

static bool note_job(const struct plan *p, const char *job, struct diag *d)
{
    char *path = jobs_path(p);
    FILE *f = fopen(path, "ae");
    bool good = f && fprintf(f, "%s\n", job) > 0;
    if (f && fclose(f) != 0) good = false;
    if (!good)
        diag_error(d, loc_none(), "job %s was submitted, but %s cannot be written: %s", job, path,
                   strerror(errno));
    free(path);
    return good;
}

// -- submitting ---------------------------------------------------------------------------------------------

bool slurm_is(const char *spec) { return str_equal(spec, "slurm") || str_starts_with(spec, "slurm:"); }

static bool add_options(struct words *w, const char *spec, struct diag *d)
{
    const char *colon = strchr(spec, ':');
    char *rest = colon ? arena_strndup(&w->arena, colon + 1, strlen(colon + 1)) : NULL;
    for (char *option; rest && (option = strsep(&rest, ",")) != NULL;) {
        if (*option == '-' || *option == '=' || !strchr(option, '='))
            return diag_error(
                d, loc_none(),
                "--submit %s: options are OPTION=VALUE with sbatch's names, partition=long,time=2:00:00 say",
                spec);
        add_word(w, "--%s", option);
    }
    return true;
}

// Appends a text in single quotes for a shell.
static void put_quoted(struct strbuf *out, const char *text)
{
    strbuf_putc(out, '\'');
    for (; *text; text++)
        if (*text == '\'')
            strbuf_puts(out, "'\\''");
        else
            strbuf_putc(out, *text);
    strbuf_putc(out, '\'');
}

bool slurm_submit(const struct plan *p, const struct slurm_order *o, char job[32], struct diag *d)
{
    struct words w;
    struct strbuf script = {0}, said = {0};
    strbuf_puts(&script, "exec ");
    put_quoted(&script, o->program);
    strbuf_puts(&script, " worker ");
    put_quoted(&script, p->folder);
    if (o->lease) {
        strbuf_puts(&script, " --lease ");
        put_quoted(&script, o->lease);
    }
    begin_words(&w, "sbatch");
    add_word(&w, "--parsable");
    add_word(&w, "--job-name=warpfold");
    add_word(&w, "--array=1-%u", o->workers);
    add_word(&w, "--requeue");
    add_word(&w, "--signal=B:USR1@60"); // signal 60 s before the time limit: the worker releases its claims
    add_word(&w, "--open-mode=append");
    add_word(&w, "--chdir=%s", p->folder);
    add_word(&w, "--output=%s/workers/slurm-%%A_%%a.out", p->folder);
    bool good = add_options(&w, o->spec, d);
    add_word(&w, "--wrap=%s", script.text);
    if (good) {
        int status = run_program(&w, &said);
        good = status == 0 || refuse(&w, status, &said, d);
    }
    if (good) {
        const char *number = reason(&said);
        snprintf(job, 32, "%.*s", (int)strcspn(number, ";"), number); // a named cluster prints JOB;CLUSTER
        good = note_job(p, job, d);
    }
    end_words(&w);
    strbuf_fini(&script);
    strbuf_fini(&said);
    return good;
}

// Cancels pending tasks first, so that none starts when a running task ends.
bool slurm_cancel(const struct plan *p, size_t *count, struct diag *d)
{
    static const char *const steps[][2] = {
        {"--state=PENDING", "--quiet"},
        // SIGTERM to the worker, which runs in place of the batch shell: the worker releases its claims.
        {"--batch", "--signal=TERM"},
    };
    bool good = true;
    *count = 1;
    for (size_t i = 0; i < 2 && good && *count; i++) {
        struct words w;
        struct strbuf said = {0};
        begin_words(&w, "scancel");
        add_word(&w, "%s", steps[i][0]);
        add_word(&w, "%s", steps[i][1]);
        *count = add_jobs(p, &w);
        int status = *count ? run_program(&w, &said) : 0;
        // scancel fails for jobs already ended, which is harmless.
        good = status != NOT_THERE || refuse(&w, status, &said, d);
        end_words(&w);
        strbuf_fini(&said);
    }
    return good;
}

// -- asking -------------------------------------------------------------------------------------------------

struct asked {
    struct strbuf said; // output of squeue: lines of ID|STATE|REASON, one per task
    char *rest;
    struct words jobs; // job numbers of the folder
};

struct answer {
    const char *id, *state, *reason;
};

// Queries squeue. False: no job is recorded, or Slurm does not answer.
static bool ask(struct asked *a, const struct plan *p)
{
    struct words w;
    *a = (struct asked){0};
    begin_words(&a->jobs, "jobs");
    begin_words(&w, "squeue");
    add_word(&w, "--me");
    add_word(&w, "--array");
    add_word(&w, "--noheader");
    add_word(&w, "--format=%%i|%%T|%%r");
    bool good = add_jobs(p, &a->jobs) && run_program(&w, &a->said) == 0;
    a->rest = a->said.text;
    end_words(&w);
    return good;
}

static bool is_ours(const struct asked *a, const char *id)
{
    size_t length = strcspn(id, "_");
    for (size_t i = 1; i < a->jobs.list.count; i++)
        if (strlen(a->jobs.list.data[i]) == length && strncmp(a->jobs.list.data[i], id, length) == 0)
            return true;
    return false;
}

// Reads the next pending or running task of the folder's jobs from the output of squeue. False: none left.
static bool next_answer(struct asked *a, struct answer *one)
{
    for (char *line; a->rest && (line = strsep(&a->rest, "\n")) != NULL;) {
        one->id = strsep(&line, "|");
        one->state = strsep(&line, "|");
        one->reason = line;
        if (one->reason && is_ours(a, one->id)) return true;
    }
    return false;
}

static void end_asking(struct asked *a)
{
    end_words(&a->jobs);
    strbuf_fini(&a->said);
}

// Whether a task is held until a user releases it.
static bool is_held(const struct answer *one)
{
    return strstr(one->reason, "held") || str_starts_with(one->reason, "JobHeld");
}

bool slurm_has_ended(const struct plan *p)
{
    struct asked a;
    struct answer one;
    bool ended = ask(&a, p);
    while (ended && next_answer(&a, &one)) ended = is_held(&one);
    end_asking(&a);
    return ended;
}

void slurm_describe(const struct plan *p, struct strbuf *out)
{
    struct asked a;
    struct answer one;
    VEC(struct state {
        struct answer of;
        size_t count;
    })
    states = {0};
    bool answers = ask(&a, p);
    while (answers && next_answer(&a, &one)) {
        size_t i = 0;
        while (i < states.count && !(str_equal(states.data[i].of.state, one.state) &&
                                     str_equal(states.data[i].of.reason, one.reason)))
            i++;
        if (i == states.count) vec_push(&states, (struct state){.of = one});
        states.data[i].count++;
    }
    for (size_t i = 0; i < states.count; i++) {
        const struct answer *of = &states.data[i].of;
        bool says_why = !str_equal(of->reason, "None");
        printable_format(out, "%s%zu %s%s%s%s", i ? ", " : "jobs in Slurm: ", states.data[i].count, of->state,
                         says_why ? " (" : "", says_why ? of->reason : "", says_why ? ")" : "");
    }
    if (answers) strbuf_puts(out, states.count ? "\n" : "jobs in Slurm: none\n");
    vec_fini(&states);
    end_asking(&a);
}
