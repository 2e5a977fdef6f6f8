#include "lab/process.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// In the forked child (single-threaded): drops the parent's terminal, signals and descriptors, then runs the
// command.
static _Noreturn void become(const struct process_order *o, int count, char **words, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // the parent died before prctl
    // a terminal's interrupt is for the parent, which must not see interrupted children as failures
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    if (o->errors >= 0) dup2(o->errors, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, o->signals, NULL);
    if (o->compiled) setenv(PROCESS_COMPILED, o->compiled, true);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    if (chdir(o->folder) != 0) _exit(127);
    if (o->run) _exit(o->run(count, words));
    execv(o->program, words);
    _exit(127);
}

pid_t process_start(const struct process_order *o)
{
    static char name[] = "warpfold", quiet[] = "--quiet", json[] = "--json";
    char *text = heap_strdup(o->command), *rest = text, *result = heap_strdup(o->json);
    VEC(char *) words = {0};
    vec_push(&words, name);
    bool is_told = false; // where the result goes; words behind -- are a program's
    for (char *word; (word = strsep(&rest, " ")) != NULL || !is_told;) {
        if ((!word || str_equal(word, "--")) && !is_told) {
            is_told = true;
            if (!o->is_mark) vec_push(&words, quiet);
            vec_push(&words, json);
            vec_push(&words, result);
        }
        if (word && *word) vec_push(&words, word);
    }
    vec_push(&words, NULL);
    pid_t parent = getpid(), process = fork();
    if (process == 0) become(o, (int)words.count - 1, words.data, parent);
    vec_fini(&words);
    free(text);
    free(result);
    return process;
}

char *process_complaint(const char *text)
{
    if (str_starts_with(text, "error: ")) text += strlen("error: ");
    return heap_strndup(text, strcspn(text, "\n"));
}
