#include "cli/sources.h"

#include <stdlib.h>
#include <string.h>

void sources_init(struct sources *s, const struct options *o) { *s = (struct sources){.options = o}; }

void sources_fini(struct sources *s)
{
    for (size_t i = 0; i < s->list.count; i++) {
        free(s->list.data[i].path);
        toolchain_ptx_fini(&s->list.data[i].ptx);
    }
    vec_fini(&s->list);
}

// Notes the compiler, and passes on its warnings.
static void tell(const struct sources *s, const char *path, const struct toolchain_ptx *ptx, struct diag *d)
{
    if (s->options && options_has(s->options, OPTION_QUIET)) return;
    diag_note(d, loc_none(), "%s: compiled to PTX of sm_80 by %s", path, ptx->compiler);
    if (*ptx->said) diag_text(d, DIAG_NOTE, loc_none(), ptx->said);
}

const struct toolchain_ptx *sources_ptx(struct sources *s, const char *path, struct diag *d)
{
    const struct options *o = s->options;
    for (size_t i = 0; i < s->list.count; i++)
        if (str_equal(s->list.data[i].path, path)) return &s->list.data[i].ptx;
    struct toolchain_order order = {.path = path};
    if (o) {
        order.kernel = options_value(o, OPTION_KERNEL);
        order.options = toolchain_words(options_value(o, OPTION_CC), &order.nvcc);
    }
    struct toolchain_ptx ptx;
    if (!toolchain_compile(&order, &ptx, d)) return NULL;
    vec_push(&s->list, (struct source){heap_strdup(path), ptx});
    tell(s, path, &vec_last(&s->list).ptx, d);
    return &vec_last(&s->list).ptx;
}
