// Tables of a study. In JSON: an object with an array of rows per table name; shares are numbers from 0 to 1.
#include "report/study.h"
#include "base/printable.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    case WF_INTERRUPTED: return "interrupted";
    case WF_BAD_INPUT:
    case WF_BAD_USAGE: return "refused";
    }
    return "?";
}

void report_study_json(const struct report_study *s, struct strbuf *out)
{
    const struct wf_study_results *r = s->report;
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

// Initialises a table with column heads: names with spaces in place of underscores.
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

// -- cards --------------------------------------------------------------------------------------------------

enum { CARD_WIDTH = 112, CARD_NAME = 10 };

// Appends a text beside its name, wrapped at words.
static void show_text(const char *name, const char *text, bool colour, struct strbuf *out)
{
    size_t indent = 4 + CARD_NAME, room = CARD_WIDTH - indent;
    strbuf_printf(out, "    %s%-*s%s", colour ? "\033[2m" : "", CARD_NAME, name, colour ? "\033[0m" : "");
    while (strlen(text) > room) {
        size_t at = room;
        while (at && text[at] != ' ') at--;
        if (!at) at = strcspn(text, " ");
        strbuf_write(out, text, at);
        text += at + strspn(text + at, " ");
        if (*text) strbuf_printf(out, "\n%*s", (int)indent, "");
    }
    strbuf_printf(out, "%s\n", text);
}

static void show_card(const struct wf_table *w, size_t row, size_t number, bool colour, struct strbuf *out)
{
    const struct wf_cell *cells = w->cells + row * w->column_count;
    const char *on = colour ? "\033[1m" : "", *off = colour ? "\033[0m" : "";
    size_t k = 0;
    strbuf_printf(out, "%s%2zu. %s", row ? "\n" : "", number, on);
    for (; k < w->column_count && cells[k].kind == WF_CELL_TEXT; k++)
        printable_format(out, "%s%s", k ? "  " : "", cells[k].text);
    strbuf_puts(out, off);
    for (; k < w->column_count && cells[k].kind == WF_CELL_SHARE; k++)
        strbuf_printf(out, "%s %.1f%% %s", cells[k - 1].kind == WF_CELL_SHARE ? "," : ":",
                      100 * cells[k].number, w->columns[k].name);
    strbuf_putc(out, '\n');
    for (; k < w->column_count; k++) {
        const struct wf_cell *next = k + 1 < w->column_count ? &cells[k + 1] : NULL;
        if (cells[k].kind != WF_CELL_TEXT || !*cells[k].text) continue;
        struct strbuf text = {0};
        printable_format(&text, "%s", cells[k].text);
        if (next && next->kind == WF_CELL_SHARE) strbuf_printf(&text, " (saves %.1f%%)", 100 * next->number);
        show_text(w->columns[k].name, strbuf_text(&text), colour, out);
        strbuf_fini(&text);
    }
}

// Prints each row of a table as a paragraph. The head holds the row's first texts and shares; further texts
// follow under their columns' names. Paragraph numbers restart when the first column changes.
static void show_cards(const struct wf_table *w, bool colour, struct strbuf *out)
{
    size_t number = 0;
    strbuf_printf(out, "%s%s\n\n", out->length ? "\n" : "", w->title);
    for (size_t row = 0; row < w->row_count; row++) {
        const char *first = w->cells[row * w->column_count].text;
        bool same = row && str_equal(first, w->cells[(row - 1) * w->column_count].text);
        number = same ? number + 1 : 1;
        show_card(w, row, number, colour, out);
    }
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
    const struct wf_study_results *r = s->report;
    for (size_t i = 0; i < r->table_count; i++)
        if (r->tables[i].cards)
            show_cards(&r->tables[i], colour, out);
        else if (s->detail || !r->tables[i].detail)
            show_table(&r->tables[i], colour, out);
    if (r->note_count) strbuf_putc(out, '\n');
    for (size_t i = 0; i < r->note_count; i++) printable_format(out, "note: %s\n", r->notes[i]);
}
