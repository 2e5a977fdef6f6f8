// Global memory: one reserved host mapping and a list of allocations in order of address.
//
// Addresses are handed out upwards, and reused only when no unused range is large enough, for late detection
// of stale pointers. An allocation then takes the first hole of freed allocations that is large enough. Freed
// bytes are zeroed at once (whole pages go back to the host), so new allocations are always zero.
#include "exec/memory.h"
#include "base/bits.h"
#include "base/hash.h"
#include "isa/bank.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN_LEAST = 256, GAP = 256, NEAR_HEAP = 1 << 20 }; // NEAR_HEAP: bytes below, of a negative index

struct region { // one of the two address ranges of the heap
    uint64_t next, end;
};

struct memory {
    uint8_t *base;   // host byte of device address `origin`
    uint64_t origin; // MEMORY_HEAP; 0 for a flat memory, which has no allocations by memory_alloc
    uint64_t reserved_bytes, limit_bytes, in_use_bytes;
    struct region regions[2];
    VEC(struct memory_allocation) allocations; // by address; freed entries stay until their place is reused
    uint32_t serial;
    bool is_shared; // device addresses are host addresses; mapped from MEMORY_WINDOWS_END on
    bool strays;    // unallocated bytes may have been written
};

struct memory *memory_create(uint64_t limit_bytes)
{
    struct memory *m = heap_alloc(sizeof *m);
    m->origin = MEMORY_HEAP;
    m->limit_bytes = limit_bytes < MEMORY_LIMIT_MAX ? limit_bytes : MEMORY_LIMIT_MAX;
    m->regions[0] = (struct region){MEMORY_HEAP, ISA_SHARED_WINDOW};
    m->regions[1] = (struct region){MEMORY_WINDOWS_END, MEMORY_WINDOWS_END};
    // With a limit beyond 32-bit addresses, the heap's second range is twice the limit: room for gaps between
    // allocations and for late reuse of addresses.
    if (m->limit_bytes > ISA_SHARED_WINDOW - MEMORY_HEAP)
        m->regions[1].end += 2 * align_up(m->limit_bytes, 4096);
    // If the host refuses to map the address space, a smaller range is reserved; allocations then fail
    // earlier.
    for (;; m->regions[1].end =
                MEMORY_WINDOWS_END + (m->regions[1].end - MEMORY_WINDOWS_END) / 2 / 4096 * 4096) {
        bool high = m->regions[1].end > MEMORY_WINDOWS_END;
        m->reserved_bytes = m->regions[high].end - MEMORY_HEAP;
        void *p = mmap(NULL, m->reserved_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            m->base = p;
            return m;
        }
        if (!high) break;
    }
    while (!m->base) {
        m->regions[0].end = MEMORY_HEAP + (m->regions[0].end - MEMORY_HEAP) / 2 / 4096 * 4096;
        m->reserved_bytes = m->regions[0].end - MEMORY_HEAP;
        if (!m->reserved_bytes) break; // every allocation fails
        void *p = mmap(NULL, m->reserved_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) m->base = p;
    }
    return m;
}

// The heap is the second range alone. Host byte and device address are equal, so `base` is the host's address
// MEMORY_HEAP, which is never accessed.
struct memory *memory_create_shared(uint64_t limit_bytes)
{
    uint64_t limit = limit_bytes < MEMORY_LIMIT_MAX ? limit_bytes : MEMORY_LIMIT_MAX;
    uint64_t bytes = 2 * align_up(limit, 4096);
    void *want = (void *)(uintptr_t)MEMORY_WINDOWS_END; // NOLINT: a chosen host address
    void *p = mmap(want, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (p != want) { // a kernel before 4.17 takes the address as a hint
        munmap(p, bytes);
        return NULL;
    }
    struct memory *m = heap_alloc(sizeof *m);
    m->base = (uint8_t *)(uintptr_t)MEMORY_HEAP;
    m->origin = MEMORY_HEAP;
    m->is_shared = true;
    m->limit_bytes = limit;
    m->reserved_bytes = MEMORY_WINDOWS_END + bytes - MEMORY_HEAP;
    m->regions[1] = (struct region){MEMORY_WINDOWS_END, MEMORY_WINDOWS_END + bytes};
    return m;
}

enum { FLAT_TAIL = 64 }; // an access at the last address may touch bytes past the end

struct memory *memory_create_flat(void)
{
    size_t bytes = MEMORY_WINDOWS_END + FLAT_TAIL;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    struct memory *m = heap_alloc(sizeof *m);
    m->base = p;
    m->reserved_bytes = bytes;
    return m;
}

uint8_t *memory_flat(const struct memory *m) { return m->base; }

void memory_destroy(struct memory *m)
{
    if (!m) return;
    uint64_t skipped = m->is_shared ? MEMORY_WINDOWS_END - MEMORY_HEAP : 0;
    if (m->base) munmap(m->base + skipped, m->reserved_bytes - skipped);
    for (size_t i = 0; i < m->allocations.count; i++) free((char *)m->allocations.data[i].label);
    vec_fini(&m->allocations);
    free(m);
}

// Index of the first allocation that starts past the address; number of allocations: none does.
static size_t first_past(const struct memory *m, uint64_t address)
{
    size_t low = 0, high = m->allocations.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->allocations.data[middle].address > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void remove_freed(struct memory *m, size_t first, size_t count)
{
    struct memory_allocation *a = m->allocations.data;
    for (size_t i = first; i < first + count; i++) free((char *)a[i].label);
    memmove(a + first, a + first + count, (m->allocations.count - first - count) * sizeof *a);
    m->allocations.count -= count;
}

static bool in_windows(uint64_t start, uint64_t end)
{
    return start < MEMORY_WINDOWS_END && end > ISA_SHARED_WINDOW;
}

// Returns an address in the first large enough hole (adjacent freed allocations), or 0. Deletes the
// hole's entries from the list of allocations.
static uint64_t take_hole(struct memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
    const struct memory_allocation *a = m->allocations.data;
    size_t count = m->allocations.count;
    for (size_t i = 0, run; i < count; i += run ? run : 1) {
        for (run = 0; i + run < count && a[i + run].freed; run++) {
        }
        if (!run) continue;
        uint64_t start = align_up(a[i].address, align_bytes), end = start + size_bytes + GAP;
        const struct memory_allocation *last = &a[i + run - 1];
        uint64_t limit =
            i + run < count && a[i + run].address < m->regions[1].end // else: placed behind the heap
                ? a[i + run].address
                : last->address + align_up(last->size_bytes, GAP) + GAP;
        if (end > limit || end < start || in_windows(start, end)) continue;
        remove_freed(m, i, run);
        return start;
    }
    return 0;
}

static uint64_t take_fresh(struct memory *m, uint64_t size_bytes, uint64_t align_bytes)
{
    for (unsigned r = 0; r < 2; r++) {
        struct region *region = &m->regions[r];
        uint64_t start = align_up(region->next, align_bytes);
        if (start > region->end || region->end - start < size_bytes + GAP) continue;
        region->next = align_up(start + size_bytes, GAP) + GAP;
        return start;
    }
    return 0;
}

static uint8_t *host_byte(const struct memory *m, uint64_t address)
{
    return m->base + (address - m->origin);
}

static void zero(struct memory *m, const struct memory_allocation *a)
{
    uint64_t offset = a->address - m->origin, end = offset + a->size_bytes;
    uint64_t page = align_up(offset, 4096), page_end = end / 4096 * 4096;
    if (page_end > page && madvise(m->base + page, page_end - page, MADV_DONTNEED) == 0) {
        memset(m->base + offset, 0, page - offset);
        memset(m->base + page_end, 0, end - page_end);
    } else {
        memset(m->base + offset, 0, end - offset);
    }
}

static void add(struct memory *m, uint64_t address, uint64_t size_bytes, const char *label)
{
    struct memory_allocation a = {.address = address, .size_bytes = size_bytes, .serial = m->serial++};
    a.label = label ? heap_strdup(label) : NULL;
    size_t place = first_past(m, address);
    vec_push(&m->allocations, a);
    memmove(m->allocations.data + place + 1, m->allocations.data + place,
            (m->allocations.count - 1 - place) * sizeof a);
    m->allocations.data[place] = a;
    m->in_use_bytes += size_bytes;
    if (m->strays) zero(m, &a);
}

void memory_place(struct memory *m, uint64_t address, uint64_t size_bytes, const char *label)
{
    add(m, address, size_bytes, label);
}

bool memory_unplace(struct memory *m, uint64_t address)
{
    size_t past = first_past(m, address);
    struct memory_allocation *a = past ? &m->allocations.data[past - 1] : NULL;
    if (!a || a->address != address || a->freed) return false;
    m->in_use_bytes -= a->size_bytes;
    remove_freed(m, past - 1, 1);
    return true;
}

bool memory_overlaps(const struct memory *m, uint64_t address, uint64_t size_bytes)
{
    for (size_t k = first_past(m, address + size_bytes - 1); k-- > 0;) {
        const struct memory_allocation *a = &m->allocations.data[k];
        if (!a->freed) return a->address + a->size_bytes > address;
    }
    return false;
}

uint64_t memory_alloc(struct memory *m, uint64_t size_bytes, uint64_t align_bytes, const char *label)
{
    if (size_bytes > m->limit_bytes - m->in_use_bytes) return 0;
    if (align_bytes < ALIGN_LEAST) align_bytes = ALIGN_LEAST;
    if (!is_power_of_two(align_bytes) || align_bytes > MEMORY_LIMIT_MAX) return 0;
    uint64_t address = take_fresh(m, size_bytes, align_bytes);
    if (!address) address = take_hole(m, size_bytes, align_bytes);
    if (!address) return 0;
    add(m, address, size_bytes, label);
    return address;
}

static struct memory_allocation *allocation_at(const struct memory *m, uint64_t address)
{
    size_t past = first_past(m, address);
    return past ? &m->allocations.data[past - 1] : NULL;
}

bool memory_free(struct memory *m, uint64_t address)
{
    struct memory_allocation *a = allocation_at(m, address);
    if (!a || a->address != address || a->freed) return false;
    a->freed = true;
    m->in_use_bytes -= a->size_bytes;
    zero(m, a);
    return true;
}

const struct memory_allocation *memory_find(const struct memory *m, uint64_t address)
{
    const struct memory_allocation *a = allocation_at(m, address);
    return a && !a->freed && address - a->address < a->size_bytes ? a : NULL;
}

bool memory_was_freed(const struct memory *m, uint64_t address)
{
    const struct memory_allocation *a = allocation_at(m, address);
    return a && a->freed && address - a->address < a->size_bytes;
}

uint8_t *memory_host(const struct memory *m, uint64_t address, uint64_t size_bytes)
{
    const struct memory_allocation *a = allocation_at(m, address);
    if (!a || a->freed) return NULL;
    uint64_t offset = address - a->address;
    if (offset > a->size_bytes || a->size_bytes - offset < size_bytes) return NULL;
    return host_byte(m, address);
}

uint8_t *memory_mapped(const struct memory *m, uint64_t address, uint64_t size_bytes)
{
    uint64_t page = address / MEMORY_PAGE * MEMORY_PAGE, end = page + MEMORY_PAGE;
    if (!m->origin || address < MEMORY_HEAP || address + size_bytes > end || in_windows(page, end))
        return NULL;
    if (end - MEMORY_HEAP > m->reserved_bytes) return NULL;
    for (size_t k = first_past(m, end - 1); k-- > 0;) {
        const struct memory_allocation *a = &m->allocations.data[k];
        if (!a->freed && a->address + a->size_bytes > page) return host_byte(m, address);
        if (!a->freed) return NULL; // earlier allocations end sooner
    }
    return NULL;
}

void memory_expect_strays(struct memory *m) { m->strays = true; }

static void describe_allocation(const struct memory_allocation *a, struct strbuf *out)
{
    if (a->label)
        strbuf_puts(out, a->label);
    else
        strbuf_printf(out, "allocation %" PRIu32, a->serial);
    strbuf_printf(out, " (%" PRIu64 " bytes at 0x%" PRIx64 "%s)", a->size_bytes, a->address,
                  a->freed ? ", freed" : "");
}

static void describe_distance(uint64_t bytes, const char *where, struct strbuf *out)
{
    if (bytes)
        strbuf_printf(out, "%" PRIu64 " byte%s %s ", bytes, bytes == 1 ? "" : "s", where);
    else
        strbuf_printf(out, "just %s ", where);
}

void memory_describe(const struct memory *m, uint64_t address, struct strbuf *out)
{
    size_t past = first_past(m, address);
    const struct memory_allocation *before = past ? &m->allocations.data[past - 1] : NULL;
    const struct memory_allocation *after = past < m->allocations.count ? &m->allocations.data[past] : NULL;
    strbuf_printf(out, "0x%" PRIx64 " is ", address);
    bool windows = m->origin != 0; // the windows of a flat memory are described by its launch
    bool is_near = windows && after && address < MEMORY_HEAP && MEMORY_HEAP - address <= NEAR_HEAP;
    if (address >> 62 == 1) { // ISA_OUTSIDE_SURFACE plus an offset
        strbuf_puts(out, "what an access outside its surface has for an address (cudaBoundaryModeTrap)");
    } else if (address < (windows ? MEMORY_HEAP : 4096) && !is_near) {
        strbuf_puts(out, address < 4096 ? "a null pointer, or a null pointer plus a small offset"
                                        : "below all device memory");
    } else if (windows && address >= ISA_SHARED_WINDOW && address < ISA_LOCAL_WINDOW) {
        strbuf_puts(out, "in the window of shared memory, not in global memory");
    } else if (windows && address >= ISA_LOCAL_WINDOW && address < MEMORY_WINDOWS_END) {
        strbuf_puts(out, "in the window of local memory, not in global memory");
    } else if (!before && !after) {
        strbuf_puts(out, "outside every allocation: no memory is allocated");
    } else if (before && address - before->address < before->size_bytes) {
        strbuf_printf(out, "%" PRIu64 " bytes into ", address - before->address);
        describe_allocation(before, out);
    } else {
        uint64_t beyond = before ? address - before->address - before->size_bytes : UINT64_MAX;
        uint64_t short_of = after ? after->address - address : UINT64_MAX;
        bool use_before = beyond <= short_of;
        if (use_before)
            describe_distance(beyond, "past the end of", out);
        else
            describe_distance(short_of, "before the start of", out);
        describe_allocation(use_before ? before : after, out);
    }
}

uint64_t memory_in_use(const struct memory *m) { return m->in_use_bytes; }

const struct memory_allocation *memory_allocation_at(const struct memory *m, size_t index)
{
    return index < m->allocations.count ? &m->allocations.data[index] : NULL;
}

uint64_t memory_hash(const struct memory *m)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < m->allocations.count; i++) {
        const struct memory_allocation *a = &m->allocations.data[i];
        if (a->freed) continue;
        hash = hash_bytes(host_byte(m, a->address), a->size_bytes, hash_u64(hash ^ a->address));
    }
    return hash;
}
