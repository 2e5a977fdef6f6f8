// Straight code longer than instruction caches: chains of multiplications with an addend, 256 to 4,096 in a row. A round
// after the first finds in the caches what stayed there.
#include "device.h"

#define TIMES_4(s)    s s s s
#define TIMES_16(s)   TIMES_4(TIMES_4(s))
#define TIMES_256(s)  TIMES_16(TIMES_16(s))
#define TIMES_1024(s) TIMES_4(TIMES_256(s))
#define TIMES_4096(s) TIMES_4(TIMES_1024(s))

#define CODE(name, times)                                                                                              \
    KERNEL void name(const unsigned *values, unsigned *end, unsigned a, unsigned b, unsigned rounds)                   \
    {                                                                                                                  \
        unsigned x = values[threadIdx.x];                                                                              \
        _Pragma("unroll 1") for (unsigned n = 0; n < rounds; n++)                                                      \
            asm volatile(times("mad.lo.u32 %0, %0, %1, %2;\n ") : "+r"(x) : "r"(a), "r"(b));                           \
        end[threadIdx.x] = x;                                                                                          \
    }
CODE(code_256, TIMES_256)
CODE(code_1024, TIMES_1024)
CODE(code_4096, TIMES_4096)
