// The settings of marking: the table, and the conversion from settings to rules.
#include "mark/mark.h"

static const char *const rules_words[] = {"sound", "paper", "none", NULL};
static const char *const blocks_words[] = {"any", "two", NULL};
static const char *const promotion_words[] = {"driver", "hardware", NULL};

const struct config_key mark_config_keys[] = {
#define SETTING(field, type, key, words, initial, meaning)                                                   \
    CONFIG_KEY(struct mark_settings, field, type, key, 0, 1, words, initial, meaning),
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
    r->hart = s->hart;
    r->warp_classes = s->warp_classes;
    r->two_dimensions = s->blocks == MARK_BLOCKS_TWO;
    r->grid = s->grid;
    r->warp_size = warp_size;
}
