// `warpfold compare A.json B.json`: differences between the results of two runs, main figures first, then by
// size of the relative change.
//
// Both files become lists of named figures: "cycles", "sm.l1.hits". Elements of an array add their names:
// "matrixMul cycles". Left out are wall-clock figures; launches, time series and the account by line,
// whose names differ between runs; and energy events, which repeat the counters.
#include "base/file.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "cli/command.h"
#include "cli/print.h"
#include "report/table.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

struct figure {
    const char *name;
    const struct json_value *a, *b; // NULL: absent from the file
    // Relative change from a to b; NAN if a's value is 0, or a value is absent or no number.
    double change;
    bool is_main;
};

struct comparison {
    struct arena arena;
    VEC(struct figure) figures, settings;
    struct strmap by_name; // of figures and settings: name to index
    size_t equal;
};

static bool is_left_out(const char *key)
{
    static const char *const keys[] = {"schema",
                                       "wall_seconds",
                                       "simulated_warp_instructions_per_second",
                                       "geometric_mean_warp_instructions_per_second",
                                       "launches",
                                       "samples",
                                       "account",
                                       "limits",
                                       "events"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (str_equal(keys[i], key)) return true;
    return false;
}

// Name of an array element: its first member that is a string, or its index.
static const char *name_of(struct arena *a, const struct json_value *element, size_t index)
{
    for (const struct json_value *v = element->type == JSON_OBJECT ? element->first : NULL; v; v = v->next)
        if (v->type == JSON_STRING) return v->text;
    return arena_printf(a, "%zu", index);
}

static void add_figure(struct comparison *c, const char *name, const struct json_value *v, bool second,
                       bool setting)
{
    const char *key = arena_printf(&c->arena, "%s%s", setting ? "=" : "", name);
    uint32_t index;
    if (!strmap_get(&c->by_name, key, strlen(key), &index)) {
        index = (uint32_t)(setting ? c->settings.count : c->figures.count);
        strmap_set(&c->by_name, key, strlen(key), index);
        struct figure f = {.name = name};
        if (setting)
            vec_push(&c->settings, f);
        else
            vec_push(&c->figures, f);
    }
    struct figure *f = setting ? &c->settings.data[index] : &c->figures.data[index];
    if (second)
        f->b = v;
    else
        f->a = v;
}

static void collect(struct comparison *c, const char *prefix, const struct json_value *v, bool second,
                    bool setting)
{
    size_t index = 0;
    if (v->type != JSON_OBJECT && v->type != JSON_ARRAY) {
        add_figure(c, prefix, v, second, setting);
        return;
    }
    for (const struct json_value *e = v->first; e; e = e->next, index++) {
        const char *key = v->type == JSON_OBJECT ? e->key : name_of(&c->arena, e, index);
        if (v->type == JSON_OBJECT && is_left_out(key)) continue;
        // Omits container names: "workloads matrixMul cycles" becomes "matrixMul cycles".
        bool plain = v->type == JSON_OBJECT &&
                     (str_equal(key, "workloads") || str_equal(key, "config") || str_equal(key, "counters"));
        const char *name =
            plain || !*prefix ? (plain ? prefix : key) : arena_printf(&c->arena, "%s %s", prefix, key);
        collect(c, name, e, second, setting || (v->type == JSON_OBJECT && str_equal(key, "config")));
    }
}

static const char *text_of(const struct json_value *v)
{
    if (!v) return "-";
    switch (v->type) {
    case JSON_NUMBER:
    case JSON_STRING: return v->text;
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return "-";
}

// Whether a figure belongs to the main figures, listed first: the last word of its name decides.
static bool is_main(const char *name)
{
    static const char *const names[] = {"cycles", "warp_instructions", "status",     "outcome", "tech",
                                        "gpu",    "total_pj",          "output_hash"};
    const char *space = strrchr(name, ' ');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_equal(space ? space + 1 : name, names[i])) return true;
    return false;
}

// Whether a figure has not changed. A figure present in only one file counts as unchanged if it is 0 or no
// number.
static bool is_equal(const struct figure *f)
{
    const struct json_value *only = f->a ? f->a : f->b;
    if (f->a && f->b) return str_equal(text_of(f->a), text_of(f->b));
    return json_is_number(only) ? json_number(only) == 0 : true;
}

static int by_change(const void *x, const void *y)
{
    const struct figure *a = x, *b = y;
    if (a->is_main != b->is_main) return a->is_main ? -1 : 1;
    // Figures without a relative change come last.
    double p = isnan(a->change) ? -1 : fabs(a->change), q = isnan(b->change) ? -1 : fabs(b->change);
    return p > q ? -1 : p < q ? 1 : strcmp(a->name, b->name);
}

// Keeps the changed figures and sorts them: main figures first, then by size of the relative change. Keeps
// the changed settings.
static void sift(struct comparison *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->figures.count; i++) {
        struct figure f = c->figures.data[i];
        if (is_equal(&f)) {
            c->equal += f.a && f.b;
            continue;
        }
        double a = json_number(f.a), b = json_number(f.b);
        f.change = json_is_number(f.a) && json_is_number(f.b) && a != 0 ? b / a - 1 : (double)NAN;
        f.is_main = is_main(f.name);
        c->figures.data[kept++] = f;
    }
    c->figures.count = kept;
    if (kept) qsort(c->figures.data, kept, sizeof *c->figures.data, by_change);
    kept = 0;
    for (size_t i = 0; i < c->settings.count; i++)
        if (!str_equal(text_of(c->settings.data[i].a), text_of(c->settings.data[i].b)))
            c->settings.data[kept++] = c->settings.data[i];
    c->settings.count = kept;
}

static void add_value(struct table *t, const char *name, const struct json_value *v)
{
    uint64_t whole;
    if (json_is_number(v) && !str_ends_with(name, "hash") && str_to_u64(v->text, &whole))
        table_add_u64(t, whole);
    else
        table_add(t, "%s", text_of(v));
}

static void show(const struct comparison *c, const char *const names[2], bool all)
{
    enum { SHOWN = 40 };
    bool colour = isatty(STDOUT_FILENO) != 0;
    struct strbuf out = {0};
    struct table t;
    if (c->settings.count) {
        table_init(&t, (const char *const[]){"setting", names[0], names[1]}, 3);
        for (size_t i = 0; i < c->settings.count; i++) {
            table_add(&t, "%s", c->settings.data[i].name);
            table_add(&t, "%s", text_of(c->settings.data[i].a));
            table_add(&t, "%s", text_of(c->settings.data[i].b));
        }
        table_print(&t, colour, &out);
        table_fini(&t);
        strbuf_putc(&out, '\n');
    }
    size_t shown = all || c->figures.count < SHOWN ? c->figures.count : SHOWN;
    if (shown) {
        table_init(&t, (const char *const[]){"figure", names[0], names[1], "change"}, 4);
        for (size_t i = 0; i < shown; i++) {
            const struct figure *f = &c->figures.data[i];
            if (i && c->figures.data[i - 1].is_main && !f->is_main) table_rule(&t);
            table_add(&t, "%s", f->name);
            add_value(&t, f->name, f->a);
            add_value(&t, f->name, f->b);
            table_add(&t, isnan(f->change) ? "-" : "%+.1f%%", 100 * f->change);
        }
        table_print(&t, colour, &out);
        table_fini(&t);
    }
    if (shown < c->figures.count)
        strbuf_printf(&out, "%zu smaller changes are not shown (--detail)\n", c->figures.count - shown);
    size_t only[2] = {0};
    for (size_t i = 0; i < c->figures.count; i++) {
        only[0] += !c->figures.data[i].b;
        only[1] += !c->figures.data[i].a;
    }
    strbuf_printf(&out, "%zu figure%s differ%s", c->figures.count, c->figures.count == 1 ? "" : "s",
                  c->figures.count == 1 ? "s" : "");
    if (only[0] || only[1])
        strbuf_printf(&out, " (%zu only in the first, %zu only in the second)", only[0], only[1]);
    strbuf_printf(&out, ", %zu are equal, %zu setting%s differ%s\n", c->equal, c->settings.count,
                  c->settings.count == 1 ? "" : "s", c->settings.count == 1 ? "s" : "");
    print_text(stdout, strbuf_text(&out));
    strbuf_fini(&out);
}

static const struct json_value *load(const char *path, struct arena *a, struct diag *d)
{
    char *bytes;
    size_t length, offset;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) {
        diag_error(d, loc_none(), "cannot read %s: %s", path, why);
        return NULL;
    }
    const struct json_value *v = json_parse(bytes, length, a, &why, &offset);
    if (!v) {
        struct loc loc = {.source = diag_add_source(d, path, bytes, length), .line = 1, .column = 1};
        for (size_t i = 0; i < offset && i < length; i++) {
            loc.column = bytes[i] == '\n' ? 1 : loc.column + 1;
            loc.line += bytes[i] == '\n';
        }
        diag_error(d, loc, "not valid JSON: %s", why);
    } else if (!json_text(json_member(v, "schema")) ||
               !str_starts_with(json_text(json_member(v, "schema")), "warpfold.")) {
        diag_error(d, loc_none(), "%s is not a result of warpfold: write a result with --json", path);
        v = NULL;
    }
    free(bytes);
    return v;
}

static enum wf_status compare(const struct options *o, struct comparison *c, struct diag *d)
{
    if (o->operands.count != 2) {
        diag_error(d, loc_none(), "compare takes two results: warpfold compare A.json B.json");
        return WF_BAD_USAGE;
    }
    const char *const names[2] = {o->operands.data[0], o->operands.data[1]};
    const struct json_value *a = load(names[0], &c->arena, d), *b = load(names[1], &c->arena, d);
    if (!a || !b) return WF_BAD_INPUT;
    const char *a_schema = json_text(json_member(a, "schema")),
               *b_schema = json_text(json_member(b, "schema"));
    if (!str_equal(a_schema, b_schema)) {
        diag_error(d, loc_none(), "%s is %s, and %s is %s: give two results of the same command", names[0],
                   a_schema, names[1], b_schema);
        return WF_BAD_INPUT;
    }
    collect(c, "", a, false, false);
    collect(c, "", b, true, false);
    sift(c);
    show(c, names, options_has(o, OPTION_DETAIL));
    return WF_OK;
}

int command_compare(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_COMPARE, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct comparison c = {0};
    diag_init(&d);
    arena_init(&c.arena);
    exit_status = command_fail(&d, (int)compare(&o, &c, &d));
    vec_fini(&c.figures);
    vec_fini(&c.settings);
    strmap_fini(&c.by_name);
    arena_fini(&c.arena);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
