// Memory of blocks that are over, kept for later blocks of any launch: giving it back to the system between launches and
// faulting it in again takes more time than a short launch.
#pragma once
#include "base/vec.h"

#include <stdint.h>

struct spare_memory {
    uint8_t *memory;
    size_t size_bytes;
};

struct exec_spare { // of one thread at a time; zero at first
    VEC(struct spare_memory) list;
};

void spare_fini(struct exec_spare *s);
// Memory of at least size_bytes, with any content. s NULL: of the heap.
struct spare_memory spare_take(struct exec_spare *s, size_t size_bytes);
void spare_give(struct exec_spare *s, struct spare_memory m);
