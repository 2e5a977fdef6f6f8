// Saved form: number of allocations, addresses and sizes, then the bytes of all allocations in pages of 4096. A page is
// a byte 0 (zeros), or a byte 1 and the page's bytes. Numbers are 64-bit, in the host's byte order.
#include "exec/image.h"
#include "exec/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

struct part {
    uint64_t address, size_bytes;
};

struct memory_image {
    VEC(struct part) parts;
    uint8_t *bytes; // of all parts, one after another
    size_t capacity;
};

static const struct memory_allocation *next_live(const struct memory *m, size_t *index)
{
    const struct memory_allocation *a;
    while ((a = memory_allocation_at(m, (*index)++)) != NULL && a->freed) {
    }
    return a;
}

struct memory_image *memory_image_take(const struct memory *m, struct memory_image *old)
{
    struct memory_image *image = old ? old : heap_alloc(sizeof *image);
    const struct memory_allocation *a;
    size_t at = 0;
    image->parts.count = 0;
    for (size_t i = 0; (a = next_live(m, &i)) != NULL; at += a->size_bytes)
        vec_push(&image->parts, (struct part){a->address, a->size_bytes});
    if (at > image->capacity) {
        free(image->bytes);
        image->bytes = heap_resize(NULL, at);
        image->capacity = at;
    }
    at = 0;
    for (size_t i = 0; i < image->parts.count; i++) {
        const struct part *p = &image->parts.data[i];
        if (p->size_bytes)
            memcpy(image->bytes + at, memory_host(m, p->address, p->size_bytes), p->size_bytes);
        at += p->size_bytes;
    }
    return image;
}

void memory_image_put(const struct memory_image *image, struct memory *m)
{
    size_t at = 0;
    for (size_t i = 0; i < image->parts.count; i++) {
        const struct part *p = &image->parts.data[i];
        uint8_t *host = memory_host(m, p->address, p->size_bytes);
        if (host && p->size_bytes) memcpy(host, image->bytes + at, p->size_bytes);
        at += p->size_bytes;
    }
}

void memory_image_free(struct memory_image *image)
{
    if (!image) return;
    vec_fini(&image->parts);
    free(image->bytes);
    free(image);
}

static void put_u64(struct strbuf *out, uint64_t value)
{
    strbuf_write(out, (const char *)&value, sizeof value);
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
    return !*bytes && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static size_t page_of(const struct part *p, uint64_t at)
{
    return (size_t)(p->size_bytes - at < PAGE ? p->size_bytes - at : PAGE);
}

void memory_image_save(const struct memory *m, struct strbuf *out)
{
    const struct memory_allocation *a;
    uint64_t count = 0;
    for (size_t i = 0; next_live(m, &i) != NULL;) count++;
    put_u64(out, count);
    for (size_t i = 0; (a = next_live(m, &i)) != NULL;) {
        put_u64(out, a->address);
        put_u64(out, a->size_bytes);
    }
    for (size_t i = 0; (a = next_live(m, &i)) != NULL;) {
        const struct part p = {a->address, a->size_bytes};
        const uint8_t *host = memory_host(m, p.address, p.size_bytes);
        for (uint64_t at = 0; at < p.size_bytes; at += PAGE) {
            bool has_bytes = !is_zero(host + at, page_of(&p, at));
            strbuf_putc(out, has_bytes);
            if (has_bytes) strbuf_write(out, (const char *)host + at, page_of(&p, at));
        }
    }
}

struct reader {
    const uint8_t *at, *end;
    bool is_short;
};

static uint64_t get_u64(struct reader *r)
{
    uint64_t value = 0;
    r->is_short |= (size_t)(r->end - r->at) < sizeof value;
    if (r->is_short) return 0;
    memcpy(&value, r->at, sizeof value);
    r->at += sizeof value;
    return value;
}

// Reads a page into host bytes; host NULL: skips the page.
static void get_page(struct reader *r, uint8_t *host, size_t length)
{
    r->is_short |= r->at == r->end;
    if (r->is_short) return;
    bool has_bytes = *r->at++ != 0;
    r->is_short |= has_bytes && (size_t)(r->end - r->at) < length;
    if (r->is_short) return;
    if (host && has_bytes)
        memcpy(host, r->at, length);
    else if (host)
        memset(host, 0, length);
    if (has_bytes) r->at += length;
}

static bool same_places(const struct memory *m, struct reader *r)
{
    const struct memory_allocation *a;
    uint64_t count = get_u64(r), live = 0;
    for (size_t i = 0; (a = next_live(m, &i)) != NULL && live < count; live++) {
        uint64_t address = get_u64(r), size_bytes = get_u64(r);
        if (address != a->address || size_bytes != a->size_bytes) return false;
    }
    return !a && live == count;
}

static void get_pages(struct memory *m, struct reader *r, bool writes)
{
    const struct memory_allocation *a;
    for (size_t i = 0; (a = next_live(m, &i)) != NULL && !r->is_short;) {
        const struct part p = {a->address, a->size_bytes};
        uint8_t *host = memory_host(m, p.address, p.size_bytes);
        for (uint64_t at = 0; at < p.size_bytes && !r->is_short; at += PAGE)
            get_page(r, writes ? host + at : NULL, page_of(&p, at));
    }
}

bool memory_image_load(struct memory *m, const void *bytes, size_t length, const char **why)
{
    struct reader r = {.at = bytes, .end = (const uint8_t *)bytes + length};
    if (!same_places(m, &r)) {
        *why = "its allocations have other addresses or sizes";
        return false;
    }
    struct reader pages = r;
    get_pages(m, &pages, false);
    if (pages.is_short || pages.at != pages.end) {
        *why = "it is cut short, or too long";
        return false;
    }
    get_pages(m, &r, true);
    return true;
}
