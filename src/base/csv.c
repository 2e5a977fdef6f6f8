#include "base/csv.h"

#include <math.h>
#include <string.h>

struct reader {
    struct arena *arena;
    const char *text;
    size_t length, at, line;
    const char *why;
    VEC(const char *) fields; // of the row being read
};

static bool at_end_of_line(const struct reader *r)
{
    return r->at == r->length || r->text[r->at] == '\n' ||
           (r->text[r->at] == '\r' && r->at + 1 < r->length && r->text[r->at + 1] == '\n');
}

// Reads a quoted field; the reader is past the opening quote. False and r->why if the quote is not closed, or
// text follows the closing quote.
static bool read_quoted(struct reader *r, struct strbuf *field)
{
    for (;; r->at++) {
        if (r->at == r->length) {
            r->why = "a quote is not closed";
            return false;
        }
        char c = r->text[r->at];
        r->line += c == '\n';
        if (c == '"') {
            if (r->at + 1 == r->length || r->text[r->at + 1] != '"') break;
            r->at++;
        }
        strbuf_putc(field, c);
    }
    r->at++;
    if (at_end_of_line(r) || r->text[r->at] == ',') return true;
    r->why = "text behind a closing quote";
    return false;
}

static bool read_field(struct reader *r)
{
    struct strbuf field = {0};
    bool good = true;
    if (r->at < r->length && r->text[r->at] == '"') {
        r->at++;
        good = read_quoted(r, &field);
    } else {
        while (!at_end_of_line(r) && r->text[r->at] != ',') strbuf_putc(&field, r->text[r->at++]);
    }
    vec_push(&r->fields, arena_strndup(r->arena, strbuf_text(&field), field.length));
    strbuf_fini(&field);
    return good;
}

static bool read_row(struct reader *r)
{
    r->fields.count = 0;
    while (read_field(r)) {
        if (at_end_of_line(r)) {
            r->at += r->at < r->length && r->text[r->at] == '\r';
            r->at += r->at < r->length;
            return true;
        }
        r->at++; // the comma
    }
    return false;
}

static const char **keep_row(const struct reader *r)
{
    const char **row = ARENA_ARRAY(r->arena, const char *, r->fields.count);
    memcpy(row, r->fields.data, r->fields.count * sizeof *row);
    return row;
}

static bool read_all(struct csv *c, struct reader *r)
{
    if (!read_row(r)) return false;
    c->heads = keep_row(r);
    c->columns = r->fields.count;
    for (r->line = 2; r->at < r->length; r->line++) {
        if (!read_row(r)) return false;
        if (r->fields.count == 1 && !*r->fields.data[0]) continue; // an empty line
        if (r->fields.count != c->columns) {
            r->why = r->fields.count < c->columns ? "fewer fields than heads" : "more fields than heads";
            return false;
        }
        vec_push(&c->rows, keep_row(r));
    }
    return true;
}

bool csv_parse(struct csv *c, const char *text, size_t length, const char **why, size_t *line)
{
    *c = (struct csv){0};
    arena_init(&c->arena);
    struct reader r = {.arena = &c->arena, .text = text, .length = length, .line = 1};
    bool good = read_all(c, &r);
    vec_fini(&r.fields);
    *why = r.why;
    *line = r.line;
    return good;
}

void csv_fini(struct csv *c)
{
    vec_fini(&c->rows);
    arena_fini(&c->arena);
}

bool csv_column(const struct csv *c, const char *head, size_t *column)
{
    for (*column = 0; *column < c->columns; ++*column)
        if (str_equal(c->heads[*column], head)) return true;
    return false;
}

void csv_add_text(struct strbuf *out, const char *text, char end)
{
    if (text && !strpbrk(text, ",\"\r\n")) {
        strbuf_puts(out, text);
    } else if (text) {
        strbuf_putc(out, '"');
        for (; *text; text++) strbuf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
        strbuf_putc(out, '"');
    }
    strbuf_putc(out, end);
}

void csv_add_number(struct strbuf *out, double value, char end)
{
    if (!isnan(value)) strbuf_printf(out, "%.15g", value);
    strbuf_putc(out, end);
}
