// The settings of studies: the table.
#include "study/study.h"

static const char *const affine_words[] = {"warp", "row", NULL};

const struct config_key study_config_keys[] = {
#define SETTING(field, type_, key, words_, initial_, meaning_)                                               \
    {.name = key,                                                                                            \
     .type = CONFIG_##type_,                                                                                 \
     .offset = offsetof(struct study_settings, field),                                                       \
     .low = 0,                                                                                               \
     .high = 1,                                                                                              \
     .words = words_,                                                                                        \
     .initial = initial_,                                                                                    \
     .meaning = meaning_},
#include "study/config.def"
#undef SETTING
};
const size_t study_config_key_count = sizeof study_config_keys / sizeof study_config_keys[0];
