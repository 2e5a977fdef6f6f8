// libFuzzer target: any bytes as PTX. No crash, hang or leak. Accepted text prints, and parses again to the
// same text; refused text gives an error.
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static void require(int condition)
{
    if (!condition) abort();
}

static struct ptx_module *parse(const char *text, size_t length, struct diag *d)
{
    diag_init(d);
    uint32_t source = diag_add_source(d, "fuzz.ptx", text, length);
    struct ptx_module *m = ptx_parse(text, length, source, d);
    struct strbuf messages = {0};
    diag_format(d, false, &messages);
    require(m ? d->errors == 0 : d->errors > 0 && messages.length > 0);
    strbuf_fini(&messages);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d, again;
    struct strbuf first = {0}, second = {0};
    struct ptx_module *m = parse((const char *)data, size, &d);
    if (m) {
        ptx_print_module(m, &first);
        struct ptx_module *copy = parse(first.text, first.length, &again);
        require(copy != NULL);
        ptx_print_module(copy, &second);
        require(strcmp(first.text, second.text) == 0);
        for (uint32_t f = 0; f < m->function_count; f++)
            if (m->functions[f]->is_entry)
                require(ptx_find_entry(m, m->functions[f]->name, &d) == m->functions[f]);
        ptx_module_free(copy);
        diag_fini(&again);
    }
    ptx_module_free(m);
    diag_fini(&d);
    strbuf_fini(&first);
    strbuf_fini(&second);
    return 0;
}
