// A finding is a paragraph: kind and sentence, a line per place, a line with what would be right.
#include "report/check.h"
#include "base/printable.h"
#include "report/fields.h"

#include <inttypes.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Appends "k.cu:7:12 (k.ptx:31:2)", or "k.ptx:31:2" for PTX without source lines.
static void add_source(const struct wf_finding_place *p, struct strbuf *out)
{
    bool is_ptx = p->file && p->ptx_file && str_equal(p->file, p->ptx_file);
    if (p->file && p->line && !is_ptx) {
        printable_format(out, "%s:%" PRIu32, base_name(p->file), p->line);
        if (p->column) strbuf_printf(out, ":%" PRIu32, p->column);
    }
    if (!p->ptx_file || !p->ptx_line) return;
    const char *open = p->file && !is_ptx ? " (" : "", *close = *open ? ")" : "";
    strbuf_puts(out, open);
    printable_format(out, "%s:%" PRIu32 ":%" PRIu32, base_name(p->ptx_file), p->ptx_line, p->ptx_column);
    strbuf_puts(out, close);
}

static void add_place(const struct wf_finding_place *p, struct strbuf *out)
{
    if (!p->instruction) {
        if (!p->file) return;
        strbuf_printf(out, "   %-7s", "host");
        add_source(p, out);
        strbuf_putc(out, '\n');
        return;
    }
    strbuf_printf(out, "   %-7s", p->act ? p->act : "at");
    add_source(p, out);
    printable_format(out, "  %s\n", p->instruction);
    strbuf_printf(out, "          by thread (%u,%u,%u) of block (%u,%u,%u) of ", p->thread[0], p->thread[1],
                  p->thread[2], p->block[0], p->block[1], p->block[2]);
    printable_format(out, "%s", p->kernel);
    if (strstr(p->lines, "inlined at")) printable_format(out, ", %s", p->lines);
    strbuf_putc(out, '\n');
}

static void add_finding(const struct wf_finding *f, size_t number, bool colour, struct strbuf *out)
{
    const char *on = colour ? "\033[1;31m" : "", *off = colour ? "\033[0m" : "";
    strbuf_printf(out, "%zu. %s%s%s: ", number, on, f->kind, off);
    printable_format(out, "%s\n", f->what);
    for (size_t k = 0; k < f->place_count; k++) add_place(&f->places[k], out);
    if (f->count > 1) strbuf_printf(out, "   count  %" PRIu64 " occurrences; the first is shown\n", f->count);
    strbuf_printf(out, "   right  %s\n\n", f->right);
}

// Appends ": 2 races, 1 leak" by kind, in order of the first finding of a kind.
static void add_kinds(const struct report_check *r, struct strbuf *out)
{
    const char *separator = ": ";
    for (size_t i = 0; i < r->count; i++) {
        size_t of_kind = 0, first = 0;
        while (!str_equal(r->findings[first].kind, r->findings[i].kind)) first++;
        if (first != i) continue;
        for (size_t k = 0; k < r->count; k++) of_kind += str_equal(r->findings[k].kind, r->findings[i].kind);
        strbuf_printf(out, "%s%zu %s", separator, of_kind, r->findings[i].kind);
        separator = ", ";
    }
}

void report_check_text(const struct report_check *r, bool colour, struct strbuf *out)
{
    for (size_t i = 0; i < r->count; i++) add_finding(&r->findings[i], i + 1, colour, out);
    if (r->count)
        strbuf_printf(out, "%zu finding%s", r->count, r->count == 1 ? "" : "s");
    else
        strbuf_puts(out, "nothing found");
    add_kinds(r, out);
    strbuf_printf(
        out, "%s in %" PRIu64 " launch%s, %" PRIu64 " warp instructions; a functional run, not timed%s\n",
        r->count ? ";" : "", r->launches, r->launches == 1 ? "" : "es", r->warp_instructions,
        r->interrupted ? "; interrupted" : "");
}

static void write_triple(struct json *j, const char *key, const uint32_t triple[3])
{
    json_key(j, key);
    json_open_array(j);
    for (int k = 0; k < 3; k++) json_u64(j, triple[k]);
    json_close_array(j);
}

static void write_place(struct json *j, const struct wf_finding_place *p)
{
    json_open_object(j);
    report_text(j, "act", p->act);
    report_text(j, "kernel", p->kernel);
    report_text(j, "instruction", p->instruction);
    report_text(j, "file", p->file);
    report_u64(j, "line", p->line ? p->line : WF_UNKNOWN);
    report_u64(j, "column", p->column ? p->column : WF_UNKNOWN);
    report_text(j, "lines", p->lines);
    report_text(j, "ptx_file", p->ptx_file);
    report_u64(j, "ptx_line", p->ptx_line ? p->ptx_line : WF_UNKNOWN);
    report_u64(j, "ptx_column", p->ptx_column ? p->ptx_column : WF_UNKNOWN);
    if (p->instruction) {
        write_triple(j, "block", p->block);
        write_triple(j, "thread", p->thread);
    }
    json_close_object(j);
}

void report_check_json(const struct report_check *r, struct strbuf *out)
{
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.check/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "status", r->interrupted ? "interrupted" : r->count ? "found" : "clean");
    report_u64(&j, "launches", r->launches);
    report_u64(&j, "warp_instructions", r->warp_instructions);
    report_f64(&j, "wall_seconds", r->wall_seconds);
    json_key(&j, "timed");
    json_bool(&j, false);
    json_key(&j, "findings");
    json_open_array(&j);
    for (size_t i = 0; i < r->count; i++) {
        const struct wf_finding *f = &r->findings[i];
        json_open_object(&j);
        report_text(&j, "kind", f->kind);
        report_text(&j, "what", f->what);
        report_text(&j, "right", f->right);
        report_u64(&j, "count", f->count);
        json_key(&j, "places");
        json_open_array(&j);
        for (size_t k = 0; k < f->place_count; k++) write_place(&j, &f->places[k]);
        json_close_array(&j);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
    strbuf_putc(out, '\n');
}
