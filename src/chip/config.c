// The chip's table of settings as config_key rows.
#include "chip/config.h"

static const char *const gpu_machine_words[] = {"sm", "simtight", NULL};
static const char *const dispatch_policy_words[] = {
#define DISPATCH(symbol, word, meaning) word,
#include "chip/dispatch.def"
#undef DISPATCH
    NULL};

#define AT(field) offsetof(struct chip_config, field)
#define CHIP_U32(field, key, low, high, initial, meaning, source)                                            \
    {key, CONFIG_U32, AT(field), low, high, NULL, #initial, meaning, source},
#define CHIP_BOOL(field, key, initial, meaning, source)                                                      \
    {key, CONFIG_BOOL, AT(field), 0, 1, NULL, initial, meaning, source},
#define CHIP_WORD(field, key, type, words, initial, meaning, source)                                         \
    {key, CONFIG_WORD, AT(field), 0, 0, type##_words, initial, meaning, source},
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
