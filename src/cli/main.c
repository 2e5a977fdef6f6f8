// The command line: dispatch only. All other code is in the library.
#include "cli/command.h"
#include "cli/print.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Called by the library when memory runs out.
_Noreturn void wf_heap_exhausted(size_t size_bytes) { print_exhausted(size_bytes); }

// Memory freed at the end of a launch stays with the process for the next: giving it back and faulting it in again took
// half the time of a profile of 128 short launches.
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int main(int argc, char **argv)
{
    keep_freed_memory();
    print_begin();
    return print_end(command_dispatch(argc, argv));
}
