// Packed texts: unpacking gives the packed text byte for byte, and damage is refused. With MODE=asan, damaged input
// shows that unpacking touches no byte outside the input and the text.
#include "base/arena.h"
#include "base/file.h"
#include "base/packed.h"
#include "base/rng.h"
#include "harness/test.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

// Unpacks from a heap block of exact length, so that AddressSanitizer sees a read past the end.
static bool unpack(const char *bytes, size_t length, char **text, size_t *text_length, const char **why)
{
    char *exact = malloc(length ? length : 1);
    memcpy(exact, bytes, length);
    bool good = packed_read(exact, length, text, text_length, why);
    free(exact);
    return good;
}

// Packs and unpacks. Returns the packed length.
static size_t check_text(struct test *t, const char *name, const char *text, size_t length)
{
    struct strbuf packed = {0};
    char *again = NULL;
    size_t again_length = 0;
    const char *why = "";
    CHECK(t, packed_write(text, length, &packed) && packed_is(packed.text, packed.length));
    bool good = unpack(packed.text, packed.length, &again, &again_length, &why);
    CHECK_MSG(t, good, "%s %s", name, why);
    CHECK_MSG(t, good && again_length == length && !again[length] && memcmp(again, text, length) == 0,
              "%s: another text came back", name);
    size_t packed_length = packed.length;
    free(again);
    strbuf_fini(&packed);
    return packed_length;
}

static void test_small(struct test *t)
{
    check_text(t, "no byte", "", 0);
    check_text(t, "a byte", "x", 1);
    check_text(t, "two bytes", "xx", 2);
    check_text(t, "two symbols", "xy", 2);
    check_text(t, "NUL", "\0\0\0", 3);
    check_text(t, "a line", "\tadd.s32 \t%r1, %r2, %r3;\n", 24);
}

// Appends up to 1,024 bytes: random bytes below `values`, or a copy from a random place, perhaps overlapping.
static void append_piece(struct rng *r, struct strbuf *text, unsigned values)
{
    uint32_t many = 1 + rng_below(r, 1u << rng_below(r, 11)), from = rng_below(r, (uint32_t)text->length + 1);
    bool is_copy = from < text->length && rng_below(r, 2);
    for (uint32_t i = 0; i < many; i++)
        strbuf_putc(text, is_copy ? text->text[from + i] : (char)rng_below(r, values));
}

static void test_made(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (int round = 0; round < 200; round++) {
        struct strbuf text = {0};
        unsigned values = 1 + rng_below(&r, 256);
        while (text.length < 5000) append_piece(&r, &text, values);
        check_text(t, "a made text", text.text, text.length);
        strbuf_fini(&text);
    }
}

static void test_sizes(struct test *t)
{
    enum { LENGTH = 300000 };
    struct rng r;
    rng_init(&r, test_seed(2));
    char *text = heap_alloc(LENGTH);
    CHECK(t, check_text(t, "zeros", text, LENGTH) < 100);
    for (size_t i = 0; i < LENGTH; i++) text[i] = (char)rng_next(&r);
    // Incompressible: header and codes are added.
    CHECK(t, check_text(t, "noise", text, LENGTH) < LENGTH + LENGTH / 200);
    free(text);
}

// Lines of PTX with growing numbers.
static void test_lines(struct test *t)
{
    struct strbuf text = {0};
    for (int i = 0; i < 20000; i++)
        strbuf_printf(&text, "\tfma.rn.f32 \t%%f%d, %%f%d, %%f7, %%f%d;\n", i, i / 3, i);
    CHECK(t, check_text(t, "lines", text.text, text.length) < text.length / 10);
    strbuf_fini(&text);
}

static void make_sample(struct strbuf *text, struct strbuf *packed)
{
    for (int i = 0; i < 40; i++)
        strbuf_printf(text, "\tld.global.f32 \t%%f%d, [%%rd%d+%d];\n", i, i * i % 7, 4 * i);
    packed_write(text->text, text->length, packed);
}

static void check_refused(struct test *t, const char *bytes, size_t length, const char *what, size_t at)
{
    char *text = NULL;
    size_t text_length;
    const char *why = NULL;
    bool good = unpack(bytes, length, &text, &text_length, &why);
    CHECK_MSG(t, !good && !text, "%s %zu was not noticed", what, at);
    CHECK_MSG(t, why && *why, "%s %zu: no message", what, at);
    free(text);
}

static void test_truncated(struct test *t)
{
    struct strbuf text = {0}, packed = {0};
    make_sample(&text, &packed);
    for (size_t n = 0; n < packed.length; n++) check_refused(t, packed.text, n, "an end at byte", n);
    strbuf_putc(&packed, 0);
    check_refused(t, packed.text, packed.length, "a byte behind byte", packed.length - 1);
    strbuf_fini(&text);
    strbuf_fini(&packed);
}

// True: the text is intact in spite of a flipped bit, for example by a copy of equal bytes from a different place.
static bool is_same(const struct strbuf *packed, const struct strbuf *text)
{
    char *again = NULL;
    size_t length;
    const char *why;
    bool same = unpack(packed->text, packed->length, &again, &length, &why) && length == text->length &&
                memcmp(again, text->text, length) == 0;
    free(again);
    return same;
}

static void test_flipped(struct test *t)
{
    struct strbuf text = {0}, packed = {0};
    unsigned refused = 0;
    make_sample(&text, &packed);
    for (size_t bit = 0; bit < packed.length * 8; bit++) {
        packed.text[bit / 8] ^= (char)(1 << bit % 8);
        if (!is_same(&packed, &text)) {
            check_refused(t, packed.text, packed.length, "a flip of bit", bit);
            refused++;
        }
        packed.text[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK(t, refused > packed.length * 8 - 20);
    strbuf_fini(&text);
    strbuf_fini(&packed);
}

// Random bytes behind a good header.
static void test_noise(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(3));
    char bytes[400] = PACKED_MAGIC;
    for (int round = 0; round < 20000; round++) {
        size_t length = PACKED_HEADER + rng_below(&r, sizeof bytes - PACKED_HEADER);
        uint32_t announced = 1 + (uint32_t)rng_below(&r, 1u << rng_below(&r, 20));
        memcpy(bytes + sizeof PACKED_MAGIC, &announced, sizeof announced);
        for (size_t i = sizeof PACKED_MAGIC + sizeof announced; i < length; i++)
            bytes[i] = (char)rng_next(&r);
        check_refused(t, bytes, length, "noise of length", length);
    }
}

static void test_messages(struct test *t)
{
    char *text;
    size_t length;
    const char *why;
    CHECK(t, !packed_read("PTX", 3, &text, &length, &why));
    CHECK_STR(t, why, "is no packed text");
    CHECK(t, !packed_read(PACKED_MAGIC, sizeof PACKED_MAGIC, &text, &length, &why));
    CHECK_STR(t, why, "is no packed text");
    char huge[PACKED_HEADER] = PACKED_MAGIC "\0\xff\xff\xff\xff";
    CHECK(t, !packed_read(huge, sizeof huge, &text, &length, &why));
    CHECK_STR(t, why, "is a damaged packed text");
}

// A file is preferred to the packed file beside the file; a packed file is also read by name.
static void test_files(struct test *t)
{
    struct strbuf path = {0}, packed = {0};
    char *text;
    size_t length;
    const char *why;
    strbuf_printf(&path, "%s/k.ptx" PACKED_ENDING, test_directory(t));
    packed_write("packed", 6, &packed);
    CHECK(t, file_write(path.text, packed.text, packed.length, &why));
    CHECK(t, packed_read_file(path.text, &text, &length, &why));
    CHECK_STR(t, text, "packed");
    free(text);
    path.text[path.length - strlen(PACKED_ENDING)] = 0;
    CHECK(t, packed_read_file(path.text, &text, &length, &why));
    CHECK_STR(t, text, "packed");
    free(text);
    CHECK(t, file_write(path.text, "plain", 5, &why));
    CHECK(t, packed_read_file(path.text, &text, &length, &why));
    CHECK_STR(t, text, "plain");
    free(text);
    path.text[path.length - strlen(PACKED_ENDING) - 1] = 'y';
    CHECK(t, !packed_read_file(path.text, &text, &length, &why));
    CHECK_STR(t, why, "No such file or directory");
    strbuf_fini(&path);
    strbuf_fini(&packed);
}

// Every packed file of the tree is unpacked. In the quick form every tenth is packed again.
static void test_tree(struct test *t)
{
    glob_t found = {0};
    CHECK(t, glob("silicon/ptx/*" PACKED_ENDING, 0, NULL, &found) == 0 && found.gl_pathc > 100);
    size_t whole = 0, packed = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *bytes, *text = NULL;
        size_t bytes_length, length = 0;
        const char *why = "";
        CHECK(t, file_read(found.gl_pathv[i], &bytes, &bytes_length, &why));
        bool good = unpack(bytes, bytes_length, &text, &length, &why);
        CHECK_MSG(t, good, "%s %s", found.gl_pathv[i], why);
        whole += length;
        packed += bytes_length;
        if (good && (!test_is_quick() || i % 10 == 0)) check_text(t, found.gl_pathv[i], text, length);
        free(text);
        free(bytes);
    }
    CHECK_MSG(t, packed * 9 < whole, "%zu bytes of PTX are packed in %zu", whole, packed);
    globfree(&found);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"small", test_small}, {"made", test_made},           {"sizes", test_sizes},
        {"lines", test_lines}, {"truncated", test_truncated}, {"flipped", test_flipped},
        {"noise", test_noise}, {"messages", test_messages},   {"files", test_files},
        {"tree", test_tree},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
