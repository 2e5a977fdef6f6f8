#include "cluster/slurm.h"
#include "base/file.h"
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

// -- a program of Slurm's -----------------------------------------------------------------------------------

enum { NOT_THERE = 127 };

// Runs it; what it prints, whichever way. The exit status; NOT_THERE: there is no such program.
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

// The last line of what it said, which is where Slurm gives its reason; the lines before say what it will do about it.
static const char *reason(struct strbuf *said)
{
    char *text = said->length ? str_trim(said->text) : NULL, *last = text ? strrchr(text, '\n') : NULL;
    return last ? last + 1 : text ? text : "it said nothing";
}

static bool refuse(const struct words *w, int status, struct strbuf *said, struct diag *d)
{
    if (status == NOT_THERE)
        return diag_error(d, loc_none(), "there is no %s here: this machine does not submit to a Slurm",
                          w->list.data[0]);
    return diag_error(d, loc_none(), "%s refused: %s", w->list.data[0], reason(said));
}

// -- jobs of a folder ---------------------------------------------------------------------------------------

static char *jobs_path(const struct plan *p) { return plan_path(p, "workers", "slurm.jobs"); }

// Adds the numbers of its jobs as words; how many.
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

// In single quotes, for a shell.
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
    add_word(&w, "--signal=B:TERM@60"); // time to hand back what it holds
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
        snprintf(job, 32, "%.*s", (int)strcspn(number, ";"), number); // of clusters with names: JOB;CLUSTER
        good = note_job(p, job, d);
    }
    end_words(&w);
    strbuf_fini(&script);
    strbuf_fini(&said);
    return good;
}

// Those that wait first, so that none begins when another ends.
bool slurm_cancel(const struct plan *p, size_t *count, struct diag *d)
{
    static const char *const steps[][2] = {
        {"--state=PENDING", "--quiet"},
        {"--batch",
         "--signal=TERM"}, // the worker in the place of the shell, which then hands back what it holds
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
        good = status != NOT_THERE || refuse(&w, status, &said, d); // jobs that have ended are none any more
        end_words(&w);
        strbuf_fini(&said);
    }
    return good;
}

// "12_1" or "12_[2-5]" is of job 12.
static bool is_listed(const char *list, const char *job)
{
    size_t length = strlen(job);
    for (const char *at = list; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, job, length) == 0 && at[length] == '_') return true;
    return false;
}

bool slurm_has_ended(const struct plan *p)
{
    struct words ask, jobs;
    struct strbuf said = {0};
    begin_words(&ask, "squeue");
    add_word(&ask, "--noheader");
    add_word(&ask, "--format=%%i");
    add_word(&ask, "--me");
    begin_words(&jobs, "jobs");
    size_t count = add_jobs(p, &jobs);
    bool ended = count && run_program(&ask, &said) == 0;
    for (size_t i = 1; i <= count && ended; i++) ended = !is_listed(strbuf_text(&said), jobs.list.data[i]);
    end_words(&jobs);
    end_words(&ask);
    strbuf_fini(&said);
    return ended;
}
