// The JSON writer: structure, escapes, numbers JSON cannot hold.
#include "base/json.h"
#include "harness/test.h"

#include <math.h>

static void test_structure(struct test *t)
{
    struct strbuf out = {0};
    struct json j;
    json_init(&j, &out);
    json_open_object(&j);
    json_key(&j, "a");
    json_u64(&j, UINT64_MAX);
    json_key(&j, "empty");
    json_open_array(&j);
    json_close_array(&j);
    json_key(&j, "list");
    json_open_array(&j);
    json_i64(&j, INT64_MIN);
    json_bool(&j, true);
    json_null(&j);
    json_open_object(&j);
    json_key(&j, "x");
    json_raw(&j, "{\n  \"y\": 1\n}\n");
    json_close_object(&j);
    json_close_array(&j);
    json_close_object(&j);
    CHECK_STR(t, strbuf_text(&out),
              "{\n"
              "  \"a\": 18446744073709551615,\n"
              "  \"empty\": [],\n"
              "  \"list\": [\n"
              "    -9223372036854775808,\n"
              "    true,\n"
              "    null,\n"
              "    {\n"
              "      \"x\": {\n"
              "        \"y\": 1\n"
              "      }\n"
              "    }\n"
              "  ]\n"
              "}\n");
    strbuf_fini(&out);
}

static void check_string(struct test *t, const char *text, const char *want)
{
    struct strbuf out = {0};
    struct json j;
    json_init(&j, &out);
    json_string(&j, text);
    CHECK_STR(t, strbuf_text(&out), want);
    strbuf_fini(&out);
}

static void test_strings(struct test *t)
{
    check_string(t, NULL, "null");
    check_string(t, "a\"b\\c\n\t\r\x7f", "\"a\\\"b\\\\c\\n\\t\\u000d\\u007f\"");
    check_string(t, "µ€😀", "\"µ€😀\"");
    check_string(t, "\xff\xc3", "\"\\u00ff\\u00c3\""); // not UTF-8
    check_string(t, "\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
}

static void test_numbers(struct test *t)
{
    struct strbuf out = {0};
    struct json j;
    json_init(&j, &out);
    json_open_array(&j);
    json_f64(&j, NAN);
    json_f64(&j, INFINITY);
    json_f64(&j, 1e300);
    json_f64(&j, 0.5);
    json_close_array(&j);
    CHECK_STR(t, strbuf_text(&out), "[\n  null,\n  null,\n  1e+300,\n  0.5\n]\n");
    strbuf_fini(&out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"structure", test_structure}, {"strings", test_strings}, {"numbers", test_numbers}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
