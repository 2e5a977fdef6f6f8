// Packed payloads of fat binaries.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Unpacks a block into exactly `room` bytes. False: the block is broken, or has another size.
bool unpack_lz4(const void *packed, size_t packed_bytes, void *out, size_t room);
// By libzstd.so.1, looked for once. unpack_has_zstd: whether the library is installed.
bool unpack_has_zstd(void);
bool unpack_zstd(const void *packed, size_t packed_bytes, void *out, size_t room);
