// What programs that measure a card share: checked calls, the rows that they print, launches timed by the SM's own counter.
//
// A program measures one part of a card and prints a CSV row for every quantity:
//
//     quantity,unit,value,low,high,note
//
// `value` is the median of `card_repeats` runs, `low` and `high` the least and the greatest. Cycles are of the SM's
// clock (`clock64`), read by the kernel itself, so no launch overhead is in them. Progress and errors go to stderr.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline constexpr int card_repeats = 7;

#define CARD_TRY(call)                                                                             \
    do {                                                                                           \
        cudaError_t card_error = (call);                                                           \
        if (card_error != cudaSuccess) {                                                           \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                     \
                         cudaGetErrorString(card_error));                                          \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

// After a launch: waits until the kernel has ended. A kernel that fails ends the program.
#define CARD_WAIT()                                                                                \
    do {                                                                                           \
        CARD_TRY(cudaGetLastError());                                                              \
        CARD_TRY(cudaDeviceSynchronize());                                                         \
    } while (0)

// A row of the results. `values` is sorted.
inline void card_row(const char *quantity, const char *unit, std::vector<double> &values, const char *note = "")
{
    std::sort(values.begin(), values.end());
    std::printf("\"%s\",%s,%.6g,%.6g,%.6g,\"%s\"\n", quantity, unit, values[values.size() / 2], values.front(),
                values.back(), note);
    std::fflush(stdout);
}

// Memory of the card filled with 0.
template <typename T> T *card_memory(size_t count)
{
    T *p;
    CARD_TRY(cudaMalloc(&p, count * sizeof(T)));
    CARD_TRY(cudaMemset(p, 0, count * sizeof(T)));
    return p;
}

// The median of what `run` returns, as a row. The first run warms up code and caches and is left out.
template <typename Run> void card_measure(const char *quantity, const char *unit, Run run, const char *note = "")
{
    std::vector<double> values;
    run();
    for (int i = 0; i < card_repeats; i++) values.push_back(run());
    card_row(quantity, unit, values, note);
}

// SM cycles between two points of a kernel, of one thread. Reads and writes of memory stay on their side.
__device__ __forceinline__ long long card_clock()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
