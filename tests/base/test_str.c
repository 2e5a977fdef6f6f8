// Number parsing at its limits, and the nearest known word.
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <math.h>
#include <string.h>

static void test_buffer(struct test *t)
{
    struct strbuf b = {0};
    CHECK_STR(t, strbuf_text(&b), "");
    strbuf_puts(&b, "ab");
    strbuf_putc(&b, 'c');
    strbuf_printf(&b, "%s-%d", "d", 5);
    CHECK_STR(t, strbuf_text(&b), "abcd-5");
    CHECK_EQ(t, b.length, 6);
    for (int i = 0; i < 1000; i++) strbuf_printf(&b, "%d,", i);
    CHECK_EQ(t, b.length, 6 + 10 * 2 + 90 * 3 + 900 * 4);
    strbuf_clear(&b);
    CHECK_STR(t, strbuf_text(&b), "");
    strbuf_fini(&b);
}

static void test_unsigned(struct test *t)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t value;
    } rows[] = {
        {"0", true, 0},
        {"+7", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0x10000000000000000", false, 0},
        {"0b101", true, 5},
        {"0755", true, 493},
        {"08", false, 0},
        {"0x", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"1 ", false, 0},
        {"1u", false, 0},
        {"12a", false, 0},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        uint64_t value = 0;
        bool ok = str_to_u64(rows[i].text, &value);
        CHECK_MSG(t, ok == rows[i].ok && (!ok || value == rows[i].value), "\"%s\" gives %d, %llu",
                  rows[i].text, ok, (unsigned long long)value);
    }
}

static void test_signed(struct test *t)
{
    int64_t v;
    CHECK(t, str_to_i64("-9223372036854775808", &v) && v == INT64_MIN);
    CHECK(t, !str_to_i64("-9223372036854775809", &v));
    CHECK(t, str_to_i64("9223372036854775807", &v) && v == INT64_MAX);
    CHECK(t, !str_to_i64("9223372036854775808", &v));
    CHECK(t, str_to_i64("-0x10", &v) && v == -16);
    CHECK(t, !str_to_i64("--1", &v));
    CHECK(t, !str_to_i64("-", &v));
}

static void test_floats(struct test *t)
{
    double v;
    CHECK(t, str_to_f64("1.5e3", &v) && v == 1500);
    CHECK(t, str_to_f64("-0x1p-24", &v) && v == -0x1p-24);
    CHECK(t, str_to_f64("nan", &v) && isnan(v));
    CHECK(t, str_to_f64("-inf", &v) && v == -INFINITY);
    CHECK(t, str_to_f64("5e-324", &v) && v == 5e-324);
    CHECK(t, !str_to_f64("1e999", &v));
    CHECK(t, !str_to_f64("", &v));
    CHECK(t, !str_to_f64(" 1", &v));
    CHECK(t, !str_to_f64("1x", &v));
}

static const char *next_word(const void *context, size_t i) { return ((const char *const *)context)[i]; }

static void test_nearest(struct test *t)
{
    static const char *const words[] = {"memory.size", "exec.isa", "check.races", "simt", NULL};
    CHECK_STR(t, str_nearest("chek.races", next_word, words), "check.races");
    CHECK_STR(t, str_nearest("memory.sise", next_word, words), "memory.size");
    CHECK_STR(t, str_nearest("simd", next_word, words), "simt");
    CHECK(t, str_nearest("profile", next_word, words) == NULL);
    char long_word[400];
    memset(long_word, 'a', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    CHECK(t, str_nearest(long_word, next_word, words) == NULL);
}

// Models: a different digit or first letter is no typo but a different model. An empty candidate ("") is
// never nearest.
static void test_nearest_model(struct test *t)
{
    static const char *const models[] = {"", "gtx1080ti", "rtx8000", "a100", "tiny", "titanv", "gpu-t", NULL};
    CHECK_STR(t, str_nearest_model("gtx1080", next_word, models), "gtx1080ti");
    CHECK_STR(t, str_nearest_model("gtx1080it", next_word, models), "gtx1080ti");
    CHECK_STR(t, str_nearest_model("rtx-8000", next_word, models), "rtx8000");
    CHECK_STR(t, str_nearest_model("rtx8000", next_word, models), "rtx8000");
    CHECK_STR(t, str_nearest_model("rtx0800", next_word, models), "rtx8000"); // digits change places
    CHECK_STR(t, str_nearest_model("titan", next_word, models), "titanv");
    static const char *const others[] = {"rtx3090", "gtx1070ti", "a10",    "a1000",
                                         "v100",    "h100",      "gpu-t8", "x"};
    for (size_t i = 0; i < TEST_COUNT(others); i++) {
        const char *near = str_nearest_model(others[i], next_word, models);
        CHECK_MSG(t, !near, "%s for %s", near, others[i]);
    }
    CHECK(t, str_nearest("x", next_word, models) == NULL);
}

// The edit distance by definition, for short words.
static size_t plain_distance(const char *a, const char *b)
{
    if (!*a || !*b) return strlen(a) + strlen(b);
    size_t both = plain_distance(a + 1, b + 1) + (*a != *b);
    size_t first = plain_distance(a + 1, b) + 1, second = plain_distance(a, b + 1) + 1;
    size_t one = first < second ? first : second;
    return both < one ? both : one;
}

static void make_word(char word[7], struct rng *r)
{
    size_t length = 1 + rng_below(r, 6);
    for (size_t k = 0; k < length; k++) word[k] = (char)('a' + rng_below(r, 3));
    word[length] = 0;
}

// The first of the nearest words, or NULL past a distance of a third of the word's length and 1. A word of one
// letter is near to no different word.
static void test_nearest_of_many(struct test *t)
{
    struct rng r;
    rng_init(&r, 1);
    for (unsigned round = 0; round < 300; round++) {
        char word[7], known[8][7];
        const char *words[9] = {0}, *best = NULL;
        make_word(word, &r);
        size_t least = strlen(word) == 1 ? 1 : strlen(word) / 3 + 2;
        for (unsigned k = 0; k < 8; k++) {
            make_word(known[k], &r);
            words[k] = known[k];
            size_t distance = plain_distance(word, known[k]);
            if (distance >= least) continue;
            best = known[k];
            least = distance;
        }
        CHECK_MSG(t, str_nearest(word, next_word, words) == best, "round %u: %s", round, word);
    }
}

static void test_compare(struct test *t)
{
    CHECK(t, str_starts_with("rand:5", "rand:") && !str_starts_with("ran", "rand:"));
    CHECK(t, str_ends_with("a.ptx", ".ptx") && !str_ends_with("ptx", ".ptx"));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"buffer", test_buffer},
                                             {"unsigned", test_unsigned},
                                             {"signed", test_signed},
                                             {"floats", test_floats},
                                             {"nearest", test_nearest},
                                             {"nearest of many", test_nearest_of_many},
                                             {"nearest model", test_nearest_model},
                                             {"compare", test_compare}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
