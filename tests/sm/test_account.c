// Every slot of every scheduler has exactly one reason. Sums over kernels, SMs, instructions and the chip's
// counters agree, on every GPU and with any number of host threads.
#include "api/warpfold.h"
#include "base/vec.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/names.h"
#include "harness/test.h"
#include "workload/workload.h"

#include <string.h>

enum { SLOTS = 32 };

struct totals {
    struct test *t;
    uint64_t counters[SLOTS], sms[SLOTS]; // sum of the chip's counters; sum over its SMs
    uint64_t levels[SLOTS];               // sum of the chip's counters
    uint64_t active_cycles, sm_active_cycles;
    VEC(struct wf_kernel *) kernels;
};

static size_t slot_count(void)
{
    struct wf_slot slot;
    size_t n = 0;
    while (wf_slot_at(n, &slot)) n++;
    return n;
}

static size_t index_of_slot(const char *name)
{
    struct wf_slot slot;
    size_t n = 0;
    while (wf_slot_at(n, &slot) && strcmp(slot.name, name) != 0) n++;
    return n;
}

// Levels of every instruction add up to the instruction's slots of memory, and over instructions to the counters.
static void check_levels(struct test *t, const struct totals *sum)
{
    struct wf_slot level;
    size_t memory = index_of_slot("memory");
    uint64_t instructions[SLOTS] = {0}, all = 0;
    for (size_t k = 0; k < sum->kernels.count; k++) {
        size_t count;
        const struct wf_account *rows = wf_kernel_account(sum->kernels.data[k], &count);
        for (size_t row = 0; row < count; row++) {
            uint64_t here = 0;
            for (size_t n = 0; wf_level_at(n, &level); n++) {
                instructions[n] += rows[row].levels[n];
                here += rows[row].levels[n];
            }
            CHECK_EQ(t, here, rows[row].slots[memory]);
        }
    }
    for (size_t n = 0; wf_level_at(n, &level); n++) {
        CHECK_EQ(t, instructions[n], sum->levels[n]);
        all += sum->levels[n];
    }
    CHECK_EQ(t, all, sum->counters[memory]);
}

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct totals *sum = context;
    bool known = false;
    (void)shape;
    for (size_t i = 0; i < sum->kernels.count; i++) known |= sum->kernels.data[i] == kernel;
    if (!known) vec_push(&sum->kernels, kernel);
    struct wf_slot slot;
    for (size_t n = 0; wf_slot_at(n, &slot); n++) {
        char name[64];
        snprintf(name, sizeof name, "sm.slots.%s", slot.name);
        sum->counters[n] += counter(sum->t, stats, name);
    }
    for (size_t n = 0; wf_level_at(n, &slot); n++) {
        char name[64];
        snprintf(name, sizeof name, "sm.memory_slots.%s", slot.name);
        sum->levels[n] += counter(sum->t, stats, name);
    }
    sum->active_cycles += counter(sum->t, stats, "sm.sm.active_cycles");
    for (size_t k = 0; k < stats->sm_count; k++) {
        sum->sm_active_cycles += stats->sms[k].active_cycles;
        for (size_t n = 0; n < slot_count(); n++) sum->sms[n] += stats->sms[k].slots[n];
    }
}

// Several kernels and launches, divergence, barriers: the four sums agree.
static void test_totals(struct test *t)
{
    static const char *const kernels[] = {"backprop", "gcd", "scan", "nqueens"};
    test_names gpus = {0};
    test_name_gpus(&gpus);
    for (size_t i = 0; i < gpus.count || i < TEST_COUNT(kernels); i++) {
        struct totals sum = {.t = t};
        struct wf_context *c = wf_context_create();
        CHECK_EQ(t, wf_gpu(c, gpus.data[i % gpus.count]), WF_OK);
        wf_set_threads(c, 1 + i % 2);
        struct workload_result r = bundled_run(t, c, kernels[i % TEST_COUNT(kernels)], launched, &sum);
        uint64_t instructions[SLOTS] = {0}, issued = 0;
        for (size_t k = 0; k < sum.kernels.count; k++) {
            size_t count;
            const struct wf_account *rows = wf_kernel_account(sum.kernels.data[k], &count);
            CHECK_EQ(t, count, wf_kernel_info(sum.kernels.data[k])->instructions + 1);
            CHECK(t, !rows[count - 1].lines && !rows[count - 1].instruction && rows[0].instruction);
            for (size_t row = 0; row < count; row++)
                for (size_t n = 0; n < slot_count(); n++) instructions[n] += rows[row].slots[n];
            issued += rows[count - 1].slots[0];
        }
        CHECK_EQ(t, issued, 0); // an issued slot belongs to an instruction
        for (size_t n = 0; n < slot_count(); n++) {
            CHECK_EQ(t, sum.sms[n], sum.counters[n]);
            CHECK_EQ(t, instructions[n], sum.counters[n]);
        }
        check_levels(t, &sum);
        CHECK_EQ(t, sum.counters[0], r.warp_instructions);
        CHECK(t, sum.active_cycles && sum.sm_active_cycles == sum.active_cycles);
        vec_fini(&sum.kernels);
        wf_context_destroy(c);
    }
    vec_fini(&gpus);
}

// A kernel run only functionally has no account, nor does its launch.
static void test_functional(struct test *t)
{
    struct totals sum = {.t = t};
    struct wf_context *c = wf_context_create();
    bundled_run(t, c, "vecadd", launched, &sum);
    size_t count;
    CHECK(t, sum.kernels.count == 1 && !wf_kernel_account(sum.kernels.data[0], &count) && count == 0);
    CHECK_EQ(t, sum.sm_active_cycles, 0);
    vec_fini(&sum.kernels);
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"totals", test_totals}, {"functional", test_functional}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
