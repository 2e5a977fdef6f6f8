// Global memory of a simulated device: flat bytes behind device addresses, with allocations that know their
// bounds.
//
//   0x0000_0000  never mapped: null and small integers fault
//   0x1000_0000  heap: allocations, each followed by a gap of at least 256 unallocated bytes
//   0xfe00_0000  window of a block's shared memory in generic addresses   (MEMORY_SHARED_WINDOW, 16 MiB)
//   0xff00_0000  window of a thread's local memory in generic addresses   (MEMORY_LOCAL_WINDOW, 16 MiB)
//   0x1_0000_0000 heap again, when the configured size is beyond 32 bits
//
// The whole heap is one reserved host mapping, so that host address = base + device address - MEMORY_HEAP for
// any address below the limit, and lanes can be gathered with one base register. Pages are zero until
// written.
#pragma once
#include "base/str.h"
#include "base/vec.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_HEAP          0x10000000ull
#define MEMORY_SHARED_WINDOW ((uint64_t)ISA_SHARED_WINDOW)
#define MEMORY_LOCAL_WINDOW  ((uint64_t)ISA_LOCAL_WINDOW)
#define MEMORY_WINDOWS_END   0x100000000ull
#define MEMORY_LIMIT_MAX     (64ull << 30)

struct memory_allocation {
    uint64_t address, size_bytes;
    const char *label; // "argument 2", "variable table" … owned by the memory
    uint32_t serial;   // in order of allocation
    bool freed;
};

struct memory;

struct memory *memory_create(uint64_t limit_bytes); // total that may be allocated at once
// The machine of launch_flat: 4 GiB from address 0, of which only what is placed may be used; or NULL, the host has not
// as much address space.
struct memory *memory_create_flat(void);
void memory_place(struct memory *m, uint64_t address, uint64_t size_bytes,
                  const char *label);         // beside all others
uint8_t *memory_flat(const struct memory *m); // host byte of its address 0
void memory_destroy(struct memory *m);

// Device address of `size_bytes` zeroed bytes (0-byte requests get a valid, empty allocation), aligned to
// `align_bytes` (a power of two, at least 256 is used). 0 when the limit is exceeded. Addresses depend only
// on the sequence of calls.
uint64_t memory_alloc(struct memory *m, uint64_t size_bytes, uint64_t align_bytes, const char *label);
bool memory_free(struct memory *m, uint64_t address); // false: not the start of a live allocation

// Host bytes of [address, address + size) when all of it lies in one live allocation, else NULL.
uint8_t *memory_host(const struct memory *m, uint64_t address, uint64_t size_bytes);
// Host bytes of [address, address + size), which do not cross a page, when a live allocation has a part of
// their page: what CUDA maps, and a GPU therefore lets pass. NULL otherwise. Pages are CUDA's granule of
// virtual memory (cuMemGetAllocationGranularity on Linux).
enum { MEMORY_PAGE = 2 << 20 };
uint8_t *memory_mapped(const struct memory *m, uint64_t address, uint64_t size_bytes);
// From now on something may be written outside of allocations, so new ones are zeroed wherever they are.
void memory_expect_strays(struct memory *m);
// The live allocation holding the address, or NULL.
const struct memory_allocation *memory_find(const struct memory *m, uint64_t address);
// "0x10000404 is 4 bytes past the end of argument 0 (1024 bytes at 0x10000000)" and the like, for reports.
void memory_describe(const struct memory *m, uint64_t address, struct strbuf *out);
uint64_t memory_in_use(const struct memory *m);
uint64_t memory_hash(const struct memory *m); // of every live allocation's bytes, in order of address
