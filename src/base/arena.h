// Arenas: memory freed all at once.
//
// An arena holds memory of a common lifetime, for example everything of a module, a program or a compile run.
// Memory is zeroed, aligned to 16 bytes and never moves. When host memory runs out, the arena calls
// wf_heap_exhausted, so callers do not check for NULL. Sizes read from input use heap_try instead.
#pragma once
#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; // first: the block being filled
    size_t used_bytes;          // sum of all requests, in multiples of 16 bytes
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void *arena_alloc(struct arena *a, size_t size_bytes);
char *arena_strndup(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (size_t)(count)))

// Heap memory, zeroed; free() releases it.
void *heap_alloc(size_t size_bytes);
void *heap_resize(void *p, size_t size_bytes); // added bytes are not zeroed
char *heap_strdup(const char *text);
char *heap_strndup(const char *text, size_t most);
// heap_alloc and heap_resize for sizes read from input: NULL if memory is insufficient.
void *heap_try(size_t size_bytes);
void *heap_try_resize(void *p, size_t size_bytes); // NULL: p stays valid and unchanged

// Called, from any thread, when an allocation other than by heap_try or heap_try_resize fails. Must not
// return. A program may define its own function of this name (api/warpfold.h); the library's definition aborts.
_Noreturn void wf_heap_exhausted(size_t size_bytes);
