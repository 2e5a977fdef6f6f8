// The SIMTight core's table of settings as config_key rows.
#include "simtight/config.h"
#include "base/bits.h"

#define PUBLIC   "public source, default"
#define INFERRED "inferred from the public source"

static const char *const simtight_registers_words[] = {"plain", "uniform", "affine", NULL};
static const char *const simtight_divider_words[] = {"sequential", "full", NULL};
static const char *const scalar_spill_words[] = {
    [SPILL_LRU] = "lru", [SPILL_RR] = "rr", [SPILL_FIRST] = "first", NULL};

#define SIMTIGHT_U32(...)  CONFIG_ROW_U32(struct simtight_config, __VA_ARGS__)
#define SIMTIGHT_BOOL(...) CONFIG_ROW_BOOL(struct simtight_config, __VA_ARGS__)
#define SIMTIGHT_WORD(...) CONFIG_ROW_WORD(struct simtight_config, __VA_ARGS__)
const struct config_key simtight_config_keys[] = {
#include "simtight/config.def"
};
const size_t simtight_config_key_count = sizeof simtight_config_keys / sizeof simtight_config_keys[0];

const char *simtight_config_check(const struct simtight_config *c)
{
    bool compresses = c->registers != SIMTIGHT_PLAIN;
    if (!is_power_of_two(c->lanes) || !is_power_of_two(c->warps))
        return "simt.lanes and simt.warps must be powers of two";
    // Three vectors that an instruction may need, of each warp, and one free: with fewer no warp might proceed.
    if (c->vectors < 4 * c->warps) return "simt.vectors must be at least 4 times simt.warps";
    if (!compresses && simtight_config_spills(c))
        return "simt.vectors below 32 times simt.warps needs simt.registers=uniform or affine: plain "
               "registers have no other place";
    if (!compresses && c->scalar_unit)
        return "simt.scalar_unit=1 needs simt.registers=uniform or affine: the scalar unit reads only "
               "scalars";
    if (!compresses && c->stack_cache)
        return "simt.stack_cache needs simt.registers=uniform or affine: the stack cache keeps only scalars";
    if (c->stack_cache && !is_power_of_two(c->stack_cache))
        return "simt.stack_cache must be 0 or a power of two";
    if (!is_power_of_two(c->scratch_banks)) return "simt.scratch_banks must be a power of two";
    return NULL;
}
