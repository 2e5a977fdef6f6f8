// Collects and formats diagnostics. Errors past the limit are counted and not stored; the last line of the
// formatted text gives their number.
#include "base/diag.h"
#include "base/file.h"
#include "base/printable.h"

#include <string.h>
#include <unistd.h>

void diag_init(struct diag *d)
{
    *d = (struct diag){0};
    arena_init(&d->arena);
}

void diag_fini(struct diag *d)
{
    vec_fini(&d->sources);
    vec_fini(&d->messages);
    arena_fini(&d->arena);
}

void diag_clear(struct diag *d)
{
    d->messages.count = 0;
    d->errors = 0;
}

uint32_t diag_add_source(struct diag *d, const char *name, const char *text, size_t length)
{
    struct diag_source s = {.name = arena_strndup(&d->arena, name, strlen(name)), .length = length};
    if (text) s.text = arena_strndup(&d->arena, text, length);
    vec_push(&d->sources, s);
    return (uint32_t)d->sources.count;
}

static void add_diagnostic(struct diag *d, enum diag_severity severity, struct loc loc, const char *format,
                           va_list args)
{
    struct strbuf text = {0};
    printable_vformat(&text, format, args);
    vec_push(&d->messages,
             (struct diag_message){severity, loc, arena_strndup(&d->arena, strbuf_text(&text), text.length)});
    strbuf_fini(&text);
}

bool diag_text(struct diag *d, enum diag_severity severity, struct loc loc, const char *text)
{
    unsigned limit = d->errors_limit ? d->errors_limit : DIAG_ERRORS_DEFAULT;
    if (severity == DIAG_ERROR && d->errors++ >= limit) return false;
    struct strbuf shown = {0};
    printable_lines(&shown, text, strlen(text));
    while (shown.length && shown.text[shown.length - 1] == '\n') shown.length--;
    vec_push(&d->messages, (struct diag_message){
                               severity, loc, arena_strndup(&d->arena, strbuf_text(&shown), shown.length)});
    strbuf_fini(&shown);
    return false;
}

bool diag_verror(struct diag *d, struct loc loc, const char *format, va_list args)
{
    unsigned limit = d->errors_limit ? d->errors_limit : DIAG_ERRORS_DEFAULT;
    if (d->errors++ < limit) add_diagnostic(d, DIAG_ERROR, loc, format, args);
    return false;
}

bool diag_error(struct diag *d, struct loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(d, loc, format, args);
    va_end(args);
    return false;
}

void diag_warn(struct diag *d, struct loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_diagnostic(d, DIAG_WARNING, loc, format, args);
    va_end(args);
}

void diag_note(struct diag *d, struct loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_diagnostic(d, DIAG_NOTE, loc, format, args);
    va_end(args);
}

void diag_format_loc(const struct diag *d, struct loc loc, struct strbuf *out)
{
    if (!loc.source || loc.source > d->sources.count) return;
    const char *name = d->sources.data[loc.source - 1].name;
    printable_write(out, name, strlen(name));
    if (loc.line) strbuf_printf(out, ":%u:%u", loc.line, loc.column ? loc.column : 1);
}

// Text of line `line` and its length; NULL if absent.
static const char *find_line(const struct diag_source *s, uint32_t line, size_t *length)
{
    if (!s->text || !line) return NULL;
    const char *p = s->text, *end = s->text + s->length;
    for (uint32_t i = 1; i < line; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p) return NULL;
        p++;
    }
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    *length = (size_t)((stop ? stop : end) - p);
    return p;
}

// Prints the source line and a caret below. A very long line is cut to a window around the column.
static void format_snippet(const struct diag_source *s, struct loc loc, struct strbuf *out)
{
    enum { WIDEST = 160, INDENT = 4 };
    size_t length;
    const char *line = find_line(s, loc.line, &length);
    if (!line) return;
    size_t column = loc.column ? loc.column - 1 : 0;
    if (column > length) column = length;
    size_t first = column > WIDEST / 2 ? column - WIDEST / 2 : 0;
    if (length <= WIDEST) first = 0;
    size_t last = length - first > WIDEST ? first + WIDEST : length;
    strbuf_printf(out, "%*s", INDENT, "");
    for (size_t i = first, n; i < last; i += n) { // an invalid or control byte takes one column
        n = printable_length(line + i, last - i);
        if (n)
            strbuf_write(out, line + i, n);
        else
            strbuf_putc(out, line[i] == '\t' || line[i] == '\r' ? ' ' : '?');
        n += !n;
    }
    strbuf_printf(out, "\n%*s^", (int)(INDENT + column - first), "");
    for (size_t i = 1; i < loc.length && column + i < last; i++) strbuf_putc(out, '~');
    strbuf_putc(out, '\n');
}

void diag_format(const struct diag *d, bool colour, struct strbuf *out)
{
    static const char *const words[] = {"error", "warning", "note"};
    static const char *const codes[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    for (size_t i = 0; i < d->messages.count; i++) {
        const struct diag_message *m = &d->messages.data[i];
        size_t before = out->length;
        diag_format_loc(d, m->loc, out);
        if (out->length != before) strbuf_puts(out, ": ");
        strbuf_printf(out, "%s%s:%s %s\n", colour ? codes[m->severity] : "", words[m->severity],
                      colour ? "\033[0m" : "", m->text);
        if (m->loc.source && m->loc.source <= d->sources.count)
            format_snippet(&d->sources.data[m->loc.source - 1], m->loc, out);
    }
    unsigned limit = d->errors_limit ? d->errors_limit : DIAG_ERRORS_DEFAULT;
    if (d->errors > limit) strbuf_printf(out, "%u more errors not shown\n", d->errors - limit);
}

void diag_print(const struct diag *d, FILE *out)
{
    struct strbuf text = {0};
    diag_format(d, file_takes_colour(fileno(out)), &text);
    fputs(strbuf_text(&text), out);
    strbuf_fini(&text);
}
