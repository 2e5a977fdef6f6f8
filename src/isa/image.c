// Images: looking up names and addresses.
#include "isa/image.h"

#include <stdlib.h>
#include <string.h>

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

void image_print_line(const struct image *i, uint64_t address, struct strbuf *out)
{
    uint64_t word = (address - i->code) / 4;
    uint32_t place = i->line_count && address >= i->code && word < i->word_count ? i->line_of[word] : 0;
    if (!place) return;
    const char *path = i->files[i->lines[place].file], *slash = strrchr(path, '/');
    strbuf_printf(out, "%s:%u", slash ? slash + 1 : path, i->lines[place].line);
}

void image_free(struct image *i)
{
    if (!i) return;
    arena_fini(&i->arena);
    free(i);
}
