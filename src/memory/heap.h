// A queue of events by time: a binary heap whose ties go by the number the owner gives, so order never
// depends on how the heap happened to be arranged.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t cycle;
    uint64_t order; // ties: smaller first
    uint32_t kind, what;
};

struct event_heap {
    struct event *events;
    size_t count, capacity;
};

void event_heap_fini(struct event_heap *h);
void event_heap_push(struct event_heap *h, struct event e);
struct event event_heap_pop(struct event_heap *h); // not empty
