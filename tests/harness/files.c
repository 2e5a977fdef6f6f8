#include "harness/files.h"
#include "base/arena.h"
#include "base/file.h"

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
