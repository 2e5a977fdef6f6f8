#include "study/tables.h"
#include "base/str.h"

const struct wf_table *tables_find(const struct wf_study_results *r, const char *name)
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

static const char head[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
                           ".reg .u32 %tx, %ty, %n, %t, %sum, %i, %a<9>;\n.reg .u64 %in, %out, %d, %mine;\n"
                           ".reg .pred %p;\n.shared .align 4 .u32 tile[128];\n"
                           "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u32 %n, [n];\n"
                           "mov.u32 %tx, %tid.x;\nmov.u32 %ty, %tid.y;\nmad.lo.u32 %t, %ty, 8, %tx;\n"
                           "mul.wide.u32 %d, %t, 4;\nadd.u64 %mine, %out, %d;\nmov.u32 %sum, %t;\n\n\n\n";
static const char tail[] = "st.global.u32 [%mine], %sum;\nret;\n}\n";

struct wf_study *tables_watch(struct test *t, const char *study, const char *body, const uint32_t block[3])
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    struct wf_study *s = wf_study_create(study);
    struct wf_launch_config shape = {.grid = {2, 1, 1}, .block = {block[0], block[1], block[2]}};
    struct wf_stats stats;
    strbuf_printf(&text, "%s%s%s", head, body, tail);
    struct wf_module *m = wf_module_load(c, "kernel.ptx", strbuf_text(&text), text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    wf_set_study(c, s);
    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {wf_alloc(c, 4096), wf_alloc(c, 4096), 7};
    bool ran = k && wf_launch_packed(k, &shape, &params, 20, &stats) == WF_OK;
    CHECK_MSG(t, ran, "%s", wf_errors(c));
    wf_context_destroy(c);
    strbuf_fini(&text);
    return s;
}
