// Whole files: read at once, and written so that a failure leaves nothing half-written.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { FILE_TEXT_MOST = 256 << 20 }; // bytes: far more than any text we read; what is longer has no end

// Reads all of a file into heap memory (free() it; a NUL follows the bytes). On failure returns false and
// *why points to a static text ("no such file", "is a directory", …).
bool file_read(const char *path, char **bytes, size_t *length, const char **why);
// The same of at most so many bytes: *length is `most` when that is all of the file or not.
bool file_read_up_to(const char *path, size_t most, char **bytes, size_t *length, const char **why);
// Whether the path names a file, pipe or device that may be read; *why as above. Opens nothing.
bool file_can_read(const char *path, const char **why);
bool file_is_regular(const char *path); // and there: no device, pipe or folder, whose reading may never end

// Writes to a temporary neighbour and renames it into place; removes it when anything fails. Symbolic links
// are followed. What is no regular file (/dev/null, a pipe) cannot be replaced, and is written where it is.
bool file_write(const char *path, const void *bytes, size_t length, const char **why);

// The same of regular files in steps, so that several appear together or not at all. file_temporary names the
// neighbour (heap); file_stage writes it, file_commit renames it into place, file_abandon removes it. Only
// the first asks for memory.
char *file_temporary(const char *path);
bool file_stage(const char *temporary, const void *bytes, size_t length, const char **why);
bool file_commit(const char *temporary, const char **why);
void file_abandon(const char *temporary);
// What is written where it is.
bool file_is_stream(const char *path);
bool file_write_stream(const char *path, const void *bytes, size_t length, const char **why);
// Where symbolic links lead, whether something is there or not. Heap.
char *file_target(const char *path);
// Whether writing to a path can begin: its folder exists and lets us, and it is no folder itself. Touches
// nothing.
bool file_can_write(const char *path, const char **why);
// Whether text for this descriptor may be coloured: it is a terminal, and the user did not set NO_COLOR
// (no-color.org).
bool file_takes_colour(int descriptor);
