// Writes to stdout and stderr. A failed write to stdout is reported at once, while errno is valid.
#include "cli/print.h"
#include "api/warpfold.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

// Opens a folder on closed descriptors 0 to 2. A folder cannot be read, written or reopened for writing as
// /dev/stdout, so any use of the descriptor fails.
void print_begin(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/", O_RDONLY) < 0) return;
}

static void tell(FILE *to, int error)
{
    __fpurge(to); // drops buffered text, whose writing would fail again at exit
    if (to == stdout) {
        fprintf(stderr, "error: cannot write to stdout: %s\n", strerror(error));
        fflush(stderr);
    }
}

void print_bytes(FILE *to, const char *bytes, size_t length)
{
    if (!length || ferror(to)) return;
    if (fwrite(bytes, 1, length, to) != length) tell(to, errno);
}

void print_text(FILE *to, const char *text)
{
    struct strbuf shown = {0};
    printable_coloured(&shown, text, strlen(text));
    print_bytes(to, strbuf_text(&shown), shown.length);
    strbuf_fini(&shown);
}

bool print_flush(FILE *to)
{
    if (!ferror(to) && fflush(to) != 0) tell(to, errno);
    return !ferror(to);
}

int print_end(int status)
{
    bool lost = !print_flush(stdout);
    lost |= !print_flush(stderr);
    return lost && status == WF_OK ? WF_BAD_INPUT : status;
}

_Noreturn void print_exhausted(size_t size_bytes)
{
    char line[80];
    int length = size_bytes
                     ? snprintf(line, sizeof line, "error: out of memory (%zu bytes more)\n", size_bytes)
                     : snprintf(line, sizeof line, "error: out of memory\n");
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) _exit(WF_BAD_INPUT);
    _exit(WF_BAD_INPUT);
}
