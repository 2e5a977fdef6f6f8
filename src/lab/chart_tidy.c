// Tidy CSV of a chart of timed runs: a row a run, a column a variable. Variables are the axes of a sweep and the
// settings of series, by name. A run without a setting has an empty field.
#include "base/csv.h"
#include "lab/chart.h"

#include <math.h>
#include <string.h>

struct tidy {
    const struct chart *chart;
    const struct figure *figure;
    const struct jobs *jobs;
    struct database *db;
    struct strbuf *out;
    struct arena arena;
    VEC(const char *) names; // of settings, in order of appearance
};

// Name and value of a word "KEY=VALUE": $N=8 is N, --grid=4 is grid. *length: of the name.
static const char *name_of(const char *word, size_t *length)
{
    word += strspn(word, "$-");
    *length = strcspn(word, "= ");
    return word;
}

static const char *next_word(const char *settings)
{
    settings += strcspn(settings, " ");
    return settings + strspn(settings, " ");
}

static void note_names(struct tidy *t, const char *settings)
{
    for (const char *word = settings; *word; word = next_word(word)) {
        size_t length;
        const char *name = name_of(word, &length);
        bool known = !length;
        for (size_t i = 0; i < t->names.count && !known; i++)
            known = strlen(t->names.data[i]) == length && strncmp(t->names.data[i], name, length) == 0;
        if (!known) vec_push(&t->names, arena_strndup(&t->arena, name, length));
    }
}

// The value of the last word with the name; NULL: none. In the arena.
static const char *setting_of(struct tidy *t, const char *settings, const char *wanted)
{
    const char *found = NULL;
    for (const char *word = settings; *word; word = next_word(word)) {
        size_t length;
        const char *name = name_of(word, &length);
        if (strlen(wanted) == length && strncmp(wanted, name, length) == 0 && name[length] == '=')
            found = arena_strndup(&t->arena, name + length + 1, strcspn(name + length + 1, " "));
    }
    return found;
}

static bool is_axis(const struct tidy *t, const char *name)
{
    const struct experiment *x = t->chart->experiment;
    for (size_t a = 0; a < x->axes.count; a++)
        if (strcmp(x->axes.data[a].key, name) == 0) return true;
    return false;
}

// The settings of a job, with swept options of its mechanisms: "darsie.entries=4". In the arena.
static const char *settings_of(struct tidy *t, const struct job *j)
{
    const char *all = j->settings ? j->settings : "";
    for (const char *part = j->tech ? j->tech : ""; *part;) {
        size_t length = strcspn(part, "+"), name = strcspn(part, ":+");
        for (const char *at = part + name; at < part + length;) {
            size_t key = strcspn(at + 1, "="), end = strcspn(at + 1, ",+");
            const char *axis = arena_printf(&t->arena, "%.*s.%.*s", (int)name, part, (int)key, at + 1);
            if (is_axis(t, axis))
                all = arena_printf(&t->arena, "%s %s%.*s", all, axis, (int)(end - key), at + 1 + key);
            at += 1 + end;
        }
        part += length + (part[length] == '+');
    }
    return all + strspn(all, " ");
}

static void put_heads(const struct tidy *t)
{
    const struct experiment *x = t->chart->experiment;
    strbuf_puts(t->out, "experiment,gpu,profile,size,subject,series,mechanism,");
    for (size_t i = 0; i < t->names.count; i++) csv_add_text(t->out, t->names.data[i], ',');
    csv_add_text(t->out, x->measure ? x->measure : "value", ',');
    strbuf_puts(t->out, "status,cycles,warp_instructions,energy_pj,occupancy,run,base\n");
}

static double value_of(const struct tidy *t, const struct figure_cell *c)
{
    const struct chart_view *v = &t->chart->views.data[c->view];
    for (size_t i = 0; i < v->values.count; i++)
        if (v->values.data[i].category == c->category_order && v->values.data[i].series == c->series)
            return v->values.data[i].value;
    return NAN;
}

// The label of a cell's series; of a sweep it begins the name of the line.
static const char *label_of(struct tidy *t, const struct figure_cell *c)
{
    if (!t->figure->lines.count) return t->chart->experiment->series.data[c->series].label;
    const char *line = t->figure->lines.data[c->series], *end = strstr(line, ", ");
    return arena_strndup(&t->arena, line, end ? (size_t)(end - line) : strlen(line));
}

static bool put_row(struct tidy *t, const struct figure_cell *c)
{
    const struct job *j = &t->jobs->list.data[c->job];
    const char *settings = settings_of(t, j),
               *words[] = {t->chart->name, j->gpu, j->profile, j->size, j->subject, label_of(t, c), j->tech};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) csv_add_text(t->out, words[i], ',');
    for (size_t i = 0; i < t->names.count; i++)
        csv_add_text(t->out, setting_of(t, settings, t->names.data[i]), ',');
    csv_add_number(t->out, value_of(t, c), ',');
    sqlite3_stmt *s = database_query(
        t->db, "SELECT status, cycles, warp_instructions, energy_pj, occupancy FROM runs WHERE id = ?", "t",
        j->id);
    bool is_there = s && sqlite3_step(s) == SQLITE_ROW;
    for (int i = 0; i < 5; i++)
        csv_add_text(t->out, is_there ? (const char *)sqlite3_column_text(s, i) : NULL, ',');
    sqlite3_finalize(s);
    csv_add_text(t->out, j->id, ',');
    csv_add_text(t->out, c->base == NO_JOB ? NULL : t->jobs->list.data[c->base].id, '\n');
    return s != NULL;
}

bool chart_tidy(const struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db,
                struct strbuf *out)
{
    struct tidy t = {.chart = c, .figure = f, .jobs = jobs, .db = db, .out = out};
    bool good = true;
    arena_init(&t.arena);
    for (size_t i = 0; i < f->cells.count; i++)
        note_names(&t, settings_of(&t, &jobs->list.data[f->cells.data[i].job]));
    put_heads(&t);
    for (size_t i = 0; i < f->cells.count && good; i++) good = put_row(&t, &f->cells.data[i]);
    vec_fini(&t.names);
    arena_fini(&t.arena);
    return good;
}
