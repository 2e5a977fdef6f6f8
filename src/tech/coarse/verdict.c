// Verdicts on kernels by name, found by a locality study: "NAME:LINES/NAME:LINES". LINES 1: the kernel is
// fine-grained, no neighbours are brought.
#include "tech/coarse/coarse.h"

#include <string.h>

struct verdict {
    const char *name;
    size_t length; // of the name
    enum coarse_lines lines;
};

static bool read_lines(const char *text, size_t length, enum coarse_lines *lines)
{
    static const char digits[] = {[LINES_1] = '1', [LINES_2] = '2', [LINES_4] = '4'};
    for (unsigned k = 0; k < sizeof digits; k++)
        if (length == 1 && *text == digits[k]) {
            *lines = (enum coarse_lines)k;
            return true;
        }
    return false;
}

// Parses the first verdict of the non-empty text *rest and moves *rest behind the verdict. False: bad syntax.
static bool take(const char **rest, struct verdict *v)
{
    size_t length = strcspn(*rest, "/"), name = strcspn(*rest, ":/");
    const char *lines = *rest + name + 1;
    *v = (struct verdict){.name = *rest, .length = name};
    if (!name || name == length || !read_lines(lines, length - name - 1, &v->lines)) return false;
    *rest += length;
    if (**rest) ++*rest;
    return true;
}

const char *coarse_wrong(const void *options)
{
    const char *rest = ((const struct coarse_options *)options)->kernels;
    struct verdict v;
    while (*rest)
        if (!take(&rest, &v))
            return "kernels of coarse is NAME:LINES/NAME:LINES, where LINES is 1, 2 or 4 lines together";
    return NULL;
}

unsigned coarse_lines(const struct coarse_options *o, const char *kernel, bool *is_named)
{
    const char *rest = o->kernels;
    struct verdict v;
    while (*rest && take(&rest, &v))
        if ((*is_named = strlen(kernel) == v.length && memcmp(kernel, v.name, v.length) == 0))
            return 1u << v.lines;
    *is_named = false;
    return 1u << o->lines;
}
