// Comma-separated values (RFC 4180): a line of heads, then rows of as many fields; "…" keeps commas, line breaks
// and doubled quotes.
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

struct csv {
    struct arena arena;
    const char **heads;
    size_t columns;
    VEC(const char **) rows;
};

// On the caller's storage. False: *why is a static text, *line where it went wrong; csv_fini it all the same.
bool csv_parse(struct csv *c, const char *text, size_t length, const char **why, size_t *line);
void csv_fini(struct csv *c);
bool csv_column(const struct csv *c, const char *head, size_t *column);

void csv_add_text(struct strbuf *out, const char *text, char end); // NULL: an empty field
void csv_add_number(struct strbuf *out, double value, char end);   // NAN: an empty field
