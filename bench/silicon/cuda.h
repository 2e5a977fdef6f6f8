// A card, through CUDA's driver API.
#pragma once
#include "bench/silicon/device.h"

// The first card; NULL and an error: there is none. Kernels are FOLDER/NAME.cubin.
struct device *cuda_open(const char *folder, struct diag *d);
void cuda_close(struct device *d);
// What a launch of nothing takes by the same events: a card's own time for it is part of every measured one.
bool cuda_nothing(struct device *d, struct device_time *time);
