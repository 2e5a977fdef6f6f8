// Whole files: read at once, and written so that a failure leaves nothing half-written.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Reads all of a file into heap memory (free() it; a NUL follows the bytes). On failure returns false and
// *why points to a static text ("no such file", "is a directory", …).
bool file_read(const char *path, char **bytes, size_t *length, const char **why);

// Writes to a temporary neighbour and renames it into place; removes it when anything fails.
bool file_write(const char *path, const void *bytes, size_t length, const char **why);

// The same in two steps, so that several files appear together or not at all: file_stage writes the temporary
// neighbour and hands out its name (heap), file_commit renames it into place, file_abandon removes it.
bool file_stage(const char *path, const void *bytes, size_t length, char **temporary, const char **why);
bool file_commit(char *temporary, const char *path, const char **why); // frees the name
void file_abandon(char *temporary, const char *path);                  // frees the name
// Whether writing to a path can begin: its folder exists and lets us, and it is no folder itself. Touches
// nothing.
bool file_can_write(const char *path, const char **why);
// Whether text for this descriptor may be coloured: it is a terminal, and the user did not set NO_COLOR
// (no-color.org).
bool file_takes_colour(int descriptor);
