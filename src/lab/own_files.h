// Files of a user's run, read into a bundle (own.h) under names without blanks or folders of their own.
#pragma once
#include "lab/own.h"

struct own_carrier {
    struct own_bundle *bundle;
    const char *folder;   // where relative paths begin
    const char *settings; // $NAME=VALUE words, for the texts of scripts
    // for CUDA C: a kernel to instantiate and the compiler's options; NULL: none
    const char *kernel, *options;
    bool nvcc;
    struct own_cache *cache;
    struct arena *arena;
    struct diag *diag;
    struct loc loc; // of errors
};

// Where a SPEC names a file: behind "file:" or "bytes=@". SIZE_MAX: no file.
size_t own_path_at(const char *spec);
// Each reads a file into the bundle and returns its name there, in the arena. NULL and an error. The name is
// the last part of the path; a second file of the name gets a number.
const char *own_carry(struct own_carrier *c, const char *path);
const char *own_carry_module(struct own_carrier *c,
                             const char *path); // PTX, packed or not, or of CUDA C its PTX
// A script, with every file of the script. The copy has values in place of variables, names of the bundle in
// place of paths, and no dumps.
const char *own_carry_script(struct own_carrier *c, const char *path);
const char *own_carry_program(struct own_carrier *c, const char *path);
// An argument of a program. A path of a readable file below the folder is carried under the same path;
// another readable file is carried as above. Other words stay as they are.
const char *own_carry_argument(struct own_carrier *c, const char *word);
// A file named by the experiment for its programs, under its path. False and an error.
bool own_carry_beside(struct own_carrier *c, const char *path);
