// One training step of a two-layer perceptron with many inputs and 16 hidden units; both kernels work on the
// weights between them, 16 inputs and 16 hidden units a block. Unit 0 of either layer is the bias, so a row
// of weights has hidden + 1 entries and everything here starts at 1.
#include "device.h"

#define SIDE     16
#define ETA      0.3 // learning rate, momentum: double, as in the published code, and so is what they multiply
#define MOMENTUM 0.3

// Products input · weight, and their sums over the block's 16 inputs (the host adds up the blocks). The
// products take the weights' place.
KERNEL void backprop_forward(const float *input, float *weights, float *partial_sums, int hidden)
{
    __shared__ float input_node[SIDE];
    __shared__ float product[SIDE][SIDE];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int weight = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;
    int unit = SIDE * by + ty + 1;

    if (tx == 0) input_node[ty] = input[unit];
    __syncthreads();
    product[ty][tx] = weights[weight];
    __syncthreads();
    product[ty][tx] = product[ty][tx] * input_node[ty];
    __syncthreads();

    for (int width = 2; width <= SIDE; width *= 2) {
        if (ty % width == 0) product[ty][tx] = product[ty][tx] + product[ty + width / 2][tx];
        __syncthreads();
    }
    weights[weight] = product[ty][tx];
    __syncthreads();
    if (tx == 0) partial_sums[by * hidden + ty] = product[0][ty];
}

// weight += eta · delta · input + momentum · the last change.
KERNEL void backprop_adjust(const float *delta, int hidden, const float *input, float *weights, float *change)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int weight = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;
    int unit = SIDE * by + ty + 1, to = tx + 1;

    weights[weight] += (ETA * delta[to] * input[unit]) + (MOMENTUM * change[weight]);
    change[weight] = (ETA * delta[to] * input[unit]) + (MOMENTUM * change[weight]);
    __syncthreads();

    if (ty == 0 && by == 0) { // the bias: its input is 1
        weights[to] += (ETA * delta[to]) + (MOMENTUM * change[to]);
        change[to] = (ETA * delta[to]) + (MOMENTUM * change[to]);
    }
}
