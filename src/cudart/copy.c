// Copies and fills. Device memory is the host's, too, so every copy is a memmove after a wait.
#include "cudart/copy.h"
#include "cudart/graph.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

#include <string.h>

struct copy_request copy_plain(void *to, const void *from, size_t bytes, int kind)
{
    return (struct copy_request){.to = {to, bytes, 1},
                                 .from = {(uint8_t *)(uintptr_t)from, bytes, 1}, // NOLINT: only read
                                 .width = bytes,
                                 .height = 1,
                                 .depth = 1,
                                 .kind = kind};
}

struct copy_request copy_fill(void *to, unsigned value, size_t bytes)
{
    return (struct copy_request){.to = {to, bytes, 1},
                                 .value = value,
                                 .value_bytes = 1,
                                 .width = bytes,
                                 .height = 1,
                                 .depth = 1,
                                 .kind = COPY_ON_DEVICE};
}

// -- checks -------------------------------------------------------------------------------------------------

static size_t side_bytes(const struct copy_side *s, const struct copy_request *q)
{
    return ((q->depth - 1) * s->rows_per_slice + q->height - 1) * s->pitch + q->width;
}

// A side that the kind of copy says to be the device's must be memory that the runtime knows.
static bool side_is_good(const struct cudart *r, const struct copy_side *s, const struct copy_request *q,
                         bool is_device)
{
    if (!s->data || (q->height > 1 && s->pitch < q->width)) return false;
    return memory_is_valid(r, s->data, side_bytes(s, q)) && (!is_device || memory_is_known(r, s->data));
}

static enum cuda_error check(const struct cudart *r, const struct copy_request *q)
{
    int kind = q->kind;
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT) return cudaErrorInvalidMemcpyDirection;
    bool to_device = kind == COPY_TO_DEVICE || kind == COPY_ON_DEVICE;
    bool from_device = kind == COPY_FROM_DEVICE || kind == COPY_ON_DEVICE;
    bool good = side_is_good(r, &q->to, q, to_device) &&
                (!q->from.data || side_is_good(r, &q->from, q, from_device)); // else a fill
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

// -- time ---------------------------------------------------------------------------------------------------

// Over the link 1 us and 12 bytes a nanosecond (PCIe 3 with 16 lanes); within the device 1 us and 200 bytes a nanosecond.
static double copy_us(const struct copy_request *q, const struct cudart *r)
{
    double bytes = (double)q->width * (double)q->height * (double)q->depth;
    const struct cudart_block *to = memory_find_block(r, q->to.data);
    const struct cudart_block *from = q->from.data ? memory_find_block(r, q->from.data) : to;
    bool is_inside = to && from && to->kind == MEMORY_DEVICE && from->kind == MEMORY_DEVICE;
    return 1 + bytes / (is_inside ? 200e3 : 12e3);
}

// -- the work -----------------------------------------------------------------------------------------------

static void fill_row(uint8_t *to, const struct copy_request *q)
{
    if (q->value_bytes == 1) {
        memset(to, (int)(q->value & 0xff), q->width);
        return;
    }
    for (size_t i = 0; i < q->width; i += q->value_bytes) memcpy(to + i, &q->value, q->value_bytes);
}

static void move(struct cudart *r, const struct copy_request *q)
{
    for (size_t z = 0; z < q->depth; z++)
        for (size_t y = 0; y < q->height; y++) {
            uint8_t *to = q->to.data + (z * q->to.rows_per_slice + y) * q->to.pitch;
            if (q->from.data)
                memmove(to, q->from.data + (z * q->from.rows_per_slice + y) * q->from.pitch, q->width);
            else
                fill_row(to, q);
            wf_check_written(r->context, (uintptr_t)to, q->width);
        }
}

// Rows without gaps are one row.
static struct copy_request joined(const struct copy_request *q)
{
    struct copy_request j = *q;
    bool to = q->to.pitch == q->width && (q->depth == 1 || q->to.rows_per_slice == q->height);
    bool from = !q->from.data ||
                (q->from.pitch == q->width && (q->depth == 1 || q->from.rows_per_slice == q->height));
    if (!to || !from) return j;
    j.width = q->width * q->height * q->depth;
    j.height = j.depth = 1;
    return j;
}

enum cuda_error copy_now(struct cudart *r, struct cuda_stream *s, const struct copy_request *q)
{
    if (!q->width || !q->height || !q->depth) return cudaSuccess;
    enum cuda_error error = check(r, q);
    if (!error) error = stream_wait(r, s);
    if (error) return error;
    struct copy_request whole = joined(q);
    move(r, &whole);
    r->clock.copies_us += copy_us(q, r);
    return cudaSuccess;
}

enum cuda_error copy_in(struct cudart *r, struct cuda_stream *handle, const struct copy_request *q)
{
    struct cuda_stream *s = stream_of(r, handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!s->capture) return copy_now(r, s, q);
    enum cuda_error error = check(r, q);
    return error ? error : graph_capture_copy(s, q);
}

// A copy outside streams: the default stream's.
static enum cuda_error copy_default(struct cudart *r, const struct copy_request *q)
{
    return copy_now(r, stream_of(r, NULL), q);
}

// -- the interface: plain ranges ----------------------------------------------------------------------------

CUDART_EXPORT enum cuda_error cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    CUDART_RUN(bytes && !from ? cudaErrorInvalidValue : copy_default(r, &q));
}

CUDART_EXPORT enum cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                              struct cuda_stream *s)
{
    const struct copy_request q = copy_plain(to, from, bytes, kind);
    CUDART_RUN(bytes && !from ? cudaErrorInvalidValue : copy_in(r, s, &q));
}

// The only device is number 0.
CUDART_EXPORT enum cuda_error cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                             size_t bytes)
{
    if (to_device || from_device) return cudaErrorInvalidDevice;
    return cudaMemcpy(to, from, bytes, COPY_ON_DEVICE);
}

CUDART_EXPORT enum cuda_error cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                                  size_t bytes, struct cuda_stream *s)
{
    if (to_device || from_device) return cudaErrorInvalidDevice;
    return cudaMemcpyAsync(to, from, bytes, COPY_ON_DEVICE, s);
}

CUDART_EXPORT enum cuda_error cudaMemset(void *p, int value, size_t bytes)
{
    const struct copy_request q = copy_fill(p, (unsigned)value, bytes);
    CUDART_RUN(copy_default(r, &q));
}

CUDART_EXPORT enum cuda_error cudaMemsetAsync(void *p, int value, size_t bytes, struct cuda_stream *s)
{
    const struct copy_request q = copy_fill(p, (unsigned)value, bytes);
    CUDART_RUN(copy_in(r, s, &q));
}

// -- the interface: rows ------------------------------------------------------------------------------------

static struct copy_request rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, int kind)
{
    struct copy_request q = copy_plain(to, from, width, kind);
    q.to.pitch = to_pitch;
    q.from.pitch = from_pitch;
    q.height = height;
    return q;
}

CUDART_EXPORT enum cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                           size_t width, size_t height, int kind)
{
    const struct copy_request q = rows(to, to_pitch, from, from_pitch, width, height, kind);
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    CUDART_RUN(!from ? cudaErrorInvalidValue : copy_default(r, &q));
}

CUDART_EXPORT enum cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                                size_t from_pitch, size_t width, size_t height, int kind,
                                                struct cuda_stream *s)
{
    const struct copy_request q = rows(to, to_pitch, from, from_pitch, width, height, kind);
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    CUDART_RUN(!from ? cudaErrorInvalidValue : copy_in(r, s, &q));
}

static struct copy_request fill_rows(const struct cuda_pitched *p, int value, const struct cuda_extent *e)
{
    struct copy_request q = copy_fill(p->data, (unsigned)value, e->width);
    q.to.pitch = p->pitch;
    q.to.rows_per_slice = p->height;
    q.height = e->height;
    q.depth = e->depth;
    return q;
}

CUDART_EXPORT enum cuda_error cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                                                struct cuda_stream *s)
{
    const struct cuda_pitched to = {p, pitch, width, height};
    const struct cuda_extent extent = {width, height, 1};
    const struct copy_request q = fill_rows(&to, value, &extent);
    CUDART_RUN(copy_in(r, s, &q));
}

CUDART_EXPORT enum cuda_error cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

CUDART_EXPORT enum cuda_error cudaMemset3DAsync(struct cuda_pitched p, int value, struct cuda_extent extent,
                                                struct cuda_stream *s)
{
    const struct copy_request q = fill_rows(&p, value, &extent);
    CUDART_RUN(copy_in(r, s, &q));
}

CUDART_EXPORT enum cuda_error cudaMemset3D(struct cuda_pitched p, int value, struct cuda_extent extent)
{
    return cudaMemset3DAsync(p, value, extent, NULL);
}
