#include "cluster/result.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 27 }; // "\nchecksum 0123456789abcdef\n"

static void make_line(char line[LINE + 1], const char *id, const char *bytes, size_t length)
{
    uint64_t sum = hash_bytes(bytes, length, hash_bytes(id, strlen(id), length));
    snprintf(line, LINE + 1, "\nchecksum %016" PRIx64 "\n", sum);
}

bool result_seal(const char *path, const char *id)
{
    char *bytes, line[LINE + 1];
    size_t length;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) return false;
    make_line(line, id, bytes, length);
    free(bytes);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    bool good = file >= 0 && write(file, line, LINE) == LINE;
    int problem = good ? 0 : errno;
    if (file >= 0 && close(file) != 0 && good) {
        problem = errno;
        good = false;
    }
    errno = problem;
    return good;
}

bool result_write(const char *path, const char *id, const char *text, const char **why)
{
    char line[LINE + 1];
    struct strbuf all = {0};
    make_line(line, id, text, strlen(text));
    strbuf_puts(&all, text);
    strbuf_puts(&all, line);
    bool good = file_write(path, all.text, all.length, why);
    strbuf_fini(&all);
    return good;
}

enum result_state result_read(const char *path, const char *id, char **bytes, size_t *length)
{
    char line[LINE + 1];
    const char *why;
    *length = 0;
    if (!file_read(path, bytes, length, &why)) {
        *bytes = NULL;
        return RESULT_ABSENT;
    }
    size_t rest = *length < LINE ? 0 : *length - LINE;
    make_line(line, id, *bytes, rest);
    if (*length >= LINE && memcmp(*bytes + rest, line, LINE) == 0) {
        (*bytes)[ *length = rest] = 0;
        return RESULT_GOOD;
    }
    free(*bytes);
    *bytes = NULL;
    return RESULT_BROKEN;
}
