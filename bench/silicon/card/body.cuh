// Streams of instructions timed by one block: the kernel, its rows and the command line of programs made of parts.
//
// A body is a struct with
//
//     threads           the greatest block that it is built for
//     count             instructions of a call of `run` (steps of a chain, or independent instructions)
//     start(zero)       sets up registers and shared memory; `zero` is 0, which the compiler does not know
//     run()             the unrolled stream
//     end()             a value that depends on every register, so that no instruction is dead
//
// Every warp of the block runs the body twice, the second time measured: the first fills the instruction caches. The
// elapsed time goes from the first warp's start to the last warp's end.
#pragma once
#include "card.cuh"

#include <cstring>
#include <string>

// The host only launches and prints: its part of hundreds of kernels compiles twice as fast without optimisation.
#if !defined(__CUDA_ARCH__)
#pragma nv_diag_suppress 1675
#pragma GCC optimize("O0")
#endif

inline constexpr int body_rounds = 16;
inline constexpr int body_warps_max = 32;
inline constexpr long long body_poison = -0x5a5a5a5a5a5a5a5all;

static __device__ uint32_t body_zeros[64];

// A register with 0 that neither compiler knows, nor whether it is the same in every lane.
__device__ __forceinline__ uint32_t body_zero()
{
    uint32_t value;
    asm volatile("ld.volatile.global.u32 %0,[%1];"
                 : "=r"(value)
                 : "l"(body_zeros + threadIdx.x % 32)
                 : "memory");
    return value;
}

template <class Body>
__global__ void __launch_bounds__(Body::threads)
    body_kernel(long long *times, uint32_t *sink, uint32_t zero, int rounds)
{
    Body body;
    long long first = 0, last = 0;
    body.start(zero * threadIdx.x); // 0 in every lane, and no uniform register
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        first = card_clock();
#pragma unroll 1
        for (int i = 0; i < rounds; i++) body.run();
        last = card_clock();
    }
    if (body.end() == 0x7e57ab1eu) sink[threadIdx.x] = 1;
    if (threadIdx.x % 32 == 0) {
        times[threadIdx.x / 32 * 2] = first;
        times[threadIdx.x / 32 * 2 + 1] = last;
    }
}

struct body_memory {
    long long *times;
    uint32_t *sink;
};

inline const body_memory &body_buffers()
{
    static const body_memory memory = {card_memory<long long>(2 * body_warps_max),
                                       card_memory<uint32_t>(1024)};
    return memory;
}

using body_entry = void (*)(long long *, uint32_t *, uint32_t, int);

// Cycles of a block of `warps` warps for `rounds` calls of the body.
inline double body_entry_cycles(body_entry kernel, int warps, int rounds)
{
    long long times[2 * body_warps_max];
    const body_memory &memory = body_buffers();
    for (long long &time : times) time = body_poison;
    CARD_TRY(cudaMemcpy(memory.times, times, sizeof times, cudaMemcpyHostToDevice));
    kernel<<<1, warps * 32>>>(memory.times, memory.sink, 0, rounds);
    CARD_WAIT();
    CARD_TRY(cudaMemcpy(times, memory.times, sizeof times, cudaMemcpyDeviceToHost));
    long long first = times[0], last = times[1];
    for (int warp = 0; warp < warps; warp++) {
        if (times[2 * warp] == body_poison || times[2 * warp + 1] == body_poison) {
            std::fprintf(stderr, "warp %d wrote no time\n", warp);
            std::exit(1);
        }
        first = std::min(first, times[2 * warp]);
        last = std::max(last, times[2 * warp + 1]);
    }
    return double(last - first);
}

// A row of `scale` by the cycles of a call of the body (or of its inverse, a rate).
inline void body_entry_row(body_entry kernel, const std::string &quantity, const char *unit, int warps,
                           int rounds, double scale, bool inverse, const char *note)
{
    card_measure(
        quantity.c_str(), unit,
        [&] {
            double cycles = body_entry_cycles(kernel, warps, rounds) / rounds;
            return inverse ? scale / cycles : scale * cycles;
        },
        note);
}

// A row: cycles per instruction of one warp (latency of a chain, interval of independent instructions).
template <class Body>
void body_row(const std::string &quantity, const char *note = "", int rounds = body_rounds)
{
    body_entry_row(body_kernel<Body>, quantity, "cycles", 1, rounds, 1.0 / Body::count, false, note);
}

inline std::string body_name(const std::string &quantity, int warps, const char *rest)
{
    return quantity + ", " + std::to_string(warps) + " warps: " + rest;
}

// A row: cycles per instruction of a sub-core, `warps` warps (4 or a multiple) on the SM.
template <class Body>
void body_row_core(const std::string &quantity, int warps, const char *note = "", int rounds = body_rounds)
{
    body_entry_row(body_kernel<Body>, body_name(quantity, warps, "cycles per instruction of a sub-core"),
                   "cycles", warps, rounds, 4.0 / warps / Body::count, false, note);
}

// A row: cycles per instruction of the SM, `warps` warps on it.
template <class Body>
void body_row_sm(const std::string &quantity, int warps, const char *note = "", int rounds = body_rounds)
{
    body_entry_row(body_kernel<Body>, body_name(quantity, warps, "cycles per instruction of the SM"),
                   "cycles", warps, rounds, 1.0 / warps / Body::count, false, note);
}

struct card_part {
    const char *name;
    void (*run)();
};

// NAME: every part in order. NAME PART...: these parts. NAME --list: the names of the parts.
inline int card_main(int argc, char **argv, const std::vector<card_part> &parts)
{
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const card_part &part : parts) std::puts(part.name);
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (const card_part &part : parts) known |= !std::strcmp(part.name, argv[i]);
        if (!known) {
            std::fprintf(stderr, "%s: no part of that name (--list prints them)\n", argv[i]);
            return 1;
        }
    }
    std::printf("quantity,unit,value,low,high,note\n");
    for (const card_part &part : parts) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++) wanted |= !std::strcmp(part.name, argv[i]);
        if (!wanted) continue;
        std::fprintf(stderr, "%s\n", part.name);
        part.run();
    }
    return 0;
}
