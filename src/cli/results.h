// Destinations of a run's results: files and stdout, all written or none.
//
// Every path is claimed before the run. The claim refuses unwritable paths, two results with the same file,
// and results that overwrite an input. Links are followed, so different spellings of a file are recognised.
#pragma once
#include "api/warpfold.h"
#include "base/diag.h"

#include <sys/types.h>

// Identity of the file named by a path.
struct place {
    dev_t device;
    ino_t file;  // inode of the file, or of the folder of a file to be created
    char *name;  // base name of a file to be created in the folder, heap; NULL: the file exists
    bool shared; // may be claimed repeatedly, such as /dev/null
    bool regular;
};

struct result {
    char *what, *path; // "--json", "a.json"; heap
    struct place place;
    bool is_read; // a file the run reads
    char *bytes;  // heap; NULL: no content yet
    size_t length;
};

struct results {
    struct diag *diag;
    VEC(struct result) list;
};

void results_init(struct results *r, struct diag *d);
void results_fini(struct results *r);

// Call before the run. results_claim: `what` (an option) writes the path, "-" for stdout. results_claim_read:
// the run reads the path. False and an error: the path cannot be written, or another claim conflicts.
bool results_claim(struct results *r, const char *what, const char *path, struct loc loc);
bool results_claim_read(struct results *r, const char *path, struct loc loc);
// Sets the content of a claimed path. results_put copies; results_take takes over heap memory.
void results_put(struct results *r, const char *path, const void *bytes, size_t length);
void results_take(struct results *r, const char *path, char *bytes, size_t length);
// Writes all results. WF_BAD_INPUT and an error if a write or rename fails. After a failed write, no file is
// replaced.
enum wf_status results_write(struct results *r);
