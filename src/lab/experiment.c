// Reading experiments. A file is lines of KEY = VALUE. A line beginning with a blank or tab continues the
// entry above; # starts a comment line. Keys come from one table, with a flag for repeatable keys.
#include "api/warpfold.h"
#include "base/file.h"
#include "lab/experiment_parser.h"
#include "lab/job.h"
#include "lab/measures.h"
#include "lab/sweep.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

// -- bundled with the library -------------------------------------------------------------------------------

#define EMBED(SYMBOL, NAME)                                                                                  \
    __asm__(".pushsection .rodata\n.global experiment_text_" SYMBOL "\nexperiment_text_" SYMBOL              \
            ":\n.incbin \"experiments/" NAME "\"\n.byte 0\n.popsection\n");
#define EXPERIMENT(name)      EMBED(#name, #name ".exp") extern const char experiment_text_##name[];
#define FILE_OF(symbol, name) EMBED("file_" #symbol, name) extern const char experiment_text_file_##symbol[];
#include "lab/experiments.def"
#undef EXPERIMENT
#undef FILE_OF

struct embedded {
    const char *name, *text;
};
static const struct embedded experiments[] = {
#define EXPERIMENT(name) {#name, experiment_text_##name},
#define FILE_OF(symbol, name)
#include "lab/experiments.def"
#undef EXPERIMENT
#undef FILE_OF
};
static const struct embedded files[] = {
#define EXPERIMENT(name)
#define FILE_OF(symbol, name) {name, experiment_text_file_##symbol},
#include "lab/experiments.def"
#undef EXPERIMENT
#undef FILE_OF
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0], FILES = sizeof files / sizeof files[0] };

const char *experiment_name_at(size_t i) { return i < EXPERIMENTS ? experiments[i].name : NULL; }

const char *experiment_file(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (str_equal(files[i].name, name)) return files[i].text;
    return NULL;
}

// -- values -------------------------------------------------------------------------------------------------

char *experiment_cut(char *text, char separator)
{
    char *at = strchr(text, separator);
    if (at) *at++ = 0;
    return at ? str_trim(at) : NULL;
}

static bool set_kind(struct parser *p, char *value)
{
    static const struct {
        const char *name;
        enum experiment_kind kind;
    } kinds[] = {{"runs", EXPERIMENT_RUNS},         {"study", EXPERIMENT_STUDY},
                 {"marks", EXPERIMENT_MARKS},       {"storage", EXPERIMENT_STORAGE},
                 {"settings", EXPERIMENT_SETTINGS}, {"features", EXPERIMENT_FEATURES},
                 {"kernels", EXPERIMENT_KERNELS},   {"time", EXPERIMENT_TIME}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_equal(kinds[i].name, value)) {
            p->x->kind = kinds[i].kind;
            return true;
        }
    return diag_error(
        p->diag, p->loc,
        "no kind \"%s\"; must be one of runs, study, marks, storage, settings, kernels, features, time",
        value);
}

static const char *next_workload(const void *context, size_t i)
{
    const struct workload *w = workload_at(i);
    (void)context;
    return w ? w->name : NULL;
}

static bool set_kernels(struct parser *p, char *value)
{
    for (char *word; (word = strsep(&value, " \t\n")) != NULL;) {
        const char *near;
        if (!*word) continue;
        if (!workload_is_group(word) && !workload_find(word, &near)) {
            near = str_nearest(word, next_workload, NULL);
            return diag_error(p->diag, p->loc, "no bundled kernel or group \"%s\"%s%s%s", word,
                              near ? "; did you mean \"" : "; `warpfold list kernels` lists every kernel",
                              near ? near : "", near ? "\"?" : "");
        }
        vec_push(&p->x->kernels, word);
    }
    return true;
}

static bool set_programs(struct parser *p, char *value)
{
    bool good = true;
    for (char *word; good && (word = strsep(&value, " \t\n")) != NULL;)
        good = !*word || program_subjects_add(&p->x->programs, word, p->arena, p->diag, p->loc);
    return good;
}

// The folder of the experiment's file, for relative paths; "." for a name without a folder.
static const char *folder_of(const struct parser *p)
{
    const char *slash = strrchr(p->x->name, '/');
    return slash ? arena_strndup(p->arena, p->x->name, (size_t)(slash - p->x->name) + (slash == p->x->name))
                 : ".";
}

static bool add_run(struct parser *p, char *value)
{
    return own_add(&p->x->own, value, folder_of(p), p->arena, p->diag, p->loc);
}

static bool set_files(struct parser *p, char *value)
{
    for (char *word; (word = strsep(&value, " \t\n")) != NULL;)
        if (*word) vec_push(&p->x->own.files, word);
    return true;
}

static bool set_input(struct parser *p, char *value)
{
    if (strspn(value, "0123456789abcdefABCDEF") != strlen(value) || strlen(value) % 2)
        return diag_error(p->diag, p->loc, "input = %s: must be bytes of two hexadecimal digits", value);
    p->x->input = value;
    return true;
}

// The canonical name of a compile profile or a program's code, given any of its names, so equal runs have one
// name. NULL and an error: unknown name, or `word` NULL (the view has no "/PROFILE").
static const char *profile_name(struct parser *p, const char *view, const char *word)
{
    if (word && program_code(word)) return program_code(word);
    struct wf_context *c = wf_context_create();
    const char *name = NULL;
    struct wf_key key = {.range = ""};
    bool good = word && wf_set(c, "compile.profile", word) == WF_OK;
    for (size_t i = 0; wf_key_at(c, i, &key) && !str_equal(key.name, "compile.profile"); i++) continue;
    if (good)
        name = arena_strndup(p->arena, key.value, strlen(key.value));
    else
        diag_error(p->diag, p->loc, "\"%s\": a view is GPU/PROFILE, and profiles are %s", view, key.range);
    wf_context_destroy(c);
    return name;
}

static bool add_views(struct parser *p, char *value, bool more)
{
    struct experiment *x = p->x;
    for (char *word; (word = strsep(&value, " \t\n")) != NULL;) {
        if (!*word) continue;
        const char *said = arena_strndup(p->arena, word, strlen(word)),
                   *profile = profile_name(p, word, experiment_cut(word, '/'));
        if (!profile) return false;
        struct experiment_view view = {word, profile, said};
        if (more)
            vec_push(&x->more_views, view);
        else
            vec_push(&x->views, view);
    }
    return true;
}

static bool set_views(struct parser *p, char *value) { return add_views(p, value, false); }
static bool set_more_views(struct parser *p, char *value) { return add_views(p, value, true); }

// Cuts the text at the first occurrence of `word`, which has its blanks. Returns the trimmed text behind the
// word; NULL: no occurrence.
static char *cut_word(char *text, const char *word)
{
    char *at = strstr(text, word);
    if (!at) return NULL;
    *at = 0;
    return str_trim(at + strlen(word));
}

// Parses "WHAT with KEY=VALUE … on GPU"; the parts from `with` and from `on` are optional.
static struct experiment_series parse_run(char *text, const char *label)
{
    const char *gpu = cut_word(text, " on "), *settings = cut_word(text, " with ");
    return (struct experiment_series){
        .label = label, .what = str_trim(text), .settings = settings ? settings : "", .gpu = gpu};
}

static bool add_series(struct parser *p, char *value)
{
    char *what = experiment_cut(value, ':');
    if (!what || !*what)
        return diag_error(p->diag, p->loc,
                          "a series is LABEL : WHAT, or LABEL : WHAT with KEY=VALUE … on GPU over WHAT …");
    char *over = cut_word(what, " over ");
    struct experiment_series s = parse_run(what, str_trim(value));
    if (over) {
        struct experiment_series *base = ARENA_NEW(p->arena, struct experiment_series);
        *base = parse_run(over, arena_strndup(p->arena, over, strlen(over)));
        s.over = base;
    }
    vec_push(&p->x->series, s);
    return true;
}

static bool set_base(struct parser *p, char *value)
{
    p->x->base = parse_run(value, arena_strndup(p->arena, value, strlen(value)));
    return true;
}

static bool set_split(struct parser *p, char *value)
{
    struct experiment_split *s = &p->x->split;
    char *names = experiment_cut(value, ':'), *limit = experiment_cut(value, '|');
    char *below = names ? experiment_cut(names, '/') : NULL;
    if (!below || !*below || !*str_trim(names) || !limit || !str_to_f64(str_trim(limit), &s->limit))
        return diag_error(p->diag, p->loc, "a split is SERIES | NUMBER : THOSE THAT REACH IT / THE OTHERS");
    s->series = str_trim(value);
    s->names[0] = str_trim(names);
    s->names[1] = below;
    return true;
}

static bool add_left_out(struct parser *p, char *value)
{
    char *subjects = experiment_cut(value, ':');
    if (!subjects || !*subjects)
        return diag_error(p->diag, p->loc, "a leave-out is SERIES : KERNEL …, left out of the series' means");
    for (char *subject; (subject = strsep(&subjects, " \t\n")) != NULL;)
        if (*subject) vec_push(&p->x->left_out, (struct experiment_left_out){str_trim(value), subject});
    return true;
}

static bool add_value(struct parser *p, char *value)
{
    char *number = experiment_cut(value, '='), *category = experiment_cut(value, '|');
    double x = 0;
    char *percent = number ? strchr(number, '%') : NULL;
    const char *text = number ? arena_strndup(p->arena, number, strlen(number)) : "";
    if (percent) *percent = 0;
    if (!number || !category || !str_to_f64(str_trim(number), &x))
        return diag_error(p->diag, p->loc, "a value of the paper is SERIES | CATEGORY = NUMBER");
    vec_push(&p->x->values,
             (struct experiment_value){str_trim(value), str_trim(category), percent ? x / 100 : x, text});
    return true;
}

static bool add_claim(struct parser *p, char *value)
{
    struct claim c;
    const char *why;
    if (claim_parse(value, p->arena, &c, &why)) {
        vec_push(&p->x->claims, c);
        return true;
    }
    claim_fini(&c);
    return diag_error(p->diag, p->loc, "%s", why);
}

static bool set_headline(struct parser *p, char *value)
{
    char *predicate = experiment_cut(value, ':');
    if (!predicate || !*predicate)
        return diag_error(p->diag, p->loc,
                          "a headline is WHO : DOES WHAT, with {SERIES | CATEGORY} where a value stands");
    p->x->subject = str_trim(value);
    p->x->predicate = predicate;
    return true;
}

static bool set_measure(struct parser *p, char *value)
{
    struct measure *made = ARENA_NEW(p->arena, struct measure);
    p->x->measure = value;
    p->x->by = measure_find(value);
    if (p->x->by) return true;
    p->x->by = made;
    return measure_make(made, value, p->arena, p->diag, p->loc);
}

#define TEXT_KEY(field)                                                                                      \
    static bool set_##field(struct parser *p, char *value)                                                   \
    {                                                                                                        \
        p->x->field = value;                                                                                 \
        return true;                                                                                         \
    }
static bool check_kernel(struct parser *p, const char *name)
{
    const char *near;
    return workload_find(name, &near) ||
           diag_error(p->diag, p->loc,
                      near ? "no bundled kernel \"%s\"; did you mean \"%s\"?" : "no bundled kernel \"%s\"",
                      name, near);
}

static bool add_pair(struct parser *p, const char *first, const char *second)
{
    if (!check_kernel(p, first) || !check_kernel(p, second)) return false;
    vec_push(&p->x->pairs, (struct experiment_pair){.first = first, .second = second});
    return true;
}

// The kernel's abbreviation in the experiment's group, or its name if the group lacks the kernel.
static const char *short_name(const struct experiment *x, const char *name)
{
    const char *abbreviation;
    const struct workload *member;
    for (size_t i = 0; x->group && (member = workload_in_group(x->group, i, &abbreviation)) != NULL; i++)
        if (str_equal(member->name, name)) return abbreviation;
    return name;
}

// Names the pairs, after the whole text is read: the line with the group may stand behind the pairs.
static void name_pairs(struct parser *p)
{
    for (size_t i = 0; i < p->x->pairs.count; i++) {
        struct experiment_pair *pair = &p->x->pairs.data[i];
        pair->name =
            arena_printf(p->arena, "%s+%s", short_name(p->x, pair->first), short_name(p->x, pair->second));
    }
}

// Adds pairs of kernels: "A B + C D" pairs each of A and B with each of C and D.
static bool set_pairs(struct parser *p, char *value)
{
    char *seconds = experiment_cut(value, '+');
    if (!seconds)
        return diag_error(p->diag, p->loc, "\"%s\" are no pairs; write KERNEL... + KERNEL...", value);
    for (char *first; (first = strsep(&value, " \t\n")) != NULL;) {
        char *again = arena_strndup(p->arena, seconds, strlen(seconds));
        for (char *second; *first && (second = strsep(&again, " \t\n")) != NULL;)
            if (*second && !add_pair(p, first, second)) return false;
    }
    return true;
}

TEXT_KEY(title)
TEXT_KEY(source)
TEXT_KEY(group)
TEXT_KEY(show)
TEXT_KEY(study)
TEXT_KEY(table)
TEXT_KEY(file)
TEXT_KEY(arguments)
TEXT_KEY(rows)
TEXT_KEY(mechanism)
TEXT_KEY(settings)
TEXT_KEY(reference)
TEXT_KEY(size)
TEXT_KEY(default_size)
TEXT_KEY(ptx)
#undef TEXT_KEY

static bool set_together(struct parser *p, char *value)
{
    p->x->together = str_equal(value, "yes");
    return true;
}

static bool set_shapes(struct parser *p, char *value)
{
    p->x->shapes = str_equal(value, "yes");
    return true;
}

static bool set_registers(struct parser *p, char *value)
{
    p->x->compiles = str_equal(value, "code");
    return true;
}

static bool add_expect(struct parser *p, char *value)
{
    vec_push(&p->x->expects, value);
    return true;
}

static bool add_note(struct parser *p, char *value)
{
    vec_push(&p->x->notes, value);
    return true;
}

static const struct key {
    const char *name;
    bool (*set)(struct parser *p, char *value); // the value lives as long as the experiments
    bool many;
    const char *words; // allowed words; NULL: any
} keys[] = {{"title", set_title, false, NULL},
            {"source", set_source, false, NULL},
            {"group", set_group, false, NULL},
            {"kind", set_kind, false, NULL},
            {"show", set_show, false, "bars stack lines map table"},
            {"measure", set_measure, false, NULL},
            {"study", set_study, false, NULL},
            {"table", set_table, false, NULL},
            {"file", set_file, false, NULL},
            {"arguments", set_arguments, false, NULL},
            {"rows", set_rows, false, NULL},
            {"mechanism", set_mechanism, false, NULL},
            {"together", set_together, false, "yes no"},
            {"settings", set_settings, false, NULL},
            {"size", set_size, false, "small medium large paper slice"},
            {"default-size", set_default_size, false, "small medium large paper slice"},
            {"shapes", set_shapes, false, "yes no"},
            {"registers", set_registers, false, "dispatch code"},
            {"ptx", set_ptx, false, "nvcc clang"},
            {"kernels", set_kernels, true, NULL},
            {"programs", set_programs, true, NULL},
            {"pairs", set_pairs, true, NULL},
            {"run", add_run, true, NULL},
            {"files", set_files, true, NULL},
            {"reference", set_reference, false, NULL},
            {"input", set_input, false, NULL},
            {"views", set_views, true, NULL},
            {"more-views", set_more_views, true, NULL},
            {"series", add_series, true, NULL},
            {"sweep", sweep_add, true, NULL},
            {"base", set_base, false, NULL},
            {"split", set_split, false, NULL},
            {"leave-out", add_left_out, true, NULL},
            {"paper", add_value, true, NULL},
            {"headline", set_headline, false, NULL},
            {"expect", add_expect, true, NULL},
            {"claim", add_claim, true, NULL},
            {"note", add_note, true, NULL}};
enum { KEYS = sizeof keys / sizeof keys[0] };

static const char *next_key(const void *context, size_t i)
{
    (void)context;
    return i < KEYS ? keys[i].name : NULL;
}

static bool is_one_of(const char *word, const char *words)
{
    const char *at = words ? strstr(words, word) : NULL;
    size_t length = strlen(word);
    return !words || (at && length && (at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '));
}

// Sets "KEY = VALUE" and marks the key in `seen`. The entry's text must live as long as the experiments.
// False and an error.
static bool set_entry(struct parser *p, char *entry, bool seen[KEYS])
{
    char *value = experiment_cut(entry, '=');
    entry = str_trim(entry);
    if (!value) return diag_error(p->diag, p->loc, "\"%s\" sets nothing; a line is KEY = VALUE", entry);
    for (size_t k = 0; k < KEYS; k++) {
        if (!str_equal(keys[k].name, entry)) continue;
        if (!keys[k].many && seen[k]) return diag_error(p->diag, p->loc, "%s is given twice", entry);
        if (!*value) return diag_error(p->diag, p->loc, "%s needs a value", entry);
        if (!is_one_of(value, keys[k].words))
            return diag_error(p->diag, p->loc, "%s = %s: must be one of %s", entry, value, keys[k].words);
        seen[k] = true;
        return keys[k].set(p, value);
    }
    const char *near = str_nearest(entry, next_key, NULL);
    return diag_error(p->diag, p->loc, near ? "no key \"%s\"; did you mean \"%s\"?" : "no key \"%s\"", entry,
                      near);
}

static void fini(struct experiment *x)
{
    vec_fini(&x->kernels);
    vec_fini(&x->programs.list);
    vec_fini(&x->pairs);
    vec_fini(&x->own.list);
    vec_fini(&x->own.files);
    vec_fini(&x->views);
    vec_fini(&x->more_views);
    vec_fini(&x->series);
    vec_fini(&x->left_out);
    vec_fini(&x->values);
    vec_fini(&x->expects);
    vec_fini(&x->notes);
    for (size_t i = 0; i < x->axes.count; i++) vec_fini(&x->axes.data[i].values);
    vec_fini(&x->axes);
    vec_fini(&x->only);
    for (size_t i = 0; i < x->claims.count; i++) claim_fini(&x->claims.data[i]);
    vec_fini(&x->claims);
}

bool experiments_add_text(struct experiments *e, const char *name, const char *text, size_t length,
                          struct diag *d)
{
    struct experiment x = {.name = name, .text = arena_strndup(&e->arena, text, length)};
    struct parser p = {.x = &x, .arena = &e->arena, .diag = d};
    bool seen[KEYS] = {false}, good = true;
    p.loc.source = diag_add_source(d, name, text, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && !strchr("\t\n\r", text[i] ? text[i] : 1))
            return diag_error(d, (struct loc){.source = p.loc.source}, "is no text: byte %zu is 0x%02x", i,
                              (unsigned)text[i]);
    char *line = arena_strndup(&e->arena, text, length), *entry = NULL;
    uint32_t number = 0, first = 0;
    struct strbuf value = {0};
    for (;; number++) { // an entry ends at the next entry
        char *next = line ? strchr(line, '\n') : NULL;
        if (next) *next++ = 0;
        bool goes_on = line && (*line == ' ' || *line == '\t') && *str_trim(line);
        if (goes_on && entry) {
            strbuf_printf(&value, " %s", str_trim(line));
        } else if (!line || (*line != '#' && *str_trim(line))) {
            p.loc.line = first;
            p.loc.column = 1;
            if (entry) {
                entry = arena_strndup(&e->arena, strbuf_text(&value), value.length);
                good = set_entry(&p, entry, seen) && good;
            }
            strbuf_clear(&value);
            if (line) strbuf_puts(&value, str_trim(line));
            entry = line;
            first = number + 1;
        }
        if (!line) break;
        line = next;
    }
    strbuf_fini(&value);
    name_pairs(&p);
    good = good && experiment_check(&p);
    if (good)
        vec_push(&e->list, x);
    else
        fini(&x);
    return good;
}

// -- by name ------------------------------------------------------------------------------------------------

void experiments_init(struct experiments *x)
{
    *x = (struct experiments){0};
    arena_init(&x->arena);
}

void experiments_fini(struct experiments *x)
{
    for (size_t i = 0; i < x->list.count; i++) fini(&x->list.data[i]);
    vec_fini(&x->list);
    arena_fini(&x->arena);
}

static const char *next_experiment(const void *context, size_t i)
{
    (void)context;
    return experiment_name_at(i);
}

static bool add_file(struct experiments *x, const char *path, struct diag *d)
{
    char *bytes;
    size_t length;
    const char *why, *slash = strrchr(path, '/');
    if (!file_read(path, &bytes, &length, &why))
        return diag_error(d, loc_none(), "cannot read the experiment %s: %s", path, why);
    const char *base = slash ? slash + 1 : path;
    size_t stem = strcspn(base, ".");
    bool good = experiments_add_text(x, path, bytes, length, d);
    if (good) vec_last(&x->list).name = arena_strndup(&x->arena, base, stem);
    free(bytes);
    return good;
}

bool experiments_add(struct experiments *x, const char *name, struct diag *d)
{
    if (strpbrk(name, "/.")) return add_file(x, name, d);
    size_t before = x->list.count;
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        const char *text = experiments[i].text;
        if (str_equal(experiments[i].name, name))
            return experiments_add_text(x, experiments[i].name, text, strlen(text), d);
    }
    for (size_t i = 0; i < EXPERIMENTS; i++) { // a group: experiments by the `group` line of their file
        const char *text = experiments[i].text;
        if (!experiments_add_text(x, experiments[i].name, text, strlen(text), d)) return false;
        if (str_equal(vec_last(&x->list).group, name)) continue;
        fini(&vec_last(&x->list));
        x->list.count--;
    }
    if (x->list.count > before) return true;
    const char *near = str_nearest(name, next_experiment, NULL);
    if (near) return diag_error(d, loc_none(), "no experiment \"%s\"; did you mean \"%s\"?", name, near);
    return diag_error(d, loc_none(),
                      "no experiment \"%s\"; `warpfold list experiments` lists every experiment, and a "
                      "file's path has a / or a .",
                      name);
}
