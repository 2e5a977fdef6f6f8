// bench/silicon without a card: scripts run on a stand-in device in host memory. Fails where a call to the
// device, a median or a row of the result is wrong.
#include "base/csv.h"
#include "bench/silicon/measure.h"
#include "bench/silicon/once.h"
#include "harness/files.h"
#include "harness/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A device with host addresses. Launches are recorded as text; launch n takes takes[n] microseconds.
struct stand_in {
    struct device device;
    VEC(void *) memory;
    struct strbuf told;
    uint8_t taps[16]; // the variable of its modules
    const double *takes;
    size_t launches;
};

static struct stand_in *of(struct device *d) { return (struct stand_in *)d; }

static bool load(struct device *d, const char *name)
{
    strbuf_printf(&of(d)->told, "load %s\n", name);
    return true;
}

static bool allocate(struct device *d, uint64_t bytes, uint64_t *address)
{
    vec_push(&of(d)->memory, heap_alloc(bytes));
    *address = (uint64_t)(uintptr_t)vec_last(&of(d)->memory);
    return true;
}

static bool write(struct device *d, uint64_t address, const void *from, uint64_t bytes)
{
    (void)d;
    memcpy((void *)(uintptr_t)address, from, bytes);
    return true;
}

static bool copy(struct device *d, uint64_t to, uint64_t from, uint64_t bytes)
{
    return write(d, to, (const void *)(uintptr_t)from, bytes);
}

static bool texture(struct device *d, const struct device_texture *t, uint64_t *handle)
{
    strbuf_printf(&of(d)->told, "texture %ux%u%s%s, the last texel %g\n", t->spec->extent[0],
                  t->spec->extent[1], t->linear ? " linear" : "", t->address == DEVICE_WRAP ? " wrap" : "",
                  (double)((const float *)t->texels)[t->spec->count - 1]);
    *handle = 77;
    return true;
}

static bool variable(struct device *d, const char *name, uint64_t *address, uint64_t *bytes)
{
    if (!str_equal(name, "taps")) {
        snprintf(d->why, sizeof d->why, "no variable %s", name);
        return false;
    }
    *address = (uint64_t)(uintptr_t)of(d)->taps;
    *bytes = sizeof of(d)->taps;
    return true;
}

// Records the first words at a kernel's first argument, and the other arguments as numbers.
static bool launch(struct device *d, const struct device_launch *l, struct device_time *time)
{
    struct stand_in *s = of(d);
    strbuf_printf(&s->told, "%s %u,%u,%u %u,%u,%u shared %u:", l->kernel, l->grid[0], l->grid[1], l->grid[2],
                  l->block[0], l->block[1], l->block[2], l->shared_bytes);
    const uint32_t *words = *(const uint32_t *const *)l->arguments[0];
    strbuf_printf(&s->told, " [%08x %08x %08x]", words[0], words[1], words[2]);
    for (unsigned i = 1; i < l->count; i++)
        strbuf_printf(&s->told, " %u", *(const uint32_t *)l->arguments[i]);
    strbuf_putc(&s->told, '\n');
    *time = (struct device_time){s->takes ? s->takes[s->launches] : 1, 1000};
    s->launches++;
    return true;
}

static void clear(struct device *d)
{
    while (of(d)->memory.count) free(vec_pop(&of(d)->memory));
}

static void profile(struct device *d, bool on) { strbuf_puts(&of(d)->told, on ? "profile " : "end\n"); }

static void begin(struct stand_in *s)
{
    *s = (struct stand_in){.device = {load, allocate, write, copy, texture, variable, launch, clear, profile,
                                      "a card, of tests", ""}};
}

static void end(struct stand_in *s)
{
    vec_fini(&s->memory);
    strbuf_fini(&s->told);
}

static void put(struct test *t, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test_directory(t), name);
    test_write_text(t, path, text);
}

static bool play(struct test *t, struct stand_in *s, const char *text, struct diag *d)
{
    char path[600];
    struct play_times times = {0};
    put(t, "x.wf", text);
    snprintf(path, sizeof path, "%s/x.wf", test_directory(t));
    bool good = play_script(&s->device, path, &times, d);
    CHECK_EQ(t, times.list.count, s->launches);
    CHECK_EQ(t, s->memory.count, 0);
    vec_fini(&times.list);
    return good;
}

// The first outputs of splitmix64 from 1 are 910a2dec89025cc1 beeb8da1658eec67
// f893a2eefb32555e: u32 keeps the low bits.
static void test_script(struct test *t)
{
    struct stand_in s;
    struct diag d;
    diag_init(&d);
    begin(&s);
    bool good = play(t, &s,
                     "# a comment\n"
                     "load ../ptx/one.ptx\n"
                     "buffer a u32:4:rand:1\n"
                     "buffer b u32:4:iota\n"
                     "texture image f32:4x2:iota linear wrap\n"
                     "symbol taps buf=u32:4:const:9\n"
                     "launch first 2,3 64 a u32=7 shared=1024\n"
                     "repeat 2 i 5 10\n"
                     "  swap a b\n"
                     "  launch again 1 32,2 a s32=$i image\n"
                     "end\n"
                     "copy b+4 taps+8 8\n"
                     "fill a+8 u32=0x55 1\n"
                     "load two.ptx\n"
                     "launch first 1 1 b\n"
                     "launch first 1 1 a\n"
                     "launch first 1 1 buf=u32:3:const:3 bytes=01020304\n",
                     &d);
    CHECK_MSG(t, good, "%s", d.messages.count ? d.messages.data[0].text : "");
    CHECK_STR(t, strbuf_text(&s.told),
              "load one\n"
              "texture 4x2 linear wrap, the last texel 7\n"
              "first 2,3,1 64,1,1 shared 1024: [89025cc1 658eec67 fb32555e] 7\n"
              "again 1,1,1 32,2,1 shared 0: [00000000 00000001 00000002] 5 77\n"
              "again 1,1,1 32,2,1 shared 0: [89025cc1 658eec67 fb32555e] 15 77\n"
              "load two\n"
              "first 1,1,1 1,1,1 shared 0: [00000000 00000009 00000009]\n"
              "first 1,1,1 1,1,1 shared 0: [89025cc1 658eec67 00000055]\n"
              "first 1,1,1 1,1,1 shared 0: [00000003 00000003 00000003] 67305985\n");
    end(&s);
    diag_fini(&d);
}

// An invalid script stops with an error at the word, and all memory is freed.
static void test_refused(struct test *t)
{
    static const char *const rows[][2] = {
        {"buffer a u32:4:zero\nlaunch k 1 1 b\n", "no variable b"},
        {"buffer a u32:4:zero\ncopy a+8 a\n", "a does not fit"},
        {"buffer a u32:4:zero\ncopy a+17 a\n", "a has 16 bytes"},
        {"buffer a u32:4:zero\nfill a u32=1 5\n", "no more of it than fits"},
        {"buffer a u32:4:zero\nswap a b\n", "no buffer \"b\""},
        {"symbol taps buf=u32:5:zero\n", "this does not go into taps of 16 bytes"},
        {"set sm.warps=3\n", "a card is not told \"set\" here"},
        {"lunch k 1 1\n", "did you mean \"launch\"?"}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct stand_in s;
        struct diag d;
        diag_init(&d);
        begin(&s);
        CHECK_MSG(t, !play(t, &s, rows[i][0], &d), "%s", rows[i][0]);
        CHECK_HAS(t, d.messages.count ? d.messages.data[0].text : "", rows[i][1]);
        end(&s);
        diag_fini(&d);
    }
}

// Three repetitions of two launches after a warm-up run, at 1,000 MHz. Medians are 20 and 4 microseconds.
static void test_median(struct test *t)
{
    static const double takes[] = {900, 900, 20, 4, 10, 90, 50, 2};
    static const struct {
        enum point_counted counted;
        double cycles;
    } rows[] = {{POINT_ALL, 24000}, {POINT_LAST, 4000}, {POINT_MEAN, 12000}};
    char folder[600];
    snprintf(folder, sizeof folder, "mkdir -p %s/points", test_directory(t));
    CHECK_EQ(t, test_command(folder, 5, NULL, NULL), 0);
    put(t, "points/shared.wf", "load one.ptx\nbuffer a u32:4:zero\nlaunch k 1 32 a\nlaunch k 1 32 a\n");
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct stand_in s;
        struct diag d;
        struct measured m = {0};
        struct strbuf row = {0};
        struct point p = {
            .name = "x", .script = "shared", .folder = test_directory(t), .counted = rows[i].counted};
        diag_init(&d);
        begin(&s);
        s.takes = takes;
        CHECK(t, measure_point(&s.device, &p, 3, &m, &d));
        CHECK(t, m.cycles == rows[i].cycles && m.mhz == 1000 && m.microseconds == rows[i].cycles / 1000);
        CHECK_EQ(t, s.launches, 8);
        measure_row(&p, &s.device, &m, 3, &row);
        if (rows[i].counted == POINT_ALL)
            CHECK_STR(t, row.text,
                      "x,\"a card, of tests\",24000,,,,,,24,1000,2,\"bench/silicon, median of 3\"\n");
        strbuf_fini(&row);
        end(&s);
        diag_fini(&d);
    }
}

// Once for a profiler: only launches that count are in its range, each with a line; a script of too many launches is left out.
static void test_once(struct test *t)
{
    static const struct {
        enum point_counted counted;
        size_t most;
        const char *lines, *told;
    } rows[] = {{POINT_ALL, 3,
                 "# x\nx,0,k,\"1,1,1\",\"32,1,1\"\nx,1,k,\"2,1,1\",\"32,1,1\"\nx,2,k,\"2,1,1\",\"32,1,1\"\n# "
                 "x done\n",
                 "load one\nprofile k 1,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\nend\n"
                 "profile k 2,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\nend\n"
                 "profile k 2,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\nend\n"},
                {POINT_LAST, 1, "# x\nx,2,k,\"2,1,1\",\"32,1,1\"\n# x done\n",
                 "load one\nk 1,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\n"
                 "k 2,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\n"
                 "profile k 2,1,1 32,1,1 shared 0: [00000000 00000000 00000000]\nend\n"},
                {POINT_ALL, 2, "# x\n# x left out: 3 launches\n", ""}};
    char folder[600], lines[600];
    snprintf(folder, sizeof folder, "mkdir -p %s/points", test_directory(t));
    CHECK_EQ(t, test_command(folder, 5, NULL, NULL), 0);
    put(t, "points/three.wf",
        "load one.ptx\nbuffer a u32:4:zero\nlaunch k 1 32 a\nrepeat 2\n  launch k 2 32 a\nend\n");
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct stand_in s;
        struct diag d;
        struct point p = {
            .name = "x", .script = "three", .folder = test_directory(t), .counted = rows[i].counted};
        struct once o = {.most = rows[i].most, .out = tmpfile()};
        diag_init(&d);
        begin(&s);
        CHECK(t, once_point(&s.device, &o, &p, &d));
        rewind(o.out);
        lines[fread(lines, 1, sizeof lines - 1, o.out)] = 0;
        CHECK_STR(t, lines, rows[i].lines);
        CHECK_STR(t, strbuf_text(&s.told), rows[i].told);
        fclose(o.out);
        end(&s);
        diag_fini(&d);
    }
}

// The written rows are valid input of --measurements and replace the list's figures of another card.
static void test_taken(struct test *t)
{
    struct strbuf csv = {0};
    struct diag d;
    struct points points;
    struct measured m = {123.4, 1, 2, 3};
    struct stand_in s;
    char path[600];
    diag_init(&d);
    points_init(&points);
    begin(&s);
    CHECK(t, points_add(&points, "tests/silicon/list/points.csv:all,last", &d));
    measure_heads(&csv);
    measure_row(&points.list.data[0], &s.device, &m, 10, &csv);
    put(t, "card.csv", csv.text);
    snprintf(path, sizeof path, "%s/card.csv", test_directory(t));
    CHECK(t, points_measure(&points, path, &d));
    const struct point *all = &points.list.data[0], *last = &points.list.data[1];
    CHECK(t, all->measured[QUANTITY_CYCLES] == 123 && isnan(all->measured[QUANTITY_INSTRUCTIONS]));
    CHECK_STR(t, all->card, "a card, of tests");
    CHECK_STR(t, all->gpu, "tiny");
    CHECK_STR(t, all->source, "bench/silicon, median of 10");
    CHECK(t, last->measured[QUANTITY_CYCLES] == 2000 && str_equal(last->card, "tiny"));
    CHECK_EQ(t, d.messages.count, 0);
    strbuf_fini(&csv);
    end(&s);
    points_fini(&points);
    diag_fini(&d);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"script", test_script},
                                             {"refused", test_refused},
                                             {"median", test_median},
                                             {"once", test_once},
                                             {"taken", test_taken}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
