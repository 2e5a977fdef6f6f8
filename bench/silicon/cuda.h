// A card, through CUDA's driver API.
#pragma once
#include "bench/silicon/device.h"

// The first card; NULL and an error: no card. Kernels are FOLDER/NAME.cubin. timed: launches are timed, with kernels of the
// clock about each; otherwise a launch runs alone and its time is 0.
struct device *cuda_open(const char *folder, bool timed, struct diag *d);
void cuda_close(struct device *d);
// What a launch of nothing takes by the same events: a card's own time for it is part of every measured one.
bool cuda_nothing(struct device *d, struct device_time *time);
