// Implements compiled.h. The frame around a body uses volatile accesses and constants absent from bodies,
// so the body can be cut out of the compiled code.
#include "compile/compiled.h"
#include "isa/bank.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/space.h"

#include "base/str.h"
#include "base/vec.h"
#include "ptx/ptx.h"

#include <ctype.h>
#include <string.h>

struct program *compiled_text(struct test *t, const char *ptx, const struct compile_options *o)
{
    static const char header[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
    struct diag d;
    struct strbuf text = {0}, messages = {0};
    struct program *p = NULL;
    diag_init(&d);
    if (!str_starts_with(ptx, ".version")) strbuf_puts(&text, header);
    strbuf_puts(&text, ptx);
    struct ptx_module *m =
        ptx_parse(text.text, text.length, diag_add_source(&d, "test.ptx", text.text, text.length), &d);
    for (uint32_t k = 0; m && k < m->function_count && !p; k++)
        if (m->functions[k]->is_entry) p = compile_kernel(m, m->functions[k], o, &d);
    diag_format(&d, false, &messages);
    CHECK_MSG(t, p != NULL, "%s\n%s", strbuf_text(&messages), strbuf_text(&text));
    strbuf_fini(&text);
    strbuf_fini(&messages);
    if (m) ptx_module_free(m);
    diag_fini(&d);
    return p;
}

static bool writes(const char *body, const char *reg)
{
    size_t length = strlen(reg);
    for (const char *at = body; (at = strstr(at, reg)); at += length)
        if (!isalnum((unsigned char)at[length])) return true;
    return false;
}

char *compiled_body_text(const char *body)
{
    struct strbuf b = {0};
    strbuf_puts(
        &b,
        ".shared .align 16 .b8 tile[1024];\n"
        ".visible .entry k(.param .u64 in, .param .u32 n, .param .u32 x, .param .u64 big)\n{\n"
        ".reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<40>; .reg .f64 %fd<40>; .reg .pred %p<20>;\n"
        ".reg .b32 %n, %x; .reg .b64 %in, %big; .reg .b16 %h<10>;\n"
        "ld.param.u64 %in, [in]; ld.param.u32 %n, [n]; ld.param.u32 %x, [x]; ld.param.u64 %big, [big];\n");
    for (int k = 1; k <= 4; k++)
        strbuf_printf(&b, "ld.volatile.global.u32 %%r%d, [%%in+%d]; mov.b32 %%f%d, %%r%d;\n", k, 4 * k, k, k);
    for (int k = 1; k <= 3; k++)
        strbuf_printf(&b, "ld.volatile.global.u64 %%rd%d, [%%in+%d]; mov.b64 %%fd%d, %%rd%d;\n", k,
                      64 + 8 * k, k, k);
    strbuf_puts(&b, "setp.ne.u32 %p1, %r1, 17; setp.ne.u32 %p2, %r2, 17;\n");
    strbuf_puts(&b, "@%p1 st.volatile.global.u32 [%in+28], 0; @%p2 st.volatile.global.u32 [%in+32], 0;\n");
    strbuf_printf(&b, "%s\n", body);
    if (writes(body, "%r9")) strbuf_puts(&b, "st.volatile.global.u32 [%in], %r9;\n");
    if (writes(body, "%f9")) strbuf_puts(&b, "st.volatile.global.f32 [%in+4], %f9;\n");
    if (writes(body, "%rd9")) strbuf_puts(&b, "st.volatile.global.u64 [%in+8], %rd9;\n");
    if (writes(body, "%fd9")) strbuf_puts(&b, "st.volatile.global.f64 [%in+16], %fd9;\n");
    if (writes(body, "%p5")) strbuf_puts(&b, "@%p5 st.volatile.global.u32 [%in+24], %r1;\n");
    strbuf_puts(&b, "ret;\n}\n");
    return b.text;
}

static bool is_frame(const struct inst *i)
{
    if ((i->op == OP_LDG || i->op == OP_STG) && i->sem == SEM_VOLATILE) return true;
    if (i->op == OP_MOV && i->src[0].kind == OPERAND_CONST) return i->src[0].value - BANK_LAUNCH_PARAMS < 8;
    return i->op == OP_EXIT || (i->op == OP_ISETP && i->src[1].kind == OPERAND_IMM && i->src[1].value == 17);
}

// Copies text without the numbers behind R and P; numbers of hexadecimal constants stay.
static void add_without_numbers(const char *text, struct strbuf *out)
{
    for (const char *c = text; *c; c++) {
        bool starts = c == text || !isalnum((unsigned char)c[-1]);
        strbuf_putc(out, *c);
        if (!starts || (*c != 'R' && *c != 'P') || !isdigit((unsigned char)c[1])) continue;
        while (isdigit((unsigned char)c[1])) c++;
    }
}

char *compiled_skeleton(const struct program *p)
{
    struct strbuf out = {0};
    strbuf_puts(&out, "");
    for (uint32_t k = 0; k < p->inst_count; k++) {
        struct strbuf text = {0};
        if (is_frame(&p->insts[k])) continue;
        program_print_inst(p, k, &text);
        if (out.length) strbuf_puts(&out, "; ");
        add_without_numbers(strbuf_text(&text), &out);
        strbuf_fini(&text);
    }
    return out.text;
}
