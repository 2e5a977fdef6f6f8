// Global memory of a simulated device: flat bytes behind device addresses, and allocations with bounds.
//
//   0x0000_0000  never mapped: null and small integers fault
//   0x1000_0000  heap: allocations, each followed by a gap of at least 256 unallocated bytes
//   0xfe00_0000  window of a block's shared memory in generic addresses   (ISA_SHARED_WINDOW, 16 MiB)
//   0xff00_0000  window of a thread's local memory in generic addresses   (ISA_LOCAL_WINDOW, 16 MiB)
//   0x1_0000_0000 heap continued, when the configured size is beyond 32 bits
//
// The whole heap is one reserved host mapping: host address = base + device address - MEMORY_HEAP for any
// address of the heap, and lanes can be gathered with one base register. Pages are zero until written.
#pragma once
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_HEAP        0x10000000ull
#define MEMORY_WINDOWS_END 0x100000000ull
#define MEMORY_LIMIT_MAX   (64ull << 30)

struct memory_allocation {
    uint64_t address, size_bytes;
    const char *label; // "argument 2", "variable table" … owned by the memory
    uint32_t serial;   // number in order of allocation
    bool freed;
};

struct memory;

struct memory *memory_create(uint64_t limit_bytes); // limit on the sum of live allocations
// Memory whose device addresses are host addresses, from 4 GiB on. NULL: the host's addresses there are taken.
struct memory *memory_create_shared(uint64_t limit_bytes);
// The memory of launch_flat: 4 GiB from address 0, usable only where allocations are placed. NULL: the host
// has too little address space.
struct memory *memory_create_flat(void);
// Adds an allocation at a given address. The caller makes sure that allocations do not overlap.
void memory_place(struct memory *m, uint64_t address, uint64_t size_bytes, const char *label);
// Forgets a placed allocation without touching the bytes. False: not the start of a live allocation.
bool memory_unplace(struct memory *m, uint64_t address);
// Whether a live allocation overlaps [address, address + size).
bool memory_overlaps(const struct memory *m, uint64_t address, uint64_t size_bytes);
uint8_t *memory_flat(const struct memory *m); // host byte of address 0
void memory_destroy(struct memory *m);

// Returns the device address of `size_bytes` zeroed bytes, aligned to `align_bytes`, a power of two (at least
// 256 is used). A request of 0 bytes gets a valid, empty allocation. Result 0: over the limit, no range of
// addresses left, or an invalid alignment. Addresses depend only on the sequence of calls.
uint64_t memory_alloc(struct memory *m, uint64_t size_bytes, uint64_t align_bytes, const char *label);
bool memory_free(struct memory *m, uint64_t address); // false: not the start of a live allocation

// Host bytes of [address, address + size) inside one live allocation, else NULL.
uint8_t *memory_host(const struct memory *m, uint64_t address, uint64_t size_bytes);
// Host bytes of [address, address + size), within one page, if a live allocation has a part of the page. CUDA
// maps whole pages, so a GPU tolerates the access. NULL otherwise. A page is CUDA's granule of virtual memory
// (cuMemGetAllocationGranularity on Linux).
enum { MEMORY_PAGE = 2 << 20 };
uint8_t *memory_mapped(const struct memory *m, uint64_t address, uint64_t size_bytes);
// Stray writes outside of allocations are possible from now on, so every new allocation is zeroed.
void memory_expect_strays(struct memory *m);
// The live allocation with the address, or NULL.
const struct memory_allocation *memory_find(const struct memory *m, uint64_t address);
bool memory_was_freed(const struct memory *m, uint64_t address); // inside an allocation that is freed
// Appends for reports: "0x10000404 is 4 bytes past the end of argument 0 (1024 bytes at 0x10000000)" and
// similar.
void memory_describe(const struct memory *m, uint64_t address, struct strbuf *out);
uint64_t memory_in_use(const struct memory *m);
// Allocation number `index` in order of address, live or freed; NULL past the last.
const struct memory_allocation *memory_allocation_at(const struct memory *m, size_t index);
// Hash of the addresses and bytes of all live allocations, in order of address.
uint64_t memory_hash(const struct memory *m);
