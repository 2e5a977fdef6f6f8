// Runs the command line in a fresh folder and keeps its status, output and files for checks.
#pragma once
#include "harness/test.h"

struct cli {
    struct test *t;
    int status;
    char *out, *err;
};

// `warpfold ARGUMENTS` with $D replaced by the case's folder, $V by vecadd's PTX and $K by the API tests'
// kernels. Frees the previous result.
void cli_run(struct cli *c, const char *arguments);
void cli_fini(struct cli *c);
// stderr, with $D in place of the case's folder for comparison.
const char *cli_errors(struct cli *c);
// cli_run; checks the exit status and the whole of stderr.
void cli_expect(struct cli *c, const char *arguments, int status, const char *errors);
void cli_write(struct cli *c, const char *name, const void *bytes, size_t length); // $D/name
char *cli_read(struct cli *c, const char *name, size_t *length);                   // heap; NULL when absent
bool cli_exists(struct cli *c, const char *name);
unsigned cli_files(struct cli *c); // in $D

// Value of a JSON key on a line of its own ("null", "1024", "\"ok\""); "": no such key.
const char *cli_json(const char *json, const char *key);
