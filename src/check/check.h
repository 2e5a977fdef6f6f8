// Findings of the checker (`warpfold check`): faulty accesses, races, barriers and leaks of a context's launches.
//
// The engine (exec/checker.h) and the API report every occurrence. Occurrences of one kind at the same
// lines are one finding: the first occurrence has the texts, later ones are counted.
#pragma once
#include "base/arena.h"
#include "base/hash.h"
#include "check/written.h"

struct program;

enum check_kind {
#define KIND(name, text, right) CHECK_##name,
#include "check/kinds.def"
#undef KIND
    CHECK_KINDS
};

// An executed instruction of a thread, or a place of the host.
struct check_event {
    const struct program *program; // NULL: the host
    uint32_t inst;
    uint32_t block[3], thread[3];
    const char *kernel, *ptx_file; // for reports; ptx_file NULL: unknown; host: the host's file
    uint32_t line;                 // of the host, in ptx_file
    const char *act;               // "write", "read", "waits" …; static, or NULL
};

struct check_place {
    uint64_t key;                     // equal for places on one line of a program
    const char *kernel, *instruction; // NULL: of the host
    const char *file;                 // of the CUDA source, or of the PTX without .loc; NULL: unknown
    uint32_t line, column;
    const char *lines; // "k.cu:7 (inlined at m.cu:9)"; "" when unknown
    const char *ptx_file;
    uint32_t ptx_line, ptx_column; // 0: unknown
    const char *act;
    uint32_t block[3], thread[3];
};

struct check_finding {
    enum check_kind kind;
    uint64_t count;   // occurrences
    const char *what; // a sentence on the first occurrence
    struct check_place places[2];
    unsigned place_count;
};

struct check {
    struct arena arena;
    VEC(struct check_finding) findings; // in order of the first occurrence
    struct u64map by_key;
    const char *host_file; // place of the host's next calls, in the arena; NULL: unknown
    uint32_t host_line;
    struct written global; // bytes of global memory written by host or kernels
};

struct check *check_create(void);
void check_destroy(struct check *c); // NULL: no effect
const char *check_kind_name(enum check_kind kind);
const char *check_kind_right(enum check_kind kind); // what would be right

// Counts an occurrence. `other`: the second access of a race, else NULL. `detail` tells apart findings of one
// kind on one line. True: the first; the caller then calls check_say.
bool check_found(struct check *c, enum check_kind kind, const struct check_event *at,
                 const struct check_event *other, uint64_t detail);
// Whether a race, or an access during a copy, explains the finding: an unwritten read on a racing line.
bool check_is_effect(const struct check *c, size_t index);
// Sets the sentence of the finding added last.
void check_say(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
