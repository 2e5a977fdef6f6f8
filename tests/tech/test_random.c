// DARSIE under random programs, with the watchdog off: no hang, every follower gets the value it
// would have computed, and memory equals the run without DARSIE. Without a soundness rule, a failure
// shows within a stated number of programs.
#include "api/warpfold.h"
#include "generator/launch.h"
#include "harness/settings.h"
#include "tech/counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct memory { // memory left by a class D program, and its executed instructions
    uint8_t acc[GENERATOR_ACC_BYTES];
    uint8_t *out;
    struct counts counts;
};

// NULL, or the failure (in `why`). `memory`: to be filled.
static const char *run(struct test *t, const struct generated *g, const char *tech, const char *settings,
                       bool verify, struct memory *memory, char why[200])
{
    struct wf_context *c = wf_context_create();
    struct wf_stats stats = {0};
    struct generated_memory at = {0};
    const char *wrong = NULL;
    wf_gpu(c, tech ? "tiny" : NULL);
    if (tech) CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    settings_apply(t, c, settings);
    wf_set_verify(c, verify);
    wf_set_max_cycles(c, 30000000);
    struct wf_module *m = wf_module_load(c, "kernel.ptx", g->text.text, g->text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    enum wf_status status = k ? generated_launch(c, k, g, &at, &stats) : WF_BAD_INPUT;
    if (status != WF_OK)
        snprintf(why, 200, "%.190s", wf_errors(c)), wrong = why;
    else if (verify && stats.verify_mismatches)
        snprintf(why, 200, "%" PRIu64 " mismatches", stats.verify_mismatches), wrong = why;
    if (memory && at.out) {
        memory->out = malloc(at.out_bytes);
        wf_read(c, at.out, memory->out, at.out_bytes);
        wf_read(c, at.acc, memory->acc, sizeof memory->acc);
        counts_launched(&memory->counts, k);
        counts_take(&memory->counts);
    }
    wf_context_destroy(c);
    return wrong;
}

// A program for the marks: shared values are compared with the values their readers would have computed.
static const char *try_shared_in(struct test *t, uint64_t seed, const uint32_t block[3], const char *tech,
                                 const char *settings, char why[200])
{
    struct generated g;
    generator_redundancy_in(seed, block, &g);
    const char *without =
        run(t, &g, NULL, settings, false, NULL, why); // may deadlock by itself: uneven barriers
    const char *wrong = without ? NULL : run(t, &g, tech, settings, true, NULL, why);
    generated_fini(&g);
    return wrong;
}

static const char *try_shared(struct test *t, uint64_t seed, const char *tech, const char *settings,
                              char why[200])
{
    return try_shared_in(t, seed, NULL, tech, settings, why);
}

// A class D program: memory and executed instructions are compared.
static const char *try_memory(struct test *t, uint64_t seed, const char *tech, const char *settings,
                              char why[200])
{
    struct generated g;
    struct memory expected = {0}, got = {0};
    generator_make(seed, &(struct generator_options){.statements = 12}, &g);
    const char *wrong = run(t, &g, "base", settings, false, &expected, why);
    if (!wrong) wrong = run(t, &g, tech, settings, false, &got, why);
    bool same = expected.out && got.out && memcmp(expected.out, got.out, 1 << 20) == 0 &&
                memcmp(expected.acc, got.acc, sizeof got.acc) == 0;
    struct strbuf where = {0};
    if (!wrong && !same) wrong = "other bytes";
    if (!wrong && !counts_agree(&expected.counts, &got.counts, &where))
        snprintf(why, 200, "%s", where.text), wrong = why;
    strbuf_fini(&where);
    free(expected.out);
    free(got.out);
    counts_fini(&expected.counts);
    counts_fini(&got.counts);
    generated_fini(&g);
    return wrong;
}

static const struct {
    const char *tech, *settings;
} variants[] = {
    {"darsie:watchdog=0", "sim.check=1"},
    {"darsie:watchdog=0,registers=1", "compile.profile=ptxplus compile.disable=convert"},
    {"darsie:watchdog=0,registers=2,entries=1,write-ports=1", "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=0,registers=4,order=sync-on-write", "simt=stack compile.disable=convert"},
    {"darsie:watchdog=0,registers=3,branch-sync=parting,ahead=1,early=on,full=wait,evict=on,on-store=overlap,"
     "predicates=on,partial=on",
     "mark.tid_y=1 mark.laneid=1 mark.tid_x_mod=1 mark.warp_classes=1 compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,registers=5,branch-sync=first,ahead=2,early=on,pending=private,predicates=on,"
     "on-barrier=over",
     "compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,branch-sync=first,full=wait,evict=on,on-store=overlap,partial=on,on-barrier=over",
     "mark.laneid=1 mark.tid_x_mod=1 compile.disable=convert compile.profile=ptxplus sim.check=1"},
    {"darsie:watchdog=0,entries=2,branch-sync=first,ahead=1,pending=private,full=loads",
     "simt=stack compile.disable=convert"},
    {"darsie:watchdog=0,diverged=on", "compile.disable=convert simt=stack"},
    {"darsie:watchdog=0,diverged=on,branch-sync=first,pending=private,on-barrier=over",
     "compile.disable=convert"},
    {"darsie:watchdog=0,diverged=on,early=on,evict=on,full=private", "compile.disable=convert"},
    {"darsie:watchdog=0,entries=64,full=wait,registers=1", "compile.disable=convert"},
    {"darsie:watchdog=0,entries=2,full=replace",
     "compile.profile=ptxplus compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,entries=1,full=replace,branch-sync=first,ahead=2,registers=5",
     "simt=stack compile.disable=convert"},
    {"darsie:watchdog=0,entries=3,full=replace,evict=on,early=on,on-store=overlap,partial=on,predicates=on",
     "units.shared_operand=arithmetic compile.profile=ptxplus compile.disable=convert"},
    {"darsie:watchdog=0,registers=64,entries=20,pool=reserve,branch-sync=first,ahead=20",
     "compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,give-up=1,loss=20", "compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,branch-sync=off,bank-conflicts=off",
     "compile.disable=convert issue.dependences=encoded"},
    {"darsie:watchdog=0,branch-sync=off,evict=on,registers=2", "compile.disable=convert sim.check=1"},
    {"darsie:watchdog=0,branch-sync=off,evict=on,full=replace,entries=2,registers=4",
     "simt=stack compile.profile=ptxplus compile.disable=convert"},
    {"darsie:watchdog=0,full=wait,pending=private,give-up=3,loss=100",
     "compile.disable=convert units.shared_operand=arithmetic"},
    {"darsie:watchdog=0,entries=2,full=replace,pending=private,give-up=2,loss=50,diverged=on",
     "compile.disable=convert sim.check=1"},
};

static void test_programs(struct test *t)
{
    uint64_t count = test_is_long() ? 20000 : 1000;
    char why[200];
    for (uint64_t seed = 1; seed <= count && !test_failed(t); seed++) {
        const char *tech = variants[seed % TEST_COUNT(variants)].tech,
                   *settings = variants[seed % TEST_COUNT(variants)].settings;
        const char *wrong = try_shared(t, seed, tech, settings, why);
        CHECK_MSG(t, !wrong, "program %" PRIu64 " (%s, %s): %s", seed, tech, settings, wrong);
        if (seed % 4) continue;
        wrong = try_memory(t, seed, tech, settings, why);
        CHECK_MSG(t, !wrong, "class D program %" PRIu64 " (%s, %s): %s", seed, tech, settings, wrong);
    }
}

// Extensions beyond the paper, in blocks of suitable shapes: separately and together.
static void test_extensions(struct test *t)
{
    static const uint32_t blocks[][3] = {{64, 4, 1}, {96, 2, 1}, {48, 4, 1}, {48, 3, 1},  {8, 8, 4},
                                         {8, 4, 8},  {64, 2, 2}, {24, 4, 2}, {128, 1, 1}, {100, 1, 1},
                                         {16, 5, 1}, {4, 8, 4},  {160, 1, 1}};
    static const struct {
        const char *tech, *settings;
    } extensions[] = {
        {"darsie:watchdog=0", "mark.warp_classes=1 compile.disable=convert"},
        {"darsie:watchdog=0", "mark.warp_classes=1 mark.tid_y=1 compile.optimise=0"},
        {"darsie:watchdog=0", "mark.tid_y=1 compile.disable=convert"},
        {"darsie:watchdog=0", "mark.laneid=1 mark.tid_x_mod=1 compile.profile=ptxplus"},
        {"darsie:watchdog=0,partial=on", "mark.laneid=1 compile.disable=convert"},
        {"darsie:watchdog=0,partial=on,predicates=on", "mark.warp_classes=1 compile.disable=convert"},
        {"darsie:watchdog=0,registers=2,entries=2,partial=on,order=sync-on-write", "mark.warp_classes=1"},
        {"darsie:watchdog=0,branch-sync=off,on-barrier=over",
         "mark.warp_classes=1 mark.tid_y=1 compile.disable=convert"},
        {"darsie:watchdog=0,branch-sync=parting,full=wait,registers=3", "mark.warp_classes=1 mark.tid_y=1"},
        {"darsie:watchdog=0,branch-sync=first,early=on,pending=private,full=wait,evict=on,on-store=overlap,"
         "predicates=on,partial=on,registers=6,on-barrier=over",
         "mark.tid_y=1 mark.laneid=1 mark.tid_x_mod=1 mark.warp_classes=1 compile.disable=convert"},
    };
    uint64_t count = test_is_long() ? 10000 : 500;
    char why[200];
    for (uint64_t seed = 1; seed <= count && !test_failed(t); seed++) {
        const uint32_t *block = blocks[seed % TEST_COUNT(blocks)];
        const char *tech = extensions[seed % TEST_COUNT(extensions)].tech,
                   *settings = extensions[seed % TEST_COUNT(extensions)].settings;
        const char *wrong = try_shared_in(t, seed, block, tech, settings, why);
        CHECK_MSG(t, !wrong, "program %" PRIu64 " in %u x %u x %u (%s, %s): %s", seed, block[0], block[1],
                  block[2], tech, settings, wrong);
    }
}

// Programs that found a bug.
static void test_found(struct test *t)
{
    static const struct {
        uint64_t seed;
        const char *tech, *settings;
    } found[] = {
        // Lanes waiting at a barrier, while other lanes of their warp ran
        // on, were mistaken for the barrier's end.
        {698, "darsie:watchdog=0,registers=1", "compile.disable=convert"},
        // A warp with exited lanes stayed on the path, and went to a barrier that other warps wait for.
        {4634, "darsie:watchdog=0,diverged=on", "compile.disable=convert simt=stack"},
        // The path of a warp is not the path of its lanes when lanes take turns.
        {2806, "darsie:watchdog=0,diverged=on", "compile.disable=convert"}};
    for (size_t k = 0; k < TEST_COUNT(found); k++) {
        char why[200];
        const char *wrong = try_shared(t, found[k].seed, found[k].tech, found[k].settings, why);
        CHECK_MSG(t, !wrong, "program %" PRIu64 " (%s): %s", found[k].seed, found[k].tech, wrong);
    }
}

static void test_rules_left_out(struct test *t)
{
    // The rules for poison, fences and delayed requests concern races alone: test_litmus.c.
    static const struct {
        const char *name;
        unsigned rule, within; // rule: enum darsie_rule
        const char *tech;
    } rules[] = {
        {"tag", 2, 200, "darsie:branch-sync=parting"},
        {"clear", 3, 100, "darsie:entries=2,registers=3"},
        {"partial", 4, 30, "darsie"},
        {"meeting", 5, 100, "darsie"},
        {"readers", 7, 10, "darsie:registers=4"},
        {"copy out", 8, 10, "darsie"},
        {"old lanes", 9, 50, "darsie"},
        {"written back", 10, 10, "darsie"},
        {"ways", 11, 50, "darsie:branch-sync=first"},
    };
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        char tech[100], why[200];
        const char *wrong = NULL;
        snprintf(tech, sizeof tech, "%s%cbroken=%u", rules[k].tech, strchr(rules[k].tech, ':') ? ',' : ':',
                 1u << rules[k].rule);
        uint64_t seed = 0;
        while (!wrong && seed < rules[k].within) {
            wrong = try_shared(t, ++seed, tech, "compile.disable=convert", why);
            if (!wrong) wrong = try_memory(t, seed, tech, "compile.disable=convert", why);
        }
        CHECK_MSG(t, wrong, "without the rule %s nothing is wrong in %u programs", rules[k].name,
                  rules[k].within);
        printf("  without the rule %-12s: program %" PRIu64 ", %s\n", rules[k].name, seed,
               wrong ? wrong : "");
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs},
                                             {"found", test_found},
                                             {"extensions", test_extensions},
                                             {"rules_left_out", test_rules_left_out}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
