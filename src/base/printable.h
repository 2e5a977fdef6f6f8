// Makes words from input safe for a terminal.
//
// File names, words of scripts and settings, names in PTX and keys of JSON may hold any byte, and a terminal
// obeys some bytes. Control characters (C0, DEL, C1) and invalid bytes of UTF-8 are written as \x and two hex
// digits. All other bytes are copied. Printable text is unchanged, so repeated calls are harmless.
#pragma once
#include "base/str.h"

// Appends one word; line breaks are escaped, too.
void printable_write(struct strbuf *out, const char *text, size_t length);
// Appends text of several lines; line breaks and tabs are copied.
void printable_lines(struct strbuf *out, const char *text, size_t length);
// printable_lines, with colour sequences (ESC [ digits m) copied.
void printable_coloured(struct strbuf *out, const char *text, size_t length);
// printf into `out`, with arguments of %s and %c escaped as words; line breaks in the format are copied. No
// %n, %ls, %lc or %Lf.
void printable_vformat(struct strbuf *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void printable_format(struct strbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Length in bytes of the printable character at p, of at most `left` bytes. 0: a control character or invalid
// UTF-8.
size_t printable_length(const char *p, size_t left);
