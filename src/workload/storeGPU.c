// Host side of kernels/storeGPU.cu: at most as many windows as fit into a block's data.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 128, WORDS = 4096, WINDOW = 16 };

static uint32_t rotated(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

// MD5's step, as in RFC 1321.
static void digest(const uint32_t *sines, const uint32_t *window, uint32_t *out)
{
    static const uint32_t start[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    static const unsigned turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = start[0], b = start[1], c = start[2], d = start[3];
    for (unsigned i = 0; i < 64; i++) {
        const uint32_t mixed[] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
        const unsigned places[] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
        uint32_t sum = a + mixed[i / 16] + sines[i] + window[places[i / 16] % WINDOW];
        a = d;
        d = c;
        c = b;
        b += rotated(sum, turns[i / 16][i % 4]);
    }
    out[0] = start[0] + a;
    out[1] = start[1] + b;
    out[2] = start[2] + c;
    out[3] = start[3] + d;
}

void workload_run_storeGPU(struct host *h)
{
    static const struct {
        unsigned blocks;
        int rounds, step; // the last window of a block ends within the data
    } sizes[] = {{2, 3, 10}, {30, 15, 2}, {240, 15, 2}};
    const unsigned blocks = sizes[h->size].blocks;
    const int rounds = sizes[h->size].rounds, step = sizes[h->size].step, windows = rounds * THREADS;
    const size_t bytes = (size_t)blocks * WORDS * sizeof(uint32_t),
                 count = (size_t)blocks * (size_t)windows * 4;
    const uint32_t *data = host_random_u32(h, (size_t)blocks * WORDS, 0);
    uint32_t sines[64];
    for (int i = 0; i < 64; i++) sines[i] = (uint32_t)(4294967296.0 * fabs(sin(i + 1)));

    host_set_symbol(h, "sines", sines, sizeof sines);
    uint64_t device_data = host_upload(h, data, bytes), digests = host_alloc(h, count * sizeof(uint32_t));
    host_launch(h, "store_hash", DIM(blocks), DIM(THREADS), 0, ARG(digests), ARG(device_data), ARG(rounds),
                ARG(step));
    const uint32_t *got = host_output(h, digests, count * sizeof(uint32_t));

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (size_t i = 0; i < count / 4; i++) {
        size_t block = i / (size_t)windows, window = i % (size_t)windows;
        digest(sines, data + block * WORDS + window * (size_t)step, want + 4 * i);
    }
    host_compare_u32(h, "word of a digest", got, want, count);
}
