// Random programs with diverging warps, all in the same way, and with late warps. Other warps find values
// led by part of a warp's lanes long after the leader's registers have been given away.
//
// Warps of a class (mark.warp_classes) share values that differ between classes, so that several values of a
// register coexist. Some lanes load from lines of their own and wait for the load in front of a store; a
// class or a row of the block becomes late.
//
// No thread reads another thread's writes. Memory equals the unmodified GPU's, every follower gets the value
// it would have computed, and the model's books balance. Without a rule about names of registers, a failure
// shows within a stated number of programs.
#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/settings.h"

#include <inttypes.h>
#include <string.h>

enum { WARP = 4, VARIABLES = 5, THREADS_MAX = 128, OUT_WORDS = 2 * VARIABLES + 2, IN_BYTES = 1 << 16 };

struct program {
    struct rng rng;
    struct strbuf text;
    uint32_t block[3];
    unsigned label;
};

static unsigned below(struct program *p, unsigned n) { return rng_below(&p->rng, n); }

#define LINE(...)                                                                                            \
    (strbuf_puts(&p->text, "    "), strbuf_printf(&p->text, __VA_ARGS__), strbuf_putc(&p->text, '\n'))

static void source(struct program *p)
{
    static const char *const names[] = {"%tx", "%tx", "%tx", "%n", "%param"};
    if (below(p, 3))
        LINE("add.u32 %%v%u, %s, %u;", below(p, VARIABLES), names[below(p, 5)], below(p, 50));
    else
        LINE("mov.u32 %%v%u, %u;", below(p, VARIABLES), below(p, 50));
}

static void sum(struct program *p)
{
    LINE("mad.lo.u32 %%v%u, %%v%u, %u, %%v%u;", below(p, VARIABLES), below(p, VARIABLES), 1 + below(p, 5),
         below(p, VARIABLES));
}

// A load with equal addresses in the warps of a class.
static void load(struct program *p)
{
    unsigned v = below(p, VARIABLES);
    LINE("mad.lo.u32 %%at, %%tx, %u, %u;", 4 << below(p, 8), 4 * below(p, 1000));
    LINE("cvt.u64.u32 %%a, %%at;");
    LINE("add.u64 %%a, %%in, %%a;");
    LINE("ld.global.u32 %%v%u, [%%a];", v);
}

static void part(struct program *p)
{
    unsigned label = p->label++;
    LINE("setp.lt.u32 %%q, %%lane, %u;", 1 + below(p, WARP - 1));
    LINE("@%s%%q bra L%u;", below(p, 2) ? "!" : "", label);
    for (unsigned left = 1 + below(p, 3); left; left--) below(p, 2) ? source(p) : sum(p);
    strbuf_printf(&p->text, "L%u:\n", label);
}

// A store in front of which warps wait: instructions behind it are neither led nor skipped before its issue.
static void wait(struct program *p)
{
    bool by_class = below(p, 2);
    unsigned groups = by_class ? p->block[0] / WARP : p->block[1];
    LINE("setp.%s.u32 %%q, %s, %u;", below(p, 2) ? "eq" : "ne", by_class ? "%class" : "%ty",
         below(p, groups));
    LINE("selp.u32 %%at, 1024, 0, %%q;");
    LINE("mul.lo.u32 %%at, %%at, %%lane;");
    LINE("mov.u64 %%b, %%in;");
    for (unsigned left = 1 + below(p, 4); left; left--) {
        LINE("cvt.u64.u32 %%a, %%at;");
        LINE("add.u64 %%b, %%b, %%a;");
        LINE("ld.global.u32 %%w, [%%b];");
        LINE("and.b32 %%w, %%w, 0;"); // the next load waits for this load
        LINE("add.u32 %%at, %%at, %%w;");
    }
    LINE("st.global.u32 [%%out+%u], %%at;", 4 * VARIABLES);
}

static void store(struct program *p)
{
    LINE("st.global.u32 [%%out+%u], %%v%u;", 4 * (VARIABLES + 1 + below(p, VARIABLES)), below(p, VARIABLES));
}

static void statements(struct program *p, unsigned count)
{
    static void (*const kinds[])(struct program *) = {source, sum,  load, load, part,
                                                      part,   part, wait, wait, store};
    while (count--) kinds[below(p, sizeof kinds / sizeof kinds[0])](p);
}

static void prologue(struct program *p)
{
    strbuf_printf(&p->text,
                  ".version 7.8\n.target sm_80\n.address_size 64\n"
                  ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 param)\n{\n"
                  "    .reg .b32 %%v<%d>, %%tx, %%ty, %%n, %%t, %%lane, %%class, %%param, %%at, %%w, %%i;\n"
                  "    .reg .b64 %%out, %%in, %%a, %%b;\n    .reg .pred %%q;\n",
                  VARIABLES);
    LINE("ld.param.u64 %%out, [out]; ld.param.u64 %%in, [in]; ld.param.u32 %%param, [param];");
    LINE("mov.u32 %%tx, %%tid.x; mov.u32 %%ty, %%tid.y; mov.u32 %%n, %%ntid.x; mov.u32 %%lane, %%laneid;");
    LINE("mad.lo.u32 %%t, %%ty, %%n, %%tx; shr.u32 %%class, %%tx, 2;");
    LINE("mul.wide.u32 %%a, %%t, %d; add.u64 %%out, %%out, %%a;", 4 * OUT_WORDS);
    for (unsigned k = 0; k < VARIABLES; k++) LINE("mov.u32 %%v%u, %u;", k, k);
}

static void make(struct program *p, uint64_t seed)
{
    static const uint32_t blocks[][3] = {{8, 4, 1}, {8, 16, 1}, {16, 8, 1}, {32, 4, 1}, {16, 4, 1}};
    *p = (struct program){0};
    rng_init(&p->rng, seed);
    memcpy(p->block, blocks[below(p, 5)], sizeof p->block);
    prologue(p);
    statements(p, 2 + below(p, 6));
    if (below(p, 2)) { // every warp loops equally often
        LINE("mov.u32 %%i, %u;", 2 + below(p, 2));
        strbuf_puts(&p->text, "AGAIN:\n");
        statements(p, 2 + below(p, 6));
        LINE("sub.u32 %%i, %%i, 1; setp.ne.u32 %%q, %%i, 0;");
        LINE("@%%q bra AGAIN;");
    }
    statements(p, 2 + below(p, 6));
    for (unsigned k = 0; k < VARIABLES; k++) LINE("st.global.u32 [%%out+%u], %%v%u;", 4 * k, k);
    LINE("exit;");
    strbuf_puts(&p->text, "}\n");
}

// Runs a program; `out`: its results in memory. NULL, or the failure.
static const char *run(struct test *t, const struct program *p, const char *tech,
                       uint32_t out[THREADS_MAX * OUT_WORDS], char why[200])
{
    struct wf_context *c = wf_context_create();
    struct wf_launch_config shape = {.grid = {1, 1, 1}};
    struct wf_stats stats = {0};
    uint64_t buffers[2] = {wf_alloc(c, 4 * THREADS_MAX * OUT_WORDS), wf_alloc(c, IN_BYTES)};
    uint8_t params[20];
    uint32_t param = 3;
    const char *wrong = NULL;
    memcpy(shape.block, p->block, sizeof shape.block);
    memcpy(params, buffers, 16);
    memcpy(params + 16, &param, 4);
    wf_gpu(c, "tiny");
    CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    settings_apply(t, c, "warp.size=4 mark.warp_classes=1 simt=stack compile.optimise=0 sim.check=1");
    wf_set_verify(c, true);
    wf_set_max_cycles(c, 1000000);
    wf_fill(c, buffers[0], 0, 4, THREADS_MAX * OUT_WORDS);
    wf_fill(c, buffers[1], 0, 4, IN_BYTES / 4);
    struct wf_module *m = wf_module_load(c, "kernel.ptx", p->text.text, p->text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    if (!k || wf_launch_packed(k, &shape, params, sizeof params, &stats) != WF_OK)
        snprintf(why, 200, "%.190s", wf_errors(c)), wrong = why;
    else if (stats.verify_mismatches && stats.verify_mismatches != WF_UNKNOWN)
        snprintf(why, 200, "%" PRIu64 " mismatches", stats.verify_mismatches), wrong = why;
    wf_read(c, buffers[0], out, 4 * THREADS_MAX * OUT_WORDS);
    wf_context_destroy(c);
    return wrong;
}

static const char *try_program(struct test *t, uint64_t seed, const char *tech, char why[200])
{
    static const struct program none;
    uint32_t expected[THREADS_MAX * OUT_WORDS], got[THREADS_MAX * OUT_WORDS];
    struct program p = none;
    make(&p, seed);
    const char *wrong = run(t, &p, "base", expected, why);
    CHECK_MSG(t, !wrong, "program %" PRIu64 ": %s", seed, wrong);
    if (!wrong) wrong = run(t, &p, tech, got, why);
    if (!wrong && memcmp(expected, got, sizeof got) != 0) wrong = "other bytes";
    strbuf_fini(&p.text);
    return wrong;
}

static const char *const options[] = {
    "darsie:watchdog=0,diverged=on,branch-sync=first,pending=private",
    "darsie:watchdog=0,diverged=on,branch-sync=first,early=on,registers=6",
    "darsie:watchdog=0,diverged=on,branch-sync=off",
    "darsie:watchdog=0,diverged=on,branch-sync=first,early=on,pending=private,evict=on,full=wait,registers=4",
    "darsie:watchdog=0,diverged=on,early=on",
    "darsie:watchdog=0,diverged=on,branch-sync=parting,early=on,entries=2",
};

static void test_programs(struct test *t)
{
    uint64_t count = test_is_long() ? 20000 : 300;
    char why[200];
    for (uint64_t seed = 1; seed <= count && !test_failed(t); seed++) {
        const char *tech = options[seed % TEST_COUNT(options)], *wrong = try_program(t, seed, tech, why);
        CHECK_MSG(t, !wrong, "program %" PRIu64 " (%s): %s", seed, tech, wrong);
    }
}

static void test_rules_left_out(struct test *t)
{
    static const struct {
        const char *name;
        unsigned rule, within; // rule: enum darsie_rule
        const char *tech;
    } rules[] = {
        {"versions", 13, 1700, "darsie:diverged=on,branch-sync=first,pending=private"},
        {"replies", 14, 1400, "darsie:branch-sync=first,early=on"},
    };
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        char tech[100], why[200];
        const char *wrong = NULL;
        uint64_t seed = 0;
        snprintf(tech, sizeof tech, "%s,broken=%u", rules[k].tech, 1u << rules[k].rule);
        while (!wrong && seed < rules[k].within) wrong = try_program(t, ++seed, tech, why);
        CHECK_MSG(t, wrong, "without the rule %s nothing is wrong in %u programs", rules[k].name,
                  rules[k].within);
        printf("  without the rule %-12s: program %" PRIu64 ", %s\n", rules[k].name, seed,
               wrong ? wrong : "");
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs},
                                             {"rules_left_out", test_rules_left_out}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
