#include "cluster/estimate.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "lab/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char result_name[] = "runs/estimate.json"; // in the folder

struct known { // by command, or by view
    struct strmap by_name;
    VEC(double) values;
};

struct estimator {
    const struct estimate *e;
    struct arena arena;
    struct known instructions, rates;
    struct progress bar;
};

static void known_fini(struct known *k)
{
    strmap_fini(&k->by_name);
    vec_fini(&k->values);
}

// -- runs ---------------------------------------------------------------------------------------------------

struct measured {
    double instructions, seconds; // 0: it was refused, say
};

static struct measured read_result(const char *path)
{
    struct measured m = {0};
    struct arena arena;
    char *bytes;
    size_t length, offset;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) return m;
    arena_init(&arena);
    const struct json_value *workloads =
                                json_member(json_parse(bytes, length, &arena, &why, &offset), "workloads"),
                            *w = workloads ? workloads->first : NULL;
    if (w) {
        m.instructions = (double)json_unsigned(json_member(w, "warp_instructions"));
        m.seconds = json_number(json_member(w, "wall_seconds"));
    }
    arena_fini(&arena);
    free(bytes);
    return m;
}

static struct measured run(const struct estimate *e, const char *command)
{
    struct strbuf path = {0};
    sigset_t none;
    int status;
    sigemptyset(&none);
    strbuf_printf(&path, "%s/%s", e->folder, result_name);
    pid_t process = process_start(&(struct process_order){.program = e->program,
                                                          .folder = e->folder,
                                                          .command = command,
                                                          .json = result_name,
                                                          .errors = -1,
                                                          .signals = &none});
    bool good = process > 0 && waitpid(process, &status, 0) == process;
    struct measured m = good ? read_result(path.text) : (struct measured){0};
    unlink(path.text);
    strbuf_fini(&path);
    return m;
}

// -- counts and rates ---------------------------------------------------------------------------------------

// Of the kernel without time, once for all jobs that run the same code on the same input.
static double instructions_of(struct estimator *m, const struct job *j)
{
    struct strbuf command = {0};
    uint32_t index;
    strbuf_printf(&command, "bench %s --size %s --ptx %s --set compile.profile=%s --functional", j->subject,
                  j->size, j->source, j->profile);
    if (!strmap_get(&m->instructions.by_name, command.text, command.length, &index)) {
        index = (uint32_t)m->instructions.values.count;
        vec_push(&m->instructions.values, run(m->e, command.text).instructions);
        strmap_set(&m->instructions.by_name, arena_strndup(&m->arena, command.text, command.length),
                   command.length, index);
    }
    strbuf_fini(&command);
    return m->instructions.values.data[index];
}

// Warp instructions a second that runs on the view have shown; 0: there are none.
static double rate_shown(const struct estimate *e, const struct job *j)
{
    sqlite3_stmt *s =
        database_query(e->db,
                       "SELECT sum(warp_instructions) / sum(wall_seconds) FROM runs WHERE kind = "
                       "'bench' AND gpu = ? AND profile = ? AND status = 'ok'",
                       "tt", j->gpu, j->profile);
    double rate = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : 0;
    sqlite3_finalize(s);
    return rate;
}

static double rate_measured(const struct estimate *e, const struct job *j)
{
    struct strbuf command = {0};
    strbuf_printf(&command, "bench hotspot --size small --gpu %s --set compile.profile=%s", j->gpu,
                  j->profile);
    struct measured m = run(e, command.text);
    strbuf_fini(&command);
    return m.seconds > 0 ? m.instructions / m.seconds : 0;
}

static double rate_of(struct estimator *m, const struct job *j)
{
    struct strbuf view = {0};
    uint32_t index;
    strbuf_printf(&view, "%s/%s", j->gpu, j->profile);
    if (!strmap_get(&m->rates.by_name, view.text, view.length, &index)) {
        double rate = rate_shown(m->e, j);
        index = (uint32_t)m->rates.values.count;
        vec_push(&m->rates.values, rate > 0 ? rate : rate_measured(m->e, j));
        strmap_set(&m->rates.by_name, arena_strndup(&m->arena, view.text, view.length), view.length, index);
    }
    strbuf_fini(&view);
    return m->rates.values.data[index];
}

// What runs of the same took before in this folder, on average; 0: there are none.
static double seconds_shown(const struct estimate *e, const struct job *j)
{
    sqlite3_stmt *s = database_query(
        e->db, "SELECT avg(wall_seconds) FROM runs WHERE kind = ? AND subject = ? AND size IS ?", "ttt",
        j->kind, j->subject, j->size);
    double seconds = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : 0;
    sqlite3_finalize(s);
    return seconds;
}

double *estimate_seconds(const struct estimate *e)
{
    struct estimator m = {.e = e};
    double *seconds = heap_alloc((e->jobs->list.count + 1) * sizeof *seconds);
    arena_init(&m.arena);
    progress_init(&m.bar, "estimate", "points", e->jobs->list.count, e->progress);
    for (size_t i = 0; i < e->jobs->list.count; i++) {
        const struct job *j = &e->jobs->list.data[i];
        double rate = str_equal(j->kind, "bench") ? rate_of(&m, j) : 0;
        seconds[i] = rate > 0 ? instructions_of(&m, j) / rate : seconds_shown(e, j);
        progress_update(&m.bar, i);
    }
    progress_fini(&m.bar);
    arena_fini(&m.arena);
    known_fini(&m.instructions);
    known_fini(&m.rates);
    return seconds;
}
