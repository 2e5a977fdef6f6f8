#include "cluster/beat.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

// Bytes of a beat record (the file of one worker), padded with blanks. A fixed length allows overwriting in
// place, even on a full disk.
enum { RECORD = 192 };
static const char ending[] = ".beat";

void beat_file(const char *who, char name[TOKEN_WHO_MAX + 8])
{
    snprintf(name, TOKEN_WHO_MAX + 8, "%s%s", who, ending);
}

static char *record_path(const char *workers, const char *who)
{
    struct strbuf path = {0};
    char name[TOKEN_WHO_MAX + 8];
    beat_file(who, name);
    strbuf_printf(&path, "%s/%s", workers, name);
    return path.text;
}

// Writes the name of the host: of the node in a Slurm job, else of the machine. Characters other than letters
// and digits become '-'.
static void host_name(char host[60])
{
    const char *node = getenv("SLURMD_NODENAME");
    *host = 0;
    if (node)
        snprintf(host, 60, "%s", node);
    else
        gethostname(host, 59);
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '-';
}

bool beat_begin(struct beat *b, const char *workers, int *problem)
{
    char host[60] = "";
    uint32_t random = 0;
    *b = (struct beat){.file = -1};
    host_name(host);
    if (getrandom(&random, sizeof random, 0) != sizeof random) random = (uint32_t)time(NULL);
    snprintf(b->who, sizeof b->who, "%s-%d-%08" PRIx32, host, (int)getpid(), random);
    b->seconds = clock_seconds();
    char *path = record_path(workers, b->who);
    b->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    *problem = b->file < 0 ? errno : 0;
    free(path);
    if (!*problem) beat_write(b);
    return !*problem;
}

void beat_write(struct beat *b)
{
    char record[RECORD + 1];
    int length =
        snprintf(record, sizeof record, "%" PRIu64 " %d %.1f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                 ++b->count, b->ended, clock_seconds() - b->seconds, b->runs, b->failed, b->taken, b->lost);
    memset(record + length, ' ', sizeof record - (size_t)length);
    record[RECORD - 1] = '\n';
    if (pwrite(b->file, record, RECORD, 0) != RECORD) return; // on failure: the next beat writes the record
}

void beat_end(struct beat *b)
{
    if (b->file < 0) return;
    b->ended = true;
    beat_write(b);
    close(b->file);
    b->file = -1;
}

bool beat_parse(struct beat *b, const char *record)
{
    int ended = 0;
    *b = (struct beat){.file = -1};
    int words = sscanf(record, "%" SCNu64 " %d %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &b->count,
                       &ended, &b->seconds, &b->runs, &b->failed, &b->taken, &b->lost);
    b->ended = ended;
    return words == 7;
}

bool beat_read(struct beat *b, const char *workers, const char *who)
{
    char *path = record_path(workers, who), *text = NULL;
    size_t length;
    const char *why;
    bool good = file_read_up_to(path, RECORD, &text, &length, &why);
    good = beat_parse(b, good ? text : "");
    snprintf(b->who, sizeof b->who, "%s", who);
    free(path);
    free(text);
    return good;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct beat *)a)->who, ((const struct beat *)b)->who);
}

void beats_read(struct beats *b, const char *workers)
{
    *b = (struct beats){0};
    DIR *folder = opendir(workers);
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        size_t length = strlen(e->d_name);
        struct beat one;
        if (!str_ends_with(e->d_name, ending) || length >= TOKEN_WHO_MAX) continue;
        e->d_name[length - strlen(ending)] = 0;
        if (beat_read(&one, workers, e->d_name)) vec_push(&b->list, one);
    }
    if (folder) closedir(folder);
    if (b->list.count) qsort(b->list.data, b->list.count, sizeof *b->list.data, by_name);
}

void beats_fini(struct beats *b) { vec_fini(&b->list); }
