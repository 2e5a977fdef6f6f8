// Checks an experiment: requirements of its kind, and existence of the GPUs, settings, studies, series and
// files named. The mechanism of a series may be missing.
#include "api/warpfold.h"
#include "lab/categories.h"
#include "lab/experiment_parser.h"
#include "lab/job.h"
#include "lab/sweep.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

bool experiment_refuse(struct parser *p, struct wf_context *c)
{
    const char *said = wf_errors(c),
               *message = str_starts_with(said, "error: ") ? said + strlen("error: ") : said;
    return diag_error(p->diag, (struct loc){.source = p->loc.source}, "%.*s", (int)strcspn(message, "\n"),
                      message);
}

// Checks KEY=VALUE words by applying the settings to a GPU's context. False and an error: a word is refused.
static bool check_settings(struct parser *p, struct wf_context *c, const char *settings)
{
    bool good = true;
    char *words = heap_strdup(settings), *rest = words;
    for (char *word; good && (word = strsep(&rest, " ")) != NULL;) {
        char *value = experiment_cut(word, '=');
        // for pairs, place=WORD is an option of `warpfold mix`, not a setting
        if (p->x->pairs.count && str_equal(word, "place")) continue;
        if (p->x->kernels.count && str_equal(word, "size")) { // of the inputs of a series
            enum workload_size size;
            good = workload_size_find(value ? value : "", &size) ||
                   diag_error(p->diag, (struct loc){.source = p->loc.source}, "size=%s: no such size",
                              value ? value : "");
            continue;
        }
        if (own_is_word(word))
            good = own_check_word(&p->x->own, word, p->diag, (struct loc){.source = p->loc.source});
        else if (*word)
            good = wf_set(c, word, value ? value : "") == WF_OK || experiment_refuse(p, c);
    }
    free(words);
    return good;
}

static bool is_setting(struct wf_context *c, const char *name)
{
    struct wf_key key;
    for (size_t i = 0; wf_key_at(c, i, &key); i++)
        if (str_equal(key.name, name)) return true;
    return false;
}

// Experiments on programs: checks a code named by a view or series (`where`, for messages), and that every
// program has a file for the code. False and an error.
static bool check_code(struct parser *p, const char *code, const char *where)
{
    struct loc whole = {.source = p->loc.source};
    if (!code || !program_code(code))
        return diag_error(p->diag, whole, "\"%s\": programs have the codes %s", where, program_codes);
    for (size_t i = 0; i < p->x->programs.list.count; i++)
        if (!program_file_name(&p->x->programs.list.data[i], code, p->arena))
            return diag_error(p->diag, whole, "the program %s has no form %s",
                              p->x->programs.list.data[i].name, code);
    return true;
}

// Splits series->what, GPU or GPU/CODE, of a series of programs. Checks the code, and the GPU with the
// settings of the experiment and of the series.
static bool check_program_series(struct parser *p, struct experiment_series *series)
{
    char *code = experiment_cut(arena_strndup(p->arena, series->what, strlen(series->what)), '/');
    series->code = code ? program_code(code) : NULL;
    if (code && !check_code(p, series->code, series->what)) return false;
    series->what = arena_strndup(p->arena, series->what, strcspn(series->what, "/"));
    struct wf_context *c = wf_context_create();
    bool good = (wf_gpu(c, series->what) == WF_OK || experiment_refuse(p, c)) &&
                check_settings(p, c, p->x->settings) && check_settings(p, c, series->settings) &&
                (wf_check_settings(c) == WF_OK || experiment_refuse(p, c));
    wf_context_destroy(c);
    return good;
}

// Checks series->gpu, if given, with the settings of the experiment and of the series.
static bool check_gpu(struct parser *p, const struct experiment_series *series)
{
    if (!series->gpu) return true;
    struct wf_context *c = wf_context_create();
    bool good = (wf_gpu(c, series->gpu) == WF_OK || experiment_refuse(p, c)) &&
                check_settings(p, c, p->x->settings) && check_settings(p, c, series->settings) &&
                (wf_check_settings(c) == WF_OK || experiment_refuse(p, c));
    wf_context_destroy(c);
    return good;
}

static size_t views_of(const struct experiment *x) { return x->views.count + x->more_views.count; }

static const struct experiment_view *view_at(const struct experiment *x, size_t v)
{
    return v < x->views.count ? &x->views.data[v] : &x->more_views.data[v - x->views.count];
}

static bool check_programs(struct parser *p)
{
    struct experiment *x = p->x;
    bool good = true;
    for (size_t v = 0; v < views_of(x) && good; v++) {
        struct wf_context *c = wf_context_create();
        good = check_code(p, view_at(x, v)->profile, view_at(x, v)->profile) &&
               (wf_gpu(c, view_at(x, v)->gpu) == WF_OK || experiment_refuse(p, c)) &&
               check_settings(p, c, x->settings);
        wf_context_destroy(c);
    }
    for (size_t i = 0; i < x->series.count && good; i++) good = check_program_series(p, &x->series.data[i]);
    return good;
}

// Checks a series' own base of comparison.
static bool check_over(struct parser *p, const struct experiment_series *series)
{
    const struct experiment_series *over = series->over;
    if (!over) return true;
    struct wf_context *c = wf_context_create();
    bool good = check_gpu(p, over) && check_settings(p, c, over->settings) &&
                (wf_tech(c, over->what) == WF_OK || experiment_refuse(p, c));
    wf_context_destroy(c);
    return good;
}

// Checks GPUs, settings, bases of comparison, the study and the file. A series may name a mechanism absent
// from the library: its runs are refused, and other runs go on. False and an error.
static bool check_names(struct parser *p)
{
    const struct experiment *x = p->x;
    struct loc whole = {.source = p->loc.source};
    bool good = true;
    for (size_t v = 0; v < views_of(x) && good && x->kind != EXPERIMENT_SETTINGS; v++)
        good = !program_code(view_at(x, v)->profile) ||
               diag_error(p->diag, whole, "%s is a code of programs, not of kernels", view_at(x, v)->profile);
    for (size_t v = 0; v < views_of(x) && good; v++) {
        struct wf_context *c = wf_context_create();
        good = (wf_gpu(c, view_at(x, v)->gpu) == WF_OK || experiment_refuse(p, c)) &&
               check_settings(p, c, x->settings);
        for (size_t i = 0; i < x->series.count && good; i++) good = check_over(p, &x->series.data[i]);
        for (size_t i = 0; i < x->series.count && good; i++)
            good = x->series.data[i].gpu ? check_gpu(p, &x->series.data[i])
                   : x->kind != EXPERIMENT_SETTINGS
                       ? check_settings(p, c, x->series.data[i].settings) &&
                             (wf_check_settings(c) == WF_OK || experiment_refuse(p, c))
                       : is_setting(c, x->series.data[i].what) ||
                             diag_error(p->diag, whole,
                                        "no setting \"%s\"; `warpfold list keys` lists every key",
                                        x->series.data[i].what);
        if (good && x->kind == EXPERIMENT_STORAGE)
            good = wf_tech(c, x->mechanism) == WF_OK || experiment_refuse(p, c);
        wf_context_destroy(c);
    }
    // For the base of comparison, a mechanism absent from the library is an error: no value could be
    // computed.
    struct wf_context *of_base = wf_context_create();
    good = good && check_gpu(p, &x->base) && check_settings(p, of_base, x->base.settings) &&
           (wf_tech(of_base, x->base.what) == WF_OK || experiment_refuse(p, of_base));
    wf_context_destroy(of_base);
    const char *name = NULL, *meaning;
    for (size_t i = 0; good && x->study && wf_study_at(i, &name, &meaning) && !str_equal(name, x->study); i++)
        continue;
    if (good && x->study && !str_equal(name, x->study))
        good = diag_error(p->diag, whole, "no study \"%s\"; `warpfold list studies` lists every study",
                          x->study);
    size_t length;
    if (good && x->file && !jobs_file(x->file, &length))
        good = diag_error(p->diag, whole, "no file \"%s\" comes with the library; kernels are NAME.ptx",
                          x->file);
    return good;
}

// Makes the bundles of the user's own runs, for the settings of the base and of each series at the first point of
// a sweep. False and an error: a file or a variable is missing.
static bool check_own(struct parser *p)
{
    const struct experiment *x = p->x;
    bool good = true;
    struct own_cache compiled = {0};
    const char *swept = sweep_settings(x, 0, p->arena);
    for (size_t k = 0; k < x->own.list.count && good; k++)
        for (size_t i = 0; i <= x->series.count && good; i++) {
            const struct experiment_series *s = i ? &x->series.data[i - 1] : &x->base;
            struct own_bundle bundle;
            struct arena arena;
            arena_init(&arena);
            good = own_bundle_make(&bundle, &x->own, &x->own.list.data[k],
                                   arena_printf(&arena, "%s %s %s", x->settings, swept, s->settings),
                                   &compiled, &arena, p->diag, (struct loc){.source = p->loc.source});
            own_bundle_fini(&bundle);
            arena_fini(&arena);
        }
    own_cache_fini(&compiled);
    return good;
}

// True: the experiment has a series with the label, or its kind (settings, storage) takes any label.
static bool has_series(const struct experiment *x, const char *label)
{
    bool has = x->kind == EXPERIMENT_SETTINGS || x->kind == EXPERIMENT_STORAGE;
    for (size_t k = 0; k < x->series.count; k++) has |= str_equal(x->series.data[k].label, label);
    return has;
}

static const char *next_category(const void *context, size_t i)
{
    const struct categories *c = context;
    if (i < c->means.count) return c->means.data[i];
    return i - c->means.count < c->subjects.count ? c->subjects.data[i - c->means.count] : NULL;
}

static bool has_category(const struct parser *p, const struct categories *c, const char *name)
{
    for (size_t i = 0; i < c->means.count; i++)
        if (str_equal(c->means.data[i], name)) return true;
    return categories_is_subject(p->x, name);
}

static bool is_group(const struct parser *p, const struct categories *c, const char *name)
{
    for (size_t i = 0; i < c->subjects.count; i++)
        if (categories_in_group(p->x, name, c->subjects.data[i])) return true;
    return false;
}

static bool refuse_category(struct parser *p, const struct claim *claim, const struct categories *c,
                            const char *name)
{
    const char *near = str_nearest(name, next_category, c);
    struct strbuf rest = {0};
    if (near)
        strbuf_printf(&rest, "did you mean \"%s\"?", near);
    else if (!c->means.count)
        strbuf_puts(&rest, "the experiment has no mean");
    for (size_t i = 0; i < c->means.count && !near; i++)
        strbuf_printf(&rest, "%s%s", i ? ", " : "the means are ", c->means.data[i]);
    diag_error(p->diag, (struct loc){.source = p->loc.source},
               "the claim \"%s\" is about \"%s\", no mean, kernel, program or group of the experiment; %s",
               claim->text, name, rest.text);
    strbuf_fini(&rest);
    return false;
}

// Checks the claim's category and the categories of terms ("A at LIB"), where known before the runs.
static bool check_categories(struct parser *p, const struct claim *claim)
{
    struct categories c;
    bool good = true;
    if (categories_of(p->x, p->arena, &c)) {
        if (!is_group(p, &c, claim->category) && !has_category(p, &c, claim->category))
            good = refuse_category(p, claim, &c, claim->category);
        for (size_t i = 0; i < claim->terms.count && good; i++) {
            const char *name = claim->terms.data[i].category;
            if (name && !has_category(p, &c, name)) good = refuse_category(p, claim, &c, name);
        }
    }
    categories_fini(&c);
    return good;
}

static bool check_claim(struct parser *p, const struct claim *c)
{
    for (size_t i = 0; i < c->terms.count; i++) {
        const char *series = c->terms.data[i].series;
        if (series && !has_series(p->x, series))
            return diag_error(p->diag, (struct loc){.source = p->loc.source},
                              "the claim \"%s\" is about \"%s\", not a series of the experiment", c->text,
                              series);
    }
    return check_categories(p, c);
}

// Checks the leave-outs, and adds a note for every series with some. False and an error.
static bool check_left_out(struct parser *p)
{
    struct experiment *x = p->x;
    struct loc whole = {.source = p->loc.source};
    for (size_t i = 0; i < x->left_out.count; i++) {
        const struct experiment_left_out *l = &x->left_out.data[i];
        if (!has_series(x, l->series) || x->axes.count)
            return diag_error(p->diag, whole, "the leave-out of \"%s\" is of no series without a sweep",
                              l->series);
        if (!categories_is_subject(x, l->subject))
            return diag_error(p->diag, whole,
                              "the leave-out \"%s\" is no kernel, program or pair of the experiment",
                              l->subject);
    }
    for (size_t s = 0; s < x->series.count; s++) {
        const char *label = x->series.data[s].label, *without = categories_without(x, label, p->arena);
        if (*without) vec_push(&x->notes, arena_printf(p->arena, "The means of %s are%s.", label, without));
    }
    return true;
}

// Checks the syntax and the series of every {SERIES | CATEGORY} of the headline. False and an error.
static bool check_headline(struct parser *p)
{
    for (const char *at = p->x->predicate; at && (at = strchr(at, '{')) != NULL; at++) {
        size_t length = strcspn(at + 1, "|}");
        char *series = arena_strndup(p->arena, at + 1, length);
        if (at[1 + length] != '|' || !strchr(at, '}') || !has_series(p->x, str_trim(series)))
            return diag_error(p->diag, (struct loc){.source = p->loc.source},
                              "the headline has \"%.*s\", where {SERIES | CATEGORY} is meant",
                              (int)strcspn(at, "}") + 1, at);
    }
    return true;
}

// Whether settings or axes have words for the user's own runs alone.
static bool has_own_words(const struct experiment *x)
{
    bool has = x->settings && (strstr(x->settings, "--") || strchr(x->settings, '$'));
    for (size_t i = 0; i < x->series.count; i++)
        has |= strstr(x->series.data[i].settings, "--") || strchr(x->series.data[i].settings, '$');
    for (size_t a = 0; a < x->axes.count; a++) has |= own_is_word(x->axes.data[a].key);
    return has;
}

// Checks the requirements of the experiment's kind and the named things except series' mechanisms, and fills
// in defaults. False and an error.
bool experiment_check(struct parser *p)
{
    struct experiment *x = p->x;
    struct loc whole = {.source = p->loc.source};
    bool no_kernels = x->kind == EXPERIMENT_SETTINGS || x->kind == EXPERIMENT_FEATURES ||
                      (x->kind == EXPERIMENT_STUDY && x->file);
    const char *missing =
        !x->title                                                             ? "title"
        : x->kind == EXPERIMENT_RUNS && !x->measure                           ? "measure"
        : x->kind == EXPERIMENT_STORAGE && !x->mechanism                      ? "mechanism"
        : x->kind == EXPERIMENT_STUDY && (!x->study || !x->table)             ? "study and table"
        : x->kind == EXPERIMENT_STUDY && (x->file || x->together) && !x->rows ? "rows"
        : x->programs.list.count && x->kind != EXPERIMENT_RUNS
            ? "kernels, not programs: programs are for runs"
        : x->programs.list.count && x->kernels.count   ? "kernels or programs, not both"
        : x->pairs.count && x->kind != EXPERIMENT_RUNS ? "kernels, not pairs: pairs are for runs"
        : x->pairs.count && (x->kernels.count || x->programs.list.count)
            ? "kernels, programs or pairs, not several"
        : x->pairs.count && x->axes.count ? "kernels or programs, not pairs, for a sweep"
        : x->reference && !x->pairs.count ? "pairs: a reference is for pairs"
        : x->own.list.count && (x->kind != EXPERIMENT_RUNS || x->programs.list.count || x->pairs.count)
            ? "kind = runs beside a line `run`, and no programs or pairs"
        : !x->kernels.count && !x->programs.list.count && !x->pairs.count && !x->own.list.count && !no_kernels
            ? "kernels, programs, pairs or a line `run`"
        : x->own.list.count && x->kernels.count && has_own_words(x)
            ? "no bundled kernels beside variables or options of a run"
        : !x->series.count && x->kind != EXPERIMENT_KERNELS ? "series"
        : x->kind == EXPERIMENT_TIME && (!x->measure || !x->settings || !str_equal(x->measure, "ipc") ||
                                         !strstr(x->settings, "report.interval="))
            ? "measure = ipc and settings = report.interval=CYCLES"
            : NULL;
    if (missing) return diag_error(p->diag, whole, "an experiment of this kind needs %s", missing);
    bool has_kernels = x->kernels.count || x->own.list.count,
         runs_kernels = x->kind == EXPERIMENT_RUNS && (has_kernels || x->pairs.count), names_gpu = false;
    for (size_t i = 0; i < x->series.count; i++) names_gpu |= x->series.data[i].gpu != NULL;
    for (size_t i = 0; i < x->series.count; i++)
        if (x->series.data[i].over && (x->kind != EXPERIMENT_RUNS || !has_kernels || x->axes.count))
            return diag_error(p->diag, whole,
                              "a series with `over` is for timed runs of kernels without a sweep");
    if ((x->base.what || names_gpu) && !runs_kernels)
        return diag_error(p->diag, whole, "%s is for timed runs of kernels",
                          x->base.what ? "base" : "a series with `on GPU`");
    if (!x->base.what) x->base = (struct experiment_series){.what = "base", .settings = ""};
    for (size_t i = 0; i < x->values.count; i++)
        if (!has_series(x, x->values.data[i].series))
            return diag_error(p->diag, whole, "the paper's value of \"%s\" belongs to no series",
                              x->values.data[i].series);
    if (x->split.series && (!has_series(x, x->split.series) || !x->measure || x->axes.count))
        return diag_error(p->diag, whole,
                          "the split by \"%s\" is by no series of an experiment of runs without a sweep",
                          x->split.series);
    for (size_t i = 0; i < x->claims.count; i++)
        if (!check_claim(p, &x->claims.data[i])) return false;
    if (!check_left_out(p)) return false;
    if (!check_headline(p)) return false;
    if (!x->views.count)
        vec_push(&x->views,
                 x->programs.list.count
                     ? (struct experiment_view){"simtight", "rv32i", "simtight/rv32i"}
                     : (struct experiment_view){"gtx1080ti-paper", "ptxplus", "gtx1080ti-paper/ptxplus"});
    if (!x->show) x->show = x->axes.count ? "lines" : "table";
    if (!x->source) x->source = "";
    if (!x->group) x->group = "";
    if (!x->settings) x->settings = "";
    if (!x->ptx) x->ptx = "nvcc";
    return (x->programs.list.count ? check_programs(p) : check_names(p)) && sweep_check(p) && check_own(p);
}
