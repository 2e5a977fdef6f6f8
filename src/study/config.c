// The settings of studies: the table.
#include "study/stream.h"
#include "study/study.h"

static const char *const affine_words[] = {"warp", "row", NULL}, *const window_words[] = {"accesses",
                                                                                          "blocks", NULL};
#define level_words stream_level_names

const struct config_key study_config_keys[] = {
#define SETTING(field, type, key, low, high, words, initial, meaning)                                        \
    CONFIG_KEY(struct study_settings, field, type, key, low, high, words, initial, meaning),
#include "study/config.def"
#undef SETTING
#define RULE(field, type, key, low, high, words, initial, meaning, source)                                   \
    CONFIG_KEY(struct study_settings, rules.field, type, "study.decoupled." key, low, high, words, initial,  \
               "of `study affine`: " meaning),
#include "decouple/config.def"
#undef RULE
};
const size_t study_config_key_count = sizeof study_config_keys / sizeof study_config_keys[0];
