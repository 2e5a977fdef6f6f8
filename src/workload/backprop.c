// Host side of kernels/backprop.cu: forward on the device, the small second layer on the host, adjustment of
// the first layer's weights on the device. Unit 0 of a layer is its bias.
#include "workload/host.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, HIDDEN = 16, ROW = HIDDEN + 1 };

static const double RATE = 0.3, MOMENTUM = 0.3, TARGET = 0.1;

static double squash(double x) { return 1 / (1 + exp(-x)); }

// Computes the hidden units' errors from the units' sums; no error flows through the bias.
static void second_layer(const double sum[ROW], const float out_weight[ROW], double delta[ROW])
{
    double hidden[ROW], out = (double)out_weight[0];
    for (int j = 1; j < ROW; j++) {
        hidden[j] = squash(sum[j]);
        out += hidden[j] * (double)out_weight[j];
    }
    out = squash(out);
    double out_delta = out * (1 - out) * (TARGET - out);
    delta[0] = 0;
    for (int j = 1; j < ROW; j++) delta[j] = hidden[j] * (1 - hidden[j]) * out_delta * (double)out_weight[j];
}

void workload_run_backprop(struct host *h)
{
    static const int input_counts[] = {64, 32768, 327680, 65536, 9360}; // multiples of SIDE
    const int inputs = input_counts[h->size], hidden = HIDDEN;
    const unsigned blocks = (unsigned)inputs / SIDE;
    const size_t weight_count = (size_t)(inputs + 1) * ROW;
    const float reach = (float)(2 / sqrt(inputs)); // keeps the sums in the steep range of squash()

    float *input = host_random_f32(h, (size_t)inputs + 1, 0, 1);
    input[0] = 1;
    const float *weights = host_random_f32(h, weight_count, -reach, reach);
    const float *change = host_random_f32(h, weight_count, -0.01f, 0.01f);
    const float *out_weight = host_random_f32(h, ROW, -0.5f, 0.5f);

    uint64_t device_input = host_upload(h, input, ((size_t)inputs + 1) * sizeof(float));
    uint64_t device_weights = host_upload(h, weights, weight_count * sizeof(float));
    uint64_t device_change = host_upload(h, change, weight_count * sizeof(float));
    uint64_t partial_sums = host_alloc(h, blocks * HIDDEN * sizeof(float));
    host_launch(h, "backprop_forward", DIM(1, blocks), DIM(SIDE, SIDE), 0, ARG(device_input),
                ARG(device_weights), ARG(partial_sums), ARG(hidden));
    const float *partial = host_output(h, partial_sums, blocks * HIDDEN * sizeof(float));

    double sum[ROW], delta[ROW];
    float device_delta_values[ROW];
    for (int j = 1; j < ROW; j++) {
        sum[j] = (double)weights[j]; // the bias
        for (unsigned b = 0; b < blocks; b++) sum[j] += (double)partial[b * HIDDEN + (unsigned)j - 1];
    }
    second_layer(sum, out_weight, delta);
    for (int j = 0; j < ROW; j++) device_delta_values[j] = (float)delta[j];

    // The forward kernel overwrote the weights with products.
    host_write(h, device_weights, weights, weight_count * sizeof(float));
    uint64_t device_delta = host_upload(h, device_delta_values, sizeof device_delta_values);
    host_launch(h, "backprop_adjust", DIM(1, blocks), DIM(SIDE, SIDE), 0, ARG(device_delta), ARG(hidden),
                ARG(device_input), ARG(device_weights), ARG(device_change));
    const float *got_weights = host_output(h, device_weights, weight_count * sizeof(float));
    const float *got_change = host_output(h, device_change, weight_count * sizeof(float));

    // The reference is computed independently from the inputs.
    for (int j = 1; j < ROW; j++) {
        sum[j] = 0;
        for (int i = 0; i <= inputs; i++) sum[j] += (double)input[i] * (double)weights[i * ROW + j];
    }
    second_layer(sum, out_weight, delta);
    double *want_weights = HOST_ARRAY(h, double, weight_count),
           *want_change = HOST_ARRAY(h, double, weight_count);
    for (int i = 0; i <= inputs; i++)
        for (int j = 0; j < ROW; j++) {
            int at = i * ROW + j;
            want_weights[at] = (double)weights[at];
            want_change[at] = (double)change[at];
            if (j == 0) continue; // no weights lead to the bias
            double first = RATE * delta[j] * (double)input[i] + MOMENTUM * (double)change[at];
            // As published: first the weight moves, then its change is recorded.
            want_weights[at] += first;
            want_change[at] = first;
        }
    host_compare_f32(h, "weight", got_weights, want_weights, weight_count, 0.01);
    host_compare_f32(h, "change", got_change, want_change, weight_count, 0.01);
}
