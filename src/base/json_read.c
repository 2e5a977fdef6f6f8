// Recursive descent. The depth is limited, so no input can exhaust the stack.
#include "base/json_read.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

struct reader {
    const char *start, *p, *end;
    struct arena *arena;
    const char *why;
    unsigned depth;
};

static struct json_value *fail(struct reader *r, const char *why)
{
    if (!r->why) r->why = why;
    return NULL;
}

static void skip_space(struct reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r')) r->p++;
}

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (r->p == r->end || *r->p != c) return false;
    r->p++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0) return false;
    r->p += length;
    return true;
}

static int hex4(struct reader *r)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *d = r->p < r->end && *r->p ? strchr(digits, *r->p) : NULL;
        if (!d) return -1;
        int n = (int)(d - digits);
        value = value * 16 + (n > 15 ? n - 6 : n);
        r->p++;
    }
    return value;
}

static void put_utf8(struct strbuf *b, uint32_t c)
{
    if (c < 0x80) {
        strbuf_putc(b, (char)c);
    } else if (c < 0x800) {
        strbuf_putc(b, (char)(0xc0 | c >> 6));
        strbuf_putc(b, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        strbuf_putc(b, (char)(0xe0 | c >> 12));
        strbuf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        strbuf_putc(b, (char)(0x80 | (c & 0x3f)));
    } else {
        strbuf_putc(b, (char)(0xf0 | c >> 18));
        strbuf_putc(b, (char)(0x80 | (c >> 12 & 0x3f)));
        strbuf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        strbuf_putc(b, (char)(0x80 | (c & 0x3f)));
    }
}

static bool take_escape(struct reader *r, struct strbuf *b)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->p == r->end) return false;
    char c = *r->p++;
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        strbuf_putc(b, to[known - from]);
        return true;
    }
    int high = c == 'u' ? hex4(r) : -1;
    if (high <= 0) return false; // \u0000 would end a C string
    uint32_t code = (uint32_t)high;
    if (high >= 0xd800 && high < 0xdc00 && take_word(r, "\\u")) {
        int low = hex4(r);
        if (low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    }
    put_utf8(b, code);
    return true;
}

// Number of bytes up to the next quote, escape, control character or the end.
static size_t plain_length(const struct reader *r)
{
    const char *p = r->p;
    while (p < r->end && (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\') p++;
    return (size_t)(p - r->p);
}

// Reads a string after its opening quote, up to and including the closing quote. NULL: malformed.
static const char *take_string(struct reader *r)
{
    struct strbuf b = {0};
    const char *text = NULL;
    size_t plain = plain_length(r);
    if (r->p + plain < r->end && r->p[plain] == '"') { // the common case: no escapes
        text = arena_strndup(r->arena, r->p, plain);
        r->p += plain + 1;
        return text;
    }
    while (r->p < r->end) {
        char c = *r->p++;
        if (c == '"') {
            text = arena_strndup(r->arena, strbuf_text(&b), b.length);
            break;
        }
        if ((unsigned char)c < 0x20 || (c == '\\' && !take_escape(r, &b))) break;
        if (c != '\\') strbuf_putc(&b, c);
    }
    strbuf_fini(&b);
    return text;
}

static bool take_digits(struct reader *r)
{
    const char *start = r->p;
    while (r->p < r->end && *r->p >= '0' && *r->p <= '9') r->p++;
    return r->p > start;
}

static struct json_value *take_number(struct reader *r, struct json_value *v)
{
    const char *start = r->p;
    take_word(r, "-");
    bool zero = r->p < r->end && *r->p == '0';
    if (!take_digits(r) || (zero && r->p - start > 1 + (*start == '-'))) return fail(r, "expected a value");
    if (take_word(r, ".") && !take_digits(r)) return fail(r, "a fraction without digits");
    if (take_word(r, "e") || take_word(r, "E")) {
        if (!take_word(r, "+")) take_word(r, "-");
        if (!take_digits(r)) return fail(r, "an exponent without digits");
    }
    v->type = JSON_NUMBER;
    v->text = arena_strndup(r->arena, start, (size_t)(r->p - start));
    return v;
}

static struct json_value *take_value(struct reader *r);

static struct json_value *take_elements(struct reader *r, struct json_value *v, char close)
{
    struct json_value **place = &v->first;
    if (++r->depth > DEPTH_MAX) return fail(r, "nested too deeply");
    if (take(r, close)) {
        r->depth--;
        return v;
    }
    do {
        const char *key = NULL;
        if (close == '}') {
            if (!take(r, '"') || !(key = take_string(r))) return fail(r, "expected a key in quotes");
            if (!take(r, ':')) return fail(r, "expected a colon");
        }
        struct json_value *element = take_value(r);
        if (!element) return NULL;
        element->key = key;
        *place = element;
        place = &element->next;
    } while (take(r, ','));
    if (!take(r, close)) return fail(r, close == '}' ? "no closing brace" : "no closing bracket");
    r->depth--;
    return v;
}

static struct json_value *take_value(struct reader *r)
{
    struct json_value *v = ARENA_NEW(r->arena, struct json_value);
    skip_space(r);
    if (take(r, '{')) {
        v->type = JSON_OBJECT;
        return take_elements(r, v, '}');
    }
    if (take(r, '[')) {
        v->type = JSON_ARRAY;
        return take_elements(r, v, ']');
    }
    if (take(r, '"')) {
        v->type = JSON_STRING;
        v->text = take_string(r);
        return v->text ? v : fail(r, "a broken string");
    }
    if (take_word(r, "null")) return v;
    v->type = JSON_TRUE;
    if (take_word(r, "true")) return v;
    v->type = JSON_FALSE;
    if (take_word(r, "false")) return v;
    return take_number(r, v);
}

struct json_value *json_parse(const char *text, size_t length, struct arena *a, const char **why,
                              size_t *offset)
{
    struct reader r = {.start = text, .p = text, .end = text + length, .arena = a};
    struct json_value *v = take_value(&r);
    if (v) {
        skip_space(&r);
        if (r.p < r.end) v = fail(&r, "text behind the value");
    }
    *why = r.why;
    *offset = (size_t)(r.p - r.start);
    return v;
}

const struct json_value *json_member(const struct json_value *v, const char *key)
{
    for (v = v && v->type == JSON_OBJECT ? v->first : NULL; v; v = v->next)
        if (str_equal(v->key, key)) return v;
    return NULL;
}

const char *json_text(const struct json_value *v) { return v && v->type == JSON_STRING ? v->text : NULL; }
bool json_is_number(const struct json_value *v) { return v && v->type == JSON_NUMBER; }
bool json_is_true(const struct json_value *v) { return v && v->type == JSON_TRUE; }

double json_number(const struct json_value *v) { return json_is_number(v) ? strtod(v->text, NULL) : 0; }

uint64_t json_unsigned(const struct json_value *v)
{
    uint64_t value = 0;
    return json_is_number(v) && str_to_u64(v->text, &value) ? value : 0;
}
