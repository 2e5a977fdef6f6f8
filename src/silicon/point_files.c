// The files named in a point's script: the run needs the files, and its result depends on their content.
#include "base/packed.h"
#include "silicon/point.h"

#include <string.h>

struct walk {
    const struct point *point;
    point_file *tell;
    void *context;
    struct diag *diag;
};

// Turns "../ptx/x.ptx", a path in a script of points/, into "ptx/x.ptx". NULL: the path has no leading
// "../", or more than one.
static char *relative(const char *path)
{
    return str_starts_with(path, "../") && !strstr(path + 3, "../") ? heap_strdup(path + 3) : NULL;
}

// Reads a file, packed or not, in the folder of the point's own list. *text is on the heap. False and an
// error: not readable.
static bool read_own(const struct walk *w, const char *name, char **text, size_t *length)
{
    struct strbuf path = {0};
    const char *why;
    strbuf_printf(&path, "%s/%s", w->point->folder, name);
    bool good =
        packed_read_file(path.text, text, length, &why) ||
        diag_error(w->diag, loc_none(), "point %s: cannot read %s: %s", w->point->name, path.text, why);
    strbuf_fini(&path);
    return good;
}

static bool tell_file(const struct walk *w, const char *name)
{
    char *text = NULL;
    size_t length;
    bool good = w->point->folder
                    ? read_own(w, name, &text, &length)
                    : silicon_file(name, &text, &length) ||
                          diag_error(w->diag, loc_none(), "point %s: no silicon/%s", w->point->name, name);
    good = good && w->tell(w->context, name, text, length);
    free(text);
    return good;
}

// Tells the caller about the file at a path in the script, relative to the script. Skips absolute paths, and
// paths of embedded points that do not begin with a single "../".
static bool tell_path(const struct walk *w, const char *path)
{
    char *inside = *path == '/' ? NULL : relative(path);
    bool good = true;
    if (inside) {
        good = tell_file(w, inside);
    } else if (w->point->folder && *path != '/') {
        struct strbuf name = {0};
        strbuf_printf(&name, "points/%s", path);
        good = tell_file(w, name.text);
        strbuf_fini(&name);
    }
    free(inside);
    return good;
}

// The path in a word of a script, recognised by the previous word "load", or by ":file:" or "bytes=@" in the
// word; NULL: no path.
static const char *path_of(const char *before, const char *word)
{
    const char *file = strstr(word, ":file:"), *bytes = strstr(word, "bytes=@");
    if (str_equal(before, "load")) return word;
    if (file) return file + strlen(":file:");
    return bytes ? bytes + strlen("bytes=@") : NULL;
}

static bool tell_script(void *context, const char *name, const char *text, size_t length)
{
    const struct walk *w = context;
    bool good = w->tell(w->context, name, text, length);
    char *copy = heap_strndup(text, length), *lines = copy;
    for (char *line; good && (line = strsep(&lines, "\n")) != NULL;) {
        const char *before = "";
        for (char *word; good && (word = strsep(&line, " \t\r\"")) != NULL;) {
            if (*word == '#') break;
            if (!*word) continue;
            const char *path = path_of(before, word);
            if (path) good = tell_path(w, path);
            before = word;
        }
    }
    free(copy);
    return good;
}

bool point_files(const struct point *p, point_file *tell, void *context, struct diag *d)
{
    struct walk files = {p, tell, context, d}, script = {p, tell_script, &files, d};
    struct strbuf name = {0};
    strbuf_printf(&name, "points/%s.wf", p->script);
    bool good = tell_file(&script, name.text);
    strbuf_fini(&name);
    return good;
}
