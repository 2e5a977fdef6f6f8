// Tables: alignment, rules, digits in groups, characters of several bytes. Fails where columns misalign.
#include "harness/test.h"
#include "report/table.h"

static void test_alignment(struct test *t)
{
    static const char *const heads[] = {"name", "count", "state"};
    struct table table;
    struct strbuf out = {0};
    table_init(&table, heads, 3);
    table_add(&table, "µ-kernel");
    table_add_u64(&table, 1234567);
    table_add(&table, "yes");
    table_add(&table, "a");
    table_add(&table, "-1");
    table_add(&table, "0: no");
    table_rule(&table);
    table_add(&table, "sum");
    table_add_u64(&table, 12);
    table_print(&table, false, &out);
    CHECK_STR(t, strbuf_text(&out),
              "name          count  state\n"
              "µ-kernel  1,234,567  yes\n"
              "a                -1  0: no\n"
              "--------------------------\n"
              "sum              12\n");
    strbuf_clear(&out);
    table_print(&table, true, &out);
    CHECK_HAS(t, strbuf_text(&out), "\033[1mname          count  state\n\033[0mµ");
    strbuf_fini(&out);
    table_fini(&table);
}

static void check_digits(struct test *t, uint64_t value, const char *want)
{
    struct strbuf out = {0};
    table_format_u64(value, &out);
    CHECK_STR(t, strbuf_text(&out), want);
    strbuf_fini(&out);
}

static void test_digits(struct test *t)
{
    check_digits(t, 0, "0");
    check_digits(t, 999, "999");
    check_digits(t, 1000, "1,000");
    check_digits(t, UINT64_MAX, "18,446,744,073,709,551,615");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"alignment", test_alignment}, {"digits", test_digits}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
