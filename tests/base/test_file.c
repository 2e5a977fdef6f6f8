// Whole files: read, replaced at once, and nothing left behind by a failure.
#include "base/file.h"
#include "harness/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned count_entries(const char *directory)
{
    unsigned count = 0;
    DIR *d = opendir(directory);
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count - 2; // . and ..
}

static void test_round_trip(struct test *t)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/out", test_directory(t));
    size_t length = 200000, got;
    char *bytes = malloc(length), *back;
    for (size_t i = 0; i < length; i++) bytes[i] = (char)(i * 31);
    const char *why = NULL;
    CHECK(t, file_write(path, "old", 3, &why));
    CHECK(t, file_write(path, bytes, length, &why));
    CHECK(t, file_read(path, &back, &got, &why) && got == length && memcmp(back, bytes, length) == 0 &&
                 back[got] == 0);
    CHECK_EQ(t, count_entries(test_directory(t)), 1);
    free(back);
    CHECK(t, file_write(path, "", 0, &why) && file_read(path, &back, &got, &why) && got == 0);
    free(back);
    free(bytes);
}

static void test_failures(struct test *t)
{
    const char *directory = test_directory(t), *why = NULL;
    char path[4200], *bytes;
    size_t length;
    snprintf(path, sizeof path, "%s/none", directory);
    CHECK(t, !file_read(path, &bytes, &length, &why));
    CHECK_STR(t, why, "No such file or directory");
    CHECK(t, !file_read(directory, &bytes, &length, &why));
    CHECK_STR(t, why, "is a directory");
    CHECK(t, !file_write(directory, "x", 1, &why));
    CHECK_STR(t, why, "is a directory");
    snprintf(path, sizeof path, "%s/none/out", directory);
    CHECK(t, !file_write(path, "x", 1, &why));
    CHECK_EQ(t, count_entries(directory), 0);
}

static void test_staging(struct test *t)
{
    char path[4200], *temporary, *back;
    const char *why = NULL;
    size_t length;
    snprintf(path, sizeof path, "%s/out", test_directory(t));
    CHECK(t, file_can_write(path, &why));
    temporary = file_temporary(path);
    CHECK(t, file_stage(temporary, "new", 3, &why));
    CHECK(t, !file_read(path, &back, &length, &why)); // not yet written
    file_abandon(temporary);
    CHECK_EQ(t, count_entries(test_directory(t)), 0);
    CHECK(t, file_stage(temporary, "new", 3, &why) && file_commit(temporary, &why));
    free(temporary);
    CHECK(t, file_read(path, &back, &length, &why));
    CHECK_STR(t, back, "new");
    free(back);
    CHECK_EQ(t, count_entries(test_directory(t)), 1);
    CHECK(t, !file_can_write("", &why) && !file_can_write("/no/such/folder/out", &why));
    CHECK_STR(t, why, "No such file or directory");
}

// Runs file_can_write and file_write for a user without rights of root. Returns a bit for each success.
static int write_as_nobody(const char *path)
{
    const char *why;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        bool is_plain = geteuid() != 0 || setresuid(65534, 65534, 65534) == 0;
        _exit(is_plain ? file_can_write(path, &why) + 2 * file_write(path, "new", 3, &why) : 4);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A file is replaced by a new file: the folder must be writable, even for an existing writable file.
static void test_folders(struct test *t)
{
    char path[] = "/tmp/warpfold-test-XXXXXX", file[sizeof path + 8];
    const char *why;
    CHECK(t, mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/out", path);
    CHECK(t, file_write(file, "old", 3, &why));
    CHECK(t, chmod(file, 0666) == 0 && chmod(path, 0555) == 0);
    CHECK_EQ(t, write_as_nobody(file), 0);
    CHECK(t, chmod(path, 0777) == 0);
    CHECK_EQ(t, write_as_nobody(file), 3);
    CHECK(t, unlink(file) == 0 && rmdir(path) == 0);
}

// A link stays a link; its target is replaced, or created.
static void test_links(struct test *t)
{
    char path[4200], link[4200], *back;
    const char *why = NULL;
    size_t length;
    snprintf(path, sizeof path, "%s/out", test_directory(t));
    snprintf(link, sizeof link, "%s/link", test_directory(t));
    CHECK(t, symlink("out", link) == 0);
    for (unsigned n = 0; n < 2; n++) {
        CHECK(t, file_write(link, n ? "b" : "a", 1, &why) && file_read(path, &back, &length, &why));
        CHECK_STR(t, back, n ? "b" : "a");
        free(back);
        struct stat st;
        CHECK(t, lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    }
    CHECK_EQ(t, count_entries(test_directory(t)), 2);
}

// A device has no end, nor does a pipe with an endless writer.
static void test_endless(struct test *t)
{
    char *bytes;
    const char *why = NULL;
    size_t length;
    CHECK(t, !file_read("/dev/zero", &bytes, &length, &why));
    CHECK_STR(t, why, "has more than 256 MiB");
    CHECK(t, file_read_up_to("/dev/zero", 100000, &bytes, &length, &why) && length == 100000);
    free(bytes);
    CHECK(t, !file_is_regular("/dev/zero") && !file_is_regular(test_directory(t)) &&
                 file_is_regular("Makefile"));
}

// A device is written in place: a rename would replace the device file.
static void test_devices(struct test *t)
{
    const char *why = NULL;
    CHECK(t, file_write("/dev/null", "x", 1, &why));
    struct stat st;
    CHECK(t, stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(t, !file_write("/dev/full", "x", 1, &why));
    CHECK_STR(t, why, "No space left on device");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"round_trip", test_round_trip}, {"failures", test_failures},
                                             {"staging", test_staging},       {"links", test_links},
                                             {"folders", test_folders},       {"endless", test_endless},
                                             {"devices", test_devices}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
