// Variables of the program's device code, named by their host variables.
#include "cudart/copy.h"
#include "cudart/launch.h"
#include "cudart/stream.h"

// Device address of [offset, offset + bytes) of a variable.
static enum cuda_error place(struct cudart *r, const void *symbol, size_t offset, size_t bytes, void **p)
{
    const struct cudart_variable *v = image_variable(r, symbol);
    uint64_t address;
    if (!v) return cudaErrorInvalidSymbol;
    enum cuda_error error = image_address(r, v, &address);
    if (error) return error;
    if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
    *p = (void *)(uintptr_t)(address + offset); // NOLINT: equal addresses for host and device
    return cudaSuccess;
}

static enum cuda_error to_symbol(struct cudart *r, const void *symbol, const void *from, size_t bytes,
                                 size_t offset, int kind, struct cuda_stream *s)
{
    void *to = NULL;
    if (kind == COPY_FROM_DEVICE || kind == COPY_HOST_TO_HOST) return cudaErrorInvalidMemcpyDirection;
    enum cuda_error error = from ? place(r, symbol, offset, bytes, &to) : cudaErrorInvalidValue;
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    return error ? error : copy_in(r, s, &q);
}

static enum cuda_error from_symbol(struct cudart *r, void *to, const void *symbol, size_t bytes,
                                   size_t offset, int kind, struct cuda_stream *s)
{
    void *from = NULL;
    if (kind == COPY_TO_DEVICE || kind == COPY_HOST_TO_HOST) return cudaErrorInvalidMemcpyDirection;
    enum cuda_error error = to ? place(r, symbol, offset, bytes, &from) : cudaErrorInvalidValue;
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    return error ? error : copy_in(r, s, &q);
}

CUDART_EXPORT enum cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                                 size_t offset, int kind)
{
    CUDART_RUN(to_symbol(r, symbol, from, bytes, offset, kind, NULL));
}

CUDART_EXPORT enum cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                                      size_t offset, int kind, struct cuda_stream *s)
{
    CUDART_RUN(to_symbol(r, symbol, from, bytes, offset, kind, s));
}

CUDART_EXPORT enum cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                                   int kind)
{
    CUDART_RUN(from_symbol(r, to, symbol, bytes, offset, kind, NULL));
}

CUDART_EXPORT enum cuda_error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                        size_t offset, int kind, struct cuda_stream *s)
{
    CUDART_RUN(from_symbol(r, to, symbol, bytes, offset, kind, s));
}

CUDART_EXPORT enum cuda_error cudaGetSymbolAddress(void **p, const void *symbol)
{
    CUDART_RUN(p ? place(r, symbol, 0, 0, p) : cudaErrorInvalidValue);
}

static enum cuda_error size_of(struct cudart *r, size_t *bytes, const void *symbol)
{
    const struct cudart_variable *v = image_variable(r, symbol);
    if (!v || !bytes) return v ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
    *bytes = v->bytes;
    return cudaSuccess;
}

CUDART_EXPORT enum cuda_error cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUDART_RUN(size_of(r, bytes, symbol));
}
