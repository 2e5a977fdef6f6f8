// Reading and atomically replacing whole files. The texts behind *why come from strerror's static table.
#include "base/file.h"
#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_read(const char *path, char **bytes, size_t *length, const char **why)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        *why = strerror(errno);
        return false;
    }
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        *why = "is a directory";
        return false;
    }
    size_t capacity = 64 * 1024, count = 0, got;
    char *data = heap_alloc(capacity);
    while ((got = fread(data + count, 1, capacity - 1 - count, f)) > 0) {
        count += got;
        if (count == capacity - 1) data = heap_resize(data, capacity *= 2);
    }
    if (ferror(f)) {
        *why = strerror(errno);
        fclose(f);
        free(data);
        return false;
    }
    fclose(f);
    data[count] = 0;
    *bytes = data;
    *length = count;
    return true;
}

// A device or pipe (/dev/null, /dev/stdout) cannot be replaced by a rename: it is written in place.
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool file_can_write(const char *path, const char **why)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            *why = "is a directory";
            return false;
        }
        if (access(path, W_OK) == 0) return true;
        *why = strerror(errno);
        return false;
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool ok = *path && access(folder, W_OK | X_OK) == 0;
    if (!ok) *why = *path ? strerror(errno) : "no name";
    free(folder);
    return ok;
}

bool file_stage(const char *path, const void *bytes, size_t length, char **temporary, const char **why)
{
    if (!file_can_write(path, why)) return false;
    bool in_place = is_special(path);
    size_t path_length = strlen(path);
    char *name = heap_alloc(path_length + 32);
    if (in_place)
        memcpy(name, path, path_length + 1);
    else
        snprintf(name, path_length + 32, "%s.%ld.part", path, (long)getpid());
    FILE *f = fopen(name, "wb");
    bool ok = f != NULL;
    if (!ok) *why = strerror(errno);
    if (ok && length && fwrite(bytes, 1, length, f) != length) {
        *why = strerror(errno);
        ok = false;
    }
    if (f && fclose(f) != 0 && ok) {
        *why = strerror(errno);
        ok = false;
    }
    if (ok)
        *temporary = name;
    else if (f)
        file_abandon(name, path);
    else
        free(name);
    return ok;
}

void file_abandon(char *temporary, const char *path)
{
    if (!str_equal(temporary, path)) unlink(temporary);
    free(temporary);
}

bool file_commit(char *temporary, const char *path, const char **why)
{
    bool ok = str_equal(temporary, path) || rename(temporary, path) == 0;
    if (!ok) {
        *why = strerror(errno);
        unlink(temporary);
    }
    free(temporary);
    return ok;
}

bool file_write(const char *path, const void *bytes, size_t length, const char **why)
{
    char *temporary;
    return file_stage(path, bytes, length, &temporary, why) && file_commit(temporary, path, why);
}

bool file_takes_colour(int descriptor)
{
    const char *never = getenv("NO_COLOR");
    return isatty(descriptor) && !(never && *never);
}
