#include "profile/sources.h"
#include "base/file.h"
#include "report/fields.h"

#include <string.h>

enum {
    ROWS_MANY = 5000,  // with more rows, rows with less than this part of the slots have no text
    LINES_MOST = 2000, // lines shown from the first to the last of a file
    AROUND = 2         // lines shown around a named line
};

struct source {
    char *name;       // heap
    VEC(char) marked; // by line: shown
    size_t first, last;
};

struct sources {
    VEC(struct source) list;
};

static struct source *source_named(struct sources *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (strlen(s->list.data[i].name) == length && memcmp(s->list.data[i].name, name, length) == 0)
            return &s->list.data[i];
    vec_push(&s->list, (struct source){.name = heap_strndup(name, length), .first = SIZE_MAX});
    return &vec_last(&s->list);
}

static void mark(struct source *s, size_t line)
{
    enum { LONGEST = 1 << 22 };
    if (line > LONGEST) return;
    while (s->marked.count <= line + AROUND) vec_push(&s->marked, 0);
    for (size_t k = line > AROUND ? line - AROUND : 1; k <= line + AROUND; k++) s->marked.data[k] = 1;
    if (line < s->first) s->first = line;
    if (line > s->last) s->last = line;
}

// Marks the lines of a text such as "a.cu:12 (inlined at b.cu:3), b.cu:7".
static void mark_all(struct sources *s, const char *text)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",()"), name = length;
        while (name && at[name - 1] != ':') name--;
        uint64_t line;
        char *digits = heap_strndup(at + name, length - name);
        const char *end = strchr(digits, ' ');
        if (end) digits[end - digits] = 0;
        const char *begin = at;
        if (str_starts_with(begin, "inlined at ")) begin += strlen("inlined at ");
        if (name > 1 && str_to_u64(digits, &line))
            mark(source_named(s, begin, (size_t)(at + name - 1 - begin)), (size_t)line);
        free(digits);
        at += length;
        at += strspn(at, ",() ");
    }
}

// -- files ----------------------------------------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The path in the folder of `beside`; heap.
static char *path_beside(const char *beside, const char *path)
{
    struct strbuf text = {0};
    if (*path != '/') strbuf_write(&text, beside, (size_t)(base_name(beside) - beside));
    strbuf_puts(&text, path);
    return text.text;
}

// The text at the path or beside the module; *found: the path, heap. NULL: absent.
static char *read_at(const char *module, const char *path, char **found)
{
    char *places[] = {heap_strdup(path), path_beside(module, path), path_beside(module, base_name(path))},
         *text = NULL;
    const char *why;
    size_t length;
    for (size_t i = 0; i < 3; i++) {
        if (!text && file_is_regular(places[i]) && file_read(places[i], &text, &length, &why))
            *found = places[i];
        else
            free(places[i]);
    }
    return text;
}

// A path with the name that the PTX text gives to a file; heap. NULL: absent.
static char *named_path(const char *ptx, const char *name)
{
    for (const char *at = ptx; (at = strstr(at, ".file")) != NULL; at++) {
        const char *quote = at + strcspn(at, "\"\n"), *end;
        if (*quote != '"' || (end = strchr(quote + 1, '"')) == NULL) continue;
        char *path = heap_strndup(quote + 1, (size_t)(end - quote - 1));
        if (str_equal(base_name(path), name)) return path;
        free(path);
    }
    return NULL;
}

static char *find_source(const char *name, const char *const *modules, size_t count, char **found)
{
    for (size_t i = 0; i < count; i++) {
        char *ptx, *text = NULL, *path;
        size_t length;
        const char *why;
        if (str_equal(base_name(modules[i]), name)) return read_at(modules[i], modules[i], found);
        if (!file_read(modules[i], &ptx, &length, &why)) continue;
        if ((path = named_path(ptx, name)) != NULL) text = read_at(modules[i], path, found);
        free(path);
        free(ptx);
        if (text) return text;
    }
    return NULL;
}

// -- output ---------------------------------------------------------------------------------------------------------

static void write_line(struct json *j, size_t number, const char *text, size_t length)
{
    char *copy = heap_strndup(text, length);
    json_open_array(j);
    json_u64(j, number);
    json_string(j, copy);
    json_close_array(j);
    free(copy);
}

static void write_lines(const struct source *s, const char *text, struct json *j)
{
    bool is_short = s->last - s->first < LINES_MOST;
    size_t number = 1;
    for (const char *at = text; at && *at; number++) {
        size_t length = strcspn(at, "\r\n");
        bool is_inside = is_short && number + AROUND >= s->first && number <= s->last + AROUND;
        if (is_inside || (number < s->marked.count && s->marked.data[number]))
            write_line(j, number, at, length);
        at += length;
        at += *at == '\r';
        at += *at == '\n';
    }
}

void sources_write(const struct facts *f, const struct source_files *files, struct json *j)
{
    struct sources s = {0};
    double least = f->rows.count > ROWS_MANY ? f->slots / ROWS_MANY : 0;
    for (size_t i = 0; i < f->rows.count; i++)
        if (facts_row_slots(&f->rows.data[i]) >= least) mark_all(&s, f->rows.data[i].lines);
    json_open_array(j);
    for (size_t i = 0; i < s.list.count; i++) {
        char *path = NULL,
             *text = find_source(s.list.data[i].name, files->modules, files->module_count, &path);
        if (!text && files->name && str_equal(files->name, s.list.data[i].name))
            text = heap_strdup(files->text);
        json_open_object(j);
        report_text(j, "name", s.list.data[i].name);
        report_text(j, "path", path);
        json_key(j, "lines");
        json_open_array(j);
        if (text) write_lines(&s.list.data[i], text, j);
        json_close_array(j);
        json_close_object(j);
        free(path);
        free(text);
        free(s.list.data[i].name);
        vec_fini(&s.list.data[i].marked);
    }
    json_close_array(j);
    vec_fini(&s.list);
}
