// Growable arrays on the heap: VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; vec_fini(&v);
// Elements move when the array grows, so keep indices, not pointers.
#pragma once
#include "base/arena.h"

#include <stdlib.h>

#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t count, capacity;                                                                              \
    }

#define vec_reserve(v, n)                                                                                    \
    do {                                                                                                     \
        size_t vec_wanted_ = (n);                                                                            \
        if ((v)->capacity < vec_wanted_) {                                                                   \
            size_t vec_capacity_ = (v)->capacity ? (v)->capacity * 2 : 8;                                    \
            while (vec_capacity_ < vec_wanted_) vec_capacity_ *= 2;                                          \
            (v)->data = heap_resize((v)->data, vec_capacity_ * sizeof *(v)->data);                           \
            (v)->capacity = vec_capacity_;                                                                   \
        }                                                                                                    \
    } while (0)

#define vec_push(v, ...)                                                                                     \
    do {                                                                                                     \
        vec_reserve(v, (v)->count + 1);                                                                      \
        (v)->data[(v)->count++] = (__VA_ARGS__);                                                             \
    } while (0)

#define vec_pop(v)  ((v)->data[--(v)->count])
#define vec_last(v) ((v)->data[(v)->count - 1])

#define vec_fini(v)                                                                                          \
    do {                                                                                                     \
        free((v)->data);                                                                                     \
        (v)->data = NULL;                                                                                    \
        (v)->count = (v)->capacity = 0;                                                                      \
    } while (0)
