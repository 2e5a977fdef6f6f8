// Handles of cuBLAS: stream, modes; copies of vectors and matrices; statuses by name.
#include "cumath/blas/blas.h"

#include <stdlib.h>
#include <string.h>

__asm__(".pushsection .rodata\n.local cublas_ptx\ncublas_ptx:\n.incbin "
        "\"kernels/libraries/ptx/cublas.ptx\"\n.byte "
        "0\n.popsection\n");
extern const char cublas_ptx[];

enum { SCRATCH_BYTES = 4096 };

enum blas_status blas_create(struct cublas **h)
{
    if (!h) return BLAS_INVALID_VALUE;
    if (!device_ready()) return BLAS_NOT_INITIALIZED;
    struct cublas *new = calloc(1, sizeof *new);
    void *scratch = NULL;
    if (new) new->module = device_load(&(struct device_kernels){"the kernels of cuBLAS", cublas_ptx});
    if (!new || !new->module || cuMemAlloc_v2(&scratch, SCRATCH_BYTES) != cudaSuccess) {
        free(new);
        return BLAS_ALLOC_FAILED;
    }
    new->scratch = (uintptr_t)scratch;
    *h = new;
    return BLAS_SUCCESS;
}

enum blas_status blas_destroy(struct cublas *h)
{
    if (!h) return BLAS_NOT_INITIALIZED;
    cuMemFree_v2(h->scratch);
    free(h);
    return BLAS_SUCCESS;
}

enum blas_status blas_set_stream(struct cublas *h, struct cuda_stream *s)
{
    if (!h) return BLAS_NOT_INITIALIZED;
    h->stream = s;
    return BLAS_SUCCESS;
}

enum blas_status blas_get_stream(const struct cublas *h, struct cuda_stream **s)
{
    if (!h || !s) return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *s = h->stream;
    return BLAS_SUCCESS;
}

enum blas_status blas_set_mode(struct cublas *h, enum blas_mode mode, int value)
{
    if (!h) return BLAS_NOT_INITIALIZED;
    if (value < 0 || (mode == MODE_POINTERS && value > 1)) return BLAS_INVALID_VALUE;
    h->modes[mode] = value;
    return BLAS_SUCCESS;
}

enum blas_status blas_get_mode(const struct cublas *h, enum blas_mode mode, int *value)
{
    if (!h || !value) return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *value = h->modes[mode];
    return BLAS_SUCCESS;
}

enum { VERSION_MAJOR = 13, VERSION_MINOR = 0, VERSION_PATCH = 0 };

enum blas_status blas_version(int *version)
{
    if (!version) return BLAS_INVALID_VALUE;
    *version = VERSION_MAJOR * 10000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return BLAS_SUCCESS;
}

enum blas_status blas_property(int kind, int *value)
{
    static const int parts[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (!value || kind < 0 || kind > 2) return BLAS_INVALID_VALUE;
    *value = parts[kind];
    return BLAS_SUCCESS;
}

const char *blas_status_name(enum blas_status status)
{
#define NAME(status)                                                                                         \
    case BLAS_##status: return "CUBLAS_STATUS_" #status;
    switch (status) {
        NAME(SUCCESS)
        NAME(NOT_INITIALIZED)
        NAME(ALLOC_FAILED)
        NAME(INVALID_VALUE)
        NAME(ARCH_MISMATCH)
        NAME(MAPPING_ERROR)
        NAME(EXECUTION_FAILED)
        NAME(INTERNAL_ERROR)
        NAME(NOT_SUPPORTED)
        NAME(LICENSE_ERROR)
    }
#undef NAME
    return "<unknown>";
}

enum blas_status blas_absent(const char *name)
{
    warpfold_absent(name);
    return BLAS_NOT_SUPPORTED;
}

enum blas_status blas_copy(int64_t rows, int64_t columns, int64_t bytes, const void *from, int64_t from_rows,
                           void *to, int64_t to_rows, struct cuda_stream *s, bool waits)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_rows < rows || to_rows < rows || to_rows < 1 ||
        from_rows < 1)
        return BLAS_INVALID_VALUE;
    if (!device_ready()) return BLAS_NOT_INITIALIZED;
    if (!rows || !columns) return BLAS_SUCCESS;
    enum { ANY_MEMORY = 4 };
    const struct driver_copy_2d q = {
        .from = {.kind = ANY_MEMORY, .device = (uintptr_t)from, .pitch = (size_t)(from_rows * bytes)},
        .to = {.kind = ANY_MEMORY, .device = (uintptr_t)to, .pitch = (size_t)(to_rows * bytes)},
        .width = (size_t)(rows * bytes),
        .height = (size_t)columns};
    enum cuda_error error = cuMemcpy2DAsync_v2(&q, s);
    if (!error && waits) error = cuStreamSynchronize(s);
    return error ? BLAS_MAPPING_ERROR : BLAS_SUCCESS;
}
