#include "cudart/fatbin.h"
#include "base/arena.h"
#include "base/str.h"
#include "cudart/unpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, KIND_PTX = 1, PACKED_LZ4 = 0x2000, PACKED_ZSTD = 0x8000 };
static const uint32_t CONTAINER_MAGIC = 0xba55ed50u;

struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *linked;
};

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes, unused1;
    uint16_t minor, major;
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags, zero, unpacked_bytes;
};
_Static_assert(sizeof(struct entry) == 64, "the header of an entry");

enum { VERSION_LINKED = 2 };

bool fatbin_open(const void *wrapper, struct fatbin_parts *parts)
{
    const struct wrapper *w = wrapper;
    if (!w || w->magic != WRAPPER_MAGIC) return false;
    *parts = (struct fatbin_parts){w->container, w->version == VERSION_LINKED ? w->linked : NULL};
    return true;
}

// Whether `a` is a better choice than `b` for the architecture.
static bool is_better(uint32_t a, uint32_t b, uint32_t architecture)
{
    if ((a <= architecture) != (b <= architecture)) return a <= architecture;
    return a <= architecture ? a > b : a < b;
}

static const struct entry *choose(const struct container *c, unsigned architecture)
{
    const uint8_t *at = (const uint8_t *)c + c->header_bytes, *end = at + c->bytes;
    const struct entry *best = NULL;
    while ((size_t)(end - at) >= sizeof(struct entry)) {
        const struct entry *e = (const void *)at;
        if (e->header_bytes < sizeof *e || e->payload_bytes > (uint64_t)(end - at) - e->header_bytes) break;
        if (e->kind == KIND_PTX && (!best || is_better(e->architecture, best->architecture, architecture)))
            best = e;
        at += e->header_bytes + e->payload_bytes;
    }
    return best;
}

enum fatbin_result fatbin_ptx(const void *container, unsigned architecture, struct fatbin_text *text)
{
    const struct container *c = container;
    if (!c || c->magic != CONTAINER_MAGIC) return FATBIN_BROKEN;
    const struct entry *e = choose(c, architecture);
    if (!e) return FATBIN_NO_PTX;
    const uint8_t *payload = (const uint8_t *)e + e->header_bytes;
    bool is_packed = e->flags & (PACKED_LZ4 | PACKED_ZSTD);
    size_t bytes = is_packed ? (size_t)e->unpacked_bytes : (size_t)e->payload_bytes;
    char *ptx = heap_alloc(bytes + 1);
    bool good = true;
    if (e->flags & PACKED_ZSTD) {
        if (!unpack_has_zstd()) {
            free(ptx);
            return FATBIN_NO_UNPACKER;
        }
        good = unpack_zstd(payload, e->packed_bytes, ptx, bytes);
    } else if (e->flags & PACKED_LZ4) {
        good = unpack_lz4(payload, e->packed_bytes, ptx, bytes);
    } else {
        memcpy(ptx, payload, bytes);
    }
    *text = (struct fatbin_text){ptx, strnlen(ptx, bytes), e->architecture};
    if (good) return FATBIN_FOUND;
    free(ptx);
    return FATBIN_BROKEN;
}

// -- relocatable device code --------------------------------------------------------------------------------

// Start of the text behind .version, .target and .address_size, which a joined text has once.
static const char *behind_header(const char *ptx)
{
    const char *at = strstr(ptx, ".address_size");
    const char *end = at ? strchr(at, '\n') : NULL;
    return end ? end : ptx;
}

void fatbin_join(struct strbuf *all, const char *ptx, size_t length)
{
    char *one = heap_alloc(length + 1);
    memcpy(one, ptx, length);
    one[length] = 0;
    strbuf_puts(all, all->length ? behind_header(one) : one);
    free(one);
}

bool fatbin_is_container(const void *bytes)
{
    const struct container *c = bytes;
    return c->magic == CONTAINER_MAGIC;
}

enum fatbin_result fatbin_text_of(const struct fatbin_parts *parts, unsigned architecture,
                                  struct fatbin_text *text)
{
    if (!parts->linked) return fatbin_ptx(parts->container, architecture, text);
    struct strbuf all = {0};
    unsigned newest = 0;
    enum fatbin_result result = FATBIN_NO_PTX;
    for (const void *const *part = parts->linked; *part; part++) {
        struct fatbin_text one;
        result = fatbin_ptx(*part, architecture, &one);
        if (result != FATBIN_FOUND) break;
        fatbin_join(&all, one.ptx, one.length);
        // NVIDIA's device runtime, linked to every such program, has PTX of the newest architecture alone.
        bool is_runtime = memmem(one.ptx, one.length, "cuda_device_runtime", strlen("cuda_device_runtime"));
        if (newest < one.architecture && !is_runtime) newest = one.architecture;
        free(one.ptx);
    }
    *text = (struct fatbin_text){all.text, all.length, newest};
    if (result != FATBIN_FOUND) strbuf_fini(&all);
    return result;
}
