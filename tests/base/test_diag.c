// Diagnostics as printed: location, source line, caret, limits.
#include "base/diag.h"
#include "harness/test.h"

#include <string.h>

static void check_format(struct test *t, const struct diag *d, bool colour, const char *want)
{
    struct strbuf text = {0};
    diag_format(d, colour, &text);
    CHECK_STR(t, strbuf_text(&text), want);
    strbuf_fini(&text);
}

static void test_caret(struct test *t)
{
    struct diag d;
    diag_init(&d);
    const char *ptx = "first\n\taddd.f32 %f1;\nlast";
    uint32_t source = diag_add_source(&d, "k.ptx", ptx, strlen(ptx));
    CHECK(t, !diag_error(&d, (struct loc){source, 2, 2, 4}, "unknown instruction \"%s\"", "addd"));
    diag_warn(&d, (struct loc){source, 3, 9, 1}, "column past the end");
    diag_note(&d, (struct loc){source, 0, 0, 0}, "the file");
    diag_note(&d, loc_none(), "nowhere");
    CHECK_EQ(t, d.errors, 1);
    check_format(t, &d, false,
                 "k.ptx:2:2: error: unknown instruction \"addd\"\n"
                 "     addd.f32 %f1;\n"
                 "     ^~~~\n"
                 "k.ptx:3:9: warning: column past the end\n"
                 "    last\n"
                 "        ^\n"
                 "k.ptx: note: the file\n"
                 "note: nowhere\n");
    diag_clear(&d);
    check_format(t, &d, false, "");
    diag_fini(&d);
}

static void test_colour(struct test *t)
{
    struct diag d;
    diag_init(&d);
    diag_error(&d, loc_none(), "x");
    check_format(t, &d, true, "\033[1;31merror:\033[0m x\n");
    diag_fini(&d);
}

// Binary text never reaches the terminal, and a very long line is cut around the column.
static void test_hostile_lines(struct test *t)
{
    struct diag d;
    diag_init(&d);
    char line[5000];
    memset(line, 'a', sizeof line);
    line[2500] = '\033';
    line[2501] = 0;
    uint32_t source = diag_add_source(&d, "long", line, sizeof line);
    diag_error(&d, (struct loc){source, 1, 2501, 1}, "x");
    struct strbuf text = {0};
    diag_format(&d, false, &text);
    CHECK(t, strchr(strbuf_text(&text), '\033') == NULL);
    CHECK_HAS(t, strbuf_text(&text), "a??a");
    CHECK(t, text.length < 500);
    strbuf_clear(&text);
    diag_clear(&d);
    source = diag_add_source(&d, "binary",
                             "a\xff"
                             "b\xc3",
                             4);
    diag_error(&d, (struct loc){source, 1, 1, 1}, "x");
    diag_format(&d, false, &text);
    CHECK_HAS(t, strbuf_text(&text), "\n    a?b?\n");
    strbuf_clear(&text);
    diag_clear(&d);
    source = diag_add_source(&d, "text", "a µ b", 6);
    diag_error(&d, (struct loc){source, 1, 1, 1}, "x");
    diag_format(&d, false, &text);
    CHECK_HAS(t, strbuf_text(&text), "\n    a µ b\n");
    strbuf_fini(&text);
    diag_fini(&d);
}

static void test_limit(struct test *t)
{
    struct diag d;
    diag_init(&d);
    d.errors_limit = 2;
    for (int i = 0; i < 5; i++) diag_error(&d, loc_none(), "e%d", i);
    check_format(t, &d, false, "error: e0\nerror: e1\n3 more errors not shown\n");
    diag_fini(&d);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"caret", test_caret},
                                             {"colour", test_colour},
                                             {"hostile_lines", test_hostile_lines},
                                             {"limit", test_limit}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
