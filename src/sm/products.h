// Matrix products on the tensor units: class, latency and interval of a product on a GPU.
#pragma once
#include "sm/config.h"

struct gpu_counts;
struct inst;
struct program;

// Cycles of a product, by its class in config.def. interval 0: the GPU lacks the product.
struct product_cost {
    uint32_t latency, interval;
};
struct product_cost product_cost_of(const struct gpu_config *c, const struct inst *i);

// Adds the multiply-adds of a product to the counter of its type.
void product_count(struct gpu_counts *n, const struct inst *i);

// The first instruction of the program that needs a product lacking on the GPU; NULL: none.
const struct inst *product_missing(const struct gpu_config *c, const struct program *p);
