// malloc and free of device code. The loader of a module that calls them joins this code to the module's
// (src/api/heap.c): malloc and free are aliases of the functions here, and warpfold_heap is set to the heap.
//
//     heap ─▶ │ head of each class │ next │ end │ blocks …                     │
//                  │                   └──────────────────▶ not yet used ──────┘
//                  └─▶ free block ─▶ free block ─▶ 0
//
// A block is a header of 16 bytes and a payload of its class: four classes for each power of two. malloc takes a free
// block of the class, or else new bytes. Blocks stay in their class.
//
// A list's head is the place of its first block in units of 16 bytes, and a tag that counts the changes: a block that
// went and came back between a look at the head and its exchange has another tag.
#include "device.h"

enum { CLASSES = 144, PLACE_BITS = 40 };

struct heap {
    unsigned long long heads[CLASSES];
    unsigned long long next, end; // bytes from the heap's start
};

struct header {
    unsigned mark, size_class; // mark: LIVE, FREE
    unsigned long long next;   // place of the next free block; 0: none
};
enum { LIVE = 0x6c697665, FREE = 0x66726565 };

extern "C" {
__device__ struct heap *warpfold_heap;
__device__ void __assertfail(const char *what, const char *file, unsigned line, const char *function, size_t size);
}

// The smallest class with the bytes: 16 to 64 in steps of 16, then four for each power of two.
static __device__ unsigned class_of(unsigned long long bytes)
{
    unsigned long long units = (bytes + 15) / 16;
    if (units <= 4) return (unsigned)units - 1;
    unsigned top = 63 - (unsigned)__clzll((long long)(units - 1)); // power of two below the size
    unsigned quarter = (unsigned)((units - 1) >> (top - 2)) & 3;
    return 4 * (top - 1) + quarter;
}

static __device__ unsigned long long class_bytes(unsigned c)
{
    if (c < 4) return 16ull * (c + 1);
    unsigned top = c / 4 + 1;
    return 16 * ((5ull + c % 4) << (top - 2));
}

static __device__ struct header *block_at(struct heap *h, unsigned long long place)
{
    return (struct header *)((char *)h + place * 16);
}

static __device__ unsigned long long changed(unsigned long long head, unsigned long long place)
{
    return ((head >> PLACE_BITS) + 1) << PLACE_BITS | place;
}

// A free block of the class; NULL: none.
static __device__ struct header *take(struct heap *h, unsigned c)
{
    unsigned long long head = atomicOr(&h->heads[c], 0);
    for (;;) {
        unsigned long long place = head & ((1ull << PLACE_BITS) - 1);
        if (!place) return NULL;
        struct header *b = block_at(h, place);
        unsigned long long next = atomicOr(&b->next, 0);
        unsigned long long seen = atomicCAS(&h->heads[c], head, changed(head, next));
        if (seen == head) return b;
        head = seen;
    }
}

static __device__ struct header *take_new(struct heap *h, unsigned long long bytes)
{
    unsigned long long at = atomicAdd(&h->next, bytes);
    if (at + bytes <= h->end) return (struct header *)((char *)h + at);
    atomicAdd(&h->next, 0 - bytes);
    return NULL;
}

extern "C" __device__ void *warpfold_malloc(size_t bytes)
{
    struct heap *h = warpfold_heap;
    if (!bytes || bytes > h->end) return NULL;
    unsigned c = class_of(bytes);
    struct header *b = take(h, c);
    if (b) __threadfence(); // behind what the last owner did with the block
    if (!b) b = take_new(h, class_bytes(c) + sizeof *b);
    if (!b) return NULL;
    b->mark = LIVE;
    b->size_class = c;
    return b + 1;
}

extern "C" __device__ void warpfold_free(void *p)
{
    if (!p) return;
    struct heap *h = warpfold_heap;
    struct header *b = (struct header *)p - 1;
    bool inside = (char *)b > (char *)h && (char *)p < (char *)h + h->end && (size_t)p % 16 == 0;
    if (!inside || b->mark != LIVE)
        __assertfail(inside && b->mark == FREE ? "free of memory that is free already"
                                               : "free of a pointer that malloc of device code has not given",
                     "malloc and free of device code", __LINE__, "free", 1);
    unsigned c = b->size_class;
    b->mark = FREE;
    __threadfence(); // before the next owner
    unsigned long long place = (unsigned long long)((char *)b - (char *)h) / 16;
    unsigned long long head = atomicOr(&h->heads[c], 0);
    for (;;) {
        atomicExch(&b->next, head & ((1ull << PLACE_BITS) - 1));
        unsigned long long seen = atomicCAS(&h->heads[c], head, changed(head, place));
        if (seen == head) return;
        head = seen;
    }
}
