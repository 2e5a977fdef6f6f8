// Outputs of wgmma of a card: every type, operands from shared memory and from registers, inputs of values.h.
//
// Shared memory holds core matrices without swizzle: eight rows of 16 bytes; the two halves of K lie 128 bytes apart
// (leading offset), groups of eight rows or columns 256 bytes (stride offset). Sparse A and transposed operands alike.
#include "values.cuh"

inline constexpr int lanes = 128;

__device__ __forceinline__ uint64_t descriptor(const void *p, uint32_t leading, uint32_t stride)
{
    uint64_t address = (uint64_t)__cvta_generic_to_shared(p);
    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}

// Copies an image of A and of B to shared memory and makes both visible to the tensor cores.
__device__ __forceinline__ void stage(uint32_t *to, const uint32_t *from, int words)
{
    for (int i = (int)threadIdx.x; i < words; i += lanes) to[i] = from[(size_t)blockIdx.x * words + i];
}

template <int Count> __device__ __forceinline__ void take(uint32_t (&x)[Count], const uint32_t *p)
{
#pragma unroll
    for (int i = 0; i < Count; i++) x[i] = p[((size_t)blockIdx.x * Count + i) * lanes + threadIdx.x];
}

template <int Count> __device__ __forceinline__ void give(const uint32_t (&x)[Count], uint32_t *p)
{
#pragma unroll
    for (int i = 0; i < Count; i++) p[((size_t)blockIdx.x * Count + i) * lanes + threadIdx.x] = x[i];
}

// Accumulators as operands, and the text that names them: %0 and up.
#define TIED_2(x, i)   "+r"(x[i]), "+r"(x[i + 1])
#define TIED_4(x, i)   TIED_2(x, i), TIED_2(x, i + 2)
#define TIED_8(x, i)   TIED_4(x, i), TIED_4(x, i + 4)
#define TIED_16(x, i)  TIED_8(x, i), TIED_8(x, i + 8)
#define TIED_32(x, i)  TIED_16(x, i), TIED_16(x, i + 16)
#define TIED_64(x, i)  TIED_32(x, i), TIED_32(x, i + 32)
#define TIED_128(x, i) TIED_64(x, i), TIED_64(x, i + 64)
#define NAMES_2        "%0,%1"
#define NAMES_4        NAMES_2 ",%2,%3"
#define NAMES_8        NAMES_4 ",%4,%5,%6,%7"
#define TEN(t)         "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define NAMES_10       NAMES_8 ",%8,%9"
#define NAMES_16       NAMES_10 ",%10,%11,%12,%13,%14,%15"
#define NAMES_30       NAMES_10 "," TEN(1) "," TEN(2)
#define NAMES_32       NAMES_30 ",%30,%31"
#define NAMES_60       NAMES_30 "," TEN(3) "," TEN(4) "," TEN(5)
#define NAMES_64       NAMES_60 ",%60,%61,%62,%63"
#define NAMES_120      NAMES_60 "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(10) "," TEN(11)
#define NAMES_128      NAMES_120 ",%120,%121,%122,%123,%124,%125,%126,%127"

// The operands behind the accumulators, numbered by their count.
#define SS_2      "%2,%3"
#define SS_4      "%4,%5"
#define SS_8      "%8,%9"
#define SS_16     "%16,%17"
#define SS_32     "%32,%33"
#define SS_64     "%64,%65"
#define SS_128    "%128,%129"
#define SCALE_2   "%4"
#define SCALE_4   "%6"
#define SCALE_8   "%10"
#define SCALE_16  "%18"
#define SCALE_32  "%34"
#define SCALE_64  "%66"
#define SCALE_128 "%130"
#define RS_2      "{%5,%6,%7,%8},%3"
#define RS_4      "{%7,%8,%9,%10},%5"
#define RS_8      "{%11,%12,%13,%14},%9"
#define RS_16     "{%19,%20,%21,%22},%17"
#define RS_32     "{%35,%36,%37,%38},%33"
#define RS_64     "{%67,%68,%69,%70},%65"
#define RS_128    "{%131,%132,%133,%134},%129"

// PRODUCT(name, N, words of a column of B, registers of D, operands, text, what stands before and behind the scale of D,
// scale of D). WG: dense. SPARSE: metadata in the fifth word of `more`, selector 0.
// clang-format off
#define PRODUCT(NAME, N, COLUMN, D, OPERANDS, TEXT, BEFORE, BEHIND, SCALE)                         \
    __global__ void __launch_bounds__(lanes)                                                       \
        NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *pd, const uint32_t *more) \
    {                                                                                              \
        __shared__ alignas(128) uint32_t a[64 * 8], b[N * COLUMN];                                 \
        uint32_t d[D], r[5];                                                                       \
        stage(a, pa, 64 * 8), stage(b, pb, N * COLUMN);                                            \
        take(d, pc), take(r, more);                                                                \
        asm volatile("fence.proxy.async;" ::: "memory");                                           \
        __syncthreads();                                                                           \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                    \
        asm volatile("{.reg .pred p; setp.ne.b32 p, " SCALE_##D ", 0;"                             \
                     "wgmma.mma_async" TEXT " {" NAMES_##D "}," OPERANDS##_##D BEFORE ",p" BEHIND ";}" \
                     : TIED_##D(d, 0)                                                              \
                     : "l"(descriptor(a, 128, 256)), "l"(descriptor(b, 128, 32 * COLUMN)), "r"(SCALE), \
                       "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4])                       \
                     : "memory");                                                                  \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                             \
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                             \
        give(d, pd);                                                                               \
    }
// clang-format on
#define WG(NAME, N, D, OPERANDS, TEXT, BEHIND, SCALE)                                                        \
    PRODUCT(NAME, N, 8, D, OPERANDS, TEXT, "", BEHIND, SCALE)
#define SPARSE(NAME, OPERANDS, TEXT, BEHIND)                                                                 \
    PRODUCT(NAME, 8, 16, 4, OPERANDS, ".sp.sync.aligned.m64n8" TEXT, ",%11,0", BEHIND, 1)

WG(f16_n8, 8, 4, SS, ".sync.aligned.m64n8k16.f32.f16.f16", ",1,1,0,0", 1)
WG(f16_n8_registers, 8, 4, RS, ".sync.aligned.m64n8k16.f32.f16.f16", ",1,1,0", 1)
WG(f16_n8_alone, 8, 4, SS, ".sync.aligned.m64n8k16.f32.f16.f16", ",1,1,0,0", 0)
WG(f16_n8_minus_a, 8, 4, SS, ".sync.aligned.m64n8k16.f32.f16.f16", ",-1,1,0,0", 1)
WG(f16_n8_minus_b, 8, 4, SS, ".sync.aligned.m64n8k16.f32.f16.f16", ",1,-1,0,0", 1)
WG(f16_n8_transposed, 8, 4, SS, ".sync.aligned.m64n8k16.f32.f16.f16", ",1,1,1,1", 1)
WG(f16_n16, 16, 8, SS, ".sync.aligned.m64n16k16.f32.f16.f16", ",1,1,0,0", 1)
WG(f16_n64, 64, 32, SS, ".sync.aligned.m64n64k16.f32.f16.f16", ",1,1,0,0", 1)
WG(f16_n256, 256, 128, SS, ".sync.aligned.m64n256k16.f32.f16.f16", ",1,1,0,0", 1)
WG(f16_f16_n8, 8, 2, SS, ".sync.aligned.m64n8k16.f16.f16.f16", ",1,1,0,0", 1)
WG(f16_f16_n8_registers, 8, 2, RS, ".sync.aligned.m64n8k16.f16.f16.f16", ",1,1,0", 1)
WG(f16_f16_n8_alone, 8, 2, SS, ".sync.aligned.m64n8k16.f16.f16.f16", ",1,1,0,0", 0)
WG(f16_f16_n256, 256, 64, SS, ".sync.aligned.m64n256k16.f16.f16.f16", ",1,1,0,0", 1)
WG(bf16_n8, 8, 4, SS, ".sync.aligned.m64n8k16.f32.bf16.bf16", ",1,1,0,0", 1)
WG(bf16_n8_registers, 8, 4, RS, ".sync.aligned.m64n8k16.f32.bf16.bf16", ",1,1,0", 1)
WG(bf16_n8_transposed, 8, 4, SS, ".sync.aligned.m64n8k16.f32.bf16.bf16", ",1,1,1,1", 1)
WG(bf16_n256, 256, 128, SS, ".sync.aligned.m64n256k16.f32.bf16.bf16", ",1,1,0,0", 1)
WG(tf32_n8, 8, 4, SS, ".sync.aligned.m64n8k8.f32.tf32.tf32", ",1,1", 1)
WG(tf32_n8_registers, 8, 4, RS, ".sync.aligned.m64n8k8.f32.tf32.tf32", ",1,1", 1)
WG(tf32_n64, 64, 32, SS, ".sync.aligned.m64n64k8.f32.tf32.tf32", ",1,1", 1)
WG(tf32_n256, 256, 128, SS, ".sync.aligned.m64n256k8.f32.tf32.tf32", ",1,1", 1)
#define FP8(X, Y)                                                                                            \
    WG(X##_##Y##_f32, 8, 4, SS, ".sync.aligned.m64n8k32.f32." #X "." #Y, ",1,1", 1)                          \
    WG(X##_##Y##_f16, 8, 2, SS, ".sync.aligned.m64n8k32.f16." #X "." #Y, ",1,1", 1)
FP8(e4m3, e4m3)
FP8(e4m3, e5m2)
FP8(e5m2, e4m3)
FP8(e5m2, e5m2)
WG(e4m3_registers, 8, 4, RS, ".sync.aligned.m64n8k32.f32.e4m3.e4m3", ",1,1", 1)
WG(e4m3_alone, 8, 4, SS, ".sync.aligned.m64n8k32.f32.e4m3.e4m3", ",1,1", 0)
WG(e4m3_minus_a, 8, 4, SS, ".sync.aligned.m64n8k32.f32.e4m3.e4m3", ",-1,1", 1)
WG(e4m3_minus_b, 8, 4, SS, ".sync.aligned.m64n8k32.f32.e4m3.e4m3", ",1,-1", 1)
WG(e4m3_n64, 64, 32, SS, ".sync.aligned.m64n64k32.f32.e4m3.e4m3", ",1,1", 1)
WG(e4m3_n256, 256, 128, SS, ".sync.aligned.m64n256k32.f32.e4m3.e4m3", ",1,1", 1)
#define WHOLE(X, Y)                                                                                          \
    WG(X##_##Y, 8, 4, SS, ".sync.aligned.m64n8k32.s32." #X "." #Y, "", 1)                                    \
    WG(X##_##Y##_sat, 8, 4, SS, ".sync.aligned.m64n8k32.s32." #X "." #Y ".satfinite", "", 1)
WHOLE(s8, s8)
WHOLE(s8, u8)
WHOLE(u8, s8)
WHOLE(u8, u8)
WG(s8_registers, 8, 4, RS, ".sync.aligned.m64n8k32.s32.s8.s8", "", 1)
WG(s8_n64, 64, 32, SS, ".sync.aligned.m64n64k32.s32.s8.s8", "", 1)
WG(b1_and, 8, 4, SS, ".sync.aligned.m64n8k256.s32.b1.b1.and.popc", "", 1)
WG(b1_and_registers, 8, 4, RS, ".sync.aligned.m64n8k256.s32.b1.b1.and.popc", "", 1)

SPARSE(sp_f16, SS, "k32.f32.f16.f16", ",1,1,0,0")
SPARSE(sp_f16_registers, RS, "k32.f32.f16.f16", ",1,1,0")
SPARSE(sp_bf16, SS, "k32.f32.bf16.bf16", ",1,1,0,0")
SPARSE(sp_tf32, SS, "k16.f32.tf32.tf32", ",1,1")
SPARSE(sp_e4m3, SS, "k64.f32.e4m3.e4m3", ",1,1")
SPARSE(sp_e5m2, SS, "k64.f32.e5m2.e5m2", ",1,1")
SPARSE(sp_s8, SS, "k64.s32.s8.s8", "")

#define FP8_FORMS(X, Y, FX, FY)                                                                              \
    {{"wgmma m64n8k32 " #X " " #Y " f32", X##_##Y##_f32, FX, FY, F32, 64, 8, 32, 0, 8, every}, false},      \
    {                                                                                                        \
        {"wgmma m64n8k32 " #X " " #Y " f16", X##_##Y##_f16, FX, FY, F16, 64, 8, 32, 0, 8, every}, false     \
    }
#define WHOLE_FORMS(X, Y, FX, FY)                                                                            \
    {{"wgmma m64n8k32 " #X " " #Y, X##_##Y, FX, FY, S32, 64, 8, 32, 0, 8, integers}, false},                 \
    {                                                                                                        \
        {"wgmma m64n8k32 " #X " " #Y " satfinite", X##_##Y##_sat, FX, FY, S32, 64, 8, 32, 0, 8, integers},   \
            false                                                                                            \
    }

struct group_form : form {
    bool transposed;
};
static const group_form forms[] = {
    {{"wgmma m64n8k16 f16 f32", f16_n8, F16, F16, F32, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 f16 f32 registers", f16_n8_registers, F16, F16, F32, 64, 8, 16, 0, 8, few}, false},
    {{"wgmma m64n8k16 f16 f32 alone", f16_n8_alone, F16, F16, F32, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 f16 f32 minus a", f16_n8_minus_a, F16, F16, F32, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 f16 f32 minus b", f16_n8_minus_b, F16, F16, F32, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 f16 f32 transposed", f16_n8_transposed, F16, F16, F32, 64, 8, 16, 0, 8, few}, true},
    {{"wgmma m64n16k16 f16 f32", f16_n16, F16, F16, F32, 64, 16, 16, 0, 4, few}, false},
    {{"wgmma m64n64k16 f16 f32", f16_n64, F16, F16, F32, 64, 64, 16, 0, 1, few}, false},
    {{"wgmma m64n256k16 f16 f32", f16_n256, F16, F16, F32, 64, 256, 16, 0, 1, few}, false},
    {{"wgmma m64n8k16 f16 f16", f16_f16_n8, F16, F16, F16, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 f16 f16 registers", f16_f16_n8_registers, F16, F16, F16, 64, 8, 16, 0, 8, few}, false},
    {{"wgmma m64n8k16 f16 f16 alone", f16_f16_n8_alone, F16, F16, F16, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n256k16 f16 f16", f16_f16_n256, F16, F16, F16, 64, 256, 16, 0, 1, few}, false},
    {{"wgmma m64n8k16 bf16 f32", bf16_n8, BF16, BF16, F32, 64, 8, 16, 0, 8, every}, false},
    {{"wgmma m64n8k16 bf16 f32 registers", bf16_n8_registers, BF16, BF16, F32, 64, 8, 16, 0, 8, few}, false},
    {{"wgmma m64n8k16 bf16 f32 transposed", bf16_n8_transposed, BF16, BF16, F32, 64, 8, 16, 0, 8, few},
     true},
    {{"wgmma m64n256k16 bf16 f32", bf16_n256, BF16, BF16, F32, 64, 256, 16, 0, 1, few}, false},
    {{"wgmma m64n8k8 tf32 f32", tf32_n8, TF32, TF32, F32, 64, 8, 8, 0, 8, every}, false},
    {{"wgmma m64n8k8 tf32 f32 low bits", tf32_n8, TF32_RAW, TF32_RAW, F32, 64, 8, 8, 0, 8, every}, false},
    {{"wgmma m64n8k8 tf32 f32 low bits registers", tf32_n8_registers, TF32_RAW, TF32_RAW, F32, 64, 8, 8, 0,
      12, few},
     false},
    {{"wgmma m64n64k8 tf32 f32", tf32_n64, TF32, TF32, F32, 64, 64, 8, 0, 1, few}, false},
    {{"wgmma m64n256k8 tf32 f32", tf32_n256, TF32, TF32, F32, 64, 256, 8, 0, 1, few}, false},
    FP8_FORMS(e4m3, e4m3, E4M3, E4M3),
    FP8_FORMS(e4m3, e5m2, E4M3, E5M2),
    FP8_FORMS(e5m2, e4m3, E5M2, E4M3),
    FP8_FORMS(e5m2, e5m2, E5M2, E5M2),
    {{"wgmma m64n8k32 e4m3 e4m3 f32 registers", e4m3_registers, E4M3, E4M3, F32, 64, 8, 32, 0, 8, few},
     false},
    {{"wgmma m64n8k32 e4m3 e4m3 f32 alone", e4m3_alone, E4M3, E4M3, F32, 64, 8, 32, 0, 8, every}, false},
    {{"wgmma m64n8k32 e4m3 e4m3 f32 minus a", e4m3_minus_a, E4M3, E4M3, F32, 64, 8, 32, 0, 8, every}, false},
    {{"wgmma m64n8k32 e4m3 e4m3 f32 minus b", e4m3_minus_b, E4M3, E4M3, F32, 64, 8, 32, 0, 8, every}, false},
    {{"wgmma m64n64k32 e4m3 e4m3 f32", e4m3_n64, E4M3, E4M3, F32, 64, 64, 32, 0, 1, few}, false},
    {{"wgmma m64n256k32 e4m3 e4m3 f32", e4m3_n256, E4M3, E4M3, F32, 64, 256, 32, 0, 1, few}, false},
    WHOLE_FORMS(s8, s8, S8, S8),
    WHOLE_FORMS(s8, u8, S8, U8),
    WHOLE_FORMS(u8, s8, U8, S8),
    WHOLE_FORMS(u8, u8, U8, U8),
    {{"wgmma m64n8k32 s8 s8 registers", s8_registers, S8, S8, S32, 64, 8, 32, 0, 8, integers}, false},
    {{"wgmma m64n64k32 s8 s8", s8_n64, S8, S8, S32, 64, 64, 32, 0, 1, integers}, false},
    {{"wgmma m64n8k256 b1 and", b1_and, B1, B1, S32, 64, 8, 256, 0, 8, 3}, false},
    {{"wgmma m64n8k256 b1 and registers", b1_and_registers, B1, B1, S32, 64, 8, 256, 0, 8, 3}, false},
    {{"wgmma.sp m64n8k32 f16 f32", sp_f16, F16, F16, F32, 64, 8, 32, 4, 8, every}, false},
    {{"wgmma.sp m64n8k32 f16 f32 registers", sp_f16_registers, F16, F16, F32, 64, 8, 32, 4, 8, few}, false},
    {{"wgmma.sp m64n8k32 bf16 f32", sp_bf16, BF16, BF16, F32, 64, 8, 32, 4, 8, every}, false},
    {{"wgmma.sp m64n8k16 tf32 f32", sp_tf32, TF32, TF32, F32, 64, 8, 16, 2, 8, every}, false},
    {{"wgmma.sp m64n8k64 e4m3 e4m3 f32", sp_e4m3, E4M3, E4M3, F32, 64, 8, 64, 4, 8, every}, false},
    {{"wgmma.sp m64n8k64 e5m2 e5m2 f32", sp_e5m2, E5M2, E5M2, F32, 64, 8, 64, 4, 8, every}, false},
    {{"wgmma.sp m64n8k64 s8", sp_s8, S8, S8, S32, 64, 8, 64, 4, 8, integers}, false},
};

// Places of an element in the image of an operand: eight words a row or column, 16 of B beside a sparse A. Along K: bytes of a row contiguous.
// Transposed (16 bits): core matrices of eight k, each with eight rows contiguous.
static std::vector<uint32_t> pack_image(const group_form &f, int distribution, int role)
{
    const format &x = role == ROLE_A ? f.a : f.b;
    int lines = role == ROLE_A ? f.m : f.n;
    int depth = role == ROLE_A ? stored(f) : f.k, per_line = depth * x.bits / 32;
    std::vector<uint32_t> words((size_t)f.tiles * lines * per_line);
    for (int tile = 0; tile < f.tiles; tile++)
        for (int line = 0; line < lines; line++)
            for (int k = 0; k < depth; k++) {
                int bit = k * x.bits, inner = line % 8 * 128 + bit % 128;
                if (f.transposed) bit = k / 8 * 128, inner = k % 8 * 128 + line % 8 * 16;
                size_t at = (size_t)(line / 8) * 256 * per_line + (size_t)(bit / 128) * 1024 + (size_t)inner;
                uint64_t v = operand(source_of(f, distribution, tile), x, role, line, k);
                words[(size_t)tile * lines * per_line + at / 32] |= (uint32_t)v << (at % 32);
            }
    return words;
}

// Registers of A: row 16 w + g + 8 (r & 1), columns from per (q + 4 (r >> 1)). Five words a lane, the last
// metadata.
static std::vector<uint32_t> pack_registers(const form &f, int distribution)
{
    std::vector<uint32_t> words((size_t)f.tiles * 5 * lanes);
    int bits = f.a.bits, per = 32 / bits;
    for (int tile = 0; tile < f.tiles; tile++)
        for (int i = 0; i < f.m; i++)
            for (int k = 0; k < stored(f); k++) {
                int lane = 32 * (i / 16) + 4 * (i % 8) + k / per % 4, r = 2 * (k / (4 * per)) + i / 8 % 2;
                words[((size_t)tile * 5 + r) * lanes + lane] |=
                    (uint32_t)operand(source_of(f, distribution, tile), f.a, ROLE_A, i, k)
                    << (bits * (k % per));
            }
    for (int tile = 0; f.chunk > 0 && tile < f.tiles; tile++)
        for (int lane = 0; lane < lanes; lane++)
            words[((size_t)tile * 5 + 4) * lanes + lane] =
                metadata_word(f, source_of(f, distribution, tile), lane / 32 * 16, lane % 32);
    return words;
}

// The word and the half of element (i, j) of C or D.
static size_t accumulator_word(const form &f, int tile, int i, int j, int *half)
{
    bool narrow = f.d.bits == 16;
    int registers = f.n / (narrow ? 4 : 2), lane = 32 * (i / 16) + 4 * (i % 8) + j % 8 / 2;
    int pair = 2 * (j / 8) + i / 8 % 2;
    *half = narrow ? j & 1 : 0;
    return ((size_t)tile * registers + (narrow ? pair : 2 * pair + (j & 1))) * lanes + lane;
}

static void append_outputs(const form &f, const std::vector<uint32_t> &d, std::vector<uint32_t> &out)
{
    for (int tile = 0; tile < f.tiles; tile++)
        for (int i = 0; i < f.m; i++)
            for (int j = 0; j < f.n; j++) {
                int half;
                uint32_t word = d[accumulator_word(f, tile, i, j, &half)];
                out.push_back(f.d.bits == 16 ? word >> (16 * half) & 0xffff : word);
            }
}

static std::vector<uint32_t> pack_accumulators(const form &f, int distribution)
{
    std::vector<uint32_t> words((size_t)f.tiles * f.m * f.n * f.d.bits / 32);
    for (int tile = 0; tile < f.tiles; tile++)
        for (int i = 0; i < f.m; i++)
            for (int j = 0; j < f.n; j++) {
                int half;
                size_t word = accumulator_word(f, tile, i, j, &half);
                uint64_t v = accumulator(source_of(f, distribution, tile), f.a, f.b, f.d, i, j);
                words[word] |= (uint32_t)v << (16 * half);
            }
    return words;
}

static void run_form(const group_form &f)
{
    std::vector<uint32_t> out;
    for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++) {
        if (!(f.distributions >> distribution & 1)) continue;
        uint32_t *a = on_card(pack_image(f, distribution, ROLE_A)),
                 *b = on_card(pack_image(f, distribution, ROLE_B));
        uint32_t *c = on_card(pack_accumulators(f, distribution)),
                 *r = on_card(pack_registers(f, distribution));
        std::vector<uint32_t> d((size_t)f.tiles * f.m * f.n * f.d.bits / 32);
        uint32_t *pd = poisoned(d.size());
        f.run<<<f.tiles, lanes>>>(a, b, c, pd, r);
        CARD_WAIT();
        CARD_TRY(cudaMemcpy(d.data(), pd, d.size() * 4, cudaMemcpyDeviceToHost));
        append_outputs(f, d, out);
        for (uint32_t *p : {a, b, c, pd, r}) CARD_TRY(cudaFree(p));
    }
    write_values(f.name, out.data(), out.size() * 4, out.size());
}

int main(int count, char **words) { return each_part(count, words, forms, run_form); }
