// A result file, also a broken one, is removed only after the commit of a database transaction. After any
// interruption a good result is in the folder or in the database, or in both.
#include "cluster/collect.h"
#include "base/json_read.h"
#include "base/str.h"
#include "cluster/result.h"
#include "cluster/token.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TOGETHER = 256 }; // most results per transaction; a transaction per result costs three times as much

struct batch {
    const struct plan *plan;
    struct database *db;
    struct collection *report;
    VEC(char *) paths; // files to remove after the commit
};

static bool finish_batch(struct batch *b)
{
    bool good = !b->paths.count || database_commit(b->db);
    if (!good) database_rollback(b->db);
    for (size_t i = 0; i < b->paths.count; i++) {
        if (good) unlink(b->paths.data[i]);
        free(b->paths.data[i]);
    }
    b->paths.count = 0;
    return good;
}

// Reports a broken result. mend_queue later reopens the point if marked done.
static void tell_broken(struct batch *b, const struct job *j, const char *path, const char *what)
{
    b->report->broken++;
    diag_warn(b->db->diag, loc_none(), "%s %s: the result is rejected, and the point is open again: %s", path,
              what, j->command);
}

static bool add_result(struct batch *b, const struct job *j, const char *path, const char *bytes,
                       size_t length)
{
    b->report->taken++;
    if (str_ends_with(path, ".refused")) return database_add_refused(b->db, j, bytes);
    struct arena arena;
    const char *why;
    size_t offset;
    arena_init(&arena);
    const struct json_value *v = json_parse(bytes, length, &arena, &why, &offset);
    bool good = !v || database_add_run(b->db, j, v);
    if (!v) tell_broken(b, j, path, "is no JSON");
    b->report->taken -= !v;
    arena_fini(&arena);
    return good;
}

static bool take(struct batch *b, const struct job *j, const char *name)
{
    char *path = plan_path(b->plan, "committed", name), *bytes;
    size_t length;
    enum result_state state = result_read(path, j->id, &bytes, &length);
    if (state == RESULT_ABSENT) { // retried at the next collection
        free(path);
        return true;
    }
    bool good = b->paths.count || database_begin(b->db);
    if (good && database_has_run(b->db, j->id)) {
        b->report->again++;
    } else if (good && state == RESULT_BROKEN) {
        tell_broken(b, j, path, "has a wrong checksum");
    } else if (good) {
        good = add_result(b, j, path, bytes, length);
    }
    vec_push(&b->paths, path);
    free(bytes);
    return (good && b->paths.count < TOGETHER) || (finish_batch(b) && good);
}

// The job of a file in `committed`, by the file's name. NULL: not a result (partial file, message of a failed
// run), or not of the plan.
static const struct job *job_of(const struct jobs *jobs, const char *name)
{
    uint32_t index;
    if (strlen(name) < 17 || (!str_equal(name + 16, ".json") && !str_equal(name + 16, ".refused")))
        return NULL;
    return strmap_get(&jobs->by_id, name, 16, &index) ? &jobs->list.data[index] : NULL;
}

struct result {
    const struct job *job;
    char name[26]; // "0123456789abcdef.refused"
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct result *)a)->name, ((const struct result *)b)->name);
}

// Takes results in order of their names, which is the order of the database's keys. Sequential inserts halve
// the size of the database file.
static bool take_all(struct batch *b, const struct jobs *jobs)
{
    char *path = plan_path(b->plan, "committed", "");
    DIR *folder = opendir(path);
    VEC(struct result) results = {0};
    bool good = folder || diag_error(b->db->diag, loc_none(), "cannot read %s: %s", path, strerror(errno));
    for (struct dirent *e; good && (e = readdir(folder)) != NULL;) {
        struct result one = {.job = job_of(jobs, e->d_name)};
        size_t length = strlen(e->d_name);
        if (!one.job || length >= sizeof one.name) continue;
        memcpy(one.name, e->d_name, length + 1);
        vec_push(&results, one);
    }
    if (results.count) qsort(results.data, results.count, sizeof *results.data, by_name);
    for (size_t i = 0; good && i < results.count; i++)
        good = take(b, results.data[i].job, results.data[i].name);
    good = finish_batch(b) && good;
    if (folder) closedir(folder);
    vec_fini(&results);
    vec_fini(&b->paths);
    free(path);
    return good;
}

static bool is_waiting(const struct plan *p, const char *id)
{
    static const char *const endings[] = {"json", "refused"};
    bool there = false;
    for (size_t i = 0; i < 2 && !there; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s.%s", id, endings[i]);
        char *path = plan_path(p, "committed", name);
        there = access(path, F_OK) == 0;
        free(path);
    }
    return there;
}

static void forget_failures(const struct plan *p, const char *id)
{
    char name[40];
    snprintf(name, sizeof name, "%s.failed", id);
    char *path = plan_path(p, "committed", name);
    unlink(path);
    free(path);
}

// Corrects a token's state: done if the database has the result (a held token stays held), open if a done
// point has no result. Counts the point in `c` as done (in the database), lost (opened here) or left (given
// up).
static void mend_token(const struct plan *p, struct database *db, const struct token *t, int queue,
                       struct collection *c)
{
    struct token to = *t;
    if (database_has_run(db, t->id)) {
        to.state = t->state == TOKEN_HELD ? TOKEN_HELD : TOKEN_DONE;
        if (t->failures || t->losses) forget_failures(p, t->id);
        c->done++;
    } else if (t->state == TOKEN_DONE && !is_waiting(p, t->id)) {
        to.state = TOKEN_OPEN;
        c->lost++;
    } else {
        c->left += t->state == TOKEN_LEFT;
    }
    if (to.state != t->state) token_move(queue, t, &to);
}

// Corrects all tokens. Points in the database become done, except held points. Done points without a result
// (power loss, broken file) become open. A point in the database without a token gets a token marked done.
// Other missing tokens are restored by workers (claims.c).
static bool mend_queue(const struct plan *p, struct database *db, struct collection *c)
{
    char *path = plan_path(p, "queue", "");
    struct tokens all;
    bool good = tokens_read(&all, path, db->diag);
    const struct token **of = good ? plan_tokens(p, &all, NULL) : NULL;
    int queue = good ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    for (size_t i = 0; good && i < p->points.count; i++) {
        if (of[i])
            mend_token(p, db, of[i], queue, c);
        else if (database_has_run(db, p->points.data[i].id))
            c->done += plan_make_token(queue, &p->points.data[i], TOKEN_DONE);
    }
    if (queue >= 0) close(queue);
    tokens_fini(&all);
    free(of);
    free(path);
    return good;
}

// Removes partial files (.part) from folder `name`; called once all points are done or given up. Killed
// workers leave such files; a worker wrongly taken for lost may still write one.
static void sweep(const struct plan *p, const char *name)
{
    char *path = plan_path(p, name, "");
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;)
        if (str_ends_with(e->d_name, ".part")) unlinkat(dirfd(folder), e->d_name, 0);
    if (folder) closedir(folder);
    free(path);
}

// Checks that DIR/committed exists, or creates the folder with a warning. Uncollected results vanish with a
// deleted folder; their points are reopened. False and an error: the folder cannot be created.
static bool find_results(const struct plan *p, struct diag *d)
{
    bool is_new;
    if (!plan_has_folder(p, "committed", &is_new))
        return diag_error(d, loc_none(), "cannot make %s/committed: %s", p->folder, strerror(errno));
    if (is_new) diag_warn(d, loc_none(), "%s/committed was gone, and is made anew", p->folder);
    return true;
}

bool collect_results(const struct plan *p, const struct jobs *jobs, struct database *db, struct collection *c)
{
    *c = (struct collection){.points = p->points.count};
    struct batch b = {.plan = p, .db = db, .report = c};
    bool good = find_results(p, db->diag) && take_all(&b, jobs) && mend_queue(p, db, c);
    if (good && c->done + c->left == c->points) {
        sweep(p, "committed");
        sweep(p, "compiled");
    }
    return good;
}
