// `make bench-tensor`: products of a warp by src/exec/tensor on one thread, in millions of multiply-adds a second of processor time. A
// row a form, on moderate values: no infinity, no NaN.
#include "base/bits.h"
#include "base/rng.h"
#include "exec/tensor/fragment.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Registers full of numbers around 1, of the type's bits.
static void fill(uint32_t registers[][TENSOR_LANES], unsigned type, struct rng *g)
{
    for (unsigned r = 0; r < TENSOR_REGISTERS; r++)
        for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
            uint32_t x = (uint32_t)rng_next(g);
            if (type == TYPE_F16) x = (x & 0x83ff83ff) | 0x38003800;
            if (type == TYPE_BF16) x = (x & 0x807f807f) | 0x3f003f00;
            if (type == TYPE_TF32 || type == TYPE_F32) x = (x & 0x807fffff) | 0x3f000000;
            if (type == TYPE_E4M3) x = (x & 0x87878787) | 0x30303030;
            if (type == TYPE_E5M2) x = (x & 0x83838383) | 0x38383838;
            if (type == TYPE_F64) x = r % 2 ? (x & 0x800fffff) | 0x3fe00000 : x;
            registers[r][lane] = x;
        }
}

static double rate_of(const struct tensor_card *card, const struct tensor_form *f, enum exec_isa isa,
                      double seconds)
{
    static uint32_t a[TENSOR_REGISTERS][TENSOR_LANES], b[TENSOR_REGISTERS][TENSOR_LANES],
        c[TENSOR_REGISTERS][TENSOR_LANES], d[TENSOR_REGISTERS][TENSOR_LANES];
    struct tensor_operands o = {.metadata = NULL};
    struct rng g;
    rng_init(&g, 1);
    fill(a, f->a, &g), fill(b, f->b, &g), fill(c, f->c, &g);
    for (unsigned r = 0; r < TENSOR_REGISTERS; r++)
        o.a[r] = a[r], o.b[r] = b[r], o.c[r] = c[r], o.d[r] = d[r];
    double start = now(), used = 0, products = 0;
    while (used < seconds) {
        for (unsigned n = 0; n < 100; n++) tensor_product(card, f, &o, tensor_tiles_of(isa));
        products += 100;
        used = now() - start;
    }
    return products * f->m * f->n * f->k / used / 1e6;
}

int main(void)
{
    static const struct {
        const char *name;
        enum tensor_generation card;
        struct tensor_form f;
    } rows[] = {
#define ROW(name, card, m, n, k, a, b, d)                                                                    \
    {name, TENSOR_##card, {m, n, k, TYPE_##a, TYPE_##b, TYPE_##d, TYPE_##d, 0, 0, 0, 0, 0, 0}},
        ROW("m16n8k16 f16, f32 result", AMPERE, 16, 8, 16, F16, F16, F32)
            ROW("m16n8k16 f16, f32 result", HOPPER, 16, 8, 16, F16, F16, F32)
                ROW("m16n8k16 f16, f16 result", AMPERE, 16, 8, 16, F16, F16, F16)
                    ROW("m16n8k16 bf16", AMPERE, 16, 8, 16, BF16, BF16, F32)
                        ROW("m16n8k8 tf32", AMPERE, 16, 8, 8, TF32, TF32, F32)
                            ROW("m16n8k32 e4m3", ADA, 16, 8, 32, E4M3, E4M3, F32)
                                ROW("m16n8k32 e4m3", HOPPER, 16, 8, 32, E4M3, E4M3, F32)
                                    ROW("m16n8k32 s8", AMPERE, 16, 8, 32, S8, S8, S32)
                                        ROW("m16n8k64 s4", AMPERE, 16, 8, 64, S4, S4, S32)
                                            ROW("m16n8k256 b1", AMPERE, 16, 8, 256, B1, B1, S32)
                                                ROW("m8n8k4 f64", AMPERE, 8, 8, 4, F64, F64, F64)
#undef ROW
    };
    const enum exec_isa best = exec_isa_available(EXEC_ISA_AVX2) ? EXEC_ISA_AVX2 : EXEC_ISA_PORTABLE;
    printf("| product | card | portable | %s |\n|---|---|---|---|\n", exec_isa_name(best));
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const struct tensor_card *card = &tensor_cards[rows[k].card];
        printf("| %s | %s | %.0f | %.0f |\n", rows[k].name, card->name,
               rate_of(card, &rows[k].f, EXEC_ISA_PORTABLE, 0.5), rate_of(card, &rows[k].f, best, 0.5));
    }
    return 0;
}
