// Conversions of a card as checksums: a host program redoes inputs and outputs.
//
// Inputs: f32 i / 512 << 23 | fraction (2^18), f64 i / 64 << 52 | fraction (2^18), halves and pairs of fp8 by counting
// (2^16), whole numbers finalise(i + 1) shifted right by (its low 6 bits, 5 for 32 bits). The fraction is the low bits of
// h = finalise(i + 1); with bit 62 of h set, the tie at a place p: low p bits are replaced by 1 << (p - 1), p = 1 + bits
// 56 to 61 of h mod (width - 1). Inputs with i mod 512 (64) below 4 have the fractions 0, 1, all ones, the highest bit.
// Outputs are words of 32 bits (64 where `wide`), extended with 0. A file holds the FNV-1a of every 1,024 outputs,
// the row that of the whole. The file "ends" has 64 bits an output: the last 1,024 of either half (infinities, NaNs).
#include "values.cuh"

__device__ __forceinline__ uint64_t bits_of(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

enum input_set { SINGLES, DOUBLES, COUNTED, WHOLE32, WHOLE64 };

__device__ __forceinline__ uint64_t fraction_at(uint64_t i, uint64_t in_binade, int width)
{
    uint64_t mask = ((uint64_t)1 << width) - 1, h = bits_of(i + 1), f = h & mask;
    if (in_binade < 4)
        return in_binade == 0 ? 0 : in_binade == 1 ? 1 : in_binade == 2 ? mask : (uint64_t)1 << (width - 1);
    int p = 1 + (int)((h >> 56 & 63) % (uint64_t)(width - 1));
    return h >> 62 & 1 ? f >> p << p | (uint64_t)1 << (p - 1) : f;
}

__device__ __forceinline__ uint64_t input_at(input_set set, uint64_t i)
{
    uint64_t h = bits_of(i + 1);
    if (set == SINGLES) return i / 512 << 23 | fraction_at(i, i % 512, 23);
    if (set == DOUBLES) return i / 64 << 52 | fraction_at(i, i % 64, 52);
    if (set == WHOLE32) return (uint32_t)((int32_t)(h >> 32) >> (h & 31));
    if (set == WHOLE64) return (uint64_t)((int64_t)h >> (h & 63));
    return i;
}

// Kinds of operands: f float, d double, r 32 bits, l 64 bits, h 16 bits.
#define FROM_f(x) __uint_as_float((uint32_t)(x))
#define FROM_d(x) __longlong_as_double((long long)(x))
#define FROM_r(x) ((uint32_t)(x))
#define FROM_l(x) (x)
#define FROM_h(x) ((uint16_t)(x))
#define TYPE_f    float
#define TYPE_d    double
#define TYPE_r    uint32_t
#define TYPE_l    uint64_t
#define TYPE_h    uint16_t
#define INTO_f(y) ((uint64_t)__float_as_uint(y))
#define INTO_d(y) ((uint64_t)__double_as_longlong(y))
#define INTO_r(y) ((uint64_t)(y))
#define INTO_l(y) (y)
#define INTO_h(y) ((uint64_t)(y))

// Conversions by name: instruction, kind of the output, kind of the input, inputs.
#define CONVERSIONS(X)                                                                                       \
    X(f16_rn, "cvt.rn.f16.f32", h, f, SINGLES)                                                               \
    X(f16_rz, "cvt.rz.f16.f32", h, f, SINGLES)                                                               \
    X(f16_rm, "cvt.rm.f16.f32", h, f, SINGLES)                                                               \
    X(f16_rp, "cvt.rp.f16.f32", h, f, SINGLES)                                                               \
    X(f16_rn_relu, "cvt.rn.relu.f16.f32", h, f, SINGLES)                                                     \
    X(f16_rn_ftz_sat, "cvt.rn.ftz.sat.f16.f32", h, f, SINGLES)                                               \
    X(bf16_rn, "cvt.rn.bf16.f32", h, f, SINGLES)                                                             \
    X(bf16_rz, "cvt.rz.bf16.f32", h, f, SINGLES)                                                             \
    X(bf16_rn_relu, "cvt.rn.relu.bf16.f32", h, f, SINGLES)                                                   \
    X(tf32_rna, "cvt.rna.tf32.f32", r, f, SINGLES)                                                           \
    X(tf32_rn, "cvt.rn.tf32.f32", r, f, SINGLES)                                                             \
    X(tf32_rz, "cvt.rz.tf32.f32", r, f, SINGLES)                                                             \
    X(tf32_rn_relu, "cvt.rn.relu.tf32.f32", r, f, SINGLES)                                                   \
    X(s32_rni, "cvt.rni.s32.f32", r, f, SINGLES)                                                             \
    X(s32_rzi, "cvt.rzi.s32.f32", r, f, SINGLES)                                                             \
    X(s32_rmi, "cvt.rmi.s32.f32", r, f, SINGLES)                                                             \
    X(s32_rpi, "cvt.rpi.s32.f32", r, f, SINGLES)                                                             \
    X(u32_rzi, "cvt.rzi.u32.f32", r, f, SINGLES)                                                             \
    X(s64_rzi, "cvt.rzi.s64.f32", l, f, SINGLES)                                                             \
    X(u64_rni, "cvt.rni.u64.f32", l, f, SINGLES)                                                             \
    X(s16_rzi, "cvt.rzi.s16.f32", h, f, SINGLES)                                                             \
    X(f32_rni, "cvt.rni.f32.f32", f, f, SINGLES)                                                             \
    X(f32_rzi_sat, "cvt.rzi.sat.f32.f32", f, f, SINGLES)                                                     \
    X(f32_f64_rn, "cvt.rn.f32.f64", f, d, DOUBLES)                                                           \
    X(f32_f64_rz, "cvt.rz.f32.f64", f, d, DOUBLES)                                                           \
    X(f32_f64_rm, "cvt.rm.f32.f64", f, d, DOUBLES)                                                           \
    X(f32_f64_rp, "cvt.rp.f32.f64", f, d, DOUBLES)                                                           \
    X(f16_f64_rn, "cvt.rn.f16.f64", h, d, DOUBLES)                                                           \
    X(s32_f64_rzi, "cvt.rzi.s32.f64", r, d, DOUBLES)                                                         \
    X(s64_f64_rni, "cvt.rni.s64.f64", l, d, DOUBLES)                                                         \
    X(u64_f64_rzi, "cvt.rzi.u64.f64", l, d, DOUBLES)                                                         \
    X(f64_f32, "cvt.f64.f32", d, f, SINGLES)                                                                 \
    X(f32_f16, "cvt.f32.f16", f, h, COUNTED)                                                                 \
    X(f64_f16, "cvt.f64.f16", d, h, COUNTED)                                                                 \
    X(f32_bf16, "cvt.f32.bf16", f, h, COUNTED)                                                               \
    X(bf16_f16, "cvt.rn.bf16.f16", h, h, COUNTED)                                                            \
    X(f16_bf16, "cvt.rn.f16.bf16", h, h, COUNTED)                                                            \
    X(s32_f16, "cvt.rni.s32.f16", r, h, COUNTED)                                                             \
    X(f16_f16_rni, "cvt.rni.f16.f16", h, h, COUNTED)                                                         \
    X(e4m3_f16, "cvt.rn.satfinite.e4m3x2.f16x2", h, r, COUNTED)                                              \
    X(e5m2_f16, "cvt.rn.satfinite.e5m2x2.f16x2", h, r, COUNTED)                                              \
    X(e4m3_f16_relu, "cvt.rn.satfinite.relu.e4m3x2.f16x2", h, r, COUNTED)                                    \
    X(e5m2_f16_relu, "cvt.rn.satfinite.relu.e5m2x2.f16x2", h, r, COUNTED)                                    \
    X(f16_e4m3, "cvt.rn.f16x2.e4m3x2", r, h, COUNTED)                                                        \
    X(f16_e5m2, "cvt.rn.f16x2.e5m2x2", r, h, COUNTED)                                                        \
    X(f16_e4m3_relu, "cvt.rn.relu.f16x2.e4m3x2", r, h, COUNTED)                                              \
    X(f32_s32_rn, "cvt.rn.f32.s32", f, r, WHOLE32)                                                           \
    X(f32_s32_rz, "cvt.rz.f32.s32", f, r, WHOLE32)                                                           \
    X(f32_s32_rm, "cvt.rm.f32.s32", f, r, WHOLE32)                                                           \
    X(f32_s32_rp, "cvt.rp.f32.s32", f, r, WHOLE32)                                                           \
    X(f32_u32_rn, "cvt.rn.f32.u32", f, r, WHOLE32)                                                           \
    X(f16_s32_rn, "cvt.rn.f16.s32", h, r, WHOLE32)                                                           \
    X(bf16_s32_rn, "cvt.rn.bf16.s32", h, r, WHOLE32)                                                         \
    X(f32_s64_rn, "cvt.rn.f32.s64", f, l, WHOLE64)                                                           \
    X(f32_u64_rn, "cvt.rn.f32.u64", f, l, WHOLE64)                                                           \
    X(f64_s64_rn, "cvt.rn.f64.s64", d, l, WHOLE64)                                                           \
    X(f64_u64_rn, "cvt.rn.f64.u64", d, l, WHOLE64)

// A pair of floats into two halves or bytes: the upper half from input i, the lower from input 2^18 - 1 - i.
#define PAIRS(X)                                                                                             \
    X(f16x2_rn, "cvt.rn.f16x2.f32", r)                                                                       \
    X(f16x2_rz_relu, "cvt.rz.relu.f16x2.f32", r)                                                             \
    X(f16x2_rn_satfinite, "cvt.rn.satfinite.f16x2.f32", r)                                                   \
    X(bf16x2_rn, "cvt.rn.bf16x2.f32", r)                                                                     \
    X(bf16x2_rz, "cvt.rz.bf16x2.f32", r)                                                                     \
    X(bf16x2_rn_satfinite, "cvt.rn.satfinite.bf16x2.f32", r)                                                 \
    X(e4m3x2, "cvt.rn.satfinite.e4m3x2.f32", h)                                                              \
    X(e5m2x2, "cvt.rn.satfinite.e5m2x2.f32", h)                                                              \
    X(e4m3x2_relu, "cvt.rn.satfinite.relu.e4m3x2.f32", h)                                                    \
    X(e5m2x2_relu, "cvt.rn.satfinite.relu.e5m2x2.f32", h)

#define CONSTRAINT_f "f"
#define CONSTRAINT_d "d"
#define CONSTRAINT_r "r"
#define CONSTRAINT_l "l"
#define CONSTRAINT_h "h"
#define SINGLE_KERNEL(NAME, TEXT, OUT, IN, SET)                                                              \
    __global__ void NAME(uint64_t *out)                                                                      \
    {                                                                                                        \
        uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;                                                  \
        TYPE_##OUT y;                                                                                        \
        TYPE_##IN x = FROM_##IN(input_at(SET, i));                                                           \
        asm volatile(TEXT " %0,%1;" : "=" CONSTRAINT_##OUT(y) : CONSTRAINT_##IN(x));                         \
        out[i] = INTO_##OUT(y);                                                                              \
    }
#define PAIR_KERNEL(NAME, TEXT, OUT)                                                                         \
    __global__ void NAME(uint64_t *out)                                                                      \
    {                                                                                                        \
        uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;                                                  \
        TYPE_##OUT y;                                                                                        \
        float upper = FROM_f(input_at(SINGLES, i)), lower = FROM_f(input_at(SINGLES, 262143 - i));           \
        asm volatile(TEXT " %0,%1,%2;" : "=" CONSTRAINT_##OUT(y) : "f"(upper), "f"(lower));                  \
        out[i] = INTO_##OUT(y);                                                                              \
    }
CONVERSIONS(SINGLE_KERNEL)
PAIRS(PAIR_KERNEL)

struct part {
    const char *name;
    void (*run)(uint64_t *out);
    uint32_t count;
    bool wide;
};
#define WIDE_f                                false
#define WIDE_r                                false
#define WIDE_h                                false
#define WIDE_d                                true
#define WIDE_l                                true
#define SINGLE_PART(NAME, TEXT, OUT, IN, SET) {TEXT, NAME, SET == COUNTED ? 65536 : 262144, WIDE_##OUT},
#define PAIR_PART(NAME, TEXT, OUT)            {TEXT, NAME, 262144, false},
static const part parts[] = {CONVERSIONS(SINGLE_PART) PAIRS(PAIR_PART)};

static void run_part(const part &p)
{
    uint64_t *out = (uint64_t *)poisoned(2 * (size_t)p.count);
    p.run<<<p.count / 256, 256>>>(out);
    CARD_WAIT();
    std::vector<uint64_t> y = from_card(out, p.count), sums;
    uint64_t whole = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < p.count; i += 1024) {
        uint64_t sum = 0xcbf29ce484222325u;
        for (uint32_t j = i; j < i + 1024; j++) {
            sum = checksum(&y[j], p.wide ? 8 : 4, sum);
            whole = checksum(&y[j], p.wide ? 8 : 4, whole);
        }
        sums.push_back(sum);
    }
    write_values(p.name, sums.data(), sums.size() * 8, sums.size());
    std::vector<uint64_t> ends(&y[p.count / 2 - 1024], &y[p.count / 2]);
    ends.insert(ends.end(), &y[p.count - 1024], &y[p.count - 1] + 1);
    write_values(std::string(p.name) + " ends", ends.data(), ends.size() * 8, ends.size());
    std::printf("\"checksum %s\",rows,%u,%u,%u,\"fnv1a64 %016llx\"\n", p.name, p.count, p.count, p.count,
                (unsigned long long)whole);
    std::fflush(stdout);
    CARD_TRY(cudaFree(out));
}

int main(int count, char **words) { return each_part(count, words, parts, run_part); }
