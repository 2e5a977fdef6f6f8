// Micro-measurements of silicon/micro: every script measures its quantity. A changed latency or interval must
// show in its chain to the cycle. Fails also where a table names an unknown launch or GPU.
#include "base/json_read.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_MOST = 256 };

struct launch {
    const char *kernel;
    unsigned grid, block;
    uint64_t cycles;
};

struct result {
    struct arena arena;
    struct launch launches[LAUNCHES_MOST];
    size_t count;
};

static void result_fini(struct result *r) { arena_fini(&r->arena); }

static unsigned first_of(const struct json_value *launch, const char *key)
{
    const struct json_value *shape = json_member(launch, key);
    return shape ? (unsigned)json_unsigned(shape->first) : 0;
}

static void run(struct test *t, struct result *r, const char *script, const char *options)
{
    struct cli c = {.t = t};
    char arguments[600];
    const char *why;
    size_t offset;
    *r = (struct result){0};
    snprintf(arguments, sizeof arguments, "run --script silicon/micro/%s.wf --quiet --json - %s", script,
             options);
    cli_expect(&c, arguments, 0, "");
    const struct json_value *all =
        json_member(json_parse(c.out, strlen(c.out), &r->arena, &why, &offset), "launches");
    for (const struct json_value *v = all ? all->first : NULL; v && r->count < LAUNCHES_MOST; v = v->next)
        r->launches[r->count++] =
            (struct launch){json_text(json_member(v, "kernel")), first_of(v, "grid"), first_of(v, "block"),
                            json_unsigned(json_member(v, "cycles"))};
    cli_fini(&c);
}

// Launches of a kernel with a grid and block (0: any): found[0] is launch `pair` of the first, smaller half,
// found[1] its partner of the larger half. False: no such pair.
static bool find(const struct result *r, const char *kernel, unsigned grid, unsigned block, size_t pair,
                 const struct launch *found[2])
{
    const struct launch *of[LAUNCHES_MOST];
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++) {
        const struct launch *l = &r->launches[k];
        if (strcmp(l->kernel, kernel) == 0 && (!grid || l->grid == grid) && (!block || l->block == block))
            of[count++] = l;
    }
    if (count % 2 || pair >= count / 2) return false;
    found[0] = of[pair];
    found[1] = of[pair + count / 2];
    return true;
}

// Cycles of the larger launch of a pair minus cycles of the smaller.
static double more(struct test *t, const struct result *r, const char *kernel, unsigned grid, unsigned block,
                   size_t pair)
{
    const struct launch *l[2];
    bool is_there = find(r, kernel, grid, block, pair, l);
    CHECK_MSG(t, is_there, "no pair %zu of %s %u %u", pair, kernel, grid, block);
    return is_there ? (double)l[1]->cycles - (double)l[0]->cycles : 0;
}

static void check_near(struct test *t, const char *what, double got, double want)
{
    CHECK_MSG(t, got > want * 0.98 - 8 && got < want * 1.02 + 8, "%s: %.0f cycles, not %.0f", what, got,
              want);
}

// -- units --------------------------------------------------------------------------------------------------

#define LATENCIES(n)                                                                                         \
    " --set latency.fp_add=" n " --set latency.fp_mul=" n " --set latency.fp_mad=" n " --set latency.dp=" n  \
    " --set latency.sfu=" n " --set latency.convert=" n " --set latency.convert_wide=" n                     \
    " --set latency.shuffle=" n

// Chains of 512 or 256 instructions of one class: 40 cycles more latency add 40 cycles an instruction.
static void test_latencies(struct test *t)
{
    static const struct {
        const char *kernel, *key;
        unsigned instructions;
    } rows[] = {
        {"float_add", "fp_add", 512},
        {"float_multiply", "fp_mul", 512},
        {"float_fma", "fp_mad", 512},
        {"double_add", "dp", 512},
        {"double_fma", "dp", 512},
        {"special_reciprocal", "sfu", 256},
        {"special_log2", "sfu", 256},
        {"convert_int", "convert", 512},
        {"convert_double", "convert_wide", 512},
        {"lane_shuffle", "shuffle", 512},
    };
    struct result low, high;
    run(t, &low, "units", "--gpu tiny" LATENCIES("60"));
    run(t, &high, "units", "--gpu tiny" LATENCIES("100"));
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        check_near(t, rows[k].kernel,
                   more(t, &high, rows[k].kernel, 1, 32, 0) - more(t, &low, rows[k].kernel, 1, 32, 0),
                   40.0 * rows[k].instructions);
    result_fini(&low);
    result_fini(&high);
}

// 32 warps on one pipeline: each warp instruction takes the issue interval.
static void test_rates(struct test *t)
{
    static const struct {
        const char *kernel;
        unsigned instructions;
    } rows[] = {{"float_fma", 512},
                {"double_fma", 512},
                {"special_exp2", 256},
                {"convert_int", 512},
                {"lane_shuffle", 512}};
    struct result r;
    run(t, &r, "units",
        "--gpu tiny --set units.float=1 --set interval.fp_mad=16 --set units.double=1 --set interval.dp=16"
        " --set units.special=1 --set interval.sfu=16 --set interval.convert=16 --set interval.shuffle=16");
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        check_near(t, rows[k].kernel, more(t, &r, rows[k].kernel, 1, 1024, 0),
                   16.0 * 32 * rows[k].instructions);
    result_fini(&r);
}

static void test_barriers(struct test *t)
{
    struct result r;
    run(t, &r, "units", "--gpu gtx1080ti");
    for (unsigned block = 128; block < 1024; block *= 2)
        CHECK(t, more(t, &r, "barriers", 1, block, 0) > more(t, &r, "barriers", 1, 32, 0) * 0.99);
    CHECK(t, more(t, &r, "barriers", 1, 1024, 0) > more(t, &r, "barriers", 1, 32, 0) * 1.5);
    result_fini(&r);
}

// -- memory -------------------------------------------------------------------------------------------------

// 128 loads by each of 32 warps. Strides of 2, 4, 8, 16 and 32 words conflict in as many passes;
// strides 1 and 3 do not conflict.
static void test_shared(struct test *t)
{
    static const double PASSES[] = {1, 1, 2, 1, 4, 8, 16, 32}; // strides 0, 1, 2, 3, 4, 8, 16, 32
    struct result r;
    run(t, &r, "shared", "--gpu gtx1080ti");
    for (size_t k = 0; k < TEST_COUNT(PASSES); k++) {
        double passes = more(t, &r, "shared_load_4", 1, 1024, k) / (128 * 32);
        CHECK_MSG(t, passes > PASSES[k] * 0.95 && passes < PASSES[k] * 1.1, "%zu: %.2f passes, not %.0f", k,
                  passes, PASSES[k]);
    }
    CHECK(t, more(t, &r, "shared_load_16", 1, 1024, 0) <=
                 more(t, &r, "shared_load_16", 1, 1024, 1)); // a single address, or many
    CHECK(t, more(t, &r, "shared_load_8", 1, 1024, 1) <= more(t, &r, "shared_load_16", 1, 1024, 1));
    CHECK(t, more(t, &r, "shared_atomics", 1, 1024, 1) <
                 more(t, &r, "shared_atomics", 1, 1024, 0)); // separate words, or one word
    result_fini(&r);
}

// Step of a pointer ring fitting in the L1, in the L2, or in neither.
static void test_rings(struct test *t)
{
    struct result r;
    run(t, &r, "rings", "--gpu v100");
    double l1 = more(t, &r, "ring_walk", 1, 1, 0) / 2048, l2 = more(t, &r, "ring_walk", 1, 1, 2) / 16384,
           dram = more(t, &r, "ring_walk", 1, 1, 4) / 1024;
    CHECK_MSG(t, l1 * 3 < l2 && l2 * 1.3 < dram, "%.1f, %.1f and %.1f cycles", l1, l2, dram);
    result_fini(&r);
}

// A cold round takes longer than a warm round while the code fits in the cache;
// larger code is cold in every round.
static void test_code(struct test *t)
{
    const struct launch *l[2];
    struct result fits, perfect;
    run(t, &fits, "code", "--gpu gtx1080ti --set icache.sets=512");
    run(t, &perfect, "code", "--gpu gtx1080ti --set icache.perfect=1");
    for (unsigned n = 256; n <= 4096; n *= 4) {
        char name[16];
        snprintf(name, sizeof name, "code_%u", n);
        double warm = more(t, &fits, name, 1, 32, 0) / 2, best = more(t, &perfect, name, 1, 32, 0) / 2;
        CHECK(t, find(&fits, name, 1, 32, 0, l) && (double)l[0]->cycles > warm);
        CHECK_MSG(t, warm < best * 1.1, "%s: %.0f cycles a round, %.0f with a perfect cache", name, warm,
                  best);
    }
    result_fini(&fits);
    result_fini(&perfect);
}

// -- the tables ---------------------------------------------------------------------------------------------

typedef void row_of(struct test *t, void *context, char fields[8][120]);

// Rows of a file of the repository, below the head. The first fields contain no comma; the last
// field takes the rest of the line.
static void each_row(struct test *t, const char *path, unsigned fields, row_of *row, void *context)
{
    char line[1000], field[8][120];
    FILE *f = fopen(path, "r");
    CHECK_MSG(t, f, "no %s: tests run from the root of the repository", path);
    if (!f) return;
    for (bool is_head = true; fgets(line, sizeof line, f); is_head = false) {
        char *at = line;
        line[strcspn(line, "\n")] = 0;
        for (unsigned k = 0; k < fields; k++) {
            size_t length = k + 1 < fields ? strcspn(at, ",") : strlen(at);
            snprintf(field[k], sizeof field[k], "%.*s", (int)length, at);
            at += length + (at[length] == ',');
        }
        if (!is_head) row(t, context, field);
    }
    fclose(f);
}

struct quantities {
    struct result result;
    char script[120]; // script of the result
    char names[LAUNCHES_MOST][120];
    size_t count;
};

// quantity,unit,script,kernel,grid,block,pair,work
static void check_quantity(struct test *t, void *context, char field[8][120])
{
    struct quantities *q = context;
    const struct launch *l[2];
    if (strcmp(q->script, field[2]) != 0) {
        result_fini(&q->result);
        run(t, &q->result, field[2], "--functional");
        strcpy(q->script, field[2]);
    }
    CHECK_MSG(t,
              find(&q->result, field[3], (unsigned)atoi(field[4]), (unsigned)atoi(field[5]),
                   (size_t)atoi(field[6]), l),
              "%s: %s.wf has no such pair of launches of %s", field[0], field[2], field[3]);
    if (q->count < LAUNCHES_MOST) strcpy(q->names[q->count++], field[0]);
}

// gpu,quantity,value,source,note
static void check_published(struct test *t, void *context, char field[8][120])
{
    const struct quantities *q = context;
    struct cli c = {.t = t};
    char arguments[160];
    size_t k = 0;
    while (k < q->count && strcmp(q->names[k], field[1]) != 0) k++;
    CHECK_MSG(t, k < q->count, "%s: micro.csv has no quantity \"%s\"", field[0], field[1]);
    CHECK_MSG(t, atof(field[2]) > 0, "%s: %s has no value", field[0], field[1]);
    CHECK_MSG(t, strlen(field[3]) > 10, "%s: %s has no source", field[0], field[1]);
    snprintf(arguments, sizeof arguments, "list gpus %s", field[0]);
    cli_expect(&c, arguments, 0, "");
    cli_fini(&c);
}

static void test_tables(struct test *t)
{
    static struct quantities q;
    memset(&q, 0, sizeof q);
    each_row(t, "silicon/micro.csv", 8, check_quantity, &q);
    CHECK(t, q.count > 100);
    each_row(t, "silicon/micro-published.csv", 4, check_published, &q);
    result_fini(&q.result);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"latencies", test_latencies}, {"rates", test_rates}, {"barriers", test_barriers},
        {"shared", test_shared},       {"rings", test_rings}, {"code", test_code},
        {"tables", test_tables},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
