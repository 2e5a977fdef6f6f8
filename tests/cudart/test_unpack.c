// Packed payloads: LZ4 with overlapping matches and broken blocks, zstd, and containers in every form.
#include "base/arena.h"
#include "cudart/cuda.h"
#include "cudart/fatbin.h"
#include "cudart/unpack.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

static void test_lz4(struct test *t)
{
    // "abc", then 9 bytes from 3 back, then "x": a match that overlaps its own output.
    static const uint8_t block[] = {0x35, 'a', 'b', 'c', 3, 0, 0x10, 'x'};
    char out[14] = {0};
    CHECK(t, unpack_lz4(block, sizeof block, out, 13));
    CHECK_STR(t, out, "abcabcabcabcx");
    CHECK(t, !unpack_lz4(block, sizeof block, out, 12));     // too little room
    CHECK(t, !unpack_lz4(block, sizeof block, out, 14));     // too little text
    CHECK(t, !unpack_lz4(block, sizeof block - 4, out, 13)); // cut off within a distance
    static const uint8_t far[] = {0x11, 'a', 9, 0, 0x10, 'x'};
    CHECK(t, !unpack_lz4(far, sizeof far, out, 7)); // a match before the output
    static const uint8_t endless[] = {0xf0, 255, 255};
    CHECK(t, !unpack_lz4(endless, sizeof endless, out, 13));
}

// A length of 15 + 255 + 30 literals, and of 15 + 4 + 240 bytes of a match.
static void test_lz4_long(struct test *t)
{
    uint8_t block[400] = {0xff, 255, 30};
    char out[300 + 259], want[300 + 259];
    for (int i = 0; i < 300; i++) block[3 + i] = (uint8_t)(i % 251);
    memcpy(block + 303, "\x01\x00\xf0", 3);
    memcpy(want, block + 3, 300);
    memset(want + 300, want[299], 259);
    CHECK(t, unpack_lz4(block, 306, out, sizeof out));
    CHECK(t, memcmp(out, want, sizeof out) == 0);
}

static void check_text(struct test *t, enum fat_packing packing)
{
    char ptx[1000];
    for (size_t i = 0; i < sizeof ptx; i++) ptx[i] = (char)('a' + i * i % 23);
    struct fatbin_parts parts;
    struct fatbin_text text;
    CHECK(t, fatbin_open(fat_make(ptx, sizeof ptx, packing), &parts));
    enum fatbin_result result = fatbin_text_of(&parts, 90, &text);
    CHECK_EQ(t, result, packing == FAT_MACHINE_CODE ? FATBIN_NO_PTX : FATBIN_FOUND);
    if (result != FATBIN_FOUND) return;
    CHECK_EQ(t, text.length, sizeof ptx);
    CHECK_EQ(t, text.architecture, 75);
    CHECK(t, memcmp(text.ptx, ptx, sizeof ptx) == 0);
    free(text.ptx);
}

static void test_containers(struct test *t)
{
    check_text(t, FAT_PLAIN);
    check_text(t, FAT_LZ4);
    check_text(t, FAT_MACHINE_CODE);
    if (!unpack_has_zstd())
        test_skip(t, "libzstd.so.1 is not installed");
    else
        check_text(t, FAT_ZSTD);
}

static void test_broken(struct test *t)
{
    struct fatbin_parts parts = {0};
    struct fatbin_text text;
    uint32_t nothing[8] = {0};
    CHECK(t, !fatbin_open(nothing, &parts));
    CHECK(t, !fatbin_open(NULL, &parts));
    CHECK_EQ(t, fatbin_text_of(&parts, 90, &text), FATBIN_BROKEN);
    parts.container = nothing;
    CHECK_EQ(t, fatbin_text_of(&parts, 90, &text), FATBIN_BROKEN);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"lz4", test_lz4},
                                             {"lz4-long", test_lz4_long},
                                             {"containers", test_containers},
                                             {"broken", test_broken}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
