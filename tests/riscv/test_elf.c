// ELF files. Fails where a valid file gives no image, an invalid file more or less than one line
// of error, or any bytes a crash.
#include "base/rng.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "riscv/bench.h"
#include "riscv/build.h"
#include "riscv/elf.h"

#include <stdlib.h>
#include <string.h>

// Offsets of the fields changed by tests, in maker.c's layout.
enum {
    CLASS = 4,
    DATA = 5,
    TYPE = 16,
    MACHINE = 18,
    ENTRY = 24,
    PHOFF = 28,
    FLAGS = 36,
    PHNUM = 44,
    FIRST = 52,
    SECOND = 84
};
enum { P_TYPE = 0, P_OFFSET = 4, P_ADDRESS = 8, P_FILE = 16, P_MEMORY = 20, P_FLAGS = 24 };

// A program with a kernel, a function, data and names.
static void make(struct strbuf *file)
{
    struct maker m = {0};
    maker_function(&m, "_start");
    maker_put(&m, jal(RA, 8));
    maker_put(&m, RET);
    maker_function(&m, "work");
    maker_put(&m, addi(A0, X0, 1));
    maker_put(&m, beq(A0, X0, 8));
    maker_put(&m, lw(A0, A0, -4));
    maker_put(&m, RET);
    maker_word(&m, 0x11223344);
    maker_word(&m, 5);
    m.data_bytes = 64;
    vec_push(&m.symbols, (struct maker_symbol){"table", MAKER_DATA, 8});
    maker_elf(&m, file);
    maker_fini(&m);
}

static void set(struct strbuf *file, size_t at, unsigned bytes, uint32_t value)
{
    for (unsigned k = 0; k < bytes; k++) file->text[at + k] = (char)(value >> 8 * k);
}
static uint32_t get(const struct strbuf *file, size_t at)
{
    uint32_t x;
    memcpy(&x, file->text + at, 4);
    return x;
}

static struct image *load(const struct strbuf *file, struct strbuf *errors)
{
    struct diag d;
    diag_init(&d);
    struct image *i = elf_load(file->text, file->length, diag_add_source(&d, "test.elf", "", 0), &d);
    strbuf_clear(errors);
    diag_format(&d, false, errors);
    diag_fini(&d);
    return i;
}

static void test_image(struct test *t)
{
    struct strbuf file = {0}, errors = {0};
    make(&file);
    struct image *i = load(&file, &errors);
    CHECK_STR(t, strbuf_text(&errors), "");
    if (i) {
        CHECK_EQ(t, i->entry, MAKER_CODE);
        CHECK_EQ(t, i->code, MAKER_CODE);
        CHECK_EQ(t, i->word_count, 6);
        CHECK_EQ(t, i->data_count, 1);
        CHECK_EQ(t, i->data[0].address, MAKER_DATA);
        CHECK_EQ(t, i->data[0].size_bytes, 64);
        CHECK_EQ(t, i->data[0].given_bytes, 8);
        CHECK_EQ(t, i->data[0].bytes[0], 0x44);
        CHECK_EQ(t, i->symbol_count, 3);
        CHECK_STR(t, image_symbol_at(i, MAKER_CODE + 12, true)->name, "work");
        CHECK_STR(t, image_symbol_at(i, MAKER_DATA + 4, false)->name, "table");
        CHECK(t, image_find(i, "work") && image_find(i, "work")->size_bytes == 16);
        CHECK(t, !image_find(i, "elsewhere"));
    }
    image_free(i);
    strbuf_fini(&file);
    strbuf_fini(&errors);
}

// Layouts of GNU ld and of lld (a first segment of headers alone). The section holds the code, or without
// sections the executable segment.
static void test_layouts(struct test *t)
{
    static const struct {
        enum maker_layout layout;
        bool has_no_sections;
        uint32_t code;
    } cases[] = {{LAYOUT_NO_HEADERS, true, MAKER_CODE},
                 {LAYOUT_IN_CODE, false, MAKER_CODE},
                 {LAYOUT_IN_CODE, true, MAKER_CODE & ~0xfffu},
                 {LAYOUT_READ_ONLY, false, MAKER_CODE},
                 {LAYOUT_READ_ONLY, true, MAKER_CODE}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct maker m = {.layout = cases[k].layout, .has_no_sections = cases[k].has_no_sections};
        struct strbuf file = {0}, errors = {0};
        maker_put(&m, RET);
        maker_word(&m, 7);
        maker_elf(&m, &file);
        struct image *i = load(&file, &errors);
        CHECK_STR(t, strbuf_text(&errors), "");
        if (i) {
            CHECK_EQ(t, i->code, cases[k].code);
            CHECK_EQ(t, i->words[(MAKER_CODE - i->code) / 4], RET);
            CHECK_EQ(t, i->data_count, 1);
        }
        image_free(i);
        maker_fini(&m);
        strbuf_fini(&file);
        strbuf_fini(&errors);
    }
}

static void refuse(struct test *t, const struct strbuf *file, const char *want)
{
    struct strbuf errors = {0}, line = {0};
    struct image *i = load(file, &errors);
    CHECK_MSG(t, !i, "accepted, instead of: %s", want);
    strbuf_printf(&line, "test.elf: error: %s\n", want);
    CHECK_STR(t, strbuf_text(&errors), strbuf_text(&line));
    image_free(i);
    strbuf_fini(&errors);
    strbuf_fini(&line);
}

static const struct refusal {
    size_t at;
    unsigned bytes;
    uint32_t value;
    const char *want;
} refusals[] = {
    {0, 1, 'x', "is not an ELF file"},
    {CLASS, 1, 2, "is an ELF file of 64 bits; a RISC-V program must have 32 (-march=rv32ima -mabi=ilp32)"},
    {DATA, 1, 2, "is a big-endian ELF file; RISC-V is little-endian"},
    {MACHINE, 2, 62, "is an ELF file for machine 62, not for RISC-V (243)"},
    {TYPE, 2, 1, "is an ELF file of type 1, not an executable (2): link the program statically"},
    {TYPE, 2, 3, "is an ELF file of type 3, not an executable (2): link the program statically"},
    {FLAGS, 4, 1, "has compressed instructions, unknown to the machine (-march=rv32ima, without c)"},
    {FLAGS, 4, 4, "keeps floats in f registers, absent from the machine (-mabi=ilp32)"},
    {PHNUM, 2, 0, "has no segments, hence no code to run"},
    {PHOFF, 4, 0xfffffff0, "is cut off: 2 program headers at 0xfffffff0, and the file has 432 bytes"},
    {FIRST + P_FILE, 4, 0x10000, "is cut off: segment 0 has 65536 bytes at 0x74, and the file 432"},
    {FIRST + P_OFFSET, 4, 0xffffffff, "is cut off: segment 0 has 24 bytes at 0xffffffff, and the file 432"},
    {FIRST + P_MEMORY, 4, 4, "segment 0 has 24 bytes in the file and 4 in memory"},
    {FIRST + P_ADDRESS, 4, 0x1000,
     "segment 0, 0x00001000 to 0x00001017, is outside the memory: code goes from 0x08000000 to 0x08007fff, "
     "data to 0xbff6ffff"},
    {SECOND + P_MEMORY, 4, 0xf8000000,
     "segment 1, 0x08008000 to 0x100007fff, is outside the memory: code goes from 0x08000000 to 0x08007fff, "
     "data to 0xbff6ffff"},
    {SECOND + P_ADDRESS, 4, 0x08000410, "segments 0 and 1 overlap at 0x08000410"},
    {SECOND + P_ADDRESS, 4, 0x08000800,
     "has data at 0x08000800 (segment 1 is not executable), in the instructions' memory, for execution "
     "only: link data at 0x08008000 or above"},
    {FIRST + P_TYPE, 4, 2, "has no code at 0x08000000 to 0x08007fff"},
    {FIRST + P_FLAGS, 4, 6,
     "has data at 0x08000400 (segment 0 is not executable), in the instructions' memory, for execution "
     "only: link data at 0x08008000 or above"},
    {FIRST + P_ADDRESS, 4, 0x08000402, "has code at 0x08000402, not a multiple of 4"},
    {ENTRY, 4, 0x08000404 + 2, "begins at 0x08000406, outside the code"},
    {ENTRY, 4, 0x08000500, "begins at 0x08000500, outside the code"},
};

static void test_refusals(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(refusals); k++) {
        struct strbuf file = {0};
        make(&file);
        set(&file, refusals[k].at, refusals[k].bytes, refusals[k].value);
        refuse(t, &file, refusals[k].want);
        strbuf_fini(&file);
    }
}

static void test_two_codes(struct test *t)
{
    struct strbuf file = {0};
    make(&file);
    set(&file, SECOND + P_ADDRESS, 4, 0x08000800);
    set(&file, SECOND + P_FLAGS, 4, 5);
    refuse(t, &file, "has code in segments 0 and 1: link the code into a single segment");
    strbuf_fini(&file);
}

// Data behind the headers in a read-only segment of the instructions' memory.
static void test_read_only_data(struct test *t)
{
    struct maker m = {.layout = LAYOUT_READ_ONLY_DATA};
    struct strbuf file = {0};
    maker_put(&m, RET);
    maker_elf(&m, &file);
    refuse(t, &file,
           "has data at 0x08000000 (segment 1 is not executable), in the instructions' memory, for "
           "execution only: link data at 0x08008000 or above");
    maker_fini(&m);
    strbuf_fini(&file);
}

// A reachable word must be an instruction; an unreachable word is data.
static void test_words(struct test *t)
{
    enum { CODE = 116 };
    struct strbuf file = {0}, errors = {0};
    make(&file);
    set(&file, CODE + 12, 4, 0xffffffff);
    refuse(t, &file, "0x0800040c (work+0x4): 0xffffffff is no instruction of RV32IMA_Zfinx");
    set(&file, CODE + 12, 4, 0x1000452f); // lr.w
    refuse(t, &file, "0x0800040c (work+0x4): 0x1000452f is no instruction of RV32IMA_Zfinx");
    set(&file, CODE + 12, 4, 0x00018082); // c.ret
    refuse(t, &file,
           "0x0800040c (work+0x4): 0x8082 is a compressed instruction, unknown to the machine "
           "(-march=rv32ima, without c)");
    set(&file, CODE + 8, 4, RET); // before it
    set(&file, CODE + 12, 4, 0xffffffff);
    struct image *i = load(&file, &errors);
    CHECK_STR(t, strbuf_text(&errors), "");
    struct diag d;
    diag_init(&d);
    struct program *p = i ? riscv_program(i, MAKER_CODE, &d) : NULL;
    if (p) {
        CHECK_EQ(t, p->insts[3].op, OP_UNDEF);
        CHECK_EQ(t, p->insts[3].src[0].value, 0xffffffff);
        CHECK(t, !program_check(p));
    }
    program_free(p);
    CHECK(t, i && !riscv_program(i, MAKER_CODE + 2, &d) && !riscv_program(i, 0, &d));
    CHECK_EQ(t, d.errors, 2);
    diag_fini(&d);
    image_free(i);
    strbuf_fini(&file);
    strbuf_fini(&errors);
}

// Every truncated file is refused; a file without section headers is accepted, without names.
static void test_truncated(struct test *t)
{
    struct strbuf file = {0}, errors = {0};
    make(&file);
    for (size_t length = 0; length < file.length; length++) {
        struct strbuf part = {0};
        strbuf_write(&part, file.text, length);
        struct image *i = load(&part, &errors);
        CHECK_MSG(t, !i && errors.length, "%zu bytes are accepted", length);
        image_free(i);
        strbuf_fini(&part);
    }
    set(&file, 32, 4, 0); // no section headers: the code is a segment, without names
    struct image *i = load(&file, &errors);
    CHECK(t, i && i->word_count == 6 && !i->symbol_count);
    image_free(i);
    strbuf_fini(&file);
    strbuf_fini(&errors);
}

// Random changes of a valid file: refused with a message, or accepted with sound programs.
static void test_mutations(struct test *t)
{
    struct strbuf whole = {0}, errors = {0};
    struct rng r;
    unsigned accepted = 0, rounds = test_is_long() ? 200000 : 5000;
    rng_init(&r, test_seed(1));
    make(&whole);
    for (unsigned n = 0; n < rounds; n++) {
        struct strbuf file = {0};
        strbuf_write(&file, whole.text, whole.length);
        for (uint32_t changes = 1 + rng_below(&r, 4); changes; changes--) {
            size_t at = rng_below(&r, (uint32_t)file.length - 4);
            switch (rng_below(&r, 4)) {
            case 0: set(&file, at, 1, (uint32_t)rng_next(&r)); break;
            case 1: set(&file, at & ~3u, 4, (uint32_t)rng_next(&r)); break;
            case 2: set(&file, at & ~3u, 4, get(&file, at & ~3u) + rng_below(&r, 9) - 4); break;
            case 3: set(&file, at & ~3u, 4, rng_below(&r, 2) ? 0xffffffff : 0); break;
            }
        }
        if (rng_below(&r, 8) == 0) file.length -= rng_below(&r, (uint32_t)file.length);
        struct image *i = load(&file, &errors);
        CHECK_MSG(t, (i == NULL) == (errors.length != 0), "round %u: an image and messages, or neither", n);
        struct diag d;
        diag_init(&d);
        struct program *p = i ? riscv_program(i, i->entry, &d) : NULL;
        const char *wrong = p ? program_check(p) : NULL;
        CHECK_MSG(t, !wrong, "round %u: %s", n, wrong);
        struct strbuf listing = {0};
        if (p) program_print(p, &listing);
        accepted += p != NULL;
        strbuf_fini(&listing);
        program_free(p);
        diag_fini(&d);
        image_free(i);
        strbuf_fini(&file);
    }
    CHECK_MSG(t, accepted > rounds / 20 && accepted < rounds, "%u of %u accepted", accepted, rounds);
    strbuf_fini(&whole);
    strbuf_fini(&errors);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"image", test_image},
        {"refusals", test_refusals},
        {"words", test_words},
        {"truncated", test_truncated},
        {"mutations", test_mutations},
        {"layouts", test_layouts},
        {"read_only_data", test_read_only_data},
        {"two_codes", test_two_codes},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
