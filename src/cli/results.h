// Where a run's results go: files and stdout, all of them or none.
//
// Each is claimed before anything runs, so that a path that cannot be written, or that two results or a file
// that is read would share, is refused then. Links are followed: one file is one file, however it is spelled.
#pragma once
#include "api/warpfold.h"
#include "base/diag.h"

#include <sys/types.h>

struct place { // what a path names
    dev_t device;
    ino_t file;  // of the file, or of the folder where it will be
    char *name;  // in that folder, heap; NULL: it is there
    bool shared; // may be named often: /dev/null and its like
    bool regular;
};

struct result {
    char *what, *path; // "--json", "a.json"; heap
    struct place place;
    bool is_read; // a file the run reads
    char *bytes;  // heap; NULL: nothing to write (yet)
    size_t length;
};

struct results {
    struct diag *diag;
    VEC(struct result) list;
};

void results_init(struct results *r, struct diag *d);
void results_fini(struct results *r);

// Before anything runs: `what` writes this path ("-" is stdout), or the run reads it. False and an error when
// that cannot be.
bool results_claim(struct results *r, const char *what, const char *path, struct loc loc);
bool results_claim_read(struct results *r, const char *path, struct loc loc);
// The content of a path that was claimed. `results_take` takes over heap memory.
void results_put(struct results *r, const char *path, const void *bytes, size_t length);
void results_take(struct results *r, const char *path, char *bytes, size_t length);
// Writes all, or none.
enum wf_status results_write(struct results *r);
