// Tables of a study: JSON is an object by table name, each an array of rows; a share is a number from 0 to 1.
#include "report/study.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>

static void write_cell(struct json *j, const struct wf_cell *c)
{
    switch (c->kind) {
    case WF_CELL_NONE: json_null(j); break;
    case WF_CELL_TEXT: json_string(j, c->text); break;
    case WF_CELL_COUNT: json_u64(j, c->count); break;
    case WF_CELL_SHARE:
    case WF_CELL_NUMBER: json_f64(j, c->number); break;
    }
}

static void write_table(struct json *j, const struct wf_table *t)
{
    json_key(j, t->name);
    json_open_array(j);
    for (size_t row = 0; row < t->row_count; row++) {
        json_open_object(j);
        for (size_t k = 0; k < t->column_count; k++) {
            json_key(j, t->columns[k].name);
            write_cell(j, &t->cells[row * t->column_count + k]);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static void write_texts(struct json *j, const char *key, const char *const *texts, size_t count)
{
    json_key(j, key);
    json_open_array(j);
    for (size_t i = 0; i < count; i++) json_string(j, texts[i]);
    json_close_array(j);
}

static const char *status_name(enum wf_status status)
{
    switch (status) {
    case WF_OK: return "ok";
    case WF_PROGRAM_FAILED: return "failed";
    case WF_MISMATCH: return "mismatch";
    case WF_BAD_INPUT:
    case WF_BAD_USAGE: return "refused";
    }
    return "?";
}

void report_study_json(const struct report_study *s, struct strbuf *out)
{
    const struct wf_study_report *r = s->report;
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.study/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "status", status_name(s->status));
    report_text(&j, "study", s->study);
    report_u64(&j, "warp_instructions", s->warp_instructions);
    report_f64(&j, "wall_seconds", s->wall_seconds);
    report_f64(&j, "simulated_warp_instructions_per_second",
               s->wall_seconds > 0 ? (double)s->warp_instructions / s->wall_seconds : (double)NAN);
    json_key(&j, "tables");
    json_open_object(&j);
    for (size_t i = 0; i < r->table_count; i++) write_table(&j, &r->tables[i]);
    json_close_object(&j);
    write_texts(&j, "notes", r->notes, r->note_count);
    write_texts(&j, "failures", r->failures, r->failure_count);
    json_key(&j, "config");
    json_raw(&j, s->config_json);
    json_close_object(&j);
    strbuf_putc(out, '\n');
}

static void show_cell(struct table *t, const struct wf_cell *c)
{
    switch (c->kind) {
    case WF_CELL_NONE: table_add(t, "-"); break;
    case WF_CELL_TEXT: table_add(t, "%s", c->text); break;
    case WF_CELL_COUNT: table_add_u64(t, c->count); break;
    case WF_CELL_SHARE: table_add(t, "%.1f%%", 100 * c->number); break;
    case WF_CELL_NUMBER: table_add(t, "%.3g", c->number); break;
    }
}

// Names of columns with spaces for their underscores.
static void show_heads(const struct wf_table *w, struct table *t)
{
    const char **heads = heap_alloc(w->column_count * sizeof *heads);
    struct arena a;
    arena_init(&a);
    for (size_t k = 0; k < w->column_count; k++) {
        char *head = arena_printf(&a, "%s", w->columns[k].name);
        for (char *p = head; *p; p++)
            if (*p == '_') *p = ' ';
        heads[k] = head;
    }
    table_init(t, heads, w->column_count);
    arena_fini(&a);
    free(heads);
}

static void show_table(const struct wf_table *w, bool colour, struct strbuf *out)
{
    struct table t;
    show_heads(w, &t);
    for (size_t row = 0, rule = 0; row < w->row_count; row++) {
        if (rule < w->rule_count && w->rules[rule] == row) {
            table_rule(&t);
            rule++;
        }
        for (size_t k = 0; k < w->column_count; k++) show_cell(&t, &w->cells[row * w->column_count + k]);
    }
    strbuf_printf(out, "%s%s\n", out->length ? "\n" : "", w->title);
    table_print(&t, colour, out);
    table_fini(&t);
}

void report_study_table(const struct report_study *s, bool colour, struct strbuf *out)
{
    const struct wf_study_report *r = s->report;
    for (size_t i = 0; i < r->table_count; i++)
        if (s->detail || !r->tables[i].detail) show_table(&r->tables[i], colour, out);
    for (size_t i = 0; i < r->note_count; i++) strbuf_printf(out, "%snote: %s\n", i ? "" : "\n", r->notes[i]);
}
