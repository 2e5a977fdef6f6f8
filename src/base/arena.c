// Arenas: a list of memory blocks, each filled from the start. A large request that does not fit gets a
// separate block. Other new blocks are as large as all requests so far, between two limits: an arena of a few
// hundred bytes zeroes one small block.
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES_LEAST = 1024, BLOCK_BYTES_MOST = 64 * 1024, ALIGN_BYTES = 16 };

struct arena_block {
    struct arena_block *next;
    size_t size_bytes, used_bytes;
    _Alignas(ALIGN_BYTES) unsigned char bytes[];
};

__attribute__((weak, visibility("default"))) _Noreturn void wf_heap_exhausted(size_t size_bytes)
{
    (void)size_bytes;
    abort();
}

void *heap_try(size_t size_bytes) { return calloc(1, size_bytes ? size_bytes : 1); }

void *heap_try_resize(void *p, size_t size_bytes) { return realloc(p, size_bytes ? size_bytes : 1); }

void *heap_alloc(size_t size_bytes)
{
    void *p = heap_try(size_bytes);
    if (!p) wf_heap_exhausted(size_bytes);
    return p;
}

void *heap_resize(void *p, size_t size_bytes)
{
    void *grown = heap_try_resize(p, size_bytes);
    if (!grown) wf_heap_exhausted(size_bytes);
    return grown;
}

char *heap_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = heap_alloc(length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *heap_strdup(const char *text) { return heap_strndup(text, SIZE_MAX - 1); }

void arena_init(struct arena *a) { *a = (struct arena){0}; }

void arena_fini(struct arena *a)
{
    for (struct arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct arena){0};
}

static size_t next_block_bytes(const struct arena *a)
{
    if (a->used_bytes < BLOCK_BYTES_LEAST) return BLOCK_BYTES_LEAST;
    return a->used_bytes < BLOCK_BYTES_MOST ? a->used_bytes : BLOCK_BYTES_MOST;
}

// A new block with room for `size` bytes. Not inlined: arena_alloc stays short.
static __attribute__((noinline)) struct arena_block *add_block(struct arena *a, size_t size)
{
    size_t block_bytes = next_block_bytes(a);
    bool is_separate = size > block_bytes / 4;
    if (is_separate) block_bytes = size;
    struct arena_block *fresh = heap_alloc(sizeof *fresh + block_bytes), *filled = a->blocks;
    fresh->size_bytes = block_bytes;
    if (filled && is_separate) { // in the list, a separate block goes after the block being filled
        fresh->next = filled->next;
        filled->next = fresh;
    } else {
        fresh->next = filled;
        a->blocks = fresh;
    }
    return fresh;
}

void *arena_alloc(struct arena *a, size_t size_bytes)
{
    size_t size = (size_bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    struct arena_block *b = a->blocks;
    if (!b || b->size_bytes - b->used_bytes < size) b = add_block(a, size);
    void *p = b->bytes + b->used_bytes;
    b->used_bytes += size;
    a->used_bytes += size;
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) wf_heap_exhausted(0); // vsnprintf allocates for wide fields
    char *text = arena_alloc(a, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}
