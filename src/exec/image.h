// A copy of global memory: the bytes of all live allocations, to be put back later into the same allocations.
//
// As a file, an image is architectural state: addresses, sizes and bytes, without time. Pages of zeros take no
// space in a file.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;
struct memory_image; // heap

// Copies all live allocations. `old`: an image no longer needed, whose storage is used again; NULL: none.
struct memory_image *memory_image_take(const struct memory *m, struct memory_image *old);
// Puts the bytes back. The live allocations must be those of memory_image_take, except new allocations, which
// are left alone.
void memory_image_put(const struct memory_image *image, struct memory *m);
void memory_image_free(struct memory_image *image); // NULL: no effect
// Appends the live allocations to `out`, as memory_image_load reads.
void memory_image_save(const struct memory *m, struct strbuf *out);
// Writes saved bytes into memory. False, with memory unchanged: *why says what differs between the saved and
// the live allocations, or that the bytes are cut short.
bool memory_image_load(struct memory *m, const void *bytes, size_t length, const char **why);
