// The plan's file: lines with a keyword and a value. The last line gives the number of points, so a truncated
// file is recognised.
#include "cluster/plan.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "warpfold plan 2";

char *plan_path(const struct plan *p, const char *folder, const char *name)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s%s%s%s%s", p->folder, *folder ? "/" : "", folder, *name ? "/" : "", name);
    return path.text;
}

static void init(struct plan *p, const char *folder)
{
    *p = (struct plan){.folder = realpath(folder, NULL), .home = ""};
    if (!p->folder) p->folder = heap_strdup(folder);
    arena_init(&p->arena);
}

void plan_fini(struct plan *p)
{
    vec_fini(&p->words);
    vec_fini(&p->points);
    strmap_fini(&p->by_id);
    if (p->folder) arena_fini(&p->arena);
    free(p->folder);
    *p = (struct plan){0};
}

bool plan_is_there(const char *folder)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/plan", folder);
    bool there = access(path.text, F_OK) == 0;
    strbuf_fini(&path);
    return there;
}

static const char *keep(struct plan *p, const char *text)
{
    return arena_strndup(&p->arena, text, strlen(text));
}

static void add_point(struct plan *p, struct plan_point point)
{
    vec_push(&p->points, point);
    strmap_set(&p->by_id, keep(p, point.id), 16, (uint32_t)p->points.count - 1);
}

// -- reading ------------------------------------------------------------------------------------------------

// Parses a finite number, at least 0.
static bool read_number(const char *text, double *value)
{
    return str_to_f64(text, value) && isfinite(*value) && *value >= 0;
}

// Whether an id is valid in a token's name and new to the plan.
static bool is_new_id(const struct plan *p, const char *id)
{
    uint32_t index;
    return strspn(id, "0123456789abcdef") == 16 && !id[16] && !strmap_get(&p->by_id, id, 16, &index);
}

// Parses "ID KIND SECONDS COMMAND".
static bool read_point(struct plan *p, char *text)
{
    char *id = strsep(&text, " "), *kind = strsep(&text, " "), *seconds = strsep(&text, " ");
    struct plan_point point = {.kind = kind, .command = text};
    if (!text || !*text || !*kind || !is_new_id(p, id) || !read_number(seconds, &point.seconds)) return false;
    memcpy(point.id, id, 16);
    add_point(p, point);
    return true;
}

static bool read_line(struct plan *p, char *line, bool *ended)
{
    char *value = line, *word = strsep(&value, " ");
    uint64_t count;
    if (!value || *ended) return false;
    if (str_equal(word, "point")) return read_point(p, value);
    if (str_equal(word, "build")) return snprintf(p->build, sizeof p->build, "%s", value) == 16;
    if (str_equal(word, "factor")) return read_number(value, &p->factor);
    if (str_equal(word, "home")) return *(p->home = value) == '/';
    if (str_equal(word, "word")) {
        vec_push(&p->words, value);
        return true;
    }
    *ended = str_equal(word, "points") && str_to_u64(value, &count) && count == p->points.count;
    return *ended;
}

static bool read_text(struct plan *p, const char *text, size_t length)
{
    char *rest = arena_strndup(&p->arena, text, length), *line = strsep(&rest, "\n");
    bool good = str_equal(line, first_line), ended = false;
    while (good && rest && *rest) good = read_line(p, strsep(&rest, "\n"), &ended);
    return good && ended && *p->build && *p->home;
}

bool plan_read_text(struct plan *p, const char *folder, const char *text, size_t length)
{
    init(p, folder);
    return read_text(p, text, length);
}

bool plan_read(struct plan *p, const char *folder, struct diag *d)
{
    init(p, folder);
    char *path = plan_path(p, "", "plan"), *bytes;
    size_t length;
    const char *why;
    bool good = file_read(path, &bytes, &length, &why);
    if (good) {
        good = read_text(p, bytes, length) ||
               diag_error(d, loc_none(), "%s is not a plan readable by this version of warpfold", path);
        free(bytes);
    } else {
        diag_error(d, loc_none(),
                   "%s has no plan (%s): make a plan with `warpfold reproduce … --out %s --submit`", folder,
                   why, folder);
    }
    free(path);
    return good;
}

// -- making -------------------------------------------------------------------------------------------------

static int longest_first(const void *a, const void *b)
{
    const struct plan_point *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->id, y->id);
}

void plan_make(struct plan *p, const char *folder, const char *build, const struct jobs *jobs,
               const double *seconds, double factor)
{
    init(p, folder);
    p->factor = factor;
    snprintf(p->build, sizeof p->build, "%s", build);
    for (size_t i = 0; i < jobs->list.count; i++) {
        const struct job *j = &jobs->list.data[i];
        struct plan_point point = {.kind = j->kind, .command = j->command, .seconds = seconds[i]};
        memcpy(point.id, j->id, sizeof point.id);
        vec_push(&p->points, point);
    }
    if (p->points.count) qsort(p->points.data, p->points.count, sizeof *p->points.data, longest_first);
    for (size_t i = 0; i < p->points.count; i++)
        strmap_set(&p->by_id, keep(p, p->points.data[i].id), 16, (uint32_t)i);
}

bool plan_is_of(const struct plan *p, const char *build, struct diag *d)
{
    return str_equal(p->build, build) ||
           diag_error(
               d, loc_none(),
               "the plan in %s was made by a different build of warpfold (%s; now %s), and results may "
               "differ: use the plan's build, or give a different --out",
               p->folder, p->build, build);
}

bool plan_is_same(const struct plan *a, const struct plan *b, struct diag *d)
{
    uint32_t index;
    if (!plan_is_of(a, b->build, d)) return false;
    bool same = a->points.count == b->points.count;
    for (size_t i = 0; same && i < b->points.count; i++)
        same = strmap_get(&a->by_id, b->points.data[i].id, 16, &index);
    return same || diag_error(d, loc_none(),
                              "%s has a different plan, of %zu points instead of %zu: give a different --out",
                              a->folder, a->points.count, b->points.count);
}

// -- writing ------------------------------------------------------------------------------------------------

bool plan_has_folder(const struct plan *p, const char *folder, bool *is_new)
{
    char *path = plan_path(p, folder, "");
    bool is_there = access(path, F_OK) == 0;
    *is_new = !is_there && mkdir(path, 0777) == 0;
    bool good = is_there || *is_new || errno == EEXIST;
    int problem = errno;
    free(path);
    errno = problem;
    return good;
}

static bool make_folders(const struct plan *p, struct diag *d)
{
    static const char *const folders[] = {"queue", "committed", "compiled", "workers"};
    bool good = true, is_new;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && good; i++)
        good = plan_has_folder(p, folders[i], &is_new) ||
               diag_error(d, loc_none(), "cannot make %s/%s: %s", p->folder, folders[i], strerror(errno));
    return good;
}

bool plan_make_token(int queue, const struct plan_point *point, enum token_state state)
{
    struct token t = {.state = state};
    char name[TOKEN_NAME_MAX];
    memcpy(t.id, point->id, sizeof t.id);
    token_name(&t, name);
    int file = openat(queue, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return file >= 0 && close(file) == 0;
}

const struct token **plan_tokens(const struct plan *p, const struct tokens *all, size_t *surplus)
{
    const struct token **of = heap_alloc((p->points.count + 1) * sizeof *of);
    size_t more = 0;
    uint32_t index;
    for (size_t i = 0; i < all->list.count; i++) {
        const struct token *t = &all->list.data[i];
        if (!strmap_get(&p->by_id, t->id, 16, &index)) continue;
        more += of[index] != NULL;
        if (!of[index] || token_beats(t, of[index])) of[index] = t;
    }
    if (surplus) *surplus = more;
    return of;
}

// Creates missing tokens.
static bool fill_queue(const struct plan *p, struct diag *d)
{
    char *path = plan_path(p, "queue", "");
    struct tokens there;
    bool good = tokens_read(&there, path, d), *has = heap_alloc(p->points.count + 1);
    uint32_t index;
    for (size_t i = 0; i < there.list.count; i++)
        if (strmap_get(&p->by_id, there.list.data[i].id, 16, &index)) has[index] = true;
    int queue = good ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    for (size_t i = 0; i < p->points.count && good; i++)
        good = has[i] || plan_make_token(queue, &p->points.data[i], TOKEN_OPEN) ||
               diag_error(d, loc_none(), "cannot write into %s: %s", path, strerror(errno));
    if (queue >= 0) close(queue);
    tokens_fini(&there);
    free(has);
    free(path);
    return good;
}

void plan_print(const struct plan *p, struct strbuf *out)
{
    strbuf_printf(out, "%s\nbuild %s\nhome %s\nfactor %.3f\n", first_line, p->build, p->home, p->factor);
    for (size_t i = 0; i < p->words.count; i++) strbuf_printf(out, "word %s\n", p->words.data[i]);
    for (size_t i = 0; i < p->points.count; i++) {
        const struct plan_point *point = &p->points.data[i];
        strbuf_printf(out, "point %s %s %.6f %s\n", point->id, point->kind, point->seconds, point->command);
    }
    strbuf_printf(out, "points %zu\n", p->points.count);
}

bool plan_write(const struct plan *p, struct diag *d)
{
    if (!make_folders(p, d) || !fill_queue(p, d)) return false;
    struct strbuf text = {0};
    plan_print(p, &text);
    char *path = plan_path(p, "", "plan");
    const char *why;
    bool good = file_write(path, text.text, text.length, &why) ||
                diag_error(d, loc_none(), "cannot write %s: %s", path, why);
    free(path);
    strbuf_fini(&text);
    return good;
}
