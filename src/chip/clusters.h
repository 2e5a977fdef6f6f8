// Where clusters fit: the SMs of a GPC (gpu.gpcs).
//
// Measured on an H100 (silicon/h100, cudaOccupancyMaxActiveClusters): with eight blocks an SM, clusters fit as if no two
// blocks of a cluster shared an SM. GPCs have 16 to 18 SMs; of the last GPC only 10 take clusters of more than two blocks,
// and 8 are in pairs.
#pragma once
#include "chip/config.h"

struct launch;
struct strbuf;

enum { CLUSTER_SMS = 256, NO_GPC = 255 }; // CLUSTER_SMS: upper bound of gpu.sm_count

// The GPC of every SM, NO_GPC: none. False: *why has what is wrong with gpu.gpcs.
bool cluster_gpcs(const struct chip_config *c, uint8_t of[CLUSTER_SMS], struct strbuf *why);
// Clusters of `size` blocks resident at once, with blocks[] resident blocks of the launch by SM.
uint64_t cluster_count(const struct chip_config *c, const uint8_t of[CLUSTER_SMS],
                       const uint32_t blocks[CLUSTER_SMS], uint32_t size);
