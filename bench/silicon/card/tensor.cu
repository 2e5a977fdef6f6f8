// Latency and interval of tensor products, matrix loads and the arithmetic around them, on one SM.
//
// Method: a stream of one kind of instruction, unrolled, timed by the SM's clock (body.cuh). A chain gives the latency,
// several accumulators in one warp the interval, 4 to 32 warps the rate of a sub-core. Every register of a stream ends in
// the kernel's result, and operands come from an argument, so the compiler removes and folds nothing. A row of two
// kinds of instruction in one chain is the sum of the two latencies across their pipes.
#include "body.cuh"

// ---------------------------------------------------------------------------------------------------- tensor products

// The assembler statement of a product with ND, NA, NB registers of D, A and B; C has as many as D.
#define WORD_IN1(x)    "r"((x)[0])
#define WORD_IN2(x)    "r"((x)[0]), "r"((x)[1])
#define WORD_IN4(x)    WORD_IN2(x), "r"((x)[2]), "r"((x)[3])
#define WORD_IN8(x)    WORD_IN4(x), WORD_IN4((x) + 4)
#define WORD_OUT2(x)   "=r"((x)[0]), "=r"((x)[1])
#define WORD_OUT4(x)   WORD_OUT2(x), "=r"((x)[2]), "=r"((x)[3])
#define WORD_OUT8(x)   WORD_OUT4(x), WORD_OUT4((x) + 4)
#define DOUBLE_IN1(x)  "d"((x)[0])
#define DOUBLE_IN2(x)  "d"((x)[0]), "d"((x)[1])
#define DOUBLE_IN4(x)  DOUBLE_IN2(x), "d"((x)[2]), "d"((x)[3])
#define DOUBLE_IN8(x)  DOUBLE_IN4(x), DOUBLE_IN4((x) + 4)
#define DOUBLE_OUT2(x) "=d"((x)[0]), "=d"((x)[1])
#define DOUBLE_OUT4(x) DOUBLE_OUT2(x), "=d"((x)[2]), "=d"((x)[3])

#define LIST_2_1_1 " {%0,%1},{%2},{%3},{%4,%5}"
#define LIST_2_2_1 " {%0,%1},{%2,%3},{%4},{%5,%6}"
#define LIST_2_2_2 " {%0,%1},{%2,%3},{%4,%5},{%6,%7}"
#define LIST_2_4_2 " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9}"
#define LIST_2_4_4 " {%0,%1},{%2,%3,%4,%5},{%6,%7,%8,%9},{%10,%11}"
#define LIST_4_2_1 " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10}"
#define LIST_4_2_2 " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11}"
#define LIST_4_4_2 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13}"
#define LIST_4_4_4 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%12,%13,%14,%15}"
#define LIST_4_8_4 " {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19}"
#define LIST_8_2_2 " {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%12,%13,%14,%15,%16,%17,%18,%19}"

// A form of mma.sync: ID, the instruction's text, type of registers, counts of D, A, B, multiply-adds of the warp.
#define FORM(ID, TEXT, TYPE, KIND, ND, NA, NB, MACS)                                                         \
    struct ID {                                                                                              \
        using type = TYPE;                                                                                   \
        static constexpr int nd = ND, na = NA, nb = NB;                                                      \
        static constexpr double macs = MACS;                                                                 \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ __forceinline__ void go(TYPE *d, const TYPE *a, const TYPE *b, const TYPE *c)      \
        {                                                                                                    \
            asm volatile(TEXT LIST_##ND##_##NA##_##NB ";"                                                    \
                         : KIND##_OUT##ND(d)                                                                 \
                         : KIND##_IN##NA(a), KIND##_IN##NB(b), KIND##_IN##ND(c));                            \
        }                                                                                                    \
    };

// A form of mma.sp. Metadata 0x4444...: of every group the first two columns (of two tf32 columns the first).
#define SPARSE(ID, TEXT, ND, NA, NB, MACS)                                                                   \
    struct ID {                                                                                              \
        using type = uint32_t;                                                                               \
        static constexpr int nd = ND, na = NA, nb = NB;                                                      \
        static constexpr double macs = MACS;                                                                 \
        static constexpr const char *name = TEXT;                                                            \
        static __device__ __forceinline__ void go(uint32_t *d, const uint32_t *a, const uint32_t *b,         \
                                                  const uint32_t *c)                                         \
        {                                                                                                    \
            asm volatile("{.reg .b32 meta; mov.b32 meta, 0x44444444;\n" TEXT LIST_##ND##_##NA##_##NB         \
                         ", meta, 0;}"                                                                       \
                         : WORD_OUT##ND(d)                                                                   \
                         : WORD_IN##NA(a), WORD_IN##NB(b), WORD_IN##ND(c));                                  \
        }                                                                                                    \
    };

#define WARP_MMA    "mma.sync.aligned."
#define WARP_SPARSE "mma.sp::ordered_metadata.sync.aligned."
FORM(f16_k8_f16, WARP_MMA "m16n8k8.row.col.f16.f16.f16.f16", uint32_t, WORD, 2, 2, 1, 1024)
FORM(f16_k8_f32, WARP_MMA "m16n8k8.row.col.f32.f16.f16.f32", uint32_t, WORD, 4, 2, 1, 1024)
FORM(f16_k16_f16, WARP_MMA "m16n8k16.row.col.f16.f16.f16.f16", uint32_t, WORD, 2, 4, 2, 2048)
FORM(f16_k16_f32, WARP_MMA "m16n8k16.row.col.f32.f16.f16.f32", uint32_t, WORD, 4, 4, 2, 2048)
FORM(bf16_k8, WARP_MMA "m16n8k8.row.col.f32.bf16.bf16.f32", uint32_t, WORD, 4, 2, 1, 1024)
FORM(bf16_k16, WARP_MMA "m16n8k16.row.col.f32.bf16.bf16.f32", uint32_t, WORD, 4, 4, 2, 2048)
FORM(tf32_k4, WARP_MMA "m16n8k4.row.col.f32.tf32.tf32.f32", uint32_t, WORD, 4, 2, 1, 512)
FORM(tf32_k8, WARP_MMA "m16n8k8.row.col.f32.tf32.tf32.f32", uint32_t, WORD, 4, 4, 2, 1024)
FORM(s8_m8, WARP_MMA "m8n8k16.row.col.s32.s8.s8.s32", uint32_t, WORD, 2, 1, 1, 1024)
FORM(s8_k16, WARP_MMA "m16n8k16.row.col.s32.s8.s8.s32", uint32_t, WORD, 4, 2, 1, 2048)
FORM(s8_k32, WARP_MMA "m16n8k32.row.col.s32.s8.s8.s32", uint32_t, WORD, 4, 4, 2, 4096)
FORM(u8_k32, WARP_MMA "m16n8k32.row.col.s32.u8.u8.s32", uint32_t, WORD, 4, 4, 2, 4096)
FORM(s8u8_k32_sat, WARP_MMA "m16n8k32.row.col.satfinite.s32.s8.u8.s32", uint32_t, WORD, 4, 4, 2, 4096)
FORM(b1_m8_xor, WARP_MMA "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, WORD, 2, 1, 1, 8192)
FORM(b1_m8_and, WARP_MMA "m8n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, WORD, 2, 1, 1, 8192)
FORM(b1_k128_xor, WARP_MMA "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, WORD, 4, 2, 1, 16384)
FORM(b1_k128_and, WARP_MMA "m16n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, WORD, 4, 2, 1, 16384)
FORM(b1_k256_xor, WARP_MMA "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", uint32_t, WORD, 4, 4, 2, 32768)
FORM(b1_k256_and, WARP_MMA "m16n8k256.row.col.s32.b1.b1.s32.and.popc", uint32_t, WORD, 4, 4, 2, 32768)
FORM(f64_m8, WARP_MMA "m8n8k4.row.col.f64.f64.f64.f64", double, DOUBLE, 2, 1, 1, 256)
FORM(f64_k4, WARP_MMA "m16n8k4.row.col.f64.f64.f64.f64", double, DOUBLE, 4, 2, 1, 512)
FORM(f64_k8, WARP_MMA "m16n8k8.row.col.f64.f64.f64.f64", double, DOUBLE, 4, 4, 2, 1024)
FORM(f64_k16, WARP_MMA "m16n8k16.row.col.f64.f64.f64.f64", double, DOUBLE, 4, 8, 4, 2048)
FORM(e4m3_k16_f32, WARP_MMA "m16n8k16.row.col.f32.e4m3.e4m3.f32", uint32_t, WORD, 4, 2, 1, 2048)
FORM(e4m3_k16_f16, WARP_MMA "m16n8k16.row.col.f16.e4m3.e4m3.f16", uint32_t, WORD, 2, 2, 1, 2048)
FORM(e4m3_k32_f32, WARP_MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32", uint32_t, WORD, 4, 4, 2, 4096)
FORM(e4m3_k32_f16, WARP_MMA "m16n8k32.row.col.f16.e4m3.e4m3.f16", uint32_t, WORD, 2, 4, 2, 4096)
FORM(e5m2_k32_f32, WARP_MMA "m16n8k32.row.col.f32.e5m2.e5m2.f32", uint32_t, WORD, 4, 4, 2, 4096)
FORM(e5m2_k32_f16, WARP_MMA "m16n8k32.row.col.f16.e5m2.e5m2.f16", uint32_t, WORD, 2, 4, 2, 4096)
FORM(s4_m8, WARP_MMA "m8n8k32.row.col.s32.s4.s4.s32", uint32_t, WORD, 2, 1, 1, 2048)
FORM(s4_k32, WARP_MMA "m16n8k32.row.col.s32.s4.s4.s32", uint32_t, WORD, 4, 2, 1, 4096)
FORM(s4_k64, WARP_MMA "m16n8k64.row.col.s32.s4.s4.s32", uint32_t, WORD, 4, 4, 2, 8192)
FORM(f16_m8_f16, WARP_MMA "m8n8k4.row.col.f16.f16.f16.f16", uint32_t, WORD, 4, 2, 2, 1024)
FORM(f16_m8_f32, WARP_MMA "m8n8k4.row.col.f32.f16.f16.f32", uint32_t, WORD, 8, 2, 2, 1024)

SPARSE(sp_f16_k16_f16, WARP_SPARSE "m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, 2048)
SPARSE(sp_f16_k16_f32, WARP_SPARSE "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2, 2048)
SPARSE(sp_f16_k32_f16, WARP_SPARSE "m16n8k32.row.col.f16.f16.f16.f16", 2, 4, 4, 4096)
SPARSE(sp_f16_k32_f32, WARP_SPARSE "m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, 4096)
SPARSE(sp_bf16_k16, WARP_SPARSE "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2, 2048)
SPARSE(sp_bf16_k32, WARP_SPARSE "m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, 4096)
SPARSE(sp_tf32_k8, WARP_SPARSE "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2, 1024)
SPARSE(sp_tf32_k16, WARP_SPARSE "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 2048)
SPARSE(sp_s8_k32, WARP_SPARSE "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 2, 4096)
SPARSE(sp_s8_k64, WARP_SPARSE "m16n8k64.row.col.s32.s8.s8.s32", 4, 4, 4, 8192)
SPARSE(sp_u8_k64, WARP_SPARSE "m16n8k64.row.col.s32.u8.u8.s32", 4, 4, 4, 8192)
SPARSE(sp_e4m3_k64, WARP_SPARSE "m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4, 8192)
SPARSE(sp_e5m2_k64, WARP_SPARSE "m16n8k64.row.col.f32.e5m2.e5m2.f32", 4, 4, 4, 8192)

__device__ __forceinline__ uint32_t word_of(uint32_t x) { return x; }
__device__ __forceinline__ uint32_t word_of(uint64_t x) { return uint32_t(x ^ x >> 32); }
__device__ __forceinline__ uint32_t word_of(double x) { return word_of(uint64_t(__double_as_longlong(x))); }

// Registers whose values are 0, unknown to the compiler.
template <class T, int N> __device__ __forceinline__ void fill(T (&x)[N])
{
    for (int i = 0; i < N; i++) x[i] = T(body_zero());
}

template <class T, int N> __device__ __forceinline__ uint32_t digest(const T (&x)[N])
{
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) sum ^= word_of(x[i]);
    return sum;
}

// N accumulators, Steps products of each.
template <class Form, int N, int Steps> struct product_stream {
    using T = typename Form::type;
    static constexpr int threads = 512, count = N * Steps;
    T d[N][Form::nd], a[Form::na], b[Form::nb];

    __device__ void start(uint32_t zero)
    {
        fill(a);
        fill(b);
        for (int n = 0; n < N; n++) fill(d[n]);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) Form::go(d[n], a, b, d[n]);
    }
    __device__ uint32_t end()
    {
        uint32_t sum = 0;
        for (int n = 0; n < N; n++) sum ^= digest(d[n]);
        return sum;
    }
};

enum operand { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_A_AND_B };

// A chain from D to A or B (bits are taken as they are), as many registers as both have.
template <class Form, operand To, int Steps> struct product_chain {
    using T = typename Form::type;
    static constexpr int threads = 512, count = Steps;
    T a[Form::na], b[Form::nb], c[Form::nd], rest;

    __device__ void start(uint32_t zero)
    {
        fill(a);
        fill(b);
        fill(c);
        rest = T(zero);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++) {
            T d[Form::nd];
            Form::go(d, a, b, c);
#pragma unroll
            for (int k = 0; k < Form::nd; k++) {
                if ((To == OPERAND_A || To == OPERAND_A_AND_B) && k < Form::na) a[k] = d[k];
                if ((To == OPERAND_B || To == OPERAND_A_AND_B) && k < Form::nb) b[k] = d[k];
            }
            rest = d[Form::nd - 1];
        }
    }
    __device__ uint32_t end() { return digest(a) ^ digest(b) ^ digest(c) ^ word_of(rest); }
};

// Rows of a form: latencies, intervals by accumulators, rates of a sub-core by warps.
template <class Form, int Scale = 16> void product_rows()
{
    std::string name = Form::name;
    body_row<product_stream<Form, 1, 2 * Scale>>(name + ": latency D to C");
    body_row<product_chain<Form, OPERAND_A, 2 * Scale>>(name + ": latency D to A");
    body_row<product_chain<Form, OPERAND_B, 2 * Scale>>(name + ": latency D to B");
    body_row<product_stream<Form, 2, 2 * Scale>>(name + ": interval, 1 warp, 2 accumulators");
    body_row<product_stream<Form, 4, 2 * Scale>>(name + ": interval, 1 warp, 4 accumulators");
    body_row<product_stream<Form, 8, Scale>>(name + ": interval, 1 warp, 8 accumulators");
    for (int warps : {4, 8, 16})
        body_row_core<product_stream<Form, 8, Scale>>(name + ", 8 accumulators", warps);
    for (int warps : {4, 8, 12, 16})
        body_row_core<product_stream<Form, 8, 4>>(name + ", 8 accumulators, loop of 32", warps, "",
                                                  4 * body_rounds);
    using Body = product_stream<Form, 8, Scale>;
    body_entry_row(body_kernel<Body>, name + ": multiply-adds of the SM, 16 warps", "ops/cycle", 16,
                   body_rounds, Body::count * 16 * Form::macs, true, "");
}

template <class... Forms> void product_table() { (product_rows<Forms>(), ...); }

static void part_mma()
{
    product_table<f16_k8_f16, f16_k8_f32, f16_k16_f16, f16_k16_f32, bf16_k8, bf16_k16, tf32_k4, tf32_k8>();
}
static void part_mma_integer() { product_table<s8_m8, s8_k16, s8_k32, u8_k32, s8u8_k32_sat>(); }
static void part_mma_bits() { product_table<b1_m8_and, b1_k128_and, b1_k256_and>(); }
static void part_mma_double() { product_table<f64_m8, f64_k4, f64_k8, f64_k16>(); }
// Products of Rows x Columns tiles: an accumulator, A by row and B by column, as a matrix product's inner loop has them.
// Rows 1: A stays; Columns 1: B stays. `Diagonal`: both change from product to product.
template <class Form, int Rows, int Columns, bool Diagonal, int Steps> struct product_tiles {
    using T = typename Form::type;
    static constexpr int threads = 512, tiles = Diagonal ? Rows : Rows * Columns, count = tiles * Steps;
    T d[tiles][Form::nd], a[Rows][Form::na], b[Columns][Form::nb];

    __device__ void start(uint32_t zero)
    {
        for (int i = 0; i < Rows; i++) fill(a[i]);
        for (int i = 0; i < Columns; i++) fill(b[i]);
        for (int i = 0; i < tiles; i++) fill(d[i]);
        (void)zero;
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < tiles; n++)
                Form::go(d[n], a[Diagonal ? n : n / Columns], b[Diagonal ? n : n % Columns], d[n]);
    }
    __device__ uint32_t end()
    {
        uint32_t sum = 0;
        for (int i = 0; i < Rows; i++) sum ^= digest(a[i]);
        for (int i = 0; i < Columns; i++) sum ^= digest(b[i]);
        for (int i = 0; i < tiles; i++) sum ^= digest(d[i]);
        return sum;
    }
};

template <class Form, int Rows, int Columns, bool Diagonal = false> void product_tile_rows()
{
    using Long = product_tiles<Form, Rows, Columns, Diagonal, 16>;
    using Short = product_tiles<Form, Rows, Columns, Diagonal, 4>;
    std::string name = std::string("operands: ") + Form::name + ", " + std::to_string(Rows) + " of A, " +
                       std::to_string(Columns) + " of B" + (Diagonal ? ", both change" : "");
    body_row<Long>(name + ": interval, 1 warp");
    body_row_core<Long>(name, 16);
    for (int warps : {4, 8, 12, 16}) body_row_core<Short>(name + ", short loop", warps, "", 4 * body_rounds);
}

template <class Form> void product_tile_table()
{
    product_tile_rows<Form, 1, 8>();
    product_tile_rows<Form, 8, 1>();
    product_tile_rows<Form, 2, 4>();
    product_tile_rows<Form, 4, 2>();
    product_tile_rows<Form, 8, 8, true>();
}

static void part_mma_operands()
{
    product_tile_table<f16_k16_f32>();
    product_tile_table<f16_k16_f16>();
    product_tile_table<f16_k8_f32>();
    product_tile_table<f16_k8_f16>();
    product_tile_table<tf32_k8>();
    product_tile_table<s8_k32>();
    product_tile_table<sp_f16_k32_f32>();
    product_tile_table<sp_s8_k32>();
}

// Products by a routine of the compiler: a loop-invariant part (A times B) would leave the loop, so D goes to A and B.
template <class Form, int N, int Steps> struct product_chains {
    static constexpr int threads = 512, count = N * Steps;
    product_chain<Form, OPERAND_A_AND_B, 1> chains[N];

    __device__ void start(uint32_t zero)
    {
        for (int n = 0; n < N; n++) chains[n].start(zero);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) chains[n].run();
    }
    __device__ uint32_t end()
    {
        uint32_t sum = 0;
        for (int n = 0; n < N; n++) sum ^= chains[n].end();
        return sum;
    }
};

template <class Form, int Steps = 16> void software_rows()
{
    std::string name = Form::name;
    const char *note = "no instruction of sm_90: a sequence of the compiler's";
    body_row<product_chain<Form, OPERAND_A_AND_B, Steps>>(name + ": latency D to A and B", note);
    body_row<product_chains<Form, 4, Steps / 4>>(name + ": interval, 1 warp, 4 chains D to A and B", note);
    for (int warps : {4, 16})
        body_row_core<product_chains<Form, 4, Steps / 4>>(name + ", 4 chains D to A and B", warps, note);
}

static void part_mma_fp8()
{
    software_rows<e4m3_k16_f32>();
    software_rows<e4m3_k16_f16>();
    software_rows<e4m3_k32_f32>();
    software_rows<e4m3_k32_f16>();
    software_rows<e5m2_k32_f32>();
    software_rows<e5m2_k32_f16>();
}
static void part_mma_sparse()
{
    product_table<sp_f16_k16_f16, sp_f16_k16_f32, sp_f16_k32_f16, sp_f16_k32_f32, sp_bf16_k16, sp_bf16_k32,
                  sp_tf32_k8, sp_tf32_k16, sp_s8_k32, sp_s8_k64, sp_u8_k64>();
}
static void part_mma_sparse_fp8()
{
    software_rows<sp_e4m3_k64, 4>();
    software_rows<sp_e5m2_k64, 4>();
}
static void part_mma_software()
{
    software_rows<s4_m8, 4>();
    software_rows<s4_k32, 4>();
    software_rows<s4_k64, 4>();
    software_rows<b1_m8_xor, 4>();
    software_rows<b1_k128_xor, 4>();
    software_rows<b1_k256_xor, 4>();
    software_rows<f16_m8_f16, 4>();
    software_rows<f16_m8_f32, 4>();
}

// ------------------------------------------------------------------------------------------------------- arithmetic

// An operation on one register: x is read and written, p and q are operands that change from step to step.
#define WORD_OP(ID, TEXT)                                                                                    \
    struct ID {                                                                                              \
        using type = uint32_t;                                                                               \
        static __device__ __forceinline__ void go(uint32_t &x, uint32_t p, uint32_t q)                       \
        {                                                                                                    \
            asm volatile(TEXT : "+r"(x) : "r"(p), "r"(q));                                                   \
        }                                                                                                    \
    };
#define DOUBLE_OP(ID, TEXT)                                                                                  \
    struct ID {                                                                                              \
        using type = double;                                                                                 \
        static __device__ __forceinline__ void go(double &x, double p, double q)                             \
        {                                                                                                    \
            asm volatile(TEXT : "+d"(x) : "d"(p), "d"(q));                                                   \
        }                                                                                                    \
    };
#define LONG_OP(ID, TEXT)                                                                                    \
    struct ID {                                                                                              \
        using type = uint64_t;                                                                               \
        static __device__ __forceinline__ void go(uint64_t &x, uint64_t p, uint64_t q)                       \
        {                                                                                                    \
            asm volatile(TEXT : "+l"(x) : "l"(p), "l"(q));                                                   \
        }                                                                                                    \
    };
#define CALL_OP(ID, EXPRESSION)                                                                              \
    struct ID {                                                                                              \
        using type = uint32_t;                                                                               \
        static __device__ __forceinline__ void go(uint32_t &x, uint32_t p, uint32_t q)                       \
        {                                                                                                    \
            x = uint32_t(EXPRESSION);                                                                        \
            (void)p, (void)q;                                                                                \
        }                                                                                                    \
    };

// Single precision.
WORD_OP(op_ffma, "fma.rn.f32 %0,%0,%1,%2;")
WORD_OP(op_ffma_c, "fma.rn.f32 %0,%1,%2,%0;")
WORD_OP(op_ffma_xx, "fma.rn.f32 %0,%0,%0,%0;")
WORD_OP(op_ffma_xpx, "fma.rn.f32 %0,%0,%1,%0;")
WORD_OP(op_ffma_imm, "fma.rn.f32 %0,%0,0f3F800001,%1;")
WORD_OP(op_fadd, "add.rn.f32 %0,%0,%1;")
WORD_OP(op_fmul, "mul.rn.f32 %0,%0,%1;")
WORD_OP(op_fmax, "max.f32 %0,%0,%1;")
WORD_OP(op_ex2, "ex2.approx.ftz.f32 %0,%0;")
WORD_OP(op_lg2, "lg2.approx.ftz.f32 %0,%0;")
WORD_OP(op_rcp, "{.reg .f32 t; add.ftz.f32 t,%0,%1; rcp.approx.ftz.f32 %0,t;}")
WORD_OP(op_rsqrt, "rsqrt.approx.ftz.f32 %0,%0;")
WORD_OP(op_sin, "sin.approx.ftz.f32 %0,%0;")
WORD_OP(op_tanh, "tanh.approx.f32 %0,%0;")
// Integers.
WORD_OP(op_iadd3, "{.reg .b32 t; add.s32 t,%0,%1; add.s32 %0,t,%2;}")
WORD_OP(op_imad, "mad.lo.s32 %0,%0,%1,%2;")
WORD_OP(op_imul_hi, "mul.hi.u32 %0,%0,%1;")
WORD_OP(op_lop3, "lop3.b32 %0,%0,%1,%2,0x6a;")
WORD_OP(op_shf, "shf.l.wrap.b32 %0,%0,%1,%2;")
WORD_OP(op_prmt, "prmt.b32 %0,%0,%1,%2;")
WORD_OP(op_min, "{.reg .b32 t; min.s32 t,%0,%1; max.s32 %0,t,%2;}")
WORD_OP(op_popc, "popc.b32 %0,%0;")
WORD_OP(op_clz, "clz.b32 %0,%0;")
WORD_OP(op_brev, "brev.b32 %0,%0;")
WORD_OP(op_setp_selp, "{.reg .pred t; setp.ne.s32 t,%0,%1; selp.b32 %0,%0,%2,t;}")
WORD_OP(op_abs_diff, "sad.s32 %0,%0,%1,%2;")
LONG_OP(op_imad_wide, "{.reg .b32 a,b,c,d; mov.b64 {a,b},%0; mov.b64 {c,d},%1; mad.wide.u32 %0,a,c,%2;}")
LONG_OP(op_add64, "add.s64 %0,%1,%0;")
WORD_OP(op_dp4a, "dp4a.s32.s32 %0,%0,%1,%2;")
WORD_OP(op_dp4a_c, "dp4a.s32.s32 %0,%1,%2,%0;")
WORD_OP(op_dp2a, "dp2a.lo.s32.s32 %0,%0,%1,%2;")
WORD_OP(op_add_u16x2, "add.u16x2 %0,%0,%1;")
WORD_OP(op_max_s16x2, "{.reg .b32 t; min.s16x2 t,%0,%1; max.s16x2 %0,t,%2;}")
CALL_OP(op_viaddmax, __viaddmax_s32(int(x), int(p), int(q)))
CALL_OP(op_viaddmin, __viaddmin_s32(int(x), int(p), int(q)))
CALL_OP(op_viaddmax_relu, __viaddmax_s32_relu(int(x), int(p), int(q)))
CALL_OP(op_vimax3, __vimax3_s32(int(x), int(p), int(q)))
CALL_OP(op_vimin3, __vimin3_u32(x, p, q))
CALL_OP(op_vimax_relu, __vimax_s32_relu(int(x), int(p)) + int(q))
CALL_OP(op_viaddmax_s16x2, __viaddmax_s16x2(x, p, q))
CALL_OP(op_vimax3_s16x2, __vimax3_s16x2(x, p, q))
CALL_OP(op_viaddmax_s16x2_relu, __viaddmax_s16x2_relu(x, p, q))
// Double precision.
DOUBLE_OP(op_dfma, "fma.rn.f64 %0,%0,%1,%2;")
DOUBLE_OP(op_dadd, "add.rn.f64 %0,%0,%1;")
DOUBLE_OP(op_dmul, "mul.rn.f64 %0,%0,%1;")
// Halves.
WORD_OP(op_hfma2, "fma.rn.f16x2 %0,%0,%1,%2;")
WORD_OP(op_hfma2_relu, "fma.rn.relu.f16x2 %0,%0,%1,%2;")
WORD_OP(op_hadd2, "add.rn.f16x2 %0,%0,%1;")
WORD_OP(op_hmul2, "mul.rn.f16x2 %0,%0,%1;")
WORD_OP(op_hmax2, "{.reg .b32 t; min.f16x2 t,%0,%1; max.f16x2 %0,t,%2;}")
WORD_OP(op_bfma2, "fma.rn.bf16x2 %0,%0,%1,%2;")
WORD_OP(op_bfma2_relu, "fma.rn.relu.bf16x2 %0,%0,%1,%2;")
WORD_OP(op_badd2, "add.rn.bf16x2 %0,%0,%1;")
WORD_OP(op_bmul2, "mul.rn.bf16x2 %0,%0,%1;")
WORD_OP(op_bmax2, "{.reg .b32 t; min.bf16x2 t,%0,%1; max.bf16x2 %0,t,%2;}")
WORD_OP(op_ex2_f16, "{.reg .b16 a,b; mov.b32 {a,b},%0; ex2.approx.f16 a,a; mov.b32 %0,{a,b};}")
WORD_OP(op_ex2_f16x2, "ex2.approx.f16x2 %0,%0;")
WORD_OP(op_ex2_bf16x2, "ex2.approx.ftz.bf16x2 %0,%0;")
WORD_OP(op_tanh_f16x2, "tanh.approx.f16x2 %0,%0;")
WORD_OP(op_tanh_bf16x2, "tanh.approx.bf16x2 %0,%0;")
// Conversions.
WORD_OP(op_cvt_f16x2, "cvt.rn.f16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_f16x2_rz, "cvt.rz.f16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_f16x2_relu, "cvt.rn.relu.f16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_f16x2_sat, "cvt.rn.satfinite.f16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_bf16x2, "cvt.rn.bf16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_bf16x2_relu, "cvt.rn.relu.bf16x2.f32 %0,%0,%1;")
WORD_OP(op_cvt_tf32_rna, "cvt.rna.tf32.f32 %0,%0;")
WORD_OP(op_cvt_tf32_rn, "cvt.rn.tf32.f32 %0,%0;")
WORD_OP(op_cvt_tf32_rz, "cvt.rz.tf32.f32 %0,%0;")
WORD_OP(op_cvt_e4m3, "{.reg .b16 a,b; cvt.rn.satfinite.e4m3x2.f32 a,%0,%1; mov.b32 %0,{a,a};}")
WORD_OP(op_cvt_e4m3_pair, "{.reg .b16 a,b; cvt.rn.satfinite.e4m3x2.f32 a,%0,%1; cvt.rn.satfinite.e4m3x2.f32 "
                          "b,%0,%2; mov.b32 %0,{a,b};}")
WORD_OP(op_cvt_e5m2, "{.reg .b16 a,b; cvt.rn.satfinite.e5m2x2.f32 a,%0,%1; mov.b32 %0,{a,a};}")
WORD_OP(op_cvt_e4m3_f16, "{.reg .b16 a,b; cvt.rn.satfinite.e4m3x2.f16x2 a,%0; mov.b32 %0,{a,a};}")
WORD_OP(op_cvt_e5m2_f16, "{.reg .b16 a,b; cvt.rn.satfinite.e5m2x2.f16x2 a,%0; mov.b32 %0,{a,a};}")
WORD_OP(op_cvt_f16_e4m3, "{.reg .b16 a,b; mov.b32 {a,b},%0; cvt.rn.f16x2.e4m3x2 %0,a;}")
WORD_OP(op_cvt_f16_e4m3_hi, "{.reg .b16 a,b; mov.b32 {a,b},%0; cvt.rn.f16x2.e4m3x2 %0,b;}")
WORD_OP(op_cvt_f16_e5m2, "{.reg .b16 a,b; mov.b32 {a,b},%0; cvt.rn.f16x2.e5m2x2 %0,a;}")
WORD_OP(op_cvt_f32_f16, "{.reg .b16 a,b; mov.b32 {a,b},%0; cvt.f32.f16 %0,b;}")
WORD_OP(op_cvt_f32_bf16, "{.reg .b16 a,b; mov.b32 {a,b},%0; cvt.f32.bf16 %0,a;}")
WORD_OP(op_cvt_f32_s32, "cvt.rn.f32.s32 %0,%0;")
WORD_OP(op_cvt_s32_f32, "cvt.rni.s32.f32 %0,%0;")
WORD_OP(op_cvt_s8_s32, "cvt.sat.s8.s32 %0,%0;")
LONG_OP(op_cvt_f64_f32, "{.reg .f32 a; cvt.rn.f32.f64 a,%0; cvt.f64.f32 %0,a;}")
// Across the lanes.
WORD_OP(op_shfl_idx, "shfl.sync.idx.b32 %0,%0,%1,0x1f,0xffffffff;")
WORD_OP(op_shfl_bfly, "shfl.sync.bfly.b32 %0,%0,%1,0x1f,0xffffffff;")
WORD_OP(op_shfl_bfly_imm, "shfl.sync.bfly.b32 %0,%0,4,0x1f,0xffffffff;")
WORD_OP(op_shfl_down, "shfl.sync.down.b32 %0,%0,%1,0x1f,0xffffffff;")
WORD_OP(op_redux_add, "redux.sync.add.s32 %0,%0,0xffffffff;")
WORD_OP(op_redux_min, "redux.sync.min.s32 %0,%0,0xffffffff;")
WORD_OP(op_redux_and, "redux.sync.and.b32 %0,%0,0xffffffff;")
WORD_OP(op_ballot, "{.reg .pred t; setp.ne.s32 t,%0,%1; vote.sync.ballot.b32 %0,t,0xffffffff;}")
WORD_OP(op_match, "match.any.sync.b32 %0,%0,0xffffffff;")
WORD_OP(op_movmatrix, "movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;")

inline constexpr int operands = 8;

// N chains of an operation, Steps steps of each.
template <class Op, int N, int Steps> struct chain {
    using T = typename Op::type;
    static constexpr int threads = 1024, count = N * Steps;
    T x[N], p[operands];

    __device__ void start(uint32_t zero)
    {
        fill(x);
        fill(p);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) {
                int k = i * N + n;
                Op::go(x[n], p[k % operands], p[(k + 3) % operands]);
            }
    }
    __device__ uint32_t end() { return digest(x) ^ digest(p); }
};

// As `chain`, with two operands that never change: the register file's reuse slots can hold them.
template <class Op, int N, int Steps> struct chain_reusing : chain<Op, N, Steps> {
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) Op::go(this->x[n], this->p[0], this->p[1]);
    }
};

// One chain through two operations: the sum of both latencies across their pipes.
template <class First, class Second, int Steps> struct chain_of_two : chain<First, 1, Steps> {
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++) {
            First::go(this->x[0], this->p[i % operands], this->p[(i + 3) % operands]);
            Second::go(this->x[0], this->p[(i + 1) % operands], this->p[(i + 5) % operands]);
        }
    }
};

// Groups of First `F` times and Second `S` times, all independent (8 chains of each kind).
template <class First, int F, class Second, int S, int Groups> struct mixture {
    static constexpr int threads = 1024, count = Groups;
    typename First::type x[8], p[4];
    typename Second::type y[8], q[4];

    __device__ void start(uint32_t zero)
    {
        fill(x);
        fill(p);
        fill(y);
        fill(q);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Groups; i++) {
#pragma unroll
            for (int k = 0; k < F; k++) First::go(x[(i * F + k) % 8], p[0], p[1]);
#pragma unroll
            for (int k = 0; k < S; k++) Second::go(y[(i * S + k) % 8], q[0], q[1]);
        }
    }
    __device__ uint32_t end() { return digest(x) ^ digest(p) ^ digest(y) ^ digest(q); }
};

// Rates of 16 and 32 warps: a loop of 64 instructions, so that the first instruction cache holds it whole.
template <class Op, int Steps = 128> void op_rows(const char *name)
{
    std::string text = name;
    body_row<chain<Op, 1, Steps>>(text + ": latency");
    body_row<chain<Op, 8, Steps / 4>>(text + ": interval, 1 warp, 8 chains");
    body_row_core<chain<Op, 8, Steps / 4>>(text + ", 8 chains", 16);
    for (int warps : {8, 16, 32})
        body_row_core<chain<Op, 8, 8>>(text + ", 8 chains, loop of 64", warps, "", 8 * body_rounds);
}

static void part_base()
{
    op_rows<op_ffma>("FFMA");
    op_rows<op_fadd>("FADD");
    op_rows<op_fmul>("FMUL");
    op_rows<op_fmax>("FMNMX (max.f32)");
    op_rows<op_iadd3>("IADD3");
    op_rows<op_imad>("IMAD");
    op_rows<op_imul_hi>("IMAD.HI (mul.hi.u32)");
    op_rows<op_imad_wide>("IMAD.WIDE (mad.wide.u32)");
    op_rows<op_add64>("add.s64 (two in a row become IADD3 and IADD3.X of three operands)");
    op_rows<op_lop3>("LOP3");
    op_rows<op_shf>("SHF");
    op_rows<op_prmt>("PRMT");
    // Two min in a row would become one instruction of three operands.
    op_rows<op_min>("min.s32 then max.s32 (a pair counts 1)");
    op_rows<op_popc>("POPC");
    op_rows<op_clz>("clz.b32 (FLO and an addition)");
    op_rows<op_brev>("brev.b32");
    op_rows<op_setp_selp>("ISETP then SEL");
    op_rows<op_abs_diff>("sad.s32");
    op_rows<op_dfma>("DFMA");
    op_rows<op_dadd>("DADD");
    op_rows<op_dmul>("DMUL");
    op_rows<op_ex2, 64>("ex2.approx.ftz.f32");
    op_rows<op_lg2, 64>("lg2.approx.ftz.f32");
    op_rows<op_rcp, 64>("FADD then rcp.approx.ftz.f32 (a pair counts 1)");
    op_rows<op_rsqrt, 64>("rsqrt.approx.ftz.f32");
    op_rows<op_sin, 64>("sin.approx.ftz.f32");
    op_rows<op_tanh, 64>("tanh.approx.f32");
}

static void part_packed()
{
    op_rows<op_hfma2>("fma.rn.f16x2");
    op_rows<op_hfma2_relu>("fma.rn.relu.f16x2");
    op_rows<op_hadd2>("add.f16x2");
    op_rows<op_hmul2>("mul.f16x2");
    op_rows<op_hmax2>("min.f16x2 then max.f16x2 (a pair counts 1)");
    op_rows<op_bfma2>("fma.rn.bf16x2");
    op_rows<op_bfma2_relu>("fma.rn.relu.bf16x2");
    op_rows<op_badd2>("add.bf16x2");
    op_rows<op_bmul2>("mul.bf16x2");
    op_rows<op_bmax2>("min.bf16x2 then max.bf16x2 (a pair counts 1)");
    op_rows<op_ex2_f16, 64>("ex2.approx.f16");
    op_rows<op_ex2_f16x2, 64>("ex2.approx.f16x2");
    op_rows<op_ex2_bf16x2, 64>("ex2.approx.ftz.bf16x2");
    op_rows<op_tanh_f16x2, 64>("tanh.approx.f16x2");
    op_rows<op_tanh_bf16x2, 64>("tanh.approx.bf16x2");
    op_rows<op_dp4a>("dp4a (chain through A)");
    op_rows<op_dp4a_c>("dp4a (chain through C)");
    op_rows<op_dp2a>("dp2a");
    op_rows<op_add_u16x2>("add.u16x2");
    op_rows<op_max_s16x2>("min.s16x2 then max.s16x2 (a pair counts 1)");
    op_rows<op_viaddmax>("__viaddmax_s32");
    op_rows<op_viaddmin>("__viaddmin_s32");
    op_rows<op_viaddmax_relu>("__viaddmax_s32_relu");
    op_rows<op_vimax3>("__vimax3_s32");
    op_rows<op_vimin3>("__vimin3_u32");
    op_rows<op_vimax_relu>("__vimax_s32_relu and an addition");
    op_rows<op_viaddmax_s16x2>("__viaddmax_s16x2");
    op_rows<op_vimax3_s16x2>("__vimax3_s16x2");
    op_rows<op_viaddmax_s16x2_relu>("__viaddmax_s16x2_relu");
}

static void part_convert()
{
    op_rows<op_cvt_f16x2>("cvt.rn.f16x2.f32");
    op_rows<op_cvt_f16x2_rz>("cvt.rz.f16x2.f32");
    op_rows<op_cvt_f16x2_relu>("cvt.rn.relu.f16x2.f32");
    op_rows<op_cvt_f16x2_sat>("cvt.rn.satfinite.f16x2.f32");
    op_rows<op_cvt_bf16x2>("cvt.rn.bf16x2.f32");
    op_rows<op_cvt_bf16x2_relu>("cvt.rn.relu.bf16x2.f32");
    op_rows<op_cvt_tf32_rna>("cvt.rna.tf32.f32 (three instructions)");
    op_rows<op_cvt_tf32_rn>("cvt.rn.tf32.f32");
    op_rows<op_cvt_tf32_rz>("cvt.rz.tf32.f32");
    op_rows<op_cvt_e4m3>("cvt.rn.satfinite.e4m3x2.f32 and a copy to both halves");
    op_rows<op_cvt_e4m3_pair>("two cvt.rn.satfinite.e4m3x2.f32 into one register");
    op_rows<op_cvt_e5m2>("cvt.rn.satfinite.e5m2x2.f32 and a copy to both halves");
    op_rows<op_cvt_e4m3_f16>("cvt.rn.satfinite.e4m3x2.f16x2 and a copy to both halves");
    op_rows<op_cvt_e5m2_f16>("cvt.rn.satfinite.e5m2x2.f16x2 and a copy to both halves");
    op_rows<op_cvt_f16_e4m3>("cvt.rn.f16x2.e4m3x2 of the low half");
    op_rows<op_cvt_f16_e4m3_hi>("cvt.rn.f16x2.e4m3x2 of the high half");
    op_rows<op_cvt_f16_e5m2>("cvt.rn.f16x2.e5m2x2 of the low half");
    op_rows<op_cvt_f32_f16>("cvt.f32.f16 of the high half");
    op_rows<op_cvt_f32_bf16>("cvt.f32.bf16 of the low half");
    op_rows<op_cvt_f32_s32, 64>("cvt.rn.f32.s32");
    op_rows<op_cvt_s32_f32, 64>("cvt.rni.s32.f32");
    op_rows<op_cvt_s8_s32, 64>("cvt.sat.s8.s32");
    op_rows<op_cvt_f64_f32, 64>("cvt.rn.f32.f64 then cvt.f64.f32");
}

static void part_lanes()
{
    op_rows<op_shfl_idx, 64>("shfl.sync.idx");
    op_rows<op_shfl_bfly, 64>("shfl.sync.bfly");
    op_rows<op_shfl_bfly_imm, 64>("shfl.sync.bfly, immediate");
    op_rows<op_shfl_down, 64>("shfl.sync.down");
    op_rows<op_redux_add, 64>("redux.sync.add.s32");
    op_rows<op_redux_min, 64>("redux.sync.min.s32");
    op_rows<op_redux_and, 64>("redux.sync.and.b32");
    op_rows<op_ballot, 64>("ISETP then vote.sync.ballot");
    op_rows<op_match, 32>("match.any.sync.b32");
    op_rows<op_movmatrix, 64>("movmatrix.trans.b16");
}

// Rates by the number of registers that an instruction reads, with and without operands that stay.
template <template <class, int, int> class Chain, class Op> void port_rows(const char *name)
{
    std::string text = name;
    body_row<Chain<Op, 8, 128>>(text + ": interval, 1 warp, 8 chains");
    for (int warps : {4, 8, 16, 32}) body_row_core<Chain<Op, 8, 128>>(text + ", 8 chains", warps);
    for (int warps : {4, 8, 16, 32})
        body_row_core<Chain<Op, 8, 8>>(text + ", 8 chains, loop of 64", warps, "", 16 * body_rounds);
}

static void part_ports()
{
    port_rows<chain_reusing, op_ffma_xx>("registers: FFMA x*x+x");
    port_rows<chain_reusing, op_ffma_xpx>("registers: FFMA x*p+x, p stays");
    port_rows<chain, op_ffma_xpx>("registers: FFMA x*p+x, p changes");
    port_rows<chain_reusing, op_ffma>("registers: FFMA x*p+q, p and q stay");
    port_rows<chain_reusing, op_ffma_c>("registers: FFMA p*q+x, p and q stay");
    port_rows<chain, op_ffma>("registers: FFMA x*p+q, p and q change");
    port_rows<chain, op_ffma_c>("registers: FFMA p*q+x, p and q change");
    port_rows<chain, op_ffma_imm>("registers: FFMA x*immediate+p, p changes");
    port_rows<chain, op_fadd>("registers: FADD x+p, p changes");
    port_rows<chain_reusing, op_fadd>("registers: FADD x+p, p stays");
    port_rows<chain_reusing, op_imad>("registers: IMAD x*p+q, p and q stay");
    port_rows<chain, op_imad>("registers: IMAD x*p+q, p and q change");
    port_rows<chain_reusing, op_hfma2>("registers: HFMA2 x*p+q, p and q stay");
    port_rows<chain, op_hfma2>("registers: HFMA2 x*p+q, p and q change");
    port_rows<chain_reusing, op_dfma>("registers: DFMA x*p+q, p and q stay");
    port_rows<chain, op_dfma>("registers: DFMA x*p+q, p and q change");
}

// The rate by the loop's length: which lengths the instruction caches hold, for warps that run apart.
template <class Op, int Steps> void fetch_row(const char *name)
{
    using Body = chain<Op, 8, Steps>;
    std::string text = std::string("fetch: ") + name + ", loop of " + std::to_string(Body::count);
    for (int warps : {4, 8, 12, 16, 32})
        body_entry_row(body_kernel<Body>, body_name(text, warps, "cycles per instruction of a sub-core"),
                       "cycles", warps, 65536 / Body::count, 4.0 / warps / Body::count, false, "");
}

template <class Op> void fetch_table(const char *name)
{
    fetch_row<Op, 2>(name);
    fetch_row<Op, 4>(name);
    fetch_row<Op, 6>(name);
    fetch_row<Op, 8>(name);
    fetch_row<Op, 12>(name);
    fetch_row<Op, 14>(name);
    fetch_row<Op, 16>(name);
    fetch_row<Op, 20>(name);
    fetch_row<Op, 24>(name);
    fetch_row<Op, 32>(name);
    fetch_row<Op, 64>(name);
}

static void part_fetch()
{
    fetch_table<op_fadd>("FADD");
    fetch_table<op_iadd3>("IADD3");
    fetch_table<op_ex2>("ex2");
    fetch_row<op_fadd, 256>("FADD");
    fetch_row<op_fadd, 512>("FADD");
}

template <class First, int F, class Second, int S> void mixture_rows(const char *first, const char *second)
{
    constexpr int groups = 256 / (F + S) / 8 * 8 + 8;
    using Body = mixture<First, F, Second, S, groups>;
    std::string name = std::string("mixed: group of ") + std::to_string(F) + " " + first + " and " +
                       std::to_string(S) + " " + second + ", independent";
    body_row<Body>(name + ", 1 warp: cycles of a group");
    for (int warps : {4, 16}) {
        std::string text = name + ", " + std::to_string(warps) + " warps: cycles of a group, sub-core";
        body_entry_row(body_kernel<Body>, text, "cycles", warps, body_rounds, 4.0 / warps / Body::count,
                       false, "");
    }
}

static void part_mixed()
{
    mixture_rows<op_ffma, 1, op_iadd3, 1>("FFMA", "IADD3");
    mixture_rows<op_ffma, 2, op_iadd3, 1>("FFMA", "IADD3");
    mixture_rows<op_ffma, 4, op_iadd3, 1>("FFMA", "IADD3");
    mixture_rows<op_ffma, 1, op_iadd3, 2>("FFMA", "IADD3");
    mixture_rows<op_ffma, 1, op_imad, 1>("FFMA", "IMAD");
    mixture_rows<op_ffma, 2, op_imad, 1>("FFMA", "IMAD");
    mixture_rows<op_ffma, 1, op_lop3, 1>("FFMA", "LOP3");
    mixture_rows<op_imad, 1, op_iadd3, 1>("IMAD", "IADD3");
    mixture_rows<op_imad, 1, op_lop3, 1>("IMAD", "LOP3");
    mixture_rows<op_imad, 1, op_hfma2, 1>("IMAD", "fma.rn.f16x2");
    mixture_rows<op_ffma, 1, op_hfma2, 1>("FFMA", "fma.rn.f16x2");
    mixture_rows<op_ffma, 2, op_dfma, 1>("FFMA", "DFMA");
    mixture_rows<op_iadd3, 1, op_dfma, 1>("IADD3", "DFMA");
    mixture_rows<op_ffma, 8, op_ex2, 1>("FFMA", "ex2");
    mixture_rows<op_iadd3, 4, op_ex2, 1>("IADD3", "ex2");
    mixture_rows<op_ffma, 4, op_cvt_f16x2, 1>("FFMA", "cvt.rn.f16x2.f32");
    mixture_rows<op_iadd3, 1, op_cvt_f16x2, 1>("IADD3", "cvt.rn.f16x2.f32");
    mixture_rows<op_ffma, 2, op_shfl_bfly_imm, 1>("FFMA", "shfl");
    mixture_rows<op_ffma, 1, op_fmax, 1>("FFMA", "max.f32");
}

template <class First, class Second> void pair_row(const char *first, const char *second)
{
    using Body = chain_of_two<First, Second, 64>;
    body_row<Body>(std::string("pair: ") + first + " then " + second + ", latency of both");
}

static void part_pairs()
{
    pair_row<op_ffma, op_iadd3>("FFMA", "IADD3");
    pair_row<op_ffma, op_lop3>("FFMA", "LOP3");
    pair_row<op_ffma, op_imad>("FFMA", "IMAD");
    pair_row<op_imad, op_iadd3>("IMAD", "IADD3");
    pair_row<op_imad, op_lop3>("IMAD", "LOP3");
    pair_row<op_iadd3, op_lop3>("IADD3", "LOP3");
    pair_row<op_ffma, op_hfma2>("FFMA", "fma.rn.f16x2");
    pair_row<op_hfma2, op_lop3>("fma.rn.f16x2", "LOP3");
    pair_row<op_hfma2, op_bfma2>("fma.rn.f16x2", "fma.rn.bf16x2");
    pair_row<op_ffma, op_fmax>("FFMA", "max.f32");
    pair_row<op_ffma, op_ex2>("FFMA", "ex2");
    pair_row<op_lop3, op_ex2>("LOP3", "ex2");
    pair_row<op_ffma, op_cvt_f16x2>("FFMA", "cvt.rn.f16x2.f32");
    pair_row<op_lop3, op_cvt_f16x2>("LOP3", "cvt.rn.f16x2.f32");
    pair_row<op_hfma2, op_cvt_f16_e4m3>("fma.rn.f16x2", "cvt.rn.f16x2.e4m3x2");
    pair_row<op_ffma, op_shfl_bfly_imm>("FFMA", "shfl");
    pair_row<op_lop3, op_shfl_bfly_imm>("LOP3", "shfl");
    pair_row<op_iadd3, op_redux_add>("IADD3", "redux.sync.add");
}

// ------------------------------------------------------------------------------- tensor products beside other pipes

// A chain D -> operation on a register of D -> C, A or B of the next product.
template <class Form, class Op, operand To, int Steps> struct product_then : product_chain<Form, To, Steps> {
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++) {
            typename Form::type d[Form::nd];
            Form::go(d, this->a, this->b, this->c);
            Op::go(d[0], this->b[0], this->b[Form::nb - 1]);
            if (To == OPERAND_A) this->a[0] = d[0];
            if (To == OPERAND_B) this->b[0] = d[0];
            if (To == OPERAND_C)
#pragma unroll
                for (int k = 0; k < Form::nd; k++) this->c[k] = d[k];
            this->rest = d[Form::nd - 1];
        }
    }
};

template <class Form, class Op> void product_then_rows(const char *name)
{
    std::string text = std::string(Form::name) + " then " + name + " then ";
    body_row<product_then<Form, Op, OPERAND_C, 32>>(text + "C: latency of both");
    body_row<product_then<Form, Op, OPERAND_A, 32>>(text + "A: latency of both");
    body_row<product_then<Form, Op, OPERAND_B, 32>>(text + "B: latency of both");
}

static void part_mma_bypass()
{
    product_then_rows<f16_k16_f32, op_lop3>("LOP3");
    product_then_rows<f16_k16_f32, op_iadd3>("IADD3");
    product_then_rows<f16_k16_f32, op_ffma>("FFMA");
    product_then_rows<f16_k16_f32, op_fmul>("FMUL");
    product_then_rows<f16_k16_f32, op_hfma2>("fma.rn.f16x2");
    product_then_rows<f16_k16_f32, op_cvt_f16x2>("cvt.rn.f16x2.f32");
    product_then_rows<f16_k16_f32, op_ex2>("ex2");
    product_then_rows<f16_k16_f32, op_shfl_bfly_imm>("shfl");
    product_then_rows<f16_k16_f16, op_lop3>("LOP3");
    product_then_rows<f16_k16_f16, op_hfma2>("fma.rn.f16x2");
    product_then_rows<f16_k16_f16, op_ffma>("FFMA");
    product_then_rows<f16_k8_f32, op_lop3>("LOP3");
    product_then_rows<f16_k8_f32, op_ffma>("FFMA");
    product_then_rows<tf32_k8, op_lop3>("LOP3");
    product_then_rows<tf32_k8, op_ffma>("FFMA");
    product_then_rows<s8_k32, op_lop3>("LOP3");
    product_then_rows<s8_k32, op_imad>("IMAD");
    product_then_rows<s8_k32, op_cvt_f32_s32>("cvt.rn.f32.s32");
    product_then_rows<s8_k16, op_lop3>("LOP3");
    product_then_rows<f64_k8, op_dfma>("DFMA");
}

// Groups of a product (8 accumulators) and Others operations (8 chains; operands stay).
template <class Form, class Op, int Others, int Groups> struct product_beside {
    static constexpr int threads = 512, count = Groups;
    typename Form::type d[8][Form::nd], a[Form::na], b[Form::nb];
    typename Op::type x[8], p[2];

    __device__ void start(uint32_t zero)
    {
        fill(a);
        fill(b);
        fill(x);
        fill(p);
        for (int n = 0; n < 8; n++) fill(d[n]);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Groups; i++) {
            Form::go(d[i % 8], a, b, d[i % 8]);
#pragma unroll
            for (int k = 0; k < Others; k++) Op::go(x[(i * Others + k) % 8], p[0], p[1]);
        }
    }
    __device__ uint32_t end()
    {
        uint32_t sum = digest(a) ^ digest(b) ^ digest(x) ^ digest(p);
        for (int n = 0; n < 8; n++) sum ^= digest(d[n]);
        return sum;
    }
};

template <class Form, class Op, int Others> void beside_rows(const char *name)
{
    using Long = product_beside<Form, Op, Others, 64>;
    using Short = product_beside<Form, Op, Others, 8>;
    std::string text =
        std::string("beside: group of 1 ") + Form::name + " and " + std::to_string(Others) + " " + name;
    for (int warps : {4, 16})
        body_entry_row(body_kernel<Long>, body_name(text, warps, "cycles of a group, sub-core"), "cycles",
                       warps, body_rounds, 4.0 / warps / Long::count, false, "");
    for (int warps : {8, 16})
        body_entry_row(body_kernel<Short>,
                       body_name(text + ", short loop", warps, "cycles of a group, sub-core"), "cycles",
                       warps, 8 * body_rounds, 4.0 / warps / Short::count, false, "");
}

template <class Form, class Op> void beside_table(const char *name)
{
    beside_rows<Form, Op, 1>(name);
    beside_rows<Form, Op, 2>(name);
    beside_rows<Form, Op, 4>(name);
    beside_rows<Form, Op, 8>(name);
}

static void part_beside()
{
    beside_table<f16_k16_f32, op_ffma>("FFMA x*p+q");
    beside_table<f16_k16_f32, op_ffma_xx>("FFMA x*x+x");
    beside_table<f16_k16_f16, op_ffma>("FFMA x*p+q");
    beside_table<f16_k16_f32, op_iadd3>("IADD3");
    beside_table<f16_k16_f32, op_imad>("IMAD");
    beside_table<f16_k16_f32, op_hfma2>("fma.rn.f16x2");
    beside_rows<f16_k16_f32, op_ex2, 1>("ex2");
    beside_rows<f16_k16_f32, op_ex2, 2>("ex2");
    beside_rows<f16_k16_f32, op_dfma, 1>("DFMA");
    beside_rows<f16_k16_f32, op_dfma, 4>("DFMA");
    beside_table<s8_k32, op_ffma>("FFMA x*p+q");
    beside_table<f64_k16, op_ffma>("FFMA x*p+q");
    beside_rows<f64_k16, op_dfma, 1>("DFMA");
    beside_rows<f64_k16, op_dfma, 8>("DFMA");
}

// Tensor products of two kinds in turn: whether the kinds share a unit.
template <class First, class Second> struct products_of_two {
    static constexpr int threads = 512, count = 32;
    typename First::type d[4][First::nd], a[First::na], b[First::nb];
    typename Second::type e[4][Second::nd], f[Second::na], g[Second::nb];

    __device__ void start(uint32_t zero)
    {
        fill(a);
        fill(b);
        fill(f);
        fill(g);
        for (int n = 0; n < 4; n++) fill(d[n]), fill(e[n]);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            First::go(d[i % 4], a, b, d[i % 4]);
            Second::go(e[i % 4], f, g, e[i % 4]);
        }
    }
    __device__ uint32_t end()
    {
        uint32_t sum = digest(a) ^ digest(b) ^ digest(f) ^ digest(g);
        for (int n = 0; n < 4; n++) sum ^= digest(d[n]) ^ digest(e[n]);
        return sum;
    }
};

template <class First, class Second> void two_kinds_row()
{
    using Body = products_of_two<First, Second>;
    body_row_core<Body>(
        std::string("in turn: ") + First::name + " and " + Second::name + " (a pair counts 1)", 16);
}

static void part_two_kinds()
{
    two_kinds_row<f16_k16_f32, s8_k32>();
    two_kinds_row<f16_k16_f32, tf32_k8>();
    two_kinds_row<f16_k16_f32, f64_k8>();
    two_kinds_row<f16_k16_f32, f16_k8_f32>();
    two_kinds_row<s8_k32, f64_k8>();
    two_kinds_row<s8_k32, b1_k256_and>();
}

// ------------------------------------------------------------------------------------------------- loads of matrices

inline constexpr int matrix_rows = 32;

// Shared memory in which every lane loads the address of its row, so that a load's result is the next load's address.
// `stride` bytes from row to row: 16 has no bank conflict, 32, 64, 128 have 2, 4, 8 rows in the same banks.
__device__ inline uint32_t matrix_chase(uint8_t *memory, int stride, bool transposed)
{
    uint32_t base = uint32_t(__cvta_generic_to_shared(memory));
    uint32_t lane = threadIdx.x % 32, own = base + lane * uint32_t(stride);
    uint32_t g = lane / 4, q = lane % 4;
    if (threadIdx.x < 32 && !transposed) *(uint32_t *)(memory + g * uint32_t(stride) + q * 4) = own;
    if (threadIdx.x < 32 && transposed) {
        *(uint16_t *)(memory + (2 * q) * uint32_t(stride) + g * 2) = uint16_t(own);
        *(uint16_t *)(memory + (2 * q + 1) * uint32_t(stride) + g * 2) = uint16_t(own >> 16);
    }
    __syncthreads();
    return own;
}

// x: as many registers as matrices; the first holds the address.
#define LDMATRIX1(T, x)                                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" T ".shared.b16 {%0},[%0];" : "+r"((x)[0])::"memory")
#define LDMATRIX2(T, x)                                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" T ".shared.b16 {%0,%1},[%0];"                               \
                 : "+r"((x)[0]), "+r"((x)[1])::"memory")
#define LDMATRIX4(T, x)                                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" T ".shared.b16 {%0,%1,%2,%3},[%0];"                         \
                 : "+r"((x)[0]), "+r"((x)[1]), "+r"((x)[2]), "+r"((x)[3])::"memory")

template <int Matrices, bool Transposed> __device__ __forceinline__ void matrix_load_step(uint32_t (&x)[4])
{
    if (Matrices == 1 && !Transposed) LDMATRIX1("", x);
    if (Matrices == 2 && !Transposed) LDMATRIX2("", x);
    if (Matrices == 4 && !Transposed) LDMATRIX4("", x);
    if (Matrices == 1 && Transposed) LDMATRIX1(".trans", x);
    if (Matrices == 2 && Transposed) LDMATRIX2(".trans", x);
    if (Matrices == 4 && Transposed) LDMATRIX4(".trans", x);
}

// N pointer chases by ldmatrix.
template <int Matrices, bool Transposed, int Stride, int N, int Steps> struct matrix_load {
    static constexpr int threads = 512, count = N * Steps;
    uint32_t x[N][4];

    __device__ void start(uint32_t zero)
    {
        __shared__ __align__(128) uint8_t memory[matrix_rows * 128];
        uint32_t own = matrix_chase(memory, Stride, Transposed);
        for (int n = 0; n < N; n++) {
            fill(x[n]);
            x[n][0] += own;
        }
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) matrix_load_step<Matrices, Transposed>(x[n]);
    }
    __device__ uint32_t end()
    {
        uint32_t sum = 0;
        for (int n = 0; n < N; n++) sum ^= digest(x[n]);
        return sum;
    }
};

// Groups of one m16n8k16 product (8 accumulators) and Loads loads of four matrices (8 chains).
template <int Loads> struct matrix_load_beside {
    static constexpr int threads = 512, count = 32;
    product_stream<f16_k16_f32, 8, 1> products;
    matrix_load<4, false, 16, 8, 1> loads;

    __device__ void start(uint32_t zero)
    {
        products.start(zero);
        loads.start(zero);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            f16_k16_f32::go(products.d[i % 8], products.a, products.b, products.d[i % 8]);
#pragma unroll
            for (int k = 0; k < Loads; k++) matrix_load_step<4, false>(loads.x[(i * Loads + k) % 8]);
        }
    }
    __device__ uint32_t end() { return products.end() ^ loads.end(); }
};

template <int Loads> void matrix_load_beside_row()
{
    std::string name = "beside: group of 1 m16n8k16 f16 f32 and " + std::to_string(Loads) +
                       " ldmatrix x4 (a group counts 1)";
    for (int warps : {4, 8, 16}) body_row_core<matrix_load_beside<Loads>>(name, warps);
}

template <int Matrices, bool Transposed, int Stride> void matrix_load_rows()
{
    std::string name = std::string("ldmatrix x") + std::to_string(Matrices) + (Transposed ? " trans" : "") +
                       ", " + std::to_string(Stride / 16) + " rows in the same banks";
    body_row<matrix_load<Matrices, Transposed, Stride, 1, 32>>(name + ": latency");
    body_row<matrix_load<Matrices, Transposed, Stride, 16, 4>>(name + ": interval, 1 warp, 16 chains");
    for (int warps : {4, 16})
        body_row_sm<matrix_load<Matrices, Transposed, Stride, 16, 4>>(name + ", 16 chains", warps);
}

template <int Matrices> void matrix_load_table()
{
    matrix_load_rows<Matrices, false, 16>();
    matrix_load_rows<Matrices, false, 32>();
    matrix_load_rows<Matrices, false, 64>();
    matrix_load_rows<Matrices, false, 128>();
    matrix_load_rows<Matrices, true, 16>();
    matrix_load_rows<Matrices, true, 128>();
}

static void part_ldmatrix()
{
    matrix_load_table<1>();
    matrix_load_table<2>();
    matrix_load_table<4>();
    matrix_load_beside_row<1>();
    matrix_load_beside_row<2>();
}

#define STMATRIX1(T, at)                                                                                     \
    asm volatile("stmatrix.sync.aligned.m8n8.x1" T ".shared.b16 [%0],{%0};" ::"r"(at) : "memory")
#define STMATRIX2(T, at)                                                                                     \
    asm volatile("stmatrix.sync.aligned.m8n8.x2" T ".shared.b16 [%0],{%0,%1};" ::"r"(at), "r"(other)         \
                 : "memory")
#define STMATRIX4(T, at)                                                                                     \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" T ".shared.b16 [%0],{%0,%1,%1,%0};" ::"r"(at), "r"(other)   \
                 : "memory")

// Stores of matrices to four places in turn.
template <int Matrices, bool Transposed, int Stride> struct matrix_store {
    static constexpr int threads = 1024, count = 64;
    uint32_t at[4], other;

    __device__ void start(uint32_t zero)
    {
        __shared__ __align__(128) uint8_t memory[matrix_rows * 128 + 4 * 4096];
        uint32_t base = uint32_t(__cvta_generic_to_shared(memory));
        fill(at);
        for (int n = 0; n < 4; n++) at[n] += base + uint32_t(n * 4096) + threadIdx.x % 32 * Stride;
        other = zero;
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            if (Matrices == 1 && !Transposed) STMATRIX1("", at[i % 4]);
            if (Matrices == 2 && !Transposed) STMATRIX2("", at[i % 4]);
            if (Matrices == 4 && !Transposed) STMATRIX4("", at[i % 4]);
            if (Matrices == 1 && Transposed) STMATRIX1(".trans", at[i % 4]);
            if (Matrices == 2 && Transposed) STMATRIX2(".trans", at[i % 4]);
            if (Matrices == 4 && Transposed) STMATRIX4(".trans", at[i % 4]);
        }
    }
    __device__ uint32_t end() { return digest(at) ^ other; }
};

template <int Matrices, bool Transposed, int Stride> void matrix_store_rows()
{
    std::string name = std::string("stmatrix x") + std::to_string(Matrices) + (Transposed ? " trans" : "") +
                       ", " + std::to_string(Stride / 16) + " rows in the same banks";
    body_row<matrix_store<Matrices, Transposed, Stride>>(name + ": interval, 1 warp");
    for (int warps : {4, 16}) body_row_sm<matrix_store<Matrices, Transposed, Stride>>(name, warps);
}

// A matrix stored and loaded again: the loaded value is the next store's address.
template <int Matrices> struct matrix_round {
    static constexpr int threads = 32, count = 32;
    uint32_t x[4], other;

    __device__ void start(uint32_t zero)
    {
        __shared__ __align__(128) uint8_t memory[matrix_rows * 128];
        fill(x);
        other = matrix_chase(memory, 16, false);
        x[0] += other;
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            if (Matrices == 1) STMATRIX1("", x[0]);
            if (Matrices == 4)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%0,%1,%2,%3};" ::"r"(x[0]),
                             "r"(x[1]), "r"(x[2]), "r"(x[3])
                             : "memory");
            matrix_load_step<Matrices, false>(x);
        }
    }
    __device__ uint32_t end() { return digest(x) ^ other; }
};

template <int Matrices> void matrix_store_table()
{
    matrix_store_rows<Matrices, false, 16>();
    matrix_store_rows<Matrices, false, 32>();
    matrix_store_rows<Matrices, false, 64>();
    matrix_store_rows<Matrices, false, 128>();
    matrix_store_rows<Matrices, true, 16>();
}

static void part_stmatrix()
{
    matrix_store_table<1>();
    matrix_store_table<2>();
    matrix_store_table<4>();
    body_row<matrix_round<1>>("stmatrix x1 then ldmatrix x1 of the same rows: latency of both");
    body_row<matrix_round<4>>("stmatrix x4 then ldmatrix x4 of the same rows: latency of both");
}

int main(int argc, char **argv)
{
    return card_main(argc, argv,
                     {{"base", part_base},
                      {"mma", part_mma},
                      {"mma-integer", part_mma_integer},
                      {"mma-bits", part_mma_bits},
                      {"mma-double", part_mma_double},
                      {"mma-operands", part_mma_operands},
                      {"fetch", part_fetch},
                      {"mma-fp8", part_mma_fp8},
                      {"mma-sparse", part_mma_sparse},
                      {"mma-sparse-fp8", part_mma_sparse_fp8},
                      {"mma-software", part_mma_software},
                      {"mma-bypass", part_mma_bypass},
                      {"beside", part_beside},
                      {"two-kinds", part_two_kinds},
                      {"packed", part_packed},
                      {"convert", part_convert},
                      {"lanes", part_lanes},
                      {"ports", part_ports},
                      {"mixed", part_mixed},
                      {"pairs", part_pairs},
                      {"ldmatrix", part_ldmatrix},
                      {"stmatrix", part_stmatrix}});
}
