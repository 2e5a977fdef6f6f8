// Escapes byte by byte. printf conversions are processed one by one, because only %s and %c insert words.
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

// Length of a colour sequence at p: ESC [ digits and semicolons m. 0: no such sequence.
static size_t colour_length(const char *p, size_t left)
{
    size_t n = 2;
    if (left < 3 || p[0] != '\033' || p[1] != '[') return 0;
    while (n < left && ((p[n] >= '0' && p[n] <= '9') || p[n] == ';')) n++;
    return n < left && p[n] == 'm' ? n + 1 : 0;
}

// Number of leading bytes of printable ASCII, eight bytes at a time. Among bytes below 0x80, adding 1 sets
// the top bit only for 0x7f. Subtracting 0x20 sets the top bit of a byte below 0x20; only such a byte borrows
// from the next byte.
static size_t plain_length(const char *text, size_t length)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    size_t n = 0;
    for (uint64_t word; n + sizeof word <= length; n += sizeof word) {
        memcpy(&word, text + n, sizeof word);
        if ((word | (word + ones) | (word - 0x20 * ones)) & tops) break;
    }
    while (n < length && text[n] >= 0x20 && text[n] < 0x7f) n++;
    return n;
}

static void write_escaped(struct strbuf *out, const char *text, size_t length, bool lines, bool colours)
{
    size_t written = 0, i = plain_length(text, length);
    while (i < length) {
        const char *p = text + i;
        size_t n = printable_length(p, length - i);
        if (!n && lines && (*p == '\n' || *p == '\t')) n = 1;
        if (!n && colours) n = colour_length(p, length - i);
        if (!n) {
            strbuf_write(out, text + written, i - written);
            strbuf_printf(out, "\\x%02x", (unsigned char)*p);
            n = 1;
            written = i + 1;
        }
        i += n;
        i += plain_length(text + i, length - i);
    }
    strbuf_write(out, text + written, length - written);
}

void printable_write(struct strbuf *out, const char *text, size_t length)
{
    write_escaped(out, text, length, false, false);
}

void printable_lines(struct strbuf *out, const char *text, size_t length)
{
    write_escaped(out, text, length, true, false);
}

void printable_coloured(struct strbuf *out, const char *text, size_t length)
{
    write_escaped(out, text, length, true, true);
}

struct conversion {
    const char *format; // starts at the %
    size_t size;        // length in bytes
    char flags[6];
    bool left;            // flag -
    int width, precision; // precision below 0: absent
    char length[3], kind;
};

// Reads a conversion's width or precision: digits, or the argument for a *. Returns the rest of the format.
static const char *take_number(const char *p, int *number, va_list *args)
{
    if (*p == '*') {
        *number = va_arg(*args, int);
        return p + 1;
    }
    for (*number = 0; *p >= '0' && *p <= '9'; p++) *number = 10 * *number + (*p - '0');
    return p;
}

// Parses a conversion after its %. Returns the rest of the format.
static const char *take_conversion(const char *p, struct conversion *c, va_list *args)
{
    *c = (struct conversion){.format = p - 1, .precision = -1};
    for (size_t n = 0; *p && strchr("-+ #0", *p); p++) {
        if (n < sizeof c->flags - 1) c->flags[n++] = *p;
        c->left |= *p == '-';
    }
    p = take_number(p, &c->width, args);
    if (*p == '.') p = take_number(p + 1, &c->precision, args);
    for (size_t n = 0; *p && strchr("hljzt", *p); p++)
        if (n < sizeof c->length - 1) c->length[n++] = *p;
    c->kind = *p++;
    c->size = (size_t)(p - c->format);
    return p;
}

static void put_spaces(struct strbuf *out, size_t count)
{
    static const char spaces[] = "                                "; // 32
    for (size_t n; count; count -= n) {
        n = count < sizeof spaces - 1 ? count : sizeof spaces - 1;
        strbuf_write(out, spaces, n);
    }
}

// Number of bytes at the end of text that begin an incomplete UTF-8 character.
static size_t begun_length(const char *text, size_t length)
{
    for (size_t back = 1; back < 4 && back <= length; back++) {
        unsigned char c = (unsigned char)text[length - back];
        size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if (c < 0x80 || whole > 1) return whole > back ? back : 0;
    }
    return 0;
}

// Appends a word. A precision may cut the last character; its bytes are dropped. As in printf, nothing beyond
// the precision is read: the word may lack a NUL.
static void put_word(struct strbuf *out, const struct conversion *c, const char *text)
{
    size_t length = c->precision >= 0 ? strnlen(text, (size_t)c->precision) : strlen(text);
    if (c->precision >= 0 && length == (size_t)c->precision) length -= begun_length(text, length);
    size_t width = c->width > 0 ? (size_t)c->width : 0, before = out->length;
    if (!c->left && length < width) put_spaces(out, width - length);
    printable_write(out, text, length);
    if (c->left && out->length - before < width) put_spaces(out, width - (out->length - before));
}

// Writes a conversion in printf's syntax, with * replaced by the arguments' values.
static void spell_conversion(const struct conversion *c, char *text, size_t size)
{
    if (c->size < size && !memchr(c->format, '*', c->size)) {
        memcpy(text, c->format, c->size);
        text[c->size] = 0;
        return;
    }
    int n = snprintf(text, size, "%%%s", c->flags);
    if (c->width) n += snprintf(text + n, size - (size_t)n, "%d", c->width);
    if (c->precision >= 0) n += snprintf(text + n, size - (size_t)n, ".%d", c->precision);
    snprintf(text + n, size - (size_t)n, "%s%c", c->length, c->kind);
}

// The compiler has checked each format against its arguments at the call.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(struct strbuf *out, const struct conversion *c, va_list *args)
{
    char text[40]; // %, five flags, two numbers of eleven, a point, two letters of length, the kind
    bool is_long = str_equal(c->length, "l") || str_equal(c->length, "z") || str_equal(c->length, "t") ||
                   str_equal(c->length, "j");
    _Static_assert(sizeof(long) == sizeof(size_t), "z, t and j are as long as l");
    spell_conversion(c, text, sizeof text);
    if (strchr("eEfFgGaA", c->kind))
        strbuf_printf(out, text, va_arg(*args, double));
    else if (c->kind == 'p')
        strbuf_printf(out, text, va_arg(*args, void *));
    else if (str_equal(c->length, "ll"))
        strbuf_printf(out, text, va_arg(*args, long long));
    else if (is_long)
        strbuf_printf(out, text, va_arg(*args, long));
    else
        strbuf_printf(out, text, va_arg(*args, int));
}
#pragma GCC diagnostic pop

// Whether a format contains %s or %c. A format without words goes to printf directly.
static bool brings_words(const char *format)
{
    while ((format = strchr(format, '%')) != NULL) {
        format++;
        format += strspn(format, "-+ #0123456789.*hljzt");
        if (*format == 's' || *format == 'c') return true;
        if (*format) format++;
    }
    return false;
}

void printable_vformat(struct strbuf *out, const char *format, va_list args)
{
    va_list rest;
    va_copy(rest, args);
    if (!brings_words(format)) {
        strbuf_vprintf(out, format, rest);
        va_end(rest);
        return;
    }
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
