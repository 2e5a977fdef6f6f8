// A folder of results that a command goes on in, whatever stopped it: one at a time works there, and results of different builds
// do not mix.
#pragma once
#include "base/diag.h"

bool folder_make(const char *path, struct diag *d); // or it is there, and can be written into
// Held until it is closed, or we end; -1 and an error.
int folder_lock(const char *folder, const char *command, struct diag *d);
// What file_write had not finished of files with these endings (NULL ends them) when it was killed, and files that end in `also`.
void folder_sweep(const char *path, const char *const *endings, const char *also);
// This program's path (heap), and a hash of it.
bool folder_program(char **program, char build[17], struct diag *d);
