// `warpfold check` on kernels with one planted fault each (faults.cu, copies.cu) and on repaired twins. Fails where a fault is
// missed, has another kind or line, where a second kind is found, and where a twin has findings.
#include "base/json_read.h"
#include "base/str.h"
#include "cli/cli.h"
#include "harness/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault {
    const char *name, *kind, *arguments; // of both twins
    bool has_second;                     // a race: the second line is marked, too
};

#define IN(n)   "--arg buf=f32:" #n ":rand:1 "
#define OUT(n)  "--arg buf=f32:" #n ":zero "
#define INTS(n) "--arg buf=s32:" #n ":iota "

static const struct fault faults[] = {
    {"read_past", "out of bounds", "--grid 4 --block 64 " IN(250) OUT(256) "--arg s32=250", false},
    {"write_past", "out of bounds", "--grid 4 --block 64 " OUT(250) "--arg s32=250", false},
    {"negative", "out of bounds", "--grid 1 --block 64 " IN(64) OUT(64) "--arg s32=64", false},
    {"wrong_pitch", "out of bounds", "--grid 1 --block 16,16 " OUT(256) "--arg s32=16 --arg s32=16", false},
    {"null_pointer", "out of bounds", "--grid 1 --block 64 " OUT(64) "--arg u64=0", false},
    {"atomic_past", "out of bounds", "--grid 1 --block 64 " INTS(64) "--arg buf=s32:50:zero --arg s32=50",
     false},
    {"vector_past", "out of bounds", "--grid 1 --block 64 " IN(250) OUT(64) "--arg s32=250", false},
    {"in_function", "out of bounds", "--grid 1 --block 64 " IN(64) OUT(64) "--arg s32=64", false},
    {"shared_past", "out of bounds", "--grid 1 --block 64 " OUT(64), false},
    {"dynamic_past", "out of bounds", "--grid 1 --block 64 --shared 128 " OUT(64), false},
    {"shared_negative", "out of bounds", "--grid 1 --block 64 " OUT(64), false},
    {"local_past", "out of bounds", "--grid 1 --block 64 --arg buf=s32:2:zero " OUT(64), false},
    {"constant_past", "out of bounds", "--grid 1 --block 16 " OUT(16), false},
    {"odd_vector", "misaligned access", "--grid 1 --block 64 " IN(130) OUT(64), false},
    {"odd_store", "misaligned access", "--grid 1 --block 64 --arg buf=u8:512:zero", false},
    {"odd_shared", "misaligned access", "--grid 1 --block 32 --arg buf=f64:32:zero", false},
    {"unwritten", "unwritten read",
     "--grid 1 --block 64 --arg buf=f32:64:none --arg buf=f32:64:zero --arg s32=0", false},
    {"unwritten_shared", "unwritten read", "--grid 1 --block 64 " OUT(64), false},
    {"unwritten_local", "unwritten read", "--grid 1 --block 64 --arg buf=s32:2:zero " OUT(64), false},
    {"unwritten_counter", "unwritten read", "--grid 1 --block 64 --arg buf=u32:1:none --arg buf=u32:64:zero",
     false},
    {"unwritten_field", "unwritten read", "--grid 1 --block 64 --arg buf=u8:512:none --arg buf=s32:64:zero",
     false},
    {"unwritten_exchange", "unwritten read",
     "--grid 1 --block 64 --arg buf=f32:64:none --arg buf=f32:64:zero --arg s32=64", false},
    {"no_barrier", "race", "--grid 1 --block 64 " IN(64) OUT(64), true},
    {"no_second", "race", "--grid 1 --block 64 " IN(256) OUT(64) "--arg s32=256", true},
    {"two_writers", "race", "--grid 1 --block 64 --arg buf=s32:64:zero", false},
    {"plain_counter", "race", "--grid 4 --block 64 --arg buf=s32:1:zero", false},
    {"no_syncwarp", "race", "--grid 1 --block 32 " INTS(32) "--arg buf=s32:32:zero", true},
    {"no_fence", "race", "--grid 2 --block 1 --arg buf=s32:1:zero --arg buf=s32:1:zero --arg buf=s32:1:zero",
     true},
    {"lock_reset", "race", "--grid 2 --block 1 --arg buf=s32:1:zero --arg buf=s32:1:zero", true},
    {"byte_race", "race", "--grid 1 --block 64 --arg buf=u8:64:iota --arg buf=u8:64:zero", true},
    {"neighbour_blocks", "race", "--grid 4 --block 32 " OUT(128) "--arg s32=128", true},
    {"mixed_atomic", "race", "--grid 1 --block 64 --arg buf=s32:1:zero --arg buf=s32:1:zero", true},
    {"uneven_loop", "barrier", "--grid 1 --block 64 " INTS(160) "--arg buf=s32:1:zero --arg s32=160", false},
    {"two_barriers", "barrier", "--grid 1 --block 64 --arg buf=s32:64:zero", true},
    {"half_block", "barrier", "--grid 1 --block 64 --arg buf=s32:96:zero", false},
    {"part_of_warp", "barrier", "--grid 1 --block 64 --arg buf=s32:64:zero", false},
    {"wrong_count", "barrier", "--grid 1 --block 64 --arg buf=s32:64:zero", false},
    {"own_mask", "member mask", "--grid 1 --block 32 --arg buf=s32:32:zero", false},
    {"shuffle_mask", "member mask", "--grid 1 --block 32 --arg buf=s32:32:zero", false},
    {"trapped", "trap", "--grid 1 --block 64 " INTS(64) "--arg buf=s32:64:zero", false},
    {"recursion", "stack overflow", "--grid 1 --block 1 --arg buf=s32:3:zero", false},
    {"no_end", "hang", "--grid 1 --block 1 --arg buf=s32:1:zero", false},
};

#define ROWS(n) "--arg buf=s32:" #n ":iota --arg buf=s32:64:zero "

// Of copies.cu.
static const struct fault copies[] = {
    {"early_read", "read during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"no_barrier_behind", "read during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"wait_for_one", "read during a copy", "--grid 1 --block 64 " ROWS(128), true},
    {"wait_without_group", "read during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"stages", "read during a copy", "--grid 1 --block 64 " ROWS(512) "--arg s32=8", true},
    {"fragment_early", "read during a copy", "--grid 1 --block 64 " ROWS(256), true},
    {"one_warp_waits", "read during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"arrival_first", "read during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"overwritten", "write during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"late_zeros", "write during a copy", "--grid 1 --block 64 " ROWS(64) "--arg s32=50", true},
    {"two_copies", "write during a copy", "--grid 1 --block 64 " ROWS(128), true},
    {"neighbours_copy", "write during a copy", "--grid 1 --block 64 " ROWS(256), true},
    {"counted", "write during a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"own_source", "source of a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"others_source", "source of a copy", "--grid 1 --block 64 " ROWS(64), true},
    {"in_place", "source of a copy", "--grid 1 --block 64 --arg buf=s32:256:iota --arg s32=4", true},
    {"forgotten", "copy without a wait", "--grid 1 --block 64 " ROWS(64), false},
    {"one_too_many", "copy without a wait", "--grid 1 --block 64 " ROWS(320) "--arg s32=4", false},
    {"half_waits", "copy without a wait", "--grid 1 --block 64 " ROWS(64), false},
    {"no_commit", "copy without a wait", "--grid 1 --block 64 " ROWS(128), false},
    {"rows_past", "fragment address", "--grid 1 --block 32 --shared 512 --arg buf=s32:32:zero", false},
    {"odd_row", "fragment address", "--grid 1 --block 32 --arg buf=s32:32:zero", false},
    {"refilled", "read during a copy", "--grid 1 --block 64 " ROWS(128), true},
};

struct run {
    struct cli cli;
    struct arena arena;
    const struct json_value *findings;
};

static void check(struct run *r, struct test *t, const char *arguments)
{
    const char *why = "none";
    size_t offset = 0;
    struct strbuf line = {0};
    r->cli.t = t;
    strbuf_printf(&line, "check %s --json - --quiet", arguments);
    cli_run(&r->cli, line.text);
    arena_init(&r->arena);
    const struct json_value *data = json_parse(r->cli.out, strlen(r->cli.out), &r->arena, &why, &offset);
    CHECK_MSG(t, data != NULL, "%s: status %d, no JSON at %zu: %s: %s", arguments, r->cli.status, offset, why,
              r->cli.err);
    r->findings = json_member(data, "findings");
    strbuf_fini(&line);
}

static void forget(struct run *r)
{
    cli_fini(&r->cli);
    arena_fini(&r->arena);
    r->cli = (struct cli){0};
}

static size_t count_of(const struct json_value *list)
{
    size_t count = 0;
    for (const struct json_value *f = list ? list->first : NULL; f; f = f->next) count++;
    return count;
}

// Line of a source that ends in the comment `mark`; 0: none.
static unsigned line_of(const char *text, const char *mark)
{
    char comment[80];
    unsigned line = 1;
    snprintf(comment, sizeof comment, "// %s\n", mark);
    const char *at = strstr(text, comment);
    for (const char *p = text; at && p < at; p++) line += *p == '\n';
    return at ? line : 0;
}

static bool has_place(const struct json_value *finding, unsigned line)
{
    const struct json_value *places = json_member(finding, "places");
    for (const struct json_value *p = places ? places->first : NULL; p; p = p->next)
        if ((unsigned)json_number(json_member(p, "line")) == line) return true;
    return false;
}

// All findings have the kind; one is at the marked lines.
static void judge(struct test *t, const struct fault *f, const struct run *r, const char *source)
{
    char second[64];
    bool is_there = false;
    snprintf(second, sizeof second, "%s 2", f->name);
    unsigned lines[2] = {line_of(source, f->name), line_of(source, second)};
    for (const struct json_value *x = r->findings ? r->findings->first : NULL; x; x = x->next) {
        const char *kind = json_text(json_member(x, "kind"));
        CHECK_MSG(t, kind && str_equal(kind, f->kind), "%s: found as %s, not %s: %s", f->name,
                  kind ? kind : "nothing", f->kind, json_text(json_member(x, "what")));
        is_there |= has_place(x, lines[0]) && (!f->has_second || has_place(x, lines[1]));
    }
    CHECK_MSG(t, is_there, "%s: no finding at line %u%s (%zu findings): %s", f->name, lines[0],
              f->has_second ? " and its second" : "", count_of(r->findings), r->cli.out);
    CHECK_MSG(t, r->cli.status == 1, "%s: status %d", f->name, r->cli.status);
}

// Both twins of every fault of tests/check/FILE.cu.
static void check_twins(struct test *t, const char *file, const struct fault *list, size_t count)
{
    char path[80];
    snprintf(path, sizeof path, "tests/check/%s.cu", file);
    char *source = test_read_file(t, path, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct fault *f = &list[i];
        struct strbuf line = {0};
        struct run r = {0};
        strbuf_printf(&line, "tests/check/%s.ptx --kernel %s %s", file, f->name, f->arguments);
        check(&r, t, line.text);
        judge(t, f, &r, source);
        forget(&r);
        strbuf_clear(&line);
        strbuf_printf(&line, "tests/check/%s.ptx --kernel %s_repaired %s", file, f->name, f->arguments);
        check(&r, t, line.text);
        CHECK_MSG(t, r.cli.status == 0 && count_of(r.findings) == 0, "%s_repaired: status %d, %s", f->name,
                  r.cli.status, r.cli.out);
        forget(&r);
        strbuf_fini(&line);
    }
    free(source);
}

static void test_kernels(struct test *t) { check_twins(t, "faults", faults, TEST_COUNT(faults)); }

// Faults of products.ptx and repaired twins: the kind alone.
static const char *const products[][2] = {
    {"unwaited", "product without a wait"},
    {"reused", "write during a product"},
    {"factors_unseen", "no proxy fence"},
    {"no_fence", "product without a fence"},
    {"zeros_behind_fence", "product without a fence"},
    {"a_behind_fence", "product without a fence"},
    {"scaled", "product without a fence"},
    {"read_between", "product without a fence"},
    {"a_again", "product without a fence"},
    {"loop_scales", "product without a fence"},
    {"fence_on_a_path", "product without a fence"},
    {"early_store", "sums before the wait"},
    {"group_open", "sums before the wait"},
    {"wait_before_commit", "sums before the wait"},
    {"early_scale", "sums before the wait"},
    {"early_zeros", "sums before the wait"},
    {"sums_as_a", "sums before the wait"},
    {"moved", "sums before the wait"},
    {"loop_one_behind", "sums before the wait"},
    {"wait_on_a_path", "sums before the wait"},
};

// Of phases.ptx, copies by the copy engine.
static const char *const phases[][2] = {
    {"no_proxy_fence", "no proxy fence"},
    {"early_proxy_fence", "no proxy fence"},
    {"one_fences", "no proxy fence"},
    {"ordinary_fence", "no proxy fence"},
    {"reduced_unseen", "no proxy fence"},
    {"too_few_expected", "transaction count"},
    {"too_many_expected", "transaction count"},
    {"none_expected", "transaction count"},
    {"second_not_expected", "transaction count"},
    {"no_wait", "read during a copy"},
    {"own_wait", "read during a copy"},
    {"wrong_phase", "read during a copy"},
    {"refill", "write during a copy"},
    {"early_refill", "read during a copy"},
    {"past_tile", "out of bounds"},
    {"past_source", "out of bounds"},
    {"odd_source", "misaligned access"},
    {"source_reused", "read during a copy"},
    {"store_first", "read during a copy"},
    {"read_back", "source of a copy"},
    {"no_barrier", "read during a copy"},
};

static void check_kind(struct test *t, const char *form, const char *kernel, const char *wanted)
{
    struct strbuf line = {0};
    struct run r = {0};
    strbuf_printf(&line, form, kernel);
    check(&r, t, line.text);
    const struct json_value *x = r.findings ? r.findings->first : NULL;
    bool good = !x == !wanted;
    for (; x && wanted; x = x->next) good &= str_equal(json_text(json_member(x, "kind")), wanted);
    CHECK_MSG(t, good && r.cli.status == (wanted != NULL), "%s: status %d, %s", kernel, r.cli.status,
              r.cli.out);
    forget(&r);
    strbuf_fini(&line);
}

static void check_kinds(struct test *t, const char *form, const char *const list[][2], size_t count)
{
    char twin[64];
    for (size_t i = 0; i < count; i++) {
        check_kind(t, form, list[i][0], list[i][1]);
        snprintf(twin, sizeof twin, "%s_repaired", list[i][0]);
        check_kind(t, form, twin, NULL);
    }
}

static void test_products(struct test *t)
{
    check_kinds(t, "tests/check/products.ptx --kernel %s --grid 1 --block 128", products,
                TEST_COUNT(products));
    check_kinds(t,
                "tests/check/phases.ptx --kernel %s --grid 1 --block 64 --arg buf=u32:1024:iota --arg "
                "buf=u32:1024:zero",
                phases, TEST_COUNT(phases));
}

// A product with the copy engine, mbarriers and wgmma has no findings.
static void test_gemm(struct test *t)
{
    char folder[1024];
    struct strbuf text = {0};
    struct run r = {.cli = {.t = t}};
    CHECK(t, getcwd(folder, sizeof folder) != NULL);
    strbuf_printf(
        &text,
        "load %s/kernels/hopper/ptx/gemmSimple.ptx\nbuffer a f16:98304:rand:1\nbuffer b f16:98304:rand:2\n"
        "buffer d f16:65536:none\nlaunch gemm_simple 2,2 288 tensormap=a:f16:384x256:64x128:swizzle128 "
        "tensormap=b:f16:384x256:64x128:swizzle128 d u32=256 u32=384 shared=132160\n"
        "free a\nfree b\nfree d\n",
        folder);
    cli_write(&r.cli, "case.wfs", text.text, text.length);
    check(&r, t, "--script $D/case.wfs");
    CHECK_MSG(t, r.cli.status == 0 && !count_of(r.findings), "%s %s", r.cli.out, r.cli.err);
    forget(&r);
    strbuf_fini(&text);
}

static void test_copies(struct test *t) { check_twins(t, "copies", copies, TEST_COUNT(copies)); }

// -- scripts ------------------------------------------------------------------------------------------------

// Faults of the host: a script, the finding's kind and its line in the script, or of a kernel (0). NULL kind: none.
static const struct {
    const char *script, *kind;
    unsigned line;
} scripts[] = {
    {"buffer a f32:64:zero\nlaunch streams 1 64 a\nbuffer a f32:64:zero\nlaunch streams 1 64 a\n", "leak", 2},
    {"buffer a f32:64:zero\nlaunch streams 1 64 a\nfree a\nbuffer a f32:64:zero\nlaunch streams 1 64 a\nfree "
     "a\n",
     NULL, 0},
    {"buffer a f32:64:zero\nbuffer b f32:64:zero\nlaunch streams 1 64 a\nlaunch streams 1 64 b\nfree a\n",
     "leak", 3},
    {"buffer a f32:64:zero\nbuffer b f32:64:zero\nlaunch streams 1 64 a\nlaunch streams 1 64 b\nfree a\nfree "
     "b\n",
     NULL, 0},
    {"repeat 3\nbuffer a f32:64:zero\nlaunch streams 1 64 a\nend\n", "leak", 3},
    {"repeat 3\nbuffer a f32:64:zero\nlaunch streams 1 64 a\nfree a\nend\n", NULL, 0},
    {"buffer a f32:64:zero\nlaunch streams 1 64 a\nfree a\nfree a\n", "invalid free", 5},
    {"buffer p u64:1:file:pointer\nbuffer a f32:64:zero\nlaunch indirect 1 64 p\nfree a\nlaunch indirect 1 "
     "64 "
     "p\nfree p\n",
     "use after free", 0},
    {"buffer p u64:1:file:pointer\nbuffer a f32:64:zero\nlaunch indirect 1 64 p\nlaunch indirect 1 64 p\n"
     "free a\nfree p\n",
     NULL, 0},
    {"buffer a f32:64:zero\nstream s\nstream t\nlaunch streams 1 64 a stream=s\nlaunch streams 1 32 a "
     "stream=t\nwait\n",
     "race", 0},
    {"buffer a f32:64:zero\nstream s\nstream t\nlaunch streams 1 64 a stream=s\nwait\nlaunch streams 1 32 a "
     "stream=t\nwait\n",
     NULL, 0},
    {"buffer a f32:64:none\nbuffer b f32:64:zero\ncopy b a\nlaunch unwritten 1 64 b a s32=0\n",
     "unwritten read", 0},
    {"buffer a f32:64:none\nbuffer b f32:64:zero\nfill a f32=1\ncopy b a\nlaunch unwritten 1 64 b a s32=0\n",
     NULL, 0},
};

static void test_scripts(struct test *t)
{
    char folder[1024];
    const uint64_t pointer = 0x10000400; // of the buffer after the pointer
    CHECK(t, getcwd(folder, sizeof folder) != NULL);
    for (size_t i = 0; i < TEST_COUNT(scripts); i++) {
        struct strbuf text = {0};
        struct run r = {.cli = {.t = t}};
        strbuf_printf(&text, "load %s/tests/check/faults.ptx\n%s", folder, scripts[i].script);
        cli_write(&r.cli, "case.wfs", text.text, text.length);
        cli_write(&r.cli, "pointer", &pointer, sizeof pointer);
        check(&r, t, "--script $D/case.wfs");
        const struct json_value *first = r.findings ? r.findings->first : NULL;
        const char *kind = json_text(json_member(first, "kind"));
        if (!scripts[i].kind) {
            CHECK_MSG(t, r.cli.status == 0 && !first, "%s: %s %s", scripts[i].script, r.cli.out, r.cli.err);
        } else {
            CHECK_MSG(t, r.cli.status == 1 && kind && str_equal(kind, scripts[i].kind), "%s: %s %s",
                      scripts[i].script, r.cli.out, r.cli.err);
            CHECK_MSG(t, !scripts[i].line || has_place(first, scripts[i].line), "%s: %s", scripts[i].script,
                      r.cli.out);
        }
        forget(&r);
        strbuf_fini(&text);
    }
}

// The number of races of a script.
static double races_of(struct test *t, const char *launches)
{
    char folder[1024];
    struct strbuf text = {0};
    struct run r = {.cli = {.t = t}};
    double sum = 0;
    CHECK(t, getcwd(folder, sizeof folder) != NULL);
    strbuf_printf(&text,
                  "load %s/tests/check/faults.ptx\nbuffer a u8:512:iota\nbuffer b u8:512:zero\nbuffer c "
                  "f32:128:zero\n%s",
                  folder, launches);
    cli_write(&r.cli, "case.wfs", text.text, text.length);
    check(&r, t, "--script $D/case.wfs");
    for (const struct json_value *x = r.findings ? r.findings->first : NULL; x; x = x->next)
        if (str_equal(json_text(json_member(x, "kind")), "race")) sum += json_number(json_member(x, "count"));
    forget(&r);
    strbuf_fini(&text);
    return sum;
}

// Records of earlier launches and blocks race with nothing, and hide nothing: words and bytes in turns.
static void test_launches(struct test *t)
{
    static const char bytes[] = "launch byte_race 1 64 a b\n",
                      words[] = "launch neighbour_blocks 4 32 c s32=128\n";
    double by_bytes = races_of(t, bytes), by_words = races_of(t, words);
    CHECK(t, by_bytes > 0 && by_words > 0);
    CHECK_EQ(t,
             races_of(t, "repeat 3\nlaunch byte_race 1 64 a b\nlaunch byte_race_repaired 1 64 c b\n"
                         "launch neighbour_blocks_repaired 4 32 c s32=128\nlaunch neighbour_blocks 4 32 c "
                         "s32=128\nend\n"),
             3 * (by_bytes + by_words));
    CHECK_EQ(t,
             races_of(t,
                      "repeat 3\nlaunch byte_race_repaired 1 64 a c\nlaunch neighbour_blocks_repaired 4 32 c "
                      "s32=128\nlaunch streams 1 64 c\nend\n"),
             0);
}

// A page is divided into bytes between its words and the words of the next page (b is at a + 0x500, a page has 1,024
// bytes): no thread's word is another's.
static void test_divided(struct test *t)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry divided(.param .u64 a, .param .u64 b)\n{\n"
                              ".reg .b16 %h; .reg .b32 %r<4>; .reg .b64 %d<6>;\n"
                              "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nmov.u32 %r1, %tid.x;\n"
                              "cvt.u64.u32 %d3, %r1;\nmad.wide.u32 %d4, %r1, 4, %d1;\n"
                              "add.u64 %d3, %d3, %d1;\nsub.u32 %r2, 63, %r1;\n"
                              "mad.wide.u32 %d5, %r2, 4, %d2;\nmov.u16 %h, 1;\n"
                              "st.global.u32 [%d4+256], %r1;\nst.global.u8 [%d3+768], %h;\n"
                              "st.global.u32 [%d5], %r1;\nret;\n}\n",
                      script[] = "load divided.ptx\nbuffer a u8:1024:zero\nbuffer b u8:1024:zero\n"
                                 "launch divided 1 64 a b\n";
    struct run r = {.cli = {.t = t}};
    cli_write(&r.cli, "divided.ptx", ptx, strlen(ptx));
    cli_write(&r.cli, "case.wfs", script, strlen(script));
    check(&r, t, "--script $D/case.wfs");
    CHECK_MSG(t, r.cli.status == 0 && r.findings && !r.findings->first, "%s", r.cli.out);
    forget(&r);
}

// Bundled kernels of both compilers: nothing, but for the races of bfs, declared as class R.
static void test_bundled(struct test *t)
{
    static const char *const compilers[] = {"nvcc", "clang"};
    for (size_t i = 0; i < TEST_COUNT(compilers); i++) {
        char line[80];
        struct run r = {0};
        snprintf(line, sizeof line, "--bench all --size small --ptx %s", compilers[i]);
        check(&r, t, line);
        CHECK_MSG(t, count_of(r.findings) > 0, "%s: the races of bfs are missing", compilers[i]);
        for (const struct json_value *x = r.findings ? r.findings->first : NULL; x; x = x->next) {
            const struct json_value *places = json_member(x, "places");
            const char *kind = json_text(json_member(x, "kind")),
                       *kernel = json_text(json_member(places ? places->first : NULL, "kernel"));
            CHECK_MSG(t, kind && str_equal(kind, "race") && kernel && str_starts_with(kernel, "bfs_"),
                      "%s: %s in %s: %s", compilers[i], kind, kernel, json_text(json_member(x, "what")));
        }
        forget(&r);
    }
}

// check.unwritten=global looks for unwritten bytes of global memory alone; a copy out of bounds is named with its bytes.
static void test_scope(struct test *t)
{
    static const struct {
        const char *arguments, *what; // NULL: no finding
    } rows[] = {
        {"tests/check/faults.ptx --kernel unwritten_shared --grid 1 --block 64 " OUT(64), NULL},
        {"tests/check/faults.ptx --kernel unwritten_local --grid 1 --block 64 --arg buf=s32:2:zero " OUT(64),
         NULL},
        {"tests/check/faults.ptx --kernel unwritten --grid 1 --block 64 --arg buf=f32:64:none "
         "--arg buf=f32:64:zero --arg s32=0",
         "of global memory never written"},
        {"tests/check/copies.ptx --kernel neighbours_copy_repaired --grid 1 --block 64 " INTS(128) INTS(256),
         "read of 16 bytes of global memory"},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        char line[400];
        struct run r = {0};
        snprintf(line, sizeof line, "%s --set check.unwritten=global", rows[i].arguments);
        check(&r, t, line);
        const char *what = json_text(json_member(r.findings ? r.findings->first : NULL, "what"));
        CHECK_MSG(t, rows[i].what ? what && strstr(what, rows[i].what) : !what, "%s: %s", line,
                  what ? what : "nothing");
        forget(&r);
    }
}

// Statuses: nothing found, something found, bad input; the text of a clean run.
static void test_status(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "check $V --kernel vecadd --grid 1 --block 32 --arg buf=f32:32:iota --arg buf=f32:32:iota "
                "--arg buf=f32:32:none --arg u32=32");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "nothing found in 1 launch");
    CHECK_HAS(t, c.out, "a functional run, not timed");
    cli_run(&c, "check $V --kernel vecadd --grid 1 --block 32");
    CHECK_EQ(t, c.status, 2);
    cli_run(&c, "check $V --kernel vecadd --grid 2 --block 32 --arg buf=f32:32:iota --arg buf=f32:32:iota "
                "--arg buf=f32:32:none --arg u32=64");
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, c.out, "out of bounds: read of 4 bytes of global memory: 0x");
    CHECK_HAS(t, c.out, "by thread (0,0,0) of block (1,0,0) of vecadd");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"kernels", test_kernels},   {"copies", test_copies},
                                             {"products", test_products}, {"gemm", test_gemm},
                                             {"scripts", test_scripts},   {"launches", test_launches},
                                             {"divided", test_divided},   {"bundled", test_bundled},
                                             {"scope", test_scope},       {"status", test_status}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
