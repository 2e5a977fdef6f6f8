// Whole programs on the engine and on the oracle, without shared code. Fails where text,
// instruction counts or bytes differ.
#include "api/impl.h"
#include "exec/memory.h"
#include "harness/files.h"
#include "harness/test.h"
#include "oracle/simtight.h"
#include "riscv/map.h"
#include "riscv/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    uint64_t thread_instructions, warp_instructions, launches;
};

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct totals *total = context;
    (void)k, (void)shape;
    total->thread_instructions += stats->thread_instructions;
    total->warp_instructions += stats->warp_instructions;
    total->launches++;
}

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

// The top of the host's stack holds the return address into the boot loader, different in the oracle.
enum { FIRST_FRAME = 8 };

// Memory used by programs: data and the memory behind, the top of the host's stack, the scratchpad,
// the top of all threads' stacks.
static const struct {
    const char *what;
    uint64_t start, end;
} spans[] = {
    {"data", RISCV_DATA, RISCV_DATA + (16u << 20)},
    {"the host's stack", RISCV_SPILL - (64u << 20), RISCV_SPILL - FIRST_FRAME},
    {"the scratchpad", RISCV_SCRATCH, RISCV_STACKS},
    {"the threads' stacks", RISCV_MEMORY_END - (8u << 20), RISCV_MEMORY_END},
};

static void compare_span(struct test *t, const char *elf, const char *what, const uint8_t *got,
                         const uint8_t *want, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at < end; at += 4) {
        uint32_t words[2];
        memcpy(&words[0], got + at, 4);
        memcpy(&words[1], want + at, 4);
        if (words[0] == words[1]) continue;
        test_fail(t, __FILE__, __LINE__, "%s: %s at 0x%08llx: 0x%08x, not 0x%08x", elf, what,
                  (unsigned long long)at, words[0], words[1]);
        return; // one difference is enough
    }
}

static void compare_memory(struct test *t, const char *elf, const uint8_t *got, const uint8_t *want)
{
    for (unsigned k = 0; k < TEST_COUNT(spans); k++)
        if (memcmp(got + spans[k].start, want + spans[k].start, spans[k].end - spans[k].start) != 0)
            compare_span(t, elf, spans[k].what, got, want, spans[k].start, spans[k].end);
}

struct setup {
    uint8_t is_small; // the program's input
    const char *isa;
};

static void compare(struct test *t, const char *elf, void *context)
{
    const struct setup *setup = context;
    char path[256];
    const char *why;
    size_t length;
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    char *bytes = test_read_file(t, path, &length);
    struct simtight_oracle *o = simtight_oracle_create();
    simtight_oracle_input(o, &setup->is_small, 1);
    CHECK(t, simtight_oracle_load(o, (const uint8_t *)bytes, length, &why));
    const struct simtight_oracle_result *want = simtight_oracle_run(o);
    struct wf_context *c = wf_context_create();
    struct strbuf text = {0};
    struct totals total = {0};
    struct wf_program_config config = {&setup->is_small, 1, launched, &total};
    struct wf_program_stats stats = {0};
    wf_set_print(c, print, &text);
    CHECK_EQ(t, wf_set(c, "exec.isa", setup->isa), WF_OK);
    struct wf_module *m = wf_module_load(c, path, bytes, length);
    CHECK_MSG(t, m && wf_program_run(m, &config, &stats) == WF_OK, "%s: %s", elf, wf_errors(c));
    CHECK_STR(t, strbuf_text(&text), want->console);
    CHECK_EQ(t, total.launches, want->launch_count);
    CHECK_EQ(t, total.thread_instructions, want->total.thread_instructions);
    CHECK_EQ(t, total.warp_instructions, want->total.warp_instructions);
    CHECK_EQ(t, stats.host_instructions, want->host_instructions);
    if (m && m->flat) compare_memory(t, elf, memory_flat(m->flat), simtight_oracle_memory(o));
    wf_context_destroy(c);
    simtight_oracle_destroy(o);
    strbuf_fini(&text);
    free(bytes);
}

static void compare_all(struct test *t, uint8_t is_small, const char *isa)
{
    struct setup setup = {is_small, isa};
    CHECK(t, programs_each(t, compare, &setup) >= 14);
}

static void test_small(struct test *t) { compare_all(t, 1, "auto"); }
static void test_small_general(struct test *t) { compare_all(t, 1, "general"); }

static void test_large(struct test *t)
{
    if (test_is_long())
        compare_all(t, 0, "auto");
    else
        test_skip(t, "long form only");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"small", test_small}, {"small_general", test_small_general}, {"large", test_large}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
