// Comma-separated values (RFC 4180): a header line, then rows with the same number of fields. Quoted fields
// ("…") may contain commas, line breaks and doubled quotes.
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

// Parses text into *c. False: *why is a static text and *line the line of the error. Call csv_fini in either
// case.
bool csv_parse(struct csv *c, const char *text, size_t length, const char **why, size_t *line);
void csv_fini(struct csv *c);
bool csv_column(const struct csv *c, const char *head, size_t *column);

void csv_add_text(struct strbuf *out, const char *text, char end); // NULL: an empty field
void csv_add_number(struct strbuf *out, double value, char end);   // NAN: an empty field
