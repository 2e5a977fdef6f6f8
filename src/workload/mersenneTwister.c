// Host side of kernels/mersenneTwister.cu. The twisters' parameters are random bits. The recurrence works
// with any parameters; the periods are unknown.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 128, WORDS = 19, MIDDLE = 9 };

struct twister { // as in the kernel's source
    uint32_t matrix, mask_b, mask_c, seed;
};

// Generates numbers 0 to each - 1 of one twister, from a list of all state words so far (`words`). Number i
// goes to out[i * step].
static void generate(const struct twister *t, uint32_t *words, float *out, int each, int step)
{
    words[0] = t->seed;
    for (int i = 1; i < WORDS; i++)
        words[i] = 1812433253u * (words[i - 1] ^ (words[i - 1] >> 30)) + (uint32_t)i;
    for (int i = 0; i < each; i++) {
        uint32_t joined = (words[i] & 0xfffffffeu) | (words[i + 1] & 1), x;
        x = words[i + WORDS] = words[i + MIDDLE] ^ joined / 2 ^ (joined % 2) * t->matrix;
        x ^= x >> 12;
        x ^= (x << 7) & t->mask_b;
        x ^= (x << 15) & t->mask_c;
        x ^= x >> 18;
        out[i * step] = ((float)x + 1) / 4294967296.0f;
    }
}

void workload_run_mersenneTwister(struct host *h)
{
    static const struct {
        unsigned blocks;
        int each; // numbers of a thread; even
    } sizes[] = {{2, 20}, {32, 100}, {32, 1000}, {32, 11720}};
    const unsigned blocks = sizes[h->size].blocks;
    const int each = sizes[h->size].each, pairs = each / 2, threads = (int)blocks * THREADS;
    const size_t count = (size_t)threads * (size_t)each, bytes = count * sizeof(float);

    struct twister *twisters = HOST_ARRAY(h, struct twister, threads);
    const uint32_t *bits = host_random_u32(h, 4 * (size_t)threads, 0);
    for (int i = 0; i < threads; i++, bits += 4)
        twisters[i] = (struct twister){bits[0] | 1u << 31, bits[1], bits[2], bits[3]};

    uint64_t numbers = host_alloc(h, bytes);
    uint64_t parameters = host_upload(h, twisters, (size_t)threads * sizeof(struct twister));
    host_launch(h, "twister_generate", DIM(blocks), DIM(THREADS), 0, ARG(numbers), ARG(parameters),
                ARG(each));
    const float *got_uniform = host_output(h, numbers, bytes);
    host_launch(h, "twister_normal", DIM(blocks), DIM(THREADS), 0, ARG(numbers), ARG(pairs));
    const float *got = host_output(h, numbers, bytes);
    if (h->failed) return;

    float *uniform = HOST_ARRAY(h, float, count);
    uint32_t *words = HOST_ARRAY(h, uint32_t, each + WORDS);
    for (int i = 0; i < threads; i++) generate(&twisters[i], words, uniform + i, each, threads);

    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)uniform[i];
    host_compare_f32(h, "uniform", got_uniform, want, count, 1);
    for (int k = 0; k < pairs; k++)
        for (int i = 0; i < threads; i++) {
            size_t first = 2 * (size_t)k * (size_t)threads + (size_t)i, second = first + (size_t)threads;
            double radius = sqrt(-2 * log((double)uniform[first]));
            double angle = 2 * acos(-1) * (double)uniform[second];
            want[first] = radius * cos(angle);
            want[second] = radius * sin(angle);
        }
    host_compare_f32(h, "normal", got, want, count, 1);
}
