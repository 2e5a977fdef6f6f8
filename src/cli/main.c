// The command line: dispatch only. Everything else is in the library.
#include "cli/command.h"
#include "cli/print.h"

// The library's last word when there is no memory.
_Noreturn void heap_exhausted(size_t size_bytes) { print_exhausted(size_bytes); }

int main(int argc, char **argv)
{
    print_begin();
    return print_end(command_dispatch(argc, argv));
}
