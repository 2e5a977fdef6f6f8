// `warpfold reproduce` where there was no SQLite to build it with; the Makefile takes this file or
// reproduce.c.
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
