// Copies and fills, of a plain range or of rows, between any memories. A copy waits for the work of its stream and
// is done when the call returns.
#pragma once
#include "cudart/state.h"

struct cuda_stream;

// Rows within slices: row z * rows_per_slice + y begins at data + (z * rows_per_slice + y) * pitch.
struct copy_side {
    uint8_t *data; // first byte of the first row
    size_t pitch, rows_per_slice;
};
struct copy_request {
    struct copy_side to, from; // from.data NULL: a fill with `value`
    uint32_t value;
    unsigned value_bytes;        // 1, 2, 4
    size_t width, height, depth; // width: bytes of a row
    int kind;                    // enum cuda_copy_kind
};
// Checks both sides, waits for the stream, copies, and adds to the time of copies.
enum cuda_error copy_now(struct cudart *r, struct cuda_stream *s, const struct copy_request *q);
// copy_now, or a node of a graph while the stream is captured. handle: the program's.
enum cuda_error copy_in(struct cudart *r, struct cuda_stream *handle, const struct copy_request *q);
struct copy_request copy_plain(void *to, const void *from, size_t bytes, int kind);
struct copy_request copy_fill(void *to, unsigned value, size_t bytes);
