#include "memory/heap.h"
#include "base/arena.h"

#include <stdlib.h>

void event_heap_fini(struct event_heap *h)
{
    free(h->events);
    *h = (struct event_heap){0};
}

static bool is_before(const struct event *a, const struct event *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

void event_heap_push(struct event_heap *h, struct event e)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? h->capacity * 2 : 256;
        h->events = heap_resize(h->events, h->capacity * sizeof *h->events);
    }
    size_t at = h->count++;
    for (; at && is_before(&e, &h->events[(at - 1) / 2]); at = (at - 1) / 2)
        h->events[at] = h->events[(at - 1) / 2];
    h->events[at] = e;
}

struct event event_heap_pop(struct event_heap *h)
{
    struct event top = h->events[0], moved = h->events[--h->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < h->count) {
        if (child + 1 < h->count && is_before(&h->events[child + 1], &h->events[child])) child++;
        if (!is_before(&h->events[child], &moved)) break;
        h->events[at] = h->events[child];
        at = child;
    }
    if (h->count) h->events[at] = moved;
    return top;
}
