// Energy is counts times costs. Counts add up; a cost changes only the rows priced by it. An SRAM costs more
// if larger, wider or with more ports.
#include "energy/energy.h"
#include "energy/sram.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/names.h"
#include "harness/test.h"
#include "report/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void take(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                 const struct wf_stats *stats)
{
    report_run_add(context, k, shape, stats);
}

// Runs a bundled kernel at small size, with `key` set to `value`; NULL: with the defaults.
static struct report_run measure_on(struct test *t, const char *gpu, const char *name, const char *tech,
                                    const char *key, const char *value)
{
    struct wf_context *c = wf_context_create();
    struct report_run r = {0};
    CHECK(t, wf_gpu(c, gpu) == WF_OK && wf_tech(c, tech) == WF_OK);
    if (key) CHECK_MSG(t, wf_set(c, key, value) == WF_OK, "%s", wf_errors(c));
    bundled_run(t, c, name, take, &r);
    wf_context_destroy(c);
    return r;
}

static struct report_run measure(struct test *t, const char *name, const char *tech, const char *key,
                                 const char *value)
{
    return measure_on(t, "gtx1080ti-paper", name, tech, key, value);
}

static uint64_t counter_of(struct test *t, const struct report_run *r, const char *name)
{
    return counter_in(t, r->counters, r->counter_count, name);
}

static void test_counts(struct test *t)
{
    static const char *const kernels[] = {"matrixMul", "LIB", "convolutionTexture", "bfs"}, *base = "base";
    test_names techs = {0};
    test_name_techs(&techs);
    vec_push(&techs, base);
    for (size_t k = 0; k < TEST_COUNT(kernels); k++)
        for (size_t n = 0; n < techs.count; n++) {
            struct report_run r = measure(t, kernels[k], techs.data[n], NULL, NULL);
            uint64_t lanes = 0;
            for (size_t i = 0; i < r.counter_count; i++)
                if (strncmp(r.counters[i].name, "sm.lanes.", 9) == 0) lanes += r.counters[i].value;
            lanes += counter_in_if_used(t, r.counters, r.counter_count, "gscalar.lanes") +
                     counter_in_if_used(t, r.counters, r.counter_count, "cae.spared"); // spared by mechanisms
            CHECK_EQ(t, lanes,
                     counter_of(t, &r, "exec.thread_instructions") + counter_of(t, &r, "sm.guest.lanes"));
            double parts = 0, rows = 0;
            const char *part, *meaning;
            for (size_t i = 0; wf_energy_part_at(i, &part, &meaning); i++)
                parts += report_energy_part(&r.energy, part);
            for (size_t i = 0; i < r.energy.rows.count; i++)
                rows += (double)r.energy.rows.data[i].count * r.energy.rows.data[i].pj_each;
            CHECK(t, rows > 0 && rows == report_energy_total(&r.energy));
            CHECK(t, fabs(parts - rows) < 1e-12 * rows);
            CHECK(t, (report_energy_part(&r.energy, "mechanism") > 0) == (r.storage.count > 0));
            report_run_fini(&r);
        }
    vec_fini(&techs);
}

// Instructions of wrong paths are scheduled as usual, and compute nothing.
static void test_wrong_paths(struct test *t)
{
    struct report_run r = measure(t, "nqueens", "base", "branch.predict", "static"),
                      none = measure(t, "nqueens", "base", NULL, NULL);
    uint64_t ghosts = counter_of(t, &r, "sm.predict.ghosts"), scheduled = 0;
    for (size_t i = 0; i < r.energy.rows.count; i++)
        if (strcmp(r.energy.rows.data[i].name, "issue") == 0) scheduled = r.energy.rows.data[i].count;
    CHECK(t, ghosts > 0);
    CHECK_EQ(t, scheduled, counter_of(t, &r, "sm.issue.issued") + ghosts);
    CHECK_EQ(t, counter_of(t, &r, "sm.issue.issued"), counter_of(t, &none, "sm.issue.issued"));
    CHECK(t, report_energy_part(&r.energy, "execution") == report_energy_part(&none.energy, "execution"));
    report_run_fini(&r);
    report_run_fini(&none);
}

// Every cost in turn is halved: the rows priced by the cost halve, and other rows stay.
static void test_halving(struct test *t)
{
    struct report_run whole = measure(t, "matrixMul", "darsie", NULL, NULL);
    unsigned changed_rows = 0;
    for (size_t k = 0; k < energy_config_key_count; k++) {
        const struct config_key *key = &energy_config_keys[k];
        const char *event = key->name + strlen("energy.");
        char half[32];
        snprintf(half, sizeof half, "%.17g", strtod(key->initial, NULL) / 2);
        struct report_run r = measure(t, "matrixMul", "darsie", key->name, half);
        CHECK_EQ(t, r.energy.rows.count, whole.energy.rows.count);
        for (size_t i = 0; i < r.energy.rows.count; i++) {
            const struct wf_energy *a = &whole.energy.rows.data[i], *b = &r.energy.rows.data[i];
            bool is_access = strcmp(a->part, "mechanism") == 0 && strcmp(a->unit, "accesses") == 0,
                 is_leakage = strcmp(a->unit, "bit cycles") == 0,
                 its = strcmp(event, "sram_access") == 0    ? is_access
                       : strcmp(event, "sram_leakage") == 0 ? is_leakage
                                                            : strcmp(event, a->name) == 0;
            CHECK_EQ(t, b->count, a->count);
            CHECK_MSG(t, b->pj_each == (its ? a->pj_each / 2 : a->pj_each), "%s at half: %s is %g, was %g",
                      key->name, a->name, b->pj_each, a->pj_each);
            changed_rows += its;
        }
        report_run_fini(&r);
    }
    CHECK_EQ(t, changed_rows, whole.energy.rows.count); // every row has exactly one price
    report_run_fini(&whole);
}

static void test_sram(struct test *t)
{
    // The points used for calibration and for comparison (sram.h).
    CHECK(t, sram_access_pj(10, 8 * 8192, 64, 1) == 10);
    CHECK(t, sram_access_pj(10, 8 * 32768, 64, 1) == 20);
    CHECK(t, fabs(sram_access_pj(10, 8 << 20, 64, 1) - 100) < 15);
    for (uint64_t bits = 256; bits < 1 << 24; bits *= 2)
        for (unsigned ports = 1; ports < 8; ports++) {
            double pj = sram_access_pj(10, bits, 32, ports);
            CHECK(t, sram_access_pj(10, 2 * bits, 32, ports) > pj);
            CHECK(t, sram_access_pj(10, bits, 64, ports) > pj);
            CHECK(t, sram_access_pj(10, bits, 32, ports + 1) > pj);
            CHECK(t, sram_access_pj(5, bits, 32, ports) == pj / 2);
        }
}

static bool has_row(const struct report_run *r, const struct wf_structure *s, const char *what)
{
    char name[100];
    snprintf(name, sizeof name, "%s: %s, %s", s->tech, s->name, what);
    for (size_t i = 0; i < r->energy.rows.count; i++)
        if (strcmp(r->energy.rows.data[i].name, name) == 0) return true;
    return false;
}

// Every structure reported by a mechanism has a cost to read and to write. structures.def prices only
// existing structures, by counters of the same mechanism.
static void test_structures(struct test *t)
{
    static const char *const ways[] = {"darsie:branch-sync=parting",
                                       "darsie:branch-sync=first",
                                       "scalarise:scalar=on",
                                       "uv:variant=srf",
                                       "uv:variant=token,value-parity=on",
                                       "mta:buffer=16"};
    test_names techs = {0};
    static const struct {
        const char *tech, *name, *counts[2];
    } priced[] = {
#define STRUCTURE(tech, name, bits, read_ports, write_ports, reads, writes) {tech, name, {reads, writes}},
#define SCALAR_FILE                                                         STRUCTURE
#include "energy/structures.def"
#undef STRUCTURE
#undef SCALAR_FILE
    };
    bool seen[TEST_COUNT(priced)] = {false};
    test_name_techs(&techs);
    test_name_more(&techs, ways, TEST_COUNT(ways));
    for (size_t n = 0; n < techs.count; n++) {
        struct report_run r = measure(t, "matrixMul", techs.data[n], NULL, NULL);
        for (size_t i = 0; i < r.storage.count; i++) {
            const struct wf_structure *s = &r.storage.data[i];
            CHECK_MSG(t, s->instead || (has_row(&r, s, "reads") && has_row(&r, s, "writes")),
                      "%s: %s has no row in structures.def", s->tech, s->name);
            for (size_t k = 0; k < TEST_COUNT(priced); k++)
                seen[k] |= strcmp(priced[k].tech, s->tech) == 0 && strcmp(priced[k].name, s->name) == 0;
        }
        report_run_fini(&r);
    }
    vec_fini(&techs);
    struct wf_context *c = wf_context_create();
    for (size_t k = 0; k < TEST_COUNT(priced); k++) {
        CHECK_MSG(t, seen[k], "%s has no %s", priced[k].tech, priced[k].name);
        for (size_t n = 0; n < 2; n++)
            for (const char *p = priced[k].counts[n]; *p; p += strcspn(p, "+"), p += *p == '+') {
                struct wf_counter counter;
                bool known = false;
                for (size_t i = 0; !known && wf_tech_counter_at(c, priced[k].tech, i, &counter); i++) {
                    const char *dot = strrchr(counter.name, '.'), *name = dot ? dot + 1 : counter.name;
                    known = strlen(name) == strcspn(p, "+") && strncmp(name, p, strlen(name)) == 0;
                }
                CHECK_MSG(t, known, "%s counts no %.*s", priced[k].tech, (int)strcspn(p, "+"), p);
            }
    }
    wf_context_destroy(c);
}

// Options of a mechanism change the cost of the mechanism's structures.
static void test_mechanism(struct test *t)
{
    struct report_run small = measure(t, "matrixMul", "darsie:entries=2", NULL, NULL),
                      large = measure(t, "matrixMul", "darsie:entries=64", NULL, NULL),
                      ports = measure(t, "matrixMul", "darsie:entries=2,read-ports=8", NULL, NULL);
    for (size_t i = 0; i < small.energy.rows.count; i++) {
        const struct wf_energy *row = &small.energy.rows.data[i];
        if (strncmp(row->name, "darsie: PC skip table", 21) != 0) continue;
        CHECK(t, large.energy.rows.data[i].pj_each > row->pj_each);
        CHECK(t, ports.energy.rows.data[i].pj_each > row->pj_each);
    }
    report_run_fini(&small);
    report_run_fini(&large);
    report_run_fini(&ports);
}

static uint64_t events(struct test *t, const struct report_run *r, const char *name)
{
    for (size_t i = 0; i < r->energy.rows.count; i++)
        if (strcmp(r->energy.rows.data[i].name, name) == 0) return r->energy.rows.data[i].count;
    CHECK_MSG(t, false, "no row %s", name);
    return 0;
}

// Structures for parallelism within a warp cost energy only on SMs with the structures: on
// every SM, on no SM, or on the SMs of a class.
static void test_cores(struct test *t)
{
    struct report_run none = measure(t, "vecadd", "base", NULL, NULL),
                      board = measure(t, "vecadd", "base", "issue.dependences", "board"),
                      bypass = measure(t, "vecadd", "base", "operands.bypass", "1"),
                      mixed = measure_on(t, "gpu-h", "vecadd", "base", NULL, NULL);
    static const char *const rows[] = {"board_search", "board_keep", "board_leakage", "bypass_leakage"};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) CHECK_EQ(t, events(t, &none, rows[k]), 0);
    CHECK(t, counter_of(t, &board, "sm.board.registers") >= counter_of(t, &board, "sm.board.instructions"));
    CHECK(t, counter_of(t, &board, "sm.board.instructions") > 0);
    CHECK_EQ(t, events(t, &board, "board_search"), counter_of(t, &board, "sm.board.searches"));
    CHECK_EQ(t, events(t, &board, "board_keep"), counter_of(t, &board, "sm.board.registers"));
    CHECK_EQ(t, events(t, &board, "board_leakage"), 8 * events(t, &board, "sm_leakage"));
    CHECK_EQ(t, events(t, &board, "bypass_leakage"), 0);
    CHECK_EQ(t, events(t, &bypass, "board_leakage"), 0);
    CHECK_EQ(t, events(t, &bypass, "bypass_leakage"), events(t, &bypass, "sm_leakage"));
    CHECK_EQ(t, events(t, &mixed, "sm_leakage"), 38 * events(t, &mixed, "chip_leakage"));
    CHECK_EQ(t, events(t, &mixed, "board_leakage"), 18 * 8 * events(t, &mixed, "chip_leakage"));
    CHECK_EQ(t, events(t, &mixed, "bypass_leakage"), 18 * events(t, &mixed, "chip_leakage"));
    report_run_fini(&none);
    report_run_fini(&board);
    report_run_fini(&bypass);
    report_run_fini(&mixed);
}

static const struct wf_energy *row_of(struct test *t, const struct report_run *r, const char *name)
{
    static const struct wf_energy none = {0};
    for (size_t i = 0; i < r->energy.rows.count; i++)
        if (strcmp(r->energy.rows.data[i].name, name) == 0) return &r->energy.rows.data[i];
    CHECK_MSG(t, false, "no row %s", name);
    return &none;
}

// A word in its bank and a scalar register have prices of their own on gtx285 (Xiang, Table 2); elsewhere a scalar
// register file costs as an SRAM.
static void test_scalar_file(struct test *t)
{
    struct report_run token = measure_on(t, "gtx285", "vecadd", "uv:variant=token", NULL, NULL),
                      srf = measure_on(t, "gtx285", "vecadd", "uv:variant=srf", NULL, NULL),
                      sram = measure(t, "vecadd", "uv:variant=srf", NULL, NULL);
    const struct wf_energy *reads = row_of(t, &srf, "uv: scalar registers, reads"),
                           *leaks = row_of(t, &srf, "uv: scalar registers, leakage");
    CHECK(t, reads->pj_each == 0.176 && row_of(t, &srf, "uv: scalar registers, writes")->pj_each == 0.162);
    CHECK(t, fabs(leaks->pj_each * 128 * 32 - 0.77) < 1e-12);
    CHECK_EQ(t, leaks->count, 128 * 32 * events(t, &srf, "sm_leakage"));
    CHECK(t, row_of(t, &sram, "uv: scalar registers, reads")->pj_each > 1);
    CHECK_EQ(t, events(t, &token, "lane_read") + counter_of(t, &token, "uv.copies"),
             counter_of(t, &token, "sm.operand.word_reads"));
    CHECK_EQ(t, events(t, &token, "lane_write"), counter_of(t, &token, "sm.operand.word_writes"));
    CHECK(t, events(t, &token, "lane_read") > 0 && row_of(t, &token, "lane_read")->pj_each == 2.46);
    CHECK_EQ(t, events(t, &srf, "lane_read") + events(t, &srf, "lane_write"), 0);
    report_run_fini(&token);
    report_run_fini(&srf);
    report_run_fini(&sram);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"counts", test_counts}, {"wrong_paths", test_wrong_paths}, {"halving", test_halving},
        {"sram", test_sram},     {"structures", test_structures},   {"mechanism", test_mechanism},
        {"cores", test_cores},   {"scalar_file", test_scalar_file}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
