// Products of warpgroups in time: a quarter of a product on the tensor unit of each warp's scheduler, in order of issue.
//
//     issue ─▶ queue of wgmma.queue products ─▶ start ─ interval ─▶ next start
//                                                 └──── latency ────▶ over: a wait for the group issues
//
//     interval   the most of: interval.wgmma for eight columns; cycles in which shared memory has the factors, 128 bytes each; a in
//                registers: interval.wgmma_registers
//     latency    latency.wgmma (a in registers, fewer than 64 columns: latency.wgmma_registers) and a cycle for every two columns
//
// Not modelled: loads that wait for the factors' cycles of shared memory, mma.sync on the same unit. Written by warpgroup.c alone.
#pragma once
#include "sm/config.h"
#include "sm/places.h"

struct inst;
struct op;
struct sm;

enum {
    WARPGROUP_GROUPS = 8, // closed groups of a warp whose ends are kept; older ones are over first
    WARPGROUP_QUEUE_MAX = 16,
    WARPGROUP_UNITS = 8 // as many as schedulers
};

struct warpgroups {
    struct {                                 // of a scheduler
        uint64_t free;                       // cycle from which the next product may start
        uint64_t start[WARPGROUP_QUEUE_MAX]; // of the last products, by number modulo wgmma.queue
        uint32_t products;
    } unit[WARPGROUP_UNITS];
    struct {                                    // of a warp
        uint64_t last, group[WARPGROUP_GROUPS]; // ends of all products so far, of those closed by a commit
        uint32_t commits;
    } warp[SM_SLOTS];
};

struct warpgroup_cost {
    uint32_t latency, interval;
};
struct warpgroup_cost warpgroup_cost_of(const struct gpu_config *c,
                                        const struct inst *i); // interval 0: the GPU lacks the product

void warpgroup_begin(struct sm *s, unsigned slot); // a warp starts
void warpgroup_free(struct sm *s);
// Earliest cycle at which the instruction, a product or a wait, issues; 0: any.
uint64_t warpgroup_opens(const struct sm *s, unsigned slot, const struct inst *i);
void warpgroup_issued(struct sm *s, unsigned slot, const struct inst *i, uint64_t collected);
