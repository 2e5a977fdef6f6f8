#include "harness/files.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

char *test_read_file(struct test *t, const char *path, size_t *length)
{
    char *bytes = NULL;
    size_t count = 0;
    const char *why = "";
    bool good = file_read(path, &bytes, &count, &why);
    CHECK_MSG(t, good, "%s: %s", path, why);
    if (length) *length = good ? count : 0;
    return good ? bytes : heap_strdup("");
}

void test_write_file(struct test *t, const char *path, const void *bytes, size_t length)
{
    const char *why = "";
    CHECK_MSG(t, file_write(path, bytes, length, &why), "%s: %s", path, why);
}

void test_write_text(struct test *t, const char *path, const char *text)
{
    test_write_file(t, path, text, strlen(text));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

unsigned test_each_file(struct test *t, const char *folder, const char *ending,
                        void (*visit)(struct test *t, const char *path))
{
    struct dirent **entries = NULL;
    unsigned visited = 0;
    int count = scandir(folder, &entries, NULL, by_name);
    CHECK_MSG(t, count >= 0, "%s: no such folder", folder);
    for (int i = 0; i < count; i++) {
        if (str_ends_with(entries[i]->d_name, ending)) {
            struct strbuf path = {0};
            strbuf_printf(&path, "%s/%s", folder, entries[i]->d_name);
            visit(t, strbuf_text(&path));
            strbuf_fini(&path);
            visited++;
        }
        free(entries[i]);
    }
    free(entries);
    return visited;
}
