#include "simtight/compare.h"
#include "api/impl.h"
#include "exec/memory.h"
#include "riscv/map.h"

#include <stdlib.h>
#include <string.h>

struct totals {
    uint64_t thread_instructions, warp_instructions, spared, load_beats, store_beats, hits, misses,
        mismatches, spills;
};

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct totals *total = context;
    (void)k, (void)shape;
    total->thread_instructions += stats->thread_instructions;
    total->warp_instructions += stats->warp_instructions;
    if (stats->cycles != WF_UNKNOWN) total->spared += stats->skipped + stats->reused;
    if (stats->verify_mismatches != WF_UNKNOWN) total->mismatches += stats->verify_mismatches;
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

// The stack cache's counts equal the oracle's for equal numbers of lines and equal rules of compression,
// since compressed registers are stored to the cache.
enum { ORACLE_CACHE_LINES = 2048 };

static void check_counts(struct test *t, const char *what, const struct wf_context *c,
                         const struct totals *got, const struct simtight_oracle_counts *want)
{
    uint64_t beats = got->load_beats + got->store_beats;
#define SAME(NAME, GOT, WANT)                                                                                \
    CHECK_MSG(t, (GOT) == (WANT), "%s: " NAME ": %llu, not %llu", what, (unsigned long long)(GOT),           \
              (unsigned long long)(WANT))
    if (!got->spared) SAME("thread instructions", got->thread_instructions, want->thread_instructions);
    SAME("warp instructions", got->warp_instructions + got->spared, want->warp_instructions);
    SAME("mismatches", got->mismatches, (uint64_t)0);
    if (!api_has_core(c)) return;
    uint32_t lines = c->simtight.stack_cache;
    if (got->spills) { // spilled registers take beats, too
        CHECK_MSG(t, lines || beats > want->load_beats + want->store_beats, "%s: spills took no beats", what);
    } else if (lines == ORACLE_CACHE_LINES && !c->simtight.keeps_partial &&
               c->simtight.registers == SIMTIGHT_AFFINE) {
        SAME("beats", beats, want->stack_cache_beats);
        SAME("hits", got->hits, want->stack_cache_load_hits);
        SAME("misses", got->misses, want->stack_cache_load_misses);
    } else if (!lines) {
        SAME("beats loaded", got->load_beats, want->load_beats);
        SAME("beats stored", got->store_beats, want->store_beats);
    }
#undef SAME
}

static const struct {
    uint64_t start, end;
} spans[] = {{RISCV_DATA, RISCV_DATA + (16u << 20)},
             {RISCV_SCRATCH, RISCV_STACKS},
             {RISCV_MEMORY_END - (8u << 20), RISCV_MEMORY_END}};

static bool set_all(struct wf_context *c, const char *settings)
{
    bool good = true;
    char *words = heap_strdup(settings), *rest = words;
    for (char *word; good && (word = strsep(&rest, " ")) != NULL;) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        good = (str_equal(word, "tech") ? wf_tech(c, value) : wf_set(c, word, value)) == WF_OK;
    }
    free(words);
    return good;
}

bool compared_init(struct compared *c, struct test *t, const char *name, const char *bytes, size_t length,
                   uint8_t input)
{
    const char *why = NULL;
    *c = (struct compared){name, bytes, length, input, simtight_oracle_create(), NULL};
    simtight_oracle_input(c->oracle, &c->input, 1);
    if (simtight_oracle_load(c->oracle, (const uint8_t *)bytes, length, &why)) {
        c->want = simtight_oracle_run(c->oracle);
        why = c->want->error;
    }
    CHECK_MSG(t, !why, "%s: the oracle: %s", name, why);
    if (why) compared_fini(c);
    return !why;
}

void compared_fini(struct compared *c) { simtight_oracle_destroy(c->oracle); }

uint64_t compared_run(const struct compared *x, struct test *t, const char *gpu, const char *settings)
{
    struct wf_context *c = wf_context_create();
    struct strbuf text = {0}, what = {0};
    struct totals total = {0};
    struct wf_program_config config = {&x->input, 1, launched, &total};
    struct wf_program_stats stats = {0};
    strbuf_printf(&what, "%s on %s%s%s", x->name, gpu ? gpu : "no GPU", *settings ? ", " : "", settings);
    wf_set_print(c, print, &text);
    wf_set_verify(c, gpu != NULL);
    CHECK_MSG(t, wf_gpu(c, gpu) == WF_OK && set_all(c, settings), "%s: %s", what.text, wf_errors(c));
    struct wf_module *m = wf_module_load(c, x->name, x->bytes, x->length);
    CHECK_MSG(t, m && wf_program_run(m, &config, &stats) == WF_OK, "%s: %s", what.text, wf_errors(c));
    CHECK_STR(t, strbuf_text(&text), x->want->console);
    check_counts(t, what.text, c, &total, &x->want->total);
    const uint8_t *memory = simtight_oracle_memory(x->oracle);
    for (size_t k = 0; m && m->flat && k < TEST_COUNT(spans); k++)
        CHECK_MSG(t,
                  memcmp(memory_flat(m->flat) + spans[k].start, memory + spans[k].start,
                         spans[k].end - spans[k].start) == 0,
                  "%s: other bytes from 0x%08llx on", what.text, (unsigned long long)spans[k].start);
    wf_context_destroy(c);
    strbuf_fini(&text);
    strbuf_fini(&what);
    return total.spills;
}
