// Fat binaries: containers of PTX and machine code that nvcc puts into a program.
//
//   wrapper   in .nvFatBinSegment: magic 0x466243b1, version 1 (2: relocatable device code), pointer to the container,
//             of version 2 a pointer to the containers of the object files
//   container magic 0xba55ed50, u16 version, u16 header bytes, u64 bytes behind the header; then entries
//   entry     u16 kind (1 PTX, 2 machine code), u16, u32 header bytes, u64 payload bytes, u32 compressed bytes @16,
//             u32 architecture @28, u64 flags @40, u64 bytes when unpacked @56
//
// A payload may be packed: flag 0x8000 zstd, 0x2000 LZ4.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct fatbin_text {
    char *ptx; // heap, a string without trailing zeros
    size_t length;
    unsigned architecture; // 75 for sm_75
};

enum fatbin_result {
    FATBIN_FOUND,
    FATBIN_NO_PTX,     // only machine code
    FATBIN_BROKEN,     // no container, or a payload that does not unpack
    FATBIN_NO_UNPACKER // packed by zstd, and libzstd.so.1 is not installed
};
// The PTX for the newest architecture up to `architecture`, else for the oldest beyond.
enum fatbin_result fatbin_ptx(const void *container, unsigned architecture, struct fatbin_text *text);

// What a wrapper holds. Relocatable device code (nvcc -rdc=true): a container of each object file, whose PTX belongs
// together. Else `container` alone.
struct fatbin_parts {
    const void *container;
    const void *const *linked; // ends with NULL; NULL: no relocatable code
};
bool fatbin_open(const void *wrapper, struct fatbin_parts *parts); // false: no wrapper
// fatbin_ptx of all parts, as one text.
enum fatbin_result fatbin_text_of(const struct fatbin_parts *parts, unsigned architecture,
                                  struct fatbin_text *text);
bool fatbin_is_container(const void *bytes);
// Adds a text of `length` bytes to joined PTX.
void fatbin_join(struct strbuf *all, const char *ptx, size_t length);
