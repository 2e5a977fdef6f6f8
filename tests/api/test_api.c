// The public API over small kernels: memory, variables, arguments, textures, launches, messages, independence
// of contexts. Fails where a documented call gives another result or message.
#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/counter.h"
#include "harness/fixture.h"
#include "harness/test.h"

#include <fenv.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define KERNELS "tests/api/kernels.ptx"

static struct fixture setup(struct test *t) { return fixture_begin(t, NULL, "", KERNELS, 0); }

static struct wf_kernel *find(struct fixture *f, const char *name)
{
    struct wf_kernel *k = f->m ? wf_kernel_find(f->m, name) : NULL;
    CHECK_MSG(f->t, k != NULL, "%s: %s", name, wf_errors(f->c));
    return k;
}

static enum wf_status launch(struct fixture *f, const char *name, unsigned grid, unsigned block,
                             void *const *args, size_t count, struct wf_stats *stats)
{
    struct wf_launch_config shape = {.grid = {grid, 1, 1}, .block = {block, 1, 1}};
    struct wf_kernel *k = find(f, name);
    return k ? wf_launch(k, &shape, args, count, stats) : WF_BAD_INPUT;
}

static void check_launch(struct fixture *f, const char *name, unsigned grid, unsigned block,
                         void *const *args, size_t count)
{
    enum wf_status status = launch(f, name, grid, block, args, count, NULL);
    CHECK_MSG(f->t, status == WF_OK, "%s: status %d\n%s", name, (int)status, wf_errors(f->c));
}

static void check_error(struct fixture *f, const char *want)
{
    CHECK_STR(f->t, wf_errors(f->c), want);
    wf_clear_errors(f->c);
    CHECK_STR(f->t, wf_errors(f->c), "");
}

static void test_arguments(struct test *t)
{
    enum { COUNT = 1000 };
    struct fixture f = setup(t);
    float in[COUNT], out[COUNT], k = -1.5f;
    for (int i = 0; i < COUNT; i++) in[i] = (float)i * 0.25f;
    uint64_t a = wf_alloc(f.c, sizeof in), b = wf_alloc(f.c, sizeof out);
    CHECK(t, wf_write(f.c, a, in, sizeof in) == WF_OK);
    uint32_t n = COUNT - 3; // the last three elements stay unchanged
    check_launch(&f, "scale", 4, 256, (void *[]){&a, &b, &k, &n}, 4);
    CHECK(t, wf_read(f.c, b, out, sizeof out) == WF_OK);
    for (int i = 0; i < COUNT; i++) CHECK(t, out[i] == (i < COUNT - 3 ? 2 * in[i] + k : 0));

    struct {
        uint32_t words[3];
    } structure = {{7, 8, 9}};
    uint32_t words[3];
    check_launch(&f, "by_value", 1, 1, (void *[]){&structure, &a}, 2);
    CHECK(t, wf_read(f.c, a, words, sizeof words) == WF_OK && memcmp(words, &structure, sizeof words) == 0);

    // The same arguments as a packed block, laid out by the parameter descriptions.
    struct wf_kernel *kernel = find(&f, "by_value");
    const struct wf_kernel_facts *info = wf_kernel_info(kernel);
    CHECK(t, info->param_count == 2 && info->params[0].bytes == 12 && info->params[1].offset == 16 &&
                 info->param_bytes == 24);
    uint8_t block[24] = {1};
    memcpy(block + 16, &b, 8);
    struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    CHECK(t, wf_launch_packed(kernel, &one, block, sizeof block, NULL) == WF_OK);
    CHECK(t, wf_read(f.c, b, words, sizeof words) == WF_OK && words[0] == 1 && words[1] == 0);
    CHECK(t, wf_launch_packed(kernel, &one, block, 23, NULL) == WF_BAD_INPUT);
    check_error(&f, "error: kernel by_value takes a parameter block of 24 bytes; 23 were given\n");
    fixture_end(&f);
}

// A block of parameters may end inside a word: in a flag, a character, a short, three bytes of a structure.
static void test_last_parameter(struct test *t)
{
    static const struct {
        const char *declared, *load, *at;
        uint32_t want; // of the bytes 0x81 0x82 0x83
        uint32_t bytes;
    } rows[] = {{".param .u8 last", "u8", "last", 0x81, 1},
                {".param .s8 last", "s8", "last", 0xffffff81, 1},
                {".param .u16 last", "u16", "last", 0x8281, 2},
                {".param .s16 last", "s16", "last", 0xffff8281, 2},
                {".param .align 1 .b8 last[3]", "u8", "last+2", 0x83, 3},
                {".param .align 2 .b8 last[6]", "u16", "last+4", 0, 6}};
    static uint8_t last[] = {0x81, 0x82, 0x83, 0, 0, 0};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct strbuf text = {0};
        uint32_t got = 1;
        struct wf_context *c = wf_context_create();
        uint64_t out = wf_alloc(c, 4);
        strbuf_printf(
            &text,
            ".version 6.0\n.target sm_60\n.address_size 64\n"
            ".visible .entry k(.param .u64 out, %s)\n{\n .reg .b32 %%r; .reg .b64 %%d;\n"
            " ld.param.u64 %%d, [out];\n ld.param.%s %%r, [%s];\n st.global.u32 [%%d], %%r;\n ret;\n}\n",
            rows[k].declared, rows[k].load, rows[k].at);
        struct wf_module *m = wf_module_load(c, "last.ptx", text.text, text.length);
        struct wf_kernel *kernel = m ? wf_kernel_find(m, "k") : NULL;
        struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        bool good = kernel && wf_kernel_info(kernel)->param_bytes == 8 + rows[k].bytes &&
                    wf_launch(kernel, &one, (void *[]){&out, last}, 2, NULL) == WF_OK;
        CHECK_MSG(t, good, "%s: %s", rows[k].declared, wf_errors(c));
        wf_read(c, out, &got, sizeof got);
        CHECK_EQ(t, got, rows[k].want);
        wf_context_destroy(c);
        strbuf_fini(&text);
    }
}

static void test_variables(struct test *t)
{
    struct fixture f = setup(t);
    uint64_t out = wf_alloc(f.c, 28), address, bytes;
    uint32_t got[7];
    CHECK(t, wf_symbol(f.m, "bias", &address, &bytes) == WF_OK && bytes == 4);
    uint32_t bias = 77;
    CHECK(t, wf_write(f.c, address, &bias, 4) == WF_OK); // cudaMemcpyToSymbol
    check_launch(&f, "variables", 1, 1, (void *[]){&out}, 1);
    CHECK(t, wf_read(f.c, out, got, sizeof got) == WF_OK);
    const uint32_t want[7] = {100, 10, 30, 7, 7, 6, 77};
    for (int i = 0; i < 7; i++) CHECK_EQ(t, got[i], want[i]);

    CHECK(t, wf_symbol(f.m, "words", &address, &bytes) == WF_OK && bytes == 16);
    CHECK(t, wf_fill(f.c, address, 0x01020304, 4, 4) == WF_OK);
    check_launch(&f, "variables", 1, 1, (void *[]){&out}, 1);
    CHECK(t, wf_read(f.c, out, got, sizeof got) == WF_OK && got[1] == 0x01020304 && got[2] == 0x01020304);

    CHECK(t, wf_symbol(f.m, "wordz", &address, &bytes) == WF_BAD_INPUT);
    check_error(&f, "error: no variable \"wordz\" in " KERNELS "; did you mean \"words\"?\n");
    CHECK(t, wf_symbol(f.m, "scratch", &address, &bytes) == WF_BAD_INPUT);
    fixture_end(&f);
}

// A table of function addresses serves several kernels, in any order of launches; the functions lie at
// different addresses in each kernel. A table overwritten by the program keeps the program's values.
static void test_function_tables(struct test *t)
{
    struct fixture f = setup(t);
    uint64_t out = wf_alloc(f.c, 16), address, bytes;
    uint32_t in = 5, got[4];
    for (int i = 0; i < 2; i++) {
        check_launch(&f, "operate", 1, 4, (void *[]){&out, &in}, 2);
        CHECK(t, wf_read(f.c, out, got, 16) == WF_OK);
        CHECK(t, got[0] == 10 && got[1] == 25 && got[2] == 10 && got[3] == 25);
        check_launch(&f, "operate_twice", 1, 1, (void *[]){&out, &in}, 2);
        CHECK(t, wf_read(f.c, out, got, 4) == WF_OK && got[0] == 2 * 16 * 16);
    }
    CHECK(t, wf_symbol(f.m, "operations", &address, &bytes) == WF_OK && bytes == 16);
    check_launch(&f, "operate", 1, 4, (void *[]){&out, &in}, 2);
    CHECK(t, wf_copy(f.c, address + 8, address, 8) == WF_OK); // both entries are `twice` now
    check_launch(&f, "operate", 1, 4, (void *[]){&out, &in}, 2);
    CHECK(t, wf_read(f.c, out, got, 16) == WF_OK && got[0] == 10 && got[1] == 10);
    fixture_end(&f);
}

static void test_textures(struct test *t)
{
    struct fixture f = setup(t);
    uint8_t texels[4] = {0, 51, 102, 255};
    uint64_t data = wf_alloc(f.c, 4), out = wf_alloc(f.c, 24);
    float got[6];
    wf_write(f.c, data, texels, 4);
    CHECK(t, launch(&f, "look", 1, 6, (void *[]){&out}, 1, NULL) == WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(f.c), "kernel look reads texture reference picture without a bound texture");
    wf_clear_errors(f.c);
    struct wf_texture_config config = {.texel = WF_TEXEL_U8,
                                       .channels = 1,
                                       .width = 4,
                                       .normalised_read = true,
                                       .address = {WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP, WF_ADDRESS_CLAMP}};
    uint64_t texture = wf_texture_create(f.c, data, &config);
    CHECK(t, texture != 0);
    CHECK(t, wf_bind_texture(f.m, "picture", texture) == WF_OK);
    check_launch(&f, "look", 1, 6, (void *[]){&out}, 1);
    wf_read(f.c, out, got, sizeof got);
    for (int i = 0; i < 6; i++) CHECK(t, got[i] == (float)texels[i < 4 ? i : 3] / 255.0f);

    CHECK(t, wf_bind_texture(f.m, "pictures", texture) == WF_BAD_INPUT);
    check_error(&f, "error: no texture reference \"pictures\" in " KERNELS "; did you mean \"picture\"?\n");
    CHECK(t, wf_bind_texture(f.m, "picture", 99) == WF_BAD_INPUT);
    check_error(&f, "error: 0x63 is no texture\n");
    config.width = 400;
    CHECK(t, wf_texture_create(f.c, data, &config) == 0);
    CHECK_HAS(t, wf_errors(f.c), "texture: 400 bytes at 0x");
    wf_clear_errors(f.c);
    config.channels = 3;
    CHECK(t, wf_texture_create(f.c, data, &config) == 0);
    check_error(&f, "error: texture: channels must be 1, 2 or 4\n");
    config = (struct wf_texture_config){.texel = WF_TEXEL_U16, .channels = 1, .width = 1};
    CHECK(t, wf_bind_texture(f.m, "picture", wf_texture_create(f.c, data + 1, &config)) == WF_OK);
    CHECK(t, launch(&f, "look", 1, 6, (void *[]){&out}, 1, NULL) == WF_PROGRAM_FAILED);
    CHECK_HAS(t, wf_errors(f.c), "misaligned global read of 2 bytes");
    wf_clear_errors(f.c);
    fixture_end(&f);
}

static void test_dynamic_shared(struct test *t)
{
    struct fixture f = setup(t);
    uint64_t out = wf_alloc(f.c, 64 * 4);
    uint32_t got[64];
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .shared_bytes = 256};
    CHECK(t, wf_launch(find(&f, "mirror"), &shape, (void *[]){&out}, 1, NULL) == WF_OK);
    wf_read(f.c, out, got, sizeof got);
    for (uint32_t i = 0; i < 64; i++) CHECK_EQ(t, got[i], 63 - i);
    shape.shared_bytes = 128; // half of the bytes used by the block
    CHECK(t, wf_launch(find(&f, "mirror"), &shape, (void *[]){&out}, 1, NULL) == WF_PROGRAM_FAILED);
    CHECK_HAS(t, wf_errors(f.c), "shared");
    fixture_end(&f);
}

static void test_shapes(struct test *t)
{
    static const struct {
        const char *kernel;
        struct wf_launch_config shape;
        const char *message;
    } rows[] = {
        {"trapped",
         {.grid = {0, 1, 1}, .block = {1, 1, 1}},
         "error: grid of 0 x 1 x 1: no dimension may be 0\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {1, 0, 1}},
         "error: block of 1 x 0 x 1: no dimension may be 0\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {1025, 1, 1}},
         "error: block of 1025 x 1 x 1: x may be at most 1024\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {1, 1, 65}},
         "error: block of 1 x 1 x 65: z may be at most 64\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {32, 33, 1}},
         "error: block of 32 x 33 x 1 has 1056 threads; at most 1024 are possible\n"},
        {"trapped",
         {.grid = {1, 65536, 1}, .block = {1, 1, 1}},
         "error: grid of 1 x 65536 x 1: y may be at most 65535\n"},
        {"trapped",
         {.grid = {0x80000000, 1, 1}, .block = {1, 1, 1}},
         "error: grid of 2147483648 x 1 x 1: x may be at most 2147483647\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {1, 1, 1}, .registers = 256},
         "error: 256 registers a thread; at most 255 are possible\n"},
        {"at_most_128",
         {.grid = {1, 1, 1}, .block = {129, 1, 1}},
         "error: block of 129 threads; kernel at_most_128 was compiled for at most 128 (.maxntid)\n"},
        {"exactly_64",
         {.grid = {1, 1, 1}, .block = {32, 1, 1}},
         "error: block of 32 x 1 x 1; kernel exactly_64 requires 64 x 1 x 1 (.reqntid)\n"},
        {"trapped",
         {.grid = {1, 1, 1}, .block = {1, 1, 1}, .shared_bytes = 232449},
         "error: kernel trapped: a block needs 232449 bytes of shared memory (0 static, 232449 dynamic), and "
         "the "
         "limit is 232448 (launch.max_shared)\n"},
    };
    struct fixture f = setup(t);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct wf_kernel *k = find(&f, rows[i].kernel);
        if (!k) continue;
        CHECK(t, wf_launch(k, &rows[i].shape, NULL, 0, NULL) == WF_BAD_INPUT);
        check_error(&f, rows[i].message);
    }
    struct wf_launch_config fits = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    CHECK(t, wf_launch(find(&f, "exactly_64"), &fits, NULL, 0, NULL) == WF_OK);
    CHECK(t, wf_launch(find(&f, "at_most_128"), &fits, NULL, 0, NULL) == WF_OK);
    CHECK(t, wf_launch(find(&f, "by_value"), &fits, NULL, 0, NULL) == WF_BAD_INPUT);
    check_error(&f, "error: kernel by_value takes 2 arguments (b8, u64); 0 were given\n");
    fixture_end(&f);
}

static void test_memory(struct test *t)
{
    struct fixture f = setup(t);
    uint64_t a = wf_alloc_named(f.c, 100, "table"), b = wf_alloc(f.c, 100);
    uint8_t bytes[100];
    CHECK(t, a && b && a % 256 == 0 && b % 256 == 0);
    for (int i = 0; i < 100; i++) bytes[i] = (uint8_t)i;
    CHECK(t, wf_write(f.c, a, bytes, 100) == WF_OK);
    CHECK(t, wf_copy(f.c, a + 10, a, 90) == WF_OK); // overlapping, like memmove
    CHECK(t, wf_read(f.c, a, bytes, 100) == WF_OK);
    for (int i = 0; i < 100; i++) CHECK_EQ(t, bytes[i], i < 10 ? i : i - 10);
    CHECK(t, wf_fill(f.c, b, 0xabcd, 2, 50) == WF_OK && wf_read(f.c, b, bytes, 100) == WF_OK);
    CHECK(t, bytes[0] == 0xcd && bytes[99] == 0xab);
    CHECK(t, wf_write(f.c, a, bytes, 101) == WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(f.c), "table");
    wf_clear_errors(f.c);
    CHECK(t, wf_read(f.c, 0, bytes, 1) == WF_BAD_INPUT);
    CHECK(t, wf_read(f.c, a, bytes, UINT64_MAX) == WF_BAD_INPUT);
    CHECK(t, wf_fill(f.c, a, 0, 4, UINT64_MAX) == WF_BAD_INPUT);
    CHECK(t, wf_fill(f.c, a, 0, 3, 1) == WF_BAD_INPUT);
    CHECK(t, wf_free(f.c, a + 4) == WF_BAD_INPUT);
    CHECK(t, wf_free(f.c, a) == WF_OK && wf_free(f.c, a) == WF_BAD_INPUT);
    CHECK(t, wf_read(f.c, a, bytes, 1) == WF_BAD_INPUT);
    wf_clear_errors(f.c);
    CHECK(t, wf_alloc_named(f.c, 1ull << 40, "argument 3") == 0);
    CHECK_HAS(t, wf_errors(f.c), "error: out of device memory: argument 3 wants 1099511627776 bytes, ");
    CHECK(t, wf_alloc(f.c, 16) != 0); // and the context still works
    fixture_end(&f);
}

static void test_faults(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stats stats;
    uint64_t out = wf_alloc_named(f.c, 40, "result");
    uint32_t n = 10;
    CHECK(t, launch(&f, "past_the_end", 1, 1, (void *[]){&out, &n}, 2, &stats) == WF_PROGRAM_FAILED);
    CHECK(t, stats.status == WF_PROGRAM_FAILED && stats.fault_text != NULL);
    CHECK_HAS(t, stats.fault_text, "past_the_end");
    CHECK_HAS(t, stats.fault_text, "result");
    CHECK_HAS(t, wf_errors(f.c), stats.fault_text);
    wf_clear_errors(f.c);
    CHECK(t, launch(&f, "trapped", 1, 1, NULL, 0, &stats) == WF_PROGRAM_FAILED && !stats.fault_text);
    check_error(&f,
                "error: kernel trapped is not launched: an earlier launch (kernel past_the_end) failed: "
                "out-of-bounds global write of 4 bytes; wf_reset(context) makes the context usable again\n");
    wf_reset(f.c);
    CHECK(t, launch(&f, "trapped", 1, 1, NULL, 0, &stats) == WF_PROGRAM_FAILED);
    CHECK_HAS(t, stats.fault_text, "trap");
    wf_clear_errors(f.c);
    wf_reset(f.c);
    CHECK(t, wf_set(f.c, "exec.max_warp_instructions", "10000") == WF_OK);
    CHECK(t, launch(&f, "forever", 1, 32, NULL, 0, &stats) == WF_PROGRAM_FAILED);
    CHECK(t, stats.warp_instructions >= 10000 && stats.warp_instructions < 20000);
    wf_clear_errors(f.c);
    n = 9; // a limit leaves the context unchanged
    check_launch(&f, "past_the_end", 1, 1, (void *[]){&out, &n}, 2);
    fixture_end(&f);
}

static void test_stats(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stats stats;
    uint64_t out = wf_alloc(f.c, 4);
    uint32_t got = 0;
    CHECK(t, launch(&f, "count", 5, 48, (void *[]){&out}, 1, &stats) == WF_OK);
    CHECK(t, wf_read(f.c, out, &got, 4) == WF_OK);
    CHECK_EQ(t, got, 5 * 48);
    CHECK(t,
          stats.cycles == WF_UNKNOWN && stats.races == WF_UNKNOWN && !stats.fault_text && !stats.race_text);
    CHECK(t, stats.counter_count > 10);
    for (size_t i = 0; i < stats.counter_count; i++) {
        struct wf_counter c;
        CHECK(t,
              wf_counter_at(i, &c) && strcmp(c.name, stats.counters[i].name) == 0 && *c.unit && *c.meaning);
    }
    CHECK_EQ(t, counter(t, &stats, "exec.blocks"), 5);
    CHECK_EQ(t, counter(t, &stats, "exec.warps"), 10);
    CHECK_EQ(t, counter(t, &stats, "exec.atomics"), 10);
    // All lanes execute the whole straight-line code.
    uint64_t per_warp = stats.warp_instructions / 10,
             threads = counter(t, &stats, "exec.thread_instructions");
    CHECK(t, stats.warp_instructions == per_warp * 10 && threads == per_warp * 240 &&
                 stats.thread_instructions == threads);
    fixture_end(&f);
}

static void test_races(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stats stats;
    uint64_t out = wf_alloc(f.c, 4);
    CHECK(t, wf_set(f.c, "check.races", "1") == WF_OK);
    CHECK(t, launch(&f, "count", 2, 64, (void *[]){&out}, 1, &stats) == WF_OK);
    CHECK(t, stats.races == 0 && stats.race_text == NULL);
    CHECK(t, launch(&f, "racy", 1, 64, (void *[]){&out}, 1, &stats) == WF_OK);
    CHECK(t, stats.races > 0 && stats.race_text != NULL);
    if (stats.race_text) CHECK_HAS(t, stats.race_text, "racy");
    fixture_end(&f);
}

struct text {
    char bytes[4096];
    size_t length;
};

static void collect(void *context, const char *bytes, size_t length)
{
    struct text *into = context;
    if (into->length + length >= sizeof into->bytes) return;
    memcpy(into->bytes + into->length, bytes, length);
    into->length += length;
}

static void test_printf(struct test *t)
{
    struct fixture f = setup(t);
    struct text text = {0};
    check_launch(&f, "hello", 1, 3, NULL, 0); // output dropped
    wf_set_print(f.c, collect, &text);
    check_launch(&f, "hello", 1, 3, NULL, 0);
    CHECK_STR(t, text.bytes, "thread 0 of block\nthread 1 of block\nthread 2 of block\n");
    fixture_end(&f);
}

static void test_names(struct test *t)
{
    struct fixture f = setup(t);
    CHECK(t, find(&f, "scale") == find(&f, "_Z5scalePKfPffi"));
    CHECK_STR(t, wf_kernel_info(find(&f, "scale"))->name, "scale");
    CHECK_STR(t, wf_kernel_info(find(&f, "scale"))->mangled_name, "_Z5scalePKfPffi");
    CHECK_STR(t, wf_kernel_name(f.m, 0), "_Z5scalePKfPffi");
    CHECK_STR(t, wf_kernel_name(f.m, 1), "by_value");
    size_t count = 0;
    while (wf_kernel_name(f.m, count)) count++;
    CHECK_EQ(t, count, 16);
    CHECK(t, wf_kernel_find(f.m, "scole") == NULL);
    CHECK_HAS(t, wf_errors(f.c), "scole");
    CHECK_HAS(t, wf_errors(f.c), "did you mean");
    wf_clear_errors(f.c);
    CHECK(t, wf_kernel_find(f.m, "tensor") == NULL); // only this kernel is refused
    CHECK_HAS(t, wf_errors(f.c), KERNELS ":");
    CHECK_HAS(t, wf_errors(f.c), "multimem.red");
    const char *listing = wf_kernel_listing(find(&f, "scale"));
    CHECK_HAS(t, listing, "FFMA");
    CHECK_HAS(t, listing, "EXIT");
    fixture_end(&f);
}

static void test_settings(struct test *t)
{
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_set(c, "memory.size", "1M") == WF_OK);
    CHECK(t, wf_set(c, "compile.max_registers", "64") == WF_OK);
    CHECK(t, wf_set(c, "warp.size", "24") == WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c), "error: warp.size=24: must be a power of two\n");
    wf_clear_errors(c);
    CHECK(t, wf_set(c, "compile.max_register", "64") == WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c),
              "error: unknown key \"compile.max_register\"; did you mean \"compile.max_registers\"?\n");
    wf_clear_errors(c);
    CHECK_HAS(t, wf_config_json(c), "\"warp.size\": 32,");
    CHECK_HAS(t, wf_config_json(c), "\"memory.size\": 1048576,");
    CHECK(t, wf_alloc(c, 1 << 20) != 0 && wf_alloc(c, 256) == 0);
    CHECK(t, wf_set(c, "memory.size", "2M") == WF_BAD_USAGE);
    wf_clear_errors(c);
    wf_context_destroy(c);
    c = wf_context_create();
    CHECK(t, wf_module_load_file(c, KERNELS) != NULL);
    CHECK(t, wf_set(c, "compile.profile", "ptxplus") == WF_BAD_USAGE);
    CHECK_STR(t, wf_errors(c), "error: compile.profile must be set before the first module is loaded\n");
    CHECK(t, wf_set(c, "simt", "stack") == WF_OK && wf_set(c, "exec.isa", "portable") == WF_OK);
    struct wf_key key;
    size_t count = 0;
    while (wf_key_at(c, count, &key)) {
        CHECK(t, *key.name && *key.type && *key.range && *key.meaning);
        count++;
    }
    CHECK(t, count >= 10);
    wf_context_destroy(c);
}

static void test_bad_modules(struct test *t)
{
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_module_load_file(c, "no/such.ptx") == NULL);
    CHECK_STR(t, wf_errors(c), "error: cannot read no/such.ptx: No such file or directory\n");
    wf_clear_errors(c);
    static const char huge[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .b8 huge[1099511627776];\n";
    CHECK(t, wf_module_load(c, "huge.ptx", huge, sizeof huge - 1) == NULL);
    CHECK_HAS(t, wf_errors(c), "huge.ptx:4:");
    wf_clear_errors(c);
    static const char absent[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.extern .global .u32 elsewhere;\n"
        ".entry k() { .reg .b32 %r; ld.global.u32 %r, [elsewhere]; st.global.u32 [elsewhere], %r; ret; }\n";
    static const char deep[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) {\n.local .b8 x[600000];\n"
        ".reg .b64 %d<3>; .reg .b32 %r; mov.u64 %d0, x; ld.param.u64 %d1, [p]; add.u64 %d2, %d0, %d1;\n"
        "st.local.u32 [%d2], 7; ld.local.u32 %r, [%d0]; st.global.u32 [%d1], %r; ret; }\n";
    struct wf_module *m = wf_module_load(c, "deep.ptx", deep, sizeof deep - 1);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t zero = 0;
    struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    CHECK_MSG(t, k && wf_launch(k, &one, (void *[]){&zero}, 1, NULL) == WF_BAD_INPUT, "%s", wf_errors(c));
    CHECK_HAS(t, wf_errors(c), "deep.ptx:4:");
    CHECK_HAS(t, wf_errors(c),
              "kernel k needs 600000 bytes of local memory a thread; at most 524288 are possible");
    wf_clear_errors(c);
    m = wf_module_load(c, "absent.ptx", absent, sizeof absent - 1);
    CHECK_MSG(t, m != NULL, "%s", wf_errors(c));
    CHECK(t, m && wf_kernel_find(m, "k") == NULL);
    CHECK_HAS(t, wf_errors(c), "absent.ptx:4:");
    CHECK_HAS(t, wf_errors(c), "kernel k uses extern variable elsewhere without a definition");
    wf_context_destroy(c);
}

// -- independence -------------------------------------------------------------------------------------------

// One step of a small application; its state lives in its context.
static void step(struct fixture *f, uint64_t address[2], unsigned i)
{
    float k = (float)i;
    uint32_t n = 200;
    check_launch(f, "scale", 1, 256, (void *[]){&address[i % 2], &address[1 - i % 2], &k, &n}, 4);
}

static void begin(struct fixture *f, uint64_t address[2], uint64_t seed)
{
    float in[200];
    struct rng r;
    rng_init(&r, seed);
    for (int i = 0; i < 200; i++) in[i] = rng_f32(rng_next(&r));
    for (int i = 0; i < 2; i++) address[i] = wf_alloc(f->c, sizeof in);
    wf_write(f->c, address[0], in, sizeof in);
}

// Two contexts of different settings, interleaved launch by launch, end like each context alone.
static void test_interleaving(struct test *t)
{
    enum { STEPS = 8 };
    float alone[2][200], together[200];
    for (int which = 0; which < 2; which++) {
        struct fixture f = setup(t);
        uint64_t address[2];
        if (which) wf_set(f.c, "simt", "stack");
        begin(&f, address, (uint64_t)which);
        for (unsigned i = 0; i < STEPS; i++) step(&f, address, i);
        wf_read(f.c, address[STEPS % 2], alone[which], sizeof alone[which]);
        fixture_end(&f);
    }
    struct fixture f[2] = {setup(t), setup(t)};
    uint64_t address[2][2];
    wf_set(f[1].c, "simt", "stack");
    for (int which = 0; which < 2; which++) begin(&f[which], address[which], (uint64_t)which);
    for (unsigned i = 0; i < STEPS; i++)
        for (int which = 0; which < 2; which++) step(&f[which], address[which], i);
    for (int which = 0; which < 2; which++) {
        wf_read(f[which].c, address[which][STEPS % 2], together, sizeof together);
        CHECK(t, memcmp(together, alone[which], sizeof together) == 0);
        CHECK(t, together[3] != 0);
        fixture_end(&f[which]);
    }
}

// The bits of arithmetic by a kernel, by its constants and by the compiler's folding.
static void compute_words(struct test *t, const char *isa, const char *gpu, uint32_t words[16])
{
    static const char text[] =
        ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 p, .param .f64 x)\n{\n"
        ".reg .u64 %d<2>;\n.reg .f64 %x<9>;\n.reg .f32 %f<8>;\n.reg .u32 %r<2>;\n"
        "ld.param.u64 %d1, [p];\nld.param.f64 %x1, [x];\n"
        "mul.f64 %x2, %x1, %x1;\nst.global.f64 [%d1], %x2;\n"
        "mul.f64 %x3, %x1, 0d0008000000000000;\nst.global.f64 [%d1+8], %x3;\n" // a subnormal
        "cvt.rn.f32.f64 %f1, %x1;\nmul.f32 %f2, %f1, %f1;\nst.global.f32 [%d1+16], %f2;\n"
        "mul.f32 %f3, %f1, 0f00300000;\nst.global.f32 [%d1+20], %f3;\n"
        "mov.f64 %x4, 0.1;\nst.global.f64 [%d1+24], %x4;\n"
        "mov.f32 %f4, 0f3dcccccd;\nmul.f32 %f5, %f4, 0f3e4ccccd;\nst.global.f32 [%d1+32], %f5;\n"
        "fma.rn.f64 %x5, %x1, %x1, %x2;\nst.global.f64 [%d1+40], %x5;\n"
        "mov.u32 %r1, 123456789;\ncvt.rn.f32.u32 %f6, %r1;\nst.global.f32 [%d1+48], %f6;\n"
        "sin.approx.f32 %f7, %f1;\nst.global.f32 [%d1+52], %f7;\n"
        "sqrt.rn.f64 %x6, %x1;\nst.global.f64 [%d1+56], %x6;\nret;\n}\n";
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_set(c, "exec.isa", isa) == WF_OK && (!gpu || wf_gpu(c, gpu) == WF_OK));
    struct wf_module *m = wf_module_load(c, "k", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    CHECK_MSG(t, k, "%s", wf_errors(c));
    uint64_t out = wf_alloc(c, 64);
    double x = 0.1;
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    CHECK(t, k && wf_launch(k, &shape, (void *[]){&out, &x}, 2, NULL) == WF_OK);
    CHECK(t, wf_read(c, out, words, 64) == WF_OK);
    wf_context_destroy(c);
}

// A host program may have changed the rounding mode, or set the modes of -ffast-math at its start. Kernels
// are unaffected, and the host's modes are the same afterwards.
static void test_host_modes(struct test *t)
{
    static const char *const isas[] = {"auto", "portable", "general"};
    static const char *const gpus[] = {NULL, "tiny"};
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t n = 0; n < 2 * TEST_COUNT(isas) * TEST_COUNT(modes); n++) {
        uint32_t want[16], got[16];
        const char *isa = isas[n / 2 % TEST_COUNT(isas)];
        compute_words(t, isa, gpus[n % 2], want);
        fesetround(modes[n / 2 / TEST_COUNT(isas)]);
#if defined(__SSE2__)
        unsigned before = _mm_getcsr() & 0xffc0;
        _mm_setcsr(before | _MM_FLUSH_ZERO_ON | 0x40); // and treat subnormal operands as 0
#endif
        compute_words(t, isa, gpus[n % 2], got);
        CHECK_EQ(t, fegetround(), modes[n / 2 / TEST_COUNT(isas)]);
#if defined(__SSE2__)
        CHECK(t, (_mm_getcsr() & 0xffc0) == (before | _MM_FLUSH_ZERO_ON | 0x40));
        _mm_setcsr(before);
#endif
        fesetround(FE_TONEAREST);
        for (unsigned k = 0; k < 16; k++)
            CHECK_MSG(t, got[k] == want[k], "%s, %s: word %u is %08x, not %08x", isa,
                      gpus[n % 2] ? gpus[n % 2] : "functional", k, got[k], want[k]);
    }
}

static void test_streams(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stream *s = wf_stream_create(f.c);
    uint64_t out = wf_alloc(f.c, 4);
    uint32_t got = 0;
    struct wf_launch_config shape = {.grid = {2, 1, 1}, .block = {32, 1, 1}, .stream = s};
    CHECK(t, wf_launch(find(&f, "count"), &shape, (void *[]){&out}, 1, NULL) == WF_OK);
    CHECK(t, wf_stream_wait(s) == WF_OK && wf_synchronise(f.c) == WF_OK);
    CHECK(t, wf_read(f.c, out, &got, 4) == WF_OK);
    CHECK_EQ(t, got, 64);
    fixture_end(&f);
}

// A launch sets the registers a thread, unless launch.registers does. Of 65,536 registers, blocks of 256
// threads with 128 registers a thread fit twice, and four times by default.
static void test_registers(struct test *t)
{
    static const struct {
        const char *setting;
        uint32_t registers;
        bool is_narrow;
    } rows[] = {{"0", 0, false}, {"0", 128, true}, {"128", 0, true}, {"128", 16, true}, {"16", 128, false}};
    double wide = 0, narrow = 0;
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct wf_context *c = wf_context_create();
        CHECK(t, wf_gpu(c, "tiny") == WF_OK && wf_set(c, "launch.registers", rows[i].setting) == WF_OK);
        struct fixture f = {.t = t, .c = c, .m = wf_module_load_file(c, KERNELS)};
        struct wf_launch_config shape = {
            .grid = {16, 1, 1}, .block = {256, 1, 1}, .registers = rows[i].registers};
        struct wf_stats stats = {0};
        uint64_t out = wf_alloc(c, 4);
        CHECK(t, wf_launch(find(&f, "count"), &shape, (void *[]){&out}, 1, &stats) == WF_OK);
        double *same = rows[i].is_narrow ? &narrow : &wide;
        if (*same == 0) *same = stats.occupancy;
        CHECK_MSG(t, stats.occupancy == *same, "%s, %u: occupancy %g, not %g", rows[i].setting,
                  rows[i].registers, stats.occupancy, *same);
        wf_context_destroy(c);
    }
    CHECK_MSG(t, narrow <= 0.5 && wide > narrow, "%g and %g", narrow, wide);
}

// A GPU's file with an error changes no setting: neither the settings that the file names before the error, nor
// those of the GPU selected before.
static void test_failed_gpu(struct test *t)
{
    struct wf_context *c = wf_context_create();
    char path[4096];
    snprintf(path, sizeof path, "%s/wrong.gpu", test_directory(t));
    FILE *f = fopen(path, "w");
    CHECK(t, f != NULL);
    fputs("issue.schedulers = 2\nwarp.size = 16\nmark.grid = 1\ncompile.max_registers = 32\nno.such = 1\n",
          f);
    fclose(f);
    CHECK(t, wf_gpu(c, "titanv") == WF_OK && wf_set(c, "l1.ways", "3") == WF_OK);
    char *before = heap_strdup(wf_config_json(c));
    CHECK_EQ(t, wf_gpu(c, path), WF_BAD_USAGE);
    CHECK_STR(t, wf_config_json(c), before);
    free(before);
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"arguments", test_arguments},
                                             {"last_parameter", test_last_parameter},
                                             {"variables", test_variables},
                                             {"function_tables", test_function_tables},
                                             {"textures", test_textures},
                                             {"dynamic_shared", test_dynamic_shared},
                                             {"shapes", test_shapes},
                                             {"memory", test_memory},
                                             {"faults", test_faults},
                                             {"stats", test_stats},
                                             {"races", test_races},
                                             {"printf", test_printf},
                                             {"names", test_names},
                                             {"settings", test_settings},
                                             {"bad_modules", test_bad_modules},
                                             {"interleaving", test_interleaving},
                                             {"host_modes", test_host_modes},
                                             {"streams", test_streams},
                                             {"registers", test_registers},
                                             {"failed_gpu", test_failed_gpu}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
