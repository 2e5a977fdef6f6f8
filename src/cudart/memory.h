// Memory of the device, which is memory of the host, too: one heap at equal addresses for both.
#pragma once
#include "cudart/state.h"

enum cuda_error memory_alloc_block(struct cudart *r, void **p, size_t bytes, enum cudart_memory kind,
                                   unsigned flags);
// Frees memory of the kind (MEMORY_DEVICE: managed memory, too). NULL: no effect.
enum cuda_error memory_free_block(struct cudart *r, void *p, enum cudart_memory kind);
// The block with the address; NULL: none, the host's own memory.
const struct cudart_block *memory_find_block(const struct cudart *r, const void *p);
// Whether the address is in a block, or in the device's heap: a variable.
bool memory_is_known(const struct cudart *r, const void *p);
// Whether [p, p + bytes) is the host's own memory, or inside a block.
bool memory_is_valid(const struct cudart *r, const void *p, uint64_t bytes);
void memory_reset(struct cudart *r); // frees all blocks
