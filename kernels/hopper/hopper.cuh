// Common to the kernels for sm_90a: mbarriers, the copy engine, matrix descriptors, wgmma, clusters.
//
// Shared memory is addressed by 32-bit addresses of the shared window. Tiles of 128-byte rows are swizzled as the
// copy engine's 128-byte mode does: 16-byte cell c of row r lies in cell c ^ (r & 7), a pattern of 1,024 bytes.
// Sources: PTX ISA 8.0 and later, sections 9.7.9.25 (bulk copies), 9.7.13.15 (mbarrier), 9.7.15 (wgmma).
#pragma once
#include "../device.h"

#include <cuda_fp16.h>
#include <stdint.h>

#define DEVICE static __device__ __forceinline__

// A copy descriptor as the driver's cuTensorMapEncodeTiled writes it.
struct __align__(64) tensor_map { uint64_t words[16]; };

// The 1,024-byte aligned start of the block's dynamic shared memory. Launches ask for 1,024 bytes of slack.
DEVICE uint32_t dynamic_shared()
{
    extern __shared__ uint8_t dynamic_bytes[];
    return ((uint32_t)__cvta_generic_to_shared(dynamic_bytes) + 1023) & ~1023u;
}

// ---- mbarriers ----

// A wait that fails 2^17 times ends the kernel. HOPPER_STUCK, the PTX to do so, may first record the barrier (%0) and
// parity (%1).
#ifndef HOPPER_STUCK
#define HOPPER_STUCK "trap;\n"
#endif
constexpr uint32_t wait_tries = 1 << 17;

DEVICE void barrier_init(uint32_t barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// After barrier_init, before any thread or copy uses the barriers (a block or cluster barrier follows).
DEVICE void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async.shared::cta;" ::
                     : "memory");
}

DEVICE void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// An arrival that also announces `bytes` of copies.
DEVICE void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

// The address of `address` in the shared memory of the cluster's block `rank`.
DEVICE uint32_t cluster_address(uint32_t address, uint32_t rank)
{
    uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}

// An arrival at a barrier of the cluster's block `rank`. Orders no ordinary stores beyond the block.
DEVICE void barrier_arrive_at(uint32_t barrier, uint32_t rank)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(barrier, rank))
                 : "memory");
}

#define BARRIER_WAIT(order)                                                                                  \
    asm volatile("{\n"                                                                                       \
                 ".reg .pred p;\n"                                                                           \
                 ".reg .u32 tries;\n"                                                                        \
                 "mov.u32 tries, 0;\n"                                                                       \
                 "again:\n"                                                                                  \
                 "mbarrier.try_wait.parity" order ".shared::cta.b64 p, [%0], %1;\n"                          \
                 "@p bra end;\n"                                                                             \
                 "add.u32 tries, tries, 1;\n"                                                                \
                 "setp.lt.u32 p, tries, %2;\n"                                                               \
                 "@p bra again;\n" HOPPER_STUCK "end:\n"                                                     \
                 "}" ::"r"(barrier),                                                                         \
                 "r"(parity), "n"(wait_tries)                                                                \
                 : "memory")

// Waits until the barrier's phase of parity `parity` has completed.
DEVICE void barrier_wait(uint32_t barrier, uint32_t parity) { BARRIER_WAIT(""); }

// Also makes visible the cluster's stores counted on the barrier (st.async).
DEVICE void barrier_wait_cluster(uint32_t barrier, uint32_t parity) { BARRIER_WAIT(".acquire.cluster"); }

// ---- Fences, barriers, registers ----

// Writes by ordinary stores become visible to the copy engine and to wgmma.
DEVICE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Barrier `id` (1 to 15) of `threads` threads.
DEVICE void named_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

DEVICE void named_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

DEVICE uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

DEVICE void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}

// True in a single lane of a full warp.
DEVICE bool elect()
{
    uint32_t chosen;
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "elect.sync _|p, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(chosen));
    return chosen;
}

template <int registers> DEVICE void registers_raise()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

template <int registers> DEVICE void registers_lower()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- Copy engine ----

// Box of a 2-D tensor at column x, row y, to shared memory; the bytes count on `barrier`.
DEVICE void load_box(uint32_t to, const tensor_map *map, uint32_t barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

// The same to the shared memory of every block of the cluster named in `blocks`, a bit a rank.
DEVICE void load_box_to(uint32_t to, const tensor_map *map, uint32_t barrier, int x, int y, uint16_t blocks)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(blocks)
        : "memory");
}

DEVICE void load_box_4d(uint32_t to, const tensor_map *map, uint32_t barrier, int x, int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

DEVICE void store_box(const tensor_map *map, uint32_t from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

DEVICE void store_box_4d(const tensor_map *map, uint32_t from, int x, int y, int z, int w)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
        "r"(from), "r"(x), "r"(y), "r"(z), "r"(w)
        : "memory");
}

// Plain bytes, a multiple of 16.
DEVICE void load_bulk(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}

DEVICE void store_bulk(void *to, uint32_t from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
}

DEVICE void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Until at most `pending` of the thread's groups of stores still read shared memory.
template <int pending> DEVICE void store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

template <int pending> DEVICE void store_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}

DEVICE void prefetch_map(const tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// ---- wgmma ----

// Descriptor of a tile with 128-byte swizzle: `leading` and `stride` in bytes. Rows along K: groups of eight rows are
// `stride` apart, `leading` is unused. Rows along N: groups of eight k are `stride`, groups of 64 columns `leading`
// apart.
DEVICE uint64_t matrix_descriptor(uint32_t address, uint32_t leading, uint32_t stride)
{
    return (uint64_t)((address & 0x3FFFF) >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | 1ull << 62;
}

// Consecutive rows of 128 bytes along K. The next 32 bytes along K are 2 further.
DEVICE uint64_t row_descriptor(uint32_t address) { return matrix_descriptor(address, 16, 1024); }

DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending> DEVICE void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Keeps the compiler from moving uses of registers across a fence or a wait.
template <int n> DEVICE void hold(float (&d)[n])
{
#pragma unroll
    for (int i = 0; i < n; i++) asm volatile("" : "+f"(d[i])::"memory");
}

template <int n> DEVICE void hold(int (&d)[n])
{
#pragma unroll
    for (int i = 0; i < n; i++) asm volatile("" : "+r"(d[i])::"memory");
}

template <int n> DEVICE void hold(uint32_t (&d)[n])
{
#pragma unroll
    for (int i = 0; i < n; i++) asm volatile("" : "+r"(d[i])::"memory");
}

// Operand lists of 4 to 128 registers.
#define OPERANDS_4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define OPERANDS_16(c, d, i)                                                                                 \
    OPERANDS_4(c, d, i), OPERANDS_4(c, d, i + 4), OPERANDS_4(c, d, i + 8), OPERANDS_4(c, d, i + 12)
#define OPERANDS_32(c, d, i)  OPERANDS_16(c, d, i), OPERANDS_16(c, d, i + 16)
#define OPERANDS_64(c, d, i)  OPERANDS_32(c, d, i), OPERANDS_32(c, d, i + 32)
#define OPERANDS_128(c, d, i) OPERANDS_64(c, d, i), OPERANDS_64(c, d, i + 64)
#define REGISTERS_32                                                                                         \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "            \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define REGISTERS_64                                                                                         \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "            \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, "        \
    "%39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "        \
    "%58, %59, %60, %61, %62, %63}"
#define REGISTERS_128                                                                                        \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "            \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, "        \
    "%39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "        \
    "%58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "        \
    "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "        \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "           \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}"

// D (+)= A B with A and B in shared memory; keep = 0 starts from 0. `last` holds the immediates of the type.
#define WGMMA_SHARED(name, count, kind, type, letter, a_place, b_place, keep_place, last)                    \
    DEVICE void name(type(&d)[count], uint64_t a, uint64_t b, int keep)                                      \
    {                                                                                                        \
        asm volatile("{\n"                                                                                   \
                     ".reg .pred p;\n"                                                                       \
                     "setp.ne.b32 p, " keep_place ", 0;\n"                                                   \
                     "wgmma.mma_async.sync.aligned." kind " " REGISTERS_##count ", " a_place ", " b_place    \
                                                                                ", p" last ";\n"             \
                                                                                "}"                          \
                     : OPERANDS_##count(letter, d, 0)                                                        \
                     : "l"(a), "l"(b), "r"(keep)                                                             \
                     : "memory");                                                                            \
    }

// The same with A in four registers and rows of B along N.
#define WGMMA_REGISTERS(name, count, kind, a_places, b_place)                                                \
    DEVICE void name(float(&d)[count], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint64_t b)       \
    {                                                                                                        \
        asm volatile("wgmma.mma_async.sync.aligned." kind " " REGISTERS_##count ", " a_places ", " b_place   \
                                                                                ", 1, 1, 1, 1;"              \
                     : OPERANDS_##count("+f", d, 0)                                                          \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b)                                            \
                     : "memory");                                                                            \
    }

#define AT_64                "%64", "%65", "%66"
#define AT_128               "%128", "%129", "%130"
#define WGMMA_SHARED_AT(...) WGMMA_SHARED(__VA_ARGS__)

// 64 rows, 128 or 256 columns, 32 bytes of K.
WGMMA_SHARED_AT(wgmma_128_f16, 64, "m64n128k16.f32.f16.f16", float, "+f", AT_64, ", 1, 1, 0, 0")
WGMMA_SHARED_AT(wgmma_256_f16, 128, "m64n256k16.f32.f16.f16", float, "+f", AT_128, ", 1, 1, 0, 0")
WGMMA_SHARED_AT(wgmma_256_e4m3, 128, "m64n256k32.f32.e4m3.e4m3", float, "+f", AT_128, ", 1, 1")
WGMMA_SHARED_AT(wgmma_256_s8, 128, "m64n256k32.s32.s8.s8", int, "+r", AT_128, "")
WGMMA_SHARED_AT(wgmma_256_tf32, 128, "m64n256k8.f32.tf32.tf32", float, "+f", AT_128, ", 1, 1")
WGMMA_REGISTERS(wgmma_64_registers, 32, "m64n64k16.f32.f16.f16", "{%32, %33, %34, %35}", "%36")
WGMMA_REGISTERS(wgmma_128_registers, 64, "m64n128k16.f32.f16.f16", "{%64, %65, %66, %67}", "%68")

// ---- Tiles of 128-byte rows ----

// Address of 16-byte cell `cell` of row `row` in a swizzled tile.
DEVICE uint32_t tile_cell(uint32_t tile, int row, int cell)
{
    return tile + row * 128 + ((cell ^ (row & 7)) << 4);
}

// Four 8x8 matrices of 16-bit values; lane 8 j + i names row i of matrix j.
DEVICE void store_matrices(uint32_t row, uint32_t m0, uint32_t m1, uint32_t m2, uint32_t m3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(m0),
                 "r"(m1), "r"(m2), "r"(m3)
                 : "memory");
}

DEVICE uint32_t pack_half(float low, float high)
{
    __half2 pair = __floats2half2_rn(low, high);
    return *(uint32_t *)&pair;
}

// Writes 64 columns of a warp's 16 rows, f32 fragments from value `first`, as f16 to a swizzled tile from row `top`.
template <int n>
DEVICE void store_fragment_half(uint32_t tile, int top, const float (&d)[n], int first, float low_scale,
                                float high_scale)
{
    int lane = threadIdx.x & 31;
    int row = top + (lane & 15);
#pragma unroll
    for (int pair = 0; pair < 4; pair++) {
        int i = first + 8 * pair;
        store_matrices(tile_cell(tile, row, 2 * pair + (lane >> 4)),
                       pack_half(d[i] * low_scale, d[i + 1] * low_scale),
                       pack_half(d[i + 2] * high_scale, d[i + 3] * high_scale),
                       pack_half(d[i + 4] * low_scale, d[i + 5] * low_scale),
                       pack_half(d[i + 6] * high_scale, d[i + 7] * high_scale));
    }
}
