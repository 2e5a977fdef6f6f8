// A row of set `clocks` is a launch measured at several clocks: one point for each word of column `clocks`.
//
//     clocks     1680/2900/5800 2080/3650/7300    core and DRAM clock as in settings, and further parts
//     settings   gpu.core_mhz={1} dram.mhz={2}    {1}, {2}, … are parts of a word of `clocks`
//     elsewhere  x.csv?core={1}&memory={3}#ms
#include "silicon/point_row.h"

#include <string.h>

enum { PARTS = 4 };

// Replaces every "{N}" in `text` by the text of part N (1 is the first). NULL: no such part, or a "{" of
// another form.
static const char *fill_in(struct arena *a, const char *text, const char *const parts[PARTS], size_t count)
{
    struct strbuf out = {0};
    bool good = true;
    for (; *text && good; text++) {
        if (*text != '{') {
            strbuf_putc(&out, *text);
            continue;
        }
        size_t n = (size_t)(text[1] - '1');
        good = text[1] >= '1' && n < count && text[2] == '}';
        if (good) strbuf_puts(&out, parts[n]);
        text += good ? 2 : 0;
    }
    const char *filled = good ? arena_strndup(a, strbuf_text(&out), out.length) : NULL;
    strbuf_fini(&out);
    return filled;
}

// Makes the point of one word of column `clocks`. NULL: good; otherwise the error, a static text.
static const char *make(struct arena *a, const struct point *row, char *word, struct point *p)
{
    const char *parts[PARTS] = {0};
    size_t count = 0;
    while (word && count < PARTS) parts[count++] = strsep(&word, "/");
    *p = *row;
    p->series = row->name;
    if (count < 2 || word || !str_to_f64(parts[0], &p->core_mhz) || !str_to_f64(parts[1], &p->dram_mhz) ||
        !(p->core_mhz > 0) || !(p->dram_mhz > 0))
        return "clocks are CORE/DRAM words, in MHz, with up to two further parts";
    p->name = arena_printf(a, "%s-%s-%s", row->name, parts[0], parts[1]);
    p->settings = fill_in(a, row->settings, parts, count);
    p->elsewhere = fill_in(a, row->elsewhere, parts, count);
    return p->settings && p->elsewhere
               ? NULL
               : "{1} to {4} are parts of the clocks' words; the words have fewer parts";
}

const char *point_at_clocks(struct arena *a, const struct point *row, const char *clocks, point_made *made,
                            void *context)
{
    char *copy = heap_strdup(clocks), *rest = copy;
    const char *wrong = *clocks ? NULL : "of set clocks, and without clocks";
    for (char *word; !wrong && (word = strsep(&rest, " ")) != NULL;) {
        struct point p;
        if (!*word) continue;
        wrong = make(a, row, word, &p);
        if (!wrong) made(context, &p);
    }
    free(copy);
    return wrong;
}
