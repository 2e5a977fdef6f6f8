#include "study/tables.h"
#include "base/str.h"

const struct wf_table *tables_find(const struct wf_study_report *r, const char *name)
{
    for (size_t k = 0; k < r->table_count; k++)
        if (str_equal(r->tables[k].name, name)) return &r->tables[k];
    return NULL;
}

const struct wf_cell *tables_cell(const struct wf_table *t, size_t row, const char *column)
{
    for (size_t k = 0; k < t->column_count; k++)
        if (str_equal(t->columns[k].name, column)) return &t->cells[row * t->column_count + k];
    return NULL;
}

double tables_share(const struct wf_table *t, size_t row, const char *column)
{
    const struct wf_cell *c = tables_cell(t, row, column);
    return c->kind == WF_CELL_SHARE ? c->number : 0;
}

const char *tables_text(const struct wf_table *t, size_t row, const char *column)
{
    const struct wf_cell *c = tables_cell(t, row, column);
    return c->kind == WF_CELL_TEXT ? c->text : "";
}
