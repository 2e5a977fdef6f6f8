// The SM's table of settings as config_key rows.
#include "sm/config.h"

#define SHIPPED "configuration public simulators ship as tested for the GTX 1080 Ti"

static const char *const fetch_refill_words[] = {"empty", "space", NULL};
static const char *const shared_operand_words[] = {"memory", "arithmetic", NULL};
static const char *const cache_index_words[] = {"bits", "hash", NULL};
static const char *const shared_wide_words[] = {"parts", "words", NULL};
static const char *const pick_policy_words[] = {
#define PICK(symbol, word, meaning) word,
#include "sm/issue/pick.def"
#undef PICK
    NULL};
static const char *const tags_allocate_words[] = {"miss", "fill", "streaming", NULL};
static const char *const l1_fetch_words[] = {"sectors", "line", NULL};
static const char *const l1_write_words[] = {"through", "through-allocate", "local-back", NULL};
static const char *const replacement_words[] = {"lru", "fifo", "random", NULL};
static const char *const dependences_words[] = {"scoreboard", "encoded", "single", "board", NULL};

static const char *const predict_words[] = {"none", "static", "gshare", "perfect", NULL};

#define GPU_U32(...)  CONFIG_ROW_U32(struct gpu_config, __VA_ARGS__)
#define GPU_BOOL(...) CONFIG_ROW_BOOL(struct gpu_config, __VA_ARGS__)
#define GPU_WORD(...) CONFIG_ROW_WORD(struct gpu_config, __VA_ARGS__)
#define GPU_LATENCY(which, name, cycles, busy)                                                               \
    GPU_U32(latency_##which, "latency." name, 1, 10000, cycles,                                              \
            "cycles from operands collected to the result", SHIPPED)                                         \
    GPU_U32(interval_##which, "interval." name, 1, 10000, busy, "cycles a pipeline is busy with a warp",     \
            SHIPPED)
#define GPU_PRODUCT(which, name, products)                                                                   \
    GPU_U32(latency_##which, "latency.mma_" name, 0, 10000, 0,                                               \
            "cycles from operands collected to the result: " products, "choice: none")                       \
    GPU_U32(interval_##which, "interval.mma_" name, 0, 10000, 0,                                             \
            "cycles a tensor unit is busy: " products "; 0: the GPU lacks the product", "choice: none")
const struct config_key gpu_config_keys[] = {
#include "sm/config.def"
};
const size_t gpu_config_key_count = sizeof gpu_config_keys / sizeof gpu_config_keys[0];
_Static_assert(sizeof gpu_config_keys / sizeof gpu_config_keys[0] == GPU_KEYS, "every row is counted");

bool gpu_config_is_chips(size_t key)
{
    static const bool is_chips[] = {
#define GPU_U32(...)     false,
#define GPU_BOOL(...)    false,
#define GPU_WORD(...)    false,
#define GPU_LATENCY(...) false, false,
#define GPU_PRODUCT(...) false, false,
#define CHIP_U32(...)    true,
#define CHIP_BOOL(...)   true,
#include "sm/config.def"
    };
    return is_chips[key];
}

const char *gpu_config_check(const struct gpu_config *c)
{
    if (c->max_warps % c->schedulers) return "sm.warps must be a multiple of issue.schedulers";
    if (c->registers % c->register_unit) return "sm.registers must be a multiple of sm.register_unit";
    if (c->registers % c->register_files) return "sm.registers must be a multiple of sm.register_files";
    return NULL;
}

uint32_t gpu_registers_for(const struct gpu_config *c, uint32_t warp)
{
    return c->registers / c->register_files / warp * warp * c->register_files;
}

uint32_t gpu_code_bytes(const struct gpu_config *c, uint32_t line_bytes)
{
    return c->icache_perfect ? 0 : c->icache_sets * c->icache_ways * line_bytes;
}
