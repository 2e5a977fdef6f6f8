// GPUs by name or file: lines of KEY = VALUE, `#` begins a comment. A key that a file leaves out has its
// default, which is the GTX 1080 Ti's.
#pragma once
#include "base/config.h"

struct gpu_file {
    const char *name, *meaning;
    const char *text; // NUL-terminated
};

const struct gpu_file *gpu_file_at(size_t index); // the library's own; NULL past the last
// Sets what a GPU of the library, or the file at that path, says. False and located diagnostics.
bool gpu_file_load(struct config *c, const char *name_or_path, struct diag *d);
