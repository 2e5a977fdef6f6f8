// Queues as rings that grow: FIFO(int) q = {0}; fifo_push(&q, 3); fifo_head(&q); fifo_pop(&q); fifo_fini(&q).
// Elements move when the ring grows.
#pragma once
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define FIFO(type)                                                                                           \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t first, count, capacity; /* a power of two */                                                  \
    }

#define fifo_head(q) ((q)->data[(q)->first])

#define fifo_last(q) ((q)->data[((q)->first + (q)->count - 1) & ((q)->capacity - 1)])

#define fifo_push(q, ...)                                                                                    \
    do {                                                                                                     \
        if ((q)->count == (q)->capacity)                                                                     \
            (q)->data = fifo_grown((q)->data, sizeof *(q)->data, &(q)->first, &(q)->capacity);               \
        (q)->data[((q)->first + (q)->count++) & ((q)->capacity - 1)] = (__VA_ARGS__);                        \
    } while (0)

#define fifo_pop(q) ((q)->count--, (q)->first = ((q)->first + 1) & ((q)->capacity - 1))

#define fifo_fini(q)                                                                                         \
    do {                                                                                                     \
        free((q)->data);                                                                                     \
        (q)->data = NULL;                                                                                    \
        (q)->first = (q)->count = (q)->capacity = 0;                                                         \
    } while (0)

// Returns a ring of twice the capacity (at first 16) with the old elements, the first at index 0; frees the
// old ring.
static inline void *fifo_grown(void *old, size_t element_bytes, size_t *first, size_t *capacity)
{
    size_t room = *capacity ? *capacity * 2 : 16, before = *capacity - *first;
    char *data = heap_alloc(room * element_bytes);
    if (old) {
        memcpy(data, (char *)old + *first * element_bytes, before * element_bytes);
        memcpy(data + before * element_bytes, old, *first * element_bytes);
    }
    free(old);
    *first = 0;
    *capacity = room;
    return data;
}
