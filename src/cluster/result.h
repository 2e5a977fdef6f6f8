// Files in DIR/committed: what a point left, and a last line with a checksum over that and the point's name, so that a result that
// somebody or a disk has changed is not believed.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Adds the line to a file that a run has written. False: errno.
bool result_seal(const char *path, const char *id);
// Writes a text with its line. False: *why.
bool result_write(const char *path, const char *id, const char *text, const char **why);

enum result_state {
    RESULT_GOOD,
    RESULT_ABSENT, // or it cannot be read now
    RESULT_BROKEN, // not what was written
};
// bytes: heap, without the line, ended by a 0 behind them; NULL unless good.
enum result_state result_read(const char *path, const char *id, char **bytes, size_t *length);
