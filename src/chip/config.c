// The chip's table of settings as config_key rows.
#include "chip/config.h"

static const char *const gpu_machine_words[] = {"sm", "simtight", NULL};
static const char *const tensor_values_words[] = {"target", "volta",     "turing",        "ampere", "ada",
                                                  "hopper", "blackwell", "rtx-blackwell", NULL};
static const char *const dispatch_policy_words[] = {
#define DISPATCH(symbol, word, meaning) word,
#include "chip/dispatch.def"
#undef DISPATCH
    NULL};

#define CHIP_U32(...)  CONFIG_ROW_U32(struct chip_config, __VA_ARGS__)
#define CHIP_BOOL(...) CONFIG_ROW_BOOL(struct chip_config, __VA_ARGS__)
#define CHIP_TEXT(...) CONFIG_ROW_TEXT(struct chip_config, __VA_ARGS__)
#define CHIP_WORD(...) CONFIG_ROW_WORD(struct chip_config, __VA_ARGS__)
const struct config_key chip_config_keys[] = {
#include "chip/config.def"
};
const size_t chip_config_key_count = sizeof chip_config_keys / sizeof chip_config_keys[0];

unsigned chip_kinds(const struct chip_config *c, struct gpu_kind kinds[GPU_KINDS_MAX])
{
    for (unsigned k = 0; k < c->class_count; k++) kinds[k] = c->classes[k];
    if (c->class_count) return c->class_count;
    kinds[0] = (struct gpu_kind){.count = c->sm_count, .config = c->gpu};
    return 1;
}
