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

bool exec_isa_available(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_AUTO:
    case EXEC_ISA_GENERAL:
    case EXEC_ISA_PORTABLE: return true;
#if FAST_X86
    case EXEC_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    case EXEC_ISA_AVX512:
        return exec_isa_available(EXEC_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#else
    case EXEC_ISA_AVX2:
    case EXEC_ISA_AVX512:
#endif
    case EXEC_ISA_COUNT: break;
    }
    return false;
}

enum exec_isa exec_isa_resolve(enum exec_isa isa)
{
    if (isa != EXEC_ISA_AUTO && exec_isa_available(isa)) return isa;
    if (exec_isa_available(EXEC_ISA_AVX512)) return EXEC_ISA_AVX512;
    return exec_isa_available(EXEC_ISA_AVX2) ? EXEC_ISA_AVX2 : EXEC_ISA_PORTABLE;
}

extern const struct tensor_tiles tensor_tiles_portable, tensor_tiles_avx2;

const struct tensor_tiles *tensor_tiles_of(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_PORTABLE: return &tensor_tiles_portable;
#if FAST_X86
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

#define FAMILY(name)                                                                                         \
    extern fast_family name##_portable_32, name##_portable_64, name##_avx2_32, name##_avx2_64,               \
        name##_avx512_32, name##_avx512_64;
FAST_FAMILIES
#undef FAMILY

extern const struct lane_loops fast_loops_portable_32, fast_loops_portable_64, fast_loops_avx2_32,
    fast_loops_avx2_64, fast_loops_avx512_32, fast_loops_avx512_64;

const struct lane_loops *exec_lane_loops(const struct exec *e)
{
    bool wide = e->lanes == 64;
    switch (e->isa) {
    case EXEC_ISA_PORTABLE: return wide ? &fast_loops_portable_64 : &fast_loops_portable_32;
#if FAST_X86
    case EXEC_ISA_AVX2: return wide ? &fast_loops_avx2_64 : &fast_loops_avx2_32;
    case EXEC_ISA_AVX512: return wide ? &fast_loops_avx512_64 : &fast_loops_avx512_32;
#else
    case EXEC_ISA_AVX2:
    case EXEC_ISA_AVX512:
#endif
    case EXEC_ISA_AUTO:
    case EXEC_ISA_GENERAL:
    case EXEC_ISA_COUNT: break;
    }
    return &exec_general_loops[wide];
}

const struct handlers *exec_fast_form(const struct exec *e, const struct inst *i, struct bound *d)
{
    enum { ISA_BUILDS = FAST_X86 ? EXEC_ISA_GENERAL : EXEC_ISA_AVX2 };
    static fast_family *const families[][ISA_BUILDS][2] = {
#if FAST_X86
#define FAMILY(name)                                                                                         \
    {[EXEC_ISA_PORTABLE] = {name##_portable_32, name##_portable_64},                                         \
     [EXEC_ISA_AVX2] = {name##_avx2_32, name##_avx2_64},                                                     \
     [EXEC_ISA_AVX512] = {name##_avx512_32, name##_avx512_64}},
#else
#define FAMILY(name) {[EXEC_ISA_PORTABLE] = {name##_portable_32, name##_portable_64}},
#endif
        FAST_FAMILIES
#undef FAMILY
    };
    if (e->isa == EXEC_ISA_GENERAL) return NULL;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        struct bound tried = *d;
        const struct handlers *h = families[f][e->isa][e->lanes == 64](e, i, &tried);
        if (!h) continue;
        *d = tried;
        return h;
    }
    return NULL;
}
