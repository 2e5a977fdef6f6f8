// Host services: vprintf and __assertfail. Lanes print in ascending order, each its whole text.
//
// vprintf's buffer holds each argument at its natural alignment, promoted as in C: integers of 4 or 8 bytes
// by length modifier, floating point as double, pointers as 8 bytes. Every valid conversion is formatted by
// the host's snprintf with the given flags, and with width and precision up to a limit. Integers get the
// host's 64-bit length modifier. An invalid conversion is printed as is.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "isa/modes.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20, FIELD_MOST = 4096 };

struct reader {
    struct warp *w;
    unsigned lane;
    uint64_t address;     // generic, of the next argument
    uint64_t bad_address; // first address of a failed read
    unsigned bad_bytes;
};

static bool read_bytes(struct reader *r, uint64_t address, unsigned bytes, void *to)
{
    struct lane_access a;
    enum launch_fault_kind kind;
    if (exec_resolve(r->w, r->lane, SPACE_GENERIC, address, bytes, &a, &kind)) {
        exec_read(r->w, &a, bytes, to);
        return true;
    }
    r->bad_address = address;
    r->bad_bytes = bytes;
    return false;
}

static bool read_text(struct reader *r, uint64_t address, struct strbuf *out)
{
    for (char c; out->length < TEXT_MOST; address++) {
        if (!read_bytes(r, address, 1, &c)) return false;
        if (!c) break;
        strbuf_putc(out, c);
    }
    return true;
}

static bool next_argument(struct reader *r, unsigned bytes, uint64_t *value)
{
    r->address = align_up(r->address, bytes);
    *value = 0;
    bool good = read_bytes(r, r->address, bytes, value);
    r->address += bytes;
    return good;
}

struct conversion {     // parts of a conversion such as "%-*.3lld"
    struct strbuf spec; // flags, width and precision, from '%' on
    bool wide;
    char letter; // 0: end of the format string
};

// Writes a width or precision given as an argument (`*`) into the specification. False: memory is unreadable.
static bool star(struct reader *r, struct conversion *c)
{
    uint64_t value;
    if (!next_argument(r, 4, &value)) return false;
    int32_t n = (int32_t)value;
    if (n > FIELD_MOST) n = FIELD_MOST;
    if (n < -FIELD_MOST) n = -FIELD_MOST;
    bool precision = c->spec.length && c->spec.text[c->spec.length - 1] == '.';
    if (precision && n < 0)
        c->spec.text[--c->spec.length] = 0; // a negative precision counts as absent
    else
        strbuf_printf(&c->spec, "%" PRId32, n);
    return true;
}

static bool parse(struct reader *r, const char **at, struct conversion *c)
{
    const char *p = *at + 1;
    strbuf_putc(&c->spec, '%');
    unsigned digits = 0;
    for (; *p && strchr("-+ #0123456789.*", *p); p++) {
        digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
        if (*p == '*' ? !star(r, c) : false) return false;
        if (*p != '*' && digits < 5) strbuf_putc(&c->spec, *p); // a field of at most 9999
    }
    for (; *p && strchr("hlLjzt", *p); p++) c->wide = c->wide || strchr("lLjzt", *p);
    c->letter = *p;
    *at = *p ? p + 1 : p;
    return true;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool print_one(struct reader *r, struct conversion *c, struct strbuf *out)
{
    uint64_t value;
    if (strchr("diouxXc", c->letter)) {
        if (!next_argument(r, c->wide && c->letter != 'c' ? 8 : 4, &value)) return false;
        bool is_signed = c->letter == 'd' || c->letter == 'i';
        if (is_signed && !c->wide) value = (uint64_t)(int32_t)value;
        if (c->letter != 'c') strbuf_puts(&c->spec, "ll");
        strbuf_putc(&c->spec, c->letter);
        if (c->letter == 'c')
            strbuf_printf(out, c->spec.text, (int)(unsigned char)value);
        else
            strbuf_printf(out, c->spec.text, (unsigned long long)value);
        return true;
    }
    if (!next_argument(r, 8, &value)) return false;
    strbuf_putc(&c->spec, c->letter);
    if (c->letter == 's') {
        struct strbuf text = {0};
        bool good = value == 0 || read_text(r, value, &text);
        if (good) strbuf_printf(out, c->spec.text, value ? strbuf_text(&text) : "(null)");
        strbuf_fini(&text);
        return good;
    }
    if (c->letter == 'p')
        strbuf_printf(out, c->spec.text, (void *)(uintptr_t)value);
    else
        strbuf_printf(out, c->spec.text, f64_from_bits(value));
    return true;
}

// Formats one thread's printf. Returns the number of arguments, -1 when memory is unreadable.
static int format_text(struct reader *r, const char *format, struct strbuf *out)
{
    int arguments = 0;
    for (const char *p = format; *p;) {
        if (*p != '%') {
            strbuf_putc(out, *p++);
            continue;
        }
        const char *start = p;
        struct conversion c = {.wide = false};
        bool good = parse(r, &p, &c);
        if (good && c.letter == '%') {
            strbuf_putc(out, '%');
        } else if (good && c.letter && strchr("diouxXcspfFeEgGaA", c.letter)) {
            good = print_one(r, &c, out);
            arguments++;
        } else if (good) {
            strbuf_write(out, start, (size_t)(p - start)); // invalid conversion: printed verbatim
        }
        strbuf_fini(&c.spec);
        if (!good) return -1;
    }
    return arguments;
}

static uint64_t lane_pair(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned k,
                          unsigned lane)
{
    if (bound_inst(d, w)->src[k].kind == OPERAND_NONE) return 0;
    return (uint64_t)exec_lane_word(d, w, regs, k, 1, lane) << 32 | exec_lane_word(d, w, regs, k, 0, lane);
}

static void print(const struct warp *w, const struct strbuf *text)
{
    const struct launch *l = w->exec->launch;
    if (l->print && text->length) l->print(l->print_context, text->text, text->length);
}

static const struct bound *unreadable(struct warp *w, const struct bound *d, const struct reader *r)
{
    return exec_fault_address(w, d, FAULT_BOUNDS, r->lane, SPACE_GENERIC, r->bad_address, r->bad_bytes,
                              false);
}

static const struct bound *exec_vprintf(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    for (uint64_t left = active; left; left &= left - 1) {
        struct reader r = {.w = w, .lane = bit_lowest(left)};
        struct strbuf format = {0}, text = {0};
        r.address = lane_pair(d, w, regs, 1, r.lane);
        bool good = read_text(&r, lane_pair(d, w, regs, 0, r.lane), &format);
        int arguments = good ? format_text(&r, strbuf_text(&format), &text) : -1;
        if (arguments >= 0) print(w, &text);
        strbuf_fini(&format);
        strbuf_fini(&text);
        if (arguments < 0) return unreadable(w, d, &r);
        reg_lanes(regs, d->dst)[r.lane] = (uint32_t)arguments;
    }
    return d + 1;
}

// Text of a failed assertion. __assertfail's record: message, file (generic pointers at 0 and 8), line (u32
// at 16), function (pointer at 24), character size. False: memory is unreadable.
static bool assert_text(struct reader *r, uint64_t record, struct strbuf *out)
{
    uint64_t message, file, function;
    uint32_t line, thread[3];
    const uint32_t *block = r->w->cta->id;
    exec_thread_of(r->w, r->lane, thread);
    if (!read_bytes(r, record, 8, &message) || !read_bytes(r, record + 8, 8, &file) ||
        !read_bytes(r, record + 16, 4, &line) || !read_bytes(r, record + 24, 8, &function))
        return false;
    if (!read_text(r, file, out)) return false;
    strbuf_printf(out, ":%" PRIu32 ": ", line);
    if (!read_text(r, function, out)) return false;
    strbuf_printf(out, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", block[0], block[1], block[2],
                  thread[0], thread[1], thread[2]);
    if (!read_text(r, message, out)) return false;
    strbuf_puts(out, "` failed.\n");
    return true;
}

static const struct bound *exec_assertfail(const struct bound *d, struct warp *w, uint8_t *regs,
                                           uint64_t active)
{
    struct strbuf first = {0};
    for (uint64_t left = active; left; left &= left - 1) {
        struct reader r = {.w = w, .lane = bit_lowest(left)};
        struct strbuf text = {0};
        bool good = assert_text(&r, lane_pair(d, w, regs, 0, r.lane), &text);
        if (good) print(w, &text);
        if (good && !first.length) strbuf_write(&first, text.text, text.length - 1);
        strbuf_fini(&text);
        if (!good) {
            strbuf_fini(&first);
            return unreadable(w, d, &r);
        }
    }
    exec_fault(w, d, FAULT_ASSERT, bit_lowest(active), "%s", strbuf_text(&first));
    strbuf_fini(&first);
    return NULL;
}

const struct bound *exec_syscall(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    if (bound_inst(d, w)->mode == MODE_SYS_VPRINTF) return exec_vprintf(d, w, regs, active);
    return exec_assertfail(d, w, regs, active);
}
