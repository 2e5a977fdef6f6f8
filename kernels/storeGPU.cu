// Hashes of windows that slide over data, as stores that look for what they hold already want them (after Al-Kiswany et al. 2008): a block
// brings 16 KB into shared memory, all that an SM of then has, and each thread hashes windows of 64 bytes by the step of
// MD5 (Rivest, RFC 1321), which mixes four words in 64 rounds.
#include "device.h"

#define THREADS 128
#define WORDS   4096 // of a block's data
#define WINDOW  16

__constant__ unsigned sines[64]; // the integer part of 2^32·|sin(i + 1)|

__device__ __forceinline__ unsigned rotated(unsigned x, int by) { return x << by | x >> (32 - by); }

// 16 rounds of one kind.
template <int KIND> __device__ __forceinline__ void mix(unsigned *s, const unsigned *window)
{
    const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    const int stride[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
#pragma unroll
    for (int i = 0; i < 16; i++) {
        unsigned b = s[1], c = s[2], d = s[3];
        unsigned f = KIND == 0 ? (b & c) | (~b & d) : KIND == 1 ? (b & d) | (c & ~d) : KIND == 2 ? b ^ c ^ d : c ^ (b | ~d);
        unsigned sum = s[0] + f + sines[16 * KIND + i] + window[(first[KIND] + i * stride[KIND]) % WINDOW];
        s[0] = d;
        s[3] = c;
        s[2] = b;
        s[1] = b + rotated(sum, turns[KIND][i % 4]);
    }
}

// digests: four words a window; `rounds` windows a thread, which begin `step` words apart.
KERNEL void store_hash(uint4 *digests, const unsigned *data, int rounds, int step)
{
    __shared__ unsigned words[WORDS];
    const int tid = threadIdx.x;
    for (int i = tid; i < WORDS; i += THREADS) words[i] = data[blockIdx.x * WORDS + i];
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        int window = round * THREADS + tid;
        const unsigned *at = words + window * step;
        const unsigned start[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
        unsigned s[4] = {start[0], start[1], start[2], start[3]};
        mix<0>(s, at);
        mix<1>(s, at);
        mix<2>(s, at);
        mix<3>(s, at);
        digests[blockIdx.x * rounds * THREADS + window] =
            make_uint4(s[0] + start[0], s[1] + start[1], s[2] + start[2], s[3] + start[3]);
    }
}
