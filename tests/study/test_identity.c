// Soundness of the marks by execution. Fails where a marked instruction has different names or results in
// corresponding executions, over random programs and bundled kernels. Also fails where leaving out a
// soundness rule goes unnoticed.
#include "base/hash.h"
#include "base/rng.h"
#include "exec/machine.h"
#include "study/ghost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The optimiser turns short branches into selects, so most variants leave it out.
static const struct ghost_settings variants[] = {
    {{NULL}, 0, false, false},
    {{"simt=stack", "compile.profile=ptxplus", "compile.disable=convert", NULL}, 0, false, true},
    {{"compile.optimise=0", NULL}, 0, false, true},
    {{"simt=stack", "compile.max_registers=16", "compile.disable=convert", NULL}, 0, false, false},
    {{"compile.profile=ptxplus", "compile.disable=convert", NULL}, 0, false, false},
    {{"simt=stack", "compile.optimise=0", NULL}, 0, false, false},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void show(struct test *t, uint64_t seed, unsigned variant, const struct ghost_result *r)
{
    if (!r->ran && !r->deadlocked)
        CHECK_MSG(t, false, "seed %llu variant %u: %s", (unsigned long long)seed, variant, r->error);
    CHECK_MSG(t, !r->counts.holes, "seed %llu variant %u: %llu of %llu: %s", (unsigned long long)seed,
              variant, (unsigned long long)r->counts.holes, (unsigned long long)r->counts.compared, r->hole);
    CHECK_MSG(t, !r->counts.raced, "seed %llu variant %u: %s", (unsigned long long)seed, variant, r->race);
    CHECK_MSG(t, !r->counts.patterns, "seed %llu variant %u: %s", (unsigned long long)seed, variant,
              r->pattern);
}

// Compiled code reconverges as early as possible and reads no undefined register; machine code need not.
// Every eighth program is such machine code: diverged lanes return to a place meant for a joint exit, and
// some paths alone write a register.
static char *machine_program(uint64_t seed, uint32_t block[3])
{
    static const uint32_t shapes[][3] = {{32, 4, 1}, {16, 8, 1}, {8, 8, 2}, {128, 1, 1}};
    static const char *const seen[] = {"VOTE.ANY R4, PT, PT", "VOTE.ANY R4, PT, P1",
                                       "VOTE.ALL RZ, P2, P1\n SEL R4, R3, RZ, P2"};
    struct rng r;
    struct strbuf text = {0};
    rng_init(&r, hash_u64(seed ^ 0xa55));
    memcpy(block, shapes[rng_below(&r, 4)], 3 * sizeof *block);
    strbuf_puts(&text, "S2R R1, SR_TID.Y\n S2R R2, SR_TID.X\n S2R R0, SR_WARPID\n MOV R3, c[0x0][0x0]\n"
                       "ISETP.GE.AND P1, PT, R3, RZ, PT\n");
    bool away = rng_below(&r, 2);
    strbuf_printf(&text, "IADD3 R5, R%u, 0x%x, RZ\n ISETP.%s.AND P0, PT, R2, R5, PT\n", rng_below(&r, 2),
                  rng_below(&r, 5), rng_below(&r, 2) ? "EQ" : "LT");
    if (away)
        strbuf_printf(&text, "@P0 BRA away\n back:\n %s\n WARPSYNC 0xffffffff\n", seen[rng_below(&r, 3)]);
    else
        strbuf_printf(&text, "@P0 BRA around, join around\n MOV R%u, R3\n around:\n", 4 + rng_below(&r, 3));
    if (away || rng_below(&r, 2)) strbuf_puts(&text, "BAR.SYNC 0x0\n");
    strbuf_printf(&text, "IADD3 R%u, R4, 0x%x, RZ\n", 7 + rng_below(&r, 3), rng_below(&r, 100));
    strbuf_puts(&text, "IADD3 R8, R6, R3, RZ\n EXIT\n");
    if (away) strbuf_puts(&text, "away:\n IADD3 R6, R2, 0x1, RZ\n BRA back\n");
    return text.text;
}

static void run_machine_program(struct test *t, uint64_t seed, const struct ghost_settings *s,
                                struct ghost_result *r)
{
    struct machine m;
    uint32_t block[3];
    char *text = machine_program(seed, block);
    *r = (struct ghost_result){0};
    if (machine_init(&m, t, text, 32)) {
        struct mark_rules rules;
        mark_rules_default(&rules);
        rules.broken = s->broken;
        rules.paper = s->paper;
        struct marks *marks = marks_compute(m.program, &rules);
        struct identity *ids = identity_create(marks, NULL);
        memcpy(m.launch.block, block, sizeof m.launch.block);
        m.launch.simt = SIMT_SPLITS;
        m.launch.observer = identity_observer(ids);
        r->ran = machine_run(&m);
        r->counts = *identity_counts(ids);
        snprintf(r->hole, sizeof r->hole, "%s", identity_first_hole(ids));
        snprintf(r->race, sizeof r->race, "%s", identity_first_race(ids));
        if (!r->ran) snprintf(r->error, sizeof r->error, "%s\n%s", m.fault.text, text);
        identity_destroy(ids);
        marks_free(marks);
    }
    machine_fini(&m);
    free(text);
}

static void run_program(struct test *t, uint64_t seed, const struct ghost_settings *s, struct ghost_result *r)
{
    if (seed % 8 == 3) {
        run_machine_program(t, seed, s, r);
        return;
    }
    struct generated g;
    generator_redundancy(seed, &g);
    ghost_run_generated(&g, s, r);
    generated_fini(&g);
}

static void test_random_programs(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 20000 : test_is_quick() ? 150 : 1000;
    struct identity_counts sum = {0};
    uint64_t deadlocks = 0;
    for (uint64_t seed = first; seed < first + count && !test_failed(t); seed++) {
        struct ghost_result r;
        unsigned variant = (unsigned)(seed % VARIANTS);
        run_program(t, seed, &variants[variant], &r);
        show(t, seed, variant, &r);
        sum.executions += r.counts.executions;
        sum.compared += r.counts.compared;
        deadlocks += r.deadlocked;
    }
    printf("  %llu programs, %llu deadlocked; %llu executions, %llu of them marked and compared\n",
           (unsigned long long)count, (unsigned long long)deadlocks, (unsigned long long)sum.executions,
           (unsigned long long)sum.compared);
    CHECK(t, sum.compared > 20 * count);
}

// The seed of the first program with wrong marks if rules are left out; 0: no program of `limit`.
static uint64_t first_caught(struct test *t, uint32_t broken, bool paper, uint64_t limit)
{
    for (uint64_t seed = 1; seed <= limit; seed++) {
        struct ghost_result r;
        struct ghost_settings v = variants[seed % VARIANTS];
        v.broken = broken;
        v.paper = paper;
        run_program(t, seed, &v, &r);
        if (r.counts.holes) return seed;
    }
    return 0;
}

// Each rule left out, with the number of programs needed to notice: about twice the measured number.
static void test_rules_left_out(struct test *t)
{
    static const struct {
        const char *name;
        enum mark_soundness rule;
        unsigned within;
    } rules[] = {
        {"join", SOUND_JOIN, 40},           {"loop", SOUND_LOOP, 50},        {"barrier", SOUND_BARRIER, 500},
        {"epoch", SOUND_EPOCH, 150},        {"guard", SOUND_GUARD, 200},     {"old value", SOUND_OLD, 500},
        {"local", SOUND_LOCAL, 50},         {"generic", SOUND_GENERIC, 180}, {"ordered", SOUND_ORDERED, 70},
        {"atomic", SOUND_ATOMIC, 20},       {"lanes", SOUND_CROSS_LANE, 10}, {"clock", SOUND_CLOCK, 15},
        {"undefined", SOUND_UNDEFINED, 25}, {"call", SOUND_CALL, 15},
    };
    CHECK_EQ(t, TEST_COUNT(rules), SOUND_COUNT);
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        uint64_t seed = first_caught(t, 1u << rules[k].rule, false, rules[k].within);
        printf("  without the rule %-9s: program %llu\n", rules[k].name, (unsigned long long)seed);
        CHECK_MSG(t, seed, "%s: not caught within %u programs", rules[k].name, rules[k].within);
    }
    uint64_t paper = first_caught(t, 0, true, 10);
    printf("  the paper's rules         : program %llu\n", (unsigned long long)paper);
    CHECK(t, paper != 0);
}

// Every bundled kernel, marked with and without extensions, in both profiles, from both sources of PTX, in
// the workloads' own block shapes. Races are allowed where the workload declares them.
static void test_bundled_kernels(struct test *t)
{
    uint64_t compared = 0, executions = 0;
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);
        for (unsigned variant = 0; variant < VARIANTS; variant++) {
            bool both = test_is_long() || (variant < 2 && !test_is_quick());
            if (!both && variant != i % VARIANTS) continue;
            for (unsigned ptx = 0; ptx < (test_is_long() ? 2u : 1u); ptx++) {
                struct ghost_result r;
                enum workload_size size = test_is_long() && variant == 0 ? WORKLOAD_MEDIUM : WORKLOAD_SMALL;
                ghost_run_workload(w, size, (enum workload_ptx)ptx, &variants[variant], &r);
                CHECK_MSG(t, r.ran, "%s: %s", w->name, r.error);
                CHECK_MSG(t, !r.counts.holes, "%s variant %u: %s", w->name, variant, r.hole);
                CHECK_MSG(t, !r.counts.raced || w->output_class == WORKLOAD_CLASS_R, "%s variant %u: %s",
                          w->name, variant, r.race);
                CHECK_MSG(t, !r.counts.patterns, "%s variant %u: %s", w->name, variant, r.pattern);
                compared += r.counts.compared;
                executions += r.counts.executions;
            }
        }
    }
    printf("  %llu executions, %llu of them marked and compared\n", (unsigned long long)executions,
           (unsigned long long)compared);
    CHECK(t, compared > 100000);
}

// -- bundled kernels in foreign block shapes ----------------------------------------------------------------

enum { BUFFER_BYTES = 1 << 20 };

// Every argument as wide as a pointer gets a buffer of small numbers; other arguments
// get numbers giving a kernel work.
static void make_arguments(struct wf_context *c, const struct wf_kernel_facts *info, uint8_t *params)
{
    static uint32_t words[BUFFER_BYTES / 4];
    for (uint32_t n = 0; n < BUFFER_BYTES / 4; n++) words[n] = n % 61;
    memset(params, 0, info->param_bytes);
    for (uint32_t k = 0; k < info->param_count; k++) {
        const struct wf_param *p = &info->params[k];
        uint64_t value = 48;
        float real = 1.5f;
        if (p->bytes == 8) {
            value = wf_alloc(c, BUFFER_BYTES);
            wf_write(c, value, words, BUFFER_BYTES);
        }
        if (str_equal(p->type, "f32")) memcpy(&value, &real, sizeof real);
        memcpy(params + p->offset, &value, p->bytes < 8 ? p->bytes : 8);
    }
}

// Results need not make sense, and a fault may end the run; no execution may contradict a mark.
static bool run_in_shape(struct test *t, const char *path, const char *name, const uint32_t block[3])
{
    struct wf_context *c = wf_context_create();
    struct wf_study *s = wf_study_create("marks");
    struct wf_launch_config shape = {.grid = {2, 2, 1}, .block = {block[0], block[1], block[2]}};
    struct wf_stats stats;
    bool set = wf_set(c, "mark.tid_y", "1") == WF_OK && wf_set(c, "mark.warp_classes", "1") == WF_OK &&
               wf_set(c, "mark.laneid", "1") == WF_OK && wf_set(c, "mark.tid_x_mod", "1") == WF_OK &&
               wf_set(c, "exec.max_warp_instructions", "100000") == WF_OK;
    struct wf_module *m = wf_module_load_file(c, path);
    struct wf_kernel *k = m ? wf_kernel_find(m, name) : NULL;
    CHECK_MSG(t, set && k, "%s: %s", path, wf_errors(c));
    wf_set_study(c, s);
    bool ran = false;
    if (k) {
        uint8_t *params = heap_alloc(wf_kernel_info(k)->param_bytes + 8);
        make_arguments(c, wf_kernel_info(k), params);
        ran = wf_launch_packed(k, &shape, params, wf_kernel_info(k)->param_bytes, &stats) == WF_OK;
        free(params);
    }
    const struct wf_study_results *r = wf_study_report(s);
    CHECK_MSG(t, r->status == WF_OK, "%s in blocks of %u,%u,%u: %s", name, block[0], block[1], block[2],
              r->failure_count ? r->failures[0] : "");
    wf_context_destroy(c);
    wf_study_destroy(s);
    return ran;
}

static void test_other_shapes(struct test *t)
{
    static const uint32_t shapes[][3] = {{32, 8, 1}, {16, 16, 1}, {8, 8, 4},  {8, 4, 2},   {64, 4, 1},
                                         {24, 8, 1}, {4, 16, 2},  {96, 1, 1}, {128, 2, 1}, {1, 64, 1}};
    unsigned ran = 0, launches = 0;
    for (size_t i = 0; workload_at(i); i++) {
        char path[128];
        snprintf(path, sizeof path, "kernels/ptx/nvcc/%s.ptx", workload_at(i)->name);
        for (size_t k = 0; workload_at(i)->kernels[k]; k++)
            for (size_t n = 0; n < TEST_COUNT(shapes); n++, launches++)
                ran += run_in_shape(t, path, workload_at(i)->kernels[k], shapes[n]);
    }
    printf("  %u launches, %u of them to the end\n", launches, ran);
    CHECK(t, 2 * ran > launches);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random_programs", test_random_programs},
                                             {"rules_left_out", test_rules_left_out},
                                             {"bundled_kernels", test_bundled_kernels},
                                             {"other_shapes", test_other_shapes}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
