#include "compile/lower/lowered.h"
#include "base/file.h"
#include "compile/compile.h"

#include <string.h>

static const char header[] = ".version 8.8\n.target sm_90\n.address_size 64\n";

static void parse(struct lowered *l, const char *name, const char *text, size_t length, unsigned optimise)
{
    *l = (struct lowered){0};
    diag_init(&l->diag);
    compile_options_default(&l->options);
    l->options.optimise = optimise;
    uint32_t source = diag_add_source(&l->diag, name, text, length);
    l->module = ptx_parse(text, length, source, &l->diag);
}

static void select_kernel(struct lowered *l, const char *name)
{
    for (uint32_t k = 0; l->module && k < l->module->function_count; k++) {
        const struct ptx_function *f = l->module->functions[k];
        if (!f->is_entry || (name && !str_equal(f->name, name))) continue;
        lowered_kernel(l, f);
        return;
    }
}

void lowered_open(struct lowered *l, const char *ptx, const char *kernel, unsigned optimise)
{
    struct strbuf text = {0};
    if (!str_starts_with(ptx, ".version")) strbuf_puts(&text, header);
    strbuf_puts(&text, ptx);
    parse(l, "test.ptx", strbuf_text(&text), text.length, optimise);
    strbuf_fini(&text);
    select_kernel(l, kernel);
}

void lowered_open_file(struct lowered *l, const char *path, const char *kernel, unsigned optimise)
{
    const char *why;
    char *text = NULL;
    size_t length = 0;
    bool read = file_read(path, &text, &length, &why);
    parse(l, path, read ? text : "", read ? length : 0, optimise);
    free(text);
    select_kernel(l, kernel);
}

void lowered_kernel(struct lowered *l, const struct ptx_function *kernel)
{
    if (l->unit) ir_unit_destroy(l->unit);
    l->unit = lower_kernel(l->module, kernel, &l->options, &l->diag);
}

void lowered_close(struct lowered *l)
{
    if (l->unit) ir_unit_destroy(l->unit);
    if (l->module) ptx_module_free(l->module);
    diag_fini(&l->diag);
}

const char *lowered_fault(const struct lowered *l)
{
    const char *wrong = l->unit ? NULL : "there is no unit";
    for (size_t k = 0; l->unit && k < l->unit->functions.count && !wrong; k++)
        wrong = ir_verify(l->unit->functions.data[k]);
    return wrong;
}

void lowered_messages(const struct lowered *l, struct strbuf *out) { diag_format(&l->diag, false, out); }

void lowered_print_all(struct lowered *l, struct strbuf *out)
{
    for (uint32_t k = 0; l->module && k < l->module->function_count; k++) {
        if (!l->module->functions[k]->is_entry) continue;
        lowered_kernel(l, l->module->functions[k]);
        const char *wrong = lowered_fault(l);
        if (wrong) strbuf_printf(out, "UNSOUND: %s\n", wrong);
        for (size_t n = 0; l->unit && n < l->unit->functions.count; n++)
            ir_print(l->unit->functions.data[n], out);
    }
    if (l->diag.messages.count) lowered_messages(l, out);
}
