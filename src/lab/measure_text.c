// Measures as expressions, turned into SQL over the results database.
#include "api/warpfold.h"
#include "base/expression.h"
#include "lab/measures.h"

#include <string.h>

static const struct {
    const char *name, *column, *meaning;
} columns[] = {{"instructions", "warp_instructions", "executed warp instructions"},
               {"warp_instructions", "warp_instructions", "executed warp instructions"},
               {"thread_instructions", "thread_instructions", "executed instructions of lanes"},
               {"cycles", "cycles", "core cycles, from the first launch to the last reply"},
               {"elapsed_cycles", "elapsed_cycles", "core cycles with the latency of launches"},
               {"launches", "launches", "launches of kernels"},
               {"fetched", "fetched", "fetched warp instructions"},
               {"skipped", "skipped", "warp instructions never fetched because of a mechanism"},
               {"reused", "reused", "warp instructions fetched and not executed"},
               {"occupancy", "occupancy", "mean resident warps over the most"},
               {"waves", "waves", "blocks of the first grid over blocks that the chip holds at once"},
               {"energy_pj", "energy_pj", "energy in pJ"},
               {"storage_bits", "storage_bits", "bits that the mechanism adds to an SM"}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

const char *measure_column_at(size_t i, const char **meaning)
{
    if (i >= COLUMNS) return NULL;
    *meaning = columns[i].meaning;
    return columns[i].name;
}

// -- names --------------------------------------------------------------------------------------------------

struct names {
    struct wf_context *context;
    VEC(const char *) all;              // columns, measures, counters, keys
    size_t columns, measures, counters; // numbers of names so far
    VEC(const char *) short_names;      // of counters, for suggestions: "l2.misses" of memory.l2_misses
    struct arena arena;
};

static void add_counters(struct names *n)
{
    struct wf_counter counter;
    const char *tech, *meaning;
    for (size_t i = 0; wf_counter_at(i, &counter); i++) vec_push(&n->all, counter.name);
    for (size_t i = 0; wf_core_counter_at(i, &counter); i++) vec_push(&n->all, counter.name);
    for (size_t t = 0; wf_tech_at(t, &tech, &meaning); t++)
        for (size_t i = 0; wf_tech_counter_at(n->context, tech, i, &counter); i++)
            vec_push(&n->all, counter.name);
}

static void add_short_names(struct names *n)
{
    for (size_t i = n->measures; i < n->counters; i++) {
        const char *point = strchr(n->all.data[i], '.');
        if (!point) continue;
        char *name = arena_strndup(&n->arena, point + 1, strlen(point + 1)), *line = strchr(name, '_');
        if (line) *line = '.';
        vec_push(&n->short_names, name);
    }
}

static void names_init(struct names *n)
{
    struct wf_key key;
    const struct measure *m;
    *n = (struct names){.context = wf_context_create()};
    arena_init(&n->arena);
    for (size_t i = 0; i < COLUMNS; i++) vec_push(&n->all, columns[i].name);
    n->columns = n->all.count;
    for (size_t i = 0; (m = measure_at(i)) != NULL; i++) vec_push(&n->all, m->name);
    n->measures = n->all.count;
    add_counters(n);
    n->counters = n->all.count;
    add_short_names(n);
    for (size_t i = 0; wf_key_at(n->context, i, &key); i++) vec_push(&n->all, key.name);
}

static void names_fini(struct names *n)
{
    vec_fini(&n->all);
    vec_fini(&n->short_names);
    arena_fini(&n->arena);
    wf_context_destroy(n->context);
}

static const char *next_name(const void *context, size_t i)
{
    const struct names *n = context;
    if (i < n->all.count) return n->all.data[i];
    i -= n->all.count;
    return i < n->short_names.count ? n->short_names.data[i] : NULL;
}

// Whether a counter ends with the name behind a point: l2.misses is memory.l2_misses.
static bool is_tail(const char *counter, const char *name)
{
    size_t whole = strlen(counter), length = strlen(name);
    if (length >= whole || counter[whole - length - 1] != '.') return false;
    for (const char *at = counter + whole - length; *at; at++, name++)
        if (*at != *name && !(*at == '_' && *name == '.')) return false;
    return true;
}

// The index of a name, or of the only counter that ends with the name; n->all.count: none.
static size_t find_name(const struct names *n, const char *name)
{
    size_t found = n->all.count, count = 0;
    for (size_t i = 0; i < n->all.count; i++) {
        if (str_equal(n->all.data[i], name)) return i;
        if (i < n->measures || i >= n->counters || !is_tail(n->all.data[i], name)) continue;
        found = i;
        count++;
    }
    return count == 1 ? found : n->all.count;
}

// -- SQL ----------------------------------------------------------------------------------------------------

struct writer {
    const struct names *names;
    struct strbuf sql;
    struct diag *diag;
    struct loc loc;
    const char *text; // of the whole measure
};

// A known name that begins with the given one, else the nearest.
static const char *suggest(const struct names *n, const char *name)
{
    const char *known;
    for (size_t i = 0; (known = next_name(n, i)) != NULL; i++)
        if (strlen(name) > 3 && str_starts_with(known, name)) return known;
    return str_nearest(name, next_name, n);
}

static bool refuse_name(const struct writer *w, const char *name)
{
    const char *near = suggest(w->names, name);
    bool alone = str_equal(name, w->text);
    if (alone && near)
        return diag_error(w->diag, w->loc, "no measure \"%s\"; did you mean \"%s\"?", name, near);
    return diag_error(w->diag, w->loc, "measure %s: no measure, counter or key \"%s\"%s%s%s", w->text, name,
                      near ? "; did you mean \"" : "; `warpfold list measures` names them", near ? near : "",
                      near ? "\"?" : "");
}

static bool write_name(struct writer *w, const char *name)
{
    static const char of_base[] = "base.";
    bool is_base = str_starts_with(name, of_base);
    const char *bare = is_base ? name + strlen(of_base) : name, *run = is_base ? "b" : "r";
    size_t at = find_name(w->names, bare);
    if (at == w->names->all.count) return refuse_name(w, bare);
    if (at < w->names->columns)
        strbuf_printf(&w->sql, "%s.%s", run, columns[at].column);
    else if (at < w->names->measures && is_base)
        return diag_error(w->diag, w->loc, "measure %s: base.%s is no figure of a run", w->text, bare);
    else if (at < w->names->measures)
        strbuf_printf(&w->sql, "(%s)", measure_find(bare)->sql);
    else if (at < w->names->counters)
        strbuf_printf(&w->sql, "coalesce((SELECT value FROM counters WHERE run = %s.id AND name = '%s'), 0)",
                      run, w->names->all.data[at]);
    else
        strbuf_printf(&w->sql, "(SELECT value FROM configs WHERE config = %s.config AND key = '%s')", run,
                      bare);
    return true;
}

static bool write_sql(struct writer *w, const struct expression *e)
{
    static const char *const signs[] = {[EXPRESSION_ADD] = " + ",
                                        [EXPRESSION_SUBTRACT] = " - ",
                                        [EXPRESSION_MULTIPLY] = " * ",
                                        [EXPRESSION_DIVIDE] = " / nullif("};
    if (e->op == EXPRESSION_NAME) return write_name(w, e->text);
    if (e->op == EXPRESSION_NUMBER) {
        strbuf_puts(&w->sql, e->text);
        return true;
    }
    strbuf_puts(&w->sql, e->op == EXPRESSION_NEGATE ? "(-" : "(1.0 * ");
    bool good = write_sql(w, e->left);
    if (good && e->op != EXPRESSION_NEGATE) {
        strbuf_puts(&w->sql, signs[e->op]);
        good = write_sql(w, e->right);
        if (e->op == EXPRESSION_DIVIDE) strbuf_puts(&w->sql, ", 0)");
    }
    strbuf_puts(&w->sql, ")");
    return good;
}

bool measure_make(struct measure *m, const char *text, struct arena *arena, struct diag *d, struct loc loc)
{
    const char *why;
    size_t at;
    const struct expression *e = expression_parse(text, arena, &why, &at);
    if (!e) return diag_error(d, loc, "measure %s: %s before \"%s\"", text, why, text + at);
    struct names names;
    names_init(&names);
    struct writer w = {.names = &names, .diag = d, .loc = loc, .text = text};
    bool good = write_sql(&w, e);
    *m = (struct measure){.name = text,
                          .axis = text,
                          .sql = arena_strndup(arena, strbuf_text(&w.sql), w.sql.length),
                          .meaning = "an expression of the experiment",
                          .aggregate = MEASURE_MEAN};
    strbuf_fini(&w.sql);
    names_fini(&names);
    return good;
}
