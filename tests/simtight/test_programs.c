// Whole programs on the core, in each of its forms, beside the oracle, which shares no code with it and knows no time: the
// same text, bytes, instructions, beats, hits of the stack cache; and compressed registers hold what plain ones do.
#include "api/impl.h"
#include "base/file.h"
#include "harness/test.h"
#include "oracle/simtight.h"
#include "riscv/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    uint64_t thread_instructions, warp_instructions, load_beats, store_beats, hits, misses, mismatches,
        spills;
};

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct totals *total = context;
    (void)k, (void)shape;
    total->thread_instructions += stats->thread_instructions;
    total->warp_instructions += stats->warp_instructions;
    total->mismatches += stats->verify_mismatches;
    for (size_t n = 0; n < stats->counter_count; n++) {
        const struct wf_counter *c = &stats->counters[n];
        if (str_equal(c->name, "simtight.load_beats")) total->load_beats += c->value;
        if (str_equal(c->name, "simtight.store_beats")) total->store_beats += c->value;
        if (str_equal(c->name, "simtight.stack_load_hits")) total->hits += c->value;
        if (str_equal(c->name, "simtight.stack_load_misses")) total->misses += c->value;
        if (str_equal(c->name, "simtight.spills")) total->spills += c->value;
    }
}

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

enum form { FORM_PLAIN, FORM_RFC, FORM_RFC512, FORM_RFC256, FORM_ADS, FORMS };
static const char *const gpus[FORMS] = {"simtight", "simtight-rfc", "simtight-rfc512", "simtight-rfc256",
                                        "simtight-ads"};

static const struct {
    uint64_t start, end;
} spans[] = {{RISCV_DATA, RISCV_DATA + (16u << 20)},
             {RISCV_SCRATCH, RISCV_STACKS},
             {RISCV_MEMORY_END - (8u << 20), RISCV_MEMORY_END}};

static void check_counts(struct test *t, const char *what, enum form form, const struct totals *got,
                         const struct simtight_oracle_counts *want)
{
    uint64_t beats = got->load_beats + got->store_beats;
#define SAME(NAME, GOT, WANT)                                                                                \
    CHECK_MSG(t, (GOT) == (WANT), "%s: " NAME ": %llu, not %llu", what, (unsigned long long)(GOT),           \
              (unsigned long long)(WANT))
    SAME("thread instructions", got->thread_instructions, want->thread_instructions);
    SAME("warp instructions", got->warp_instructions, want->warp_instructions);
    SAME("mismatches", got->mismatches, (uint64_t)0);
    if (form == FORM_ADS) {
        SAME("beats", beats, want->stack_cache_beats);
        SAME("hits", got->hits, want->stack_cache_load_hits);
        SAME("misses", got->misses, want->stack_cache_load_misses);
    } else if (!got->spills) { // what is spilled takes beats, too
        SAME("beats loaded", got->load_beats, want->load_beats);
        SAME("beats stored", got->store_beats, want->store_beats);
    } else {
        CHECK(t, beats > want->load_beats + want->store_beats);
    }
#undef SAME
}

static uint64_t run_on(struct test *t, const char *elf, enum form form, const char *bytes, size_t length,
                       const struct simtight_oracle_result *want, const uint8_t *memory)
{
    static const uint8_t is_small = 1;
    struct wf_context *c = wf_context_create();
    struct strbuf text = {0};
    struct totals total = {0};
    struct wf_program_config config = {&is_small, 1, launched, &total};
    struct wf_program_stats stats = {0};
    char what[256];
    snprintf(what, sizeof what, "%s on %s", elf, gpus[form]);
    wf_set_print(c, print, &text);
    wf_set_verify(c, true);
    CHECK_EQ(t, wf_gpu(c, gpus[form]), WF_OK);
    struct wf_module *m = wf_module_load(c, elf, bytes, length);
    CHECK_MSG(t, m && wf_program_run(m, &config, &stats) == WF_OK, "%s: %s", what, wf_errors(c));
    CHECK_STR(t, strbuf_text(&text), want->console);
    check_counts(t, what, form, &total, &want->total);
    for (size_t k = 0; m && m->flat && k < TEST_COUNT(spans); k++)
        CHECK_MSG(t,
                  memcmp(memory_flat(m->flat) + spans[k].start, memory + spans[k].start,
                         spans[k].end - spans[k].start) == 0,
                  "%s: other bytes from 0x%08llx on", what, (unsigned long long)spans[k].start);
    wf_context_destroy(c);
    strbuf_fini(&text);
    return total.spills;
}

static void run_program(struct test *t, const char *elf, uint64_t spills[FORMS])
{
    static const uint8_t is_small = 1;
    char path[256], *bytes;
    const char *why;
    size_t length;
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    if (!file_read(path, &bytes, &length, &why)) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", path, why);
        return;
    }
    struct simtight_oracle *o = simtight_oracle_create();
    simtight_oracle_input(o, &is_small, 1);
    CHECK(t, simtight_oracle_load(o, (const uint8_t *)bytes, length, &why));
    const struct simtight_oracle_result *want = simtight_oracle_run(o);
    for (int form = 0; form < FORMS; form++)
        spills[form] += run_on(t, elf, (enum form)form, bytes, length, want, simtight_oracle_memory(o));
    simtight_oracle_destroy(o);
    free(bytes);
}

// In the quick form a program that spills at 256 vectors, and one with barriers of small groups.
static void test_programs(struct test *t)
{
    static const char *const quick[] = {"Transpose.elf", "Scan.elf", NULL};
    static const char *const all[] = {
        "VecAdd.elf",     "Histogram.elf",       "Reduce.elf",         "Scan.elf",         "Transpose.elf",
        "MatMul.elf",     "MatVecMul.elf",       "BitonicSm.elf",      "BitonicLa.elf",    "SPMV.elf",
        "VecGCD.elf",     "MotionEst.elf",       "BlkStencil.elf",     "StrStencil.elf",   "MatMulFloat.elf",
        "rv32e/Scan.elf", "rv32e/MotionEst.elf", "BitonicLaFloat.elf", "rv32e/MatMul.elf", NULL};
    uint64_t spills[FORMS] = {0};
    for (const char *const *elf = test_is_quick() ? quick : all; *elf; elf++) run_program(t, *elf, spills);
    CHECK_EQ(t, spills[FORM_PLAIN], 0);
    CHECK(t, spills[FORM_RFC256] > 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
