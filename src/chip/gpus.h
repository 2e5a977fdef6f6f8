// GPUs by name or file: lines of KEY = VALUE, `#` begins a comment, which behind a value says where that comes
// from. `like = NAME` takes over what another GPU of the library says; later lines win. A key that a file leaves out has
// its default, which is the gtx1080ti-paper's.
#pragma once
#include "base/config.h"

struct gpu_file {
    const char *name, *meaning;
    const char *text;     // NUL-terminated
    const char *alias_of; // another name of this GPU, which is the one to use; NULL
    bool is_riscv;        // it runs RISC-V programs, and no CUDA kernels
};

const struct gpu_file *gpu_file_at(size_t index); // the library's own; NULL past the last
// Sets what a GPU of the library, or the file at that path, says. is_like: it takes over another GPU's. False and located
// diagnostics.
bool gpu_file_load(struct config *c, const char *name_or_path, bool *is_like, struct diag *d);
// The same of a file's text; name: of the file, in diagnostics.
bool gpu_text_load(struct config *c, const char *name, const char *text, size_t length, bool *is_like,
                   struct diag *d);
