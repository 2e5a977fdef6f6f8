// Files in DIR/committed: a point's output and a last line with a checksum. The checksum covers output and
// point id, and reveals changed files.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Appends the checksum line to an output file. False: errno.
bool result_seal(const char *path, const char *id);
// Writes a text and its checksum line. False: *why.
bool result_write(const char *path, const char *id, const char *text, const char **why);

enum result_state {
    RESULT_GOOD,
    RESULT_ABSENT, // absent, or unreadable at present
    RESULT_BROKEN, // the checksum does not match
};
// *bytes: text of the file on the heap, without the checksum line, NUL-terminated; NULL unless RESULT_GOOD.
enum result_state result_read(const char *path, const char *id, char **bytes, size_t *length);
