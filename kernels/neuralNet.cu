// Recognition of handwritten digits by the convolutional network of Simard, Steinkraus and Platt (2003), a launch a layer:
//
//      29x29 pixels ─5x5─▶ 6 maps of 13x13 ─5x5─▶ 50 maps of 5x5 ──▶ 100 neurons ──▶ 10 neurons
//
// A thread has a neuron and reads its inputs and weights one by one; blocks of a column have a picture. No shared memory.
#include "device.h"

#define THREADS 256
#define WINDOW  5

__device__ __forceinline__ float activation(float x) { return 1.7159f * tanhf(0.66666667f * x); }

// Windows of WINDOW² neurons of every map before, two apart. weights: of a map its bias, then those of each map before.
KERNEL void neural_maps(float *out, const float *in, const float *weights, int in_maps, int in_side, int maps,
                        int side)
{
    const int neuron = blockIdx.x * THREADS + threadIdx.x, map = neuron / (side * side);
    const int x = neuron % side, y = neuron / side % side;
    if (map >= maps) return;
    const float *weight = weights + map * (1 + in_maps * WINDOW * WINDOW);
    const float *window = in + blockIdx.y * in_maps * in_side * in_side + 2 * y * in_side + 2 * x;
    float sum = *weight++;
    for (int before = 0; before < in_maps; before++) {
#pragma unroll
        for (int i = 0; i < WINDOW * WINDOW; i++)
            sum += window[i / WINDOW * in_side + i % WINDOW] * weight[i];
        weight += WINDOW * WINDOW;
        window += in_side * in_side;
    }
    out[blockIdx.y * maps * side * side + neuron] = activation(sum);
}

// Every neuron before. weights: biases, then a row for each neuron before.
KERNEL void neural_full(float *out, const float *in, const float *weights, int inputs, int outputs)
{
    const int neuron = blockIdx.x * THREADS + threadIdx.x;
    if (neuron >= outputs) return;
    float sum = weights[neuron];
    for (int i = 0; i < inputs; i++) sum += in[blockIdx.y * inputs + i] * weights[(i + 1) * outputs + neuron];
    out[blockIdx.y * outputs + neuron] = activation(sum);
}
