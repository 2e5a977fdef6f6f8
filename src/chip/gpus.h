// GPUs by name or file. A file has lines of KEY = VALUE. `#` begins a comment; a comment after a value gives
// the value's source. `like = NAME` takes over the settings of another GPU of the library; later lines
// override earlier lines. Keys left out have their defaults (`warpfold list keys`).
#pragma once
#include "base/config.h"

struct gpu_file {
    const char *name, *meaning;
    const char *text;     // NUL-terminated
    const char *alias_of; // the GPU's preferred name; NULL: `name` is the preferred name
    bool is_riscv;        // runs RISC-V programs and no CUDA kernels
};

const struct gpu_file *gpu_file_at(size_t index); // by index in the library's table; NULL past the last
// Applies the settings of a GPU of the library, or of the file at a path with a / or a dot. *is_like: some
// file used `like`. False and diagnostics: the name, the file or a line is wrong.
bool gpu_file_load(struct config *c, const char *name_or_path, bool *is_like, struct diag *d);
// gpu_file_load from the text of a GPU file. name: name of the file in diagnostics.
bool gpu_text_load(struct config *c, const char *name, const char *text, size_t length, bool *is_like,
                   struct diag *d);
