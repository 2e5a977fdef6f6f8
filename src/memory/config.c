// The table of settings as config_key rows.
#include "memory/config.h"

#define SOURCE_SHIPPED "configuration public simulators ship as tested for the GTX 1080 Ti"

#define MEMORY_U32(field, key, low, high, initial, meaning, source)
#define MEMORY_WORD(field, key, type, words_, initial, meaning, source)                                      \
    static const char *const field##_words[] = {WORDS_##type, NULL};
#define WORDS_cache_write       "write-back", "write-through"
#define WORDS_cache_index       "bits", "hash"
#define WORDS_cache_replacement "lru", "fifo", "random"
#include "memory/config.def"
#undef MEMORY_U32
#undef MEMORY_WORD

#define MEMORY_U32(field, key, low, high, initial, meaning, source)                                          \
    {key, CONFIG_U32, offsetof(struct memory_config, field), low, high, NULL, #initial, meaning, source},
#define MEMORY_WORD(field, key, type, words_, initial, meaning, source)                                      \
    {key, CONFIG_WORD, offsetof(struct memory_config, field), 0, 0, field##_words, initial, meaning, source},
const struct config_key memory_config_keys[] = {
#include "memory/config.def"
};
#undef MEMORY_U32
#undef MEMORY_WORD
const size_t memory_config_key_count = sizeof memory_config_keys / sizeof memory_config_keys[0];

const char *memory_config_check(const struct memory_config *c)
{
    if (c->line_bytes & (c->line_bytes - 1)) return "memory.line_bytes must be 32, 64 or 128";
    if (c->interleave_bytes % c->line_bytes)
        return "memory.interleave_bytes must be a multiple of memory.line_bytes";
    if (c->dram_row_bytes % c->interleave_bytes)
        return "dram.row_bytes must be a multiple of memory.interleave_bytes";
    if (c->dram_groups > c->dram_banks || c->dram_banks % c->dram_groups)
        return "dram.banks must be a multiple of dram.groups";
    if (c->t_refi && c->t_rfc + c->t_rp + c->t_ras + c->t_rcd + c->t_ccd >= c->t_refi)
        return "dram.refi must be more than dram.rfc, dram.rp, dram.ras, dram.rcd and dram.ccd together";
    if (c->t_rc < c->t_ras) return "dram.rc must be at least dram.ras";
    return NULL;
}
