// Host side of kernels/neuralNet.cu. Weights are random, scaled to keep neurons between their extremes.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 256, WINDOW = 5, LAYERS = 4 };

// A layer of `maps` maps of side x side neurons, connected to windows of the previous layer or to all its
// neurons.
struct layer {
    int in_maps, in_side, maps, side, window;
};

static int inputs_of(const struct layer *l) { return l->in_maps * l->window * l->window; }
static int neurons(const struct layer *l) { return l->maps * l->side * l->side; }
static bool is_full(const struct layer *l) { return l->side == 1; }

// The weight of a map's i-th input; number 0 is the bias.
static double weight_of(const struct layer *l, const float *weights, int map, int i)
{
    return (double)weights[is_full(l) ? i * l->maps + map : map * (1 + inputs_of(l)) + i];
}

static void forward(const struct layer *l, const float *weights, const double *in, double *out)
{
    const int side = l->side, per_window = l->window * l->window;
    for (int n = 0; n < neurons(l); n++) {
        int map = n / (side * side), corner = n / side % side * 2 * l->in_side + n % side * 2;
        double sum = weight_of(l, weights, map, 0);
        for (int i = 0; i < inputs_of(l); i++) {
            int in_window = i % per_window;
            int at = i / per_window * l->in_side * l->in_side + in_window / l->window * l->in_side +
                     in_window % l->window;
            sum += in[corner + at] * weight_of(l, weights, map, i + 1);
        }
        out[n] = 1.7159 * tanh(sum * 2 / 3);
    }
}

static void launch(struct host *h, const struct layer *l, uint64_t out, uint64_t in, uint64_t weights,
                   unsigned pictures)
{
    const int inputs = inputs_of(l), outputs = neurons(l);
    const struct host_dim grid = DIM(host_blocks((size_t)outputs, THREADS), pictures);
    if (is_full(l))
        host_launch(h, "neural_full", grid, DIM(THREADS), 0, ARG(out), ARG(in), ARG(weights), ARG(inputs),
                    ARG(outputs));
    else
        host_launch(h, "neural_maps", grid, DIM(THREADS), 0, ARG(out), ARG(in), ARG(weights), ARG(l->in_maps),
                    ARG(l->in_side), ARG(l->maps), ARG(l->side));
}

void workload_run_neuralNet(struct host *h)
{
    static const struct {
        unsigned pictures;
        int maps[2], neurons; // of the inner layers
    } sizes[] = {{1, {2, 8}, 20}, {8, {6, 50}, 100}, {28, {6, 50}, 100}};
    const unsigned pictures = sizes[h->size].pictures;
    const int *maps = sizes[h->size].maps, inner = sizes[h->size].neurons;
    const struct layer layers[LAYERS] = {{1, 29, maps[0], 13, WINDOW},
                                         {maps[0], 13, maps[1], 5, WINDOW},
                                         {maps[1], 5, inner, 1, 5},
                                         {inner, 1, 10, 1, 1}};
    const size_t pixels = pictures * 29 * 29;
    const float *image = host_random_f32(h, pixels, -1, 1);
    double *before = HOST_ARRAY(h, double, pixels);
    for (size_t i = 0; i < pixels; i++) before[i] = (double)image[i];

    uint64_t in = host_upload(h, image, pixels * sizeof(float));
    for (int k = 0; k < LAYERS && !h->failed; k++) {
        const struct layer *l = &layers[k];
        const size_t count = pictures * (size_t)neurons(l);
        const size_t in_count = (size_t)(l->in_maps * l->in_side * l->in_side);
        const size_t weight_count = (size_t)(l->maps * (1 + inputs_of(l)));
        const float most = 1 / sqrtf((float)inputs_of(l));
        const float *weights = host_random_f32(h, weight_count, -most, most);

        uint64_t device_weights = host_upload(h, weights, weight_count * sizeof(float));
        uint64_t out = host_alloc(h, count * sizeof(float));
        launch(h, l, out, in, device_weights, pictures);
        const float *got = host_output(h, out, count * sizeof(float));
        double *want = HOST_ARRAY(h, double, count);
        for (unsigned p = 0; p < pictures; p++)
            forward(l, weights, before + p * in_count, want + p * (size_t)neurons(l));
        host_compare_f32(h, "neuron", got, want, count, 1);
        in = out;
        before = want;
    }
}
