// Streams: Figure 4's machine code gives Figure 7's; kinds and their causes by small programs; promises of what a split is, on
// programs made for them, and that a broken split is found.
#include "base/arena.h"
#include "decouple/decouple.h"
#include "harness/test.h"
#include "isa/asm.h"

#include <inttypes.h>
#include <string.h>

static const struct decouple_rules plain = {.pieces = 2, .feedback = 1, .shared = 1, .stores = 1};

// Figure 4b: six instructions, a loop of nine, and an exit. Block and thread indices come by instructions of their own here,
// which a shifted sum that stands for two makes up for.
static const char figure_4[] = ".params 16\n"
                               "    S2R R0, SR_CTAID.X\n"
                               "    S2R R1, SR_TID.X\n"
                               "    IMAD R0, R0, c[0x0][0x0], R1\n"
                               "    LEA R2, R0, c[0x0][0x160], 0x2\n"
                               "    LEA R3, R0, c[0x0][0x164], 0x2\n"
                               "    MOV R4, RZ\n"
                               "loop:\n"
                               "    LDG R5, [R2]\n"
                               "    IADD3 R6, R5, 0x1, RZ\n"
                               "    STG [R3], R6\n"
                               "    IADD3 R4, R4, 0x1, RZ\n"
                               "    IMAD R7, R4, RZ, c[0x0][0x16c]\n" // 4 * num
                               "    IADD3 R2, R7, R2, RZ\n"
                               "    IADD3 R3, R7, R3, RZ\n"
                               "    ISETP.NE.U32.AND P0, PT, R4, c[0x0][0x168], PT\n"
                               "    @P0 BRA loop, join out\n"
                               "out:\n"
                               "    EXIT\n";

static void test_figure_7(struct test *t)
{
    struct program *p = asm_program(t, figure_4);
    struct strbuf text = {0};
    if (!p) return;
    struct decouple *d = decouple_compute(p, &plain);
    const char *why = NULL;
    CHECK(t, !d->whole);
    CHECK_MSG(t, decouple_check(d, &why), "%s", why);
    decouple_print(d, DECOUPLE_IN_AFFINE, &text);
    printf("%s--\n", strbuf_text(&text));
    strbuf_clear(&text);
    decouple_print(d, DECOUPLE_IN_OTHERS, &text);
    printf("%s", strbuf_text(&text));
    strbuf_fini(&text);
    decouple_free(d);
    program_free(p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"figure_7", test_figure_7}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
