// CSV by RFC 4180, and malformed text.
#include "base/csv.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_fields(struct test *t)
{
    static const char text[] = "name,\"a \"\"head\"\"\",last\r\nplain,\"with, comma\",\"two\nlines\"\n\n,,\n";
    struct csv c;
    const char *why;
    size_t line, column;
    CHECK(t, csv_parse(&c, text, strlen(text), &why, &line));
    CHECK_EQ(t, c.columns, 3);
    CHECK_EQ(t, c.rows.count, 2); // an empty line is not a row
    CHECK(t, csv_column(&c, "a \"head\"", &column) && column == 1);
    CHECK(t, !csv_column(&c, "a head", &column));
    CHECK_STR(t, c.rows.data[0][1], "with, comma");
    CHECK_STR(t, c.rows.data[0][2], "two\nlines");
    CHECK_STR(t, c.rows.data[1][2], "");
    csv_fini(&c);
}

static void test_broken(struct test *t)
{
    static const struct {
        const char *text, *why;
        size_t line;
    } rows[] = {{"a,b\n1\n", "fewer fields than heads", 2},
                {"a,b\n1,2\n1,2,3\n", "more fields than heads", 3},
                {"a,b\n\"1,2\n", "a quote is not closed", 3},
                {"a,b\n\"1\"2,3\n", "text behind a closing quote", 2}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct csv c;
        const char *why = NULL;
        size_t line = 0;
        CHECK(t, !csv_parse(&c, rows[i].text, strlen(rows[i].text), &why, &line));
        CHECK_STR(t, why, rows[i].why);
        CHECK_EQ(t, line, rows[i].line);
        csv_fini(&c);
    }
}

// Written text reads back unchanged.
static void test_written(struct test *t)
{
    static const char *const texts[] = {"plain", "with, comma", "a \"quote\"", "two\nlines", ""};
    struct strbuf out = {0};
    struct csv c;
    const char *why;
    size_t line;
    strbuf_puts(&out, "text,number\n");
    for (size_t i = 0; i < TEST_COUNT(texts); i++) {
        csv_add_text(&out, texts[i], ',');
        csv_add_number(&out, i ? 0.1 : NAN, '\n');
    }
    CHECK(t, csv_parse(&c, out.text, out.length, &why, &line));
    CHECK_EQ(t, c.rows.count, TEST_COUNT(texts));
    for (size_t i = 0; i < c.rows.count && i < TEST_COUNT(texts); i++) {
        CHECK_STR(t, c.rows.data[i][0], texts[i]);
        CHECK_STR(t, c.rows.data[i][1], i ? "0.1" : "");
    }
    csv_fini(&c);
    strbuf_fini(&out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"fields", test_fields}, {"broken", test_broken}, {"written", test_written}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
