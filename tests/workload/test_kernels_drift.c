// PTX in the tree is up to date with its sources. A PTX file's first line has the checksum (POSIX cksum) and
// size of the .cu file and of the compiler's headers. The headers are ours, concatenated, for clang, and
// device.h for nvcc. Fails where a sum or size differs from the present files. `make kernels` repairs the
// PTX; `make check-kernels` goes further and compiles again.
#include "base/packed.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sources, compiler and folder of the PTX.
static const struct origin {
    const char *sources, *compiler, *ptx;
} ORIGINS[] = {
    {"kernels/*.cu", "nvcc", "kernels/ptx/nvcc"},
    {"kernels/*.cu", "clang", "kernels/ptx/clang"},
    {"kernels/libraries/*.cu", "nvcc", "kernels/libraries/ptx"},
    {"silicon/kernels/*.cu", "nvcc", "silicon/ptx"},
    {"silicon/micro/*.cu", "nvcc", "silicon/ptx"},
};

// POSIX cksum: CRC-32 with polynomial 0x04c11db7, most significant bit first, over
// the bytes and then the length.
static uint32_t cksum_byte(uint32_t crc, uint8_t byte)
{
    crc ^= (uint32_t)byte << 24;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 31 ? crc << 1 ^ 0x04c11db7u : crc << 1;
    return crc;
}

static uint32_t cksum(const char *bytes, size_t length)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < length; i++) crc = cksum_byte(crc, (uint8_t)bytes[i]);
    for (size_t n = length; n; n >>= 8) crc = cksum_byte(crc, (uint8_t)n);
    return ~crc;
}

static void append_file(struct test *t, struct strbuf *all, const char *path)
{
    size_t length;
    char *bytes = test_read_file(t, path, &length);
    strbuf_write(all, bytes, length);
    free(bytes);
}

// Appends a .cu file and, if it is a variant, the included .cu file.
static void append_source(struct test *t, struct strbuf *all, const char *path)
{
    static const char *const include = "\n#include \"";
    size_t before = all->length, folder = (size_t)(strrchr(path, '/') + 1 - path);
    char included[256];
    append_file(t, all, path);
    for (const char *at = all->text + before; (at = strstr(at, include)) != NULL;) {
        at += strlen(include);
        size_t length = strcspn(at, "\"\n");
        if (length < 3 || strncmp(at + length - 3, ".cu", 3) != 0) continue;
        snprintf(included, sizeof included, "%.*s%.*s", (int)folder, path, (int)length, at);
        append_file(t, all, included);
        return;
    }
}

// "NAME SUM BYTES" of the text read so far, in the form of the PTX; clears the text.
static void describe(struct strbuf *all, const char *name, char text[128])
{
    snprintf(text, 128, "%s %" PRIu32 " %zu", name, cksum(all->text, all->length), all->length);
    strbuf_fini(all);
    *all = (struct strbuf){0};
}

static void describe_headers(struct test *t, bool is_clang, char text[128])
{
    struct strbuf all = {0};
    glob_t headers;
    append_file(t, &all, "kernels/device.h");
    if (is_clang && glob("kernels/include/warpfold/*.h", 0, NULL, &headers) == 0) {
        for (size_t i = 0; i < headers.gl_pathc; i++) append_file(t, &all, headers.gl_pathv[i]);
        globfree(&headers);
    }
    describe(&all, "headers", text);
}

static void test_cksum(struct test *t)
{
    CHECK_EQ(t, cksum("", 0), 4294967295u);         // printf '' | cksum
    CHECK_EQ(t, cksum("123456789", 9), 930766865u); // printf 123456789 | cksum
}

static void check_ptx(struct test *t, const char *folder, const char *source, const char *expected)
{
    const char *name = strrchr(source, '/') + 1;
    char path[256], *ptx;
    size_t length;
    const char *why;
    snprintf(path, sizeof path, "%s/%.*s.ptx", folder, (int)(strlen(name) - strlen(".cu")), name);
    if (!packed_read_file(path, &ptx, &length, &why)) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", path, why);
        return;
    }
    CHECK_MSG(t, strncmp(ptx, expected, strlen(expected)) == 0,
              "%s was made from other sources: run make kernels", path);
    CHECK_MSG(t, strstr(ptx, "\"/") == NULL, "%s holds an absolute path", path);
    free(ptx);
}

static void check_origin(struct test *t, const struct origin *origin)
{
    char headers[128], source[128], expected[400];
    describe_headers(t, strcmp(origin->compiler, "clang") == 0, headers);
    struct strbuf text = {0};
    glob_t sources;
    if (glob(origin->sources, 0, NULL, &sources) != 0) {
        test_fail(t, __FILE__, __LINE__, "no %s: tests run from the root of the repository", origin->sources);
        return;
    }
    for (size_t i = 0; i < sources.gl_pathc; i++) {
        append_source(t, &text, sources.gl_pathv[i]);
        describe(&text, sources.gl_pathv[i], source);
        snprintf(expected, sizeof expected, "// source: %s, %s\n", source, headers);
        check_ptx(t, origin->ptx, sources.gl_pathv[i], expected);
    }
    globfree(&sources);
}

static void test_sources_match(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(ORIGINS); i++) check_origin(t, &ORIGINS[i]);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"cksum", test_cksum}, {"sources_match", test_sources_match}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
