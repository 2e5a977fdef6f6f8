// The page of `warpfold profile`: bytes with 5,000 and 100,000 instructions, colours of slots under colour blindness, and
// Chromium's view of the page: wide and narrow, light and dark, without an error; rows drawn only as far as seen.
#include "base/str.h"
#include "cli/cli.h"
#include "harness/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- bytes ----------------------------------------------------------------------------------------------------------

// A kernel of `count` instructions in a row, each on a line of its own.
static void write_kernel(struct cli *c, unsigned count)
{
    struct strbuf text = {0};
    strbuf_puts(&text,
                ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry row(.param .u64 out)\n{\n"
                ".reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n.loc 1 1 0\nld.param.u64 %rd1, [out];\n"
                "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n");
    for (unsigned k = 0; k < count; k++)
        strbuf_printf(&text, ".loc 1 %u 0\nfma.rn.f32 %%f1, %%f1, %%f2, %%f1;\n", k + 2);
    strbuf_puts(&text, "st.global.f32 [%rd1], %f1;\nret;\n}\n.file 1 \"row.cu\"\n");
    cli_write(c, "row.ptx", strbuf_text(&text), text.length);
    strbuf_fini(&text);
}

static char *make_page(struct cli *c, unsigned count, size_t *length)
{
    write_kernel(c, count);
    cli_run(c, "profile $D/row.ptx --gpu tiny --quiet --kernel row --grid 1 --block 32 --arg "
               "buf=f32:64:rand:1 --out "
               "$D/row.html");
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
    char *page = cli_read(c, "row.html", length);
    CHECK(c->t, page != NULL);
    return page ? page : strdup("");
}

static void test_bytes(struct test *t)
{
    static const struct {
        unsigned instructions;
        size_t most;
    } sizes[] = {{5000, 2 << 20}, {100000, 8 << 20}};
    for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
        struct cli c = {.t = t};
        size_t length = 0, rows = 0;
        char *page = make_page(&c, sizes[i].instructions, &length);
        for (const char *at = page; (at = strstr(at, "\"FFMA ")) != NULL; at++) rows++;
        CHECK_MSG(t, rows >= sizes[i].instructions && length <= sizes[i].most, "%zu rows, %zu bytes", rows,
                  length);
        if (getenv("TEST_VERBOSE")) printf("%zu rows, %zu bytes\n", rows, length);
        free(page);
        cli_fini(&c);
    }
}

// -- colours --------------------------------------------------------------------------------------------------------

struct colour {
    double v[3];
};

static double linear(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static double lab_part(double v) { return v > 0.008856 ? cbrt(v) : 7.787 * v + 16.0 / 116; }

// CIE L*a*b* (D65) of a colour of linear RGB as seen through `m`.
static struct colour seen(const struct colour *rgb, const double m[3][3])
{
    static const double to_xyz[3][3] = {{0.4124, 0.3576, 0.1805},
                                        {0.2126, 0.7152, 0.0722},
                                        {0.0193, 0.1192, 0.9505}},
                        white[3] = {0.9505, 1, 1.089};
    struct colour c = {0}, xyz = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) c.v[i] += m[i][j] * rgb->v[j];
        c.v[i] = fmin(fmax(c.v[i], 0), 1);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) xyz.v[i] += to_xyz[i][j] * c.v[j];
        xyz.v[i] = lab_part(xyz.v[i] / white[i]);
    }
    return (struct colour){{116 * xyz.v[1] - 16, 500 * (xyz.v[0] - xyz.v[1]), 200 * (xyz.v[1] - xyz.v[2])}};
}

// The colours of the page's `palette`, in linear RGB.
static size_t read_palette(struct test *t, struct colour *colours, size_t most)
{
    char *page = test_read_file(t, "web/profile.html", NULL), *at = strstr(page, "const palette = {");
    size_t count = 0;
    char *end = at ? strchr(at, '}') : NULL;
    CHECK(t, end != NULL);
    while (end && (at = strstr(at, "\"#")) != NULL && at < end && count < most) {
        unsigned long value = strtoul(at + 2, &at, 16);
        for (int i = 0; i < 3; i++) colours[count].v[i] = linear((double)(value >> (16 - 8 * i) & 255) / 255);
        count++;
    }
    free(page);
    return count;
}

// Every two colours differ by 20 in CIE76 to normal eyes, and under protanopia and deuteranopia (matrices of Machado,
// Oliveira and Fernandes, 2009, severity 1). A difference of 2.3 is just noticeable.
static void test_colours(struct test *t)
{
    static const double eyes[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    struct colour colours[32];
    size_t count = read_palette(t, colours, TEST_COUNT(colours));
    CHECK_EQ(t, count, 10); // one more reason is hatched
    for (size_t e = 0; e < TEST_COUNT(eyes); e++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++) {
                struct colour a = seen(&colours[i], eyes[e]), b = seen(&colours[k], eyes[e]);
                double apart = hypot(hypot(a.v[0] - b.v[0], a.v[1] - b.v[1]), a.v[2] - b.v[2]);
                CHECK_MSG(t, apart >= 20, "eyes %zu: colours %zu and %zu differ by %.1f", e, i, k, apart);
            }
}

// -- Chromium -------------------------------------------------------------------------------------------------------

// The page's document after its scripts, heap.
static char *view(struct test *t, const char *file, const char *size, const char *place)
{
    char command[900], *out;
    const char *folder = test_directory(t);
    snprintf(
        command, sizeof command,
        "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --user-data-dir=%s/profile --window-size=%s --dump-dom "
        "'file://%s/%s#%s'",
        folder, size, folder, file, place);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    return out;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) n++;
    return n;
}

// Every figure has its SVG and CSV; tables that scroll take the focus of the keyboard.
static void check_view(struct test *t, const char *dom, const char *theme)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "data-theme=\"%s\"", theme);
    CHECK_HAS(t, dom, wanted);
    CHECK_HAS(t, dom, "data-ready=\"yes\"");
    CHECK_MSG(t, !strstr(dom, "data-error"), "%.300s", strstr(dom, "data-error"));
    size_t figures = occurrences(dom, "<figure data-figure=");
    CHECK(t, figures >= 4);
    CHECK_EQ(t, occurrences(dom, " as SVG\""), figures);
    CHECK(t, occurrences(dom, " as CSV\"") >= figures);
    CHECK_EQ(t, occurrences(dom, "class=\"scroll\""), occurrences(dom, "class=\"scroll\" tabindex=\"0\""));
}

static void test_views(struct test *t)
{
    static const char *const views[][3] = {{"1600,1000", "light", "wide"},
                                           {"390,844", "light", "phone"},
                                           {"1600,1000", "dark", "wide"},
                                           {"390,844", "dark", "phone"}};
    if (!test_has_tool("chromium")) {
        test_skip_tool(t, "chromium");
        return;
    }
    struct cli c = {.t = t};
    cli_run(&c, "profile tests/cli/causes.ptx --gpu gtx1080ti --set gpu.sm_count=7 --quiet --out $D/p.html "
                "--kernel transpose "
                "--grid 8,8 --block 32,8 --arg buf=f32:65536:rand:1 --arg buf=f32:65536:zero --arg s32=256");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    for (size_t i = 0; i < TEST_COUNT(views); i++) {
        char *dom = view(t, "p.html", views[i][0], views[i][1]);
        check_view(t, dom, views[i][1]);
        free(dom);
    }
    cli_fini(&c);
}

// Of 100,000 instructions only the first rows are in the document. TEST_VERBOSE prints the milliseconds to the last
// script.
static void test_many_rows(struct test *t)
{
    if (!test_has_tool("chromium")) {
        test_skip_tool(t, "chromium");
        return;
    }
    struct cli c = {.t = t};
    size_t length;
    free(make_page(&c, 100000, &length));
    char *dom = view(t, "row.html", "1600,1000", "light"), *ready = strstr(dom, "data-milliseconds=\"");
    CHECK_HAS(t, dom, "data-ready=\"yes\"");
    CHECK_MSG(t, !strstr(dom, "data-error"), "%.300s", strstr(dom, "data-error"));
    size_t rows = occurrences(dom, "class=\"open\"");
    CHECK_MSG(t, rows > 0 && rows < 2000, "%zu rows are drawn", rows);
    CHECK(t, ready != NULL);
    if (ready && getenv("TEST_VERBOSE")) printf("%zu rows drawn, %.30s\n", rows, ready);
    free(dom);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"bytes", test_bytes},
                                             {"colours", test_colours},
                                             {"views", test_views},
                                             {"many-rows", test_many_rows}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
