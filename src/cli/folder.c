#include "cli/folder.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool folder_make(const char *path, struct diag *d)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        struct stat st;
        if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
            return diag_error(d, loc_none(), "--out %s: not a folder", path);
        if (access(path, W_OK | X_OK) == 0) return true;
    }
    return diag_error(d, loc_none(), "cannot write into the folder %s: %s", path, strerror(errno));
}

// Locks the open file `lock` of a folder, with retries for 2 seconds: processes of a killed command may still
// be ending. False: not locked; errno is EWOULDBLOCK if another process has the lock.
static bool take_lock(int lock)
{
    for (unsigned tries = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (tries == 20 || (errno != EWOULDBLOCK && errno != EINTR)) return false;
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    }
    return true;
}

int folder_lock(const char *folder, const char *command, struct diag *d)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/lock", folder);
    int lock = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        diag_error(d, loc_none(), "cannot write %s: %s", path.text, strerror(errno));
    } else if (!take_lock(lock)) {
        if (errno == EWOULDBLOCK || errno == EINTR)
            diag_error(d, loc_none(),
                       "another warpfold %s is at work in %s: wait for its end, or give a different --out",
                       command, folder);
        else
            diag_error(d, loc_none(), "cannot lock %s: %s", path.text, strerror(errno));
        close(lock);
        lock = -1;
    }
    strbuf_fini(&path);
    return lock;
}

bool folder_program(char **program, char build[17], struct diag *d)
{
    char *bytes;
    size_t length;
    const char *why;
    *program = realpath("/proc/self/exe", NULL);
    if (!*program || !file_read(*program, &bytes, &length, &why))
        return diag_error(d, loc_none(), "cannot read this program's own file to start it again");
    snprintf(build, 17, "%016" PRIx64, hash_bytes(bytes, length, 0));
    free(bytes);
    return true;
}

// Whether a name is a temporary file of file_write for a file with the ending: "report.html.1234.part" for
// ".html".
static bool is_part_of(const char *name, const char *ending)
{
    size_t length = strlen(name), digits = 0;
    if (!str_ends_with(name, ".part")) return false;
    length -= strlen(".part");
    while (digits < length && name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9') digits++;
    length -= digits;
    return digits && length > strlen(ending) && name[length - 1] == '.' &&
           strncmp(name + length - 1 - strlen(ending), ending, strlen(ending)) == 0;
}

void folder_sweep(const char *path, const char *const *endings, const char *also)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        bool ours = also && str_ends_with(e->d_name, also);
        struct strbuf leftover = {0};
        for (size_t i = 0; endings[i]; i++) ours |= is_part_of(e->d_name, endings[i]);
        strbuf_printf(&leftover, "%s/%s", path, e->d_name);
        if (ours) unlink(leftover.text);
        strbuf_fini(&leftover);
    }
    if (d) closedir(d);
}
