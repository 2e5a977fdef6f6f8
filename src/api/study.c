// Limit studies, in the types of the public API.
#include "study/study.h"
#include "api/impl.h"
#include "base/file.h"

#include <string.h>

struct wf_study {
    struct study *study;
    struct study_report report;
    struct wf_study_results shown;
    struct arena arena; // memory of `shown`
};

bool wf_study_at(size_t index, const char **name, const char **meaning)
{
    return study_at(index, name, meaning);
}

struct wf_study *wf_study_create(const char *name)
{
    struct study *study = study_create(name);
    if (!study) return NULL;
    struct wf_study *s = heap_alloc(sizeof *s);
    s->study = study;
    study_report_init(&s->report);
    arena_init(&s->arena);
    return s;
}

void wf_study_destroy(struct wf_study *s)
{
    if (!s) return;
    study_destroy(s->study);
    study_report_fini(&s->report);
    arena_fini(&s->arena);
    free(s);
}

enum wf_status wf_set_study(struct wf_context *c, struct wf_study *s)
{
    api_wait(c);
    if (s && c->settings.check_races) {
        diag_error(&c->diag, loc_none(),
                   "a study and the race detector (check.races) cannot watch the same launch");
        return WF_BAD_USAGE;
    }
    if (s && wf_study_times(s) && c->techs.count == TECH_MAX) {
        diag_error(&c->diag, loc_none(), "study %s and %d mechanisms exceed the limit by one", s->study->name,
                   TECH_MAX);
        return WF_BAD_USAGE;
    }
    c->study = s ? s->study : NULL;
    api_choose_techs(c);
    return WF_OK;
}

bool wf_study_times(const struct wf_study *s) { return s->study->class->timed != NULL; }

bool wf_study_reads(const struct wf_study *s) { return s->study->class->read != NULL; }

enum wf_status wf_study_read(struct wf_study *s, struct wf_context *c, const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (!wf_study_reads(s)) {
        diag_error(&c->diag, loc_none(),
                   "study %s needs executed launches and cannot read a file of launches", s->study->name);
        return WF_BAD_USAGE;
    }
    if (!file_read(path, &text, &length, &why)) {
        diag_error(&c->diag, loc_none(), "cannot read %s: %s", path, why);
        return WF_BAD_INPUT;
    }
    s->study->settings = c->study_settings;
    bool good =
        s->study->class->read(s->study, text, diag_add_source(&c->diag, path, text, length), &c->diag);
    free(text);
    return good ? WF_OK : WF_BAD_INPUT;
}

void wf_study_group(struct wf_study *s, const char *name) { study_group(s->study, name); }

void wf_study_sources(struct wf_study *s, const char *folder) { study_sources(s->study, folder); }

// wf_cell_kind and the study module's kinds have equal values.
_Static_assert((int)WF_CELL_NUMBER == (int)STUDY_NUMBER && (int)WF_CELL_TEXT == (int)STUDY_TEXT, "cells");

static struct wf_table show_table(struct arena *a, const struct study_table *t)
{
    struct wf_column *columns = ARENA_ARRAY(a, struct wf_column, t->column_count);
    struct wf_cell *cells = ARENA_ARRAY(a, struct wf_cell, t->cells.count + 1);
    size_t *rules = ARENA_ARRAY(a, size_t, t->rules.count + 1);
    for (size_t i = 0; i < t->column_count; i++)
        columns[i] = (struct wf_column){t->columns[i].name, t->columns[i].meaning};
    for (size_t i = 0; i < t->cells.count; i++) {
        const struct study_cell *x = &t->cells.data[i];
        cells[i] = (struct wf_cell){(enum wf_cell_kind)x->kind, x->text, x->count, x->number};
    }
    for (size_t i = 0; i < t->rules.count; i++) rules[i] = t->rules.data[i] / t->column_count;
    return (struct wf_table){.name = t->name,
                             .title = t->title,
                             .detail = t->detail,
                             .cards = t->cards,
                             .columns = columns,
                             .column_count = t->column_count,
                             .cells = cells,
                             .row_count = t->cells.count / t->column_count,
                             .rules = rules,
                             .rule_count = t->rules.count};
}

const struct wf_study_results *wf_study_report(struct wf_study *s)
{
    study_report_fini(&s->report);
    arena_fini(&s->arena);
    study_report_init(&s->report);
    arena_init(&s->arena);
    struct study_report *r = &s->report;
    study_report_fill(s->study, r);
    struct wf_table *tables = ARENA_ARRAY(&s->arena, struct wf_table, r->tables.count + 1);
    for (size_t i = 0; i < r->tables.count; i++) tables[i] = show_table(&s->arena, r->tables.data[i]);
    s->shown = (struct wf_study_results){.status = r->failures.count ? WF_MISMATCH : WF_OK,
                                         .tables = tables,
                                         .table_count = r->tables.count,
                                         .notes = r->notes.data,
                                         .failures = r->failures.data,
                                         .note_count = r->notes.count,
                                         .failure_count = r->failures.count};
    return &s->shown;
}
