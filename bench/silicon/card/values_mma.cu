// Outputs of mma.sync and mma.sp of a card: every type, seven distributions of inputs (values.h), one file a form.
#include "values.cuh"

template <int Count, typename Word> __device__ __forceinline__ void take(Word (&x)[Count], const uint32_t *p)
{
    const Word *from = (const Word *)p + (size_t)blockIdx.x * Count * 32 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Count; i++) x[i] = from[i * 32];
}

template <int Count, typename Word> __device__ __forceinline__ void give(const Word (&x)[Count], uint32_t *p)
{
    Word *to = (Word *)p + (size_t)blockIdx.x * Count * 32 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Count; i++) to[i * 32] = x[i];
}

// Operand lists by registers of D (= C), A and B.
#define TEXT_4_4_2   " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13}"
#define TEXT_4_2_1   " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10}"
#define TEXT_2_4_2   " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9}"
#define TEXT_2_2_1   " {%0,%1},{%2,%3},{%4},{%5,%6}"
#define TEXT_2_1_1   " {%0,%1},{%2},{%3},{%4,%5}"
#define TEXT_4_8_4   " {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19}"
#define TEXT_4_4_4   " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%12,%13,%14,%15},%16,0x0"
#define TEXT_4_2_2   " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11},%12,0x0"
#define TEXT_2_4_4   " {%0,%1},{%2,%3,%4,%5},{%6,%7,%8,%9},{%10,%11},%12,0x0"
#define TEXT_2_2_2   " {%0,%1},{%2,%3},{%4,%5},{%6,%7},%8,0x0"
#define LIST_1(t, x) t(x[0])
#define LIST_2(t, x) t(x[0]), t(x[1])
#define LIST_4(t, x) LIST_2(t, x), t(x[2]), t(x[3])
#define LIST_8(t, x) LIST_4(t, x), t(x[4]), t(x[5]), t(x[6]), t(x[7])

#define PRODUCT(NAME, WORD, CONSTRAINT, D, A, B, TEXT)                                                       \
    __global__ void NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *pd,           \
                         const uint32_t *)                                                                   \
    {                                                                                                        \
        WORD a[A], b[B], c[D], d[D];                                                                         \
        take(a, pa), take(b, pb), take(c, pc);                                                               \
        asm volatile(TEXT TEXT_##D##_##A##_##B ";"                                                           \
                     : LIST_##D("=" CONSTRAINT, d)                                                           \
                     : LIST_##A(CONSTRAINT, a), LIST_##B(CONSTRAINT, b), LIST_##D(CONSTRAINT, c));           \
        give(d, pd);                                                                                         \
    }
#define SPARSE(NAME, D, A, B, TEXT)                                                                          \
    __global__ void NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *pd,           \
                         const uint32_t *pe)                                                                 \
    {                                                                                                        \
        uint32_t a[A], b[B], c[D], d[D], e[1];                                                               \
        take(a, pa), take(b, pb), take(c, pc), take(e, pe);                                                  \
        asm volatile(TEXT TEXT_##D##_##A##_##B ";"                                                           \
                     : LIST_##D("=r", d)                                                                     \
                     : LIST_##A("r", a), LIST_##B("r", b), LIST_##D("r", c), "r"(e[0]));                     \
        give(d, pd);                                                                                         \
    }
// m8n8k4 of Volta: four products of 8 x 8 x 4 a warp.
#define TEXT_QUAD_4 " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11}"
#define TEXT_QUAD_8 " {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%12,%13,%14,%15,%16,%17,%18,%19}"
#define QUAD(NAME, D, TEXT)                                                                                  \
    __global__ void NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *pd,           \
                         const uint32_t *)                                                                   \
    {                                                                                                        \
        uint32_t a[2], b[2], c[D], d[D];                                                                     \
        take(a, pa), take(b, pb), take(c, pc);                                                               \
        asm volatile("mma.sync.aligned.m8n8k4.row.col." TEXT TEXT_QUAD_##D ";"                               \
                     : LIST_##D("=r", d)                                                                     \
                     : LIST_2("r", a), LIST_2("r", b), LIST_##D("r", c));                                    \
        give(d, pd);                                                                                         \
    }
#define DENSE(NAME, D, A, B, TEXT)       PRODUCT(NAME, uint32_t, "r", D, A, B, "mma.sync.aligned." TEXT)
#define DOUBLE(NAME, D, A, B, TEXT)      PRODUCT(NAME, double, "d", D, A, B, "mma.sync.aligned." TEXT)
#define SPARSE_SYNC(NAME, D, A, B, TEXT) SPARSE(NAME, D, A, B, "mma.sp::ordered_metadata.sync.aligned." TEXT)

DENSE(f16_k8_f32, 4, 2, 1, "m16n8k8.row.col.f32.f16.f16.f32")
DENSE(f16_k16_f32, 4, 4, 2, "m16n8k16.row.col.f32.f16.f16.f32")
DENSE(f16_k8_f16, 2, 2, 1, "m16n8k8.row.col.f16.f16.f16.f16")
DENSE(f16_k16_f16, 2, 4, 2, "m16n8k16.row.col.f16.f16.f16.f16")
QUAD(f16_quad_f16, 4, "f16.f16.f16.f16")
QUAD(f16_quad_f32, 8, "f32.f16.f16.f32")
DENSE(bf16_k8, 4, 2, 1, "m16n8k8.row.col.f32.bf16.bf16.f32")
DENSE(bf16_k16, 4, 4, 2, "m16n8k16.row.col.f32.bf16.bf16.f32")
DENSE(tf32_k4, 4, 2, 1, "m16n8k4.row.col.f32.tf32.tf32.f32")
DENSE(tf32_k8, 4, 4, 2, "m16n8k8.row.col.f32.tf32.tf32.f32")
#define FP8(X, Y)                                                                                            \
    DENSE(X##_##Y##_k16_f32, 4, 2, 1, "m16n8k16.row.col.f32." #X "." #Y ".f32")                              \
    DENSE(X##_##Y##_k32_f32, 4, 4, 2, "m16n8k32.row.col.f32." #X "." #Y ".f32")                              \
    DENSE(X##_##Y##_k16_f16, 2, 2, 1, "m16n8k16.row.col.f16." #X "." #Y ".f16")                              \
    DENSE(X##_##Y##_k32_f16, 2, 4, 2, "m16n8k32.row.col.f16." #X "." #Y ".f16")
FP8(e4m3, e4m3)
FP8(e4m3, e5m2)
FP8(e5m2, e4m3)
FP8(e5m2, e5m2)
DOUBLE(f64_m8, 2, 1, 1, "m8n8k4.row.col.f64.f64.f64.f64")
DOUBLE(f64_k4, 4, 2, 1, "m16n8k4.row.col.f64.f64.f64.f64")
DOUBLE(f64_k8, 4, 4, 2, "m16n8k8.row.col.f64.f64.f64.f64")
DOUBLE(f64_k16, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64")
DOUBLE(f64_k16_rn, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64.rn")
DOUBLE(f64_k16_rz, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64.rz")
DOUBLE(f64_k16_rm, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64.rm")
DOUBLE(f64_k16_rp, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64.rp")
#define WHOLE(X, Y, BITS, K0, K1, K2)                                                                        \
    DENSE(X##_##Y##_m8, 2, 1, 1, "m8n8k" #K0 ".row.col.s32." #X "." #Y ".s32")                               \
    DENSE(X##_##Y##_m8_sat, 2, 1, 1, "m8n8k" #K0 ".row.col.satfinite.s32." #X "." #Y ".s32")                 \
    DENSE(X##_##Y##_short, 4, 2, 1, "m16n8k" #K1 ".row.col.s32." #X "." #Y ".s32")                           \
    DENSE(X##_##Y##_long, 4, 4, 2, "m16n8k" #K2 ".row.col.s32." #X "." #Y ".s32")                            \
    DENSE(X##_##Y##_sat, 4, 4, 2, "m16n8k" #K2 ".row.col.satfinite.s32." #X "." #Y ".s32")
WHOLE(s8, s8, 8, 16, 16, 32)
WHOLE(s8, u8, 8, 16, 16, 32)
WHOLE(u8, s8, 8, 16, 16, 32)
WHOLE(u8, u8, 8, 16, 16, 32)
WHOLE(s4, s4, 4, 32, 32, 64)
WHOLE(u4, u4, 4, 32, 32, 64)
DENSE(b1_xor_m8, 2, 1, 1, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
DENSE(b1_and_m8, 2, 1, 1, "m8n8k128.row.col.s32.b1.b1.s32.and.popc")
DENSE(b1_xor_long, 4, 4, 2, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
DENSE(b1_and_long, 4, 4, 2, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")

SPARSE_SYNC(sp_f16_k16_f32, 4, 2, 2, "m16n8k16.row.col.f32.f16.f16.f32")
SPARSE_SYNC(sp_f16_k32_f32, 4, 4, 4, "m16n8k32.row.col.f32.f16.f16.f32")
SPARSE_SYNC(sp_f16_k16_f16, 2, 2, 2, "m16n8k16.row.col.f16.f16.f16.f16")
SPARSE_SYNC(sp_f16_k32_f16, 2, 4, 4, "m16n8k32.row.col.f16.f16.f16.f16")
SPARSE_SYNC(sp_bf16_k16, 4, 2, 2, "m16n8k16.row.col.f32.bf16.bf16.f32")
SPARSE_SYNC(sp_bf16_k32, 4, 4, 4, "m16n8k32.row.col.f32.bf16.bf16.f32")
SPARSE_SYNC(sp_tf32_k8, 4, 2, 2, "m16n8k8.row.col.f32.tf32.tf32.f32")
SPARSE_SYNC(sp_tf32_k16, 4, 4, 4, "m16n8k16.row.col.f32.tf32.tf32.f32")
SPARSE_SYNC(sp_s8_k32, 4, 2, 2, "m16n8k32.row.col.s32.s8.s8.s32")
SPARSE_SYNC(sp_s8_k64, 4, 4, 4, "m16n8k64.row.col.s32.s8.s8.s32")
SPARSE_SYNC(sp_e4m3_k64, 4, 4, 4, "m16n8k64.row.col.f32.e4m3.e4m3.f32")
SPARSE_SYNC(sp_e5m2_k64, 4, 4, 4, "m16n8k64.row.col.f32.e5m2.e5m2.f32")
SPARSE_SYNC(sp_e4m3_e5m2_k64, 4, 4, 4, "m16n8k64.row.col.f32.e4m3.e5m2.f32")

#define FP8_FORMS(X, Y, FX, FY)                                                                              \
    {"mma.sync m16n8k16 " #X " " #Y " f32", X##_##Y##_k16_f32, FX, FY, F32, 16, 8, 16, 0, 32, every},        \
        {"mma.sync m16n8k32 " #X " " #Y " f32", X##_##Y##_k32_f32, FX, FY, F32, 16, 8, 32, 0, 32, every},    \
        {"mma.sync m16n8k16 " #X " " #Y " f16", X##_##Y##_k16_f16, FX, FY, F16, 16, 8, 16, 0, 32, every},    \
    {                                                                                                        \
        "mma.sync m16n8k32 " #X " " #Y " f16", X##_##Y##_k32_f16, FX, FY, F16, 16, 8, 32, 0, 32, every       \
    }
#define WHOLE_FORMS(X, Y, FX, FY, K0, K1, K2)                                                                \
    {"mma.sync m8n8k" #K0 " " #X " " #Y, X##_##Y##_m8, FX, FY, S32, 8, 8, K0, 0, 64, integers},              \
        {"mma.sync m8n8k" #K0 " " #X " " #Y " satfinite",                                                    \
         X##_##Y##_m8_sat,                                                                                   \
         FX,                                                                                                 \
         FY,                                                                                                 \
         S32,                                                                                                \
         8,                                                                                                  \
         8,                                                                                                  \
         K0,                                                                                                 \
         0,                                                                                                  \
         64,                                                                                                 \
         integers},                                                                                          \
        {"mma.sync m16n8k" #K1 " " #X " " #Y, X##_##Y##_short, FX, FY, S32, 16, 8, K1, 0, 32, integers},     \
        {"mma.sync m16n8k" #K2 " " #X " " #Y, X##_##Y##_long, FX, FY, S32, 16, 8, K2, 0, 32, integers},      \
    {                                                                                                        \
        "mma.sync m16n8k" #K2 " " #X " " #Y " satfinite", X##_##Y##_sat, FX, FY, S32, 16, 8, K2, 0, 32,      \
            integers                                                                                         \
    }

static const form forms[] = {
    {"mma.sync m16n8k8 f16 f32", f16_k8_f32, F16, F16, F32, 16, 8, 8, 0, 32, every},
    {"mma.sync m16n8k16 f16 f32", f16_k16_f32, F16, F16, F32, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k8 f16 f16", f16_k8_f16, F16, F16, F16, 16, 8, 8, 0, 32, every},
    {"mma.sync m16n8k16 f16 f16", f16_k16_f16, F16, F16, F16, 16, 8, 16, 0, 32, every},
    {"mma.sync m8n8k4 f16 f16", f16_quad_f16, F16, F16, F16, 8, 8, 4, 0, 64, every},
    {"mma.sync m8n8k4 f16 f32", f16_quad_f32, F16, F16, F32, 8, 8, 4, 0, 64, every},
    {"mma.sync m16n8k8 bf16 f32", bf16_k8, BF16, BF16, F32, 16, 8, 8, 0, 32, every},
    {"mma.sync m16n8k16 bf16 f32", bf16_k16, BF16, BF16, F32, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k4 tf32 f32", tf32_k4, TF32, TF32, F32, 16, 8, 4, 0, 32, every},
    {"mma.sync m16n8k8 tf32 f32", tf32_k8, TF32, TF32, F32, 16, 8, 8, 0, 32, every},
    {"mma.sync m16n8k4 tf32 f32 low bits", tf32_k4, TF32_RAW, TF32_RAW, F32, 16, 8, 4, 0, 32, every},
    {"mma.sync m16n8k8 tf32 f32 low bits", tf32_k8, TF32_RAW, TF32_RAW, F32, 16, 8, 8, 0, 32, every},
    FP8_FORMS(e4m3, e4m3, E4M3, E4M3),
    FP8_FORMS(e4m3, e5m2, E4M3, E5M2),
    FP8_FORMS(e5m2, e4m3, E5M2, E4M3),
    FP8_FORMS(e5m2, e5m2, E5M2, E5M2),
    {"mma.sync m8n8k4 f64", f64_m8, F64, F64, F64, 8, 8, 4, 0, 64, every},
    {"mma.sync m16n8k4 f64", f64_k4, F64, F64, F64, 16, 8, 4, 0, 32, every},
    {"mma.sync m16n8k8 f64", f64_k8, F64, F64, F64, 16, 8, 8, 0, 32, every},
    {"mma.sync m16n8k16 f64", f64_k16, F64, F64, F64, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k16 f64 rn", f64_k16_rn, F64, F64, F64, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k16 f64 rz", f64_k16_rz, F64, F64, F64, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k16 f64 rm", f64_k16_rm, F64, F64, F64, 16, 8, 16, 0, 32, every},
    {"mma.sync m16n8k16 f64 rp", f64_k16_rp, F64, F64, F64, 16, 8, 16, 0, 32, every},
    WHOLE_FORMS(s8, s8, S8, S8, 16, 16, 32),
    WHOLE_FORMS(s8, u8, S8, U8, 16, 16, 32),
    WHOLE_FORMS(u8, s8, U8, S8, 16, 16, 32),
    WHOLE_FORMS(u8, u8, U8, U8, 16, 16, 32),
    WHOLE_FORMS(s4, s4, S4, S4, 32, 32, 64),
    WHOLE_FORMS(u4, u4, U4, U4, 32, 32, 64),
    {"mma.sync m8n8k128 b1 xor", b1_xor_m8, B1, B1, S32, 8, 8, 128, 0, 64, 3},
    {"mma.sync m8n8k128 b1 and", b1_and_m8, B1, B1, S32, 8, 8, 128, 0, 64, 3},
    {"mma.sync m16n8k256 b1 xor", b1_xor_long, B1, B1, S32, 16, 8, 256, 0, 32, 3},
    {"mma.sync m16n8k256 b1 and", b1_and_long, B1, B1, S32, 16, 8, 256, 0, 32, 3},
    {"mma.sp m16n8k16 f16 f32", sp_f16_k16_f32, F16, F16, F32, 16, 8, 16, 4, 32, every},
    {"mma.sp m16n8k32 f16 f32", sp_f16_k32_f32, F16, F16, F32, 16, 8, 32, 4, 32, every},
    {"mma.sp m16n8k16 f16 f16", sp_f16_k16_f16, F16, F16, F16, 16, 8, 16, 4, 32, every},
    {"mma.sp m16n8k32 f16 f16", sp_f16_k32_f16, F16, F16, F16, 16, 8, 32, 4, 32, every},
    {"mma.sp m16n8k16 bf16 f32", sp_bf16_k16, BF16, BF16, F32, 16, 8, 16, 4, 32, every},
    {"mma.sp m16n8k32 bf16 f32", sp_bf16_k32, BF16, BF16, F32, 16, 8, 32, 4, 32, every},
    {"mma.sp m16n8k8 tf32 f32", sp_tf32_k8, TF32, TF32, F32, 16, 8, 8, 2, 32, every},
    {"mma.sp m16n8k16 tf32 f32", sp_tf32_k16, TF32, TF32, F32, 16, 8, 16, 2, 32, every},
    {"mma.sp m16n8k32 s8", sp_s8_k32, S8, S8, S32, 16, 8, 32, 4, 32, integers},
    {"mma.sp m16n8k64 s8", sp_s8_k64, S8, S8, S32, 16, 8, 64, 4, 32, integers},
    {"mma.sp m16n8k64 e4m3 e4m3 f32", sp_e4m3_k64, E4M3, E4M3, F32, 16, 8, 64, 4, 32, every},
    {"mma.sp m16n8k64 e5m2 e5m2 f32", sp_e5m2_k64, E5M2, E5M2, F32, 16, 8, 64, 4, 32, every},
    {"mma.sp m16n8k64 e4m3 e5m2 f32", sp_e4m3_e5m2_k64, E4M3, E5M2, F32, 16, 8, 64, 4, 32, every},
};

// Elements of a form in registers: lane t = 4 g + q, `per` elements of a word. Register r of A holds row g + 8 (r & 1)
// and the columns from per (q + 4 (r >> 1)); with 8 rows row g alone. Register r of B holds column g.
struct fragments {
    std::vector<uint32_t> a, b, c, d, meta;
};

static void put(std::vector<uint32_t> &to, size_t word, int bits, int element, uint64_t value)
{
    if (bits == 64)
        to[2 * word] = (uint32_t)value, to[2 * word + 1] = (uint32_t)(value >> 32);
    else
        to[word] |= (uint32_t)value << (bits * element);
}

// Volta's form: tile % 4 is the product's place in the warp, lanes 4 p + l + 16 h hold row (column) l + 4 h of A (B), four
// elements each.
static bool is_quad(const form &f) { return f.k == 4 && f.a.bits == 16; }

// A or B of every tile of a distribution: `lines` rows of A or columns of B, `depth` elements in each.
static std::vector<uint32_t> pack_operand(const form &f, int distribution, int role)
{
    const format &x = role == ROLE_A ? f.a : f.b;
    int lines = role == ROLE_A ? f.m : f.n, depth = role == ROLE_A ? stored(f) : f.k;
    int per = x.bits == 64 ? 1 : 32 / x.bits, groups = lines / 8;
    int registers = is_quad(f) ? 1 : groups * depth / (4 * per);
    std::vector<uint32_t> words((size_t)f.tiles * registers * 32 * (x.bits == 64 ? 2 : 1));
    for (int tile = 0; tile < f.tiles; tile++)
        for (int line = 0; line < lines; line++)
            for (int k = 0; k < depth; k++) {
                int lane = 4 * (line & 7) + k / per % 4, r = (k / (4 * per)) * groups + line / 8;
                size_t word = ((size_t)tile * registers + r) * 32 + lane;
                if (is_quad(f))
                    word =
                        ((size_t)(tile / 4) * 2 + k / 2) * 32 + 4 * (tile % 4) + line % 4 + 16 * (line / 4);
                put(words, word, x.bits, k % per,
                    operand(source_of(f, distribution, tile), x, role, line, k));
            }
    return words;
}

// The word and the half that hold element (i, j) of C or D.
static size_t accumulator_word(const form &f, int tile, int i, int j, int *half)
{
    bool narrow = f.d.bits == 16;
    if (is_quad(f)) {
        int place = 4 * (tile % 4) + 16 * (i / 4);
        *half = narrow ? j & 1 : 0;
        if (narrow) return ((size_t)(tile / 4) * 4 + j / 2) * 32 + place + i % 4;
        return ((size_t)(tile / 4) * 8 + ((i & 2) | (j & 5))) * 32 + place + (i & 1) + (j & 2);
    }
    int registers = f.m / 8 * (narrow ? 1 : 2), lane = 4 * (i & 7) + j / 2;
    *half = narrow ? j & 1 : 0;
    return ((size_t)tile * registers + (narrow ? i / 8 : 2 * (i / 8) + (j & 1))) * 32 + lane;
}

static size_t accumulator_words(const form &f) { return (size_t)f.tiles * f.m * f.n * f.d.bits / 32; }

static std::vector<uint32_t> pack_accumulators(const form &f, int distribution)
{
    std::vector<uint32_t> words(accumulator_words(f));
    for (int tile = 0; tile < f.tiles; tile++)
        for (int i = 0; i < f.m; i++)
            for (int j = 0; j < f.n; j++) {
                int half;
                size_t word = accumulator_word(f, tile, i, j, &half);
                put(words, word, f.d.bits, half,
                    accumulator(source_of(f, distribution, tile), f.a, f.b, f.d, i, j));
            }
    return words;
}

static std::vector<uint32_t> pack_metadata(const form &f, int distribution)
{
    std::vector<uint32_t> words((size_t)f.tiles * 32);
    for (int tile = 0; f.chunk > 0 && tile < f.tiles; tile++)
        for (int lane = 0; lane < 32; lane++)
            words[(size_t)tile * 32 + lane] = metadata_word(f, source_of(f, distribution, tile), 0, lane);
    return words;
}

static void append_outputs(const form &f, const std::vector<uint32_t> &d, std::vector<uint32_t> &out)
{
    for (int tile = 0; tile < f.tiles; tile++)
        for (int i = 0; i < f.m; i++)
            for (int j = 0; j < f.n; j++) {
                int half;
                size_t word = accumulator_word(f, tile, i, j, &half);
                if (f.d.bits == 64)
                    out.push_back(d[2 * word]), out.push_back(d[2 * word + 1]);
                else
                    out.push_back(f.d.bits == 16 ? d[word] >> (16 * half) & 0xffff : d[word]);
            }
}

static void run_form(const form &f)
{
    std::vector<uint32_t> out;
    for (int distribution = 0; distribution < DISTRIBUTIONS; distribution++) {
        if (!(f.distributions >> distribution & 1)) continue;
        uint32_t *a = on_card(pack_operand(f, distribution, ROLE_A)),
                 *b = on_card(pack_operand(f, distribution, ROLE_B));
        uint32_t *c = on_card(pack_accumulators(f, distribution)),
                 *e = on_card(pack_metadata(f, distribution));
        std::vector<uint32_t> d(accumulator_words(f));
        uint32_t *pd = poisoned(d.size());
        f.run<<<is_quad(f) ? f.tiles / 4 : f.tiles, 32>>>(a, b, c, pd, e);
        CARD_WAIT();
        CARD_TRY(cudaMemcpy(d.data(), pd, d.size() * 4, cudaMemcpyDeviceToHost));
        append_outputs(f, d, out);
        for (uint32_t *p : {a, b, c, pd, e}) CARD_TRY(cudaFree(p));
    }
    write_values(f.name, out.data(), out.size() * 4, out.size() * 32 / (f.d.bits == 64 ? 64 : 32));
}

int main(int count, char **words) { return each_part(count, words, forms, run_form); }
