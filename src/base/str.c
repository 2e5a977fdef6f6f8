// Text helpers. Edit distance: dynamic programming over one row; a transposition counts as two edits.
#include "base/str.h"
#include "base/arena.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strbuf_fini(struct strbuf *b)
{
    free(b->text);
    *b = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *b)
{
    b->length = 0;
    if (b->text) b->text[0] = 0;
}

static void reserve(struct strbuf *b, size_t extra)
{
    size_t wanted = b->length + extra + 1;
    if (b->capacity >= wanted) return;
    size_t capacity = b->capacity ? b->capacity * 2 : 64;
    while (capacity < wanted) capacity *= 2;
    b->text = heap_resize(b->text, capacity);
    b->capacity = capacity;
}

void strbuf_write(struct strbuf *b, const char *text, size_t length)
{
    reserve(b, length);
    if (length) memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length] = 0;
}

void strbuf_putc(struct strbuf *b, char c) { strbuf_write(b, &c, 1); }

void strbuf_puts(struct strbuf *b, const char *text) { strbuf_write(b, text, strlen(text)); }

void strbuf_vprintf(struct strbuf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = b->capacity - b->length; // most texts fit in the free capacity
    int length = vsnprintf(room ? b->text + b->length : NULL, room, format, args);
    if (length < 0) wf_heap_exhausted(0); // vsnprintf allocates for wide fields
    if (length > 0 && (size_t)length >= room) {
        reserve(b, (size_t)length);
        vsnprintf(b->text + b->length, (size_t)length + 1, format, again);
    }
    b->length += (size_t)length;
    va_end(again);
}

void strbuf_printf(struct strbuf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(b, format, args);
    va_end(args);
}

const char *strbuf_text(const struct strbuf *b) { return b->text ? b->text : ""; }

char *str_trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length && strchr(blanks, text[length - 1])) text[--length] = 0;
    return text;
}

bool str_equal(const char *a, const char *b) { return strcmp(a, b) == 0; }

bool str_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

size_t utf8_length(const char *p, size_t left)
{
    const unsigned char *c = (const unsigned char *)p;
    if (!left) return 0;
    if (*c < 0x80) return 1;
    size_t n = *c >= 0xf0 && *c < 0xf5 ? 4 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xc2 && *c < 0xe0 ? 2 : 0;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    // Well-formed but invalid: overlong forms, surrogates, and code points past U+10FFFF.
    bool other = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0) || (*c == 0xf0 && c[1] < 0x90) ||
                 (*c == 0xf4 && c[1] >= 0x90);
    return n && !other ? n : 0;
}

// Parses digits without sign. True if the whole text is a literal that fits.
static bool parse_magnitude(const char *text, uint64_t *value)
{
    unsigned base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    } else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        base = 2;
        text += 2;
    } else if (text[0] == '0' && text[1]) {
        base = 8;
        text += 1;
    }
    if (!*text) return false;
    uint64_t v = 0;
    for (; *text; text++) {
        unsigned digit;
        if (*text >= '0' && *text <= '9')
            digit = (unsigned)(*text - '0');
        else if (*text >= 'a' && *text <= 'f')
            digit = (unsigned)(*text - 'a') + 10;
        else if (*text >= 'A' && *text <= 'F')
            digit = (unsigned)(*text - 'A') + 10;
        else
            return false;
        if (digit >= base) return false;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, (uint64_t)digit, &v))
            return false;
    }
    *value = v;
    return true;
}

bool str_to_u64(const char *text, uint64_t *value)
{
    if (*text == '+') text++;
    return parse_magnitude(text, value);
}

bool str_to_i64(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    uint64_t magnitude;
    if (!parse_magnitude(text, &magnitude)) return false;
    if (magnitude > (uint64_t)INT64_MAX + negative) return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool str_to_f64(const char *text, double *value)
{
    if (!*text || *text == ' ' || *text == '\t') return false;
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (*end || end == text) return false;
    if (errno == ERANGE && isinf(v)) return false;
    *value = v;
    return true;
}

// The edit distance of two words if it is below `most`; else any number from `most` up.
static size_t edit_distance(const char *a, const char *b, size_t most)
{
    enum { LONGEST = 127 };
    size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return SIZE_MAX; // a word of this length is no typing error
    if ((n > m ? n - m : m - n) >= most) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0], least = i;
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
            if (best < least) least = best;
        }
        if (least >= most) return least; // the minimum of a row never falls in later rows
    }
    return row[m];
}

static bool is_candidate(const char *word, const char *known)
{
    (void)word;
    return *known;
}

// Whether two names of models start with the same letter and contain every digit equally often.
static bool is_model_like(const char *word, const char *known)
{
    int counts[10] = {0};
    for (const char *p = word; *p; p++)
        if (*p >= '0' && *p <= '9') counts[*p - '0']++;
    for (const char *p = known; *p; p++)
        if (*p >= '0' && *p <= '9') counts[*p - '0']--;
    for (unsigned digit = 0; digit < 10; digit++)
        if (counts[digit]) return false;
    return *known && *known == *word;
}

static const char *nearest(const char *word, const char *(*next)(const void *context, size_t i),
                           const void *context, bool (*can_be)(const char *word, const char *known))
{
    const char *best = NULL, *known;
    size_t length = strlen(word), limit = length == 1 ? 0 : length / 3 + 1; // a letter resembles any letter
    size_t best_distance = limit + 1;
    for (size_t i = 0; (known = next(context, i)) != NULL; i++) {
        size_t distance = can_be(word, known) ? edit_distance(word, known, best_distance) : SIZE_MAX;
        if (distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    return best;
}

const char *str_nearest(const char *word, const char *(*next)(const void *context, size_t i),
                        const void *context)
{
    return nearest(word, next, context, is_candidate);
}

const char *str_nearest_model(const char *word, const char *(*next)(const void *context, size_t i),
                              const void *context)
{
    return nearest(word, next, context, is_model_like);
}
