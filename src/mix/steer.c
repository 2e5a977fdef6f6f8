// Assigns SMs to workloads by their resource needs.
#include "base/str.h"
#include "mix/mix.h"

enum { FEW_WARPS = 16, FEW_THREADS = 32768 }; // Xiang, section 4.5

void mix_need_note(struct mix_need *need, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                   const struct wf_stats *stats)
{
    struct wf_occupancy o;
    if (need->threads && stats->warp_instructions <= need->warp_instructions) return;
    *need = (struct mix_need){.threads = 1, .warp_instructions = stats->warp_instructions};
    for (int k = 0; k < 3; k++) need->threads *= (uint64_t)shape->grid[k] * shape->block[k];
    for (size_t k = 0; wf_occupancy_at(kernel, shape, k, &o); k++)
        if (o.blocks * o.warps > need->warps) need->warps = o.blocks * o.warps;
}

bool mix_is_latency_bound(const struct mix_need *need)
{
    return need->warps < FEW_WARPS || need->threads <= FEW_THREADS;
}

static bool class_place(struct wf_context *c, const char *name, struct mix_place *place)
{
    struct wf_class class;
    for (size_t k = 0; wf_class_at(c, k, &class); k++) {
        if (!str_equal(class.name, name)) continue;
        *place = (struct mix_place){class.first, class.count};
        return true;
    }
    return false;
}

// Index of the workload with the most or the fewest warps; of equal workloads, the first.
static size_t extreme(const struct mix_need *needs, size_t count, bool most)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (most ? needs[k].warps > needs[best].warps : needs[k].warps < needs[best].warps) best = k;
    return best;
}

bool mix_steer(struct wf_context *c, const struct mix_need *needs, size_t count, struct mix_place *places)
{
    struct mix_place ilp, tlp;
    size_t bound = 0;
    if (!class_place(c, "ilp", &ilp) || !class_place(c, "tlp", &tlp)) return false;
    for (size_t k = 0; k < count; k++) {
        bool is_bound = mix_is_latency_bound(&needs[k]);
        places[k] = is_bound ? ilp : tlp;
        bound += is_bound;
    }
    if (count > 1 && !bound) places[extreme(needs, count, false)] = ilp;
    if (count > 1 && bound == count) places[extreme(needs, count, true)] = tlp;
    return true;
}

void mix_split(uint32_t sms, size_t count, struct mix_place *places)
{
    uint32_t first = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t size = sms / (uint32_t)count + (k < sms % count);
        places[k] = (struct mix_place){first, size};
        first += size;
    }
}
