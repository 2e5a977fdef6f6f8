// Checkpoints of a script: memory before a launch written to a file, and a script resumed there.
//
// A resumed script executes every line but earlier launches: files are loaded and buffers made, so that all
// allocations are in place when the launch of the checkpoint overwrites their bytes.
#pragma once
#include "api/warpfold.h"
#include "base/diag.h"

struct session;

struct checkpoint {
    const char *path;      // of the file to write; NULL: none
    uint64_t at;           // number of the launch of `path`, from 1
    char *bytes;           // of the file to resume from, heap; NULL: none
    size_t length, header; // header: bytes before those of the library
    uint64_t resume_at;
    uint64_t launches; // of the script so far, left out or not
    uint64_t identity; // hash of the script and the files loaded so far
};

struct options;
// Reads --checkpoint, --checkpoint-at and --resume. False and an error: options that do not belong together, or a
// file that cannot be read.
bool checkpoint_init(struct checkpoint *c, const struct options *o, struct diag *d);
void checkpoint_fini(struct checkpoint *c);
void checkpoint_note(struct checkpoint *c, const char *text, size_t length); // the script's, or a file's
// Called before every launch of a script. *is_left_out: the launch is before the checkpoint.
enum wf_status checkpoint_launch(struct session *s, struct loc loc, bool *is_left_out);
// Whether launches before this point have been left out, and the checkpoint is still to come.
bool checkpoint_is_ahead(const struct checkpoint *c);
// At the script's end: WF_BAD_INPUT and an error if the launch of a checkpoint has not come.
enum wf_status checkpoint_end(const struct checkpoint *c, struct diag *d);
