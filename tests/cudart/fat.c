// Fat binaries made by hand.
#include "cudart/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, CONTAINER = 16 };

static void put(uint8_t *at, uint64_t value, unsigned bytes) { memcpy(at, &value, bytes); }

// One sequence of literals: token, length in bytes of 255.
static size_t pack_lz4(uint8_t *to, const char *text, size_t length)
{
    uint8_t *at = to;
    *at++ = 0xf0;
    size_t left = length - 15;
    for (; left >= 255; left -= 255) *at++ = 255;
    *at++ = (uint8_t)left;
    memcpy(at, text, length);
    return (size_t)(at - to) + length;
}

// Blocks of stored bytes in a frame with an 8-byte size (RFC 8878).
static size_t pack_zstd(uint8_t *to, const char *text, size_t length)
{
    enum { BLOCK = 100000 };
    uint8_t *at = to;
    put(at, 0xfd2fb528, 4);
    at[4] = 0xe0; // size of 8 bytes, single segment
    put(at + 5, length, 8);
    at += 13;
    for (size_t done = 0; done < length;) {
        size_t n = length - done < BLOCK ? length - done : BLOCK;
        put(at, n << 3 | (done + n == length), 3);
        memcpy(at + 3, text + done, n);
        at += 3 + n;
        done += n;
    }
    return (size_t)(at - to);
}

static size_t pack(uint8_t *to, const char *text, size_t length, enum fat_packing packing)
{
    if (packing == FAT_LZ4) return pack_lz4(to, text, length);
    if (packing == FAT_ZSTD) return pack_zstd(to, text, length);
    memcpy(to, text, length);
    return length;
}

void *fat_make(const char *ptx, size_t length, enum fat_packing packing)
{
    static const uint64_t flags[] = {0x11, 0x2011, 0x8011, 0x11};
    uint8_t *c = calloc(1, CONTAINER + HEADER + 2 * length + 64), *e = c + CONTAINER;
    size_t packed = pack(e + HEADER, ptx, length, packing), payload = (packed + 7) / 8 * 8;
    put(c, 0xba55ed50, 4);
    put(c + 4, 1, 2);
    put(c + 6, CONTAINER, 2);
    put(c + 8, HEADER + payload, 8);
    put(e, packing == FAT_MACHINE_CODE ? 2 : 1, 2);
    put(e + 4, HEADER, 4);
    put(e + 8, payload, 8);
    put(e + 16, packed, 4);
    put(e + 28, 75, 4);
    put(e + 40, flags[packing], 8);
    put(e + 56, length, 8);
    uint8_t *wrapper = calloc(1, 24);
    put(wrapper, 0x466243b1, 4);
    put(wrapper + 4, 1, 4);
    put(wrapper + 8, (uintptr_t)c, 8);
    return wrapper;
}
