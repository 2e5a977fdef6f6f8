#include "report/energy.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

void report_energy_fini(struct report_energy *e)
{
    for (size_t i = 0; i < e->rows.count; i++) free((char *)(uintptr_t)e->rows.data[i].name);
    vec_fini(&e->rows);
}

static void add_rows(struct report_energy *e, const struct wf_energy *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i == e->rows.count) {
            struct wf_energy row = rows[i];
            row.name = heap_strdup(row.name);
            row.count = 0;
            vec_push(&e->rows, row);
        }
        e->rows.data[i].count += rows[i].count;
    }
}

void report_energy_add(struct report_energy *e, const struct wf_stats *stats)
{
    if (!stats->energy) return;
    add_rows(e, stats->energy, stats->energy_count);
    e->cycles += stats->cycles;
    e->core_mhz = stats->core_mhz;
}

void report_energy_merge(struct report_energy *e, const struct report_energy *more)
{
    add_rows(e, more->rows.data, more->rows.count);
    e->cycles += more->cycles;
    e->core_mhz = more->core_mhz;
}

static double row_pj(const struct wf_energy *row) { return (double)row->count * row->pj_each; }

double report_energy_part(const struct report_energy *e, const char *part)
{
    double sum = 0;
    for (size_t i = 0; i < e->rows.count; i++)
        if (str_equal(e->rows.data[i].part, part)) sum += row_pj(&e->rows.data[i]);
    return sum;
}

double report_energy_total(const struct report_energy *e)
{
    double sum = 0;
    for (size_t i = 0; i < e->rows.count; i++) sum += row_pj(&e->rows.data[i]);
    return sum;
}

double report_energy_watts(const struct report_energy *e)
{
    return e->cycles ? report_energy_total(e) * 1e-12 / ((double)e->cycles / (e->core_mhz * 1e6)) : NAN;
}

void report_energy_json(const struct report_energy *e, struct json *j)
{
    json_key(j, "energy");
    if (!e->rows.count) {
        json_null(j);
        return;
    }
    json_open_object(j);
    report_f64(j, "total_pj", report_energy_total(e));
    report_f64(j, "average_watts", report_energy_watts(e));
    json_key(j, "parts");
    json_open_object(j);
    const char *part, *meaning;
    for (size_t i = 0; wf_energy_part_at(i, &part, &meaning); i++)
        report_f64(j, part, report_energy_part(e, part));
    json_close_object(j);
    json_key(j, "events");
    json_open_array(j);
    for (size_t i = 0; i < e->rows.count; i++) {
        const struct wf_energy *row = &e->rows.data[i];
        json_open_object(j);
        report_text(j, "event", row->name);
        report_text(j, "part", row->part);
        report_text(j, "unit", row->unit);
        report_u64(j, "count", row->count);
        report_f64(j, "pj_each", row->pj_each);
        report_f64(j, "pj", row_pj(row));
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

void report_energy_table(const struct report_energy *e, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"energy of", "microjoules", "share", "meaning"};
    struct table t;
    table_init(&t, heads, 4);
    double total = report_energy_total(e);
    const char *part, *meaning;
    for (size_t i = 0; wf_energy_part_at(i, &part, &meaning); i++) {
        double pj = report_energy_part(e, part);
        if (pj == 0) continue;
        table_add(&t, "%s", part);
        table_add(&t, "%.3f", pj / 1e6);
        table_add(&t, "%.1f %%", 100 * pj / total);
        table_add(&t, "%s", meaning);
    }
    table_rule(&t);
    table_add(&t, "all");
    table_add(&t, "%.3f", total / 1e6);
    table_add(&t, "%s", "");
    table_add(&t, "%.1f W on average", report_energy_watts(e));
    table_print(&t, colour, out);
    table_fini(&t);
}
