// `warpfold mark`: a kernel's machine code with the redundancy mark of every instruction, in the style of
// DARSIE's Figure 6:
//
//     CR>DR  affine 4*threadIdx.x  /*0088*/ SHL R10, R2, 0x2    matrixMul.cu:23   if x divides the warp size:
//     …
//
// DR: redundant across the warps of every block; CR: only in some block shapes; V: not redundant. With a
// block shape, CR instructions show the promotion: "CR>DR" or "CR>V"; with mark.warp_classes also "CR/2",
// equal in every second warp. With mark.grid, "g" means equal in all blocks.
#include "base/file.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/session.h"
#include "cli/shape.h"
#include "report/fields.h"

#include <string.h>
#include <unistd.h>

enum { DR, CR, V, MARKS };
static const char *const names[MARKS] = {"DR", "CR", "V"};
static const char *const colours[MARKS] = {"\033[32m", "\033[33m", ""};

static unsigned index_of(const char *mark)
{
    unsigned n = 0;
    while (n < V && !str_equal(names[n], mark)) n++;
    return n;
}

static void count_marks(const struct wf_mark *marks, size_t count, size_t by_mark[MARKS], size_t *promoted)
{
    for (unsigned n = 0; n < MARKS; n++) by_mark[n] = 0;
    *promoted = 0;
    for (size_t n = 0; n < count; n++) {
        by_mark[index_of(marks[n].mark)]++;
        *promoted += marks[n].promoted && str_equal(marks[n].promoted, "DR");
    }
}

enum { UNIFORM, AFFINE, UNSTRUCTURED, PATTERNS };
static const char *const patterns[PATTERNS] = {"uniform", "affine", "unstructured"};

// Number of instructions with a given mark and pattern; promoted: by the mark after promotion for the block
// shape.
static size_t count_class(const struct wf_mark *marks, size_t count, const char *mark, const char *pattern,
                          bool promoted)
{
    size_t found = 0;
    for (size_t n = 0; n < count; n++) {
        const char *have = promoted ? marks[n].promoted : marks[n].mark;
        found += have && str_equal(have, mark) && str_equal(marks[n].pattern, pattern);
    }
    return found;
}

static void write_classes(struct json *j, const struct wf_mark *marks, size_t count)
{
    json_key(j, "classes");
    json_open_object(j);
    for (unsigned n = 0; n < MARKS; n++) {
        json_key(j, names[n]);
        json_open_object(j);
        for (unsigned p = 0; p < PATTERNS; p++)
            report_u64(j, patterns[p], count_class(marks, count, names[n], patterns[p], false));
        json_close_object(j);
    }
    json_close_object(j);
}

static void write_summary(struct json *j, const struct wf_mark *marks, size_t count)
{
    size_t by_mark[MARKS], promoted;
    count_marks(marks, count, by_mark, &promoted);
    json_key(j, "marks");
    json_open_object(j);
    for (unsigned n = 0; n < MARKS; n++) report_u64(j, names[n], by_mark[n]);
    json_key(j, "redundant_in_block");
    if (count && marks[0].promoted)
        json_u64(j, promoted);
    else
        json_null(j);
    json_close_object(j);
    write_classes(j, marks, count);
}

static void print_summary(const struct wf_mark *marks, size_t count, const uint32_t *block,
                          struct strbuf *out)
{
    size_t by_mark[MARKS], promoted;
    count_marks(marks, count, by_mark, &promoted);
    strbuf_printf(
        out, "// %zu DR (redundant in every block), %zu CR (if the block's shape allows), %zu V (vector)\n",
        by_mark[DR], by_mark[CR], by_mark[V]);
    strbuf_puts(out, "// by pattern over a warp's lanes:");
    for (unsigned p = 0; p < PATTERNS; p++)
        strbuf_printf(out, "%s %s %zu DR, %zu CR, %zu V", p ? ";" : "", patterns[p],
                      count_class(marks, count, names[DR], patterns[p], false),
                      count_class(marks, count, names[CR], patterns[p], false),
                      count_class(marks, count, names[V], patterns[p], false));
    strbuf_putc(out, '\n');
    if (!block) return;
    strbuf_printf(
        out,
        "// in a block of %u x %u x %u: %zu of %zu redundant (%zu uniform, %zu affine, %zu unstructured)\n",
        block[0], block[1], block[2], promoted, count,
        count_class(marks, count, names[DR], patterns[UNIFORM], true),
        count_class(marks, count, names[DR], patterns[AFFINE], true),
        count_class(marks, count, names[DR], patterns[UNSTRUCTURED], true));
}

// Appends an instruction's mark, such as "DR", "CR>DR" or "CR/2"; " g" follows if the value is equal in all
// blocks.
static void print_mark(const struct wf_mark *m, bool colour, struct strbuf *out)
{
    char text[32];
    bool changed = m->promoted && !str_equal(m->promoted, m->mark);
    const char *grid = m->grid ? " g" : "", *now = m->promoted ? m->promoted : m->mark;
    if (changed && m->warp_classes > 1)
        snprintf(text, sizeof text, "%s/%u%s", m->mark, m->warp_classes, grid);
    else
        snprintf(text, sizeof text, "%s%s%s%s", m->mark, changed ? ">" : "", changed ? m->promoted : "",
                 grid);
    strbuf_printf(out, "%s%-7s%s", colour ? colours[index_of(now)] : "", text, colour ? "\033[0m" : "");
}

static void print_marks(const struct wf_kernel_facts *info, const struct wf_mark *marks, size_t count,
                        const uint32_t *block, bool colour, struct strbuf *out)
{
    strbuf_printf(out, "// %s: %zu instructions, %u registers, %u predicates\n", info->mangled_name, count,
                  info->registers, info->predicates);
    strbuf_printf(out, "// %u bytes shared, %u local, %u stack, %u parameters\n", info->shared_bytes,
                  info->local_bytes, info->stack_bytes, info->param_bytes);
    print_summary(marks, count, block, out);
    for (size_t n = 0; n < count; n++) {
        const struct wf_mark *m = &marks[n];
        const char *reason = strchr(m->reason, ' ');
        print_mark(m, colour, out);
        printable_format(out, " %-27s /*%04x*/ %-54s %-24s %s\n", m->formula, m->pc, m->instruction, m->lines,
                         reason ? reason + 1 : "");
    }
}

static void write_known(struct json *j, const char *key, bool known, int64_t value)
{
    json_key(j, key);
    if (known)
        json_i64(j, value);
    else
        json_null(j);
}

static void write_json(struct wf_kernel *k, const struct wf_mark *marks, size_t count, const char *config,
                       struct strbuf *out)
{
    const struct wf_kernel_facts *info = wf_kernel_info(k);
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"instructions", count},
                   {"registers", info->registers},
                   {"predicates", info->predicates},
                   {"shared_bytes", info->shared_bytes},
                   {"local_bytes", info->local_bytes},
                   {"stack_bytes", info->stack_bytes},
                   {"spill_loads", info->spill_loads},
                   {"spill_stores", info->spill_stores}};
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.mark/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "kernel", info->mangled_name);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        report_u64(&j, figures[i].key, figures[i].value);
    json_key(&j, "config");
    json_raw(&j, config);
    write_summary(&j, marks, count);
    json_key(&j, "listing");
    json_open_array(&j);
    for (size_t n = 0; n < count; n++) {
        const struct wf_mark *m = &marks[n];
        json_open_object(&j);
        report_u64(&j, "pc", m->pc);
        report_text(&j, "mark", m->mark);
        report_text(&j, "promoted", m->promoted);
        report_text(&j, "pattern", m->pattern);
        write_known(&j, "base", m->base_known, m->base);
        write_known(&j, "stride", m->stride_known, m->stride);
        json_key(&j, "grid");
        json_bool(&j, m->grid);
        if (m->promoted) report_u64(&j, "warp_classes", m->warp_classes);
        report_text(&j, "instruction", m->instruction);
        report_text(&j, "lines", m->lines);
        report_text(&j, "cause", m->cause);
        report_text(&j, "reason", m->reason);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
}

static enum wf_status list(const struct options *o, struct session *s)
{
    const char *block = options_value(o, OPTION_BLOCK);
    uint32_t shape[3];
    if (block && !shape_parse("--block", block, shape, loc_none(), s->diag)) return WF_BAD_INPUT;
    if (!command_claim(o, s->results)) return WF_BAD_INPUT;
    if (session_load(s, o->operands.data[0], loc_none()) != WF_OK) return WF_BAD_INPUT;
    struct wf_kernel *k = session_kernel(s, options_value(o, OPTION_KERNEL), loc_none());
    if (!k) return WF_BAD_INPUT;
    size_t count;
    const struct wf_mark *marks = wf_kernel_marks(k, block ? shape : NULL, &count);
    if (!marks) return WF_BAD_INPUT;
    struct strbuf text = {0};
    if (options_has(o, OPTION_JSON)) {
        write_json(k, marks, count, wf_config_json(s->context), &text);
        command_json(o, s->results, &text);
    } else {
        print_marks(wf_kernel_info(k), marks, count, block ? shape : NULL, file_takes_colour(STDOUT_FILENO),
                    &text);
        print_text(stdout, strbuf_text(&text));
    }
    strbuf_fini(&text);
    return results_write(s->results);
}

static bool check_usage(const struct options *o, struct diag *d)
{
    if (o->operands.count != 1)
        return diag_error(d, loc_none(), "mark takes a single file: PTX, CUDA C or a RISC-V program");
    return true;
}

int command_mark(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_MARK, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct session s;
    struct results r;
    diag_init(&d);
    results_init(&r, &d);
    session_init(&s, wf_context_create(), &d, &r);
    struct sources sources;
    sources_init(&sources, &o);
    s.sources = &sources;
    enum wf_status status = check_usage(&o, &d) ? command_settings(&o, s.context, &d) : WF_BAD_USAGE;
    if (status == WF_OK) status = list(&o, &s);
    exit_status = command_fail_both(s.context, &d, (int)status);
    wf_context_destroy(s.context);
    session_fini(&s);
    sources_fini(&sources);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
