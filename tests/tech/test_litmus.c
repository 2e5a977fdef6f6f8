// DARSIE, decoupled streams, uniform vectors and WIR under programs with racing warps, in one block or two, on
// one SM or two. Every outcome is permitted by the model (litmus_model.c), for all options and timings;
// mechanisms other than DARSIE show only outcomes permitted without a mechanism, too. Without the rules for
// races, and with the paper's text, forbidden outcomes are seen.
#include "api/warpfold.h"
#include "base/rng.h"
#include "harness/settings.h"
#include "harness/test.h"
#include "tech/litmus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct variant {
    const char *tech; // NULL: base
    bool keeps_order; // the compiler leaves loads in source order
    const char *settings;
};

// -- a launch -----------------------------------------------------------------------------------------------

static uint32_t lanes_of(const struct litmus *p, unsigned warp)
{
    uint32_t threads = p->shape[0] * p->shape[1], left = threads - 32 * warp;
    return left < 32 ? left : 32;
}

// The common value of the warp's lanes; clears `even` if lanes differ.
static uint32_t word(const struct litmus *p, const uint32_t *out, unsigned block, unsigned warp,
                     unsigned place, bool *even)
{
    const uint32_t *lanes = out + (size_t)((block * LITMUS_WARPS + warp) * LITMUS_SLOTS + place) * 32;
    for (uint32_t l = 1; l < lanes_of(p, warp); l++) *even &= lanes[l] == lanes[0];
    return lanes[0];
}

static bool observe(struct wf_context *c, const struct litmus *p, uint64_t words, uint64_t out,
                    struct litmus_outcome *o)
{
    uint32_t results[2 * LITMUS_WARPS * LITMUS_SLOTS * 32], memory[LITMUS_GLOBALS][LITMUS_STRIDE / 4];
    bool even = true;
    wf_read(c, out, results, sizeof results);
    wf_read(c, words, memory, sizeof memory);
    for (unsigned k = 0; k < LITMUS_GLOBALS; k++) o->memory[k] = memory[k][0];
    for (unsigned k = LITMUS_GLOBALS; k < LITMUS_LOCATIONS; k++)
        o->memory[k] = word(p, results, 0, 0, LITMUS_REGISTERS + k - LITMUS_GLOBALS, &even);
    for (unsigned b = 0, w = 0; b < p->blocks; b++)
        for (unsigned n = 0; n < p->live[b]; n++, w++)
            for (unsigned r = 0; r < LITMUS_REGISTERS; r++)
                o->registers[w][r] = word(p, results, b, n, r, &even);
    return even;
}

// Runs a program and reads its outcome. NULL, or the reason for having no outcome.
static const char *run(struct test *t, const struct litmus *p, const struct strbuf *ptx, const char *tech,
                       const char *settings, bool own_sms, struct litmus_outcome *o)
{
    enum { OUT = 2 * LITMUS_WARPS * LITMUS_SLOTS * 128, PAD = 1 << 20 };
    struct wf_context *c = wf_context_create();
    wf_gpu(c, "tiny");
    wf_set(c, "gpu.sm_count", own_sms ? "2" : "1");
    if (tech) CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    settings_apply(t, c, settings);
    wf_set_max_cycles(c, 1000000);
    uint64_t words = wf_alloc(c, LITMUS_GLOBALS * LITMUS_STRIDE), out = wf_alloc(c, OUT),
             pad = wf_alloc(c, PAD);
    wf_fill(c, words, 0, 4, LITMUS_GLOBALS * LITMUS_STRIDE / 4);
    wf_fill(c, pad, 0, 4, PAD / 4);
    struct wf_module *m = wf_module_load(c, "litmus.ptx", ptx->text, ptx->length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    struct wf_launch_config shape = {.grid = {p->blocks, 1, 1}, .block = {p->shape[0], p->shape[1], 1}};
    uint64_t g[] = {words, words + LITMUS_STRIDE, words + 2 * LITMUS_STRIDE};
    uint32_t s1 = LITMUS_STRIDE;
    void *args[] = {&g[0], &g[1], &g[2], &out, &pad, &s1};
    enum wf_status status = k ? wf_launch(k, &shape, args, 6, NULL) : WF_BAD_INPUT;
    const char *wrong = status == WF_OK ? NULL : "the launch failed";
    if (!wrong && !observe(c, p, words, out, o)) wrong = "lanes of one warp differ";
    wf_context_destroy(c);
    return wrong;
}

// -- a program under all variants ---------------------------------------------------------------------------

struct trial {
    struct test *t;
    struct litmus p;
    struct strbuf ptx;
    struct litmus_set sets[2][2]; // by own_sms, weak_is_late
    bool have[2][2];
    uint64_t seed;
    uint64_t launches, allowed;
};

static bool trial_begin(struct trial *r, struct test *t, uint64_t seed)
{
    *r = (struct trial){.t = t, .seed = seed};
    litmus_generate(seed, &r->p);
    litmus_write(&r->p, &r->ptx);
    return true;
}

static void trial_end(struct trial *r)
{
    strbuf_fini(&r->ptx);
    for (unsigned k = 0; k < 4; k++) litmus_set_fini(&r->sets[k / 2][k % 2]);
}

static const struct litmus_set *allowed(struct trial *r, bool own_sms, bool late)
{
    struct litmus_set *set = &r->sets[own_sms][late];
    if (r->have[own_sms][late]) return set;
    r->have[own_sms][late] = true;
    CHECK_MSG(r->t, litmus_allow(&r->p, (struct litmus_machine){own_sms, late}, set),
              "program %" PRIu64 ": too many states", r->seed);
    r->allowed += set->outcomes.count;
    return set;
}

static void print_outcome(const struct litmus *p, const struct litmus_outcome *o, struct strbuf *text)
{
    for (unsigned w = 0; w < litmus_warps(p); w++) {
        strbuf_printf(text, "\n    warp %u:", w);
        for (unsigned k = 0; k < LITMUS_REGISTERS; k++) strbuf_printf(text, " %u", o->registers[w][k]);
    }
    strbuf_puts(text, "\n    memory:");
    for (unsigned k = 0; k < LITMUS_LOCATIONS; k++) strbuf_printf(text, " %u", o->memory[k]);
}

static const char *const timings[] = {
    "",
    "issue.scheduler=lrr",
    "issue.scheduler=lrr fetch.per_scheduler=1 icache.perfect=1",
    "issue.schedulers=1 latency.int_add=40",
    "icache.perfect=1 latency.int_mad=30 shared.latency=2",
    "l1.global=1 issue.schedulers=4 fetch.per_scheduler=1",
    "fetch.refill=space fetch.ibuffer=4 issue.width=2 icache.perfect=1",
    "issue.scheduler=two-level barrier.latency=60 latency.branch=20",
    "memory.perfect=1 issue.scheduler=lrr",
    "fetch.ibuffer=8 fetch.width=4 fetch.refill=space issue.scheduler=lrr icache.perfect=1",
    "fetch.ibuffer=16 fetch.width=8 fetch.per_scheduler=1 icache.perfect=1 latency.int_mad=30",
};

// DARSIE and WIR may give a warp the value of another warp's earlier load; with other mechanisms loads read memory at
// issue, as without mechanisms.
static bool reads_late(const char *tech) { return tech && (strstr(tech, "darsie") || strstr(tech, "wir")); }

// False: the outcome is forbidden; `why` explains it.
static bool is_fine(struct trial *r, const struct variant *v, const char *tech, const char *timing,
                    bool own_sms, struct strbuf *why)
{
    struct litmus_outcome o = {0};
    struct strbuf settings = {0};
    strbuf_printf(&settings, "%s %s", v->settings, timing);
    const char *wrong = run(r->t, &r->p, &r->ptx, tech, settings.text, own_sms, &o);
    r->launches++;
    const struct litmus_set *set = allowed(r, own_sms, reads_late(tech) || !v->keeps_order);
    bool fine = !wrong && litmus_is_allowed(set, &o);
    if (!fine && why) {
        strbuf_printf(why, "program %" PRIu64 " under %s, %s, %s: ", r->seed, tech ? tech : "base",
                      settings.text, own_sms ? "two SMs" : "one SM");
        strbuf_printf(why, "%s (%zu outcomes may be)", wrong ? wrong : "an outcome that may not be",
                      set->outcomes.count);
        litmus_explain(&r->p, why);
        print_outcome(&r->p, &o, why);
    }
    strbuf_fini(&settings);
    return fine;
}

static const struct variant variants[] = {
    {NULL, true, "compile.optimise=0"},
    {NULL, false, "compile.profile=ptxplus"},
    {"darsie:watchdog=2000", true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=2000,registers=1", false, ""},
    {"darsie:watchdog=2000,registers=2,entries=1", false, "compile.profile=ptxplus"},
    {"darsie:watchdog=2000,registers=4,order=sync-on-write,write-ports=8", false, "simt=stack"},
    {"darsie:watchdog=2000,registers=3", true, "compile.optimise=0 issue.dependences=encoded"},
    {"darsie:watchdog=2000,branch-sync=parting,early=on,full=wait,evict=on,on-store=overlap,predicates=on,"
     "partial=on",
     true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=2000,branch-sync=first,ahead=3,early=on,pending=private,evict=on,on-store=overlap,"
     "predicates=on,on-barrier=over",
     false, "sim.check=1"},
    {"darsie:watchdog=2000,on-barrier=over", true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=2000,branch-sync=off,bank-conflicts=off,entries=64", false, "compile.disable=convert"},
    {"darsie:watchdog=2000,entries=1,full=replace", true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=2000,entries=2,full=replace,branch-sync=first,early=on,pending=private", false,
     "compile.profile=ptxplus units.shared_operand=arithmetic"},
    {"darsie:watchdog=2000,give-up=1,loss=20", true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=2000,branch-sync=off,evict=on,registers=2", false,
     "compile.disable=convert sim.check=1"},
    {"darsie:watchdog=2000,registers=3+uv:entries=64,words=4", false, "compile.disable=convert sim.check=1"},
};

static const struct variant decoupled[] = {
    {"decoupled:gain=off", true, "compile.optimise=0 sim.check=1"},
    {"decoupled:gain=off", false, "simt=stack l1.global=1"},
    {"decoupled:gain=off,early=off,batch=wait", false, "compile.profile=ptxplus"},
    {"decoupled:gain=off,atq=2,pwaq=1,pwpq=1,told=1,priority=first", true,
     "compile.optimise=0 l1.global=1 l1.sets=1"},
    {"decoupled:gain=off,arrival=join,pwaq=16,pwpq=16,atq=64", true,
     "compile.optimise=0 l1.global=1 sim.check=1"},
    {"decoupled:gain=off,feedback=off,priority=last", true,
     "compile.optimise=0 l1.global=1 issue.dependences=encoded"},
};

static const struct variant uniform[] = {
    {"uv:entries=64,words=4", true, "compile.optimise=0 sim.check=1"},
    {"uv:intra=on,inter=off", true, "compile.optimise=0 l1.global=1"},
    {"uv:intra=on", false, "simt=stack issue.interval=4"},
    {"uv:variant=srf", true, "compile.optimise=0 issue.interval=4"},
    {"coarse:dueling=0+warpman:variant=spatial+uv:intra=on", true, "compile.optimise=0 l1.global=1"},
};

static const struct variant reused[] = {
    {"wir", true, "compile.optimise=0 sim.check=1"},
    {"wir:pending=execute,entries=16,ways=1", false, "simt=stack l1.global=1"},
    {"wir:entries=1,signatures=1,latency=9", true, "compile.optimise=0 issue.dependences=encoded"},
    {"wir+silicon-sync+mta:throttle=off", true, "compile.optimise=0 l1.global=1 sim.check=1"},
};

static const struct variant linear[] = {
    {"r2d2", true, "compile.optimise=0 sim.check=1"},
    {"r2d2:vectors=2,registers=2,priority=last", false, "simt=stack l1.global=1 sim.check=1"},
    {"r2d2:cycles=9+silicon-sync", true, "compile.optimise=0 issue.dependences=encoded sim.check=1"},
};

static void run_programs(struct test *t, const struct variant *of, size_t of_count, uint64_t fewer)
{
    uint64_t count = test_is_long() ? 2000 : test_is_quick() ? 40 : fewer;
    uint64_t launches = 0, outcomes = 0;
    for (uint64_t seed = 1; seed <= count && !test_failed(t); seed++) {
        struct trial r;
        struct rng rng;
        trial_begin(&r, t, seed);
        rng_init(&rng, seed);
        for (size_t k = 0; k < of_count && !test_failed(t); k++) {
            const char *timing = timings[rng_below(&rng, TEST_COUNT(timings))];
            struct strbuf why = {0};
            bool own_sms = r.p.blocks == 2 && rng_below(&rng, 2);
            bool fine = is_fine(&r, &of[k], of[k].tech, timing, own_sms, &why);
            CHECK_MSG(t, fine, "%s", why.text);
            strbuf_fini(&why);
        }
        launches += r.launches;
        outcomes += r.allowed;
        trial_end(&r);
    }
    printf("  %" PRIu64 " programs, %" PRIu64 " launches, %" PRIu64 " outcomes allowed\n", count, launches,
           outcomes);
}

static void test_programs(struct test *t) { run_programs(t, variants, TEST_COUNT(variants), 400); }
static void test_uniform(struct test *t) { run_programs(t, uniform, TEST_COUNT(uniform), 100); }
static void test_reused(struct test *t) { run_programs(t, reused, TEST_COUNT(reused), 150); }
static void test_linear(struct test *t) { run_programs(t, linear, TEST_COUNT(linear), 100); }
static void test_decoupled(struct test *t) { run_programs(t, decoupled, TEST_COUNT(decoupled), 150); }

static const struct variant together[] = {
    {"darsie:watchdog=20000+decoupled:gain=off", true, "compile.optimise=0 sim.check=1"},
    {"darsie:watchdog=20000,registers=3+decoupled:gain=off,pwaq=1,pwpq=1", false, "simt=stack l1.global=1"},
    {"darsie:watchdog=20000,branch-sync=first,early=on,predicates=on,partial=on+decoupled:gain=off,arrival="
     "join",
     true, "compile.disable=convert l1.global=1 sim.check=1"}};

static void test_together(struct test *t) { run_programs(t, together, TEST_COUNT(together), 100); }

// -- without a rule -----------------------------------------------------------------------------------------

// Seed of the first program with a forbidden outcome, under any timing; 0: none.
static uint64_t first_wrong(struct test *t, const struct variant *v, const char *tech, uint64_t within)
{
    bool fine = true;
    uint64_t seed = 0;
    while (fine && seed < within) {
        struct trial r;
        trial_begin(&r, t, ++seed);
        for (size_t k = 0; k < TEST_COUNT(timings) && fine; k++)
            fine = is_fine(&r, v, tech, timings[k], r.p.blocks == 2 && (k + seed) % 2, NULL);
        trial_end(&r);
    }
    return fine ? 0 : seed;
}

static void test_rules_left_out(struct test *t)
{
    // broken: by enum darsie_rule. Its other rules: test_random.c; acquires: test_darsie.c.
    static const struct {
        const char *name, *tech;
        uint64_t within;
    } rules[] = {
        {"without the rule poison", "darsie:watchdog=2000,broken=1", 100},
        {"without the rule fence", "darsie:watchdog=2000,entries=64,broken=2", 1000},
        {"without the rule held up", "darsie:watchdog=2000,early=on,broken=64", 400},
        {"with the paper's rules", "darsie:watchdog=2000,rules=paper", 100},
        {"with data ahead of loads", "decoupled:gain=off,loads=early", 400},
        {"with stores and barriers", "wir:loads=unsound", 400},
    };
    static const struct variant plain = {NULL, true, "compile.optimise=0"};
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        if (rules[k].within > 400 && !test_is_long()) continue; // the programs by name are quicker
        uint64_t seed = first_wrong(t, &plain, rules[k].tech, rules[k].within);
        CHECK_MSG(t, seed, "%s nothing is wrong in %" PRIu64 " programs", rules[k].name, rules[k].within);
        printf("  %-24s: program %" PRIu64 "\n", rules[k].name, seed);
    }
}

// -- by name: two warps of block 0 and one of block 1; some wait first, for varied times --------------------

static void say(struct litmus *p, unsigned block, struct litmus_statement s)
{
    p->code[block][p->count[block]++] = s;
}

static void load(struct litmus *p, uint8_t warps, enum litmus_order order, uint8_t dst, uint8_t location)
{
    say(p, 0,
        (struct litmus_statement){.kind = LITMUS_LOAD,
                                  .order = (uint8_t)order,
                                  .warps = warps,
                                  .location = location,
                                  .index = LITMUS_NONE,
                                  .dst = dst,
                                  .a = LITMUS_NONE,
                                  .b = LITMUS_NONE});
}

static void store(struct litmus *p, unsigned block, enum litmus_order order, uint8_t location)
{
    say(p, block,
        (struct litmus_statement){.kind = LITMUS_STORE,
                                  .order = (uint8_t)order,
                                  .warps = LITMUS_ALL,
                                  .location = location,
                                  .index = LITMUS_NONE,
                                  .dst = LITMUS_NONE,
                                  .a = LITMUS_NONE,
                                  .b = LITMUS_NONE,
                                  .constant = 1});
}

static void compute(struct litmus *p, enum litmus_kind kind, uint8_t dst, uint8_t a, uint8_t b,
                    uint8_t constant)
{
    say(p, 0,
        (struct litmus_statement){.kind = (uint8_t)kind,
                                  .warps = LITMUS_ALL,
                                  .index = LITMUS_NONE,
                                  .dst = dst,
                                  .a = a,
                                  .b = b,
                                  .constant = constant});
}

static void fence(struct litmus *p, unsigned block)
{
    say(p, block,
        (struct litmus_statement){.kind = LITMUS_FENCE,
                                  .warps = LITMUS_ALL,
                                  .index = LITMUS_NONE,
                                  .dst = LITMUS_NONE,
                                  .a = LITMUS_NONE,
                                  .b = LITMUS_NONE});
}

// r = p[0]; q = 1; x = r + 1; out = x - r. Another block writes p[0].
static void shared_value(struct litmus *p)
{
    load(p, LITMUS_ALL, ORDER_WEAK, 0, 0);
    store(p, 0, ORDER_WEAK, 1);
    compute(p, LITMUS_SUM, 1, 0, LITMUS_NONE, 1);
    compute(p, LITMUS_DIFFERENCE, 2, 1, 0, 0);
    store(p, 1, ORDER_WEAK, 0);
}

// f = flag[ty]; d = data. Every warp has its own flag, so only the load of the data can be shared.
static void acquired_by_one(struct litmus *p)
{
    load(p, 1, ORDER_ACQUIRE, 0, 0);
    load(p, 2, ORDER_ACQUIRE, 0, 2);
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 1);
    store(p, 1, ORDER_WEAK, 1);
    store(p, 1, ORDER_RELEASE, 2);
}

static void acquired(struct litmus *p)
{
    load(p, LITMUS_ALL, ORDER_ACQUIRE, 0, 0);
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 1);
    store(p, 1, ORDER_WEAK, 1);
    store(p, 1, ORDER_RELEASE, 0);
}

static void acquired_by_atomic(struct litmus *p)
{
    compute(p, LITMUS_ADD, 0, LITMUS_NONE, LITMUS_NONE, 0);
    p->code[0][p->count[0] - 1].order = ORDER_ACQUIRE;
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 1);
    store(p, 1, ORDER_WEAK, 1);
    store(p, 1, ORDER_RELEASE, 0);
}

static void fenced(struct litmus *p)
{
    load(p, LITMUS_ALL, ORDER_VOLATILE, 0, 0);
    fence(p, 0);
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 1);
    store(p, 1, ORDER_WEAK, 1);
    fence(p, 1);
    store(p, 1, ORDER_WEAK, 0);
}

static void store_buffering(struct litmus *p)
{
    store(p, 0, ORDER_WEAK, 0);
    fence(p, 0);
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 1);
    store(p, 1, ORDER_WEAK, 1);
    fence(p, 1);
    load(p, LITMUS_ALL, ORDER_WEAK, 1, 0);
    p->code[1][p->count[1]++] = p->code[0][--p->count[0]];
}

static const struct named {
    const char *name;
    void (*make)(struct litmus *p);
    const char *timing;
    const char *wrong; // options under which a forbidden outcome is seen
} named[] = {
    {"a value that changes while it is shared", shared_value, "icache.perfect=1",
     "darsie:entries=64,rules=paper"},
    {"flags acquired, one a warp", acquired_by_one, "icache.perfect=1", "darsie:entries=64,rules=paper"},
    {"a flag acquired", acquired, "icache.perfect=1", "darsie:entries=64,broken=2"},
    {"a flag acquired by an atomic", acquired_by_atomic,
     "icache.perfect=1 icnt.latency=400 gpu.dispatch_latency=400", NULL},
    {"a flag and a fence", fenced, "icache.perfect=1", "darsie:entries=64,broken=2"},
    {"store, fence, load on both sides", store_buffering, "icache.perfect=1", NULL},
};

static void wait(struct litmus *p, unsigned block, uint8_t warps, bool misses, unsigned count)
{
    compute(p, LITMUS_WAIT, LITMUS_NONE, LITMUS_NONE, LITMUS_NONE, 0);
    struct litmus_statement s = p->code[0][--p->count[0]];
    s.warps = warps;
    s.count = (uint8_t)count;
    s.misses = misses;
    say(p, block, s);
}

static void name_program(const struct named *n, unsigned ours, unsigned theirs, struct litmus *p)
{
    *p = (struct litmus){.blocks = 2, .live = {2, 1}, .shape = {32, 2}};
    wait(p, 0, 2, true, ours);
    wait(p, 1, LITMUS_ALL, false, theirs);
    n->make(p);
    wait(p, 0, 1, true, 4); // the end of a kernel drops loads
}

// Launches with every pair of delays until an outcome is forbidden. Returns
// the number of launches up to it; 0: none.
static unsigned find_wrong(struct test *t, const struct named *n, const char *tech, struct strbuf *why)
{
    static const struct variant plain = {NULL, true, "compile.optimise=0"};
    unsigned launches = 0;
    bool fine = true;
    for (unsigned theirs = 0; theirs < 255 && fine; theirs += 4)
        for (unsigned ours = 1; ours < 4 && fine; ours++) {
            struct trial r = {.t = t};
            name_program(n, ours, theirs, &r.p);
            litmus_write(&r.p, &r.ptx);
            for (int own = 0; own < 2 && fine; own++, launches++)
                fine = is_fine(&r, &plain, tech, n->timing, own, why);
            trial_end(&r);
        }
    return fine ? 0 : launches;
}

static void test_named(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(named); k++) {
        struct strbuf why = {0};
        unsigned wrong = find_wrong(t, &named[k], NULL, &why);
        if (!wrong) wrong = find_wrong(t, &named[k], "darsie:entries=64", &why);
        CHECK_MSG(t, !wrong, "%s: %s", named[k].name, why.text);
        if (named[k].wrong) wrong = find_wrong(t, &named[k], named[k].wrong, NULL);
        CHECK_MSG(t, wrong || !named[k].wrong, "%s: nothing wrong under %s", named[k].name, named[k].wrong);
        if (wrong) printf("  %s: launch %u under %s\n", named[k].name, wrong, named[k].wrong);
        strbuf_fini(&why);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs},
                                             {"decoupled", test_decoupled},
                                             {"together", test_together},
                                             {"uniform", test_uniform},
                                             {"rules_left_out", test_rules_left_out},
                                             {"named", test_named},
                                             {"reused", test_reused},
                                             {"linear", test_linear}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
