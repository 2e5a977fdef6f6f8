// The JSON reader: valid and invalid JSON, text in every spelling, exact numbers, and every output of the
// writer.
#include "base/json.h"
#include "base/json_read.h"
#include "harness/test.h"

#include <string.h>

static const struct json_value *parse(struct arena *a, const char *text)
{
    const char *why;
    size_t offset;
    return json_parse(text, strlen(text), a, &why, &offset);
}

static void test_values(struct test *t)
{
    struct arena a;
    arena_init(&a);
    const struct json_value *v = parse(
        &a, " {\"a\": [1, -2.5e3, true, false, null], \"\\u00e9\\ud83d\\ude00\\n\": {\"x\": {}}, \"big\": "
            "18446744073709551615, \"e\": []} ");
    CHECK(t, v && v->type == JSON_OBJECT);
    const struct json_value *list = json_member(v, "a");
    CHECK(t, json_unsigned(list->first) == 1 && json_number(list->first->next) == -2500);
    CHECK_EQ(t, list->first->next->next->type, JSON_TRUE);
    CHECK(t, json_member(json_member(v, "\xc3\xa9\xf0\x9f\x98\x80\n"), "x") != NULL);
    CHECK(t, json_unsigned(json_member(v, "big")) == UINT64_MAX);
    CHECK(t, json_member(v, "nothing") == NULL && json_text(json_member(v, "big")) == NULL);
    CHECK(t, json_member(NULL, "x") == NULL && json_number(NULL) == 0 && !json_is_true(NULL));
    arena_fini(&a);
}

static void test_refused(struct test *t)
{
    static const char *const texts[] = {"",    "{",      "[1,]",  "{\"a\"}", "{\"a\":1,}", "01",
                                        "1.",  "-",      "1e",    "tru",     "\"\\x\"",    "\"\\u12\"",
                                        "\"a", "\"\n\"", "[1] 2", "{a: 1}",  "'a'",        "\"\\u0000\"",
                                        "+1",  ".5",     "nan"};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < TEST_COUNT(texts); i++)
        CHECK_MSG(t, parse(&a, texts[i]) == NULL, "%s is accepted", texts[i]);
    char deep[200];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    CHECK(t, parse(&a, deep) == NULL);
    const char *why;
    size_t offset;
    CHECK(t, !json_parse("{\"a\": x}", 8, &a, &why, &offset) && offset == 6 && why);
    arena_fini(&a);
}

static void test_round_trip(struct test *t)
{
    struct strbuf out = {0};
    struct json j;
    struct arena a;
    char text[129];
    for (int i = 0; i < 128; i++) text[i] = (char)(i + 1);
    text[128] = 0;
    arena_init(&a);
    json_init(&j, &out);
    json_open_array(&j);
    json_string(&j, text);
    json_i64(&j, INT64_MIN);
    json_f64(&j, 0.1);
    json_close_array(&j);
    const struct json_value *v = parse(&a, strbuf_text(&out));
    // Invalid UTF-8 reads back as Latin-1 (json.c); in this text only the last byte is not ASCII.
    CHECK(t, v && strncmp(json_text(v->first), text, 127) == 0);
    CHECK_STR(t, v->first->next->text, "-9223372036854775808");
    CHECK(t, json_number(v->first->next->next) == 0.1);
    strbuf_fini(&out);
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"values", test_values}, {"refused", test_refused}, {"round_trip", test_round_trip}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
