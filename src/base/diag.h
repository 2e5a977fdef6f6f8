// Diagnostics: the error, its location, and a valid alternative.
//
// A `struct diag` collects messages and holds the source texts referred to by locations. Library calls add
// messages and return false. The command line prints messages as
//
//     vecadd.ptx:14:5: error: unknown instruction 'addd'; did you mean 'add'?
//             addd.f32 %f3, %f1, %f2;
//             ^~~~
//
// A zero location means no place in a file; the message then starts with "error: ", "warning: " or "note: ".
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct loc {
    uint32_t source; // 1 + index of the source, 0 = none
    uint32_t line;   // from 1; 0 = the file as a whole
    uint32_t column; // from 1
    uint32_t length; // columns to underline (0 or 1: only a caret)
};

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_message {
    enum diag_severity severity;
    struct loc loc;
    char *text;
};

struct diag_source {
    char *name;       // the source's file name as written by the user
    const char *text; // owned by the diag; NULL when only the name is known
    size_t length;
};

struct diag {
    struct arena arena;
    VEC(struct diag_source) sources;
    VEC(struct diag_message) messages;
    unsigned errors;       // all errors, including errors past the limit
    unsigned errors_limit; // error messages kept, at most; 0 = DIAG_ERRORS_DEFAULT
};

enum { DIAG_ERRORS_DEFAULT = 20 };

void diag_init(struct diag *d);
void diag_fini(struct diag *d);
void diag_clear(struct diag *d); // forgets messages, keeps sources

// Copies name and text; returns the number to put into loc.source.
uint32_t diag_add_source(struct diag *d, const char *name, const char *text, size_t length);

// Arguments of %s are made printable (base/printable.h), line breaks included; use diag_text for a text of
// several lines. Arguments may come from any input. The result of diag_error is always false, so that a
// failing call can end in `return diag_error(...)`.
bool diag_error(struct diag *d, struct loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool diag_verror(struct diag *d, struct loc loc, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
void diag_warn(struct diag *d, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_note(struct diag *d, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Adds a message composed by the caller, possibly of several lines; trailing line breaks are removed.
// Always false.
bool diag_text(struct diag *d, enum diag_severity severity, struct loc loc, const char *text);

// Appends the location as "file:line:column", or as "file" without a line; appends nothing for loc_none().
void diag_format_loc(const struct diag *d, struct loc loc, struct strbuf *out);
// Appends all messages with source line and caret; colour: with colour codes for a terminal.
void diag_format(const struct diag *d, bool colour, struct strbuf *out);
void diag_print(const struct diag *d, FILE *out);

static inline struct loc loc_none(void) { return (struct loc){0}; }
