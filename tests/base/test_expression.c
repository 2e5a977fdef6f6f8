// Expressions: precedence, integer values, and the place and reason of every fault.
#include "base/expression.h"
#include "harness/test.h"

#include <string.h>

static bool value_of(void *context, const char *name, int64_t *value)
{
    (void)context;
    *value = strcmp(name, "N") == 0 ? 1000 : 7;
    return strcmp(name, "missing") != 0;
}

static void test_values(struct test *t)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {{"1+2*3", 7},        {"(1+2)*3", 9},
                {"N/256", 3},        {"(N+255)/256", 4},
                {" 10 - 3 - 2 ", 5}, {"100/10/5", 2},
                {"-N", -1000},       {"2--3", 5},
                {"a.b_c1*2", 14},    {"-7/2", -3},
                {"0x10+1", 17},      {"((((1))))", 1},
                {"5-2*2", 1},        {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct arena a;
        const char *why;
        size_t at;
        int64_t value = 0;
        arena_init(&a);
        const struct expression *e = expression_parse(rows[i].text, &a, &why, &at);
        bool good = e && expression_integer(e, value_of, NULL, &value, &why);
        if (strstr(rows[i].text, "0x"))
            CHECK(t, !good);
        else
            CHECK_MSG(t, good && value == rows[i].value, "%s is %lld", rows[i].text, (long long)value);
        arena_fini(&a);
    }
}

static void test_faults(struct test *t)
{
    static const struct {
        const char *text, *why;
    } rows[] = {{"", "a name, a number or a bracket is missing"},
                {"1+", "a name, a number or a bracket is missing"},
                {"(1", "a bracket is not closed"},
                {"1 2", "an operator is missing"},
                {"3x", "a malformed number"},
                {"1)", "an operator is missing"},
                {"1/0", "a division by zero"},
                {"1.5", "a number that is no integer"},
                {"missing", "an unknown name"},
                {"9223372036854775807+1", "a value of more than 64 bits"},
                {"(0-9223372036854775807-1)/-1", "a value of more than 64 bits"}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct arena a;
        const char *why = NULL;
        size_t at;
        int64_t value;
        arena_init(&a);
        const struct expression *e = expression_parse(rows[i].text, &a, &why, &at);
        bool good = e && expression_integer(e, value_of, NULL, &value, &why);
        CHECK_MSG(t, !good && why && strcmp(why, rows[i].why) == 0, "%s: %s", rows[i].text,
                  why ? why : "no reason");
        arena_fini(&a);
    }
    char deep[400];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    struct arena a;
    const char *why;
    size_t at;
    arena_init(&a);
    CHECK(t, !expression_parse(deep, &a, &why, &at));
    CHECK_STR(t, why, "nested too deep");
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"values", test_values}, {"faults", test_faults}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
