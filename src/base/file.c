// Reads and atomically replaces whole files. *why points to a static text, often of strerror.
#include "base/file.h"
#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Initial buffer size, at least 64 KiB: a regular file's size, capped at `most`. For a pipe or device, a
// `most` above that of file_read is reserved whole, so that a limit beyond the memory fails before the first
// byte is read.
static size_t first_capacity(const struct stat *st, size_t most)
{
    size_t size = S_ISREG(st->st_mode) ? (size_t)st->st_size : most > FILE_TEXT_MOST + 1 ? most : 0;
    if (size > most) size = most;
    return size < 64 * 1024 - 2 ? 64 * 1024 : size + 2; // + 2: a byte to detect the end of file, and the NUL
}

static bool read_stream(FILE *f, size_t most, char **bytes, size_t *length, const char **why)
{
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        *why = "is a directory";
        return false;
    }
    size_t capacity = first_capacity(&st, most), count = 0, got;
    char *data = heap_try(capacity);
    while (data && count < most) {
        size_t room = capacity - 1 - count;
        got = fread(data + count, 1, room < most - count ? room : most - count, f);
        if (!got) break;
        count += got;
        if (count < capacity - 1) continue;
        char *grown = heap_try_resize(data, capacity *= 2);
        if (!grown) free(data);
        data = grown;
    }
    if (!data || ferror(f)) {
        *why = data ? strerror(errno) : "not enough memory for the file";
        free(data);
        return false;
    }
    data[count] = 0;
    *bytes = data;
    *length = count;
    return true;
}

bool file_read_up_to(const char *path, size_t most, char **bytes, size_t *length, const char **why)
{
    FILE *f = fopen(path, "rbe");
    if (!f) {
        *why = strerror(errno);
        return false;
    }
    bool ok = read_stream(f, most, bytes, length, why);
    fclose(f);
    return ok;
}

bool file_read(const char *path, char **bytes, size_t *length, const char **why)
{
    if (!file_read_up_to(path, (size_t)FILE_TEXT_MOST + 1, bytes, length, why)) return false;
    if (*length <= FILE_TEXT_MOST) return true;
    free(*bytes);
    *why = "has more than 256 MiB";
    return false;
}

bool file_can_read(const char *path, const char **why)
{
    struct stat st;
    bool is_there = stat(path, &st) == 0 && access(path, R_OK) == 0;
    if (!is_there)
        *why = strerror(errno);
    else if (S_ISDIR(st.st_mode))
        *why = "is a directory";
    else
        return true;
    return false;
}

bool file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_is_stream(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

char *file_target(const char *path)
{
    enum { LINKS_MOST = 40 };
    char *at = heap_strdup(path), to[PATH_MAX];
    for (unsigned n = 0; n < LINKS_MOST; n++) {
        ssize_t length = readlink(at, to, sizeof to - 1);
        if (length <= 0) break;
        to[length] = 0;
        char *slash = strrchr(at, '/');
        struct strbuf next = {0};
        if (*to != '/' && slash) strbuf_write(&next, at, (size_t)(slash - at) + 1);
        strbuf_puts(&next, to);
        free(at);
        at = next.text;
    }
    return at;
}

// Whether the folder of the path's target takes new files; false sets errno.
static bool can_create_in_folder(const char *path)
{
    char *folder = file_target(path), *slash = strrchr(folder, '/');
    if (slash) slash[1] = 0;
    bool ok = *path && access(slash ? folder : ".", W_OK | X_OK) == 0;
    free(folder);
    return ok;
}

bool file_can_write(const char *path, const char **why)
{
    struct stat st;
    bool is_there = stat(path, &st) == 0;
    if (is_there && S_ISDIR(st.st_mode)) {
        *why = "is a directory";
        return false;
    }
    if (is_there && access(path, W_OK) != 0) {
        *why = strerror(errno);
        return false;
    }
    if (file_is_stream(path)) return true; // written in place
    if (can_create_in_folder(path)) return true;
    *why = !*path     ? "no name"
           : is_there ? "a new file must replace the old file, and the folder takes no new file"
                      : strerror(errno);
    return false;
}

// Follows symbolic links from the path to the target, a file "out". Returns "out.1234.part" (1234: process
// number), followed after its NUL by "out". The caller frees the text.
char *file_temporary(const char *path)
{
    char *target = file_target(path);
    size_t length = strlen(target), room = 2 * length + 32;
    char *name = heap_alloc(room);
    int written = snprintf(name, room, "%s.%ld.part", target, (long)getpid());
    memcpy(name + written + 1, target, length + 1);
    free(target);
    return name;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_file(const char *path, int flags, const void *bytes, size_t length, const char **why)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    bool ok = file >= 0 && write_all(file, bytes, length);
    if (!ok) *why = strerror(errno);
    if (file >= 0 && close(file) != 0 && ok) {
        *why = strerror(errno);
        ok = false;
    }
    return ok;
}

// Writes the temporary file. An existing file was left by a killed process, and is removed. False sets *why
// and leaves no temporary file.
bool file_stage(const char *temporary, const void *bytes, size_t length, const char **why)
{
    unlink(temporary);
    bool ok = write_file(temporary, O_EXCL, bytes, length, why);
    if (!ok) unlink(temporary);
    return ok;
}

void file_abandon(const char *temporary) { unlink(temporary); }

bool file_commit(const char *temporary, const char **why)
{
    bool ok = rename(temporary, temporary + strlen(temporary) + 1) == 0;
    if (!ok) {
        *why = strerror(errno);
        unlink(temporary);
    }
    return ok;
}

bool file_write_stream(const char *path, const void *bytes, size_t length, const char **why)
{
    return write_file(path, 0, bytes, length, why);
}

bool file_write(const char *path, const void *bytes, size_t length, const char **why)
{
    if (file_is_stream(path)) return file_write_stream(path, bytes, length, why);
    if (!file_can_write(path, why)) return false;
    char *temporary = file_temporary(path);
    bool ok = file_stage(temporary, bytes, length, why) && file_commit(temporary, why);
    free(temporary);
    return ok;
}

bool file_takes_colour(int descriptor)
{
    const char *never = getenv("NO_COLOR");
    return isatty(descriptor) && !(never && *never);
}
