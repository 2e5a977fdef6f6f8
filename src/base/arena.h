// Arenas: memory that is given back all at once.
//
// Everything that lives as long as a module, a program or one compile is allocated from an arena owned by
// that thing. Memory comes zeroed and aligned to 16 bytes. An arena never moves what it handed out. Running
// out of host memory ends in heap_exhausted, so no caller checks for NULL; what asks for as much as its input
// says takes heap_try.
#pragma once
#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; // newest first
    size_t used_bytes;          // handed out so far, for statistics
};

void arena_init(struct arena *a);
void arena_fini(struct arena *a);
void *arena_alloc(struct arena *a, size_t size_bytes);
char *arena_strndup(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (size_t)(count)))

// Heap memory; free() gives it back. Zeroed.
void *heap_alloc(size_t size_bytes);
void *heap_resize(void *p, size_t size_bytes); // new bytes are not zeroed
char *heap_strdup(const char *text);
char *heap_strndup(const char *text, size_t most);
// The same for sizes that come from input: NULL when there is not enough.
void *heap_try(size_t size_bytes);
void *heap_try_resize(void *p, size_t size_bytes); // NULL: p stays as it was

// What is called, from any thread, when there is no memory for any of these but heap_try. It does not return:
// a program defines a function of this name to end its own way; the library's own aborts.
_Noreturn void heap_exhausted(size_t size_bytes);
