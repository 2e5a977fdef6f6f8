#include "toolchain/cuda.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
    VEC(const char *) list;
    struct arena arena;
};

struct build {
    const struct toolchain_order *order;
    struct toolchain_ptx *ptx;
    struct diag *diag;
    struct words words;
    char folder[40];    // temporary
    const char *source; // path of the text to compile: the order's, or a wrapper around it
};

bool toolchain_is_cuda(const char *path) { return str_ends_with(path, ".cu"); }

const char *toolchain_words(const char *words, bool *nvcc)
{
    static const char name[] = "nvcc";
    *nvcc = words && str_starts_with(words, name) && strchr(" \t,", words[strlen(name)]);
    return *nvcc ? words + strlen(name) + strspn(words + strlen(name), ",") : words;
}

void toolchain_ptx_fini(struct toolchain_ptx *ptx)
{
    free(ptx->text);
    free(ptx->compiler);
    free(ptx->said);
    *ptx = (struct toolchain_ptx){0};
}

// -- programs -----------------------------------------------------------------------------------------------

// The path of a program in PATH, in the arena; NULL: not there.
static const char *find_program(const char *name, struct arena *arena)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        const char *file = arena_printf(arena, "%.*s/%s", (int)length, at, name);
        if (length && file_is_regular(file) && access(file, X_OK) == 0) return file;
        at += length + (at[length] == ':');
    }
    return NULL;
}

static const char *find_clang(struct arena *arena)
{
    enum { NEWEST = 30, OLDEST = 14 };
    const char *found = find_program("clang", arena);
    for (unsigned version = NEWEST; !found && version >= OLDEST; version--)
        found = find_program(arena_printf(arena, "clang-%u", version), arena);
    return found;
}

// The folder of CUDA's headers: in the source tree beside the build, or installed. NULL: neither.
static const char *find_headers(struct arena *arena)
{
    static const char *const places[] = {"/../kernels/include", "/../share/warpfold/include"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = arena_printf(arena, "%s%s", self, places[i]);
        if (file_is_regular(arena_printf(arena, "%s/cuda_runtime.h", folder))) return folder;
    }
    return NULL;
}

// -- a process ----------------------------------------------------------------------------------------------

static char *read_text(const char *path)
{
    char *text;
    size_t length;
    const char *why;
    return file_read(path, &text, &length, &why) ? text : heap_strdup("");
}

// Runs the words, with output and errors into files. Returns the exit status; -1: not started or killed.
static int run_words(const struct words *w, const char *out, const char *err)
{
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDONLY), to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
            errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (nothing < 0 || to < 0 || errors < 0) _exit(127);
        dup2(nothing, STDIN_FILENO);
        dup2(to, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        execv(w->list.data[0], (char **)(uintptr_t)w->list.data); // NOLINT: exec reads
        _exit(127);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void add_words(struct words *w, const char *text)
{
    char *copy = arena_strndup(&w->arena, text, strlen(text));
    for (char *word; (word = strsep(&copy, " \t")) != NULL;)
        if (*word) vec_push(&w->list, word);
}

static const char *in_folder(struct build *b, const char *name)
{
    return arena_printf(&b->words.arena, "%s/%s", b->folder, name);
}

// -- the two compilers --------------------------------------------------------------------------------------

static bool order_clang(struct build *b)
{
    struct words *w = &b->words;
    const char *clang = find_clang(&w->arena), *headers = find_headers(&w->arena);
    if (!clang)
        return diag_error(
            b->diag, loc_none(),
            "%s: no clang in PATH to compile CUDA C; install clang (Debian, Ubuntu: apt-get install "
            "clang; Fedora: dnf install clang), use nvcc (--cc nvcc), or name PTX made elsewhere by "
            "nvcc -ptx",
            b->order->path);
    if (!headers)
        return diag_error(b->diag, loc_none(),
                          "%s: CUDA's headers are missing: no kernels/include beside the build",
                          b->order->path);
    vec_push(&w->list, clang);
    add_words(
        w, "-x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib "
           "-O3 -Xclang -target-feature -Xclang +ptx70 -gline-directives-only -isystem");
    vec_push(&w->list, headers);
    add_words(w, "-include cuda_runtime.h");
    return true;
}

static bool order_nvcc(struct build *b)
{
    struct words *w = &b->words;
    const char *nvcc = find_program("nvcc", &w->arena);
    if (!nvcc && access("/usr/local/cuda/bin/nvcc", X_OK) == 0) nvcc = "/usr/local/cuda/bin/nvcc";
    if (!nvcc)
        return diag_error(b->diag, loc_none(),
                          "%s: no nvcc in PATH or /usr/local/cuda/bin; without --cc nvcc clang "
                          "compiles CUDA C",
                          b->order->path);
    vec_push(&w->list, nvcc);
    add_words(w, "-arch=compute_80 -ptx -O3 -lineinfo");
    return true;
}

// The line of `COMPILER --version` with the version. Heap.
static char *version_of(struct build *b, const char *compiler)
{
    struct words ask = {0};
    const char *out = in_folder(b, "version");
    vec_push(&ask.list, compiler);
    vec_push(&ask.list, "--version");
    vec_push(&ask.list, NULL);
    run_words(&ask, out, in_folder(b, "version-errors"));
    char *text = read_text(out), *line = strstr(text, "release ");
    while (line && line > text && line[-1] != '\n') line--;
    if (!line) line = text;
    char *version = b->order->nvcc ? heap_strdup("nvcc, ") : heap_strdup("");
    struct strbuf all = {0};
    strbuf_printf(&all, "%s%.*s", version, (int)strcspn(line, "\n"), line);
    free(version);
    free(text);
    vec_fini(&ask.list);
    return all.text ? all.text : heap_strdup("");
}

// -- the text -----------------------------------------------------------------------------------------------

// Writes a text that includes the source and takes the address of the wanted kernel, so that the compiler makes the
// kernel's instance.
static bool write_wrapper(struct build *b, const char *whole)
{
    struct strbuf text = {0};
    const char *why;
    b->source = in_folder(b, "instance.cu");
    strbuf_printf(&text,
                  "#include \"%s\"\n#line 1 \"--kernel\"\n"
                  "__attribute__((used)) static void *warpfold_instance = (void *)(%s);\n",
                  whole, b->order->kernel);
    bool good = file_write(b->source, text.text, text.length, &why) ||
                diag_error(b->diag, loc_none(), "cannot write %s: %s", b->source, why);
    strbuf_fini(&text);
    return good;
}

static bool prepare_source(struct build *b)
{
    const char *why;
    char *whole = realpath(b->order->path, NULL);
    bool is_wanted = b->order->kernel && strchr(b->order->kernel, '<'), good = true;
    b->source = b->order->path;
    if (!whole || !file_can_read(whole, &why))
        good = diag_error(b->diag, loc_none(), "cannot read %s: %s", b->order->path,
                          whole ? why : strerror(errno));
    else if (is_wanted)
        good = write_wrapper(b, arena_strndup(&b->words.arena, whole, strlen(whole)));
    if (good && is_wanted) {
        *strrchr(whole, '/') = 0;
        vec_push(&b->words.list, "-I");
        vec_push(&b->words.list, arena_printf(&b->words.arena, "%s", *whole ? whole : "/"));
    }
    free(whole);
    return good;
}

static bool compile(struct build *b)
{
    struct words *w = &b->words;
    const char *out = in_folder(b, "out.ptx"), *errors = in_folder(b, "errors"), *why;
    if (!(b->order->nvcc ? order_nvcc(b) : order_clang(b)) || !prepare_source(b)) return false;
    if (b->order->options) add_words(w, b->order->options);
    if (!b->order->nvcc) vec_push(&w->list, "-S");
    vec_push(&w->list, "-o");
    vec_push(&w->list, out);
    vec_push(&w->list, b->source);
    vec_push(&w->list, NULL);
    int status = run_words(w, in_folder(b, "output"), errors);
    b->ptx->said = read_text(errors);
    if (status != 0) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s does not compile (%s):\n%s", b->order->path, w->list.data[0], b->ptx->said);
        diag_text(b->diag, DIAG_ERROR, loc_none(), text.text);
        strbuf_fini(&text);
        return false;
    }
    b->ptx->compiler = version_of(b, w->list.data[0]);
    return file_read(out, &b->ptx->text, &b->ptx->length, &why) ||
           diag_error(b->diag, loc_none(), "%s: the compiler left no PTX: %s", b->order->path, why);
}

static void remove_folder(struct build *b)
{
    static const char *const names[] = {"out.ptx", "errors",         "output",
                                        "version", "version-errors", "instance.cu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_folder(b, names[i]));
    rmdir(b->folder);
}

bool toolchain_compile(const struct toolchain_order *order, struct toolchain_ptx *ptx, struct diag *d)
{
    struct build b = {.order = order, .ptx = ptx, .diag = d, .folder = "/tmp/warpfold-cu-XXXXXX"};
    *ptx = (struct toolchain_ptx){0};
    if (!mkdtemp(b.folder))
        return diag_error(d, loc_none(), "cannot make a folder in /tmp: %s", strerror(errno));
    arena_init(&b.words.arena);
    bool good = compile(&b);
    remove_folder(&b);
    vec_fini(&b.words.list);
    arena_fini(&b.words.arena);
    if (!good) toolchain_ptx_fini(ptx);
    return good;
}
