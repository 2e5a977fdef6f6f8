#include "cluster/points.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void sleep_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
}

double patience_end(void) { return clock_seconds() + 200; }

pid_t worker_start(struct test *t, const char *folder, const char *processes, const char *lease)
{
    char out[600];
    snprintf(out, sizeof out, "%s/%s", test_directory(t), folder);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++) dup2(null, fd);
        execl(test_binary(), "warpfold", "worker", out, "--processes", processes, "--lease", lease,
              (char *)NULL);
        _exit(127);
    }
    return child;
}

int process_wait(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Whether the command line of a process is "… worker FOLDER …".
static bool is_worker(const char *process, const char *folder)
{
    struct strbuf path = {0};
    char *words;
    size_t length;
    const char *why;
    strbuf_printf(&path, "/proc/%s/cmdline", process);
    bool is = file_read_up_to(path.text, 4096, &words, &length, &why);
    strbuf_fini(&path);
    if (!is) return false;
    const char *first = words + strlen(words) + 1, *end = words + length;
    is = first < end && str_equal(first, "worker") && first + strlen("worker") + 1 < end &&
         str_equal(first + strlen("worker") + 1, folder);
    free(words);
    return is;
}

// Parent of a process, as text; "": the process is gone.
static void parent_of(const char *process, char parent[20])
{
    struct strbuf path = {0};
    char *text;
    size_t length;
    const char *why;
    *parent = 0;
    strbuf_printf(&path, "/proc/%s/stat", process);
    if (file_read_up_to(path.text, 4096, &text, &length, &why)) {
        const char *name = strrchr(text, ')'); // "PID (NAME) STATE PARENT …"
        if (name && strlen(name) > 4) snprintf(parent, 20, "%.*s", (int)strcspn(name + 4, " "), name + 4);
        free(text);
    }
    strbuf_fini(&path);
}

// A process of a point: a child of a worker with the worker's command line.
static bool is_point(const char *process, const char *folder)
{
    char parent[20];
    parent_of(process, parent);
    return *parent && is_worker(parent, folder);
}

pid_t worker_find(struct test *t, const char *folder, unsigned skip)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test_directory(t), folder);
    DIR *all = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; all && !found && (e = readdir(all)) != NULL;)
        if (isdigit((unsigned char)e->d_name[0]) && is_worker(e->d_name, path) &&
            !is_point(e->d_name, path) && !skip--)
            found = (pid_t)strtol(e->d_name, NULL, 10);
    if (all) closedir(all);
    return found;
}

pid_t worker_point(pid_t worker)
{
    char path[80], *text;
    size_t length;
    const char *why;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)worker, (int)worker);
    if (!file_read_up_to(path, 4096, &text, &length, &why)) return 0;
    pid_t point = (pid_t)strtol(text, NULL, 10);
    free(text);
    return point;
}

void plan_collect(struct cli *c, const char *folder)
{
    char arguments[160];
    snprintf(arguments, sizeof arguments, "reproduce --collect $D/%s", folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

void check_same(struct test *t, const char *folder, const char *clean, const char *what)
{
    char *got = lab_dump(t, folder);
    CHECK_MSG(t, strcmp(got, clean) == 0, "%s: the database is not that of a clean run", what);
    free(got);
}

unsigned long status_number(struct cli *c, const char *folder, const char *word)
{
    char arguments[160];
    snprintf(arguments, sizeof arguments, "reproduce --status $D/%s", folder);
    cli_run(c, arguments);
    const char *at = strstr(c->out, word);
    CHECK_MSG(c->t, c->status == 0 && at, "no '%s' in '%s' (%s)", word, c->out, c->err);
    return at ? strtoul(at + strlen(word) + strspn(at + strlen(word), ": "), NULL, 10) : 0;
}

void wait_for_work(struct cli *c, const char *folder)
{
    double end = patience_end();
    while (!status_number(c, folder, "running") && !status_number(c, folder, "done") && clock_seconds() < end)
        sleep_for(0.01);
    CHECK_MSG(c->t, clock_seconds() < end, "%s: no point has begun", folder);
}

void write_many(struct cli *c, const char *name, unsigned series)
{
    struct strbuf text = {0};
    strbuf_puts(&text, "title = many points\nkind = runs\nmeasure = speedup\n"
                       "kernels = binomialOptions LIB bfs pathfinder dxtc\nviews = tiny/sass\n");
    for (unsigned i = 1; i <= series; i++)
        strbuf_printf(&text, "series = L%u : base with l1.latency=%u\n", i, 100 + i);
    cli_write(c, name, text.text, text.length);
    strbuf_fini(&text);
}

bool disks_begin(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

bool disk_mount(struct test *t, const char *folder, unsigned megabytes, char path[600])
{
    char size[20];
    snprintf(path, 600, "%s/%s", test_directory(t), folder);
    snprintf(size, sizeof size, "size=%um", megabytes);
    mkdir(path, 0777);
    return mount("tmpfs", path, "tmpfs", 0, size) == 0;
}

void disk_fill(struct test *t, const char *path)
{
    static char bytes[1 << 16];
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    for (size_t size = sizeof bytes; size; size /= 2)
        while (write(file, bytes, size) == (ssize_t)size) continue;
    CHECK_EQ(t, errno, ENOSPC);
    close(file);
}
