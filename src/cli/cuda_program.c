// Starts a CUDA program with the drop-in runtime in place, and waits for the end.
#include "cli/cuda_program.h"
#include "api/warpfold.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/elf_program.h"
#include "cli/hosted.h"
#include "cli/profile_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void cuda_program_tell(uint8_t outcome)
{
    const char *pipe_number = getenv(CUDA_PROGRAM_PIPE);
    uint64_t fd;
    if (!pipe_number || !str_to_u64(pipe_number, &fd) || fd > INT_MAX) return;
    if (write((int)fd, &outcome, 1) != 1)
        fputs("warpfold: the outcome cannot be told to `warpfold run`\n", stderr);
}

// -- options ------------------------------------------------------------------------------------------------

bool cuda_program_check(const struct options *o, struct diag *d)
{
    static const enum option_id others[] = {
        OPTION_GRID,    OPTION_BLOCK,      OPTION_ARG,     OPTION_SYMBOL, OPTION_SHARED,
        OPTION_CLUSTER, OPTION_SCRIPT,     OPTION_DUMP,    OPTION_INPUT,  OPTION_CHECKPOINT_AT,
        OPTION_RESUME,  OPTION_CHECKPOINT, OPTION_BENCHES, OPTION_KERNEL};
    const char *json = options_value(o, OPTION_JSON);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (options_has(o, others[i]) && (others[i] != OPTION_KERNEL || o->command == COMMAND_CHECK))
            return diag_error(d, loc_none(),
                              "%s is for a kernel or a script; a program launches its kernels itself",
                              options_name(others[i]));
    if (json && str_equal(json, "-"))
        return diag_error(d, loc_none(), "--json -: stdout is the program's; name a file");
    return true;
}

bool cuda_program_choose(struct cuda_program_choice *c, const struct options *o, struct diag *d)
{
    const char *text = options_value(o, OPTION_LAUNCHES);
    *c = (struct cuda_program_choice){options_value(o, OPTION_KERNEL), 1, UINT64_MAX};
    if (!text) return true;
    char *copy = heap_strdup(text), *dash = strchr(copy, '-');
    if (dash) *dash = 0;
    bool good = str_to_u64(copy, &c->first) && c->first && (!dash || str_to_u64(dash + 1, &c->last));
    if (!dash) c->last = c->first;
    free(copy);
    return (good && c->first <= c->last) ||
           diag_error(d, loc_none(), "--launches %s: write N or FIRST-LAST, counted from 1", text);
}

// -- the environment of the program -------------------------------------------------------------------------

// The path from the root: the program may change its folder.
static void put_path(const char *path, struct strbuf *out)
{
    char here[PATH_MAX];
    if (*path != '/' && getcwd(here, sizeof here)) strbuf_printf(out, "%s/", here);
    strbuf_puts(out, path);
}

// Before the options of `profile`: the word, the folder, and the path of the page where none is given.
static void put_profile(const struct options *o, struct strbuf *out)
{
    char here[PATH_MAX];
    strbuf_printf(out, "profile\n%s\n", getcwd(here, sizeof here) ? here : "/");
    if (options_has(o, OPTION_PAGE)) return;
    strbuf_printf(out, "%s=", options_name(OPTION_PAGE));
    put_path(profile_out_path(o), out);
    strbuf_putc(out, '\n');
}

// The given options as words, a line each.
static void put_options(const struct options *o, struct strbuf *out)
{
    if (o->command == COMMAND_PROFILE) put_profile(o, out);
    if (o->command == COMMAND_CHECK) strbuf_puts(out, "check\n");
    for (size_t i = 0; i < o->given.count; i++) {
        const struct option_given *g = &o->given.data[i];
        bool is_path = g->id == OPTION_JSON || g->id == OPTION_TIMELINE || g->id == OPTION_PAGE ||
                       g->id == OPTION_BESIDE || (g->id == OPTION_GPU && strpbrk(g->value, "/."));
        if (g->id == OPTION_FILES) continue; // of `warpfold run` alone
        strbuf_puts(out, options_name(g->id));
        if (g->value) strbuf_putc(out, '=');
        if (is_path)
            put_path(g->value, out);
        else if (g->value)
            strbuf_puts(out, g->value);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, "\n");
}

// The folder with the runtimes: cudart beside the program, else PREFIX/lib/warpfold. False and an error: neither.
static bool find_runtimes(struct strbuf *folder, struct diag *d)
{
    static const char *const places[] = {"/cudart", "/../lib/warpfold"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = 0;
        *strrchr(self, '/') = 0;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            strbuf_clear(folder);
            strbuf_printf(folder, "%s%s", self, places[i]);
            if (access(strbuf_text(folder), X_OK) == 0) return true;
        }
    }
    return diag_error(d, loc_none(),
                      "no folder cudart with libcudart.so.13 beside the program warpfold: run `make`");
}

// Adds a value in front of a variable's present value.
static void prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    struct strbuf text = {0};
    strbuf_puts(&text, value);
    if (old && *old) strbuf_printf(&text, ":%s", old);
    setenv(name, strbuf_text(&text), 1);
    strbuf_fini(&text);
}

static void set_environment(const struct options *o, const char *folder, const struct elf_program *elf,
                            int pipe_end)
{
    struct strbuf text = {0};
    put_options(o, &text);
    setenv(CUDA_PROGRAM_OPTIONS, strbuf_text(&text), 1);
    strbuf_clear(&text);
    strbuf_printf(&text, "%d", pipe_end);
    setenv(CUDA_PROGRAM_PIPE, strbuf_text(&text), 1);
    prepend("LD_LIBRARY_PATH", folder);
    for (unsigned i = elf->library_count; elf->has_rpath && i--;) { // DT_RPATH goes before LD_LIBRARY_PATH
        strbuf_clear(&text);
        strbuf_printf(&text, "%s/%s", folder, elf->libraries[i]);
        prepend("LD_PRELOAD", strbuf_text(&text));
    }
    strbuf_fini(&text);
}

// -- the process --------------------------------------------------------------------------------------------

// The largest outcome told so far; 0: none.
static uint8_t outcome_of(int pipe_end)
{
    uint8_t told, most = 0;
    while (read(pipe_end, &told, 1) == 1)
        if (told > most) most = told;
    return most;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return WF_BAD_INPUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int status_of(int program, uint8_t outcome)
{
    if (outcome == CUDA_PROGRAM_REFUSED) return WF_BAD_USAGE;
    if (program) return program;
    return outcome == CUDA_PROGRAM_FAILED     ? WF_PROGRAM_FAILED
           : outcome == CUDA_PROGRAM_FOUND    ? CHECK_FOUND
           : outcome == CUDA_PROGRAM_MISMATCH ? WF_MISMATCH
                                              : program;
}

static int start(const struct options *o, const char *folder, const struct elf_program *elf,
                 const char *workplace)
{
    int ends[2];
    struct strbuf program = {0};
    char **words = heap_alloc((o->operands.count + 1) * sizeof *words);
    for (size_t i = 0; i < o->operands.count; i++)
        words[i] = (char *)(uintptr_t)o->operands.data[i]; // NOLINT: exec reads
    if (workplace) {
        put_path(words[0], &program);
        words[0] = program.text;
    }
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return WF_BAD_INPUT;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        set_environment(o, folder, elf, ends[1]);
        if (workplace && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || chdir(workplace) != 0))
            _exit(WF_BAD_INPUT);
        execvp(words[0], words);
        fprintf(stderr, "warpfold: cannot start %s: %s\n", words[0], strerror(errno));
        _exit(WF_BAD_INPUT);
    }
    free(words);
    strbuf_fini(&program);
    close(ends[1]);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before; // ^C ends the program; its status is told
    sigaction(SIGINT, &ignore, &before);
    int status = child < 0 ? WF_BAD_INPUT : wait_for(child);
    sigaction(SIGINT, &before, NULL);
    status = status_of(status, outcome_of(ends[0]));
    close(ends[0]);
    return status;
}

// -- the folder of --files ----------------------------------------------------------------------------------

// Links the files of `from`, also in folders, into the new folder `to`.
static bool link_files(const char *from, const char *to, struct diag *d)
{
    DIR *all = opendir(from);
    bool good = all != NULL;
    for (struct dirent *e; good && (e = readdir(all)) != NULL;) {
        struct strbuf old = {0}, new = {0};
        if (str_equal(e->d_name, ".") || str_equal(e->d_name, "..")) continue;
        strbuf_printf(&old, "%s/%s", from, e->d_name);
        strbuf_printf(&new, "%s/%s", to, e->d_name);
        good = file_is_regular(old.text) ? symlink(old.text, new.text) == 0
                                         : mkdir(new.text, 0777) == 0 && link_files(old.text, new.text, d);
        strbuf_fini(&old);
        strbuf_fini(&new);
    }
    if (!good && !d->errors) diag_error(d, loc_none(), "--files %s: %s", from, strerror(errno));
    if (all) closedir(all);
    return good;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

// Runs in a temporary folder with links to the files of --files, and removes the folder.
static int start_among_files(const struct options *o, const char *runtimes, const struct elf_program *elf,
                             struct diag *d)
{
    const char *files = options_value(o, OPTION_FILES), *temporary = getenv("TMPDIR");
    char *from = realpath(files, NULL);
    struct strbuf to = {0};
    int status = WF_BAD_INPUT;
    strbuf_printf(&to, "%s/warpfold-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!from || !mkdtemp(to.text)) {
        diag_error(d, loc_none(), "--files %s: %s", files, strerror(errno));
    } else {
        if (link_files(from, to.text, d)) status = start(o, runtimes, elf, to.text);
        nftw(to.text, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    strbuf_fini(&to);
    free(from);
    return status;
}

// Returns the exit status of the command.
static int run(const struct options *o, struct diag *d)
{
    struct strbuf folder = {0};
    struct elf_program elf;
    struct cuda_program_choice choice;
    int status = WF_BAD_USAGE;
    if (!o->operands.count) {
        diag_error(d, loc_none(), "%s --: name a program", options_command(o));
    } else if (cuda_program_check(o, d) && cuda_program_choose(&choice, o, d)) {
        status = WF_BAD_INPUT;
        if (elf_program_read(&elf, o->operands.data[0], d) && find_runtimes(&folder, d))
            status = options_has(o, OPTION_FILES) ? start_among_files(o, strbuf_text(&folder), &elf, d)
                                                  : start(o, strbuf_text(&folder), &elf, NULL);
    }
    strbuf_fini(&folder);
    return status;
}

bool cuda_program_is_named(const struct options *o)
{
    if (!o->is_behind_dashes || !o->operands.count) return o->is_behind_dashes;
    const char *path = o->operands.data[0];
    if (access(path, F_OK) != 0) return true; // in PATH, or an error
    return access(path, X_OK) == 0 && hosted_kind(path) != HOSTED_PROGRAM;
}

int cuda_program_command(struct options *o)
{
    struct diag d;
    diag_init(&d);
    int status = command_fail(&d, run(o, &d));
    diag_fini(&d);
    options_fini(o);
    return status;
}
