// A training step of a perceptron with 16 hidden units (Rumelhart, Hinton, Williams 1986; Rodinia: backprop):
// 16 inputs and all hidden units a block. Unit 0 of either layer is the bias, so weights have rows of hidden
// + 1 and all begins at 1.
#include "device.h"

#define SIDE     16
#define ETA      0.3 // learning rate and momentum: in double precision, which the card's counter of doubles shows
#define MOMENTUM 0.3

// Products of weights and inputs and their sums over the block's inputs. The levels of the tree are counted
// by a logarithm and their strides are powers of `base`, 2, in floating point: 26 single-precision operations
// a thread on the card. 6.75 shared loads a warp say that a weight is multiplied as it was loaded.
KERNEL void forward(const float *input, float *weights, float *partial_sums, int hidden, float base)
{
    __shared__ float node[SIDE];
    __shared__ float product[SIDE][SIDE];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int weight = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;

    if (tx == 0) node[ty] = input[SIDE * by + ty + 1];
    __syncthreads();
    float value = weights[weight];
    product[ty][tx] = value;
    __syncthreads();
    product[ty][tx] = value * node[ty];
    __syncthreads();

    for (int level = 1; level <= __log2f((float)hidden); level++) {
        int stride = __powf(base, level);
        if (ty % stride == 0) product[ty][tx] = product[ty][tx] + product[ty + stride / 2][tx];
        __syncthreads();
    }
    weights[weight] = product[ty][tx];
    __syncthreads();
    if (tx == 0) partial_sums[by * hidden + ty] = product[tx][ty];
}

// weight += eta · delta · input + momentum · the last change.
KERNEL void adjust(const float *delta, int hidden, const float *input, float *weights, float *change)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int weight = (hidden + 1) * (SIDE * by + ty + 1) + tx + 1;
    int unit = SIDE * by + ty + 1, to = tx + 1;

    weights[weight] += ETA * delta[to] * input[unit] + MOMENTUM * change[weight];
    change[weight] = ETA * delta[to] * input[unit] + MOMENTUM * change[weight];
    __syncthreads();

    if (ty == 0 && by == 0) { // the bias: its input is 1
        weights[to] += ETA * delta[to] + MOMENTUM * change[to];
        change[to] = ETA * delta[to] + MOMENTUM * change[to];
    }
}
