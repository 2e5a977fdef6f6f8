// Text: a growing buffer, number parsing that rejects what it cannot represent, and the nearest known word.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *text; // always NUL-terminated once something was added; NULL before
    size_t length, capacity;
};

void strbuf_fini(struct strbuf *b);
void strbuf_clear(struct strbuf *b);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_write(struct strbuf *b, const char *text, size_t length);
void strbuf_puts(struct strbuf *b, const char *text);
void strbuf_printf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
const char *strbuf_text(const struct strbuf *b); // "" when empty

// Takes blanks off both ends, in place; the text's new beginning.
char *str_trim(char *text);

bool str_equal(const char *a, const char *b);
bool str_starts_with(const char *text, const char *prefix);
bool str_ends_with(const char *text, const char *suffix);

// The length of the UTF-8 character (RFC 3629) at p, of at most `left` bytes; 0: it is none.
size_t utf8_length(const char *p, size_t left);

// Whole text as a C integer literal (decimal, 0x, 0b, leading 0 octal; sign allowed). False when it is not
// one, has text behind it, or does not fit.
bool str_to_u64(const char *text, uint64_t *value);
bool str_to_i64(const char *text, int64_t *value);
// Decimal, hex float, nan, inf.
bool str_to_f64(const char *text, double *value);

// The word nearest to `word` by edit distance, or NULL when none is near enough to be meant.
// next(context, i) returns the i-th known word, "" for a word that is no candidate, NULL past the last.
const char *str_nearest(const char *word, const char *(*next)(const void *context, size_t i),
                        const void *context);
// The same among names of models, where a digit or the first letter is no slip but another model (rtx3090, rtx8000; h100, p100):
// candidates begin as `word` and have the same digits, in any order.
const char *str_nearest_model(const char *word, const char *(*next)(const void *context, size_t i),
                              const void *context);
