// Source lines of RISC-V code: handmade line number programs of DWARF 2 to 5, and compiled sources
// with known lines. Fails on a wrong line, or where a truncated, inconsistent or endless section is
// read out of bounds or never ends.
#include "api/impl.h"
#include "base/rng.h"
#include "harness/files.h"
#include "harness/test.h"
#include "riscv/dwarf.h"
#include "riscv/elf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE = 0x08000400, WORDS = 8 };

// -- a section, byte by byte --------------------------------------------------------------------------------
static void u8(struct strbuf *s, unsigned x) { strbuf_putc(s, (char)x); }
static void fixed(struct strbuf *s, uint64_t x, unsigned bytes)
{
    for (unsigned k = 0; k < bytes; k++) u8(s, (unsigned)(x >> 8 * k & 255));
}
static void text(struct strbuf *s, const char *string) { strbuf_write(s, string, strlen(string) + 1); }

static void set_address(struct strbuf *s, uint32_t address)
{
    u8(s, 0);
    u8(s, 5);
    u8(s, 2);
    fixed(s, address, 4);
}
static void end_sequence(struct strbuf *s)
{
    u8(s, 0);
    u8(s, 1);
    u8(s, 1);
}

// A special opcode for a row `bytes` and `lines` on; opcode_base 10, line_base -3, line_range 12.
static void special(struct strbuf *s, unsigned bytes, int lines)
{
    u8(s, 10 + bytes * 12 + (unsigned)(lines + 3));
}

struct shape {
    unsigned version, offset_bytes;
};

static void put_lists(struct strbuf *h, const struct shape *v)
{
    if (v->version < 5) {
        text(h, "src");
        text(h, "");
        text(h, "a.c");
        u8(h, 1); // directory, time, length
        u8(h, 0);
        u8(h, 0);
        text(h, "b.h");
        u8(h, 0);
        u8(h, 0);
        u8(h, 0);
        text(h, "");
        return;
    }
    u8(h, 1); // directories: a path in .debug_line_str
    u8(h, 1);
    u8(h, 0x1f);
    u8(h, 2);
    fixed(h, 0, v->offset_bytes); // "."
    fixed(h, 2, v->offset_bytes); // "src"
    u8(h, 3);                     // files: a path in place, a directory, a checksum of 16 bytes
    u8(h, 1);
    u8(h, 0x08);
    u8(h, 2);
    u8(h, 0x0b);
    u8(h, 5);
    u8(h, 0x1e);
    u8(h, 3);
    for (unsigned k = 0; k < 3; k++) {
        text(h, k < 2 ? "a.c" : "b.h");
        u8(h, k < 2 ? 1 : 0);
        fixed(h, 0, 8);
        fixed(h, 0, 8);
    }
}

static void put_unit(struct strbuf *out, const struct shape *v, const struct strbuf *program)
{
    static const unsigned operands[9] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    struct strbuf head = {0}, all = {0};
    u8(&head, 1); // least length of an instruction
    if (v->version >= 4) u8(&head, 1);
    u8(&head, 1);
    u8(&head, 256 - 3);
    u8(&head, 12);
    u8(&head, 10);
    for (unsigned k = 0; k < 9; k++) u8(&head, operands[k]);
    put_lists(&head, v);
    fixed(&all, v->version, 2);
    if (v->version == 5) {
        u8(&all, 4);
        u8(&all, 0);
    }
    fixed(&all, head.length, v->offset_bytes);
    strbuf_write(&all, head.text, head.length);
    strbuf_write(&all, program->text, program->length);
    if (v->offset_bytes == 8) fixed(out, 0xffffffff, 4);
    fixed(out, all.length, v->offset_bytes);
    strbuf_write(out, all.text, all.length);
    strbuf_fini(&head);
    strbuf_fini(&all);
}

// -- results ------------------------------------------------------------------------------------------------
static void read_section(struct image *i, const struct strbuf *lines)
{
    static const char line_strings[] = ".\0src";
    struct dwarf d = {.lines = {(const uint8_t *)lines->text, lines->length},
                      .line_strings = {(const uint8_t *)line_strings, sizeof line_strings}};
    *i = (struct image){.code = CODE, .word_count = WORDS};
    arena_init(&i->arena);
    dwarf_read(i, &d);
}

// "src/a.c:3 - b.h:10 …", a word each.
static void describe(const struct image *i, struct strbuf *out)
{
    for (uint32_t k = 0; k < i->word_count; k++) {
        uint32_t at = i->line_count ? i->line_of[k] : 0;
        if (k) strbuf_putc(out, ' ');
        if (at)
            strbuf_printf(out, "%s:%u", i->files[i->lines[at].file], i->lines[at].line);
        else
            strbuf_putc(out, '-');
    }
}

static void check(struct test *t, const struct strbuf *section, const char *want)
{
    struct image i;
    struct strbuf got = {0};
    read_section(&i, section);
    describe(&i, &got);
    CHECK_STR(t, strbuf_text(&got), want);
    strbuf_fini(&got);
    arena_fini(&i.arena);
}

static void put_program(struct strbuf *p)
{
    set_address(p, CODE);
    special(p, 0, 2); // line 3
    special(p, 8, -1);
    u8(p, 4); // file 2, line 2 + 8
    u8(p, 2);
    u8(p, 3);
    u8(p, 8);
    u8(p, 2); // 4 bytes on
    u8(p, 4);
    u8(p, 1); // a row
    u8(p, 8); // advances like the special opcode 255: (255 - 10) / 12 = 20 bytes, past the words
    u8(p, 9); // an advance backwards is an advance modulo 2^32, so 4 on
    fixed(p, 4, 2);
    end_sequence(p);
}

static void test_versions(struct test *t)
{
    static const struct shape shapes[] = {{2, 4}, {3, 4}, {4, 4}, {5, 4}, {3, 8}, {5, 8}};
    for (unsigned k = 0; k < TEST_COUNT(shapes); k++) {
        struct strbuf program = {0}, section = {0};
        put_program(&program);
        put_unit(&section, &shapes[k], &program);
        check(t, &section, "src/a.c:3 src/a.c:3 src/a.c:2 b.h:10 b.h:10 b.h:10 b.h:10 b.h:10");
        strbuf_fini(&program);
        strbuf_fini(&section);
    }
}

// Words of line 0 have no line, lines of other addresses are ignored, and a later unit adds lines.
static void test_gaps(struct test *t)
{
    static const struct shape shape = {4, 4};
    struct strbuf program = {0}, section = {0};
    set_address(&program, 0); // left out by the linker
    special(&program, 0, 5);
    special(&program, 8, 1);
    end_sequence(&program);
    set_address(&program, CODE + 4);
    special(&program, 0, 0);
    special(&program, 4, -1); // line 0
    special(&program, 4, 6);
    u8(&program, 2);
    u8(&program, 4);
    end_sequence(&program);
    put_unit(&section, &shape, &program);
    check(t, &section, "- src/a.c:1 - src/a.c:6 - - - -");
    strbuf_clear(&program);
    set_address(&program, CODE + 24);
    special(&program, 0, 7);
    u8(&program, 2);
    u8(&program, 4);
    end_sequence(&program);
    put_unit(&section, &shape, &program);
    check(t, &section, "- src/a.c:1 - src/a.c:6 - - src/a.c:8 -");
    strbuf_fini(&program);
    strbuf_fini(&section);
}

// -- bad input ----------------------------------------------------------------------------------------------
// A truncated section gives no lines and no error.
static void test_cut(struct test *t)
{
    static const struct shape shapes[] = {{4, 4}, {5, 4}, {5, 8}};
    for (unsigned k = 0; k < TEST_COUNT(shapes); k++) {
        struct strbuf program = {0}, section = {0};
        put_program(&program);
        put_unit(&section, &shapes[k], &program);
        for (size_t n = 0; n < section.length; n++) {
            struct strbuf part = {0};
            strbuf_write(&part, section.text, n);
            check(t, &part, "- - - - - - - -"); // the unit is longer than the section
            strbuf_fini(&part);
        }
        strbuf_fini(&program);
        strbuf_fini(&section);
    }
}

// Random bytes in a section: no read past its end (make asan), and every line number in range.
static void test_garbage(struct test *t)
{
    static const struct shape shapes[] = {{4, 4}, {5, 4}, {5, 8}};
    struct rng r;
    rng_init(&r, 5);
    for (unsigned n = 0; n < 30000; n++) {
        struct strbuf program = {0}, section = {0};
        struct image i;
        put_program(&program);
        put_unit(&section, &shapes[n % TEST_COUNT(shapes)], &program);
        for (unsigned k = 0; k <= rng_below(&r, 3); k++)
            section.text[rng_below(&r, (uint32_t)section.length)] = (char)rng_below(&r, 256);
        read_section(&i, &section);
        for (uint32_t k = 0; k < WORDS && i.line_count; k++) CHECK(t, i.line_of[k] < i.line_count);
        for (uint32_t k = 1; k < i.line_count; k++) CHECK(t, i.lines[k].file < i.file_count);
        arena_fini(&i.arena);
        strbuf_fini(&program);
        strbuf_fini(&section);
    }
}

// Sequences covering the same code again and again end within a second.
static void test_endless(struct test *t)
{
    static const struct shape shape = {4, 4};
    struct strbuf program = {0}, section = {0};
    for (unsigned k = 0; k < 100000; k++) {
        set_address(&program, CODE);
        special(&program, 0, 1);
        u8(&program, 8);
        u8(&program, 8);
        end_sequence(&program);
    }
    put_unit(&section, &shape, &program);
    struct test_time start = test_now();
    check(t, &section, "src/a.c:2 src/a.c:2 src/a.c:2 src/a.c:2 src/a.c:2 src/a.c:2 src/a.c:2 src/a.c:2");
    CHECK(t, test_is_within(test_since(start), 1));
    strbuf_fini(&program);
    strbuf_fini(&section);
}

// -- compilers ----------------------------------------------------------------------------------------------
static bool runs(const char *command) { return system(command) == 0; }

// Lines of an assembly source, by the assembler.
static void test_compiler(struct test *t)
{
    static const char source[] = "    .globl _start\n    .type _start, @function\n_start:\n    li a0, 1\n"
                                 "    nop\n\n    li a1, 2\n    ret\n    .size _start, .-_start\n";
    char folder[] = "/tmp/warpfold-dwarf-XXXXXX";
    if (!runs("clang --print-targets 2>/dev/null | grep -q riscv32 && command -v ld.lld >/dev/null")) {
        test_skip(t, "needs clang for riscv32, and lld");
        return;
    }
    if (!mkdtemp(folder)) {
        test_fail(t, __FILE__, __LINE__, "no folder in /tmp");
        return;
    }
    struct strbuf path = {0}, command = {0};
    strbuf_printf(&path, "%s/lines.s", folder);
    test_write_text(t, strbuf_text(&path), source);
    for (unsigned version = 2; version <= 5; version++) {
        strbuf_clear(&command);
        strbuf_printf(
            &command,
            "cd %s && clang --target=riscv32-unknown-elf -march=rv32ima -mabi=ilp32 -mno-relax -gdwarf-%u "
            "-nostdlib -fuse-ld=lld -Wl,-Ttext=0x08000400 -Wl,-n -o lines.elf lines.s >/dev/null 2>&1",
            folder, version);
        CHECK_MSG(t, runs(strbuf_text(&command)), "%s", strbuf_text(&command));
        strbuf_clear(&command);
        strbuf_printf(&command, "%s/lines.elf", folder);
        struct wf_context *c = wf_context_create();
        struct wf_module *m = wf_module_load_file(c, strbuf_text(&command));
        CHECK_MSG(t, m != NULL, "%s", wf_errors(c));
        struct wf_kernel *k = m ? wf_kernel_find(m, "_start") : NULL;
        size_t count = 0;
        const struct wf_mark *marks = k ? wf_kernel_marks(k, NULL, &count) : NULL;
        static const char *const want[] = {"lines.s:4", "lines.s:5", "lines.s:7", "lines.s:8"};
        CHECK_EQ(t, count, TEST_COUNT(want));
        for (size_t n = 0; n < count && n < TEST_COUNT(want); n++) CHECK_STR(t, marks[n].lines, want[n]);
        wf_context_destroy(c);
    }
    strbuf_clear(&command);
    strbuf_printf(&command, "rm -r %s", folder);
    CHECK(t, runs(strbuf_text(&command)));
    strbuf_fini(&path);
    strbuf_fini(&command);
}

// A bundled program: the kernel's only addition.
static void test_bundled(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct wf_module *m = wf_module_load_file(c, "kernels/riscv/elf/VecAdd.elf");
    struct wf_kernel *k = m ? wf_kernel_find(m, "vecadd") : NULL;
    CHECK_MSG(t, k != NULL, "%s", wf_errors(c));
    const char *listing = k ? wf_kernel_listing(k) : "";
    unsigned loads = 0;
    for (const char *at = listing; (at = strstr(at, "VecAdd.c:6\n")); at++) loads++;
    CHECK(t, loads >= 9); // the loop: two loads, an addition, a store, four more additions, a branch
    CHECK_HAS(t, listing, "start.S:8");
    CHECK_HAS(t, listing, "simt.h:");
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"versions", test_versions}, {"gaps", test_gaps},       {"cut off", test_cut},
        {"garbage", test_garbage},   {"endless", test_endless}, {"compiler", test_compiler},
        {"bundled", test_bundled},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
