// Measurements of points (launches measured on real cards) from outside the list: the CSV files of a folder,
// or one file.
#include "base/csv.h"
#include "base/file.h"
#include "silicon/point.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

struct sheet {
    char *name; // of the file, without its folder
    struct csv csv;
};

struct measurements {
    struct points *points;
    VEC(struct sheet) sheets;
    struct diag *diag;
};

// Skips lines beginning with # above the line of column names: remarks about the origin of the file. Returns
// the number of skipped lines.
static size_t skip_remarks(const char **text)
{
    size_t lines = 0;
    for (; **text == '#'; lines++) {
        *text += strcspn(*text, "\n");
        *text += **text == '\n';
    }
    return lines;
}

static bool read_sheet(struct measurements *m, const char *folder, const char *name)
{
    struct strbuf path = {0};
    char *bytes = NULL;
    size_t length, line;
    const char *why;
    strbuf_printf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
    bool good = file_read(path.text, &bytes, &length, &why);
    if (!good) {
        diag_error(m->diag, loc_none(), "--measurements: cannot read %s: %s", path.text, why);
    } else {
        const char *slash = strrchr(name, '/');
        struct sheet sheet = {.name = heap_strdup(slash ? slash + 1 : name)};
        const char *heads = bytes;
        size_t remarks = skip_remarks(&heads);
        good = csv_parse(&sheet.csv, heads, length - (size_t)(heads - bytes), &why, &line) ||
               diag_error(m->diag, loc_none(), "--measurements: %s, line %zu: %s", path.text, remarks + line,
                          why);
        vec_push(&m->sheets, sheet);
    }
    free(bytes);
    strbuf_fini(&path);
    return good;
}

static int is_csv(const struct dirent *e) { return str_ends_with(e->d_name, ".csv"); }

static bool read_sheets(struct measurements *m, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return read_sheet(m, "", path);
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_csv, alphasort);
    bool good =
        count >= 0 || diag_error(m->diag, loc_none(), "--measurements: cannot read the folder %s", path);
    for (int i = 0; i < count; i++) {
        good = good && read_sheet(m, path, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return good;
}

// -- by name ------------------------------------------------------------------------------------------------

static struct point *find_point(struct points *p, const char *name)
{
    for (size_t i = 0; i < p->list.count; i++)
        if (str_equal(p->list.data[i].name, name)) return &p->list.data[i];
    return NULL;
}

static bool take_number(const struct sheet *s, const char *const *row, const char *head, double *value)
{
    size_t column;
    *value = NAN;
    return !csv_column(&s->csv, head, &column) || !*row[column] ||
           (str_to_f64(row[column], value) && *value >= 0);
}

static const char *text_of(struct measurements *m, const struct sheet *s, const char *const *row,
                           const char *head, const char *otherwise)
{
    size_t column;
    const char *text = csv_column(&s->csv, head, &column) && *row[column] ? row[column] : otherwise;
    return arena_strndup(&m->points->arena, text, strlen(text));
}

// Replaces the point's measurements by the figures of a row that names the point. The card and the settings are
// the row's, if given; the source is the row's or the file's name. Drops the list's note, licence, `elsewhere`
// and cycles of other simulators. False and an error: a figure is not a number from 0, or the settings are not
// KEY=VALUE words.
static bool take_named(struct measurements *m, const struct sheet *s, const char *const *row, struct point *p)
{
    for (size_t q = 0; q < QUANTITIES; q++)
        if (!take_number(s, row, quantity_info[q].column, &p->measured[q]))
            return diag_error(m->diag, loc_none(), "--measurements: %s, point %s: %s is no number", s->name,
                              p->name, quantity_info[q].column);
    const char *settings = text_of(m, s, row, "settings", p->settings);
    if (!point_are_settings(settings))
        return diag_error(m->diag, loc_none(),
                          "--measurements: %s, point %s: settings are KEY=VALUE words, not \"%s\"", s->name,
                          p->name, settings);
    p->settings = settings;
    for (size_t i = 0; i < POINT_MODELS_MOST; i++) p->models[i] = NAN;
    p->elsewhere = p->note = p->licence = "";
    p->source = text_of(m, s, row, "source", s->name);
    p->card = text_of(m, s, row, "card", p->card);
    p->why = NULL;
    return true;
}

static bool has_cycles(const struct sheet *s, const char *const *row)
{
    size_t column;
    return csv_column(&s->csv, quantity_info[QUANTITY_CYCLES].column, &column) && *row[column];
}

static bool take_all_named(struct measurements *m)
{
    struct strbuf seen = {0}; // "\nNAME\n" of measured points
    bool good = true;
    for (size_t i = 0; i < m->sheets.count && good; i++) {
        const struct sheet *s = &m->sheets.data[i];
        size_t name;
        if (!csv_column(&s->csv, "point", &name)) continue;
        for (size_t n = 0; n < s->csv.rows.count && good; n++) {
            const char *const *row = s->csv.rows.data[n];
            struct point *p = find_point(m->points, row[name]);
            if (!p || !has_cycles(s, row)) continue; // NULL: the point was not chosen
            char line[300];
            snprintf(line, sizeof line, "\n%s\n", p->name);
            good = (!strstr(strbuf_text(&seen), line) ||
                    diag_error(m->diag, loc_none(), "--measurements: %s has a second row of point %s",
                               s->name, p->name)) &&
                   take_named(m, s, row, p);
            strbuf_puts(&seen, line);
        }
    }
    strbuf_fini(&seen);
    return good;
}

// -- at the place named in the list -------------------------------------------------------------------------

static bool has_all(const struct sheet *s, const char *const *row, const char *conditions)
{
    char *copy = heap_strdup(conditions), *rest = copy;
    bool all = true;
    for (char *condition; (condition = strsep(&rest, "&")) != NULL;) {
        char *value = strchr(condition, '=');
        size_t column;
        if (value) *value++ = 0;
        all = all && value && csv_column(&s->csv, condition, &column) && str_equal(row[column], value);
    }
    free(copy);
    return all;
}

// Index in points.models of the simulator `name`, added if new; POINT_MODELS_MOST: no room.
static size_t find_model(struct points *p, const char *name)
{
    size_t i = 0;
    while (i < p->models.count && !str_equal(p->models.data[i], name)) i++;
    if (i == p->models.count && i < POINT_MODELS_MOST)
        vec_push(&p->models, arena_strndup(&p->arena, name, strlen(name)));
    return i;
}

// Reads columns NAME_cycles of the point's row: cycles of other simulators. own: name of the column with the
// card's cycles, which is skipped.
static void take_models(struct measurements *m, const struct sheet *s, const char *const *row,
                        const char *own, struct point *p)
{
    for (size_t c = 0; c < s->csv.columns; c++) {
        const char *head = s->csv.heads[c];
        double cycles;
        if (!str_ends_with(head, "_cycles") || str_equal(head, own) || !str_to_f64(row[c], &cycles)) continue;
        char *name = heap_strndup(head, strlen(head) - strlen("_cycles"));
        size_t model = find_model(m->points, name);
        if (model < POINT_MODELS_MOST) p->models[model] = cycles;
        free(name);
    }
}

static const char *why_not(struct points *p, const char *format, const char *a, const char *b)
{
    return arena_printf(&p->arena, format, a, b);
}

static const char *take_row(struct measurements *m, const struct sheet *s, const char *conditions,
                            const char *column, struct point *p)
{
    const char *const *found = NULL;
    size_t at;
    if (!csv_column(&s->csv, column, &at))
        return why_not(m->points, "not measured: %s has no column %s", s->name, column);
    for (size_t i = 0; i < s->csv.rows.count; i++) {
        if (!has_all(s, s->csv.rows.data[i], conditions)) continue;
        if (found) return why_not(m->points, "not measured: %s has several rows %s", s->name, conditions);
        found = s->csv.rows.data[i];
    }
    if (!found) return why_not(m->points, "not measured: %s has no row %s", s->name, conditions);
    if (!take_number(s, found, column, &p->measured[QUANTITY_CYCLES]) || isnan(p->measured[QUANTITY_CYCLES]))
        return why_not(m->points, "not measured: %s says \"%s\" there", s->name, found[at]);
    if (str_ends_with(column, "_ms")) {
        if (!(p->core_mhz > 0))
            return why_not(m->points, "not measured: %s has milliseconds of no clock%s", s->name, "");
        p->measured[QUANTITY_CYCLES] *= 1000 * p->core_mhz;
    }
    take_models(m, s, found, column, p);
    return NULL;
}

static void take_elsewhere(struct measurements *m, struct point *p)
{
    char *file = heap_strdup(p->elsewhere), *conditions = strchr(file, '?'), *column = strrchr(file, '#');
    const char *why = "not measured: elsewhere is FILE?COLUMN=VALUE&...#COLUMN";
    if (conditions && column > conditions) {
        *conditions++ = *column++ = 0;
        why = why_not(m->points, "not measured: --measurements has no %s%s", file, "");
        for (size_t i = 0; i < m->sheets.count; i++)
            if (str_equal(m->sheets.data[i].name, file))
                why = take_row(m, &m->sheets.data[i], conditions, column, p);
    }
    p->why = why;
    free(file);
}

bool points_measure(struct points *p, const char *path, struct diag *d)
{
    struct measurements m = {.points = p, .diag = d};
    bool good = read_sheets(&m, path) && take_all_named(&m);
    for (size_t i = 0; i < p->list.count && good; i++)
        if (*p->list.data[i].elsewhere) take_elsewhere(&m, &p->list.data[i]);
    for (size_t i = 0; i < m.sheets.count; i++) {
        csv_fini(&m.sheets.data[i].csv);
        free(m.sheets.data[i].name);
    }
    vec_fini(&m.sheets);
    return good;
}
