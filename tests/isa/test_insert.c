// program_insert: the result equals a program written with the inserted instructions from the start.
#include "base/str.h"
#include "isa/asm.h"
#include "isa/isa.h"

#include <string.h>

static void print(struct program *p, struct strbuf *out)
{
    for (uint32_t n = 0; n < p->inst_count; n++) {
        program_print_inst(p, n, out);
        strbuf_putc(out, '\n');
    }
    for (uint32_t f = 0; f < p->function_count; f++)
        strbuf_printf(out, "%u+%u ", p->functions[f].first, p->functions[f].count);
    for (uint32_t s = 0; s < p->symbol_count; s++)
        strbuf_printf(out, "@%llu ", (unsigned long long)p->symbols[s].value);
    for (uint32_t k = 0; k < p->table_count; k++)
        for (uint32_t n = 0; n < p->tables[k].count; n++) strbuf_printf(out, ".%u", p->tables[k].targets[n]);
}

// X: the inserted instruction.
static const char code[] = ".table 0 even odd\n"
                           "    S2R R0, SR_TID.X\n"
                           "    ISETP.NE.AND P0, PT, R0, RZ, PT\n"
                           "    SSY out\n"
                           "@P0 BRA odd, join out\n"
                           "even:\n"
                           "X   CALL R20, twice\n"
                           "odd:\n"
                           "X   STG [R0], R0\n"
                           "out:\n"
                           "X   EXIT\n"
                           ".function twice\n"
                           "X   IADD3 R0, R0, R0, RZ\n"
                           "    RET R20\n";

static void test_as_written(struct test *t)
{
    char plain[sizeof code];
    struct strbuf with = {0}, got = {0}, want = {0};
    strcpy(plain, code);
    for (char *x = strchr(plain, 'X'); x; x = strchr(x, 'X'))
        if (x[-1] == '\n' || x == plain)
            *x = ' ';
        else
            x++;
    for (const char *c = code; *c; c++)
        if (*c == 'X' && c[-1] == '\n')
            strbuf_puts(&with, "    BAR.SYNC 0x1\n ");
        else
            strbuf_putc(&with, *c);
    struct program *p = asm_program(t, plain), *expected = asm_program(t, strbuf_text(&with));
    if (!p || !expected) return;
    struct inst barrier = {0};
    for (uint32_t n = 0; n < expected->inst_count; n++)
        if (expected->insts[n].op == OP_BAR) barrier = expected->insts[n];
    const bool before[9] = {[4] = true, [5] = true, [6] = true, [7] = true};
    struct program *q = program_insert(p, &barrier, before);
    CHECK_MSG(t, program_check(q) == NULL, "%s", program_check(q));
    print(q, &got);
    print(expected, &want);
    CHECK_STR(t, strbuf_text(&got), strbuf_text(&want));
    program_free(q);
    program_free(p);
    program_free(expected);
    strbuf_fini(&with);
    strbuf_fini(&got);
    strbuf_fini(&want);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"as_written", test_as_written}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
