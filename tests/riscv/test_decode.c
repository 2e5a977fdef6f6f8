// The table of instructions. Fails where a row is not found by its words, prints unusual assembly, or has
// another scalar flag than the paper.
#include "base/rng.h"
#include "harness/test.h"
#include "riscv/decode.h"
#include "riscv/maker.h"

#include <string.h>

static void test_rows(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned op = 0; op < RV_COUNT; op++) {
        const struct rv_info *row = &rv_table[op];
        CHECK_MSG(t, (row->match & ~row->mask) == 0, "%s", row->mnemonic);
        unsigned found = 0;
        for (unsigned n = 0; n < 200; n++) {
            uint32_t word = ((uint32_t)rng_next(&r) & ~row->mask) | row->match;
            enum rv_op first = (enum rv_op)rv_decode(word).op;
            CHECK_MSG(t, first <= op, "%s: 0x%08x is %s", row->mnemonic, word, rv_table[first].mnemonic);
            found += first == op;
        }
        CHECK_MSG(t, found > 100, "%s is found in %u of 200 words", row->mnemonic,
                  found); // an earlier row has few of them
    }
}

static void test_text(struct test *t)
{
    static const struct {
        uint32_t word;
        const char *text;
    } words[] = {
        {0xff010113, "addi sp, sp, -16"},
        {0x00c52583, "lw a1, 12(a0)"},
        {0xfeb52e23, "sw a1, -4(a0)"},
        {0x00b50863, "beq a0, a1, 0x08000410"},
        {0xfe000ee3, "beq zero, zero, 0x080003fc"},
        {0x00008067, "jr 0(ra)"},
        {0x000780e7, "jalr ra, 0(a5)"},
        {0x0080006f, "j 0x08000408"},
        {0xff5ff0ef, "jal ra, 0x080003f4"},
        {0x123452b7, "lui t0, 0x12345"},
        {0x40555513, "srai a0, a0, 5"},
        {0x02c5d533, "divu a0, a1, a2"},
        {0x00c5a52f, "amoadd.w a0, a2, (a1)"},
        {0xf1402573, "csrrs a0, 0xf14, zero"},
        {0x83015073, "csrrwi zero, 0x830, 2"},
        {0x58057553, "fsqrt.s a0, a0"},
        {0x00050009, "simt.push"},
        {0x00051009, "simt.pop"},
        {0x00000000, ".word 0x00000000"},
        {0x1000452f, ".word 0x1000452f"}, // lr.w
    };
    for (size_t k = 0; k < TEST_COUNT(words); k++) {
        struct strbuf text = {0};
        rv_print(words[k].word, 0x08000400, &text);
        CHECK_STR(t, strbuf_text(&text), words[k].text);
        strbuf_fini(&text);
    }
}

// Scalar: integer arithmetic, jumps and branches, nesting; not scalar: memory, control registers, floats.
static void test_scalar(struct test *t)
{
    for (unsigned op = 0; op < RV_COUNT; op++) {
        unsigned opcode = rv_table[op].match & 0x7f;
        bool is_integer = opcode == 0x33 || opcode == 0x13 || opcode == 0x37 || opcode == 0x17;
        bool jumps = opcode == 0x63 || opcode == 0x67 || opcode == 0x6f;
        CHECK_MSG(t, rv_table[op].scalar == (is_integer || jumps || opcode == 0x09), "%s",
                  rv_table[op].mnemonic);
    }
}

static void test_fields(struct test *t)
{
    static const int32_t offsets[] = {-4096, -2048, -2, 0, 2, 2046, 4094};
    for (size_t k = 0; k < TEST_COUNT(offsets); k++) {
        struct rv_inst i = rv_decode(rv_b(5, 17, 30, offsets[k]));
        CHECK(t, i.op == RV_BGE && i.rs1 == 17 && i.rs2 == 30);
        CHECK_EQ(t, (int32_t)i.imm, offsets[k]);
    }
    for (int32_t offset = -(1 << 20); offset < 1 << 20; offset += 4094)
        CHECK_EQ(t, (int32_t)rv_decode(rv_j(1, offset)).imm, offset);
    for (int32_t offset = -2048; offset < 2048; offset += 13) {
        CHECK_EQ(t, (int32_t)rv_decode(rv_s(1, 9, 31, offset)).imm, offset);
        CHECK_EQ(t, (int32_t)rv_decode(rv_i(0x67, 0, 3, 4, offset)).imm, offset);
    }
}

// docs/reference/riscv-instructions.md is the table as a page.
static void test_page(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(&page, "# RISC-V instructions\n\nMade from `src/riscv/rv.def` (UPDATE_GOLDEN=1 "
                       "build/tests/riscv/test_decode).\n"
                       "A word is the first instruction of which it has the bits `match` under `mask`.\n\n"
                       "| instruction | mask | match | meaning | scalar pipeline |\n|---|---|---|---|---|\n");
    for (unsigned op = 0; op < RV_COUNT; op++) {
        const struct rv_info *row = &rv_table[op];
        strbuf_printf(&page, "| `%s` | %08x | %08x | ", row->mnemonic, row->mask, row->match);
        for (const char *c = row->meaning; *c; c++) strbuf_puts(&page, *c == '|' ? "\\|" : (char[]){*c, 0});
        strbuf_printf(&page, " | %s |\n", row->scalar ? "yes" : "");
    }
    CHECK_GOLDEN(t, "docs/reference/riscv-instructions.md", strbuf_text(&page));
    strbuf_fini(&page);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"rows", test_rows},
                                             {"text", test_text},
                                             {"scalar", test_scalar},
                                             {"fields", test_fields},
                                             {"page", test_page}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
