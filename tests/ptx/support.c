// Parsing for tests, and running over folders.
#include "support.h"

#include <string.h>

struct ptx_module *support_parse(const char *name, const char *text, size_t length, struct strbuf *messages)
{
    struct diag d;
    diag_init(&d);
    uint32_t source = diag_add_source(&d, name, text, length);
    struct ptx_module *m = ptx_parse(text, length, source, &d);
    diag_format(&d, false, messages);
    diag_fini(&d);
    return m;
}

struct ptx_module *support_module(struct test *t, const char *text)
{
    struct strbuf messages = {0};
    struct ptx_module *m = support_parse("test.ptx", text, strlen(text), &messages);
    CHECK_MSG(t, m != NULL, "%s", strbuf_text(&messages));
    strbuf_fini(&messages);
    return m;
}

struct ptx_module *support_body(struct test *t, const char *statements)
{
    struct strbuf text = {0};
    strbuf_printf(
        &text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 16 .b8 g[64];\n"
        ".const .align 16 .b8 c[64];\n.global .texref tx;\n"
        ".visible .entry kernel(.param .u64 pointer, .param .u32 count)\n{\n"
        ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;\n"
        ".reg .f64 %%d<9>; .reg .b128 %%q<9>; .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n"
        "%s\n}\n",
        statements);
    struct ptx_module *m = support_module(t, strbuf_text(&text));
    strbuf_fini(&text);
    return m;
}

struct ptx_function *support_kernel(const struct ptx_module *m)
{
    return m->functions[m->function_count - 1];
}
