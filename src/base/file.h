// Whole files: read at once, and written so that a failure leaves nothing half-written.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Reads all of a file into heap memory (free() it; a NUL follows the bytes). On failure returns false and
// *why points to a static text ("no such file", "is a directory", …).
bool file_read(const char *path, char **bytes, size_t *length, const char **why);

// Writes to a temporary neighbour and renames it into place; removes it when anything fails.
bool file_write(const char *path, const void *bytes, size_t length, const char **why);
