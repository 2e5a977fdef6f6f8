// Text: a growing buffer, number parsing with range checks, and spelling suggestions.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *text; // NUL-terminated; NULL before the first write
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

// Removes spaces, tabs and line breaks at both ends, in place. Returns the new start of the text.
char *str_trim(char *text);

bool str_equal(const char *a, const char *b);
bool str_starts_with(const char *text, const char *prefix);
bool str_ends_with(const char *text, const char *suffix);

// Length in bytes of the UTF-8 character (RFC 3629) at p, of at most `left` bytes. 0: invalid.
size_t utf8_length(const char *p, size_t left);

// Parses the whole text as a C integer literal (decimal, 0x, 0b, leading 0 octal), with + or, for str_to_i64,
// - before. False: no literal, trailing text, or out of range.
bool str_to_u64(const char *text, uint64_t *value);
bool str_to_i64(const char *text, int64_t *value);
// Parses the whole text as a decimal number, hex float, nan or inf. False: malformed or too large.
bool str_to_f64(const char *text, double *value);

// The known word nearest to `word` by edit distance; NULL if every word is too far, or for a word of one
// letter. next(context, i) returns known word i, "" for a word to skip, NULL past the last.
const char *str_nearest(const char *word, const char *(*next)(const void *context, size_t i),
                        const void *context);
// str_nearest for names of models, where a different digit or first letter is a different model (rtx3090,
// rtx8000; h100, p100). Candidates have the first letter of `word` and the same digits in any order.
// NULL: no candidate is near.
const char *str_nearest_model(const char *word, const char *(*next)(const void *context, size_t i),
                              const void *context);
