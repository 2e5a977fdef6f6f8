// The folder of results given to `reproduce` or `inject` by --out. An interrupted command, given again,
// continues from the results in the folder. One such command at a time works in a folder (folder_lock).
// Results made by another build of warpfold are refused; a hash of the program names the build.
#pragma once
#include "base/diag.h"

bool folder_make(const char *path, struct diag *d); // also true if the folder exists and is writable
// Locks the folder. Returns a descriptor that holds the lock until closed or process exit. -1 and an error if
// another process holds the lock, or the folder is not writable.
int folder_lock(const char *folder, const char *command, struct diag *d);
// Removes from folder `path` temporary files left by a killed file_write for the endings (a list ended by
// NULL). Removes files with the ending `also`, too; NULL: none.
void folder_sweep(const char *path, const char *const *endings, const char *also);
// Path of the running program (heap), and a hash of the program's file in hex digits. False and an error: the
// file cannot be read.
bool folder_program(char **program, char build[17], struct diag *d);
