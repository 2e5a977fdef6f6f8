// The settings of marking: the table, and rules made from it.
#include "mark/mark.h"

static const char *const rules_words[] = {"sound", "paper", "none", NULL};
static const char *const promotion_words[] = {"driver", "hardware", NULL};

const struct config_key mark_config_keys[] = {
#define SETTING(field, type_, key, words_, initial_, meaning_)                                               \
    {.name = key,                                                                                            \
     .type = CONFIG_##type_,                                                                                 \
     .offset = offsetof(struct mark_settings, field),                                                        \
     .low = 0,                                                                                               \
     .high = 1,                                                                                              \
     .words = words_,                                                                                        \
     .initial = initial_,                                                                                    \
     .meaning = meaning_},
#include "mark/config.def"
#undef SETTING
};
const size_t mark_config_key_count = sizeof mark_config_keys / sizeof mark_config_keys[0];

void mark_rules_from(struct mark_rules *r, const struct mark_settings *s, unsigned warp_size)
{
    mark_rules_default(r);
    r->paper = s->rules == MARK_RULES_PAPER;
    r->none = s->rules == MARK_RULES_NONE;
    r->tid_y = s->tid_y;
    r->laneid = s->laneid;
    r->tid_x_mod = s->tid_x_mod;
    r->warp_classes = s->warp_classes;
    r->grid = s->grid;
    r->warp_size = warp_size;
}
