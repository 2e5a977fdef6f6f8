// Results never depend on time. For bundled kernels over GPUs and random timing settings, bytes and executed
// instructions are unchanged; host threads and skipped idle cycles change no counter.
#include "base/config.h"
#include "base/rng.h"
#include "base/str.h"
#include "chip/config.h"
#include "harness/names.h"
#include "harness/settings.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

struct outcome {
    uint64_t hash, warp_instructions, thread_instructions, cycles;
    VEC(uint64_t) counters; // of all launches
};

static void collect(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                    const struct wf_stats *stats)
{
    struct outcome *o = context;
    (void)kernel, (void)shape;
    o->warp_instructions += stats->warp_instructions;
    o->thread_instructions += stats->thread_instructions;
    o->cycles += stats->cycles;
    for (size_t k = 0; k < stats->counter_count; k++) vec_push(&o->counters, stats->counters[k].value);
}

// gpu NULL: functional. settings: "key=value key=value …".
static void run(struct test *t, const struct workload *w, const char *gpu, const char *settings,
                unsigned threads, struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    *o = (struct outcome){0};
    settings_apply(t, c, "compile.profile=sass"); // the same code, whichever profile a GPU's file names
    if (gpu) CHECK_EQ(t, wf_gpu(c, gpu), WF_OK);
    if (gpu) settings_apply(t, c, test_gpu_room(gpu));
    wf_set_threads(c, threads);
    wf_set_max_cycles(c, gpu ? 200000000 : 0);
    settings_apply(t, c, settings);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = collect, .launched_context = o};
    struct workload_result r;
    enum wf_status status = workload_run(w, c, &options, &r);
    CHECK_MSG(t, status == WF_OK, "%s on %s (%s): %s", w->name, gpu ? gpu : "no GPU", settings, wf_errors(c));
    o->hash = r.output_hash;
    wf_context_destroy(c);
}

static void same_work(struct test *t, const struct workload *w, const char *settings, const struct outcome *a,
                      const struct outcome *b)
{
    if (w->output_class != WORKLOAD_CLASS_D) return;
    CHECK_MSG(t, a->hash == b->hash, "%s: other bytes with %s", w->name, settings);
    CHECK_MSG(
        t, a->warp_instructions == b->warp_instructions && a->thread_instructions == b->thread_instructions,
        "%s: executes %llu warp and %llu thread instructions, not %llu and %llu, with %s", w->name,
        (unsigned long long)b->warp_instructions, (unsigned long long)b->thread_instructions,
        (unsigned long long)a->warp_instructions, (unsigned long long)a->thread_instructions, settings);
}

// Every second GPU for a kernel, the remaining GPUs for the next kernel; every GPU in the long form.
static void test_gpus(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct outcome plain, timed;
        run(t, w, NULL, "", 1, &plain);
        const char *gpu, *meaning;
        for (size_t g = 0; wf_gpu_at(g, &gpu, &meaning); g++) {
            if ((i + g) % 2 && !test_is_long()) continue;
            run(t, w, gpu, "", 1, &timed);
            same_work(t, w, gpu, &plain, &timed);
            CHECK(t, timed.cycles > 0);
            vec_fini(&timed.counters);
        }
        vec_fini(&plain.counters);
    }
}

// A key and its possible values.
struct knob {
    const char *key;
    const char *values[5];
};
static const struct knob knobs[] = {
    {"fetch.width", {"1", "2", "4", "8"}},
    {"fetch.per_scheduler", {"0", "1"}},
    {"fetch.refill", {"empty", "space"}},
    {"fetch.latency", {"1", "3", "17"}},
    {"fetch.ibuffer", {"1", "2", "5"}},
    {"icache.sets", {"1", "8", "128"}},
    {"icache.ways", {"1", "4"}},
    {"issue.schedulers", {"1", "2", "4"}},
    {"issue.width", {"1", "2"}},
    {"issue.scheduler", {"gto", "lrr", "two-level"}},
    {"issue.active_warps", {"1", "8", "32"}},
    {"operands.collectors", {"1", "3", "16"}},
    {"operands.banks", {"1", "4", "32"}},
    {"operands.ports", {"1", "4"}},
    {"operands.write_ports", {"1", "6"}},
    {"operands.bypass", {"0", "1"}},
    {"issue.dependences", {"scoreboard", "encoded", "single", "board"}},
    {"branch.predict", {"none", "static", "gshare", "perfect"}},
    {"branch.resolve", {"3", "11", "90"}},
    {"branch.bits", {"2", "1024"}},
    {"board.entries", {"1", "3", "8", "64"}},
    {"units.shared", {"0", "1"}},
    {"units.shared_operand", {"memory", "arithmetic"}},
    {"l2.copies", {"0", "1"}},
    {"units.float", {"1", "4"}},
    {"lsu.queue", {"1", "8"}},
    {"lsu.pending", {"1", "7", "256"}},
    {"shared.banks", {"1", "16", "32"}},
    {"shared.latency", {"1", "90"}},
    {"l1.global", {"0", "1"}},
    {"l1.sets", {"1", "64"}},
    {"l1.ways", {"1", "6"}},
    {"l1.mshrs", {"1", "16"}},
    {"l1.merges", {"1", "8"}},
    {"constant.sets", {"1", "32"}},
    {"texture.ways", {"1", "24"}},
    {"barrier.latency", {"1", "40"}},
    {"latency.int_add", {"1", "4", "300"}},
    {"latency.fp_mad", {"1", "9"}},
    {"interval.fp_mad", {"1", "4"}},
    {"gpu.sm_count", {"1", "5", "28"}},
    {"gpu.dispatch_latency", {"1", "24", "500"}},
    {"gpu.keep_caches", {"0", "1"}},
    {"l1.keep", {"0", "1"}},
    {"memory.perfect", {"0", "0", "1"}},
    {"icnt.latency", {"1", "24", "200"}},
    {"icnt.flit_bytes", {"8", "40"}},
    {"l2.ways", {"1", "16"}},
    {"l2.mshrs", {"1", "64"}},
    {"l2.write", {"write-back", "write-through"}},
    {"l2.latency", {"1", "300"}},
    {"memory.partitions", {"1", "3", "11"}},
    {"dram.queue", {"1", "64"}},
    {"dram.mhz", {"300", "2500", "7000"}},
};

static const struct knob *knob_of(const char *key)
{
    for (size_t k = 0; k < TEST_COUNT(knobs); k++)
        if (str_equal(knobs[k].key, key)) return &knobs[k];
    return NULL;
}

// Sizes needed by the small inputs are fixed, as is the machine: another machine runs no CUDA kernels. A slice must
// divide the SMs (test_slice.c).
static bool is_fixed(const char *key)
{
    static const char *const keys[] = {"sm.warps",
                                       "sm.blocks",
                                       "sm.registers",
                                       "sm.register_unit",
                                       "sm.register_files",
                                       "sm.shared_bytes",
                                       "sm.shared_unit",
                                       "sim.check",
                                       "sim.skip_idle",
                                       "sim.lose_reply",
                                       "sim.no_barriers",
                                       "sim.block_warps",
                                       "sim.block_instructions",
                                       "sim.warp_instructions",
                                       "machine",
                                       "gpu.slice"};
    for (size_t k = 0; k < TEST_COUNT(keys); k++)
        if (str_equal(keys[k], key)) return true;
    return false;
}

// A random value for a timing key: from its knob, an end of its range, or a neighbour of its default.
static void random_value(struct rng *r, const struct config_key *key, struct strbuf *out)
{
    const struct knob *knob = knob_of(key->name);
    unsigned n = 0;
    if (knob) {
        while (n < 5 && knob->values[n]) n++;
        strbuf_puts(out, knob->values[rng_below(r, n)]);
    } else if (key->type == CONFIG_WORD) {
        while (key->words[n]) n++;
        strbuf_puts(out, key->words[rng_below(r, n)]);
    } else if (key->type == CONFIG_BOOL) {
        strbuf_printf(out, "%u", (unsigned)rng_below(r, 2));
    } else {
        double initial = strtod(key->initial, NULL);
        double values[] = {key->low, initial / 2, initial, initial + 1, 2 * initial};
        double v = values[rng_below(r, TEST_COUNT(values))];
        if (v < key->low) v = key->low;
        if (v > key->high) v = key->high;
        strbuf_printf(out, "%.0f", v < 1 ? v : (double)(uint64_t)v);
    }
}

// Settings of the chip, then of its SMs and the memory; NULL past the last.
static const struct config_key *key_at(size_t k)
{
    if (k < chip_config_key_count) return &chip_config_keys[k];
    k -= chip_config_key_count;
    if (k < gpu_config_key_count) return &gpu_config_keys[k];
    k -= gpu_config_key_count;
    return k < memory_config_key_count ? &memory_config_keys[k] : NULL;
}

// Draws half of all keys, leaving out settings in conflict with earlier ones.
static void random_settings(struct rng *r, const char *gpu, struct strbuf *out)
{
    struct strbuf value = {0};
    struct wf_context *c = wf_context_create();
    struct wf_class first;
    wf_gpu(c, gpu);
    bool is_mixed = wf_class_at(c, 0, &first); // the number of SMs follows from its classes
    strbuf_clear(out);
    const struct config_key *key;
    for (size_t k = 0; (key = key_at(k)) != NULL; k++) {
        if (is_fixed(key->name) || !rng_below(r, 2)) continue;
        if (is_mixed && str_equal(key->name, "gpu.sm_count")) continue;
        strbuf_clear(&value);
        random_value(r, key, &value);
        if (wf_set(c, key->name, strbuf_text(&value)) == WF_OK)
            strbuf_printf(out, "%s=%s ", key->name, strbuf_text(&value));
    }
    strbuf_puts(out, "sim.check=1");
    wf_context_destroy(c);
    strbuf_fini(&value);
}

// A kernel meets different settings for every commit, on one GPU after another; in
// the long form twenty settings on every GPU.
static void test_random_settings(struct test *t)
{
    const char *gpu, *meaning;
    unsigned gpus = 0, turn = 0;
    while (wf_gpu_at(gpus, &gpu, &meaning)) gpus++;
    unsigned rounds = test_is_long() ? 20 * gpus : 1;
    struct strbuf settings = {0};
    struct rng r;
    rng_init(&r, 20261121);
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct outcome plain, timed;
        run(t, w, NULL, "", 1, &plain);
        for (unsigned k = 0; k < rounds; k++) {
            wf_gpu_at(turn++ % gpus, &gpu, &meaning);
            random_settings(&r, gpu, &settings);
            run(t, w, gpu, strbuf_text(&settings), 1, &timed);
            same_work(t, w, strbuf_text(&settings), &plain, &timed);
            vec_fini(&timed.counters);
        }
        vec_fini(&plain.counters);
    }
    strbuf_fini(&settings);
}

// Every counter is equal, not only memory; racy kernels included.
static void same_counters(struct test *t, const struct workload *w, const char *what, const struct outcome *a,
                          const struct outcome *b)
{
    CHECK_MSG(t, a->hash == b->hash, "%s: other bytes with %s", w->name, what);
    CHECK_MSG(t, a->cycles == b->cycles, "%s: %llu cycles, not %llu, with %s", w->name,
              (unsigned long long)b->cycles, (unsigned long long)a->cycles, what);
    bool same = a->counters.count == b->counters.count &&
                memcmp(a->counters.data, b->counters.data, a->counters.count * sizeof *a->counters.data) == 0;
    CHECK_MSG(t, same, "%s: other counters with %s", w->name, what);
}

static void test_threads_and_idle(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct outcome one, two, seven, stepped;
        run(t, w, "gtx1080ti-paper", "", 1, &one);
        run(t, w, "gtx1080ti-paper", "", 2, &two);
        run(t, w, "tiny", "gpu.sm_count=3", 1, &seven);
        same_counters(t, w, "2 threads", &one, &two);
        run(t, w, "tiny", "gpu.sm_count=3 sim.skip_idle=0", 3, &stepped);
        same_counters(t, w, "idle spans stepped through, 3 threads", &seven, &stepped);
        vec_fini(&one.counters);
        vec_fini(&two.counters);
        vec_fini(&seven.counters);
        vec_fini(&stepped.counters);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"gpus", test_gpus},
                                             {"random_settings", test_random_settings},
                                             {"threads_and_idle", test_threads_and_idle}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
