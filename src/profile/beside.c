#include "profile/beside.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 15 };

// -- source text ----------------------------------------------------------------------------------------------------

// Text of line `number` of a file of the profile, without blanks around it; "": not there.
static const char *source_at(struct arena *a, const struct json_value *profile, const char *file,
                             size_t length, uint64_t number)
{
    const struct json_value *sources = json_member(profile, "sources");
    for (const struct json_value *s = sources ? sources->first : NULL; s; s = s->next) {
        const char *name = json_text(json_member(s, "name"));
        if (!name || strlen(name) != length || memcmp(name, file, length) != 0) continue;
        const struct json_value *lines = json_member(s, "lines");
        for (const struct json_value *l = lines ? lines->first : NULL; l; l = l->next)
            if (l->first && json_unsigned(l->first) == number && l->first->next)
                return str_trim(arena_printf(a, "%s", json_text(l->first->next)));
    }
    return "";
}

// Source text of the first place in "a.cu:12, b.h:3".
static const char *source_of(struct arena *a, const struct json_value *profile, const char *lines)
{
    const char *colon = strchr(lines, ':');
    return colon ? source_at(a, profile, lines, (size_t)(colon - lines), strtoull(colon + 1, NULL, 10)) : "";
}

// -- rows -----------------------------------------------------------------------------------------------------------

static struct beside_row *row_of(struct beside *b, const char *source, const char *line)
{
    for (size_t i = 0; i < b->rows.count; i++) {
        struct beside_row *r = &b->rows.data[i];
        const char *known = r->line[0] ? r->line[0] : r->line[1];
        if (*source ? str_equal(r->source, source) : !*r->source && str_equal(known, line)) return r;
    }
    vec_push(&b->rows, (struct beside_row){.source = source});
    return &vec_last(&b->rows);
}

static void add_line(struct beside *b, int side, const struct json_value *profile,
                     const struct json_value *line)
{
    const char *text = json_text(json_member(line, "lines"));
    const struct json_value *slots = json_member(line, "slots");
    const char *name = !text ? "no warp" : *text ? text : "entry of the kernel";
    struct beside_row *r = row_of(b, text ? source_of(&b->arena, profile, text) : "", name);
    if (!r->line[side]) r->line[side] = name;
    for (const struct json_value *s = slots ? slots->first : NULL; s; s = s->next) {
        double n = json_number(s);
        r->slots[side] += n;
        b->slots[side] += n;
        if (n > r->most[side]) r->most[side] = n, r->reason[side] = s->key;
    }
}

static bool read_side(struct beside *b, int side, const char *text, const char **why)
{
    size_t offset = 0;
    const struct json_value *profile = json_parse(text, strlen(text), &b->arena, why, &offset);
    const char *schema = json_text(json_member(profile, "schema"));
    if (!profile) return false;
    if (!schema || !str_equal(schema, "warpfold.profile/1")) {
        *why = "the schema is not warpfold.profile/1";
        return false;
    }
    const struct json_value *run = json_member(profile, "run"),
                            *kernels = json_member(json_member(run, "account"), "kernels");
    b->cycles[side] = json_number(json_member(run, "cycles"));
    for (const struct json_value *k = kernels ? kernels->first : NULL; k; k = k->next) {
        const struct json_value *lines = json_member(k, "lines");
        for (const struct json_value *l = lines ? lines->first : NULL; l; l = l->next)
            add_line(b, side, profile, l);
    }
    return true;
}

static int by_difference(const void *x, const void *y)
{
    const struct beside_row *a = x, *b = y;
    double p = fabs(a->slots[1] - a->slots[0]), q = fabs(b->slots[1] - b->slots[0]);
    if (p != q) return p < q ? 1 : -1;
    int order = strcmp(a->source, b->source);
    const char *u = a->line[0] ? a->line[0] : a->line[1], *v = b->line[0] ? b->line[0] : b->line[1];
    return order ? order : strcmp(u, v);
}

bool beside_init(struct beside *b, const char *file, const char *before, const char *now, const char **why)
{
    *b = (struct beside){.file = file};
    arena_init(&b->arena);
    if (!read_side(b, 0, before, why) || !read_side(b, 1, now, why)) return false;
    if (b->rows.count) qsort(b->rows.data, b->rows.count, sizeof *b->rows.data, by_difference);
    return true;
}

void beside_fini(struct beside *b)
{
    vec_fini(&b->rows);
    arena_fini(&b->arena);
}

// -- output ---------------------------------------------------------------------------------------------------------

static double percent(const struct beside *b, double slots)
{
    return b->slots[0] > 0 ? 100 * slots / b->slots[0] : 0;
}

static void add_row(struct table *t, const struct beside *b, const struct beside_row *r)
{
    for (int side = 0; side < BESIDE_SIDES; side++) table_add(t, "%s", r->line[side] ? r->line[side] : "-");
    for (int side = 0; side < BESIDE_SIDES; side++) table_add(t, "%.1f", percent(b, r->slots[side]));
    table_add(t, "%+.1f", percent(b, r->slots[1] - r->slots[0]));
    for (int side = 0; side < BESIDE_SIDES; side++)
        table_add(t, "%s", r->reason[side] ? r->reason[side] : "-");
    table_add(t, "%s", *r->source ? r->source : "-");
}

void beside_text(const struct beside *b, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"line before",   "now", "slots before, %", "now", "difference",
                                        "reason before", "now", "source"};
    struct table t;
    double change = b->cycles[0] > 0 ? 100 * (b->cycles[1] / b->cycles[0] - 1) : 0;
    strbuf_printf(
        out, "beside %s: %.0f cycles before, %.0f now, %+.1f %%; slots in percent of the earlier run's\n",
        b->file, b->cycles[0], b->cycles[1], change);
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < b->rows.count && i < ROWS_SHOWN; i++) {
        const struct beside_row *r = &b->rows.data[i];
        if (percent(b, fabs(r->slots[1] - r->slots[0])) >= 0.1) add_row(&t, b, r);
    }
    if (t.cells.count > t.columns) table_print(&t, colour, out);
    table_fini(&t);
    strbuf_putc(out, '\n');
}

static void write_pair(struct json *j, const char *key, const double pair[BESIDE_SIDES])
{
    json_key(j, key);
    json_open_array(j);
    for (int side = 0; side < BESIDE_SIDES; side++) json_f64(j, pair[side]);
    json_close_array(j);
}

static void write_texts(struct json *j, const char *key, const char *const pair[BESIDE_SIDES])
{
    json_key(j, key);
    json_open_array(j);
    for (int side = 0; side < BESIDE_SIDES; side++)
        if (pair[side])
            json_string(j, pair[side]);
        else
            json_null(j);
    json_close_array(j);
}

void beside_json(const struct beside *b, struct json *j)
{
    json_open_object(j);
    report_text(j, "file", b->file);
    write_pair(j, "cycles", b->cycles);
    write_pair(j, "slots", b->slots);
    json_key(j, "lines");
    json_open_array(j);
    for (size_t i = 0; i < b->rows.count; i++) {
        const struct beside_row *r = &b->rows.data[i];
        json_open_object(j);
        write_texts(j, "lines", r->line);
        report_text(j, "source", r->source);
        write_pair(j, "slots", r->slots);
        write_texts(j, "reason", r->reason);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}
