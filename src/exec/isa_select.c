// Selection of the build of the fast forms by the processor's features, queried on each call, never kept in a
// file-scope variable. Under valgrind, whose processor has no AVX-512, the AVX2 build runs.
#include "exec/fast_families.h"
#include "exec/launch.h"
#include "exec/tensor/tensor.h"

#include <stddef.h>

const char *exec_isa_name(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_AUTO: return "auto";
    case EXEC_ISA_PORTABLE: return "portable";
    case EXEC_ISA_AVX2: return "avx2";
    case EXEC_ISA_AVX512: return "avx512";
    case EXEC_ISA_GENERAL: return "general";
    case EXEC_ISA_COUNT: break;
    }
    return NULL;
}

#if FAST_X86
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
static bool has_avx2(void) { return false; }
static bool has_avx512(void) { return false; }
#endif

bool exec_isa_available(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_AUTO:
    case EXEC_ISA_GENERAL: return true;
    case EXEC_ISA_PORTABLE: return FAST_HAS_portable_32;
    case EXEC_ISA_AVX2: return FAST_HAS_avx2_32 && has_avx2();
    case EXEC_ISA_AVX512: return FAST_HAS_avx512_32 && has_avx512();
    case EXEC_ISA_COUNT: break;
    }
    return false;
}

enum exec_isa exec_isa_resolve(enum exec_isa isa)
{
    static const enum exec_isa best[] = {EXEC_ISA_AVX512, EXEC_ISA_AVX2, EXEC_ISA_PORTABLE};
    if (isa != EXEC_ISA_AUTO && exec_isa_available(isa)) return isa;
    for (size_t i = 0; i < sizeof best / sizeof best[0]; i++)
        if (exec_isa_available(best[i])) return best[i];
    return EXEC_ISA_GENERAL;
}

extern const struct tensor_tiles tensor_tiles_portable, tensor_tiles_avx2;

const struct tensor_tiles *tensor_tiles_of(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_PORTABLE: return &tensor_tiles_portable;
#if TILE_HAS_avx2
    case EXEC_ISA_AVX2:
    case EXEC_ISA_AVX512: return &tensor_tiles_avx2;
#else
    case EXEC_ISA_AVX2:
    case EXEC_ISA_AVX512:
#endif
    case EXEC_ISA_AUTO:
    case EXEC_ISA_GENERAL:
    case EXEC_ISA_COUNT: break;
    }
    return NULL;
}

// IF_BUILT(has, object): the object's address if `has` is 1, NULL if `has` is 0, without a reference to the object.
#define IF_BUILT(has, object)  IF_BUILT_(has, object)
#define IF_BUILT_(has, object) IF_BUILT_##has(object)
#define IF_BUILT_1(object)     &object
#define IF_BUILT_0(object)     NULL

// Rows of a table by instruction set, with a column for 32 lanes and a column for 64. AVX-512 has no build for 64
// lanes, and takes AVX2's.
enum { ISA_BUILDS = EXEC_ISA_GENERAL };
#define ROWS(name)                                                                                           \
    {                                                                                                        \
        [EXEC_ISA_PORTABLE] = {IF_BUILT(FAST_HAS_portable_32, name##_portable_32),                           \
                               IF_BUILT(FAST_HAS_portable_64, name##_portable_64)},                          \
        [EXEC_ISA_AVX2] = {IF_BUILT(FAST_HAS_avx2_32, name##_avx2_32),                                       \
                           IF_BUILT(FAST_HAS_avx2_64, name##_avx2_64)},                                      \
        [EXEC_ISA_AVX512] = {IF_BUILT(FAST_HAS_avx512_32, name##_avx512_32),                                 \
                             IF_BUILT(FAST_HAS_avx2_64, name##_avx2_64)},                                    \
    }

#define FAMILY(name)                                                                                         \
    extern fast_family name##_portable_32, name##_portable_64, name##_avx2_32, name##_avx2_64,               \
        name##_avx512_32;
FAST_FAMILIES
#undef FAMILY

extern const struct lane_loops fast_loops_portable_32, fast_loops_portable_64, fast_loops_avx2_32,
    fast_loops_avx2_64, fast_loops_avx512_32;

const struct lane_loops *exec_lane_loops(const struct exec *e)
{
    static const struct lane_loops *const builds[ISA_BUILDS][2] = ROWS(fast_loops);
    bool wide = e->lanes == 64;
    const struct lane_loops *fast = e->isa == EXEC_ISA_GENERAL ? NULL : builds[e->isa][wide];
    return fast ? fast : &exec_general_loops[wide];
}

const struct handlers *exec_fast_form(const struct exec *e, const struct inst *i, struct bound *d)
{
    static fast_family *const families[][ISA_BUILDS][2] = {
#define FAMILY(name) ROWS(name),
        FAST_FAMILIES
#undef FAMILY
    };
    if (e->isa == EXEC_ISA_GENERAL) return NULL;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        fast_family *family = families[f][e->isa][e->lanes == 64];
        struct bound tried = *d;
        const struct handlers *h = family ? family(e, i, &tried) : NULL;
        if (!h) continue;
        *d = tried;
        return h;
    }
    return NULL;
}
