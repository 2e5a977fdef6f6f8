// Running the command line from tests: in a fresh folder, with everything it printed and left there at hand.
#pragma once
#include "harness/test.h"

struct cli {
    struct test *t;
    int status;
    char *out, *err;
};

// `warpfold ARGUMENTS` with $D replaced by the case's folder, $V by vecadd's PTX and $K by the API tests'
// kernels. The former result is freed.
void cli_run(struct cli *c, const char *arguments);
void cli_fini(struct cli *c);
// stderr with the case's folder written as $D again, so that it can be compared.
const char *cli_errors(struct cli *c);
// cli_run, whose exit status and all of whose messages are as given.
void cli_expect(struct cli *c, const char *arguments, int status, const char *errors);
void cli_write(struct cli *c, const char *name, const void *bytes, size_t length); // $D/name
char *cli_read(struct cli *c, const char *name, size_t *length);                   // heap; NULL when absent
bool cli_exists(struct cli *c, const char *name);
unsigned cli_files(struct cli *c); // in $D

// The text of a JSON key's value on its own line ("null", "1024", "\"ok\""); "" when there is none.
const char *cli_json(const char *json, const char *key);
