// Runs a shell command from a test: captures both outputs whole and limits the time (limits.c). Past the
// wall-clock limit every process of the command is killed.
#include "base/progress.h"
#include "base/str.h"
#include "harness/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(const char *command, unsigned limit_s, const int out[2], const int err[2])
{
    pid_t child = fork();
    // A process group of its own, so that the wall-clock limit reaches grandchildren. Called in parent
    // and child, whichever runs first.
    setpgid(child, child);
    if (child) return child;
    test_limit_processor(limit_s);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (int fd = 3; fd < 256; fd++) close(fd);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

// Reads the available bytes; closes the end after the writer's exit.
static void drain(struct pollfd *p, struct strbuf *into)
{
    char chunk[4096];
    ssize_t got = read(p->fd, chunk, sizeof chunk);
    if (got > 0) {
        strbuf_write(into, chunk, (size_t)got);
    } else if (got == 0 || errno != EINTR) {
        close(p->fd);
        p->fd = -1; // poll ignores it
    }
}

// -1: a signal ended the shell, or a limit of processor time the shell's last program.
static int exit_status(int status)
{
    bool killed = !WIFEXITED(status) || WEXITSTATUS(status) == 128 + SIGXCPU;
    return killed ? -1 : WEXITSTATUS(status);
}

static char *take_text(struct strbuf *b) { return b->text ? b->text : strdup(""); }

int test_command(const char *command, unsigned limit_s, char **out, char **err)
{
    int out_pipe[2], err_pipe[2];
    if (pipe(out_pipe) != 0 || pipe(err_pipe) != 0) abort();
    pid_t child = start(command, limit_s, out_pipe, err_pipe);
    if (child < 0) abort();
    close(out_pipe[1]);
    close(err_pipe[1]);
    struct pollfd ends[2] = {{.fd = out_pipe[0], .events = POLLIN}, {.fd = err_pipe[0], .events = POLLIN}};
    struct strbuf texts[2] = {0};
    double deadline = clock_seconds() + TEST_WALL_FACTOR * (double)limit_s;
    bool late = false;
    while ((ends[0].fd >= 0 || ends[1].fd >= 0) && !late) {
        double left = deadline - clock_seconds();
        late = left <= 0 || poll(ends, 2, (int)(left * 1000) + 1) == 0;
        for (unsigned i = 0; i < 2 && !late; i++)
            if (ends[i].fd >= 0 && ends[i].revents) drain(&ends[i], &texts[i]);
    }
    if (late) kill(-child, SIGKILL);
    for (unsigned i = 0; i < 2; i++)
        if (ends[i].fd >= 0) close(ends[i].fd);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (out)
        *out = take_text(&texts[0]);
    else
        strbuf_fini(&texts[0]);
    if (err)
        *err = take_text(&texts[1]);
    else
        strbuf_fini(&texts[1]);
    return late ? -1 : exit_status(status);
}
