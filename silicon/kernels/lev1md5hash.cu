// The key with a given MD5 digest (Rivest, RFC 1321), by trying all keys of seven bytes below a bound: a thread takes
// those that differ in the first byte. The message is one block, of which a key fills two words.
#include "device.h"

#define KEY_BYTES 7

__device__ __forceinline__ unsigned rotate(unsigned x, int by) { return x << by | x >> (32 - by); }

// One step of a round: `mixed` is the round's function of b, c and d.
__device__ __forceinline__ void step(unsigned &a, unsigned b, unsigned mixed, unsigned word, unsigned constant, int by)
{
    a = b + rotate(a + mixed + word + constant, by);
}

__device__ __forceinline__ unsigned choose(unsigned b, unsigned c, unsigned d) { return (b & c) | (~b & d); }
__device__ __forceinline__ unsigned parity(unsigned b, unsigned c, unsigned d) { return b ^ c ^ d; }
__device__ __forceinline__ unsigned either(unsigned b, unsigned c, unsigned d) { return c ^ (b | ~d); }

#define CHOOSE(a, b, c, d, word, constant, by) step(a, b, choose(b, c, d), word, constant, by)
#define SELECT(a, b, c, d, word, constant, by) step(a, b, choose(d, b, c), word, constant, by)
#define PARITY(a, b, c, d, word, constant, by) step(a, b, parity(b, c, d), word, constant, by)
#define EITHER(a, b, c, d, word, constant, by) step(a, b, either(b, c, d), word, constant, by)

// Four steps at a time; k counts on by `stride` words of the message.
#define FOUR(STEP, k, stride, t0, t1, t2, t3, by0, by1, by2, by3) \
    STEP(a, b, c, d, word[(k) % 16], t0, by0);                    \
    STEP(d, a, b, c, word[((k) + (stride)) % 16], t1, by1);       \
    STEP(c, d, a, b, word[((k) + 2 * (stride)) % 16], t2, by2);   \
    STEP(b, c, d, a, word[((k) + 3 * (stride)) % 16], t3, by3)

__device__ __forceinline__ uint4 md5_of_key(unsigned low, unsigned high)
{
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    unsigned word[16] = {low, high | 0x80u << 8 * (KEY_BYTES - 4)};
    word[14] = 8 * KEY_BYTES;

    FOUR(CHOOSE, 0, 1, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 7, 12, 17, 22);
    FOUR(CHOOSE, 4, 1, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 7, 12, 17, 22);
    FOUR(CHOOSE, 8, 1, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 7, 12, 17, 22);
    FOUR(CHOOSE, 12, 1, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 7, 12, 17, 22);

    FOUR(SELECT, 1, 5, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 5, 9, 14, 20);
    FOUR(SELECT, 5, 5, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 5, 9, 14, 20);
    FOUR(SELECT, 9, 5, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 5, 9, 14, 20);
    FOUR(SELECT, 13, 5, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 5, 9, 14, 20);

    FOUR(PARITY, 5, 3, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 4, 11, 16, 23);
    FOUR(PARITY, 1, 3, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 4, 11, 16, 23);
    FOUR(PARITY, 13, 3, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 4, 11, 16, 23);
    FOUR(PARITY, 9, 3, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 4, 11, 16, 23);

    FOUR(EITHER, 0, 7, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 6, 10, 15, 21);
    FOUR(EITHER, 12, 7, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 6, 10, 15, 21);
    FOUR(EITHER, 8, 7, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 6, 10, 15, 21);
    FOUR(EITHER, 4, 7, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391, 6, 10, 15, 21);

    return make_uint4(0x67452301 + a, 0xefcdab89 + b, 0x98badcfe + c, 0x10325476 + d);
}

// found: the key's number, -1 where there is none; then the key's bytes, two words.
KERNEL void find_key(unsigned digest0, unsigned digest1, unsigned digest2, unsigned digest3, int keys, int bound,
                     int *found, unsigned *key)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * bound;
    if (first >= keys) return;

    // Bytes 1 to 6 of the thread's keys: its number to the base `bound`.
    unsigned low = 0, high = 0;
    int rest = first / bound;
    for (int byte = 1; byte < KEY_BYTES; byte++, rest /= bound) {
        if (byte < 4) low |= (unsigned)(rest % bound) << 8 * byte;
        else high |= (unsigned)(rest % bound) << 8 * (byte - 4);
    }
#pragma unroll 1
    for (int i = 0; i < bound; i++, low++) {
        uint4 digest = md5_of_key(low, high);
        if (digest.x == digest0 && digest.y == digest1 && digest.z == digest2 && digest.w == digest3) {
            *found = first + i;
            key[0] = low;
            key[1] = high;
        }
    }
}
