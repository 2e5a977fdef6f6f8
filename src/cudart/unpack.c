// LZ4 blocks by a decoder of our own (the block format of lz4's documentation), zstd by the system's library.
#include "cudart/unpack.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

// A length of 15 goes on in bytes up to and including the first below 255. False: the block ends within.
static bool long_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
    if (*length < 15) return true;
    uint8_t more;
    do {
        if (*at == end) return false;
        more = *(*at)++;
        *length += more;
    } while (more == 255);
    return true;
}

// A sequence: token (literal length, match length - 4), literals, u16 distance of the match. The last sequence ends
// behind the literals.
bool unpack_lz4(const void *packed, size_t packed_bytes, void *out, size_t room)
{
    enum { LEAST_MATCH = 4 };
    const uint8_t *at = packed, *end = at + packed_bytes;
    uint8_t *to = out, *limit = to + room;
    while (at < end) {
        uint8_t token = *at++;
        size_t literals = token >> 4, match = token & 15;
        if (!long_length(&at, end, &literals)) return false;
        if (literals > (size_t)(end - at) || literals > (size_t)(limit - to)) return false;
        memcpy(to, at, literals);
        at += literals;
        to += literals;
        if (at == end) break;
        if (end - at < 2) return false;
        size_t distance = at[0] | (size_t)at[1] << 8;
        at += 2;
        if (!long_length(&at, end, &match)) return false;
        match += LEAST_MATCH;
        if (!distance || distance > (size_t)(to - (uint8_t *)out) || match > (size_t)(limit - to))
            return false;
        for (; match; match--, to++) *to = to[-(ptrdiff_t)distance]; // may overlap
    }
    return to == limit;
}

typedef size_t zstd_decompress(void *to, size_t room, const void *from, size_t bytes);

static zstd_decompress *find_zstd(void)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    zstd_decompress *function = NULL;
    void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

bool unpack_has_zstd(void) { return find_zstd(); }

// An error of ZSTD_decompress is a size close to SIZE_MAX, and so no size of a payload.
bool unpack_zstd(const void *packed, size_t packed_bytes, void *out, size_t room)
{
    zstd_decompress *decompress = find_zstd();
    return decompress && decompress(out, room, packed, packed_bytes) == room;
}
