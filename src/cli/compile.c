// `warpfold compile`: PTX from CUDA C, as the other commands make it of a .cu file.
#include "base/file.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/sources.h"

#include <string.h>

// k.ptx in the current folder, for dir/k.cu. Heap.
static char *default_path(const char *source)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    struct strbuf path = {0};
    strbuf_printf(&path, "%.*s.ptx", (int)(strlen(name) - strlen(".cu")), name);
    return path.text;
}

// Prints the kernels of the PTX and their parameters.
static void print_kernels(struct wf_module *m, const char *path)
{
    struct strbuf out = {0};
    const char *name;
    printable_format(&out, "%s:", path);
    for (size_t i = 0; (name = wf_kernel_name(m, i)) != NULL; i++) {
        struct wf_kernel *k = wf_kernel_find(m, name);
        const struct wf_kernel_facts *f = k ? wf_kernel_info(k) : NULL;
        printable_format(&out, "%s %s(", i ? "," : "", f ? f->name : name);
        for (uint32_t p = 0; f && p < f->param_count; p++) {
            bool is_structure = str_equal(f->params[p].type, "b8") && f->params[p].bytes > 1;
            strbuf_printf(&out, p ? ", " : "");
            if (is_structure)
                strbuf_printf(&out, "%u bytes", f->params[p].bytes);
            else
                strbuf_puts(&out, f->params[p].type);
        }
        strbuf_putc(&out, ')');
    }
    strbuf_puts(&out, "\n");
    print_text(stdout, strbuf_text(&out));
    strbuf_fini(&out);
}

static enum wf_status compile(const struct options *o, struct results *r, struct diag *d)
{
    const char *source = o->operands.data[0];
    char *own = options_has(o, OPTION_PTX_FILE) ? NULL : default_path(source);
    const char *path = own ? own : options_value(o, OPTION_PTX_FILE);
    struct sources all;
    sources_init(&all, o);
    bool good = results_claim_read(r, source, loc_none()) && results_claim(r, "--out", path, loc_none());
    const struct toolchain_ptx *ptx = good ? sources_ptx(&all, source, d) : NULL;
    enum wf_status status = WF_BAD_INPUT;
    if (ptx) {
        results_put(r, path, ptx->text, ptx->length);
        status = results_write(r);
    }
    struct wf_context *c = wf_context_create();
    struct wf_module *m = status == WF_OK && !options_has(o, OPTION_QUIET) && !str_equal(path, "-")
                              ? wf_module_load(c, path, ptx->text, ptx->length)
                              : NULL;
    if (m) print_kernels(m, path);
    command_fail_context(c, (int)status);
    wf_context_destroy(c);
    sources_fini(&all);
    free(own);
    return status;
}

int command_compile(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_COMPILE, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct results r;
    diag_init(&d);
    results_init(&r, &d);
    enum wf_status status = WF_BAD_USAGE;
    if (o.operands.count != 1 || !toolchain_is_cuda(o.operands.data[0]))
        diag_error(&d, loc_none(), "compile takes a file of CUDA C, FILE.cu");
    else
        status = compile(&o, &r, &d);
    print_flush(stdout);
    exit_status = command_fail(&d, (int)status);
    results_fini(&r);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
