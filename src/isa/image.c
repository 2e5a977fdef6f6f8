// Images: looking up names and addresses.
#include "isa/image.h"

#include <stdlib.h>

const struct image_symbol *image_symbol_at(const struct image *i, uint64_t address, bool is_code)
{
    const struct image_symbol *found = NULL;
    for (uint32_t k = 0; k < i->symbol_count && i->symbols[k].address <= address; k++)
        if (i->symbols[k].is_code == is_code) found = &i->symbols[k];
    return found;
}

const struct image_symbol *image_find(const struct image *i, const char *name)
{
    for (uint32_t k = 0; k < i->symbol_count; k++)
        if (str_equal(i->symbols[k].name, name)) return &i->symbols[k];
    return NULL;
}

void image_free(struct image *i)
{
    if (!i) return;
    arena_fini(&i->arena);
    free(i);
}
