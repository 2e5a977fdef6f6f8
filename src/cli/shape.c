#include "cli/shape.h"

#include <stdlib.h>
#include <string.h>

bool shape_parse(const char *what, const char *text, uint32_t shape[3], struct loc loc, struct diag *d)
{
    char *copy = heap_strdup(text), *next = copy;
    unsigned count = 0;
    bool ok = true;
    shape[1] = shape[2] = 1;
    while (next && ok) {
        char *comma = strchr(next, ',');
        if (comma) *comma++ = 0;
        uint64_t n = 0;
        ok = count < 3 && str_to_u64(next, &n) && n <= UINT32_MAX;
        if (ok) shape[count++] = (uint32_t)n;
        next = comma;
    }
    free(copy);
    return ok || diag_error(d, loc, "%s %s: must be X[,Y[,Z]], whole numbers", what, text);
}
