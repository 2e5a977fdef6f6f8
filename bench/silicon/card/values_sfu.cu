// Approximations of a card: MUFU through PTX .approx, and divisions, by sweeps of a binade and by all exponents.
//
// A sweep: input first + i * step as bits of a float, i below the count. File: a signed byte an input, the outputs'
// distance in units in the last place from the correctly rounded result (computed in f64 by the card, rounded once;
// clamped to +-127). "raw" files hold outputs, 32 bits. The set "all exponents" has 64 inputs an exponent and sign:
// bits i / 64 << 23 | fraction, fraction 0, 1, 0x7fffff, 0x400000, 0x3fffff for i % 64 < 5, else finalise(i) & 0x7fffff.
#include "values.cuh"

#define UNARY(NAME, TEXT)                                                                                    \
    struct NAME {                                                                                            \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ float of(float x)                                                                  \
        {                                                                                                    \
            float y;                                                                                         \
            asm volatile(TEXT " %0,%1;" : "=f"(y) : "f"(x));                                                 \
            return y;                                                                                        \
        }                                                                                                    \
    };
UNARY(rcp_ftz, "rcp.approx.ftz.f32")
UNARY(rcp, "rcp.approx.f32")
UNARY(rsqrt_ftz, "rsqrt.approx.ftz.f32")
UNARY(rsqrt_kept, "rsqrt.approx.f32")
UNARY(sqrt_ftz, "sqrt.approx.ftz.f32")
UNARY(sqrt_kept, "sqrt.approx.f32")
UNARY(ex2_ftz, "ex2.approx.ftz.f32")
UNARY(ex2_kept, "ex2.approx.f32")
UNARY(lg2_ftz, "lg2.approx.ftz.f32")
UNARY(lg2_kept, "lg2.approx.f32")
UNARY(sin_ftz, "sin.approx.ftz.f32")
UNARY(sin_kept, "sin.approx.f32")
UNARY(cos_ftz, "cos.approx.ftz.f32")
UNARY(cos_kept, "cos.approx.f32")
UNARY(tanh_kept, "tanh.approx.f32")

#define EXACT(NAME, EXPRESSION)                                                                              \
    struct NAME {                                                                                            \
        static __device__ double of(double x) { return EXPRESSION; }                                         \
    };
EXACT(exact_rcp, 1.0 / x)
EXACT(exact_rsqrt, 1.0 / sqrt(x))
EXACT(exact_sqrt, sqrt(x))
EXACT(exact_ex2, exp2(x))
EXACT(exact_lg2, log2(x))
EXACT(exact_sin, sin(x))
EXACT(exact_cos, cos(x))

// The bits of a float as a whole number that grows with the value.
__device__ __forceinline__ int64_t ordered(float x)
{
    int32_t bits = __float_as_int(x);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

__device__ __forceinline__ int8_t clamped(int64_t x) { return (int8_t)(x < -127 ? -127 : x > 127 ? 127 : x); }

template <typename F, typename Exact>
__global__ void sweep(uint32_t first, uint32_t step, uint32_t count, int8_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float x = __uint_as_float(first + i * step);
    out[i] = clamped(ordered(F::of(x)) - ordered((float)Exact::of((double)x)));
}

template <typename F> __global__ void raw_sweep(uint32_t first, uint32_t step, uint32_t count, uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = __float_as_uint(F::of(__uint_as_float(first + i * step)));
}

__host__ __device__ inline uint32_t stratified(uint32_t i)
{
    const uint32_t edges[5] = {0, 1, 0x7fffff, 0x400000, 0x3fffff};
    uint64_t z = i;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return i / 64 << 23 | (i % 64 < 5 ? edges[i % 64] : (uint32_t)z & 0x7fffff);
}

template <typename F> __global__ void all_exponents(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __float_as_uint(F::of(__uint_as_float(stratified(i))));
}

static std::string hexadecimal(uint32_t x)
{
    char text[16];
    std::snprintf(text, sizeof text, "%08x", x);
    return text;
}

static std::string swept(const char *name, uint32_t first, uint32_t step)
{
    return std::string(name) + " from " + hexadecimal(first) + " step " + std::to_string(step);
}

template <typename F, typename Exact> void run_sweep(uint32_t first, uint32_t step)
{
    uint32_t count = (1u << 23) / step;
    int8_t *out = (int8_t *)poisoned(count / 4);
    sweep<F, Exact><<<(count + 255) / 256, 256>>>(first, step, count, out);
    CARD_WAIT();
    write_values(swept(F::name, first, step), from_card(out, count).data(), count, count);
    CARD_TRY(cudaFree(out));
}

template <typename F> void run_raw(uint32_t first, uint32_t step, uint32_t inputs = 1u << 23)
{
    uint32_t count = inputs / step, *out = poisoned(count);
    raw_sweep<F><<<(count + 255) / 256, 256>>>(first, step, count, out);
    CARD_WAIT();
    write_values(swept(F::name, first, step) + " raw", from_card(out, count).data(), count * 4, count);
    CARD_TRY(cudaFree(out));
}

// Steps of the outputs of a binade: four bytes of the first output, then for every further input a signed byte, the
// change of the output's bits (clamped to +-127).
template <typename F> void run_steps(uint32_t first, uint32_t step)
{
    uint32_t count = (1u << 23) / step, *out = poisoned(count);
    raw_sweep<F><<<(count + 255) / 256, 256>>>(first, step, count, out);
    CARD_WAIT();
    std::vector<uint32_t> y = from_card(out, count);
    std::vector<int8_t> bytes(4);
    std::memcpy(bytes.data(), y.data(), 4);
    for (uint32_t i = 1; i < count; i++) {
        int64_t change = (int64_t)y[i] - y[i - 1];
        bytes.push_back((int8_t)(change < -127 ? -127 : change > 127 ? 127 : change));
    }
    write_values(swept(F::name, first, step) + " steps", bytes.data(), bytes.size(), count);
    CARD_TRY(cudaFree(out));
}

template <typename F> void run_all_exponents()
{
    uint32_t count = 512 * 64, *out = poisoned(count);
    all_exponents<F><<<count / 256, 256>>>(out);
    CARD_WAIT();
    write_values(std::string(F::name) + " all exponents", from_card(out, count).data(), count * 4, count);
    CARD_TRY(cudaFree(out));
}

// Halves: every input in the low half, its complement in the high half. File: 16 bits an input; the high halves are
// compared with the low ones.
#define PACKED(NAME, TEXT)                                                                                   \
    struct NAME {                                                                                            \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ uint32_t of(uint32_t x)                                                            \
        {                                                                                                    \
            uint32_t y;                                                                                      \
            asm volatile(TEXT " %0,%1;" : "=r"(y) : "r"(x));                                                 \
            return y;                                                                                        \
        }                                                                                                    \
    };
PACKED(ex2_f16x2, "ex2.approx.f16x2")
PACKED(ex2_bf16x2, "ex2.approx.ftz.bf16x2")
PACKED(tanh_f16x2, "tanh.approx.f16x2")
PACKED(tanh_bf16x2, "tanh.approx.bf16x2")

template <typename F> __global__ void all_halves(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = F::of(i | (0xffff - i) << 16);
}

template <typename F> void run_halves()
{
    uint32_t *out = poisoned(65536);
    all_halves<F><<<256, 256>>>(out);
    CARD_WAIT();
    std::vector<uint32_t> y = from_card(out, 65536);
    std::vector<uint16_t> low(65536);
    size_t different = 0;
    for (uint32_t i = 0; i < 65536; i++) {
        low[i] = (uint16_t)y[i];
        different += y[i] >> 16 != (y[65535 - i] & 0xffff);
    }
    write_values(F::name, low.data(), 65536 * 2, 65536);
    std::printf("\"halves that differ %s\",values,%zu,%zu,%zu,\"\"\n", F::name, different, different,
                different);
    CARD_TRY(cudaFree(out));
}

// Doubles: inputs are high words; the low word of the input is 0 or all ones. File: distance in the last place of the
// high word from the exact result rounded to it, half away from zero.
#define WIDE_UNARY(NAME, TEXT, EXPRESSION)                                                                   \
    struct NAME {                                                                                            \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ double of(double x)                                                                \
        {                                                                                                    \
            double y;                                                                                        \
            asm volatile(TEXT " %0,%1;" : "=d"(y) : "d"(x));                                                 \
            return y;                                                                                        \
        }                                                                                                    \
        static __device__ double exact(double x) { return EXPRESSION; }                                      \
    };
WIDE_UNARY(rcp_f64, "rcp.approx.ftz.f64", 1.0 / x)
WIDE_UNARY(rsqrt_f64, "rsqrt.approx.ftz.f64", 1.0 / sqrt(x))

template <typename F>
__global__ void sweep_high(uint32_t first, uint32_t low, int8_t *out, uint32_t *low_words)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = __hiloint2double((int)(first + i), (int)low), y = F::of(x);
    long long rounded = __double_as_longlong(F::exact(__hiloint2double((int)(first + i), 0))) + 0x80000000ll;
    out[i] = clamped((int64_t)__double2hiint(y) - (rounded >> 32));
    if (__double2loint(y) != 0) atomicAdd(low_words, 1u);
}

template <typename F> __global__ void all_exponents_high(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t edges[4] = {0, 1, 0xfffff, 0x80000};
    uint32_t fraction = i % 16 < 4 ? edges[i % 16] : stratified(i * 64 + 63) & 0xfffff;
    out[i] = (uint32_t)__double2hiint(F::of(__hiloint2double((int)(i / 16 << 20 | fraction), 0)));
}

template <typename F> void run_high(uint32_t first, uint32_t low)
{
    uint32_t count = 1 << 20, *low_words = card_memory<uint32_t>(1);
    int8_t *out = (int8_t *)poisoned(count / 4);
    sweep_high<F><<<count / 256, 256>>>(first, low, out, low_words);
    CARD_WAIT();
    write_values(swept(F::name, first, 1) + " low " + hexadecimal(low), from_card(out, count).data(), count,
                 count);
    uint32_t other = from_card(low_words, 1)[0];
    std::printf("\"low words not 0 %s\",values,%u,%u,%u,\"\"\n", F::name, other, other, other);
    CARD_TRY(cudaFree(out));
    CARD_TRY(cudaFree(low_words));
}

template <typename F> void run_all_exponents_high()
{
    uint32_t count = 4096 * 16, *out = poisoned(count);
    all_exponents_high<F><<<count / 256, 256>>>(out);
    CARD_WAIT();
    write_values(std::string(F::name) + " all exponents", from_card(out, count).data(), count * 4, count);
    CARD_TRY(cudaFree(out));
}

// Divisions a / b: finalise(2 i + 1) and finalise(2 i + 2) give the bits of a and b. Moderate: 23 bits of fraction, sign,
// exponent field 107 + 40 h / 256 of bits 32 to 39. Wide: 32 bits.
#define BINARY(NAME, TEXT)                                                                                   \
    struct NAME {                                                                                            \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ float of(float a, float b)                                                         \
        {                                                                                                    \
            float y;                                                                                         \
            asm volatile(TEXT " %0,%1,%2;" : "=f"(y) : "f"(a), "f"(b));                                      \
            return y;                                                                                        \
        }                                                                                                    \
    };
BINARY(div_approx_ftz, "div.approx.ftz.f32")
BINARY(div_approx, "div.approx.f32")
BINARY(div_full_ftz, "div.full.ftz.f32")
BINARY(div_full, "div.full.f32")

__device__ __forceinline__ uint64_t bits_of(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

__device__ __forceinline__ float moderate(uint64_t h)
{
    uint32_t field = 107 + (uint32_t)((h >> 32 & 255) * 40 >> 8);
    return __uint_as_float((uint32_t)(h & 0x807fffff) | field << 23);
}

template <typename F> __global__ void moderate_pairs(int8_t *out)
{
    uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = moderate(bits_of(2 * i + 1)), b = moderate(bits_of(2 * i + 2));
    out[i] = clamped(ordered(F::of(a, b)) - ordered(__fdiv_rn(a, b)));
}

template <typename F> __global__ void wide_pairs(uint32_t *out)
{
    uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = __uint_as_float((uint32_t)bits_of(2 * i + 1)),
          b = __uint_as_float((uint32_t)bits_of(2 * i + 2));
    out[i] = __float_as_uint(F::of(a, b));
}

template <typename F> void run_pairs()
{
    uint32_t count = 1 << 18;
    int8_t *distances = (int8_t *)poisoned(count / 4);
    moderate_pairs<F><<<count / 256, 256>>>(distances);
    CARD_WAIT();
    write_values(std::string(F::name) + " moderate", from_card(distances, count).data(), count, count);
    uint32_t *out = poisoned(32768);
    wide_pairs<F><<<128, 256>>>(out);
    CARD_WAIT();
    write_values(std::string(F::name) + " wide", from_card(out, 32768).data(), 32768 * 4, 32768);
    CARD_TRY(cudaFree(distances));
    CARD_TRY(cudaFree(out));
}

// `stored`: the sweep's outputs are known by a rule (silicon/h100/values), so `--list` leaves the part out.
struct part {
    const char *name;
    void (*run)();
    bool stored = false;
};
static const part parts[] = {
    {"rcp", [] { run_sweep<rcp_ftz, exact_rcp>(0x3f800000, 1); }, true},
    {"rsqrt 1", [] { run_sweep<rsqrt_ftz, exact_rsqrt>(0x3f800000, 1); }, true},
    {"rsqrt 2", [] { run_sweep<rsqrt_ftz, exact_rsqrt>(0x40000000, 1); }, true},
    {"sqrt 1", [] { run_sweep<sqrt_ftz, exact_sqrt>(0x3f800000, 1); }, true},
    {"sqrt 2", [] { run_sweep<sqrt_ftz, exact_sqrt>(0x40000000, 1); }},
    {"ex2 1", [] { run_sweep<ex2_ftz, exact_ex2>(0x3f800000, 1); }, true},
    {"ex2 others",
     [] {
         run_sweep<ex2_ftz, exact_ex2>(0x3f000000, 15), run_sweep<ex2_ftz, exact_ex2>(0x3e800000, 15);
         run_sweep<ex2_ftz, exact_ex2>(0xbf800000, 15), run_sweep<ex2_ftz, exact_ex2>(0x41200000, 15);
         run_sweep<ex2_ftz, exact_ex2>(0xbf000000, 15), run_sweep<ex2_ftz, exact_ex2>(0x3d000000, 15);
     }},
    {"lg2 1", [] { run_sweep<lg2_ftz, exact_lg2>(0x3f800000, 1); }, true},
    {"lg2 others",
     [] {
         run_sweep<lg2_ftz, exact_lg2>(0x3f000000, 15), run_sweep<lg2_ftz, exact_lg2>(0x40000000, 15);
         run_raw<lg2_ftz>(0x3f000000, 256), run_raw<lg2_ftz>(0x3f800000, 256);
     }},
    {"sin 4", [] { run_sweep<sin_ftz, exact_sin>(0x40800000, 1); }, true},
    {"sin others",
     [] {
         for (uint32_t first : {0x3e800000u, 0x3f000000u, 0x3f800000u, 0x40000000u})
             run_sweep<sin_ftz, exact_sin>(first, 15);
         run_raw<sin_ftz>(0x40800000, 256);
     }},
    {"cos",
     [] {
         for (uint32_t first : {0x3f000000u, 0x3f800000u, 0x40000000u, 0x40800000u})
             run_sweep<cos_ftz, exact_cos>(first, 15);
         run_raw<cos_ftz>(0x3f800000, 256);
     }},
    {"tanh",
     [] {
         for (uint32_t first : {0x3d800000u, 0x3e000000u, 0x3e800000u, 0x3f000000u, 0x3f800000u, 0x40000000u,
                                0x40800000u, 0x41000000u})
             run_raw<tanh_kept>(first, first >= 0x3f000000u && first < 0x40800000u ? 128 : 512);
     }},
    {"tanh steps",
     [] {
         for (uint32_t first = 0x3b000000; first <= 0x41000000; first += 0x800000)
             run_steps<tanh_kept>(first, first >= 0x3e000000 && first < 0x41000000 ? 1 : 16);
     }},
    {"lg2 raw",
     [] {
         run_raw<lg2_ftz>(0x3f000000, 15), run_raw<lg2_ftz>(0x3f800000, 15);
         run_raw<lg2_ftz>(0x3f7e0000, 1, 1 << 17), run_raw<lg2_ftz>(0x3f800000, 1, 1 << 17);
     }},
    {"sin raw", [] { run_raw<sin_ftz>(0x40800000, 15), run_raw<cos_ftz>(0x40800000, 15); }},
    {"all exponents",
     [] {
         run_all_exponents<rcp_ftz>(), run_all_exponents<rcp>(), run_all_exponents<rsqrt_ftz>();
         run_all_exponents<rsqrt_kept>(), run_all_exponents<sqrt_ftz>(), run_all_exponents<sqrt_kept>();
         run_all_exponents<ex2_ftz>(), run_all_exponents<ex2_kept>(), run_all_exponents<lg2_ftz>();
         run_all_exponents<lg2_kept>(), run_all_exponents<sin_ftz>(), run_all_exponents<sin_kept>();
         run_all_exponents<cos_ftz>(), run_all_exponents<cos_kept>(), run_all_exponents<tanh_kept>();
     }},
    {"halves",
     [] {
         run_halves<ex2_f16x2>(), run_halves<ex2_bf16x2>(), run_halves<tanh_f16x2>(),
             run_halves<tanh_bf16x2>();
     }},
    {"f64",
     [] {
         run_high<rcp_f64>(0x3ff00000, 0), run_high<rcp_f64>(0x3ff00000, ~0u),
             run_high<rsqrt_f64>(0x3ff00000, 0);
         run_high<rsqrt_f64>(0x40000000, 0);
         run_all_exponents_high<rcp_f64>(), run_all_exponents_high<rsqrt_f64>();
     }},
    {"div",
     [] {
         run_pairs<div_approx_ftz>(), run_pairs<div_approx>(), run_pairs<div_full_ftz>(),
             run_pairs<div_full>();
     }},
};

int main(int count, char **words)
{
    if (count > 1 && std::strcmp(words[1], "--list") == 0) {
        for (const part &p : parts)
            if (!p.stored) std::printf("%s\n", p.name);
        return 0;
    }
    return each_part(count, words, parts, [](const part &p) { p.run(); });
}
