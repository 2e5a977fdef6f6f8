// Distances of places on the earth to one (Rodinia: nn), as if it were flat. A thread a place.
#include "device.h"

struct place {
    float latitude, longitude;
};

KERNEL void distances(const struct place *places, float *out, int count, float latitude, float longitude)
{
    int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;

    if (i < count) {
        float dy = latitude - places[i].latitude, dx = longitude - places[i].longitude;
        out[i] = sqrtf(dy * dy + dx * dx);
    }
}
