// Programs whose warps wait for memory that nobody writes, and programs that seem to.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum spinner_end {
    SPINNER_ENDS,   // late, maybe
    SPINNER_STALLS, // never ends, which the warps' states show
    SPINNER_WAITS,  // ends after a time-out that is longer than any test's patience
};

struct spinner { // c[0x0][0x160] is a buffer of 256 bytes, all zeros
    const char *what;
    const char *settings; // of a GPU; "simt=splits": of the launch
    const char *text;
    uint32_t threads, blocks;
};

const struct spinner *spinner_at(enum spinner_end e, size_t index); // NULL: there are no more
