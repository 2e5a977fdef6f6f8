#include "chip/bench.h"
#include "chip/classes.h"
#include "chip/gpus.h"
#include "compile/compile.h"
#include "energy/energy.h"

#include <string.h>

// Settings of the launch that some GPUs' files set; the program's own are in machine.h.
static const char *const simt_words[] = {"stack", "splits", NULL};
struct launch_settings {
    uint64_t max_shared;
    int simt;
};
static const struct config_key launch_keys[] = {
    CONFIG_KEY(struct launch_settings, simt, WORD, "simt", 0, 0, simt_words, "stack", NULL),
    CONFIG_KEY(struct launch_settings, max_shared, BYTES, "launch.max_shared", 1 << 10, 1 << 24, NULL, "227K",
               NULL),
};

void gpu_settings(struct test *t, struct chip_config *c, const char *gpu, const char *settings)
{
    struct config all;
    struct energy_config energy;     // set by some GPUs' files
    struct compile_settings compile; // likewise
    struct launch_settings launch;   // likewise
    struct gpu_classes classes = {0};
    bool is_like;
    struct diag d;
    diag_init(&d);
    config_init(&all);
    config_add(&all, chip_config_keys, chip_config_key_count, c);
    config_add(&all, gpu_config_keys, gpu_config_key_count, &c->gpu);
    config_add(&all, memory_config_keys, memory_config_key_count, &c->memory);
    config_add(&all, compile_config_keys, compile_config_key_count, &compile);
    config_add(&all, energy_config_keys, energy_config_key_count, &energy);
    config_add(&all, launch_keys, TEST_COUNT(launch_keys), &launch);
    gpu_classes_init(&classes, &all);
    CHECK(t, gpu_file_load(&all, gpu, &is_like, &d));
    char *copy = strdup(settings), *rest = copy;
    for (char *pair; (pair = strtok_r(rest, " ", &rest)) != NULL;)
        CHECK_MSG(t, config_set_pair(&all, pair, loc_none(), &d), "%s", pair);
    CHECK(t, gpu_classes_resolve(&classes, c, &d));
    CHECK(t, !gpu_config_check(&c->gpu) && !memory_config_check(&c->memory));
    free(copy);
    config_fini(&all);
    diag_fini(&d);
}

bool gpu_bench_init(struct gpu_bench *b, struct test *t, const char *gpu, const char *settings,
                    const char *text, uint32_t threads)
{
    *b = (struct gpu_bench){.threads = 1};
    gpu_settings(t, &b->config, gpu, settings);
    return machine_init(&b->m, t, text, threads);
}

void gpu_bench_fini(struct gpu_bench *b) { machine_fini(&b->m); }

bool gpu_bench_run(struct gpu_bench *b)
{
    struct chip *c = chip_create(&b->config);
    struct chip_account account = {.sms = b->sms, .watcher = b->watcher};
    machine_prepare(&b->m);
    bool good = chip_run_alone(c, &b->m.launch, b->max_cycles, b->threads, &account, &b->result, &b->m.fault);
    chip_destroy(c);
    return good;
}

uint64_t gpu_cycles(struct gpu_bench *b)
{
    CHECK_MSG(b->m.t, gpu_bench_run(b), "%s", b->m.fault.text ? b->m.fault.text : "");
    CHECK_MSG(b->m.t, !b->result.imbalance, "%s", b->result.imbalance);
    return b->result.cycles;
}
