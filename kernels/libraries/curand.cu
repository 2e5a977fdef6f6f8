// Kernels of warpfold's cuRAND (src/cumath/rand): 32-bit words of a generator, then a distribution over the words in place.
//
// XORWOW and MRG32k3a are many streams, a thread each. Word groups of `size` words go round the streams: group i is the
// next `size` words of stream i mod streams. Groups stand one behind the other in the output.
#include <cstdint>

__device__ int64_t thread_index() { return blockIdx.x * int64_t(blockDim.x) + threadIdx.x; }

// Groups [first, first + count) of a generator's rounds, a word every `stride` words of the output.
struct request {
    uint32_t *out;
    int64_t first, count;
    int streams, size, stride;
};

template <typename G> __device__ void generate(const request &q, typename G::state *states)
{
    int64_t i = thread_index();
    if (i >= q.count || i >= q.streams) return;
    typename G::state *state = states + (q.first + i) % q.streams, s = *state;
    for (; i < q.count; i += q.streams)
        for (int w = 0; w < q.size; w++) q.out[(i * q.size + w) * q.stride] = G::next(s);
    *state = s;
}

// Marsaglia, Xorshift RNGs, 2003.
struct xorwow {
    struct state {
        uint32_t v[5], d;
    };
    static __device__ uint32_t next(state &s)
    {
        uint32_t t = s.v[0] ^ s.v[0] >> 2;
        for (int i = 0; i < 4; i++) s.v[i] = s.v[i + 1];
        s.v[4] = s.v[4] ^ s.v[4] << 4 ^ t ^ t << 1;
        s.d += 362437;
        return s.v[4] + s.d;
    }
};

// L'Ecuyer, Good parameters for combined multiple recursive random number generators, 1999. Words are 1 to m1.
struct mrg32k3a {
    struct state {
        uint32_t a[3], b[3];
    };
    static __device__ uint32_t modulo(int64_t x, int64_t m)
    {
        x %= m;
        return uint32_t(x < 0 ? x + m : x);
    }
    static __device__ uint32_t next(state &s)
    {
        const int64_t m1 = 4294967087, m2 = 4294944443;
        uint32_t a = modulo(1403580 * int64_t(s.a[1]) - 810728 * int64_t(s.a[0]), m1),
                 b = modulo(527612 * int64_t(s.b[2]) - 1370589 * int64_t(s.b[0]), m2);
        for (int i = 0; i < 2; i++) {
            s.a[i] = s.a[i + 1];
            s.b[i] = s.b[i + 1];
        }
        s.a[2] = a;
        s.b[2] = b;
        return a > b ? a - b : uint32_t(a + m1 - b);
    }
};

extern "C" __global__ void words_xorwow(request q, xorwow::state *states) { generate<xorwow>(q, states); }
extern "C" __global__ void words_mrg32k3a(request q, mrg32k3a::state *states) { generate<mrg32k3a>(q, states); }

// Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011: ten rounds, four words a counter. Words [first, first + count)
// of the output, whose quads go round 65,536 sequences: quad q is counter q / 65,536 of sequence q mod 65,536. is_wide:
// quads go round in pairs, for doubles.
extern "C" __global__ void words_philox(uint32_t *out, int64_t first, int64_t count, uint64_t seed, int is_wide)
{
    enum { SEQUENCES = 65536 };
    int64_t quad = first / 4 + thread_index(), turn = is_wide ? quad / 2 : quad;
    uint64_t counter = turn / SEQUENCES;
    if (quad * 4 >= first + count) return;
    if (is_wide) counter = 2 * counter + quad % 2;
    uint32_t c[4] = {uint32_t(counter), uint32_t(counter >> 32), uint32_t(turn % SEQUENCES), 0}, k0 = uint32_t(seed),
             k1 = uint32_t(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p = uint64_t(0xd2511f53) * c[0], r = uint64_t(0xcd9e8d57) * c[2];
        uint32_t x = uint32_t(r >> 32) ^ c[1] ^ k0, z = uint32_t(p >> 32) ^ c[3] ^ k1;
        c[0] = x;
        c[1] = uint32_t(r);
        c[2] = z;
        c[3] = uint32_t(p);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    for (int w = 0; w < 4; w++) {
        int64_t i = quad * 4 + w - first;
        if (i >= 0 && i < count) out[i] = c[w];
    }
}

// Matsumoto and Nishimura, Mersenne twister, 1998: one block; 624 words of state and the number of words used of them.
extern "C" __global__ void words_mt19937(uint32_t *out, int64_t count, int stride, uint32_t *state)
{
    enum { N = 624, M = 397 };
    __shared__ uint32_t s[N];
    int t = threadIdx.x, used = int(state[N]);
    for (int i = t; i < N; i += blockDim.x) s[i] = state[i];
    __syncthreads();
    for (int64_t done = 0; done < count;) {
        if (used == N) {
            // Words that need the new state's: [0, N - M), then [N - M, 2 (N - M)), then the rest.
            for (int from = 0; from < N; from += N - M) {
                int i = from + t;
                uint32_t next = 0;
                bool is_mine = t < N - M && i < N;
                if (is_mine) {
                    uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
                    next = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
                }
                __syncthreads();
                if (is_mine) s[i] = next;
                __syncthreads();
            }
            used = 0;
        }
        int take = int(min(int64_t(N - used), count - done));
        for (int i = t; i < take; i += blockDim.x) {
            uint32_t y = s[used + i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            out[(done + i) * stride] = y ^ y >> 18;
        }
        used += take;
        done += take;
        __syncthreads();
    }
    for (int i = t; i < N; i += blockDim.x) state[i] = s[i];
    if (!t) state[N] = used;
}

// -- distributions ------------------------------------------------------------------------------------------

// Uniform in (0, 1]. `unit`: what a word is multiplied by, `half`: what is added; words of MRG32k3a begin at 1, are
// multiplied in double precision, and get nothing added.
struct scale {
    double unit, half;
};

__device__ float uniform(uint32_t word, const scale &s)
{
    return s.half == 0 ? float(word * s.unit) : float(word) * float(s.unit) + float(s.half);
}

__device__ double uniform_double(uint32_t low, uint32_t high)
{
    return double(uint64_t(low) ^ uint64_t(high) << 21) * 0x1p-53 + 0x1p-54;
}

struct moments {
    double mean, deviation;
    int is_log;
};

template <typename F> __device__ F normal(F z, const moments &m)
{
    F x = F(m.mean) + F(m.deviation) * z;
    return m.is_log ? exp(x) : x;
}

extern "C" __global__ void to_float(float *out, int64_t n, scale s)
{
    int64_t i = thread_index();
    if (i < n) out[i] = uniform(__float_as_uint(out[i]), s);
}

// Two words a double; MRG32k3a and MT19937: one.
extern "C" __global__ void to_double(double *out, int64_t n, scale s, int is_single)
{
    int64_t i = thread_index();
    if (i >= n) return;
    const uint32_t *words = reinterpret_cast<const uint32_t *>(out + i);
    out[i] = is_single ? words[0] * s.unit + s.half : uniform_double(words[0], words[1]);
}

// Box and Muller, 1958: a pair a thread. is_inverse (MT19937): the inverse of the normal distribution, a word a number.
extern "C" __global__ void to_normal(float *out, int64_t pairs, scale s, int is_inverse, moments m)
{
    int64_t i = 2 * thread_index();
    if (i >= 2 * pairs) return;
    float u = uniform(__float_as_uint(out[i]), s), v = uniform(__float_as_uint(out[i + 1]), s), a, b;
    if (is_inverse) {
        a = normcdfinvf(u);
        b = normcdfinvf(v);
    } else {
        float size = sqrtf(-2 * logf(u));
        sincosf(v * 6.2831855f, &a, &b);
        a *= size;
        b *= size;
    }
    out[i] = normal(a, m);
    out[i + 1] = normal(b, m);
}

extern "C" __global__ void to_normal_double(double *out, int64_t pairs, scale s, int is_single, int is_inverse, moments m)
{
    int64_t i = 2 * thread_index();
    if (i >= 2 * pairs) return;
    const uint32_t *w = reinterpret_cast<const uint32_t *>(out + i);
    double u = is_single ? w[0] * s.unit + s.half : uniform_double(w[0], w[1]),
           v = is_single ? w[2] * s.unit + s.half : uniform_double(w[2], w[3]), a, b;
    if (is_inverse) {
        a = normcdfinv(u);
        b = normcdfinv(v);
    } else {
        double size = sqrt(-2 * log(u));
        sincospi(2 * v, &a, &b);
        a *= size;
        b *= size;
    }
    out[i] = normal(a, m);
    out[i + 1] = normal(b, m);
}

// The first k whose cumulative probability reaches the word's share; sums[k - first] of a Poisson distribution.
extern "C" __global__ void to_poisson(uint32_t *out, int64_t n, scale s, const double *sums, int count, uint32_t first)
{
    int64_t i = thread_index();
    if (i >= n) return;
    double u = out[i] * s.unit + s.half;
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sums[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = first + uint32_t(low);
}

// Words of MRG32k3a over all 32 bits.
extern "C" __global__ void to_bits(uint32_t *out, int64_t n, double factor)
{
    int64_t i = thread_index();
    if (i < n) out[i] = uint32_t(out[i] * factor);
}
