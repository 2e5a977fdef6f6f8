// Properties of the first card as the driver tells them, and the clocks of an SM and of the DRAM.
//
//     properties [PART...]     parts: attributes, clock, launch
//     properties --list
#include "card.cuh"

#include <cstring>

struct attribute {
    cudaDeviceAttr id;
    const char *quantity, *unit;
};

static const attribute attributes[] = {
    {cudaDevAttrComputeCapabilityMajor, "compute capability, major", "1"},
    {cudaDevAttrComputeCapabilityMinor, "compute capability, minor", "1"},
    {cudaDevAttrMultiProcessorCount, "SMs", "SMs"},
    {cudaDevAttrWarpSize, "warp", "lanes"},
    {cudaDevAttrMaxThreadsPerBlock, "threads of a block, most", "threads"},
    {cudaDevAttrMaxThreadsPerMultiProcessor, "threads of an SM, most", "threads"},
    {cudaDevAttrMaxBlocksPerMultiprocessor, "blocks of an SM, most", "blocks"},
    {cudaDevAttrMaxRegistersPerBlock, "registers of a block, most", "registers"},
    {cudaDevAttrMaxRegistersPerMultiprocessor, "registers of an SM", "registers"},
    {cudaDevAttrMaxSharedMemoryPerBlock, "shared memory of a block without asking, most", "bytes"},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared memory of a block, most", "bytes"},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, "shared memory of an SM, most", "bytes"},
    {cudaDevAttrReservedSharedMemoryPerBlock, "shared memory of a block that the system reserves", "bytes"},
    {cudaDevAttrTotalConstantMemory, "constant memory", "bytes"},
    {cudaDevAttrL2CacheSize, "L2", "bytes"},
    {cudaDevAttrMaxPersistingL2CacheSize, "L2 for persisting lines, most", "bytes"},
    {cudaDevAttrGlobalMemoryBusWidth, "memory bus", "bits"},
    {cudaDevAttrClockRate, "SM clock, most", "kHz"},
    {cudaDevAttrMemoryClockRate, "memory clock, most", "kHz"},
    {cudaDevAttrAsyncEngineCount, "copy engines", "engines"},
    {cudaDevAttrEccEnabled, "ECC", "0 or 1"},
    {cudaDevAttrCooperativeLaunch, "cooperative launches", "0 or 1"},
    {cudaDevAttrClusterLaunch, "clusters", "0 or 1"},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, "float operations for each double operation", "1"},
};

static void row(const char *quantity, const char *unit, double value, const char *note = "")
{
    std::vector<double> values(1, value);
    card_row(quantity, unit, values, note);
}

static void print_attributes()
{
    cudaDeviceProp properties;
    size_t free_bytes, total_bytes;
    int driver, runtime, value;
    CARD_TRY(cudaGetDeviceProperties(&properties, 0));
    CARD_TRY(cudaDriverGetVersion(&driver));
    CARD_TRY(cudaRuntimeGetVersion(&runtime));
    row("CUDA of the driver", "1", driver, properties.name);
    row("CUDA of the runtime", "1", runtime);
    for (const attribute &a : attributes)
        if (cudaDeviceGetAttribute(&value, a.id, 0) == cudaSuccess)
            row(a.quantity, a.unit, value);
        else
            cudaGetLastError();
    CARD_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    row("memory", "bytes", (double)total_bytes);
    row("free memory", "bytes", (double)free_bytes);
}

// -- clock ----------------------------------------------------------------------------------------------------------

enum { INTERVAL_NS = 20000000, SPINS_MOST = 1 << 26 };

// Cycles and nanoseconds of an interval of the global timer. All SMs spin, so the clock is that of a busy card.
__global__ void count_cycles(long long *out)
{
    unsigned long long from, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    long long begin = card_clock();
    for (int i = 0; i < SPINS_MOST; i++) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - from >= INTERVAL_NS) break;
    }
    if (blockIdx.x || threadIdx.x) return;
    out[0] = card_clock() - begin;
    out[1] = (long long)(now - from);
}

static void measure_clock()
{
    int sms;
    long long *out = card_memory<long long>(2), counts[2];
    CARD_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    card_measure(
        "SM clock", "MHz",
        [&] {
            count_cycles<<<sms, 32>>>(out);
            CARD_WAIT();
            CARD_TRY(cudaMemcpy(counts, out, sizeof counts, cudaMemcpyDeviceToHost));
            return 1000.0 * (double)counts[0] / (double)counts[1];
        },
        "clock64 over 20 ms of the global timer, a warp on every SM");
}

// -- launch ---------------------------------------------------------------------------------------------------------

__global__ void nothing() {}

// Time of a launch in a queue of launches, by events.
static void measure_launch()
{
    enum { LAUNCHES = 1000 };
    cudaEvent_t from, to;
    float milliseconds;
    CARD_TRY(cudaEventCreate(&from));
    CARD_TRY(cudaEventCreate(&to));
    card_measure(
        "launch of nothing in a queue", "microseconds",
        [&] {
            CARD_TRY(cudaEventRecord(from));
            for (int i = 0; i < LAUNCHES; i++) nothing<<<1, 32>>>();
            CARD_TRY(cudaEventRecord(to));
            CARD_WAIT();
            CARD_TRY(cudaEventElapsedTime(&milliseconds, from, to));
            return 1000.0 * milliseconds / LAUNCHES;
        },
        "1,000 launches between two events");
}

static const struct part {
    const char *name;
    void (*run)();
} parts[] = {{"attributes", print_attributes}, {"clock", measure_clock}, {"launch", measure_launch}};

static bool chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], name)) return true;
    return argc < 2;
}

int main(int argc, char **argv)
{
    bool list = argc > 1 && !std::strcmp(argv[1], "--list");
    for (const part &p : parts)
        if (list)
            std::puts(p.name);
        else if (chosen(p.name, argc, argv))
            p.run();
    return 0;
}
