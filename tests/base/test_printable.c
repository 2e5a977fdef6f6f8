// Words become printable; other conversions give printf's output.
#include "base/printable.h"
#include "harness/test.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct row {
    const char *text, *shown;
};

static void test_words(struct test *t)
{
    static const struct row rows[] = {
        {"", ""},
        {"plain ~!", "plain ~!"},
        {"µ £ € 𝄞", "µ £ € 𝄞"},
        {"\033[2J", "\\x1b[2J"},
        {"\a\b\r\n\t\177", "\\x07\\x08\\x0d\\x0a\\x09\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},                                       // CSI as a single character
        {"\xc2\xa0", "\xc2\xa0"},                                // the first character after C1
        {"\xff\xfe \x80", "\\xff\\xfe \\x80"},                   // no UTF-8
        {"\xc0\x8a \xe0\x80\x8a", "\\xc0\\x8a \\xe0\\x80\\x8a"}, // a line break, overlong
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                     // half of a pair
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},            // past the last
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {"\\x1b", "\\x1b"}, // escaped text stays unchanged
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct strbuf out = {0};
        printable_write(&out, rows[i].text, strlen(rows[i].text));
        CHECK_STR(t, strbuf_text(&out), rows[i].shown);
        strbuf_fini(&out);
    }
    struct strbuf out = {0};
    static const char lines[] = "a\tb\n\033[1m\r", colours[] = "\033[1;31mred\033[0m\n\033[2J\033[\033";
    printable_lines(&out, lines, strlen(lines));
    CHECK_STR(t, strbuf_text(&out), "a\tb\n\\x1b[1m\\x0d");
    strbuf_clear(&out);
    printable_coloured(&out, colours, strlen(colours));
    CHECK_STR(t, strbuf_text(&out), "\033[1;31mred\033[0m\n\\x1b[2J\\x1b[\\x1b");
    strbuf_fini(&out);
}

#define SAME(t, ...)                                                                                         \
    do {                                                                                                     \
        char want_[300];                                                                                     \
        struct strbuf got_ = {0};                                                                            \
        snprintf(want_, sizeof want_, __VA_ARGS__);                                                          \
        printable_format(&got_, __VA_ARGS__);                                                                \
        CHECK_STR(t, strbuf_text(&got_), want_);                                                             \
        strbuf_fini(&got_);                                                                                  \
    } while (0)

static void test_numbers(struct test *t)
{
    SAME(t, "plain %% text\n");
    SAME(t, "%d %5d|%-5d|%05d|%+d|% d", -1, 2, 3, 4, 5, 6);
    SAME(t, "%u %x %#x %08X %o", UINT_MAX, 255u, 255u, 0xabcu, 8u);
    SAME(t, "%hhu %hd %c%c", (unsigned char)200, (short)-3, 'a', '%');
    SAME(t, "%ld %lu %lld %llu %llx", LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX, 1ull << 63);
    SAME(t, "%zu %zd %td %jd", SIZE_MAX, (ptrdiff_t)-1, (ptrdiff_t)-2, (intmax_t)-3);
    SAME(t, "%" PRIu64 " %" PRId64 " %" PRIx64, UINT64_MAX, INT64_MIN, UINT64_MAX);
    SAME(t, "%f %.2f %8.3f|%-9.1e|%g %.9g %a %+.1f%%", 1.5, 2.345, -3.0, 4e10, 5e-7, 1.0 / 3, 0.5, 12.34);
    SAME(t, "%*d|%-*d|%.*f|%*.*f", 6, 1, 6, 2, 3, 1.0 / 3, 9, 2, 2.0);
    SAME(t, "%s|%10s|%-10s|%.2s|%.*s|%s", "a", "b", "c", "defg", 3, "hijk", "");
}

static void test_format(struct test *t)
{
    struct strbuf out = {0};
    printable_format(&out, "%s:\n%-6s|%6s|%.3s|%c", "a\nb", "\a", "\a", "\342\202\254\342", '\033');
    CHECK_STR(t, strbuf_text(&out), "a\\x0ab:\n\\x07  |     \\x07|€|\\x1b");
    strbuf_clear(&out);
    printable_format(&out, "%.4s|%.2s|%.1s", "€€", "€", "é"); // a character cut in two is dropped
    CHECK_STR(t, strbuf_text(&out), "€||");
    strbuf_fini(&out);
}

// An array of `precision` bytes at the end of mapped memory; the last byte begins a character.
static void test_array(struct test *t)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct strbuf out = {0};
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(t, pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    char *text = pages + page - 4;
    memcpy(text, "abc\xe2", 4);
    printable_format(&out, "%.*s|%.3s", 4, text, text);
    CHECK_STR(t, strbuf_text(&out), "abc|abc");
    strbuf_fini(&out);
    munmap(pages, 2 * page);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"words", test_words}, {"numbers", test_numbers}, {"format", test_format}, {"array", test_array}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
