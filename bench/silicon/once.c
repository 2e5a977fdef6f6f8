#include "bench/silicon/once.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool play(struct device *device, const struct once *o, const char *name, const char *path, bool last,
                 struct diag *d)
{
    size_t launches;
    fprintf(o->out, "# %s\n", name);
    if (!play_count(path, &launches, d)) return false;
    size_t from = last && launches ? launches - 1 : 0;
    if (launches - from > o->most) {
        fprintf(o->out, "# %s left out: %zu launches\n", name, launches - from);
        return true;
    }
    struct play_watch watch = {name, from, o->out};
    struct play_times times = {.watch = &watch};
    bool good = play_script(device, path, &times, d);
    vec_fini(&times.list);
    fprintf(o->out, "# %s %s\n", name, good ? "done" : "failed");
    fflush(o->out);
    return good;
}

bool once_point(struct device *device, const struct once *o, const struct point *p, struct diag *d)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/points/%s.wf", p->folder, p->script);
    bool good = play(device, o, p->name, path.text, p->counted == POINT_LAST, d);
    strbuf_fini(&path);
    return good;
}

bool once_script(struct device *device, const struct once *o, const char *path, struct diag *d)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = heap_strndup(base, strcspn(base, "."));
    bool good = play(device, o, name, path, false, d);
    free(name);
    return good;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_errors(struct diag *d)
{
    diag_print(d, stderr);
    diag_clear(d);
}

bool once_all(struct device *device, const struct once *o, char *const *operands, size_t count,
              struct diag *d)
{
    double end = now() + (o->seconds > 0 ? o->seconds : 1e9);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        struct points points;
        if (str_ends_with(operands[i], ".wf")) {
            if (now() < end) good &= once_script(device, o, operands[i], d);
            print_errors(d);
            continue;
        }
        points_init(&points);
        good &= points_add(&points, operands[i], d);
        for (size_t n = 0; n < points.list.count && now() < end; n++) {
            const struct point *p = &points.list.data[n];
            if (!p->left_out) good &= once_point(device, o, p, d);
            print_errors(d);
        }
        points_fini(&points);
        print_errors(d);
    }
    return good;
}
