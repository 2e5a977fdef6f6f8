// Runs of the user's own in an experiment: a kernel with its launch, a script, or a program with arguments,
// as words of `warpfold run`.
//
//     run = axpy : axpy.ptx --kernel axpy --grid $(N/256) --block 256 --arg u32=$N --arg buf=f32:$N:iota
//     run = heat : --script heat.wf
//     run = sort : -- ./sort 4096 keys.bin
//
// $NAME and $(EXPRESSION) take values from words $NAME=VALUE among the settings of a run. Relative paths
// begin at the experiment's folder.
//
// A bundle carries a run's files by content, so that machines elsewhere need no path of the first machine:
// own/HASH in the results' folder, HASH over names and bytes. Words of the command name the copies.
#pragma once
#include "base/diag.h"
#include "toolchain/cuda.h"

struct own_subject {
    const char *name, *words; // words: as written
    const char *folder;       // where relative paths begin
};

struct own_subjects {
    VEC(struct own_subject) list;
    VEC(const char *) files; // further files of the programs, relative to the folder
};

struct own_file {
    const char *name; // in the bundle; may have folders
    const char *bytes;
    size_t length;
    bool is_program;
};

struct own_bundle {
    char hash[17];
    VEC(struct own_file) files;
    const char *head, *tail; // words of the command, before and behind the options of the experiment
};

// PTX of CUDA C compiled for bundles: a file is compiled once for each kernel and each set of options.
struct own_compiled {
    char *key; // heap
    struct toolchain_ptx ptx;
};
struct own_cache {
    VEC(struct own_compiled) list;
};
void own_cache_fini(struct own_cache *c);

// Parses "NAME : WORDS" and adds the subject. False and an error.
bool own_add(struct own_subjects *s, char *value, const char *folder, struct arena *arena, struct diag *d,
             struct loc loc);
// Makes the bundle of a subject for the $NAME=VALUE words of `settings`. Contents are in the arena. False and
// an error at `loc`: an unreadable file, an option that a run of an experiment does not take, a variable
// without a value.
bool own_bundle_make(struct own_bundle *b, const struct own_subjects *all, const struct own_subject *s,
                     const char *settings, struct own_cache *cache, struct arena *arena, struct diag *d,
                     struct loc loc);
// Writes missing files of the bundle into own/HASH of a folder. False and an error.
bool own_bundle_write(const struct own_bundle *b, const char *folder, struct diag *d);
void own_bundle_fini(struct own_bundle *b);
// Appends `text` with the values of variables. False and an error.
bool own_expand(const char *text, const char *settings, struct strbuf *out, struct diag *d, struct loc loc);
// Whether a word of settings is for own runs alone, and no key: $NAME=VALUE, or an option --NAME=VALUE.
bool own_is_word(const char *word);
// Checks a word for which own_is_word holds, without its value: some subject, or a script of a subject, has the
// variable, or runs take the option. False and an error at `loc`.
bool own_check_word(const struct own_subjects *all, const char *word, struct diag *d, struct loc loc);
