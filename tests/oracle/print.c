// vprintf: formats the kernel's text from its argument buffer (every argument at natural alignment).
#include "oracle/oracle_impl.h"

#include <string.h>

struct arguments {
    struct oracle_thread *t;
    uint64_t address;
};

static uint64_t next(struct arguments *a, unsigned bytes)
{
    uint64_t v = 0;
    a->address = align_up(a->address, bytes);
    const uint8_t *from = oracle_host(a->t, PTX_SPACE_GENERIC, a->address, bytes, ACCESS_READ);
    if (from) memcpy(&v, from, bytes);
    a->address += bytes;
    return v;
}

static bool read_text(struct oracle_thread *t, uint64_t address, struct strbuf *out)
{
    for (;; address++) {
        const uint8_t *c = oracle_host(t, PTX_SPACE_GENERIC, address, 1, ACCESS_READ);
        if (!c) return false;
        if (!*c) return true;
        strbuf_putc(out, (char)*c);
    }
}

static void print_one(struct arguments *a, const char *spec, char conversion, bool is_long,
                      struct strbuf *out)
{
    if (strchr("eEfFgGaA", conversion)) {
        strbuf_printf(out, spec, f64_from_bits(next(a, 8)));
    } else if (conversion == 's') {
        struct strbuf text = {0};
        if (read_text(a->t, next(a, 8), &text)) strbuf_printf(out, spec, strbuf_text(&text));
        strbuf_fini(&text);
    } else if (conversion == 'p') {
        strbuf_printf(out, spec, (void *)(uintptr_t)next(a, 8)); // NOLINT
    } else if (is_long) {
        strbuf_printf(out, spec, next(a, 8));
    } else {
        strbuf_printf(out, spec, (uint32_t)next(a, 4));
    }
}

enum oracle_step oracle_vprintf(struct oracle_thread *t, uint64_t format, uint64_t arguments)
{
    struct strbuf text = {0}, out = {0};
    struct arguments a = {t, arguments};
    read_text(t, format, &text);
    for (const char *p = strbuf_text(&text); *p; p++) {
        if (*p != '%') {
            strbuf_putc(&out, *p);
            continue;
        }
        struct strbuf spec = {0};
        bool is_long = false;
        do {
            is_long |= *p == 'l';
            strbuf_putc(&spec, *p++);
        } while (*p && strchr("0123456789+-# .lhz", *p));
        if (*p) strbuf_putc(&spec, *p);
        if (*p == '%')
            strbuf_putc(&out, '%');
        else if (*p)
            print_one(&a, strbuf_text(&spec), *p, is_long, &out);
        strbuf_fini(&spec);
        if (!*p) break;
    }
    const struct oracle_launch *l = t->block->l;
    if (l->print) l->print(l->print_context, strbuf_text(&out), out.length);
    strbuf_fini(&text);
    strbuf_fini(&out);
    return t->block->failed ? STEP_FAULT : STEP_NEXT;
}
