// Escaping by bytes. printf's conversions are taken apart one by one, because only %s and %c bring words.
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

size_t printable_length(const char *p, size_t left)
{
    size_t n = utf8_length(p, left);
    unsigned char c = (unsigned char)*p;
    if (n == 1) return c >= 0x20 && c != 0x7f;
    return c == 0xc2 && (unsigned char)p[1] < 0xa0 ? 0 : n; // C1
}

// ESC [ digits and semicolons m
static size_t colour_length(const char *p, size_t left)
{
    size_t n = 2;
    if (left < 3 || p[0] != '\033' || p[1] != '[') return 0;
    while (n < left && ((p[n] >= '0' && p[n] <= '9') || p[n] == ';')) n++;
    return n < left && p[n] == 'm' ? n + 1 : 0;
}

static void put(struct strbuf *out, const char *text, size_t length, bool lines, bool colours)
{
    for (size_t i = 0, n; i < length; i += n) {
        const char *p = text + i;
        n = printable_length(p, length - i);
        if (!n && lines && (*p == '\n' || *p == '\t')) n = 1;
        if (!n && colours) n = colour_length(p, length - i);
        if (n) {
            strbuf_write(out, p, n);
        } else {
            strbuf_printf(out, "\\x%02x", (unsigned char)*p);
            n = 1;
        }
    }
}

void printable_write(struct strbuf *out, const char *text, size_t length)
{
    put(out, text, length, false, false);
}

void printable_lines(struct strbuf *out, const char *text, size_t length)
{
    put(out, text, length, true, false);
}

void printable_coloured(struct strbuf *out, const char *text, size_t length)
{
    put(out, text, length, true, true);
}

enum { CONVERSION_MAX = 32 };

struct conversion {
    char text[CONVERSION_MAX]; // with widths and precisions as numbers
    bool left;                 // flag -
    int width, precision;      // precision below 0: none
    char length[3], kind;
};

// Digits, or the argument that * stands for.
static const char *take_number(const char *p, int *number, va_list *args)
{
    if (*p == '*') {
        *number = va_arg(*args, int);
        return p + 1;
    }
    for (*number = 0; *p >= '0' && *p <= '9'; p++) *number = 10 * *number + (*p - '0');
    return p;
}

// The conversion behind a %; what follows it.
static const char *take_conversion(const char *p, struct conversion *c, va_list *args)
{
    char flags[6] = "";
    size_t n = strspn(p, "-+ #0");
    memcpy(flags, p, n < sizeof flags - 1 ? n : sizeof flags - 1);
    *c = (struct conversion){.left = strchr(flags, '-') != NULL, .precision = -1};
    p = take_number(p + n, &c->width, args);
    if (*p == '.') p = take_number(p + 1, &c->precision, args);
    n = strspn(p, "hljzt");
    memcpy(c->length, p, n < 2 ? n : 2);
    p += n;
    c->kind = *p;
    int written = snprintf(c->text, sizeof c->text, "%%%s", flags);
    char *end = c->text + written, *stop = c->text + sizeof c->text;
    if (c->width) end += snprintf(end, (size_t)(stop - end), "%d", c->width);
    if (c->precision >= 0) end += snprintf(end, (size_t)(stop - end), ".%d", c->precision);
    snprintf(end, (size_t)(stop - end), "%s%c", c->length, c->kind);
    return p + 1;
}

// A word cut by a precision loses the rest of a character that was cut in two.
static void put_word(struct strbuf *out, const struct conversion *c, const char *text)
{
    size_t length = c->precision >= 0 ? strnlen(text, (size_t)c->precision) : strlen(text);
    if (c->precision >= 0)
        for (size_t back = 1; back < 4 && back <= length && text[length]; back++) {
            const char *p = text + length - back;
            if (utf8_length(p, strnlen(p, 4)) > back) length -= back;
        }
    size_t width = c->width > 0 ? (size_t)c->width : 0, before = out->length;
    if (!c->left && length < width) strbuf_printf(out, "%*s", (int)(width - length), "");
    printable_write(out, text, length);
    if (c->left && out->length - before < width)
        strbuf_printf(out, "%*s", (int)(width - (out->length - before)), "");
}

// The compiler has checked each conversion against its argument where the format was written.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(struct strbuf *out, const struct conversion *c, va_list *args)
{
    bool is_long = str_equal(c->length, "l") || str_equal(c->length, "z") || str_equal(c->length, "t") ||
                   str_equal(c->length, "j");
    _Static_assert(sizeof(long) == sizeof(size_t), "z, t and j are as long as l");
    if (strchr("eEfFgGaA", c->kind))
        strbuf_printf(out, c->text, va_arg(*args, double));
    else if (c->kind == 'p')
        strbuf_printf(out, c->text, va_arg(*args, void *));
    else if (str_equal(c->length, "ll"))
        strbuf_printf(out, c->text, va_arg(*args, long long));
    else if (is_long)
        strbuf_printf(out, c->text, va_arg(*args, long));
    else
        strbuf_printf(out, c->text, va_arg(*args, int));
}
#pragma GCC diagnostic pop

void printable_vformat(struct strbuf *out, const char *format, va_list args)
{
    va_list rest;
    va_copy(rest, args);
    while (*format) {
        size_t plain = strcspn(format, "%");
        strbuf_write(out, format, plain);
        format += plain;
        if (!*format) break;
        struct conversion c;
        format = take_conversion(format + 1, &c, &rest);
        if (c.kind == '%') {
            strbuf_putc(out, '%');
        } else if (c.kind == 's') {
            const char *text = va_arg(rest, const char *);
            put_word(out, &c, text ? text : "(null)");
        } else if (c.kind == 'c') {
            char word[2] = {(char)va_arg(rest, int), 0};
            printable_write(out, word, 1);
        } else {
            put_number(out, &c, &rest);
        }
    }
    va_end(rest);
}

void printable_format(struct strbuf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printable_vformat(out, format, args);
    va_end(args);
}
