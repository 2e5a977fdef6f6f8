// Host sides of the kernels for tensor cores (kernels/tensor). Inputs are numbers that their types hold exactly, so references in
// double differ by the rounding of sums and outputs alone.
#include "base/bits.h"
#include "base/clones.h"
#include "base/narrow.h"
#include "workload/host.h"

#include <math.h>
#include <string.h>

enum element { F16, BF16, TF32, E4M3, S8, F64, F32, S32 };

static const uint8_t element_bytes[] = {
    [F16] = 2, [BF16] = 2, [TF32] = 4, [E4M3] = 1, [S8] = 1, [F64] = 8, [F32] = 4, [S32] = 4};

struct extent {
    int m, n, k;
};

// -- elements -----------------------------------------------------------------------------------------------

// Random numbers of the type: S8 of all values, the others between -2 and 2.
static float *draw(struct host *h, enum element type, size_t count)
{
    float *values = host_random_f32(h, count, -1, 1);
    for (size_t i = 0; i < count; i++) {
        float v = values[i];
        switch (type) {
        case F16: v = (float)narrow_to(NARROW_F16, narrow_from(NARROW_F16, (double)v)); break;
        case BF16: v = (float)narrow_to(NARROW_BF16, narrow_from(NARROW_BF16, (double)v)); break;
        case TF32: v = rintf(v * 1024) / 1024; break;
        case E4M3: v = rintf(v * 16) / 8; break; // four bits of magnitude
        case S8: v = floorf(v * 128); break;
        case F64:
        case F32:
        case S32: break;
        }
        values[i] = v;
    }
    return values;
}

// Bits of a number that e4m3 holds: sign, four bits of exponent (bias 7), three of fraction.
static uint8_t e4m3_of(float v)
{
    if (v == 0) return 0;
    int exponent = ilogbf(v);
    return (uint8_t)((v < 0 ? 0x80 : 0) | (exponent + 7) << 3 | ((int)ldexpf(fabsf(v), 3 - exponent) & 7));
}

static void encode(enum element type, float value, void *to, size_t index)
{
    switch (type) {
    case F16: ((uint16_t *)to)[index] = narrow_from(NARROW_F16, (double)value); break;
    case BF16: ((uint16_t *)to)[index] = narrow_from(NARROW_BF16, (double)value); break;
    case E4M3: ((uint8_t *)to)[index] = e4m3_of(value); break;
    case S8: ((int8_t *)to)[index] = (int8_t)value; break;
    case F64: ((double *)to)[index] = (double)value; break;
    case TF32:
    case F32:
    case S32: ((float *)to)[index] = value; break;
    }
}

// A matrix of `rows` x `columns` on the device, in rows or, `transposed`, in columns.
static uint64_t upload(struct host *h, enum element type, const float *values, int rows, int columns,
                       bool transposed)
{
    size_t count = (size_t)rows * (size_t)columns, at = 0;
    uint8_t *bytes = HOST_ARRAY(h, uint8_t, count * element_bytes[type]);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++, at++)
            encode(type, values[at], bytes, transposed ? (size_t)c * (size_t)rows + (size_t)r : at);
    return host_upload(h, bytes, count * element_bytes[type]);
}

// Compares an output; `scale` as in host_compare_f32.
static void compare(struct host *h, enum element type, uint64_t address, const double *want, size_t count,
                    double scale)
{
    const void *got = host_output(h, address, count * element_bytes[type]);
    if (type == S32) {
        uint32_t *whole = HOST_ARRAY(h, uint32_t, count);
        for (size_t i = 0; i < count; i++) whole[i] = (uint32_t)(int32_t)want[i];
        host_compare_u32(h, "element", got, whole, count);
        return;
    }
    float *values = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++) {
        if (type == F64)
            values[i] = (float)((const double *)got)[i];
        else if (type == F32)
            values[i] = ((const float *)got)[i];
        else
            values[i] = (float)narrow_to(type == F16 ? NARROW_F16 : NARROW_BF16, ((const uint16_t *)got)[i]);
    }
    host_compare_f32(h, "element", values, want, count, scale);
}

// -- products -----------------------------------------------------------------------------------------------

// to += factor * from, over a row.
CLONES static void add_row(double factor, const float *restrict from, double *restrict to, int width)
{
    for (int x = 0; x < width; x++) to[x] += factor * (double)from[x];
}

static double *reference(struct host *h, const float *a, const float *b, struct extent e)
{
    double *want = HOST_ARRAY(h, double, (size_t)e.m *(size_t)e.n);
    for (int y = 0; y < e.m && !h->failed; y++)
        for (int k = 0; k < e.k; k++)
            add_row((double)a[(size_t)y * (size_t)e.k + (size_t)k], b + (size_t)k * (size_t)e.n,
                    want + (size_t)y * (size_t)e.n, e.n);
    return want;
}

struct product {
    const char *kernel;
    enum element ab, c;
    bool b_by_columns;
    unsigned tile, threads, shared_bytes;
};

static const struct extent *extent_of(const struct host *h)
{
    static const struct extent sizes[] = {{128, 128, 64}, {512, 512, 512}, {1024, 1024, 1024}};
    return &sizes[h->size];
}

static void multiply(struct host *h, const struct product *p)
{
    struct extent e = *extent_of(h);
    size_t results = (size_t)e.m * (size_t)e.n;
    const float *a = draw(h, p->ab, (size_t)e.m * (size_t)e.k),
                *b = draw(h, p->ab, (size_t)e.k * (size_t)e.n);
    uint64_t device_a = upload(h, p->ab, a, e.m, e.k, false),
             device_b = upload(h, p->ab, b, e.k, e.n, p->b_by_columns),
             device_c = host_alloc(h, results * element_bytes[p->c]);
    host_launch(h, p->kernel, DIM((unsigned)e.n / p->tile, (unsigned)e.m / p->tile), DIM(p->threads),
                p->shared_bytes, ARG(device_a), ARG(device_b), ARG(device_c), ARG(e.m), ARG(e.n), ARG(e.k));
    compare(h, p->c, device_c, reference(h, a, b, e), results, sqrt(e.k));
}

enum { STAGE = 16384, TILE = 128, THREADS = 256 }; // of kernels/tensor/gemm.h

#define PRODUCT(name, ...)                                                                                   \
    void workload_run_##name(struct host *h) { multiply(h, &(struct product){__VA_ARGS__}); }
PRODUCT(hgemm, "hgemm_mma", F16, F16, false, TILE, THREADS, 4 * STAGE)
PRODUCT(hgemmWide, "hgemm_mma_wide", F16, F16, false, TILE, THREADS / 2, 4 * STAGE)
PRODUCT(hgemmWmma, "hgemm_wmma", F16, F16, false, 64, 128, 0)
PRODUCT(bgemm, "bgemm_mma", BF16, BF16, false, TILE, THREADS, 4 * STAGE)
PRODUCT(tf32Gemm, "tf32_gemm", TF32, F32, true, TILE, THREADS, 4 * STAGE)
PRODUCT(int8Gemm, "int8_gemm", S8, S32, true, TILE, THREADS, 4 * STAGE)
PRODUCT(fp8Gemm, "fp8_gemm", E4M3, F16, true, TILE, THREADS, 4 * STAGE)
PRODUCT(dgemm, "dgemm_mma", F64, F64, false, 64, 128, 56832)
#undef PRODUCT

// A deep product for few results: slices of the depth, then their sum.
void workload_run_hgemmSplitK(struct host *h)
{
    static const struct extent sizes[] = {{128, 128, 256}, {128, 256, 4096}, {256, 512, 8192}};
    enum { SLICES = 8, EACH = 4, SUM_THREADS = 256 };
    struct extent e = sizes[h->size];
    const int32_t slices = SLICES, results = e.m * e.n;
    const float *a = draw(h, F16, (size_t)e.m * (size_t)e.k), *b = draw(h, F16, (size_t)e.k * (size_t)e.n);
    uint64_t device_a = upload(h, F16, a, e.m, e.k, false), device_b = upload(h, F16, b, e.k, e.n, false),
             partial = host_alloc(h, (size_t)SLICES * (size_t)results * sizeof(float)),
             device_c = host_alloc(h, (size_t)results * 2);
    host_launch(h, "hgemm_splitk_partial", DIM((unsigned)e.n / TILE, (unsigned)e.m / TILE, SLICES),
                DIM(THREADS), 4 * STAGE, ARG(device_a), ARG(device_b), ARG(partial), ARG(e.m), ARG(e.n),
                ARG(e.k));
    host_launch(h, "splitk_reduce", DIM(host_blocks((size_t)results, EACH * SUM_THREADS)), DIM(SUM_THREADS),
                0, ARG(partial), ARG(device_c), ARG(results), ARG(slices));
    compare(h, F16, device_c, reference(h, a, b, e), (size_t)results, sqrt(e.k));
}

// A has two elements other than zero in every four of a row. `places` as kernels/tensor/sparse_hgemm.cu has them.
void workload_run_hgemmSparse(struct host *h)
{
    struct extent e = *extent_of(h);
    size_t results = (size_t)e.m * (size_t)e.n, half = (size_t)e.m * (size_t)e.k / 2;
    const float *values = draw(h, F16, half), *b = draw(h, F16, (size_t)e.k * (size_t)e.n);
    const uint32_t *first = host_random_u32(h, half / 2, 3), *gap = host_random_u32(h, half / 2, 6);
    float *dense = HOST_ARRAY(h, float, 2 * half);
    uint32_t *places = HOST_ARRAY(h, uint32_t, half / 16);
    for (int row = 0; row < e.m; row++)
        for (int four = 0; four < e.k / 4; four++) {
            size_t at = (size_t)row * (size_t)(e.k / 4) + (size_t)four;
            unsigned one = first[at], other = one + 1 + gap[at] % (3 - one);
            int lane = row % 8 * 4 + row % 32 / 16 * 2 + four / 4 % 2,
                shift = row / 8 % 2 * 16 + four % 4 * 4;
            places[(row / 32 * (e.k / 32) + four / 8) * 32 + lane] |= (one | other << 2) << shift;
            dense[4 * at + one] = values[2 * at];
            dense[4 * at + other] = values[2 * at + 1];
        }
    uint64_t device_a = upload(h, F16, values, e.m, e.k / 2, false),
             device_places = host_upload(h, places, half / 16 * sizeof *places),
             device_b = upload(h, F16, b, e.k, e.n, false), device_c = host_alloc(h, results * 2);
    host_launch(h, "sparse_hgemm", DIM((unsigned)e.n / TILE, (unsigned)e.m / TILE), DIM(THREADS), 76800,
                ARG(device_a), ARG(device_places), ARG(device_b), ARG(device_c), ARG(e.m), ARG(e.n),
                ARG(e.k));
    compare(h, F16, device_c, reference(h, dense, b, e), results, sqrt(e.k));
}

// -- attention and rows -------------------------------------------------------------------------------------

enum { DEPTH = 64 };

// Output of a query: the values, weighed by exp(scores). Causal: of keys 0 to `query`.
static void attend(const float *q, const float *k, const float *v, int query, int seq, bool causal,
                   double scale, double *out)
{
    int keys = causal ? query + 1 : seq;
    double sum = 0;
    memset(out, 0, DEPTH * sizeof *out);
    for (int key = 0; key < keys; key++) {
        double score = 0;
        for (int l = 0; l < DEPTH; l++) score += (double)q[query * DEPTH + l] * (double)k[key * DEPTH + l];
        double weight = exp(score * scale);
        sum += weight;
        add_row(weight, v + key * DEPTH, out, DEPTH);
    }
    for (int l = 0; l < DEPTH; l++) out[l] /= sum;
}

void workload_run_flashAttention(struct host *h)
{
    static const struct {
        int seq, heads;
    } sizes[] = {{128, 2}, {512, 8}, {1024, 16}};
    enum { QUERIES = 128, ATTENTION_THREADS = 128, SHARED_BYTES = 4 * 64 * DEPTH * 2 };
    const int32_t seq = sizes[h->size].seq, heads = sizes[h->size].heads;
    const float scale = 0.125f;
    size_t head = (size_t)seq * DEPTH, count = head * (size_t)heads;
    const float *q = draw(h, F16, count), *k = draw(h, F16, count), *v = draw(h, F16, count);
    uint64_t device_q = upload(h, F16, q, seq * heads, DEPTH, false),
             device_k = upload(h, F16, k, seq * heads, DEPTH, false),
             device_v = upload(h, F16, v, seq * heads, DEPTH, false);
    for (unsigned causal = 0; causal < 2; causal++) {
        uint64_t device_o = host_alloc(h, count * 2);
        host_launch(h, causal ? "flash_attention_64_causal" : "flash_attention_64",
                    DIM((unsigned)seq / QUERIES, (unsigned)heads), DIM(ATTENTION_THREADS), SHARED_BYTES,
                    ARG(device_q), ARG(device_k), ARG(device_v), ARG(device_o), ARG(seq), ARG(scale));
        double *want = HOST_ARRAY(h, double, count);
        for (int i = 0; i < heads && !h->failed; i++)
            for (int query = 0; query < seq; query++)
                attend(q + (size_t)i * head, k + (size_t)i * head, v + (size_t)i * head, query, seq, causal,
                       (double)scale, want + (size_t)i * head + query * DEPTH);
        compare(h, F16, device_o, want, count, 1);
    }
}

void workload_run_softmaxRows(struct host *h)
{
    static const struct {
        int rows, columns;
    } sizes[] = {{3, 200}, {512, 1024}, {2048, 4096}};
    enum { ROW_THREADS = 256 };
    const int32_t rows = sizes[h->size].rows, columns = sizes[h->size].columns;
    size_t count = (size_t)rows * (size_t)columns;
    const float *in = draw(h, F16, count);
    uint64_t device_in = upload(h, F16, in, rows, columns, false), device_out = host_alloc(h, count * 2);
    host_launch(h, "softmax_rows", DIM((unsigned)rows), DIM(ROW_THREADS), 0, ARG(device_in), ARG(device_out),
                ARG(columns));
    double *want = HOST_ARRAY(h, double, count);
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * (size_t)columns;
        double *y = want + (size_t)r * (size_t)columns, sum = 0;
        for (int c = 0; c < columns; c++) sum += y[c] = exp((double)x[c]);
        for (int c = 0; c < columns; c++) y[c] /= sum;
    }
    compare(h, F16, device_out, want, count, 1.0 / columns);
}

// The same matrix by both data movers.
void workload_run_transposeF16(struct host *h)
{
    static const struct {
        int width, height;
    } sizes[] = {{64, 128}, {512, 1024}, {2048, 2048}};
    enum { MOVER_THREADS = 128 };
    const int32_t width = sizes[h->size].width, height = sizes[h->size].height;
    size_t count = (size_t)width * (size_t)height;
    const float *in = draw(h, F16, count);
    uint64_t device_in = upload(h, F16, in, height, width, false);
    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++)
        want[i % (size_t)width * (size_t)height + i / (size_t)width] = (double)in[i];
    for (unsigned moved = 0; moved < 2; moved++) {
        uint64_t device_out = host_alloc(h, count * 2);
        host_launch(h, moved ? "transpose_movmatrix" : "transpose_ldmatrix",
                    moved ? DIM((unsigned)width / 32, (unsigned)height / 128)
                          : DIM((unsigned)width / 64, (unsigned)height / 64),
                    DIM(MOVER_THREADS), 0, ARG(device_in), ARG(device_out), ARG(width), ARG(height));
        compare(h, F16, device_out, want, count, 1);
    }
}
