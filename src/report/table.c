// Tables: cells are stored as text and measured at printing. Widths count UTF-8 characters, not bytes.
#include "report/table.h"
#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void table_init(struct table *t, const char *const *heads, size_t columns)
{
    *t = (struct table){.columns = columns};
    for (size_t i = 0; i < columns; i++) table_add(t, "%s", heads[i]);
}

void table_fini(struct table *t)
{
    for (size_t i = 0; i < t->cells.count; i++) free(t->cells.data[i]);
    vec_fini(&t->cells);
    vec_fini(&t->ruled);
}

void table_add(struct table *t, const char *format, ...)
{
    struct strbuf cell = {0};
    va_list args;
    strbuf_puts(&cell, ""); // allocates a text even for an empty cell
    va_start(args, format);
    printable_vformat(&cell, format, args);
    va_end(args);
    if (t->cells.count % t->columns == 0) {
        size_t row = t->cells.count / t->columns;
        while (t->ruled.count <= row) vec_push(&t->ruled, false);
    }
    vec_push(&t->cells, cell.text);
}

void table_format_u64(uint64_t value, struct strbuf *out)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) strbuf_putc(out, ',');
        strbuf_putc(out, digits[i]);
    }
}

void table_add_u64(struct table *t, uint64_t value)
{
    struct strbuf text = {0};
    table_format_u64(value, &text);
    table_add(t, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

void table_add_figure(struct table *t, uint64_t value, double half)
{
    struct strbuf text = {0};
    table_format_u64(value, &text);
    if (half > 0) strbuf_puts(&text, " ± ");
    if (half > 0) table_format_u64((uint64_t)(half + 0.5), &text);
    table_add(t, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

void table_rule(struct table *t)
{
    size_t row = t->cells.count / t->columns;
    while (t->ruled.count <= row) vec_push(&t->ruled, false);
    t->ruled.data[row] = true;
}

static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

// Whether a cell is a count, a figure, a shape such as "16,16", or "-" for an absent figure.
// Also a figure with the half-width of an interval, "1,234 ± 56".
static bool is_number(const char *text)
{
    static const char between[] = " ± ", digits[] = "0123456789.,+-e%";
    size_t length = strspn(text, digits);
    if (length && str_starts_with(text + length, between)) text += length + strlen(between);
    return strspn(text, digits) == strlen(text) && (strpbrk(text, "0123456789") || str_equal(text, "-"));
}

static size_t column_width(const struct table *t, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < t->cells.count; i += t->columns) {
        size_t w = width(t->cells.data[i]);
        if (w > widest) widest = w;
    }
    return widest;
}

// Whether a column, head included, is right-aligned: all nonempty cells below the head, at least one, are
// numbers.
static bool stands_right(const struct table *t, size_t column)
{
    bool any = false;
    for (size_t i = t->columns + column; i < t->cells.count; i += t->columns) {
        const char *cell = t->cells.data[i];
        if (*cell && !is_number(cell)) return false;
        any |= *cell != 0;
    }
    return any;
}

static void print_row(const struct table *t, size_t row, const size_t *widths, const bool *right,
                      struct strbuf *out)
{
    size_t pending = 0; // deferred spaces, so that no line ends in spaces
    for (size_t c = 0; c < t->columns && row * t->columns + c < t->cells.count; c++) {
        size_t index = row * t->columns + c;
        const char *cell = t->cells.data[index];
        size_t pad = widths[c] - width(cell);
        if (c) pending += 2;
        if (right[c]) {
            pending += pad;
            pad = 0;
        }
        if (*cell) {
            strbuf_printf(out, "%*s%s", (int)pending, "", cell);
            pending = 0;
        }
        pending += pad;
    }
    strbuf_putc(out, '\n');
}

void table_print(const struct table *t, bool colour, struct strbuf *out)
{
    size_t *widths = heap_alloc(t->columns * sizeof *widths), total = 0;
    bool *right = heap_alloc(t->columns * sizeof *right);
    for (size_t c = 0; c < t->columns; c++) {
        total += widths[c] = column_width(t, c);
        right[c] = stands_right(t, c);
    }
    total += 2 * (t->columns - 1);
    size_t rows = (t->cells.count + t->columns - 1) / t->columns;
    for (size_t r = 0; r < rows; r++) {
        if (t->ruled.count > r && t->ruled.data[r]) {
            for (size_t i = 0; i < total; i++) strbuf_putc(out, '-');
            strbuf_putc(out, '\n');
        }
        if (r == 0 && colour) strbuf_puts(out, "\033[1m");
        print_row(t, r, widths, right, out);
        if (r == 0 && colour) strbuf_puts(out, "\033[0m");
    }
    free(widths);
    free(right);
}
