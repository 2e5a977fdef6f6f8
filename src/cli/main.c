// The command line: dispatch only. All other code is in the library.
#include "cli/command.h"
#include "cli/print.h"

// Called by the library when memory runs out.
_Noreturn void wf_heap_exhausted(size_t size_bytes) { print_exhausted(size_bytes); }

int main(int argc, char **argv)
{
    print_begin();
    return print_end(command_dispatch(argc, argv));
}
