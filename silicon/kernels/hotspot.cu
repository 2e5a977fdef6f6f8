// Temperature of a chip from the power its cells take (Skadron et al. 2003; Rodinia: hotspot): explicit steps
// of the heat equation. A block holds 16 x 16 cells, of which each step leaves one rim fewer that is right,
// so blocks overlap by 2 · steps cells. The doubled temperature is in double precision: seven such operations
// a cell and step on the card.
#include "device.h"

#define SIDE    16
#define AMBIENT 80.0f

__device__ __forceinline__ bool within(int value, int low, int high) { return value >= low && value <= high; }

KERNEL void heat(int steps, const float *power, const float *in, float *out, int cols, int rows,
                 float capacitance, float rx, float ry, float rz, float time_step)
{
    __shared__ float temperature[SIDE][SIDE], watts[SIDE][SIDE], next[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    float step_over_capacitance = time_step / capacitance;
    float rx_inverse = 1 / rx, ry_inverse = 1 / ry, rz_inverse = 1 / rz;

    int top = (SIDE - 2 * steps) * (int)blockIdx.y - steps,
        left = (SIDE - 2 * steps) * (int)blockIdx.x - steps;
    int y = top + ty, x = left + tx, at = cols * y + x;
    if (within(y, 0, rows - 1) && within(x, 0, cols - 1)) {
        temperature[ty][tx] = in[at];
        watts[ty][tx] = power[at];
    }
    __syncthreads();

    // The part of the block that lies on the chip; past its edge the cell itself stands for its neighbour.
    int y_low = max(0, -top), y_high = min(SIDE - 1, rows - 1 - top);
    int x_low = max(0, -left), x_high = min(SIDE - 1, cols - 1 - left);
    int north = max(ty - 1, y_low), south = min(ty + 1, y_high);
    int west = max(tx - 1, x_low), east = min(tx + 1, x_high);

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (within(tx, i + 1, SIDE - i - 2) && within(ty, i + 1, SIDE - i - 2) && within(tx, x_low, x_high) &&
            within(ty, y_low, y_high)) {
            computed = true;
            float here = temperature[ty][tx];
            next[ty][tx] =
                here + step_over_capacitance *
                           (watts[ty][tx] +
                            (temperature[south][tx] + temperature[north][tx] - 2.0 * here) * ry_inverse +
                            (temperature[ty][east] + temperature[ty][west] - 2.0 * here) * rx_inverse +
                            (AMBIENT - here) * rz_inverse);
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) temperature[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) out[at] = next[ty][tx];
}
