// Shapes of threadblocks and their potential for redundancy: the survey of DARSIE's introduction as a tool.
// Input: running launches, or a file of comma-separated values listing launches, with column names in the
// first line:
//
//     application,kernel,x,y,z,launches,time         x is required, the other columns optional, in any order
//
// "Multi-dimensional" is a block with more than one thread in y or z. tid.x repeats from warp to warp if x
// divides the warp size, tid.y if x * y does or y is 1.
#include "exec/launch.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const char *application, *kernel;
    uint32_t block[3], warp_size;
    uint64_t launches;
    double weight; // warp instructions executed, or the time column of the file
};

struct shapes {
    VEC(struct shape) list;
    bool from_file;
};

static struct shapes *shapes_of(struct study *s) { return s->state; }

static bool same_text(const char *a, const char *b) { return a == b || (a && b && str_equal(a, b)); }

static struct shape *find_shape(struct study *s, const char *application, const char *kernel,
                                const uint32_t block[3], uint32_t warp_size)
{
    struct shapes *all = shapes_of(s);
    for (size_t i = 0; i < all->list.count; i++) {
        struct shape *x = &all->list.data[i];
        if (same_text(x->application, application) && same_text(x->kernel, kernel) &&
            x->warp_size == warp_size && memcmp(x->block, block, sizeof x->block) == 0)
            return x;
    }
    vec_push(&all->list,
             (struct shape){application, kernel, {block[0], block[1], block[2]}, warp_size, 0, 0});
    return &vec_last(&all->list);
}

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    struct study_kernel *k = study_kernel_enter(s, l);
    struct shape *x = find_shape(s, k->group, k->name, k->block, k->warp_size);
    x->launches++;
    k->data = x;
}

static void after(void *context, const struct observed *o)
{
    (void)o;
    ((struct shape *)((struct study *)context)->kernel->data)->weight++;
}

static void fini(struct study *s) { vec_fini(&shapes_of(s)->list); }

// -- a file -------------------------------------------------------------------------------------------------

enum column { APPLICATION, KERNEL, X, Y, Z, LAUNCHES, TIME, COLUMNS };
static const char *const column_names[COLUMNS] = {"application", "kernel", "x", "y", "z", "launches", "time"};

static const char *next_column(const void *context, size_t i)
{
    (void)context;
    return i < COLUMNS ? column_names[i] : NULL;
}

struct csv {
    struct diag *diag;
    uint32_t source, line;
    int place[COLUMNS]; // position of a column in a line; -1: absent
    unsigned fields;
};

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1])) text[--n] = 0;
    return text;
}

static struct loc place_of(const struct csv *c)
{
    return (struct loc){.source = c->source, .line = c->line, .column = 1};
}

enum { FIELDS_MAX = 64 };

static unsigned split(char *line, char *fields[FIELDS_MAX])
{
    unsigned n = 0;
    for (char *at = line; at && n < FIELDS_MAX; n++) fields[n] = trim(strsep(&at, ","));
    return n;
}

static bool read_names(struct csv *c, char *line)
{
    char *fields[FIELDS_MAX];
    c->fields = split(line, fields);
    for (unsigned k = 0; k < COLUMNS; k++) c->place[k] = -1;
    for (unsigned n = 0; n < c->fields; n++) {
        unsigned k = 0;
        while (k < COLUMNS && !str_equal(fields[n], column_names[k])) k++;
        const char *near = k < COLUMNS ? NULL : str_nearest(fields[n], next_column, NULL);
        if (near)
            return diag_error(c->diag, place_of(c), "no column \"%s\"; did you mean \"%s\"?", fields[n],
                              near);
        if (k == COLUMNS)
            return diag_error(c->diag, place_of(c),
                              "no column \"%s\"; there are application, kernel, x, y, z, launches, time",
                              fields[n]);
        if (c->place[k] >= 0) return diag_error(c->diag, place_of(c), "column %s comes twice", fields[n]);
        c->place[k] = (int)n;
    }
    return c->place[X] >= 0 ||
           diag_error(c->diag, place_of(c),
                      "there is no column x; the first line names the columns: application, kernel, "
                      "x, y, z, launches, time");
}

static bool number(const struct csv *c, char *const *fields, enum column k, uint64_t low, uint64_t high,
                   uint64_t *value)
{
    if (c->place[k] < 0) return true;
    const char *text = fields[c->place[k]];
    if (str_to_u64(text, value) && *value >= low && *value <= high) return true;
    return diag_error(c->diag, place_of(c), "%s is \"%s\": must be a number from %llu to %llu",
                      column_names[k], text, (unsigned long long)low, (unsigned long long)high);
}

static bool read_row(struct csv *c, struct study *s, char *line)
{
    char *fields[FIELDS_MAX];
    uint64_t extent[3] = {1, 1, 1}, launches = 1;
    double time = 0;
    unsigned count = split(line, fields);
    if (count != c->fields)
        return diag_error(c->diag, place_of(c), "%u values; the first line names %u columns", count,
                          c->fields);
    for (unsigned k = 0; k < 3; k++)
        if (!number(c, fields, (enum column)(X + k), 1, LAUNCH_THREADS_MAX, &extent[k])) return false;
    if (extent[0] * extent[1] * extent[2] > LAUNCH_THREADS_MAX)
        return diag_error(c->diag, place_of(c), "a block of %llu threads; at most %d are possible",
                          (unsigned long long)(extent[0] * extent[1] * extent[2]), LAUNCH_THREADS_MAX);
    if (!number(c, fields, LAUNCHES, 1, UINT64_MAX, &launches)) return false;
    if (c->place[TIME] >= 0 && (!str_to_f64(fields[c->place[TIME]], &time) || !(time >= 0)))
        return diag_error(c->diag, place_of(c), "time is \"%s\": must be a number, not negative",
                          fields[c->place[TIME]]);
    const char *words[2] = {NULL, NULL};
    for (unsigned k = 0; k < 2; k++) {
        const char *text = c->place[k] >= 0 ? fields[c->place[k]] : "";
        if (*text) words[k] = arena_strndup(&s->arena, text, strlen(text));
    }
    const uint32_t block[3] = {(uint32_t)extent[0], (uint32_t)extent[1], (uint32_t)extent[2]};
    struct shape *x = find_shape(s, words[APPLICATION], words[KERNEL], block, 32);
    x->launches += launches;
    x->weight += time;
    return true;
}

static bool read_file(struct study *s, const char *text, uint32_t source, struct diag *d)
{
    struct csv c = {.diag = d, .source = source};
    char *copy = heap_strdup(text), *rest = copy;
    bool good = true, named = false;
    shapes_of(s)->from_file = true;
    for (char *line; good && (line = strsep(&rest, "\n")) != NULL;) {
        c.line++;
        line = trim(line);
        if (!*line || *line == '#') continue;
        good = named ? read_row(&c, s, line) : read_names(&c, line);
        named = true;
    }
    free(copy);
    if (good && !named) good = diag_error(d, (struct loc){.source = source}, "the file has no launches");
    return good;
}

// -- report -------------------------------------------------------------------------------------------------

static bool is_multi(const struct shape *x) { return x->block[1] > 1 || x->block[2] > 1; }

static unsigned met(const struct shape *x, bool paper)
{
    struct mark_rules r;
    mark_rules_default(&r);
    r.warp_size = x->warp_size;
    r.paper = paper;
    return mark_conditions_met(&r, x->block);
}

static void report_shapes(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"application", "or workload"},
        {"kernel", "its entry"},
        {"block", "threads in x, y, z"},
        {"warps", "of a block"},
        {"launches", "with this shape"},
        {"weight", "warp instructions executed, or the file's time"},
        {"tid_x_repeats", "x divides the warp size"},
        {"tid_y_repeats", "x * y divides the warp size, or y is 1"},
        {"paper_check", "DARSIE 4.2: two dimensions, x a power of two not above the warp size"}};
    struct study_table *t =
        study_table_add(r, "shapes", "Shapes of threadblocks", columns, sizeof columns / sizeof columns[0]);
    const struct shapes *all = shapes_of(s);
    for (size_t i = 0; i < all->list.count; i++) {
        const struct shape *x = &all->list.data[i];
        uint32_t threads = x->block[0] * x->block[1] * x->block[2];
        study_text(t, "%s", x->application ? x->application : "-");
        study_text(t, "%s", x->kernel ? x->kernel : "-");
        study_text(t, "%u,%u,%u", x->block[0], x->block[1], x->block[2]);
        study_count(t, (threads + x->warp_size - 1) / x->warp_size);
        study_count(t, x->launches);
        if (all->from_file)
            study_number(t, x->weight);
        else
            study_count(t, (uint64_t)x->weight);
        study_text(t, met(x, false) & MARK_IF_TID_X ? "yes" : "no");
        study_text(t, met(x, false) & MARK_IF_TID_Y ? "yes" : "no");
        study_text(t, met(x, true) & MARK_IF_TID_X ? "yes" : "no");
    }
}

struct survey {
    uint64_t applications, multi_applications, kernels, multi_kernels, failing;
    double shares; // sum over multi-dimensional applications: share of weight in such blocks
};

// True: an earlier row has the same application (and the same kernel, if `kernel`).
static bool seen_before(const struct shapes *all, size_t i, bool kernel)
{
    const struct shape *x = &all->list.data[i];
    for (size_t k = 0; k < i; k++)
        if (same_text(all->list.data[k].application, x->application) &&
            (!kernel || same_text(all->list.data[k].kernel, x->kernel)))
            return true;
    return false;
}

static bool any_multi(const struct shapes *all, const struct shape *like, bool kernel, bool failing)
{
    for (size_t k = 0; k < all->list.count; k++) {
        const struct shape *x = &all->list.data[k];
        if (!same_text(x->application, like->application) || (kernel && !same_text(x->kernel, like->kernel)))
            continue;
        if (is_multi(x) && (!failing || !(met(x, false) & MARK_IF_TID_X))) return true;
    }
    return false;
}

static double share_of_multi(const struct shapes *all, const char *application)
{
    double sum = 0, multi = 0;
    for (size_t k = 0; k < all->list.count; k++) {
        const struct shape *x = &all->list.data[k];
        if (!same_text(x->application, application)) continue;
        sum += x->weight;
        multi += is_multi(x) ? x->weight : 0;
    }
    return sum > 0 ? multi / sum : (double)NAN;
}

static struct survey survey_of(const struct shapes *all)
{
    struct survey v = {0};
    for (size_t i = 0; i < all->list.count; i++) {
        const struct shape *x = &all->list.data[i];
        if (!seen_before(all, i, false)) {
            bool multi = any_multi(all, x, false, false);
            v.applications++;
            v.multi_applications += multi;
            v.shares += multi ? share_of_multi(all, x->application) : 0;
        }
        if (seen_before(all, i, true)) continue;
        v.kernels++;
        v.multi_kernels += any_multi(all, x, true, false);
        v.failing += any_multi(all, x, true, true);
    }
    return v;
}

static void survey_row(struct study_table *t, const char *what, uint64_t part, uint64_t whole,
                       const char *paper)
{
    study_text(t, "%s", what);
    study_count(t, part);
    study_count(t, whole);
    study_ratio(t, part, whole);
    study_text(t, "%s", paper);
}

static void report_survey(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"survey", "counted applications or kernels"},
                                                  {"count", "number with the property"},
                                                  {"of", "all"},
                                                  {"share", "count over all"},
                                                  {"paper", "133 applications, DARSIE section 1"}};
    struct study_table *t = study_table_add(r, "survey", "Blocks of more than one dimension", columns,
                                            sizeof columns / sizeof columns[0]);
    struct survey v = survey_of(shapes_of(s));
    survey_row(t, "applications with such blocks", v.multi_applications, v.applications,
               "over 33% (of libraries 60%)");
    survey_row(t, "kernels with such blocks", v.multi_kernels, v.kernels, "-");
    survey_row(t, "such kernels, with x not dividing the warp size", v.failing, v.multi_kernels, "1 of 128");
    study_text(t, "mean share of %s in such kernels", shapes_of(s)->from_file ? "time" : "warp instructions");
    study_none(t);
    study_none(t);
    study_share(t, v.multi_applications ? v.shares / (double)v.multi_applications : (double)NAN);
    study_text(t, "71%% of time");
}

static void report(struct study *s, struct study_report *r)
{
    report_shapes(s, r);
    report_survey(s, r);
}

const struct study_class study_shapes = {.state_bytes = sizeof(struct shapes),
                                         .observer = {.launch_begin = launch_begin, .after = after},
                                         .read = read_file,
                                         .fini = fini,
                                         .report = report};
