// Programs whose warps wait for memory never written, and programs that only seem to.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum spinner_end {
    SPINNER_ENDS,   // late, maybe
    SPINNER_STALLS, // never ends, as shown by the warps' states
    SPINNER_WAITS,  // ends after a time-out longer than any test's patience
};

struct spinner { // c[0x0][0x160] is a buffer of 256 bytes, zero-filled
    const char *what;
    const char *settings; // of a GPU; "simt=splits": of the launch
    const char *text;
    uint32_t threads, blocks;
};

const struct spinner *spinner_at(enum spinner_end e, size_t index); // NULL: index past the end
