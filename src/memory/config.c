// The memory system's table of settings as config_key rows.
#include "memory/config.h"

#define SOURCE_SHIPPED "configuration public simulators ship as tested for the GTX 1080 Ti"

static const char *const cache_write_words[] = {"write-back", "write-through", NULL};
static const char *const cache_replacement_words[] = {"lru", "fifo", "random", NULL};
static const char *const cache_index_words[] = {"bits", "hash", NULL};

#define MEMORY_U32(...)  CONFIG_ROW_U32(struct memory_config, __VA_ARGS__)
#define MEMORY_WORD(...) CONFIG_ROW_WORD(struct memory_config, __VA_ARGS__)
const struct config_key memory_config_keys[] = {
#include "memory/config.def"
};
#undef MEMORY_U32
#undef MEMORY_WORD
const size_t memory_config_key_count = sizeof memory_config_keys / sizeof memory_config_keys[0];

const char *memory_config_check(const struct memory_config *c)
{
    if (c->line_bytes & (c->line_bytes - 1)) return "memory.line_bytes must be 32, 64 or 128";
    uint32_t l2_line = c->l2_line_bytes;
    if (l2_line && (l2_line < 32 || l2_line > c->line_bytes || l2_line & (l2_line - 1)))
        return "l2.line_bytes must be 32, 64 or 128, and at most memory.line_bytes";
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
