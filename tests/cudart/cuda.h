// The CUDA runtime for tests: its interface, and a fat binary made by hand.
#pragma once
#include "cudart/runtime.h"

#include <stdbool.h>

// How the PTX of a fat binary is packed.
enum fat_packing { FAT_PLAIN, FAT_LZ4, FAT_ZSTD, FAT_MACHINE_CODE };
// A wrapper and container with the text, as nvcc makes them; LZ4 and zstd without compression. Heap, kept for ever.
void *fat_make(const char *ptx, size_t length, enum fat_packing packing);
