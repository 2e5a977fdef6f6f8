// Storage that mechanisms report, compared with the papers: section 6.3 of the DARSIE paper, section 2.5 of
// Xiang's dissertation, and the columns of DARSIE's Table 3.
#include "api/warpfold.h"
#include "harness/test.h"

#include <string.h>

struct row {
    const char *tech, *name; // NULL: the sum of the rows counted by the paper
    uint64_t bits;
};

static uint64_t bits_of(struct wf_context *c, const char *name)
{
    const struct wf_structure *rows;
    size_t count = wf_storage(c, &rows);
    uint64_t bits = 0;
    for (size_t n = 0; n < count; n++)
        if (name ? strcmp(rows[n].name, name) == 0 : rows[n].in_paper) bits += rows[n].bits;
    return bits;
}

static void check_bits(struct test *t, struct wf_context *c, const struct row *rows, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        CHECK_EQ(t, wf_tech(c, rows[k].tech), WF_OK);
        CHECK_MSG(t, bits_of(c, rows[k].name) == rows[k].bits, "%s: %s has %llu bits, not %llu", rows[k].tech,
                  rows[k].name ? rows[k].name : "all", (unsigned long long)bits_of(c, rows[k].name),
                  (unsigned long long)rows[k].bits);
    }
}

static void test_bits(struct test *t)
{
    static const struct row rows[] = {
        {"darsie", "PC skip table", 20992},             // 82 x 256; the text has 20092, and 2,624 bytes
        {"darsie", "majority masks", 1024},             // 32 x 32
        {"darsie", "register renaming", 21504},         // 21 x 32 x 32
        {"darsie", NULL, 43520},                        // 5.31 KB
        {"darsie", "version counters of warps", 10240}, // 5 x 32 x 64, which the paper leaves out
        {"darsie:branch-sync=parting", "branch counts", 4 * (256 + 64)},
        {"darsie:branch-sync=first,ahead=3", "branch counts", 2 * (256 + 64)},
        {"darsie:branch-sync=first", "ways at branches", 16 * 32 * 48},
        {"darsie:entries=1", "PC skip table", 2624},
        {"darsie:give-up=4", "losses of blocks", 32 * 13},
        {"darsie:registers=16", "register renaming", 20 * 16 * 32},
        {"uv", "reuse buffer", 1192}, // 8 x (10 + 3 x 32 + 32 + 3 + 8)
        {"uv", "tokens", 2048},
        {"uv:parity=on", "reuse buffer", 1200},
        {"uv:variant=srf", "scalar registers", 4096},
        {"uv:variant=srf,registers=16", "scalar registers", 512},
        {"uv:entries=16,words=2", "reuse buffer", 16 * (10 + 8 + 3 * 64 + 64 + 4)},
        {"dac", NULL, 0},
        {"wir", "rename table", 2048 * (11 + 1 + 1)},               // a number, pinned, waits
        {"wir:entries=65536", "rename table", 2048 * (16 + 1 + 1)}, // waits for an entry: the entry's number
        {"wir:pending=execute", "rename table", 2048 * 12},
        {"wir", "reuse buffer", 256 * (1 + 8 + 48 + 32 + 6 * 12 + 2 * 12)},
        {"wir", "signatures", 256 * (1 + 32 + 11)},
        {"wir", "reference counts", 2048 * 13}, // of 2048 registers and 8 of every entry
        {"r2d2", "thread-index registers", 64 * 1024},
        {"r2d2", "block-index registers", 32 * 32 * 64}, // of every block
        {"r2d2:registers=8", "coefficient registers", 8 * (4 * 64 + 3 * 32)},
        {"r2d2", "linear registers", 4 * 32 * 14}, // at every scheduler
        {"gscalar", NULL, 2048 * 33},
        {"gscalar:parts=2", "words", 2 * 2048 * 32},
        {"cae", "affine registers", 2048 * 66},
        {"mta", "strides by warp", 32 * (16 + 6 + 32 + 32 + 4)},
        {"mta:pws=8", "strides by warp", 8 * (16 + 6 + 32 + 32 + 4)},
        {"mta:record=64", "lines asked for", 64 * 27},
        {"mta:buffer=100", "lines of the buffer", 96 * 1024}, // whole sets of 8
        {"mta:buffer=100", "tags of the buffer", 96 * 27},
        {"snake", "heads of chains", 64 * (1 + 16 + 32)},
        {"snake", "links", 64 * (1 + 2 * 16 + 32 + 4)},
        {"snake", "links of warps", 32 * (1 + 16 + 6 + 16 + 2 * 32 + 4)},
        {"snake", "lines of the buffer", 128 * 1024},
        {"rfcache", "values", 4 * 8 * 6 * 1024},
        {"rfcache:warps=64", "values", 64 * 6 * 1024}, // limited by the number of warps
        {"rfcache:entries=1", "tags", 4 * 8 * 9},
        {"scalarise:vectors=1024", NULL, 1202176}, // Fig. 8 of its paper, for an SM of as many registers
        {"scalarise:vectors=512", NULL, 672256},
        {"scalarise", NULL, 672256},
        {"scalarise:scalar=on", "scalars of the pipe", 71680}, // a third copy, which the paper does not count
        {"scalarise:scalar=on", "predictions", 8192},
        {"scalarise:vectors=256", NULL, 407552},
        {"warpman", NULL, 42}, // 26 + 5 + 5 + 5 + 1: 32 blocks; 40 of the GTX 480 (test_warpman.c)
    };
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "gtx1080ti-paper"), WF_OK);
    check_bits(t, c, rows, TEST_COUNT(rows));
    // 5.31 KB, 2.1 % of the register file.
    CHECK_EQ(t, wf_tech(c, "darsie"), WF_OK);
    CHECK_EQ(t, bits_of(c, NULL) * 100 / 8 / 1024, 531);
    CHECK_EQ(t, (bits_of(c, NULL) * 2000 / wf_register_file_bits(c) + 1) / 2, 21);
    wf_context_destroy(c);
}

// The GPU of the dissertation's chapter 2: 512 vector registers.
static void test_gtx285(struct test *t)
{
    static const struct row rows[] = {
        {"uv:variant=token", "tokens", 512},
        {"uv:variant=token", NULL, 1192 + 512},
        {"uv:variant=srf", "renaming map", 3584}, // 512 x 7
        {"uv:variant=srf", "valid bits of the map", 512},
        {"uv:variant=srf,protect=on,parity=on", NULL, 1200 + 4096 + 3584},
    };
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "gtx285"), WF_OK);
    check_bits(t, c, rows, TEST_COUNT(rows));
    wf_context_destroy(c);
}

static void test_table_3(struct test *t)
{
    static const char *const features[] = {"uniform redundancy", "affine redundancy",
                                           "unstructured redundancy", "min. pipeline modifications"};
    static const struct {
        const char *tech;
        bool has[4];
    } columns[] = {{"uv", {true, false, false, true}},
                   {"dac", {true, true, false, false}},
                   {"gscalar", {true, false, false, false}},
                   {"darsie", {true, true, true, true}}};
    const char *name, *meaning;
    unsigned found = 0;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++)
        for (size_t k = 0; k < TEST_COUNT(columns); k++) {
            struct wf_feature f;
            if (strcmp(columns[k].tech, name) != 0) continue;
            found++;
            for (size_t n = 0; n < 4; n++) {
                CHECK(t, wf_tech_feature_at(i, n, &f));
                CHECK_STR(t, f.name, features[n]);
                CHECK_MSG(t, f.has == columns[k].has[n], "%s, %s: not as Table 3 has it", name, f.name);
            }
        }
    CHECK_EQ(t, found, TEST_COUNT(columns));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"bits", test_bits}, {"gtx285", test_gtx285}, {"table_3", test_table_3}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
