// Mechanisms change no result. For every bundled kernel and option, memory equals the unmodified
// GPU's. Instructions executed plus skipped equal the unmodified GPU's, one by one. Every shared
// value is what its reader would have computed.
//
// Short form: a kernel tries every mechanism with its defaults, on one of two GPUs besides the smallest, and
// a ninth of the options, different for every kernel. Long form: every option, GPU and profile at size
// small, by every kernel. At size medium, where the same would take over an hour: the mechanisms with their
// defaults, and every option on one GPU and profile in turn.
#include "harness/counter.h"
#include "harness/names.h"
#include "harness/settings.h"
#include "tech/counts.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <string.h>

struct outcome {
    struct test *t;
    uint64_t hash, executed, skipped, added, mismatches, cycles, copies, gave_up; // added: to the program
    struct counts counts;
};

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct outcome *o = context;
    (void)shape;
    counts_launched(&o->counts, kernel);
    o->executed += stats->warp_instructions;
    o->skipped += stats->skipped + stats->reused;
    o->cycles += stats->cycles;
    o->added += counter_if_used(o->t, stats, "silicon-sync.barriers");
    o->copies += counter_if_used(o->t, stats, "darsie.copies");
    o->gave_up += counter_if_used(o->t, stats, "darsie.gave_up");
    if (stats->verify_mismatches != WF_UNKNOWN) o->mismatches += stats->verify_mismatches;
}

struct machine {
    const char *gpu, *settings;
    const char *group; // NULL: all
    enum workload_size size;
    size_t every, first; // the bundled kernels first, first + every, …; every 0: all kernels
};

static void run(struct test *t, const struct workload *w, const struct machine *m, const char *tech,
                struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    *o = (struct outcome){.t = t};
    CHECK_EQ(t, wf_gpu(c, m->gpu), WF_OK);
    settings_apply(t, c, test_gpu_room(m->gpu));
    settings_apply(t, c, m->settings);
    CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    wf_set_verify(c, true);
    wf_set_max_cycles(c, 50000000);
    struct workload_options options = {
        .size = m->size, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = o};
    struct workload_result r;
    enum wf_status status = workload_run(w, c, &options, &r);
    CHECK_MSG(t, status == WF_OK, "%s on %s (%s) with %s: %s", w->name, m->gpu, m->settings, tech,
              wf_errors(c));
    o->hash = r.output_hash;
    counts_take(&o->counts);
    wf_context_destroy(c);
}

static void compare(struct test *t, const struct workload *w, const struct machine *m, const char *tech,
                    const struct outcome *base, const struct outcome *o)
{
    char what[300];
    snprintf(what, sizeof what, "%s on %s (%s) with %s", w->name, m->gpu, m->settings, tech);
    CHECK_MSG(t, o->mismatches == 0, "%s: %llu mismatches", what, (unsigned long long)o->mismatches);
    CHECK_MSG(t, !o->gave_up || strstr(tech, "watchdog"), "%s: a watchdog ended waiting", what);
    if (w->output_class != WORKLOAD_CLASS_D) return;
    struct strbuf why = {0};
    CHECK_MSG(t, o->hash == base->hash, "%s: other bytes", what);
    CHECK_MSG(t, o->executed + o->skipped - o->added == base->executed,
              "%s: executes %llu and skips %llu, together not %llu", what, (unsigned long long)o->executed,
              (unsigned long long)o->skipped, (unsigned long long)base->executed);
    CHECK_MSG(t, counts_agree(&base->counts, &o->counts, &why), "%s: %s", what, strbuf_text(&why));
    CHECK_EQ(t, counts_skipped(&o->counts), o->skipped);
    strbuf_fini(&why);
}

struct sums { // summed over runs
    uint64_t runs, skipped, copies;
};

static void try_one(struct test *t, const struct workload *w, const struct machine *m, const char *tech,
                    const struct outcome *base, struct sums *sums)
{
    struct outcome o;
    run(t, w, m, tech, &o);
    compare(t, w, m, tech, base, &o);
    sums->runs++;
    sums->skipped += o.skipped;
    sums->copies += o.copies;
    counts_fini(&o.counts);
}

static bool adds_barriers(const char *tech) { return strstr(tech, "silicon-sync") != NULL; }

// After an added barrier, diverged lanes may reconverge that did not before (simt=splits); warps then
// execute fewer instructions for the same threads. With barriers added, instructions are compared under
// simt=stack alone. A kernel tries every mechanism before `plain`, and one in `turns` of the mechanisms with
// options, different for every kernel.
static void try_in_turn(struct test *t, const struct machine *m, const test_names *techs, size_t plain,
                        size_t turns, struct sums *sums)
{
    char settings[200];
    snprintf(settings, sizeof settings, "%s simt=stack", m->settings);
    const struct machine stacked = {.gpu = m->gpu, .settings = settings, .size = m->size};
    const char *group = m->group ? m->group : "all";
    const struct workload *w;
    for (size_t i = 0; (w = workload_in_group(group, i, NULL)) != NULL; i++) {
        struct outcome base, base_stacked;
        if (m->every && i % m->every != m->first) continue;
        run(t, w, m, "base", &base);
        run(t, w, &stacked, "base", &base_stacked);
        CHECK_EQ(t, base.skipped, 0);
        for (size_t k = 0; k < techs->count; k++) {
            if (k >= plain && (i + k) % turns) continue;
            if (adds_barriers(techs->data[k]))
                try_one(t, w, &stacked, techs->data[k], &base_stacked, sums);
            else
                try_one(t, w, m, techs->data[k], &base, sums);
        }
        counts_fini(&base.counts);
        counts_fini(&base_stacked.counts);
    }
}

static void try_all(struct test *t, const struct machine *m, const test_names *techs, struct sums *sums)
{
    try_in_turn(t, m, techs, 0, 1, sums);
}

// Tried in addition to every mechanism with its defaults.
static const char *const options[] = {
    "wir:entries=1,signatures=1",
    "wir:entries=4096,ways=64,signatures=4096,pending=execute",
    "wir:signature-bits=2,latency=9,banks=1,loads=off",
    "wir+rfcache:entries=2+silicon-sync",
    "wir+mta:throttle=off+warpman:variant=spatial",
    "r2d2:vectors=8,registers=3",
    "r2d2:vectors=4096,registers=64,cycles=9,priority=last",
    "r2d2:priority=in-turn+coarse:dueling=0",
    "r2d2:vectors=32,priority=oldest+mta:throttle=off+silicon-sync",
    "darsie:entries=1,read-ports=1",
    "darsie:registers=1",
    "darsie:registers=3,entries=2,write-ports=2",
    "darsie:pool=block",
    "darsie:pool=reserve,full=wait",
    "darsie:on-store=keep,coalescer=off",
    "darsie:watchdog=60",
    "darsie:entries=64,registers=1,full=wait",
    "darsie:entries=64",
    "uv:entries=1",
    "uv:entries=64,ways=2,words=4,ports=1",
    "uv:tag=1,entries=6,ways=3,latency=9",
    "uv:loads=off,predicates=off",
    "uv:variant=srf,valid=issue,intra=off",
    "uv:variant=token",
    "uv:variant=token,lanes=present,protect=on,parity=on",
    "uv:variant=token,inter=off,loads=off",
    "uv:variant=token,found=compiler",
    "uv:variant=srf,inter=off,found=turing",
    "uv:variant=srf",
    "uv:variant=srf,registers=3,inter=count,lanes=present",
    "uv:variant=srf,registers=0,entries=2,words=2",
    "uv:intra=on,lanes=present+gscalar",
    "uv:variant=token+rfcache+silicon-sync",
    "darsie+uv:intra=on",
    "darsie+decoupled:gain=off",
    "darsie:branch-sync=first,registers=3+decoupled:gain=off,atq=1,pwaq=1,pwpq=1",
    "darsie:early=on,predicates=on,partial=on+uv+decoupled:gain=off,batch=wait",
    "gscalar:parts=2,units=on",
    "gscalar:parts=4,divergent=off,loads=off",
    "darsie:registers=2+uv+gscalar:parts=2",
    "cae:spoil=1",
    "cae:spoil=1,branches=off,memory=off",
    "cae+mta:throttle=off+silicon-sync",
    "mta",
    "mta:throttle=off,train=1,promote=1,distance=3,lines=all,record=8",
    "mta:throttle=off,train=1,lines=all,buffer=24",
    "snake",
    "snake:throttle=off,train=1,depth=9,links=5,buffer=3,room=off",
    "darsie+snake:buffer=0,lines=first",
    "uv:intra=on+mta:ahead=4,throttle=off+warpman:variant=spatial",
    "rfcache:entries=1,warps=1,read-ports=1",
    "rfcache:replacement=lru,allocate=all,loads=all,dead=write",
    "rfcache:stale=1",
    "rfcache:stale=1,entries=3,flush=never,loads=all,allocate=all",
    "scalarise:vectors=32,spill=rr,spoil=1",
    "scalarise:vectors=90,spill=first,read-cycles=0,write-cycles=5,spoil=1",
    "scalarise:vectors=64,detect=any-base,partial=keep,spoil=1",
    "scalarise:detect=off-affine",
    "scalarise:scalar=on,spoil=1",
    "scalarise:scalar=on,warps=all,predictions=16,detect=any-base,vectors=100,spoil=1",
    "uv+gscalar+rfcache+scalarise:scalar=on,vectors=50",
    "silicon-sync+scalarise:strides=4",
    "darsie+uv+gscalar+rfcache",
    "dac+uv+silicon-sync+rfcache:entries=2",
    "dac:instances=1",
    "dac:predicates=uniform,loads=off",
    "dac:predicates=off,loads=constant,tuples=lanes,instances=3",
    "dac+silicon-sync",
    "darsie+uv",
    "darsie:registers=3,entries=2+uv:entries=64,words=4+silicon-sync",
    "dac+uv",
    "darsie:order=sync-on-write,registers=4",
    "warpman:variant=temporal",
    "warpman:variant=spatial",
    "warpman:variant=threshold,limit=9",
    "warpman:epoch=300,hold=1",
    "warpman:epoch=300,hold=2,judge=epoch,begin=temporal",
    "warpman:variant=spatial+uv:intra=on+gscalar",
    "darsie+warpman:variant=spatial",
    "darsie:pool=reserve,branch-sync=first,early=on+warpman:variant=temporal",
    "dac+warpman:variant=spatial",
    "dac:tuples=lanes,instances=3+warpman:variant=temporal",
    "uv:variant=srf+warpman:variant=spatial",
    "rfcache+scalarise:vectors=60+warpman:variant=temporal",
    "coarse:dueling=0,when=access,wait=1",
    "coarse:dueling=0,lines=4,touch=0",
    "coarse:lines=4,classify=1,sample=64",
    "uv:variant=token,protect=on,value-parity=on",
    "coarse:epoch=200,before=0+darsie",
    "coarse:dueling=0+uv:intra=on+warpman:variant=spatial",
    "darsie:branch-sync=off,bank-conflicts=off",
    "darsie:early=on,evict=on,registers=5",
    ("darsie:branch-sync=parting,early=on,full=wait,evict=on,"
     "on-store=overlap,predicates=on,partial=on")};

static test_names all_options(void)
{
    test_names names = {0};
    test_name_techs(&names);
    test_name_more(&names, options, TEST_COUNT(options));
    return names;
}

static void print(const char *what, const struct sums *s)
{
    printf("  %s: %" PRIu64 " runs, %" PRIu64 " warp instructions saved, %" PRIu64 " registers copied out\n",
           what, s->runs, s->skipped, s->copies);
}

static void test_options(struct test *t)
{
    struct sums sums = {0};
    struct machine m = {.gpu = "tiny", .settings = "sim.check=1 l1.global=1"};
    test_names techs = all_options();
    try_in_turn(t, &m, &techs, techs.count - TEST_COUNT(options), 9, &sums);
    vec_fini(&techs);
    CHECK(t, sums.copies > 0); // copies are not counted as instructions
    print("tiny", &sums);
}

// Parts of warps lead and follow, too.
static void test_diverged(struct test *t)
{
    const char *diverged = "darsie:diverged=on";
    test_names techs = {0};
    struct sums sums = {0};
    static const struct machine machines[] = {{.gpu = "tiny", .settings = "simt=stack sim.check=1"},
                                              {.gpu = "tiny", .settings = "simt=splits sim.check=1"}};
    vec_push(&techs, diverged);
    for (size_t k = 0; k < TEST_COUNT(machines); k++) try_all(t, &machines[k], &techs, &sums);
    vec_fini(&techs);
}

static const char *const profiles[] = {"compile.profile=sass", "compile.profile=ptxplus",
                                       "compile.profile=pascal"};

// The long form: every GPU, and in turn every option at medium size.
static void try_everywhere(struct test *t, const test_names *techs)
{
    struct sums small = {0}, medium = {0}, options_at_medium = {0};
    test_names gpus = {0}, all = all_options(), turn = {0};
    test_name_gpus(&gpus);
    for (size_t g = 0, n = 0; g < gpus.count; g++)
        for (size_t p = 0; p < TEST_COUNT(profiles); p++, n++) {
            struct machine m = {.gpu = gpus.data[g], .settings = profiles[p]};
            try_all(t, &m, &all, &small);
            m.size = WORKLOAD_MEDIUM;
            try_all(t, &m, techs, &medium);
            turn.count = 0;
            for (size_t k = n; k < all.count; k += gpus.count * TEST_COUNT(profiles))
                vec_push(&turn, all.data[k]);
            try_all(t, &m, &turn, &options_at_medium);
        }
    vec_fini(&gpus);
    vec_fini(&all);
    vec_fini(&turn);
    print("small", &small);
    print("medium", &medium);
    print("medium, options", &options_at_medium);
}

static void test_gpus(struct test *t)
{
    test_names techs = {0};
    static const struct machine machines[] = {
        {.gpu = "gtx1080ti-paper", .settings = "", .every = 2, .first = 0},
        {.gpu = "gtx1080ti",
         .settings = "compile.profile=ptxplus fetch.refill=space fetch.ibuffer=4",
         .every = 2,
         .first = 1}};
    struct sums sums = {0};
    test_name_techs(&techs);
    for (size_t k = 0; k < TEST_COUNT(machines); k++) try_all(t, &machines[k], &techs, &sums);
    if (test_is_long()) try_everywhere(t, &techs);
    vec_fini(&techs);
}

// The kernels for tensor cores: every mechanism, and a ninth of the options.
static void test_tensor(struct test *t)
{
    struct sums sums = {0};
    struct machine m = {.gpu = "h100", .settings = "gpu.sm_count=2", .group = "tensor"};
    test_names techs = all_options();
    try_in_turn(t, &m, &techs, techs.count - TEST_COUNT(options), 9, &sums);
    vec_fini(&techs);
    CHECK(t, sums.skipped > 0);
    print("h100", &sums);
}

// Part of the long form: the options with a word in their name, at size small, on the
// given GPUs or, without any, on all GPUs.
static const char *the_word, *const *the_gpus;
static size_t the_gpu_count;

static void test_word(struct test *t)
{
    test_names all = all_options(), techs = {0}, gpus = {0};
    struct sums sums = {0};
    for (size_t k = 0; k < all.count; k++)
        if (strstr(all.data[k], the_word)) vec_push(&techs, all.data[k]);
    CHECK_MSG(t, techs.count > 0, "no option has \"%s\" in its name", the_word);
    if (the_gpu_count)
        test_name_more(&gpus, the_gpus, the_gpu_count);
    else
        test_name_gpus(&gpus);
    for (size_t g = 0; g < gpus.count; g++)
        for (size_t p = 0; p < TEST_COUNT(profiles); p++)
            try_all(t, &(struct machine){.gpu = gpus.data[g], .settings = profiles[p]}, &techs, &sums);
    print(the_word, &sums);
    vec_fini(&all);
    vec_fini(&techs);
    vec_fini(&gpus);
}

static const struct machine tiny = {.gpu = "tiny", .settings = ""};

// Mismatches of a run that may leave wrong bytes.
static uint64_t mismatches(struct test *t, const struct workload *w, const char *tech)
{
    struct outcome o = {.t = t};
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, "tiny"), WF_OK);
    CHECK_MSG(t, wf_tech(c, tech) == WF_OK, "%s: %s", tech, wf_errors(c));
    wf_set_verify(c, true);
    struct workload_options how = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = add, .launched_context = &o};
    struct workload_result r;
    workload_run(w, c, &how, &r);
    wf_context_destroy(c);
    counts_fini(&o.counts);
    return o.mismatches;
}

// Shared values are read from their storage: a flipped bit is noticed. `saves`: at
// least one instruction in `saves`; 0: none.
static void test_sharing_is_real(struct test *t)
{
    static const struct {
        const char *workload, *tech, *corrupted;
        uint64_t saves;
    } rows[] = {{"matrixMul", "darsie", "darsie:corrupt=9", 10},
                {"hotspot", "darsie", "darsie:corrupt=9", 10},
                {"floydWarshall", "darsie", "darsie:corrupt=9", 10},
                {"CP", "darsie", "darsie:corrupt=9", 10},
                {"matrixMul", "uv", "uv:corrupt=9", 40},
                {"floydWarshall", "uv", "uv:corrupt=20", 20},
                {"LIB", "uv", "uv:corrupt=99", 20},
                {"vecadd", "uv", "uv:corrupt=1", 40},
                {"hotspot", "cae", "cae:corrupt=9", 0},
                {"hotspot", "gscalar", "gscalar:corrupt=9", 0},
                {"LIB", "gscalar", "gscalar:parts=2,corrupt=99", 0},
                {"hotspot", "rfcache", "rfcache:corrupt=9", 0},
                {"LIB", "rfcache", "rfcache:entries=1,corrupt=99", 0},
                {"hotspot", "scalarise", "scalarise:corrupt=9", 0},
                {"LIB", "scalarise", "scalarise:vectors=32,corrupt=99", 0},
                {"LIB", "scalarise:scalar=on", "scalarise:scalar=on,corrupt=300", 0},
                {"matrixMul", "dac", "dac:corrupt=9", 10},
                {"floydWarshall", "dac", "dac:corrupt=9", 2},
                {"vecadd", "dac", "dac:corrupt=9", 2},
                {"LIB", "dac", "dac:corrupt=20", 10}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const char *near;
        const struct workload *w = workload_find(rows[k].workload, &near);
        struct outcome base, o;
        run(t, w, &tiny, "base", &base);
        run(t, w, &tiny, rows[k].tech, &o);
        CHECK_MSG(t, !rows[k].saves || o.skipped > base.executed / rows[k].saves, "%s: %s saves %llu of %llu",
                  w->name, rows[k].tech, (unsigned long long)o.skipped, (unsigned long long)base.executed);
        CHECK_MSG(t, mismatches(t, w, rows[k].corrupted) > 0, "%s: %s goes unnoticed", w->name,
                  rows[k].corrupted);
        counts_fini(&base.counts);
        counts_fini(&o.counts);
    }
}

// Barriers are really inserted; a launch of another shape, or without barriers, gets its own program.
static void test_barriers_are_added(struct test *t)
{
    static const char *const names[] = {"matrixMul", "hotspot", "SRADv1", "stencil3d"};
    for (size_t k = 0; k < TEST_COUNT(names); k++) {
        const char *near;
        struct outcome o;
        const struct workload *w = workload_find(names[k], &near);
        run(t, w, &tiny, "silicon-sync", &o);
        CHECK_MSG(t, o.added > 0, "%s has no barrier more", w->name);
        counts_fini(&o.counts);
    }
}

// Unsound literal rules of papers, and a kernel that shows the failure.
static void test_paper_rules_are_caught(struct test *t)
{
    static const char *const rows[][2] = {{"vecadd", "uv:rules=paper"},
                                          {"SRADv1", "uv:rules=paper"},
                                          {"pathfinder", "uv:variant=token,copy=paper"}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const char *near;
        const struct workload *w = workload_find(rows[k][0], &near);
        CHECK_MSG(t, mismatches(t, w, rows[k][1]) > 0, "%s with %s goes unnoticed", w->name, rows[k][1]);
    }
}

// No scheduling policy starves warps that others wait for, so no watchdog ends the wait.
static void test_schedulers(struct test *t)
{
    static const char *const kernels[] = {"pathfinder", "matrixMul"}, *const policies[] = {
                                                                          "issue.scheduler=lrr",
                                                                          "issue.scheduler=two-level"};
    for (size_t k = 0; k < TEST_COUNT(kernels); k++)
        for (size_t p = 0; p < TEST_COUNT(policies); p++) {
            const char *near;
            const struct workload *w = workload_find(kernels[k], &near);
            struct outcome base, o;
            struct machine m = {.gpu = "gtx1080ti-paper", .settings = policies[p], .size = WORKLOAD_SMALL};
            run(t, w, &m, "base", &base);
            run(t, w, &m, "darsie", &o);
            compare(t, w, &m, "darsie", &base, &o);
            CHECK_MSG(t, o.cycles < 2 * base.cycles, "%s, %s: %llu cycles, base %llu", w->name, policies[p],
                      (unsigned long long)o.cycles, (unsigned long long)base.cycles);
            counts_fini(&base.counts);
            counts_fini(&o.counts);
        }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"options", test_options},
                                             {"diverged", test_diverged},
                                             {"schedulers", test_schedulers},
                                             {"gpus", test_gpus},
                                             {"tensor", test_tensor},
                                             {"sharing_is_real", test_sharing_is_real},
                                             {"barriers_are_added", test_barriers_are_added},
                                             {"paper_rules_are_caught", test_paper_rules_are_caught}},
                                  word[] = {{"everywhere", test_word}};
    if (argc >= 3 && str_equal(argv[1], "everywhere")) {
        the_word = argv[2];
        the_gpus = (const char *const *)argv + 3;
        the_gpu_count = (size_t)argc - 3;
        return test_main(1, argv, word, TEST_COUNT(word));
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
