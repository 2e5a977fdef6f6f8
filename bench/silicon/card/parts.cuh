// Parts of a program that measures a card, and the few instructions of Hopper that several programs share.
//
//     NAME            runs every part in the order of the table, safe parts first
//     NAME --list     prints the names of the parts
//     NAME PART...    runs the named parts only
//
// Every wait has an upper bound of 2^28 cycles; behind it the kernel traps, so no program holds a card for long.
#pragma once
#include "card.cuh"

#include <cstring>
#include <string>

struct card_part {
    const char *name;
    void (*run)();
};

// Runs the parts that `argv` names, or every part without a name. Returns the exit status.
inline int card_run_parts(int argc, char **argv, const card_part *parts, int count)
{
    if (argc > 1 && !std::strcmp(argv[1], "--list")) {
        for (int i = 0; i < count; i++) std::printf("%s\n", parts[i].name);
        return 0;
    }
    for (int a = 1; a < argc; a++) {
        bool known = false;
        for (int i = 0; i < count; i++) known = known || !std::strcmp(argv[a], parts[i].name);
        if (!known) return std::fprintf(stderr, "%s: no part named %s\n", argv[0], argv[a]), 1;
    }
    for (int i = 0; i < count; i++) {
        bool wanted = argc == 1;
        for (int a = 1; a < argc; a++) wanted = wanted || !std::strcmp(argv[a], parts[i].name);
        if (wanted) parts[i].run();
    }
    return 0;
}

// A row of a single value.
inline void card_value(const std::string &quantity, const char *unit, double value,
                       const std::string &note = "")
{
    std::vector<double> values{value};
    card_row(quantity.c_str(), unit, values, note.c_str());
}

// A row of the median of `values`; the first `left_out` values are warm-up. Without values no row is printed.
inline void card_median(const std::string &quantity, const char *unit, std::vector<double> values,
                        size_t left_out = 0, const std::string &note = "")
{
    if (values.size() <= left_out) return;
    values.erase(values.begin(), values.begin() + (long)left_out);
    card_row(quantity.c_str(), unit, values, note.c_str());
}

// `count` words of the card's memory, copied to the host.
template <typename T> std::vector<T> card_read(const T *device, size_t count)
{
    std::vector<T> host(count);
    CARD_TRY(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

inline int card_sms()
{
    int sms;
    CARD_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return sms;
}

// Allows a kernel `bytes` of dynamic shared memory.
template <typename Kernel> void card_shared(Kernel kernel, int bytes)
{
    CARD_TRY(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// Launches `kernel` in clusters of `cluster` blocks and waits. Returns false where a cluster of the size does not fit.
template <typename... Parameters, typename... Arguments>
bool card_launch_clusters(void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
                          int cluster, Arguments... arguments)
{
    if (cluster > 8)
        CARD_TRY(
            cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    card_shared(kernel, shared_bytes);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared_bytes;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, kernel, (Parameters)arguments...) != cudaSuccess) {
        std::fprintf(stderr, "cluster of %d: %s\n", cluster, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    CARD_WAIT();
    return true;
}

__device__ __forceinline__ uint32_t card_shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ uint32_t card_smid()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__device__ __forceinline__ uint32_t card_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The address of block `rank`'s copy of a shared address.
__device__ __forceinline__ uint32_t card_mapa(uint32_t address, uint32_t rank)
{
    uint32_t mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

// True in a single lane of a full warp. ptxas knows that the branch has one lane, so copies issue without a loop over
// lanes.
__device__ __forceinline__ bool card_elected()
{
    uint32_t yes;
    asm volatile("{.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;}" : "=r"(yes));
    return yes;
}

// The clock behind the arrival of `value`: issue is in order, and the trap's condition needs the value. The value 1
// never occurs.
__device__ __forceinline__ long long card_clock_after(unsigned long long value)
{
    long long t;
    asm volatile("{.reg .pred p;\nsetp.eq.u64 p, %1, 1;\n@p trap;\nmov.u64 %0, %%clock64;}"
                 : "=l"(t)
                 : "l"(value)
                 : "memory");
    return t;
}

__device__ __forceinline__ void card_cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar),
                 "r"(count)
                 : "memory");
}

__device__ __forceinline__ void mbarrier_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}

// Arrives on the barrier at the same place of block `rank`.
__device__ __forceinline__ void mbarrier_arrive_remote(uint32_t bar, uint32_t rank)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(card_mapa(bar, rank)) : "memory");
}

__device__ __forceinline__ bool mbarrier_try(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done;
}

// Waits until the phase of parity `parity` has completed; traps after 2^28 cycles.
__device__ __forceinline__ void mbarrier_wait(uint32_t bar, uint32_t parity)
{
    if (mbarrier_try(bar, parity)) return;
    long long start = card_clock();
    while (!mbarrier_try(bar, parity))
        if (card_clock() - start > 1 << 28) __trap();
}

// `bytes` of global memory to shared memory; completes on `bar`.
__device__ __forceinline__ void bulk_load(uint32_t to, const void *from, uint32_t bytes, uint32_t bar)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "l"(from), "r"(bytes), "r"(bar)
        : "memory");
}

__device__ __forceinline__ void bulk_store(void *to, uint32_t from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// At most `left` groups of the thread's bulk stores stay pending.
template <int left> __device__ __forceinline__ void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory");
}

// At most `left` groups of the thread's bulk stores have sources unread.
template <int left> __device__ __forceinline__ void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}

__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
