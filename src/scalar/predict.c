#include "scalar/predict.h"
#include "base/arena.h"

#include <stdlib.h>

void scalar_table_init(struct scalar_table *p, uint32_t words)
{
    *p = (struct scalar_table){.bits = heap_alloc((words / 64 + 1) * sizeof *p->bits), .words = words};
}

void scalar_table_fini(struct scalar_table *p) { free(p->bits); }
