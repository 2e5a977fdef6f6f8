// JSON text, indented by two spaces a level. UTF-8 is copied, except control characters, which a terminal
// would obey: control characters below U+0080 are escaped. The two bytes of a control character from U+0080
// to U+009F and invalid bytes of UTF-8 (names from a broken file) are escaped singly, a byte as the Latin-1
// character of the byte. Strings are thus always valid JSON.
#include "base/json.h"
#include "base/printable.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void json_init(struct json *j, struct strbuf *out) { *j = (struct json){.out = out}; }

static void break_line(struct json *j)
{
    static const char spaces[] = "                                ";
    strbuf_putc(j->out, '\n');
    for (size_t left = 2 * j->depth, n; left; left -= n) {
        n = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        strbuf_write(j->out, spaces, n);
    }
}

static void begin_value(struct json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->depth) return;
    if (j->filled[j->depth - 1]) strbuf_putc(j->out, ',');
    break_line(j);
    j->filled[j->depth - 1] = true;
}

static void open_level(struct json *j, char bracket)
{
    begin_value(j);
    strbuf_putc(j->out, bracket);
    assert(j->depth < JSON_DEPTH_MAX);
    j->filled[j->depth++] = false;
}

static void close_level(struct json *j, char bracket)
{
    assert(j->depth);
    bool filled = j->filled[--j->depth];
    if (filled) break_line(j);
    strbuf_putc(j->out, bracket);
    if (!j->depth) strbuf_putc(j->out, '\n');
}

void json_open_object(struct json *j) { open_level(j, '{'); }
void json_close_object(struct json *j) { close_level(j, '}'); }
void json_open_array(struct json *j) { open_level(j, '['); }
void json_close_array(struct json *j) { close_level(j, ']'); }

void json_quote(struct strbuf *out, const char *text)
{
    strbuf_putc(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        size_t sequence;
        const unsigned char *plain = p;
        while (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\') p++;
        strbuf_write(out, (const char *)plain, (size_t)(p - plain));
        if (!*p) break;
        if (*p == '"' || *p == '\\')
            strbuf_printf(out, "\\%c", *p);
        else if (*p == '\n')
            strbuf_puts(out, "\\n");
        else if (*p == '\t')
            strbuf_puts(out, "\\t");
        else if (*p < 0x20 || *p == 0x7f)
            strbuf_printf(out, "\\u%04x", *p);
        else if ((sequence = printable_length((const char *)p, strnlen((const char *)p, 4))) != 0) {
            strbuf_write(out, (const char *)p, sequence);
            p += sequence - 1;
        } else {
            if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
                p++; // U+0080 to U+009F: a character, not two bytes
            strbuf_printf(out, "\\u%04x", *p);
        }
    }
    strbuf_putc(out, '"');
}

void json_key(struct json *j, const char *key)
{
    begin_value(j);
    json_quote(j->out, key);
    strbuf_puts(j->out, ": ");
    j->after_key = true;
}

void json_string(struct json *j, const char *text)
{
    begin_value(j);
    if (text)
        json_quote(j->out, text);
    else
        strbuf_puts(j->out, "null");
}

void json_u64(struct json *j, uint64_t value)
{
    char digits[20], *first = digits + sizeof digits;
    begin_value(j);
    do *--first = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    strbuf_write(j->out, first, (size_t)(digits + sizeof digits - first));
}

void json_i64(struct json *j, int64_t value)
{
    begin_value(j);
    strbuf_printf(j->out, "%lld", (long long)value);
}

void json_f64(struct json *j, double value)
{
    begin_value(j);
    if (isfinite(value))
        strbuf_printf(j->out, "%.9g", value);
    else
        strbuf_puts(j->out, "null");
}

void json_bool(struct json *j, bool value)
{
    begin_value(j);
    strbuf_puts(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
    begin_value(j);
    strbuf_puts(j->out, "null");
}

void json_raw(struct json *j, const char *text)
{
    begin_value(j);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n') length--;
    for (const char *at = text, *end = text + length;
         at < end;) { // raw line breaks occur only between JSON tokens
        size_t line = strcspn(at, "\n");
        if (line > (size_t)(end - at)) line = (size_t)(end - at);
        strbuf_write(j->out, at, line);
        at += line;
        if (at < end) break_line(j);
        at += at < end;
    }
}

void json_embed(struct strbuf *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '\n')
            at += strspn(at, "\n ") - 1;
        else if (*at == '<')
            strbuf_puts(out, "\\u003c");
        else {
            size_t plain = strcspn(at, "\n<");
            strbuf_write(out, at, plain);
            at += plain - 1;
        }
    }
}
