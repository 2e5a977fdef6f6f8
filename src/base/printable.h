// Words from elsewhere on their way to a terminal.
//
// File names, words of scripts and settings, names in PTX and keys of JSON may hold any byte, and a terminal
// obeys some of them. Here they become text: control characters (C0, DEL, C1) and bytes that are no UTF-8 are
// written as \x1b; all else stays, so that what is printable already is unchanged, however often it comes
// here.
#pragma once
#include "base/str.h"

// One word: a line break in it is escaped too.
void printable_write(struct strbuf *out, const char *text, size_t length);
// Text of several lines that was put together from words: line breaks and tabs stay.
void printable_lines(struct strbuf *out, const char *text, size_t length);
// The same, where colours stay too: ESC [ digits m.
void printable_coloured(struct strbuf *out, const char *text, size_t length);
// printf, with %s and %c as words; line breaks of the format itself stay. No %n, %ls, %lc and %Lf.
void printable_vformat(struct strbuf *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void printable_format(struct strbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The length of the printable character at p, of at most `left` bytes; 0: it is a control character or no
// UTF-8.
size_t printable_length(const char *p, size_t left);
