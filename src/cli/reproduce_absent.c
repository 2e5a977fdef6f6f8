// `warpfold reproduce` in a build without SQLite. The Makefile selects this file or reproduce.c.
#include "cli/command.h"
#include "cli/print.h"

int command_reproduce(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    print_text(
        stderr,
        "error: this warpfold was built without SQLite: apt-get install libsqlite3-dev, and make again\n");
    return WF_BAD_USAGE;
}
