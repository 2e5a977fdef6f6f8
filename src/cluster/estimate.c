#include "cluster/estimate.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "lab/process.h"
#include "lab/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char result_name[] = "runs/estimate.json"; // in the results' folder
// Error factors of estimates, by source. At size medium, nine points in ten took from 1 / 2.8 to 2.8 times
// the estimate (docs/howto/many-machines.md). Simulation rates of kernels on a view (GPU and profile)
// mostly were within a factor of 2.9 of the average, at most 4.2.
enum source { FROM_DATABASE, FROM_SMALL_RUN, FROM_AVERAGE, SOURCES };
static const double factors[SOURCES] = {1.5, 3, 5};

struct measured {
    // warp instructions, and seconds simulating them; 0: failed, refused, or without simulation (mark)
    double instructions, seconds;
    double whole; // seconds including start, reading and compilation; 0: failed or refused
};

struct average {
    double seconds, instructions;
};

struct estimator {
    const struct estimate *e;
    struct arena arena;
    struct strmap by_command; // command to index in runs
    VEC(struct measured) runs;
    struct strmap by_view;
    // sums over small runs on a view (GPU and profile); element 0: over all views
    VEC(struct average) averages;
    double measuring; // processor seconds used by small runs; past the limit, a job uses the average rate
    struct progress bar;
};

// -- runs ---------------------------------------------------------------------------------------------------

// Reads warp instructions and seconds from the JSON of a run: figures of the run, or sums over the run's
// workloads.
static struct measured read_result(const char *path)
{
    struct measured m = {0};
    struct arena arena;
    char *bytes;
    size_t length, offset;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) return m;
    arena_init(&arena);
    const struct json_value *v = json_parse(bytes, length, &arena, &why, &offset),
                            *workloads = json_member(v, "workloads"),
                            *w = workloads ? workloads->first : NULL;
    m.instructions = (double)json_unsigned(json_member(v, "warp_instructions"));
    m.seconds = json_number(json_member(v, "wall_seconds"));
    bool is_sum = m.seconds > 0;
    for (; w && !is_sum; w = w->next) {
        m.instructions += (double)json_unsigned(json_member(w, "warp_instructions"));
        m.seconds += json_number(json_member(w, "wall_seconds"));
    }
    arena_fini(&arena);
    free(bytes);
    return m;
}

static double processor_seconds(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

// Runs a command. Seconds are processor time, independent of other load on the machine.
static struct measured run(const struct estimate *e, const char *command)
{
    struct strbuf path = {0};
    sigset_t none;
    int status;
    struct rusage used = {0};
    double began = clock_seconds();
    sigemptyset(&none);
    strbuf_printf(&path, "%s/%s", e->folder, result_name);
    pid_t process = process_start(&(struct process_order){.program = e->program,
                                                          .folder = e->folder,
                                                          .command = command,
                                                          .is_mark = str_starts_with(command, "mark "),
                                                          .json = result_name,
                                                          .errors = -1,
                                                          .signals = &none});
    bool good = process > 0 && wait4(process, &status, 0, &used) == process && WIFEXITED(status) &&
                !WEXITSTATUS(status);
    struct measured m = good ? read_result(path.text) : (struct measured){0};
    if (good) m.whole = processor_seconds(&used);
    m.seconds *= fmin(1, m.whole / (clock_seconds() - began));
    unlink(path.text);
    strbuf_fini(&path);
    return m;
}

static struct measured *find_run(struct estimator *m, const char *command)
{
    uint32_t index;
    return strmap_get(&m->by_command, command, strlen(command), &index) ? &m->runs.data[index] : NULL;
}

// The result of a command, run once and then remembered.
static struct measured run_once(struct estimator *m, const char *command)
{
    struct measured *known = find_run(m, command);
    if (known) return *known;
    vec_push(&m->runs, run(m->e, command));
    strmap_set(&m->by_command, arena_strndup(&m->arena, command, strlen(command)), strlen(command),
               (uint32_t)m->runs.count - 1);
    return vec_last(&m->runs);
}

// -- commands -----------------------------------------------------------------------------------------------

// The command of a run of the user's own without GPU, mechanism and settings, functional.
static void put_functional(const struct job *j, struct strbuf *command)
{
    const char *gpu = strstr(j->command, " --gpu "), *program = strstr(j->command, " -- ");
    if (gpu && (!program || gpu < program))
        strbuf_printf(command, "%.*s --functional%s", (int)(gpu - j->command), j->command,
                      program ? program : "");
}

// Command of a functional run that counts the job's warp instructions, at size small or at the job's size.
// Empty: no such run exists.
static char *counting_command(const struct job *j, bool small)
{
    struct strbuf command = {0};
    if (str_equal(j->kind, "program")) {
        const char *input = strstr(j->command, " --input "),
                   *value = input ? input + strlen(" --input ") : NULL;
        if (value)
            strbuf_printf(&command, "%.*s --input %.*s", (int)(input - j->command), j->command,
                          (int)strcspn(value, " "), small ? program_input("small") : value);
    } else if (str_equal(j->kind, "own")) {
        put_functional(j, &command);
    } else if (j->size && j->source) {
        strbuf_printf(&command, "bench %s --size %s --ptx %s --set compile.profile=%s --functional",
                      j->subject, small ? "small" : j->size, j->source, j->profile);
        for (char *c = command.text; *c; c++)
            if (*c == ',') *c = ' '; // a list of kernels
    }
    return command.text ? command.text : heap_strdup("");
}

// Command of the job at size small, without settings (--set) except compile.profile, since many jobs differ
// in settings alone. Marks and studies need no size; for other jobs without a size the result is empty.
static char *small_command(const struct job *j)
{
    struct strbuf small = {0};
    char *text = heap_strdup(j->command), *rest = text;
    bool is_sized = j->size || str_equal(j->kind, "mark") || str_equal(j->kind, "study");
    for (char *word; is_sized && (word = strsep(&rest, " ")) != NULL;) {
        char *value = str_starts_with(word, "--") ? strsep(&rest, " ") : NULL;
        if (str_equal(word, "--set") && value && !str_starts_with(value, "compile.profile=")) continue;
        if (str_equal(word, "--size")) value = (char *)"small";
        if (str_equal(word, "--input")) value = (char *)program_input("small");
        strbuf_printf(&small, "%s%s%s%s", small.length ? " " : "", word, value ? " " : "",
                      value ? value : "");
    }
    free(text);
    return small.text ? small.text : heap_strdup("");
}

// -- rates --------------------------------------------------------------------------------------------------

// Sums over successful runs in the folder's database with the job's kind, subject, GPU, profile and
// mechanism: warp instructions and seconds. `whole`: mean seconds of such a run at the job's size; 0: none.
static struct measured rate_shown(const struct estimate *e, const struct job *j)
{
    sqlite3_stmt *s = database_query(
        e->db,
        "SELECT sum(warp_instructions), sum(wall_seconds), avg(CASE WHEN size IS ? THEN wall_seconds END) "
        "FROM runs "
        "WHERE kind = ? AND subject = ? AND gpu IS ? AND profile IS ? AND tech IS ? AND status = 'ok'",
        "tttttt", j->size, j->kind, j->subject, j->gpu, j->profile, j->tech);
    struct measured m = {0};
    if (s && sqlite3_step(s) == SQLITE_ROW)
        m = (struct measured){sqlite3_column_double(s, 0), sqlite3_column_double(s, 1),
                              sqlite3_column_double(s, 2)};
    sqlite3_finalize(s);
    return m;
}

static struct average *average_of(struct estimator *m, const struct job *j)
{
    struct strbuf view = {0};
    uint32_t index;
    strbuf_printf(&view, "%s/%s", j->gpu ? j->gpu : "", j->profile ? j->profile : "");
    if (!strmap_get(&m->by_view, view.text, view.length, &index)) {
        index = (uint32_t)m->averages.count;
        vec_push(&m->averages, (struct average){0});
        strmap_set(&m->by_view, arena_strndup(&m->arena, view.text, view.length), view.length, index);
    }
    strbuf_fini(&view);
    return &m->averages.data[index];
}

// A rate for the job's view and mechanism, from a bundled kernel, if there is none yet.
static void measure_view(struct estimator *m, const struct job *j)
{
    struct average *a = average_of(m, j);
    struct strbuf command = {0};
    if (a->instructions > 0 || m->e->most_seconds <= 0) return;
    strbuf_printf(&command,
                  "bench vecadd --size small --ptx nvcc --gpu %s --set compile.profile=%s --tech %s", j->gpu,
                  j->profile, j->tech);
    struct measured shown = run_once(m, command.text);
    strbuf_fini(&command);
    m->measuring += shown.whole;
    a->seconds += shown.seconds;
    a->instructions += shown.instructions;
}

// Seconds of a run of the user's own: of a functional run, and of timing at the rate of a bundled kernel.
static double seconds_of_own(struct estimator *m, const struct job *j)
{
    char *command = counting_command(j, false);
    bool measure =
        *command && m->e->most_seconds > 0 && (m->measuring < m->e->most_seconds || find_run(m, command));
    bool is_new = measure && !find_run(m, command);
    struct measured shown = measure ? run_once(m, command) : (struct measured){0};
    free(command);
    if (is_new) m->measuring += shown.whole;
    if (shown.whole > 0) measure_view(m, j);
    const struct average *a = average_of(m, j);
    return shown.whole > 0 && a->instructions > 0
               ? shown.whole + shown.instructions * a->seconds / a->instructions
               : 0;
}

static double instructions_of(struct estimator *m, const struct job *j, bool small)
{
    char *command = counting_command(j, small);
    double count = *command && m->e->most_seconds > 0 ? run_once(m, command).instructions : 0;
    free(command);
    return count;
}

// Seconds of a job, estimated from a run at size small: the time of simulation grows with the number of warp
// instructions. 0: the small run failed.
static double seconds_by_small(struct estimator *m, const struct job *j, const char *small)
{
    bool is_new = !find_run(m, small);
    struct measured shown = run_once(m, small);
    double before = instructions_of(m, j, true), after = instructions_of(m, j, false);
    if (is_new) m->measuring += shown.whole;
    if (shown.whole <= 0) return 0;
    if (is_new && before > 0) {
        struct average *view = average_of(m, j), // may move the others
            *of[2] = {&m->averages.data[0], view};
        for (size_t i = 0; i < 2; i++) {
            of[i]->seconds += shown.seconds;
            of[i]->instructions += before;
        }
    }
    return shown.whole + (before > 0 && after > before ? shown.seconds * (after / before - 1) : 0);
}

// Seconds of a job, estimated from the average rate of small runs on the job's view (GPU and profile), else
// on all views. 0: unknown.
static double seconds_by_average(struct estimator *m, const struct job *j)
{
    const struct average *own = average_of(m, j), *a = own->instructions > 0 ? own : &m->averages.data[0];
    return a->instructions > 0 ? instructions_of(m, j, false) * a->seconds / a->instructions : 0;
}

static double seconds_of(struct estimator *m, const struct job *j, enum source *source)
{
    struct measured shown = rate_shown(m->e, j);
    bool is_own = str_equal(j->kind, "own");
    double count = is_own || shown.whole > 0 || shown.seconds <= 0 ? 0 : instructions_of(m, j, false);
    *source = FROM_DATABASE;
    if (shown.whole > 0) return shown.whole;
    if (is_own) {
        *source = FROM_AVERAGE;
        return seconds_of_own(m, j);
    }
    if (count > 0 && shown.instructions > 0) return count * shown.seconds / shown.instructions;
    char *small = small_command(j);
    bool measure = *small && (m->measuring < m->e->most_seconds || find_run(m, small));
    double seconds = measure ? seconds_by_small(m, j, small) : 0;
    free(small);
    *source = FROM_SMALL_RUN;
    if (seconds > 0) return seconds;
    *source = FROM_AVERAGE;
    return seconds_by_average(m, j);
}

double *estimate_seconds(struct estimate *e)
{
    struct estimator m = {.e = e};
    double *seconds = heap_alloc((e->jobs->list.count + 1) * sizeof *seconds), least = 0, most = 0;
    enum source source;
    arena_init(&m.arena);
    vec_push(&m.averages, (struct average){0});
    progress_init(&m.bar, "estimate", "points", e->jobs->list.count, e->progress);
    for (size_t i = 0; i < e->jobs->list.count; i++) {
        seconds[i] = seconds_of(&m, &e->jobs->list.data[i], &source);
        least += seconds[i] / factors[source];
        most += seconds[i] * factors[source];
        progress_update(&m.bar, i);
    }
    e->factor = least > 0 ? sqrt(most / least) : 1;
    progress_fini(&m.bar);
    arena_fini(&m.arena);
    strmap_fini(&m.by_command);
    strmap_fini(&m.by_view);
    vec_fini(&m.runs);
    vec_fini(&m.averages);
    return seconds;
}
