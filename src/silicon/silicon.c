#include "silicon/silicon.h"
#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

void silicon_init(struct silicon *s)
{
    *s = (struct silicon){0};
    points_init(&s->points);
}

void silicon_fini(struct silicon *s)
{
    fidelity_fini(&s->fidelity);
    points_fini(&s->points);
    strbuf_fini(&s->settings);
    strbuf_fini(&s->unlike);
    vec_fini(&s->runs);
}

// -- files read by a point ----------------------------------------------------------------------------------

struct placing {
    const struct point *point;
    const char *folder; // of the results
    uint64_t hash;      // over all files read by the point
    struct diag *diag;
};

static bool make_folders(const struct placing *p, char *path)
{
    for (char *slash = path + strlen(p->folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!good) diag_error(p->diag, loc_none(), "cannot make the folder %s: %s", path, strerror(errno));
        *slash = '/';
        if (!good) return false;
    }
    return true;
}

static bool place_file(void *context, const char *name, const char *text, size_t length)
{
    struct placing *p = context;
    p->hash = hash_bytes(text, length, hash_bytes(name, strlen(name), p->hash));
    if (p->point->folder) return true;
    struct strbuf path = {0};
    const char *why;
    strbuf_printf(&path, "%s/silicon/%s", p->folder, name);
    bool good = make_folders(p, path.text) &&
                (file_write(path.text, text, length, &why) ||
                 diag_error(p->diag, loc_none(), "cannot write %s: %s", path.text, why));
    strbuf_fini(&path);
    return good;
}

// *hash: hash of the contents of a GPU file; 0 for a GPU known by name. False and an error: not readable.
static bool hash_gpu(const char *gpu, uint64_t *hash, struct diag *d)
{
    char *text;
    size_t length;
    const char *why;
    *hash = 0;
    if (!gpu || !strchr(gpu, '/')) return true;
    if (!file_read(gpu, &text, &length, &why))
        return diag_error(d, loc_none(), "--gpu: cannot read %s: %s", gpu, why);
    *hash = hash_bytes(text, length, 0);
    free(text);
    return true;
}

// Sample interval in cycles, longer than any launch, for one sample per launch. Counters of a single launch
// exist only in samples.
#define WHOLE_LAUNCHES "report.interval=9007199254740992"

static size_t job_of(const struct silicon *s, const struct point *p, const char *path, uint64_t hash,
                     struct jobs *jobs)
{
    return jobs_script(jobs, &(struct job_script){.subject = p->name,
                                                  .path = path,
                                                  .gpu = s->gpu ? s->gpu : p->gpu,
                                                  .settings = p->settings,
                                                  .more = strbuf_text(&s->settings),
                                                  .silent = p->counted == POINT_LAST ? WHOLE_LAUNCHES : "",
                                                  .hash = hash,
                                                  .left_out = p->left_out});
}

static bool plan_point(struct silicon *s, size_t i, uint64_t gpu_hash, struct jobs *jobs, const char *folder,
                       struct diag *d)
{
    const struct point *p = &s->points.list.data[i];
    struct placing placing = {p, folder, gpu_hash, d};
    struct strbuf script = {0};
    if (!point_files(p, place_file, &placing, d)) return false;
    strbuf_printf(&script, "%s/points/%s.wf", p->folder ? p->folder : "silicon", p->script);
    bool good =
        !strpbrk(script.text, " \t") ||
        diag_error(d, loc_none(), "%s: the path of a point's script must not have blanks", script.text);
    if (good) s->runs.data[i] = job_of(s, p, script.text, placing.hash, jobs);
    strbuf_fini(&script);
    return good;
}

// Instructions of a point's run, estimated from the card's instructions or cycles, to sort runs. A point
// without either counts as the longest.
static double work_of(const struct point *p)
{
    double instructions = p->measured[QUANTITY_INSTRUCTIONS], cycles = p->measured[QUANTITY_CYCLES];
    return !isnan(instructions) ? instructions : !isnan(cycles) ? 10 * cycles : INFINITY;
}

static const struct point *next_longest(const struct silicon *s, size_t *at)
{
    const struct point *longest = NULL;
    for (size_t i = 0; i < s->points.list.count; i++) {
        const struct point *p = &s->points.list.data[i];
        if (s->runs.data[i] != SIZE_MAX || (longest && work_of(p) <= work_of(longest))) continue;
        longest = p;
        *at = i;
    }
    return longest;
}

bool silicon_plan(struct silicon *s, struct jobs *jobs, const char *folder, struct diag *d)
{
    uint64_t gpu_hash;
    size_t at = 0;
    bool good = hash_gpu(s->gpu, &gpu_hash, d);
    for (size_t i = 0; i < s->points.list.count; i++) vec_push(&s->runs, SIZE_MAX);
    while (good && next_longest(s, &at)) good = plan_point(s, at, gpu_hash, jobs, folder, d);
    if (s->gpu) strbuf_printf(&s->unlike, "on %s", s->gpu);
    if (s->settings.length)
        strbuf_printf(&s->unlike, "%swith %s", s->unlike.length ? ", " : "", s->settings.text);
    return good;
}

bool silicon_judge(struct silicon *s, const struct jobs *jobs, const struct pool *pool, struct database *db)
{
    if (!fidelity_make(&s->fidelity, &s->points, s->runs.data, jobs, pool, db)) return false;
    s->fidelity.unlike = strbuf_text(&s->unlike);
    s->fidelity.changed = strbuf_text(&s->settings);
    return fidelity_store(&s->fidelity, db);
}
