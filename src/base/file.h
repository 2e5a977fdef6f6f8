// Whole files: reads at once, and writes that leave no partial file after a failure.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { FILE_TEXT_MOST = 256 << 20 }; // bytes; file_read refuses longer files as endless

// Reads a whole file of at most FILE_TEXT_MOST bytes into heap memory, followed by a NUL; the caller frees
// *bytes. False: *why is a static text ("No such file or directory", "is a directory", …).
bool file_read(const char *path, char **bytes, size_t *length, const char **why);
// file_read of at most `most` bytes. *length == most: the file may be longer.
bool file_read_up_to(const char *path, size_t most, char **bytes, size_t *length, const char **why);
// Whether a path names a readable file, pipe or device; false sets *why as file_read. Opens nothing.
bool file_can_read(const char *path, const char **why);
// Whether the path names an existing regular file: no folder, and no device or pipe, which may be endless.
bool file_is_regular(const char *path);

// Writes a temporary file in the same folder and renames it to the path; removes the temporary file on
// failure. Symbolic links are followed. A path to a device or pipe (/dev/null) is written in place.
// False sets *why.
bool file_write(const char *path, const void *bytes, size_t length, const char **why);

// file_write of regular files in steps, so that several files appear together or not at all. file_temporary
// returns the temporary name (heap); file_stage writes the file, file_commit renames it, file_abandon removes
// it. Only file_temporary allocates memory.
char *file_temporary(const char *path);
bool file_stage(const char *temporary, const void *bytes, size_t length, const char **why);
bool file_commit(const char *temporary, const char **why);
void file_abandon(const char *temporary);
// Whether the path names a device or pipe, which must be written in place.
bool file_is_stream(const char *path);
bool file_write_stream(const char *path, const void *bytes, size_t length, const char **why);
// The target of a path's symbolic links, existing or not. Heap.
char *file_target(const char *path);
// Whether file_write can write the path: a writable device or pipe, or a writable or new file in a writable
// folder. False sets *why. Changes nothing.
bool file_can_write(const char *path, const char **why);
// Whether text on the descriptor may be coloured: a terminal, and NO_COLOR is unset or empty (no-color.org).
bool file_takes_colour(int descriptor);
