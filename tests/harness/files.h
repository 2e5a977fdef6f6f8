// Whole files of a test: a file that cannot be read or written fails the case and is named with the reason.
#pragma once
#include "harness/test.h"

// The bytes with a NUL behind; heap, the caller frees. *length: number of bytes; NULL: not wanted. After a
// failure: "".
char *test_read_file(struct test *t, const char *path, size_t *length);
void test_write_file(struct test *t, const char *path, const void *bytes, size_t length);
void test_write_text(struct test *t, const char *path, const char *text);
// Calls `visit` for every file of a folder with the ending, in order of names; returns the number of files.
unsigned test_each_file(struct test *t, const char *folder, const char *ending,
                        void (*visit)(struct test *t, const char *path));
