// Timing of clusters, distributed shared memory and launches.
//
// A step that crosses blocks is timed by the clock of a single SM (round trips); clocks of different SMs are never
// subtracted, except in part `skew`, where their offsets are the subject.
#include "parts.cuh"

#include <chrono>
#include <map>

constexpr int data_bytes = 128 * 1024;
constexpr int block_bytes = data_bytes + 1024;

static long long *results()
{
    static long long *p = card_memory<long long>(1 << 20);
    return p;
}

extern __shared__ __align__(1024) unsigned char shared_memory[];

__device__ __forceinline__ uint32_t data_at(uint32_t offset)
{
    return card_shared_address(shared_memory) + offset;
}
__device__ __forceinline__ uint32_t bar_at(int i)
{
    return card_shared_address(shared_memory) + data_bytes + i * 8;
}

__device__ __forceinline__ unsigned long long global_time()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ __forceinline__ uint32_t cluster_blocks()
{
    uint32_t n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

// ---- launches ----

__global__ void nothing() {}
__global__ void nothing_of(int) {}

using clock_type = std::chrono::steady_clock;

static double microseconds_since(clock_type::time_point t)
{
    return std::chrono::duration<double, std::micro>(clock_type::now() - t).count();
}

// Microseconds per launch of `launches` back to back, by events.
template <typename Launch> static double launch_interval(int launches, Launch launch)
{
    cudaEvent_t before, after;
    CARD_TRY(cudaEventCreate(&before));
    CARD_TRY(cudaEventCreate(&after));
    launch();
    CARD_WAIT();
    CARD_TRY(cudaEventRecord(before));
    for (int i = 0; i < launches; i++) launch();
    CARD_TRY(cudaEventRecord(after));
    CARD_WAIT();
    float ms;
    CARD_TRY(cudaEventElapsedTime(&ms, before, after));
    CARD_TRY(cudaEventDestroy(before));
    CARD_TRY(cudaEventDestroy(after));
    return ms * 1000.0 / launches;
}

// A launch with a cluster size and, where `dependent`, programmatic order behind the launch before.
static void launch_with(void (*kernel)(int), int blocks, int threads, int cluster, bool dependent,
                        int value = 0, cudaStream_t stream = nullptr)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.stream = stream;
    cudaLaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (cluster) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count].val.clusterDim.x = (unsigned)cluster;
        attributes[count].val.clusterDim.y = attributes[count].val.clusterDim.z = 1;
        count++;
    }
    if (dependent) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count].val.programmaticStreamSerializationAllowed = 1;
        count++;
    }
    config.attrs = attributes;
    config.numAttrs = count;
    CARD_TRY(cudaLaunchKernelEx(&config, kernel, value));
}

static void allow_16(const void *kernel)
{
    CARD_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

// Microseconds of a sequence that the host captured once, per repeat: no host time between launches.
template <typename Body> static double graph_time(int repeats, Body body)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CARD_TRY(cudaStreamCreate(&stream));
    CARD_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < repeats; i++) body(stream);
    CARD_TRY(cudaStreamEndCapture(stream, &graph));
    CARD_TRY(cudaGraphInstantiate(&run, graph, 0));
    cudaEvent_t before, after;
    CARD_TRY(cudaEventCreate(&before));
    CARD_TRY(cudaEventCreate(&after));
    float best = 1e30f;
    for (int i = 0; i < 4; i++) {
        CARD_TRY(cudaEventRecord(before, stream));
        CARD_TRY(cudaGraphLaunch(run, stream));
        CARD_TRY(cudaEventRecord(after, stream));
        CARD_TRY(cudaStreamSynchronize(stream));
        float ms;
        CARD_TRY(cudaEventElapsedTime(&ms, before, after));
        best = std::min(best, ms);
    }
    CARD_TRY(cudaGraphExecDestroy(run));
    CARD_TRY(cudaGraphDestroy(graph));
    CARD_TRY(cudaStreamDestroy(stream));
    return best * 1000.0 / repeats;
}

static void launches()
{
    std::vector<double> v;
    for (int i = 0; i < 9; i++) {
        auto t = clock_type::now();
        nothing<<<1, 32>>>();
        CARD_WAIT();
        v.push_back(microseconds_since(t));
    }
    card_median("empty kernel, launch and synchronize", "us", v, 2, "host time");
    allow_16((const void *)nothing_of);
    for (int blocks : {1, 132, 1056})
        for (int cluster : {0, 1, 2, 4, 8, 16}) {
            int grid = cluster ? (blocks + cluster - 1) / cluster * cluster : blocks;
            std::vector<double> w;
            for (int i = 0; i < 3; i++)
                w.push_back(
                    launch_interval(200, [&] { launch_with(nothing_of, grid, 128, cluster, false); }));
            card_median("empty kernel of " + std::to_string(blocks) + " blocks, " +
                            (cluster ? "clusters of " + std::to_string(cluster) : std::string("plain")) +
                            ": back to back",
                        "us", w, 0,
                        std::to_string(grid) + " blocks of 128 threads; host's launch rate may bound");
        }
    for (int blocks : {1, 132, 1056})
        card_value("empty kernel of " + std::to_string(blocks) + " blocks in a graph of 200", "us",
                   graph_time(200, [&](cudaStream_t s) { nothing<<<blocks, 128, 0, s>>>(); }), "least of 4");
    for (int blocks : {16, 128, 1056})
        for (int cluster : {0, 1, 2, 4, 8, 16})
            card_value(
                "empty kernel of " + std::to_string(blocks) + " blocks, " +
                    (cluster ? "clusters of " + std::to_string(cluster) : std::string("plain")) +
                    ", in a graph of 200",
                "us",
                graph_time(
                    200, [&](cudaStream_t s) { launch_with(nothing_of, blocks, 128, cluster, false, 0, s); }),
                "least of 4; 128 threads a block");
    for (int cluster : {0, 1, 2, 4, 8, 16})
        for (int blocks : {1600, 16000})
            card_value(
                "grid of " + std::to_string(blocks) + " empty blocks of 128 threads, " +
                    (cluster ? "clusters of " + std::to_string(cluster) : std::string("plain")),
                "us",
                graph_time(
                    4, [&](cudaStream_t s) { launch_with(nothing_of, blocks, 128, cluster, false, 0, s); }),
                "graph of 4, least of 4");
    for (int threads : {32, 128, 256, 1024})
        for (int blocks : {1, 1000, 10000, 100000}) {
            double t = graph_time(4, [&](cudaStream_t s) { nothing<<<blocks, threads, 0, s>>>(); });
            card_value("grid of " + std::to_string(blocks) + " empty blocks of " + std::to_string(threads) +
                           " threads",
                       "us", t,
                       "graph of 4, least of 4; slope over blocks is the rate of the block scheduler");
        }
}

// Spins for `cycles`, then lets dependents start, then spins again. Programmatic launches overlap the second spin.
__global__ void first_kernel(int cycles)
{
    long long t = card_clock();
    while (card_clock() - t < cycles) {
    }
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    t = card_clock();
    while (card_clock() - t < cycles) {
    }
}

// The clock of the first instruction and of the return from griddepcontrol.wait, and the end, in nanoseconds.
__device__ unsigned long long stamps[3 * 64];
__global__ void stamped(int index)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) stamps[3 * index] = global_time();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0) stamps[3 * index + 1] = global_time();
    long long t = card_clock();
    while (card_clock() - t < 20000) {
    }
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0) stamps[3 * index + 2] = global_time();
}

static void dependent()
{
    for (int blocks : {1, 132})
        for (int programmatic = 0; programmatic < 2; programmatic++) {
            std::vector<double> t, gap, wait;
            for (int i = 0; i < 3; i++)
                t.push_back(launch_interval(
                    100, [&] { launch_with(first_kernel, blocks, 128, 0, programmatic, 4000); }));
            card_median("kernel of 8,000 cycles, " + std::to_string(blocks) + " blocks, " +
                            (programmatic ? "programmatic" : "plain") + " launches: back to back",
                        "us", t, 0, "launch_dependents at half time");
            for (int k = 0; k < 64; k++) launch_with(stamped, blocks, 128, 0, programmatic, k);
            CARD_WAIT();
            std::vector<unsigned long long> s(3 * 64);
            CARD_TRY(cudaMemcpyFromSymbol(s.data(), stamps, sizeof(stamps)));
            for (size_t k = 8; k < 64; k++) {
                gap.push_back((double)(long long)(s[3 * k] - s[3 * k - 1]));
                wait.push_back((double)(long long)(s[3 * k + 1] - s[3 * k - 1]));
            }
            std::string name = std::string(programmatic ? "programmatic" : "plain") + " launches of " +
                               std::to_string(blocks) + " blocks: ";
            card_median(name + "end of a kernel to first instruction of the next", "ns", gap, 0,
                        "%globaltimer; its steps bound the resolution");
            card_median(name + "end of a kernel to behind griddepcontrol.wait of the next", "ns", wait);
        }
}

// ---- blocks over SMs ----

struct place {
    unsigned sm;
    unsigned slot;
    unsigned long long start, end; // %globaltimer
    long long first, last;         // clock64
};

__global__ void where(place *out, int cycles)
{
    long long first = card_clock();
    unsigned long long start = global_time();
    unsigned warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    while (card_clock() - first < cycles) {
    }
    if (threadIdx.x == 0) out[blockIdx.x] = {card_smid(), warp, start, global_time(), first, card_clock()};
}

static FILE *report(const char *name)
{
    const char *folder = std::getenv("CARD_OUT");
    FILE *to = folder ? std::fopen((std::string(folder) + "/" + name).c_str(), "w") : nullptr;
    return to;
}

static void order()
{
    auto *places = (place *)results();
    int sms = card_sms();
    FILE *to = report("block-order.txt");
    const int loads[][2] = {{1, 1024}, {2, 1024}, {8, 256}, {16, 128}, {32, 32}};
    for (const auto &l : loads) {
        int blocks = sms * l[0] + (l[0] > 1 ? sms : 0);
        int shared = l[0] == 1 ? 200 * 1024 : 0;
        card_shared(where, shared);
        where<<<blocks, l[1], shared>>>(places, 30000);
        CARD_WAIT();
        auto p = card_read(places, (size_t)blocks);
        double same = 0, next = 0;
        for (int i = 0; i < sms; i++) same += p[i].sm == p[0].sm + (unsigned)i;
        for (int i = 1; i < sms * l[0]; i++) next += p[i].sm == p[i - 1].sm;
        card_value("first wave, " + std::to_string(l[0]) + " blocks of " + std::to_string(l[1]) +
                       " threads an SM: block i on SM (first + i)",
                   "share", same / sms);
        card_value("first wave, " + std::to_string(l[0]) + " blocks of " + std::to_string(l[1]) +
                       " threads an SM: block i on the SM of block i - 1",
                   "share", next / (sms * l[0] - 1));
        if (to) {
            std::fprintf(to, "%d blocks of %d threads an SM: SM of blocks in order\n", l[0], l[1]);
            for (int i = 0; i < blocks; i++) std::fprintf(to, "%u%c", p[i].sm, i % 33 == 32 ? '\n' : ' ');
            std::fprintf(to, "\n");
        }
        std::vector<double> starts; // rate of starts in the first wave
        for (int i = 0; i < sms * l[0]; i++) starts.push_back((double)p[i].start);
        std::sort(starts.begin(), starts.end());
        card_value("first wave, " + std::to_string(l[0]) + " blocks of " + std::to_string(l[1]) +
                       " threads an SM: first to last start",
                   "ns", starts.back() - starts.front(), "%globaltimer");
        std::vector<double> gaps; // on an SM: exit of a block to the first instruction of the successor
        std::map<unsigned, std::vector<place>> of_sm;
        for (const place &x : p) of_sm[x.sm].push_back(x);
        for (auto &[sm, list] : of_sm) {
            std::sort(list.begin(), list.end(),
                      [](const place &a, const place &b) { return a.first < b.first; });
            std::vector<long long> ends;
            for (const place &x : list) ends.push_back(x.last);
            std::sort(ends.begin(), ends.end());
            for (size_t i = (size_t)l[0]; i < list.size(); i++)
                if (i - (size_t)l[0] < ends.size())
                    gaps.push_back((double)(list[i].first - ends[i - (size_t)l[0]]));
        }
        if (!gaps.empty())
            card_median("end of a block to first instruction of the successor, " + std::to_string(l[0]) +
                            " blocks of " + std::to_string(l[1]) + " threads an SM",
                        "cycles", gaps, 0, "k-th end of an SM to the k-th later start");
    }
    if (to) std::fclose(to);
}

// One block an SM, blocks of few cycles: 1,000 tiny blocks and long queues of blocks.
static void tiny()
{
    auto *places = (place *)results();
    for (int cycles : {0, 1000})
        for (int blocks : {1000, 4000}) {
            card_shared(where, 200 * 1024);
            where<<<blocks, 128, 200 * 1024>>>(places, cycles);
            CARD_WAIT();
            auto p = card_read(places, (size_t)blocks);
            std::map<unsigned, std::vector<place>> of_sm;
            unsigned long long first = ~0ull, last = 0;
            for (const place &x : p) {
                of_sm[x.sm].push_back(x);
                first = std::min(first, x.start), last = std::max(last, x.end);
            }
            std::vector<double> gaps;
            for (auto &[sm, list] : of_sm) {
                std::sort(list.begin(), list.end(),
                          [](const place &a, const place &b) { return a.first < b.first; });
                for (size_t i = 1; i < list.size(); i++)
                    gaps.push_back((double)(list[i].first - list[i - 1].last));
            }
            std::string name =
                std::to_string(blocks) + " blocks of " + std::to_string(cycles) + " cycles, one an SM";
            card_median(name + ": end of a block to first instruction of the successor", "cycles", gaps);
            card_value(name + ": first start to last end", "ns", (double)(last - first), "%globaltimer");
        }
}

// ---- clusters over the chip ----

__global__ void cluster_place(place *out, int cycles)
{
    long long first = card_clock();
    while (card_clock() - first < cycles) {
    }
    if (threadIdx.x == 0) out[blockIdx.x] = {card_smid(), card_rank(), 0, 0, first, card_clock()};
}

// Which SMs ever share a cluster (a GPC), from many launches of clusters of 2 to 16; and how many clusters fit.
static void fit()
{
    auto *places = (place *)results();
    int sms = card_sms();
    std::vector<int> group((size_t)sms);
    for (int i = 0; i < sms; i++) group[(size_t)i] = i;
    auto root = [&](int i) {
        while (group[(size_t)i] != i) i = group[(size_t)i];
        return i;
    };
    FILE *to = report("clusters.txt");
    CARD_TRY(
        cudaFuncSetAttribute((const void *)cluster_place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (int cluster : {1, 2, 4, 8, 16})
        for (int shared : {0, 200 * 1024}) {
            card_shared(cluster_place, 200 * 1024);
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3((unsigned)(cluster * 16));
            config.blockDim = dim3(128);
            config.dynamicSmemBytes = (size_t)shared;
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = (unsigned)cluster;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            config.attrs = &attribute;
            config.numAttrs = 1;
            int most = 0;
            cudaError_t e = cudaOccupancyMaxActiveClusters(&most, cluster_place, &config);
            if (e != cudaSuccess) {
                std::fprintf(stderr, "clusters of %d: %s\n", cluster, cudaGetErrorString(cudaGetLastError()));
                continue;
            }
            card_value("clusters of " + std::to_string(cluster) + " that fit, " +
                           std::to_string(shared / 1024) + " KiB of shared memory a block",
                       "clusters", most, "cudaOccupancyMaxActiveClusters");
            if (!shared) continue;
            for (int repeat = 0; repeat < 8; repeat++) {
                int blocks = (most + 4) * cluster;
                if (!card_launch_clusters(cluster_place, blocks, 128, shared, cluster, places, 20000)) break;
                auto p = card_read(places, (size_t)blocks);
                for (int c = 0; c < blocks / cluster; c++)
                    for (int r = 1; r < cluster; r++)
                        group[(size_t)root((int)p[c * cluster + r].sm)] = root((int)p[c * cluster].sm);
                if (repeat < 2 && to) {
                    std::fprintf(to, "clusters of %d: SMs by rank\n", cluster);
                    for (int i = 0; i < blocks; i++)
                        std::fprintf(to, "%u%c", p[i].sm, i % cluster == cluster - 1 ? '\n' : ' ');
                }
            }
        }
    std::map<int, std::vector<int>> gpcs;
    for (int i = 0; i < sms; i++) gpcs[root(i)].push_back(i);
    card_value("groups of SMs that share clusters", "groups", (double)gpcs.size(),
               "GPCs, where every pair was seen");
    int index = 0;
    for (auto &[r, list] : gpcs) {
        std::string text;
        for (int i : list) text += (text.empty() ? "" : " ") + std::to_string(i);
        card_value("SMs of group " + std::to_string(index++), "SMs", (double)list.size(), text);
    }
    if (to) std::fclose(to);
}

// ---- barrier.cluster ----

template <int kind> __global__ void cluster_barriers(long long *out)
{
    card_cluster_sync();
    card_cluster_sync();
    long long t0 = card_clock();
#pragma unroll
    for (int i = 0; i < 32; i++) {
        if (kind == 0)
            asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        if (kind == 1)
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                             : "memory");
        if (kind == 2)
            asm volatile("st.shared.u32 [%0], %1;\nbarrier.cluster.arrive.release.aligned;\n"
                         "barrier.cluster.wait.acquire.aligned;" ::"r"(data_at(threadIdx.x * 4)),
                         "r"(i)
                         : "memory");
    }
    long long t1 = card_clock();
    if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
    card_cluster_sync();
}

template <int kind> static void barrier_rows(const char *name)
{
    for (int cluster : {1, 2, 4, 8, 16})
        for (int threads : {32, 128, 512}) {
            std::vector<double> v;
            for (int i = 0; i < 4; i++) {
                if (!card_launch_clusters(cluster_barriers<kind>, cluster, threads, 8192, cluster, results()))
                    break;
                v.push_back((double)card_read(results(), 1)[0] / 32);
            }
            card_median(std::string(name) + ", clusters of " + std::to_string(cluster) + ", " +
                            std::to_string(threads) + " threads a block: interval",
                        "cycles", v, 1);
        }
}

static void barriers()
{
    barrier_rows<0>("barrier.cluster arrive and wait");
    barrier_rows<1>("barrier.cluster arrive.relaxed and wait");
    barrier_rows<2>("st.shared, barrier.cluster arrive.release and wait.acquire");
}

// ---- distributed shared memory: latency ----

// Rank `from` chases through the shared memory of rank `to`: a ring of generic pointers, atomics of 0 on a 32-bit pointer, or
// (kind 2) plain shared memory.
template <int kind> __global__ void remote_chase(long long *out, unsigned from, unsigned to)
{
    auto *ring = (unsigned long long *)shared_memory;
    auto generic = (unsigned long long)shared_memory, first = generic;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(generic), "r"(card_rank()));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(first) : "l"(first), "r"(to));
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
        unsigned next = (i * 8 + 128) % 4096;
        ring[i] = kind == 2 ? data_at(next) : kind == 1 ? card_mapa(data_at(0), card_rank()) : generic + next;
    }
    card_cluster_sync();
    if (card_rank() == from && threadIdx.x == 0) {
        unsigned long long p = first;
        unsigned q = kind == 1 ? card_mapa(data_at(0), to) : data_at(0);
        for (int pass = 0; pass < 3; pass++) {
            long long t0 = card_clock_after((unsigned)p ^ q);
#pragma unroll
            for (int i = 0; i < 64; i++) {
                if (kind == 0) asm volatile("ld.u64 %0, [%0];" : "+l"(p)::"memory");
                if (kind == 1) asm volatile("atom.shared::cluster.add.u32 %0, [%0], 0;" : "+r"(q)::"memory");
                if (kind == 2) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(q)::"memory");
            }
            long long t1 = card_clock_after((unsigned)p ^ q);
            out[pass] = t1 - t0;
        }
        out[3] = card_smid();
    }
    card_cluster_sync();
}

template <int kind> static void chase_rows(const char *name, bool every_pair)
{
    for (int cluster : {2, 4, 8, 16}) {
        std::vector<double> all;
        for (int to = 0; to < cluster; to++) {
            std::vector<double> v;
            for (int from = 0; from < (every_pair ? cluster : 1); from++) {
                if (kind != 2 && from == to && every_pair) continue;
                if (!card_launch_clusters(remote_chase<kind>, cluster, 32, 8192, cluster, results(),
                                          (unsigned)from, (unsigned)to))
                    return;
                double t = (double)card_read(results(), 3)[2] / 64;
                v.push_back(t);
                if (from != to) all.push_back(t);
            }
            card_median(std::string(name) + ", cluster of " + std::to_string(cluster) + ", to rank " +
                            std::to_string(to) + ": latency",
                        "cycles", v, 0, every_pair ? "from every other rank" : "from rank 0");
        }
        card_median(std::string(name) + ", cluster of " + std::to_string(cluster) + ", all pairs: latency",
                    "cycles", all);
    }
}

// Ping-pong of two blocks: a flag written with st and polled with ld; st.async with an mbarrier; a remote arrive.
template <int kind> __global__ void ping_pong(long long *out, unsigned other, int rounds)
{
    if (threadIdx.x == 0) {
        mbarrier_init(bar_at(0), 1);
        *(volatile int *)shared_memory = 0;
    }
    card_cluster_sync();
    unsigned rank = card_rank();
    if (threadIdx.x == 0 && (rank == 0 || rank == other)) {
        unsigned peer = rank ? 0 : other;
        unsigned flag = card_mapa(data_at(0), peer), bar = card_mapa(bar_at(0), peer);
        long long t0 = card_clock();
        for (int r = 0; r < rounds; r++) {
            if (kind == 1) mbarrier_expect(bar_at(0), 4);
            for (int turn = 0; turn < 2; turn++) {
                if ((turn == 0) == (rank == 0)) { // send
                    if (kind == 0)
                        asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(flag),
                                     "r"(r + 1)
                                     : "memory");
                    if (kind == 1)
                        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], "
                                     "%1, [%2];" ::"r"(flag),
                                     "r"(r + 1), "r"(bar)
                                     : "memory");
                    if (kind == 2)
                        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar)
                                     : "memory");
                    if (kind == 4)
                        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
                    if (kind == 5)
                        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar)
                                     : "memory");
                    if (kind == 3)
                        asm volatile(
                            "st.relaxed.cluster.shared::cluster.u32 [%0], %1;\nfence.acq_rel.cluster;" ::"r"(
                                flag),
                            "r"(r + 1)
                            : "memory");
                } else if (kind == 0 || kind == 3) {
                    int seen;
                    long long t = card_clock();
                    do {
                        asm volatile("ld.volatile.shared.u32 %0, [%1];"
                                     : "=r"(seen)
                                     : "r"(data_at(0))
                                     : "memory");
                        if (card_clock() - t > 1 << 28) __trap();
                    } while (seen != r + 1);
                } else {
                    mbarrier_wait(bar_at(0), r & 1);
                }
            }
        }
        if (rank == 0) out[0] = card_clock() - t0;
    }
    card_cluster_sync();
}

template <int kind> static void ping_rows(const char *name)
{
    for (int cluster : {2, 8, 16})
        for (int other = 1; other < cluster; other += other == 1 ? 1 : 3) {
            std::vector<double> v;
            for (int i = 0; i < 4; i++) {
                if (!card_launch_clusters(ping_pong<kind>, cluster, 32, block_bytes, cluster, results(),
                                          (unsigned)other, 64))
                    break;
                v.push_back((double)card_read(results(), 1)[0] / 128);
            }
            card_median(std::string(name) + ", cluster of " + std::to_string(cluster) + ", ranks 0 and " +
                            std::to_string(other) + ": one way",
                        "cycles", v, 1, "half of a round trip, 64 rounds");
        }
}

// Costs of small instructions, 64 in a row.
template <int kind> __global__ void small_costs(long long *out)
{
    card_cluster_sync();
    unsigned value = 0, at = data_at(threadIdx.x * 4);
    for (int pass = 0; pass < 2; pass++) {
        long long t0 = card_clock();
#pragma unroll
        for (int i = 0; i < 64; i++) {
            if (kind == 0)
                asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(value) : "r"(at), "r"(value & 1));
            if (kind == 1)
                asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(value) : "r"(at + value));
            if (kind == 2)
                asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(card_mapa(at, 1) + i * 128), "r"(i)
                             : "memory");
            if (kind == 3)
                asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(card_mapa(at, 1)), "r"(i)
                             : "memory");
            if (kind == 4) asm volatile("fence.acq_rel.cluster;" ::: "memory");
        }
        long long t1 = card_clock_after(value + 2ull);
        if (threadIdx.x == 0 && card_rank() == 0) out[0] = t1 - t0;
        card_cluster_sync();
    }
}

template <int kind> static void small_row(const char *name)
{
    std::vector<double> v;
    for (int i = 0; i < 4; i++) {
        if (!card_launch_clusters(small_costs<kind>, 2, 32, 8192, 2, results())) return;
        v.push_back((double)card_read(results(), 1)[0] / 64);
    }
    card_median(std::string(name) + ": interval", "cycles", v, 1, "one warp, 64 in a row");
}

static void distributed()
{
    small_row<0>("mapa.shared::cluster.u32, dependent");
    small_row<1>("getctarank.shared::cluster.u32, dependent");
    small_row<2>("st.shared::cluster.u32 to rank 1");
    small_row<3>("red.shared::cluster.add.u32 to rank 1");
    small_row<4>("fence.acq_rel.cluster");
    chase_rows<2>("ld.shared of the own block", false);
    chase_rows<0>("ld.shared::cluster", true);
    chase_rows<1>("atom.shared::cluster.add.u32 with the conversion of the address", false);
    ping_rows<0>("st.shared::cluster until seen by a poll");
    ping_rows<3>("st.shared::cluster and fence.acq_rel.cluster until seen by a poll");
    ping_rows<4>("remote mbarrier.arrive until behind the wait");
    ping_rows<5>("remote mbarrier.arrive.relaxed.cluster until behind the wait");
    ping_rows<2>("remote mbarrier.arrive.release.cluster until behind the wait");
    ping_rows<1>("st.async until behind the wait");
}

// ---- distributed shared memory: bandwidth ----

// Blocks exchange with the rank `distance` further: `senders` 1: rank 0 only, 2: all. Kinds: 0 ld 4 B, 1 ld 16 B,
// 2 st 4 B, 3 st 16 B, 4 bulk copies, 5 red.add.u32.
template <int kind>
__global__ void __launch_bounds__(1024) exchange(long long *out, unsigned distance, int everyone, int steps)
{
    uint32_t rank = card_rank(), blocks = cluster_blocks(), peer = (rank + distance) % blocks;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++) mbarrier_init(bar_at(i), 1);
    for (int i = (int)threadIdx.x; i < data_bytes / 4; i += (int)blockDim.x)
        ((unsigned *)shared_memory)[i] = 0;
    fence_async();
    card_cluster_sync();
    unsigned base = card_mapa(data_at(65536), peer), sum = 0;
    long long t0 = card_clock();
    if (everyone || rank == 0) {
        constexpr int width = kind == 1 || kind == 3 ? 16 : 4;
        if (kind == 4) {
            if (threadIdx.x == 0)
                for (int i = 0; i < steps; i++) {
                    if (i >= 4) mbarrier_wait(bar_at(i % 4), (i / 4 - 1) & 1); // the own, as all run alike
                    mbarrier_expect(bar_at(i % 4), 8192);
                    asm volatile(
                        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], "
                        "%2, [%3];" ::"r"(base + (unsigned)(i % 4) * 8192),
                        "r"(data_at((unsigned)(i % 4) * 8192)), "r"(8192), "r"(card_mapa(bar_at(i % 4), peer))
                        : "memory");
                }
            if (threadIdx.x == 0)
                for (int i = steps; i < steps + 4; i++) mbarrier_wait(bar_at(i % 4), (i / 4 - 1) & 1);
        } else {
            unsigned at = base + threadIdx.x * width;
            for (int i = 0; i < steps; i += 8) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    unsigned a = 0, b, c, d, p = at + (unsigned)j * blockDim.x * width % 32768;
                    if (kind == 0)
                        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];"
                                     : "=r"(a)
                                     : "r"(p)
                                     : "memory");
                    if (kind == 1)
                        asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                     : "r"(p)
                                     : "memory");
                    if (kind == 2)
                        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(p), "r"(i) : "memory");
                    if (kind == 3)
                        asm volatile("st.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(p), "r"(i)
                                     : "memory");
                    if (kind == 5)
                        asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(p), "r"(i) : "memory");
                    sum ^= a;
                }
            }
            if (sum == 0x12345678) out[4096] = sum;
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = card_clock() - t0;
    card_cluster_sync();
}

template <int kind> static void exchange_rows(const char *name)
{
    int width = kind == 1 || kind == 3 ? 16 : 4;
    struct shape {
        const char *name;
        int cluster, everyone, clusters;
        unsigned distance;
    };
    const shape shapes[] = {{"one way, cluster of 2", 2, 0, 1, 1},
                            {"both ways, cluster of 2", 2, 1, 1, 1},
                            {"ring of 4", 4, 1, 1, 1},
                            {"ring of 8", 8, 1, 1, 1},
                            {"ring of 16", 16, 1, 1, 1},
                            {"ring of 8, distance 4", 8, 1, 1, 4},
                            {"both ways, 48 clusters of 2", 2, 1, 48, 1},
                            {"ring of 8, 12 clusters", 8, 1, 12, 1}};
    for (const shape &s : shapes)
        for (int threads : {256, 1024}) {
            if (kind == 4 && (threads > 256 || !s.everyone)) continue;
            std::vector<double> v;
            int steps = kind == 4 ? 128 : 256;
            for (int i = 0; i < 3; i++) {
                if (!card_launch_clusters(exchange<kind>, s.cluster * s.clusters, threads, block_bytes,
                                          s.cluster, results(), s.distance, s.everyone, steps))
                    break;
                long long worst = 0;
                for (long long t : card_read(results(), (size_t)(s.cluster * s.clusters)))
                    worst = std::max(worst, t);
                v.push_back(kind == 4 ? 8192.0 * steps / (double)worst
                                      : (double)threads * width * steps / (double)worst);
            }
            card_median(std::string(name) + ", " + s.name + ", " + std::to_string(threads) +
                            " threads: of a sender",
                        "bytes/cycle", v, 1);
        }
}

static void bandwidth()
{
    exchange_rows<0>("ld.shared::cluster 4 B");
    exchange_rows<1>("ld.shared::cluster 16 B");
    exchange_rows<2>("st.shared::cluster 4 B");
    exchange_rows<3>("st.shared::cluster 16 B");
    exchange_rows<5>("red.shared::cluster.add.u32");
    exchange_rows<4>("cp.async.bulk shared to shared::cluster, 8 KiB x 4");
}

// ---- clocks ----

// Each SM's clock64 and %globaltimer, read together at the moment of a step of %globaltimer.
__global__ void clocks(place *out)
{
    unsigned long long g = global_time(), h;
    long long limit = card_clock();
    do {
        h = global_time();
    } while (h == g && card_clock() - limit < 1 << 24);
    long long c = card_clock();
    g = h;
    do {
        h = global_time();
    } while (h == g && card_clock() - c < 1 << 24);
    out[blockIdx.x] = {card_smid(), (unsigned)(h - g), h, 0, card_clock(), c};
}

static void skew()
{
    auto *places = (place *)results();
    int sms = card_sms();
    card_shared(clocks, 200 * 1024);
    clocks<<<sms, 1, 200 * 1024>>>(places);
    CARD_WAIT();
    auto first = card_read(places, (size_t)sms);
    auto t = clock_type::now();
    while (microseconds_since(t) < 100000) {
    }
    clocks<<<sms, 1, 200 * 1024>>>(places);
    CARD_WAIT();
    auto second = card_read(places, (size_t)sms);
    std::vector<double> step, offsets, rate;
    for (const place &p : first) step.push_back((double)p.slot);
    card_median("%globaltimer: step", "ns", step);
    std::map<unsigned, place> of_sm;
    for (const place &p : first) of_sm[p.sm] = p;
    for (const place &p : second)
        if (of_sm.count(p.sm))
            rate.push_back((double)(p.first - of_sm[p.sm].first) / (double)(p.start - of_sm[p.sm].start));
    card_median("clock64 per ns of %globaltimer", "GHz", rate, 0, "100 ms apart, mostly idle");
    double hertz = rate[rate.size() / 2];
    for (const place &p : first)
        offsets.push_back((double)(p.first - first[0].first) -
                          (double)(long long)(p.start - first[0].start) * hertz);
    card_median("clock64 of an SM less that of block 0's SM, at equal %globaltimer", "cycles", offsets);
    FILE *to = report("clock-skew.txt");
    if (!to) return;
    for (size_t i = 0; i < first.size(); i++)
        std::fprintf(to, "SM %u offset %.0f\n", first[i].sm, offsets[i]);
    std::fclose(to);
}

static const card_part parts[] = {
    {"launches", launches},   {"order", order}, {"tiny", tiny},         {"skew", skew},
    {"dependent", dependent}, {"fit", fit},     {"barriers", barriers}, {"distributed", distributed},
    {"bandwidth", bandwidth}};

int main(int argc, char **argv)
{
    return card_run_parts(argc, argv, parts, (int)(sizeof(parts) / sizeof(parts[0])));
}
