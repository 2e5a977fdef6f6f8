// What mechanisms save and gain: the workloads of DARSIE's Table 1, each with the unmodified GPU and with
// every mechanism named, as a Markdown table on standard output.
//
//     build/bench/techs [--size small|medium|large] [--gpu NAME] [--set KEY=VALUE]... [--all] TECH...
//
// Reduction: instructions of the unmodified GPU that are not executed. Speedup: its cycles over the
// mechanism's. Means are geometric, of what is left to execute and of the speedups. --all: the controls, too.
#include "api/warpfold.h"
#include "base/str.h"
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 12, SETTINGS_MAX = 16, TABLE_1 = 13 };

struct request {
    enum workload_size size;
    const char *gpu, *settings[SETTINGS_MAX], *techs[COLUMNS_MAX];
    unsigned setting_count, tech_count;
    bool all;
};

struct mean {
    double left[COLUMNS_MAX], speedup[COLUMNS_MAX]; // logarithms
    unsigned count;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static struct workload_result run(const struct request *r, const struct workload *w, const char *tech)
{
    struct wf_context *c = wf_context_create();
    struct workload_options options = {.size = r->size, .ptx = WORKLOAD_NVCC};
    struct workload_result result = {0};
    bool good = wf_gpu(c, r->gpu) == WF_OK;
    for (unsigned k = 0; good && k < r->setting_count; k++) {
        char key[96];
        const char *equal = strchr(r->settings[k], '=');
        if (!equal) fail(r->settings[k], "no value");
        snprintf(key, sizeof key, "%.*s", (int)(equal - r->settings[k]), r->settings[k]);
        good = wf_set(c, key, equal + 1) == WF_OK;
    }
    good = good && wf_tech(c, tech) == WF_OK && workload_run(w, c, &options, &result) == WF_OK;
    if (!good) fail(w->name, wf_errors(c));
    wf_context_destroy(c);
    return result;
}

static void row(const struct request *r, const struct workload *w, struct mean *m)
{
    struct workload_result base = run(r, w, "base");
    printf("| %s ", w->name);
    double left[COLUMNS_MAX], speedup[COLUMNS_MAX];
    for (unsigned k = 0; k < r->tech_count; k++) {
        struct workload_result o = run(r, w, r->techs[k]);
        left[k] = (double)o.warp_instructions / (double)base.warp_instructions;
        speedup[k] = (double)base.cycles / (double)o.cycles;
        m->left[k] += log(left[k]);
        m->speedup[k] += log(speedup[k]);
    }
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %.1f %% ", 100 - 100 * left[k]);
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %.2f ", speedup[k]);
    printf("|\n");
    fflush(stdout);
    m->count++;
}

static void mean_row(const struct request *r, const char *name, const struct mean *m)
{
    if (!m->count) return;
    printf("| **%s** ", name);
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %.1f %% ", 100 - 100 * exp(m->left[k] / m->count));
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %.2f ", exp(m->speedup[k] / m->count));
    printf("|\n");
}

static void heads(const struct request *r)
{
    printf("| ");
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %s reduction ", r->techs[k]);
    for (unsigned k = 0; k < r->tech_count; k++) printf("| %s speedup ", r->techs[k]);
    printf("|\n|---");
    for (unsigned k = 0; k < 2 * r->tech_count; k++) printf("|---:");
    printf("|\n");
}

static enum workload_size size_of(const char *name)
{
    enum workload_size size = WORKLOAD_MEDIUM;
    if (!workload_size_find(name, &size)) fail(name, "no size");
    return size;
}

static struct request parse(int argc, char **argv)
{
    struct request r = {.size = WORKLOAD_MEDIUM, .gpu = "gtx1080ti-paper"};
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (str_equal(argv[k], "--size"))
            r.size = size_of(value), k++;
        else if (str_equal(argv[k], "--gpu"))
            r.gpu = value, k++;
        else if (str_equal(argv[k], "--set") && r.setting_count < SETTINGS_MAX)
            r.settings[r.setting_count++] = value, k++;
        else if (str_equal(argv[k], "--all"))
            r.all = true;
        else if (r.tech_count < COLUMNS_MAX)
            r.techs[r.tech_count++] = argv[k];
    }
    return r;
}

int main(int argc, char **argv)
{
    struct request r = parse(argc, argv);
    struct mean one = {.count = 0}, two = {.count = 0}, controls = {.count = 0};
    const struct workload *w;
    heads(&r);
    for (size_t i = 0; (w = workload_at(i)) != NULL && (r.all || i < TABLE_1); i++) {
        if (!workload_has_size(w, r.size)) continue;
        bool first_2d = w->block[1] > 1 && !two.count;
        if (first_2d) mean_row(&r, "1D, geometric mean", &one);
        if (i == TABLE_1) mean_row(&r, "2D, geometric mean", &two);
        row(&r, w, i >= TABLE_1 ? &controls : w->block[1] > 1 ? &two : &one);
    }
    if (!r.all) mean_row(&r, "2D, geometric mean", &two);
    mean_row(&r, "controls, geometric mean", &controls);
    return 0;
}
