// SPEC: every type at its limits, every content against its definition, and a message for every error.
#include "base/narrow.h"
#include "base/rng.h"
#include "cli/spec.h"
#include "harness/files.h"
#include "harness/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse(struct spec *s, const char *text, char message[512])
{
    struct diag d;
    struct strbuf out = {0};
    diag_init(&d);
    bool ok = spec_parse(s, text, NULL, "--arg 2", loc_none(), &d);
    diag_format(&d, false, &out);
    snprintf(message, 512, "%s", strbuf_text(&out));
    strbuf_fini(&out);
    diag_fini(&d);
    return ok;
}

static void check_scalar(struct test *t, const char *text, unsigned bytes, uint64_t want)
{
    struct spec s;
    char message[512];
    bool ok = parse(&s, text, message);
    CHECK_MSG(t, ok, "%s: %s", text, message);
    if (!ok) return;
    uint64_t got = 0;
    memcpy(&got, s.value, bytes);
    CHECK_MSG(t, s.kind == SPEC_SCALAR && spec_size_bytes(&s) == bytes && got == want,
              "%s gives 0x%llx in %llu bytes", text, (unsigned long long)got,
              (unsigned long long)spec_size_bytes(&s));
    spec_fini(&s);
}

static void test_scalars(struct test *t)
{
    check_scalar(t, "u8=255", 1, 255);
    check_scalar(t, "s8=-128", 1, 0x80);
    check_scalar(t, "u16=0xffff", 2, 0xffff);
    check_scalar(t, "s16=-1", 2, 0xffff);
    check_scalar(t, "u32=4294967295", 4, 0xffffffff);
    check_scalar(t, "s32=-2147483648", 4, 0x80000000);
    check_scalar(t, "s32=010", 4, 8);
    check_scalar(t, "u64=18446744073709551615", 8, UINT64_MAX);
    check_scalar(t, "s64=-0x8000000000000000", 8, 0x8000000000000000);
    check_scalar(t, "f32=1.5", 4, 0x3fc00000);
    check_scalar(t, "f32=-0", 4, 0x80000000);
    check_scalar(t, "f32=nan", 4, 0x7fc00000);
    check_scalar(t, "f32=-inf", 4, 0xff800000);
    check_scalar(t, "f32=0x1p-149", 4, 1);
    // Between two floats, nearer to the lower by less than half a unit of a double's last
    // place. Double rounding would go up.
    check_scalar(t, "f32=1.00000005960464477539062500000000001", 4, 0x3f800001);
    check_scalar(t, "f32=1.000000178813934326171874999999999", 4, 0x3f800001);
    check_scalar(t, "f64=0.1", 8, 0x3fb999999999999a);
}

static void test_refusals(struct test *t)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"u8=256", "\"256\" is not a valid u8; must be 0 to 255"},
        {"u8=-1", "\"-1\" is not a valid u8; must be 0 to 255"},
        {"s8=128", "\"128\" is not a valid s8; must be -128 to 127"},
        {"s32=2147483648", "\"2147483648\" is not a valid s32; must be -2147483648 to 2147483647"},
        {"u64=18446744073709551616",
         "\"18446744073709551616\" is not a valid u64; must be 0 to 18446744073709551615"},
        {"u32=1.5", "\"1.5\" is not a valid u32; must be 0 to 4294967295"},
        {"u32=", "\"\" is not a valid u32; must be 0 to 4294967295"},
        {"f32=1e39", "\"1e39\" is not a valid f32; must be a number up to 3.4028235e38, nan or inf"},
        {"f64=1e309",
         "\"1e309\" is not a valid f64; must be a number up to 1.7976931348623157e308, nan or inf"},
        {"f32=one", "\"one\" is not a valid f32; must be a number up to 3.4028235e38, nan or inf"},
        {"f33=1", "unknown form \"f33\"; did you mean \"f32\"?"},
        {"buff=f32:4:zero", "unknown form \"buff\"; did you mean \"buf\"?"},
        {"whatever=4",
         "unknown form \"whatever\"; must be one of TYPE=, buf=, tex=, bytes=, struct= and tensormap="},
        {"1024", "write TYPE=VALUE, buf=TYPE:COUNT:INIT, tex=TYPE:WxH:INIT or bytes=HEX"},
        {"", "write TYPE=VALUE, buf=TYPE:COUNT:INIT, tex=TYPE:WxH:INIT or bytes=HEX"},
        {"buf=f32:4", "write buf=TYPE:COUNT:INIT"},
        {"buf=f8:4:zero", "unknown type \"f8\"; did you mean \"u8\"?"},
        {"buf=f32:four:zero", "\"four\" is not a count; write buf=TYPE:COUNT:INIT"},
        {"buf=f32:-4:zero", "\"-4\" is not a count; write buf=TYPE:COUNT:INIT"},
        {"buf=f32:4611686018427387904:zero", "more bytes than 64 bits can count"},
        {"buf=f32:4:zeros", "unknown content \"zeros\"; did you mean \"zero\"?"},
        {"buf=f32:4:rnd:3", "unknown content \"rnd:3\"; did you mean \"rand:\"?"},
        {"buf=f32:4:",
         "unknown content \"\"; must be one of none, zero, iota, const:V, rand:SEED and file:PATH"},
        {"buf=f32:4:rand:", "\"\" is not a seed; rand: takes a 64-bit number"},
        {"buf=u8:4:const:300", "\"300\" is not a valid u8; must be 0 to 255"},
        {"buf=f32:4:file:/no/such", "/no/such: No such file or directory"},
        {"buf=f32:4:file:/dev/null", "/dev/null has 0 bytes, not the 16 of 4 x f32"},
        {"bytes=abc", "bytes= takes pairs of hex digits, or @ and a path"},
        {"bytes=", "bytes= takes pairs of hex digits, or @ and a path"},
        {"bytes=zz", "\"z\" is not a hex digit"},
        {"bytes=@/no/such", "/no/such: No such file or directory"},
        {"tex=f64:4:zero", "a texture cannot hold f64"},
        {"tex=f32:4x0:zero", "a side of 0 texels; must be 1 to 4294967295"},
        {"tex=f32:4x4x4x4:zero", "a texture has at most three sides"},
        {"tex=f32:4xfour:zero", "\"four\" is not a count; write tex=TYPE:W[xH[xD]]:INIT"},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct spec s;
        char message[512], want[512];
        CHECK_MSG(t, !parse(&s, rows[i].text, message), "\"%s\" was accepted", rows[i].text);
        snprintf(want, sizeof want, "error: --arg 2: \"%s\": %s\n", rows[i].text, rows[i].message);
        CHECK_STR(t, message, want);
    }
}

static void test_contents(struct test *t)
{
    struct spec s;
    char message[512];
    uint8_t bytes[600];
    CHECK(t, parse(&s, "buf=u8:600:iota", message));
    spec_fill(&s, 0, 600, bytes);
    for (unsigned i = 0; i < 600; i++) CHECK(t, bytes[i] == (uint8_t)i);
    CHECK(t, parse(&s, "buf=s16:9:const:-2", message));
    int16_t halves[9];
    spec_fill(&s, 0, 9, halves);
    for (unsigned i = 0; i < 9; i++) CHECK(t, halves[i] == -2);
    float floats[4];
    CHECK(t, parse(&s, "buf=f32:20000000:iota", message));
    spec_fill(&s, 16777215, 4, floats); // past 2^24 not every integer is a float
    CHECK(t, floats[0] == 16777215.0f && floats[1] == 16777216.0f && floats[2] == 16777216.0f &&
                 floats[3] == 16777218.0f);
    CHECK(t, parse(&s, "buf=f64:3:zero", message));
    double doubles[3] = {1, 2, 3};
    spec_fill(&s, 0, 3, doubles);
    CHECK(t, doubles[0] == 0 && doubles[2] == 0);
}

// rand:SEED is splitmix64; any part equals the same part of the whole.
static void test_random(struct test *t)
{
    static const char *const forms[] = {"buf=u8:50:rand:7",  "buf=s32:50:rand:7", "buf=u64:50:rand:7",
                                        "buf=f32:50:rand:7", "buf=f64:50:rand:7", "buf=f16:50:rand:7",
                                        "buf=bf16:50:rand:7"};
    for (size_t k = 0; k < TEST_COUNT(forms); k++) {
        struct spec s;
        char message[512];
        uint8_t all[400], part[400];
        CHECK(t, parse(&s, forms[k], message));
        size_t size = spec_type_bytes(s.type);
        spec_fill(&s, 0, 50, all);
        spec_fill(&s, 13, 20, part);
        CHECK(t, memcmp(all + 13 * size, part, 20 * size) == 0);
        struct rng r;
        rng_init(&r, 7);
        for (unsigned i = 0; i < 50; i++) {
            uint64_t z = rng_next(&r), got = 0;
            float f = (float)(z >> 40) * 0x1p-24f;
            double d = (double)(z >> 11) * 0x1p-53;
            memcpy(&got, all + i * size, size);
            if (s.type == SPEC_F32)
                CHECK(t, memcmp(&f, all + i * size, 4) == 0);
            else if (s.type == SPEC_F64)
                CHECK(t, memcmp(&d, all + i * size, 8) == 0);
            else if (s.type == SPEC_F16)
                CHECK(t, narrow_to(NARROW_F16, (uint16_t)got) == (double)(z >> 53) * 0x1p-11);
            else if (s.type == SPEC_BF16)
                CHECK(t, narrow_to(NARROW_BF16, (uint16_t)got) == (double)(z >> 56) * 0x1p-8);
            else
                CHECK(t, got == (z & (size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1)));
        }
    }
}

static void test_bytes_and_textures(struct test *t)
{
    struct spec s;
    char message[512];
    CHECK(t, parse(&s, "bytes=00fF10", message) && s.kind == SPEC_BYTES && s.length == 3);
    CHECK(t, memcmp(s.bytes, "\x00\xff\x10", 3) == 0);
    spec_fini(&s);
    CHECK(t, parse(&s, "tex=u8:16x0x8x3:iota", message)); // 0x8 is an extent
    CHECK(t, s.kind == SPEC_TEXTURE && s.extent[0] == 16 && s.extent[1] == 8 && s.extent[2] == 3 &&
                 s.count == 384);
    CHECK(t,
          parse(&s, "tex=f32:7:zero", message) && s.extent[0] == 7 && s.extent[1] == 0 && s.extent[2] == 0);
}

// Fields are aligned as in C, and the whole to the widest field.
static void test_structures(struct test *t)
{
    struct fields {
        uint8_t a;
        uint16_t half, brain;
        float b;
        uint8_t c;
        double d;
        uint16_t e;
        uint64_t pointer;
        int8_t last;
    } want = {1, 0x3e00, 0xbf80, 0.1f, 200, 0.1, 0xffff, 0, -1};
    struct spec s;
    char message[512];
    CHECK_MSG(
        t, parse(&s, "struct=u8:1,f16:1.5,bf16:-1,f32:0.1,u8:200,f64:0.1,u16:0xffff,ptr:out,s8:-1", message),
        "%s", message);
    struct fields got;
    CHECK_EQ(t, spec_size_bytes(&s), sizeof want);
    memcpy(&got, s.bytes, sizeof got);
    CHECK(t, got.a == want.a && got.half == want.half && got.brain == want.brain && got.c == want.c &&
                 got.e == want.e && got.last == want.last && memcmp(&got.b, &want.b, 4) == 0 &&
                 memcmp(&got.d, &want.d, 8) == 0);
    CHECK_EQ(t, s.pointer_count, 1);
    CHECK(t,
          s.pointers[0].offset == offsetof(struct fields, pointer) && strcmp(s.pointers[0].name, "out") == 0);
    spec_fini(&s);
    static const char *const refused[][2] = {{"struct=", "is no field; write TYPE:VALUE or ptr:NAME"},
                                             {"struct=u8", "is no field"},
                                             {"struct=u8:1,", "is no field"},
                                             {"struct=u9:1", "unknown type \"u9\""},
                                             {"struct=u8:256", "is not a valid u8"},
                                             {"struct=ptr:x,f16:70000", "is not a valid f16"},
                                             {"tex=f16:8:zero", "a texture cannot hold f16"}};
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        CHECK(t, !parse(&s, refused[i][0], message));
        CHECK_HAS(t, message, refused[i][1]);
    }
}

// The words of a map as a card's driver makes them, but for the address.
static void test_tensor_maps(struct test *t)
{
    static const struct {
        unsigned word;
        uint32_t value;
    } words[] = {{0, 0},           {2, 0x2310}, {3, 4},      {8, 31},    {9, 15},
                 {13, 0x0f000000}, {14, 7},     {16, 0x100}, {18, 0x100}};
    struct spec s;
    char message[512];
    CHECK_MSG(t, parse(&s, "tensormap=a:f16:32x16:16x8:swizzle32", message), "%s", message);
    CHECK_EQ(t, spec_size_bytes(&s), 128);
    for (size_t k = 0; k < TEST_COUNT(words); k++) {
        uint32_t word;
        memcpy(&word, s.bytes + 4 * words[k].word, 4);
        CHECK_EQ(t, word, words[k].value);
    }
    CHECK(t, s.pointer_count == 1 && s.pointers[0].offset == 0 && strcmp(s.pointers[0].name, "a") == 0);
    spec_fini(&s);
    static const char *const refused[][2] = {
        {"tensormap=a:f16:32", "write tensormap=NAME:TYPE:SIZES:BOX"},
        {"tensormap=a:s8:32:16", "no elements of s8"},
        {"tensormap=a:f16:32x16:16", "as many as the tensor has dimensions"},
        {"tensormap=a:f16:32x16:16x", "as many as the tensor has dimensions"},
        {"tensormap=a:f16:32x16:16x8:swizzle8", "is not swizzle32"},
        {"tensormap=a:f16:32x16:16x8:nan:swizzle8", "\"swizzle8\" is not swizzle32"},
        {"tensormap=a:f16:33x16:16x8", "a stride that is no multiple of 16"},
        {"tensormap=a:f16:32x16:4x8", "no multiple of 16 bytes"},
        {"tensormap=a:f16:64x16:32x8:swizzle32", "longer than the swizzle"},
        {"tensormap=a:u32:64x16:32x8:nan", "NaN as the fill of integers"},
        {"tensormap=a:f16:64x16:32x300", "a box outside 1 to 256"}};
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        CHECK(t, !parse(&s, refused[i][0], message));
        CHECK_HAS(t, message, refused[i][1]);
    }
}

static void test_files(struct test *t)
{
    char path[4200], text[4400], message[512];
    snprintf(path, sizeof path, "%s/a:b.bin", test_directory(t)); // the rest of the text is the path
    test_write_file(t, path, "\1\0\2\0\3\0", 6);
    struct spec s;
    snprintf(text, sizeof text, "buf=u16:3:file:%s", path);
    uint16_t values[2];
    CHECK_MSG(t, parse(&s, text, message), "%s", message);
    spec_fill(&s, 1, 2, values);
    CHECK(t, values[0] == 2 && values[1] == 3);
    spec_fini(&s);
    struct diag d;
    diag_init(&d);
    CHECK(t, spec_parse(&s, "bytes=@a:b.bin", test_directory(t), "", loc_none(), &d) && s.length == 6);
    spec_fini(&s);
    diag_fini(&d);
}

static void test_printing(struct test *t)
{
    struct strbuf out = {0};
    spec_print_element(SPEC_S8, "\x80", &out);
    strbuf_putc(&out, ' ');
    spec_print_element(SPEC_U32, "\xff\xff\xff\xff", &out);
    strbuf_putc(&out, ' ');
    float f = 0.1f;
    spec_print_element(SPEC_F32, &f, &out);
    CHECK_STR(t, strbuf_text(&out), "-128 4294967295 0.100000001");
    strbuf_fini(&out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"scalars", test_scalars},
                                             {"refusals", test_refusals},
                                             {"contents", test_contents},
                                             {"random", test_random},
                                             {"bytes_and_textures", test_bytes_and_textures},
                                             {"structures", test_structures},
                                             {"tensor_maps", test_tensor_maps},
                                             {"files", test_files},
                                             {"printing", test_printing}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
