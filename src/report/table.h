// Tables for a terminal: columns as wide as the widest cell.
#pragma once
#include "base/str.h"
#include "base/vec.h"

struct table {
    VEC(char *) cells; // row-major; the heads are row 0
    size_t columns;
    VEC(bool) ruled; // by row: a rule above the row
};

void table_init(struct table *t, const char *const *heads, size_t columns);
void table_fini(struct table *t);
// Adds the next cell.
void table_add(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_add_u64(struct table *t, uint64_t value); // 1234567 as "1,234,567"
// "1,234,567 ± 890"; half 0: the value alone.
void table_add_figure(struct table *t, uint64_t value, double half);
void table_rule(struct table *t); // a rule above the next row
// Prints the table. Columns of numbers are right-aligned. `colour`: bold heads.
void table_print(const struct table *t, bool colour, struct strbuf *out);

void table_format_u64(uint64_t value, struct strbuf *out);
