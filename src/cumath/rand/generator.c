#include "cumath/rand/rand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__asm__(".pushsection .rodata\n.local curand_ptx\ncurand_ptx:\n.incbin "
        "\"kernels/libraries/ptx/curand.ptx\"\n.byte "
        "0\n.popsection\n");
extern const char curand_ptx[];

// -- generators -----------------------------------------------------------------------------------------------

enum rand_status rand_absent(const char *name)
{
    warpfold_absent(name);
    return RAND_TYPE_ERROR;
}

enum rand_status rand_create(struct curand **g, int type, bool to_host)
{
    if (!g) return RAND_NOT_INITIALIZED;
    if (type == RAND_DEFAULT) type = RAND_XORWOW;
    if (type != RAND_XORWOW && type != RAND_MRG32K3A && type != RAND_MT19937 && type != RAND_PHILOX)
        return rand_absent("a cuRAND generator other than XORWOW, MRG32k3a, MT19937 and Philox");
    if (!device_ready()) return RAND_INITIALIZATION_FAILED;
    struct curand *new = calloc(1, sizeof *new);
    if (new) new->module = device_load(&(struct device_kernels){"the kernels of cuRAND", curand_ptx});
    if (!new || !new->module) {
        free(new);
        return RAND_ALLOCATION_FAILED;
    }
    new->type = type;
    new->to_host = to_host;
    *g = new;
    return RAND_SUCCESS;
}

enum rand_status rand_destroy(struct curand *g)
{
    if (!g) return RAND_NOT_INITIALIZED;
    if (g->states) cuMemFree_v2(g->states);
    free(g);
    return RAND_SUCCESS;
}

static enum rand_status change(struct curand *g)
{
    g->is_seeded = false;
    return RAND_SUCCESS;
}

// A seed begins anew at the offset; an offset counts from the beginning.
enum rand_status rand_set_seed(struct curand *g, uint64_t seed)
{
    if (!g) return RAND_NOT_INITIALIZED;
    g->seed = seed;
    return change(g);
}

enum rand_status rand_set_offset(struct curand *g, uint64_t offset)
{
    if (!g) return RAND_NOT_INITIALIZED;
    if (g->type == RAND_MT19937) return RAND_TYPE_ERROR;
    g->offset = offset;
    return change(g);
}

enum { ORDERING_FIRST = 100, ORDERING_SEEDED = 102, ORDERING_LEGACY = 103, ORDERING_LAST = 104 };

enum rand_status rand_set_ordering(struct curand *g, int ordering)
{
    if (!g) return RAND_NOT_INITIALIZED;
    if (ordering < ORDERING_FIRST || ordering > ORDERING_LAST) return RAND_OUT_OF_RANGE;
    if (ordering == ORDERING_SEEDED) return rand_absent("CURAND_ORDERING_PSEUDO_SEEDED");
    g->ordering = ordering;
    return change(g);
}

enum rand_status rand_set_stream(struct curand *g, struct cuda_stream *s)
{
    if (!g) return RAND_NOT_INITIALIZED;
    g->stream = s;
    return RAND_SUCCESS;
}

enum { VERSION_MAJOR = 10, VERSION_MINOR = 4, VERSION_PATCH = 0 };

enum rand_status rand_version(int *version)
{
    if (!version) return RAND_OUT_OF_RANGE;
    *version = VERSION_MAJOR * 10000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return RAND_SUCCESS;
}

enum rand_status rand_property(int kind, int *value)
{
    static const int parts[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (!value || kind < 0 || kind > 2) return RAND_OUT_OF_RANGE;
    *value = parts[kind];
    return RAND_SUCCESS;
}

// -- states -----------------------------------------------------------------------------------------------------

enum { SPACING_XORWOW = 67, SPACING_MRG32K3A = 76 };

static enum rand_status put_states(struct curand *g, const void *states, size_t bytes)
{
    void *p = NULL;
    if (!g->states && cuMemAlloc_v2(&p, bytes) != cudaSuccess) return RAND_ALLOCATION_FAILED;
    if (p) g->states = (uintptr_t)p;
    bool good = cuMemcpyHtoDAsync_v2(g->states, states, bytes, g->stream) == cudaSuccess &&
                cuStreamSynchronize(g->stream) == cudaSuccess;
    return good ? RAND_SUCCESS : RAND_PREEXISTING_FAILURE;
}

// States of the streams after `offset` words in turn: the first offset mod streams are a word further.
static enum rand_status seed_streams(struct curand *g)
{
    bool is_xorwow = g->type == RAND_XORWOW;
    g->streams = is_xorwow || g->ordering == ORDERING_LEGACY ? RAND_STREAMS : RAND_STREAMS_MRG32K3A;
    size_t count = (size_t)g->streams, ahead = g->offset % count;
    uint64_t rounds = g->offset / count;
    uint32_t(*states)[RAND_WORDS] = malloc(2 * count * sizeof *states);
    if (!states) return RAND_ALLOCATION_FAILED;
    for (unsigned part = 0; part < (ahead ? 2 : 1); part++) {
        if (is_xorwow)
            rand_states_xorwow(g->seed, rounds + part, SPACING_XORWOW, states + part * count, g->streams);
        else
            rand_states_mrg32k3a(g->seed, rounds + part, SPACING_MRG32K3A, states + part * count, g->streams);
    }
    memcpy(states, states + count, ahead * sizeof *states);
    enum rand_status status = put_states(g, states, count * sizeof *states);
    free(states);
    return status;
}

enum rand_status rand_seed_now(struct curand *g)
{
    uint32_t mt[RAND_MT_WORDS + 1];
    enum rand_status status = RAND_SUCCESS;
    if (!g) return RAND_NOT_INITIALIZED;
    if (!device_ready()) return RAND_INITIALIZATION_FAILED;
    g->at = g->offset;
    if (g->type == RAND_MT19937) {
        rand_state_mt19937((uint32_t)g->seed, mt);
        status = put_states(g, mt, sizeof mt);
    } else if (g->type != RAND_PHILOX) {
        status = seed_streams(g);
    }
    g->is_seeded = !status;
    return status;
}

// -- words --------------------------------------------------------------------------------------------------------

enum { THREADS = 256 };

static struct device_shape shape_for(uint64_t count)
{
    return (struct device_shape){(unsigned)((count + THREADS - 1) / THREADS), 1, 1, THREADS};
}

static enum rand_status launch(struct curand *g, const char *kernel, uint64_t threads, void **args)
{
    const struct device_shape shape = shape_for(threads);
    return device_launch(g->module, kernel, &shape, g->stream, args) ? RAND_LAUNCH_FAILURE : RAND_SUCCESS;
}

// `struct request` of kernels/libraries/curand.cu.
struct request {
    uint64_t out;
    int64_t first, count;
    int streams, size, stride;
};

// Numbers of one word, also doubles; all others have two words a double.
static bool is_single(const struct curand *g) { return g->type == RAND_MRG32K3A || g->type == RAND_MT19937; }

// The words of `count` numbers, where the numbers will be.
static enum rand_status words(struct curand *g, uint64_t out, uint64_t count, bool is_double, bool is_pair)
{
    int stride = is_double && is_single(g) ? 2 : 1,
        size = (is_pair ? 2 : 1) * (is_double && !is_single(g) ? 2 : 1), is_wide = is_double;
    uint64_t groups = is_pair ? count / 2 : count,
             threads = groups < (uint64_t)g->streams ? groups : (uint64_t)g->streams;
    int64_t number = (int64_t)count * (is_double && !is_single(g) ? 2 : 1);
    if (g->type == RAND_MT19937)
        return launch(g, "words_mt19937", 1, (void *[]){&out, &number, &stride, &g->states});
    if (is_wide && g->type == RAND_PHILOX) g->at += g->at % 2;
    struct request q = {out, (int64_t)g->at, (int64_t)groups, g->streams, size, stride};
    if (g->type == RAND_PHILOX) {
        g->at += (uint64_t)number;
        return launch(g, "words_philox", (uint64_t)number / 4 + 2,
                      (void *[]){&out, &q.first, &number, &g->seed, &is_wide});
    }
    g->at += groups;
    return launch(g, g->type == RAND_XORWOW ? "words_xorwow" : "words_mrg32k3a", threads,
                  (void *[]){&q, &g->states});
}

// -- distributions --------------------------------------------------------------------------------------------------

struct scale {
    double unit, half;
};
struct moments {
    double mean, deviation;
    int is_log;
};

// A word of MRG32k3a times `unit` is in (0, 1); any other word is in [0, 2^32).
static struct scale scale_of(const struct curand *g)
{
    return g->type == RAND_MRG32K3A ? (struct scale){2.3283065498378288e-10, 0}
                                    : (struct scale){0x1p-32, 0x1p-33};
}

// Cumulative probabilities around the mean, within 12 deviations, for a search by the kernel.
static enum rand_status to_poisson(struct curand *g, uint64_t out, uint64_t n, double lambda)
{
    double reach = 12 * sqrt(lambda) + 24, low = floor(lambda - reach), sum = 0;
    uint32_t first = low > 0 ? (uint32_t)low : 0;
    int count = (int)(lambda + reach - first) + 1;
    double *sums = malloc((size_t)count * sizeof *sums);
    void *p = NULL;
    if (!sums || cuMemAlloc_v2(&p, (size_t)count * sizeof *sums) != cudaSuccess) {
        free(sums);
        return RAND_ALLOCATION_FAILED;
    }
    for (int i = 0; i < count; i++) {
        double k = (double)first + i;
        sum += exp(k * log(lambda) - lambda - lgamma(k + 1));
        sums[i] = sum;
    }
    struct scale s = scale_of(g);
    enum rand_status status = cuMemcpyHtoD_v2((uintptr_t)p, sums, (size_t)count * sizeof *sums)
                                  ? RAND_LAUNCH_FAILURE
                                  : RAND_SUCCESS;
    if (!status) status = launch(g, "to_poisson", n, (void *[]){&out, &n, &s, &p, &count, &first});
    cuMemFree_v2((uintptr_t)p); // waits for the launch
    free(sums);
    return status;
}

// Words, then the distribution over them, at `out` in device memory.
static enum rand_status fill(struct curand *g, const struct rand_request *q, uint64_t out)
{
    bool is_double = q->form == FORM_UNIFORM_DOUBLE || q->form == FORM_NORMAL_DOUBLE;
    bool is_pair = q->form == FORM_NORMAL || q->form == FORM_NORMAL_DOUBLE;
    int single = is_single(g), is_inverse = g->type == RAND_MT19937;
    uint64_t threads = is_pair ? q->count / 2 : q->count;
    struct scale s = scale_of(g);
    struct moments m = {q->mean, q->deviation, q->is_log};
    double factor = 1.000000048662; // 2^32 - 1 over the largest word of MRG32k3a
    enum rand_status status = words(g, out, q->count, is_double, is_pair);
    if (status) return status;
    switch (q->form) {
    case FORM_BITS:
        if (g->type != RAND_MRG32K3A) return RAND_SUCCESS;
        return launch(g, "to_bits", threads, (void *[]){&out, &threads, &factor});
    case FORM_UNIFORM: return launch(g, "to_float", threads, (void *[]){&out, &threads, &s});
    case FORM_UNIFORM_DOUBLE: return launch(g, "to_double", threads, (void *[]){&out, &threads, &s, &single});
    case FORM_NORMAL: return launch(g, "to_normal", threads, (void *[]){&out, &threads, &s, &is_inverse, &m});
    case FORM_NORMAL_DOUBLE:
        return launch(g, "to_normal_double", threads,
                      (void *[]){&out, &threads, &s, &single, &is_inverse, &m});
    case FORM_POISSON: break;
    }
    return to_poisson(g, out, threads, q->mean);
}

enum rand_status rand_generate(struct curand *g, const struct rand_request *q)
{
    if (!g) return RAND_NOT_INITIALIZED;
    if (!device_ready()) return RAND_INITIALIZATION_FAILED;
    bool is_double = q->form == FORM_UNIFORM_DOUBLE || q->form == FORM_NORMAL_DOUBLE;
    bool is_pair = q->form == FORM_NORMAL || q->form == FORM_NORMAL_DOUBLE;
    size_t bytes = q->count * (is_double ? 8 : 4);
    if (is_pair && q->count % 2) return RAND_LENGTH_NOT_MULTIPLE;
    if (q->form == FORM_POISSON && !(q->mean > 0 && q->mean < 1e9)) return RAND_OUT_OF_RANGE;
    if (!q->count) return RAND_SUCCESS;
    if (!q->out) return RAND_OUT_OF_RANGE;
    enum rand_status status = g->is_seeded ? RAND_SUCCESS : rand_seed_now(g);
    if (status || !g->to_host) return status ? status : fill(g, q, (uintptr_t)q->out);
    void *p = NULL;
    if (cuMemAlloc_v2(&p, bytes) != cudaSuccess) return RAND_ALLOCATION_FAILED;
    status = fill(g, q, (uintptr_t)p);
    if (!status && cuMemcpyDtoH_v2(q->out, (uintptr_t)p, bytes)) status = RAND_LAUNCH_FAILURE;
    cuMemFree_v2((uintptr_t)p);
    return status;
}
