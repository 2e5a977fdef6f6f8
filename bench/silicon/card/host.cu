// What a program pays on its host: copies, fills, launches, graphs, allocations, migration of managed memory.
//
//     host [PART...]     parts: copies, fills, launches, graphs, allocations, managed
//     host --list
//
// Times by events where a stream can hold them, by the host's clock where the call itself is the cost. Microseconds.
#include "parts.cuh"

#include <chrono>

enum { LEAST_COPY = 4, MOST_COPY = 256 << 20, BATCH = 200 };

static double host_microseconds()
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// A time between two events of the default stream, in microseconds.
template <typename Work> static double stream_time(Work work)
{
    static cudaEvent_t from, to;
    float milliseconds;
    if (!from) {
        CARD_TRY(cudaEventCreate(&from));
        CARD_TRY(cudaEventCreate(&to));
    }
    CARD_TRY(cudaEventRecord(from));
    work();
    CARD_TRY(cudaEventRecord(to));
    CARD_WAIT();
    CARD_TRY(cudaEventElapsedTime(&milliseconds, from, to));
    return 1000.0 * milliseconds;
}

// The time of a call that returns when all of its work is done, on the host's clock.
template <typename Work> static double host_time(Work work)
{
    CARD_TRY(cudaDeviceSynchronize());
    double begin = host_microseconds();
    work();
    return host_microseconds() - begin;
}

static std::string bytes_text(size_t bytes)
{
    if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MiB";
    if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KiB";
    return std::to_string(bytes) + " B";
}

// -- copies and fills ------------------------------------------------------------------------------------------

// One direction: the copy in a stream (events), and the call that waits (host's clock).
static void measure_copy(const char *name, void *to, const void *from, cudaMemcpyKind kind)
{
    for (size_t bytes = LEAST_COPY; bytes <= MOST_COPY; bytes *= 8) {
        std::string quantity = std::string(name) + ", " + bytes_text(bytes);
        card_measure((quantity + ": in a stream").c_str(), "microseconds", [&] {
            return stream_time([&] { CARD_TRY(cudaMemcpyAsync(to, from, bytes, kind, 0)); });
        });
        card_measure((quantity + ": cudaMemcpy").c_str(), "microseconds", [&] {
            return host_time([&] {
                CARD_TRY(cudaMemcpy(to, from, bytes, kind));
                if (kind == cudaMemcpyDeviceToDevice) CARD_TRY(cudaDeviceSynchronize());
            });
        });
    }
}

static void measure_copies()
{
    std::vector<char> pageable(MOST_COPY, 1);
    char *pinned, *device = card_memory<char>(MOST_COPY), *other = card_memory<char>(MOST_COPY);
    CARD_TRY(cudaMallocHost(&pinned, MOST_COPY));
    std::memset(pinned, 1, MOST_COPY);
    measure_copy("copy to the card, pinned", device, pinned, cudaMemcpyHostToDevice);
    measure_copy("copy from the card, pinned", pinned, device, cudaMemcpyDeviceToHost);
    measure_copy("copy to the card, pageable", device, pageable.data(), cudaMemcpyHostToDevice);
    measure_copy("copy from the card, pageable", pageable.data(), device, cudaMemcpyDeviceToHost);
    measure_copy("copy on the card", other, device, cudaMemcpyDeviceToDevice);
    cudaStream_t up, down;
    CARD_TRY(cudaStreamCreate(&up));
    CARD_TRY(cudaStreamCreate(&down));
    card_measure("copies of both directions at once, pinned, 128 MiB each", "microseconds", [&] {
        return host_time([&] {
            CARD_TRY(cudaMemcpyAsync(device, pinned, MOST_COPY / 2, cudaMemcpyHostToDevice, up));
            CARD_TRY(
                cudaMemcpyAsync(pinned + MOST_COPY / 2, other, MOST_COPY / 2, cudaMemcpyDeviceToHost, down));
            CARD_TRY(cudaDeviceSynchronize());
        });
    });
    CARD_TRY(cudaFree(device));
    CARD_TRY(cudaFree(other));
    CARD_TRY(cudaFreeHost(pinned));
}

static void measure_fills()
{
    char *device = card_memory<char>(MOST_COPY);
    for (size_t bytes = LEAST_COPY; bytes <= MOST_COPY; bytes *= 8)
        card_measure(("cudaMemset, " + bytes_text(bytes) + ": in a stream").c_str(), "microseconds",
                     [&] { return stream_time([&] { CARD_TRY(cudaMemsetAsync(device, 7, bytes, 0)); }); });
    CARD_TRY(cudaFree(device));
}

// -- launches --------------------------------------------------------------------------------------------------

struct words {
    int value[256];
};
__global__ void host_nothing() {}
__global__ void host_takes(const words w, int *out)
{
    if (w.value[threadIdx.x] == 12345) *out = 1;
}

static void measure_launches()
{
    int *out = card_memory<int>(1);
    cudaEvent_t event;
    cudaStream_t other;
    CARD_TRY(cudaEventCreate(&event));
    CARD_TRY(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    card_measure("launch, the call alone", "microseconds", [&] {
        return host_time([&] {
                   for (int i = 0; i < BATCH; i++) host_nothing<<<1, 32>>>();
               }) /
               BATCH;
    });
    card_measure("launch with 1 KiB of arguments, the call alone", "microseconds", [&] {
        return host_time([&] {
                   for (int i = 0; i < BATCH; i++) host_takes<<<1, 32>>>(words(), out);
               }) /
               BATCH;
    });
    card_measure("launch in a queue", "microseconds", [&] {
        return stream_time([&] {
                   for (int i = 0; i < BATCH; i++) host_nothing<<<1, 32>>>();
               }) /
               BATCH;
    });
    card_measure("launch and cudaDeviceSynchronize", "microseconds", [&] {
        return host_time([&] {
            host_nothing<<<1, 32>>>();
            CARD_TRY(cudaDeviceSynchronize());
        });
    });
    card_measure("cudaDeviceSynchronize with nothing under way", "microseconds",
                 [&] { return host_time([&] { CARD_TRY(cudaDeviceSynchronize()); }); });
    card_measure("cudaEventRecord, cudaStreamWaitEvent and a launch behind, other stream", "microseconds",
                 [&] {
                     return host_time([&] {
                                for (int i = 0; i < BATCH; i++) {
                                    host_nothing<<<1, 32>>>();
                                    CARD_TRY(cudaEventRecord(event, 0));
                                    CARD_TRY(cudaStreamWaitEvent(other, event, 0));
                                    host_nothing<<<1, 32, 0, other>>>();
                                    CARD_TRY(cudaEventRecord(event, other));
                                    CARD_TRY(cudaStreamWaitEvent(0, event, 0));
                                }
                                CARD_TRY(cudaDeviceSynchronize());
                            }) /
                            (2 * BATCH);
                 });
    card_measure("two events one behind the other", "microseconds", [&] { return stream_time([] {}); });
    CARD_TRY(cudaFree(out));
}

static void measure_graphs()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CARD_TRY(cudaStreamCreate(&stream));
    for (int nodes = 1; nodes <= 1000; nodes *= 10) {
        CARD_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < nodes; i++) host_nothing<<<1, 32, 0, stream>>>();
        CARD_TRY(cudaStreamEndCapture(stream, &graph));
        CARD_TRY(cudaGraphInstantiate(&executable, graph, 0));
        std::string quantity = "graph of " + std::to_string(nodes) + " launches in a chain";
        card_measure((quantity + ": cudaGraphLaunch, the call").c_str(), "microseconds",
                     [&] { return host_time([&] { CARD_TRY(cudaGraphLaunch(executable, stream)); }); });
        card_measure((quantity + ": to the end").c_str(), "microseconds", [&] {
            return host_time([&] {
                CARD_TRY(cudaGraphLaunch(executable, stream));
                CARD_TRY(cudaStreamSynchronize(stream));
            });
        });
        CARD_TRY(cudaGraphExecDestroy(executable));
        CARD_TRY(cudaGraphDestroy(graph));
    }
}

// -- memory ----------------------------------------------------------------------------------------------------

static void measure_allocations()
{
    for (size_t bytes : {(size_t)256, (size_t)1 << 20, (size_t)64 << 20, (size_t)1 << 30}) {
        void *p;
        card_measure(("cudaMalloc and cudaFree, " + bytes_text(bytes)).c_str(), "microseconds", [&] {
            return host_time([&] {
                CARD_TRY(cudaMalloc(&p, bytes));
                CARD_TRY(cudaFree(p));
            });
        });
        card_measure(("cudaMallocAsync and cudaFreeAsync, " + bytes_text(bytes)).c_str(), "microseconds",
                     [&] {
                         return host_time([&] {
                             CARD_TRY(cudaMallocAsync(&p, bytes, 0));
                             CARD_TRY(cudaFreeAsync(p, 0));
                         });
                     });
    }
}

// Reads a word of every 4 KiB.
__global__ void touch(const int *data, size_t words, int *out)
{
    size_t step = (size_t)gridDim.x * blockDim.x * 1024;
    int sum = 0;
    for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 1024; i < words; i += step)
        sum += data[i];
    if (sum == 12345) *out = sum;
}

static void measure_managed()
{
    enum { BYTES = 64 << 20 };
    int *managed, *out = card_memory<int>(1), sms = card_sms();
    CARD_TRY(cudaMallocManaged(&managed, BYTES));
    std::vector<double> to_card, again, to_host;
    for (int i = 0; i < card_repeats; i++) {
        to_host.push_back(host_time([&] { std::memset(managed, i, BYTES); }));
        to_card.push_back(host_time([&] {
            touch<<<sms, 256>>>(managed, BYTES / 4, out);
            CARD_WAIT();
        }));
        again.push_back(host_time([&] {
            touch<<<sms, 256>>>(managed, BYTES / 4, out);
            CARD_WAIT();
        }));
    }
    card_median("managed memory, 64 MiB: a kernel reads what the host wrote", "microseconds", to_card, 1);
    card_median("managed memory, 64 MiB: a kernel reads again", "microseconds", again, 1);
    card_median("managed memory, 64 MiB: the host writes what the card has", "microseconds", to_host, 1);
    CARD_TRY(cudaFree(managed));
    CARD_TRY(cudaFree(out));
}

static const card_part parts[] = {
    {"copies", measure_copies},           {"fills", measure_fills},
    {"launches", measure_launches},       {"graphs", measure_graphs},
    {"allocations", measure_allocations}, {"managed", measure_managed},
};

int main(int argc, char **argv)
{
    return card_run_parts(argc, argv, parts, (int)(sizeof parts / sizeof *parts));
}
