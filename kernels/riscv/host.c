// The host's half of simt.h: console, memory, launches.
#include "simt.h"

// The machine's shape. A loader that knows another one writes it here.
volatile struct {
    unsigned lanes, warps;
} simt_shape = {SIMT_LANES, SIMT_THREADS / SIMT_LANES};

unsigned host_lanes(void) { return simt_shape.lanes; }
unsigned host_threads(void) { return simt_shape.lanes * simt_shape.warps; }

#define CACHE_LINES      512
#define CACHE_LINE_BYTES 64

static void put(unsigned byte)
{
    while (!CSR_READ(0x802)) {}
    CSR_WRITE(0x803, byte);
}

void host_print(const char *text)
{
    for (; *text; text++) put((unsigned char)*text);
}

void host_print_number(unsigned value)
{
    char digits[11], *d = digits + 10;
    *d = 0;
    do *--d = (char)('0' + value % 10);
    while (value /= 10);
    host_print(d);
}

int host_is_small(void) { return !CSR_READ(0x804) || CSR_READ(0x805) != 0; }

extern char host_heap[]; // link.ld

void *host_alloc(size_t bytes)
{
    static char *next = host_heap;
    void *block = next;
    next += (bytes + 127) / 128 * 128;
    return block;
}

unsigned random_next(struct random *r)
{
    r->state = (r->state * 1664525u + 1013904223u) & 0x7fffffffu;
    return r->state >> 16;
}

static unsigned log2_of(unsigned power)
{
    unsigned n = 0;
    while (power >>= 1) n++;
    return n;
}

// The greatest power of two up to both.
static unsigned power_up_to(unsigned size, unsigned most)
{
    unsigned power = most;
    while (power > size) power /= 2;
    return power;
}

static void put_simt_ready(void)
{
    while (!CSR_READ(0x820)) {}
}

static __attribute__((noreturn)) void stop(void)
{
    put(0);
    for (;;) CSR_WRITE(0x801, 1);
}

// The device reads DRAM: all lines of the host's cache go there, and come from there again afterwards.
static void flush_cache(void)
{
    for (unsigned address = 0; address < CACHE_LINES * CACHE_LINE_BYTES; address += CACHE_LINE_BYTES) {
        register unsigned a0 __asm__("a0") = address;
        __asm__ volatile(".word 0x00050008" ::"r"(a0) : "memory");
    }
    __asm__ volatile("fence" ::: "memory");
}

void host_launch(void (*kernel)(void), struct simt_launch *launch, struct dim grid, struct dim block)
{
    unsigned threads = block.x * block.y;
    if (block.x & (block.x - 1) || block.y & (block.y - 1) || threads < host_lanes() || threads > host_threads()) {
        host_print("blocks have a warp of threads to all of the machine, dimensions are powers of two\n");
        stop();
    }
    launch->grid = grid;
    launch->block = block;
    launch->x_mask = block.x - 1;
    launch->x_shift = log2_of(block.x);
    launch->y_mask = block.y - 1;
    launch->block_shift = log2_of(threads);
    // Blocks at once: as many as there is room for, side by side in the grid's x, then in its y.
    unsigned places = host_threads() / threads;
    launch->columns = power_up_to(grid.x, places);
    launch->rows = places / launch->columns;
    launch->column_mask = launch->columns - 1;
    launch->row_shift = log2_of(launch->columns);
    launch->shared_bytes = SCRATCHPAD_BYTES / places;
    put_simt_ready();
    CSR_WRITE(0x827, threads / host_lanes());
    put_simt_ready();
    CSR_WRITE(0x826, launch);
    flush_cache();
    put_simt_ready();
    CSR_WRITE(0x823, kernel);
    while (!CSR_READ(0x824)) {}
    unsigned code = CSR_READ(0x825);
    if (code != 0) {
        host_print("kernel failed with code ");
        host_print_number(code);
        host_print("\n");
        stop();
    }
}

int host_report_passed(const char *name, unsigned size)
{
    host_print(name);
    host_print(" ");
    host_print_number(size);
    host_print(": self test passed\n");
    return 0;
}

int host_report_wrong(const char *name, unsigned index, unsigned got, unsigned want)
{
    host_print(name);
    host_print(": self test FAILED at ");
    host_print_number(index);
    host_print(": ");
    host_print_number(got);
    host_print(", not ");
    host_print_number(want);
    host_print("\n");
    return 1;
}

// What the compiler calls for copies that it does not write out: of structs, whole words.
void *memcpy(void *to, const void *from, size_t bytes)
{
    char *t = to;
    const char *f = from;
    if (((uintptr_t)to & 3) == 0 && ((uintptr_t)from & 3) == 0)
        for (; bytes >= 4; bytes -= 4, t += 4, f += 4) *(unsigned *)t = *(const unsigned *)f;
    for (; bytes; bytes--) *t++ = *f++;
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    for (char *t = to; bytes; bytes--) *t++ = (char)value;
    return to;
}
