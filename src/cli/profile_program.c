#include "cli/profile_program.h"
#include "base/file.h"
#include "base/json_read.h"
#include "cli/command.h"
#include "cli/cuda_program.h"
#include "cli/print.h"
#include "cli/profile_out.h"
#include "cli/what_if.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// -- the program once more ------------------------------------------------------------------------------------------

struct again { // how the program was started
    char path[PATH_MAX];
    const char *folder;
    char *text; // words of the command, each with a zero behind; heap
    VEC(char *) words;
};

// False: /proc does not say.
static bool again_init(struct again *a, const char *folder)
{
    const char *why;
    size_t length;
    *a = (struct again){.folder = folder};
    ssize_t n = readlink("/proc/self/exe", a->path, sizeof a->path - 1);
    if (n <= 0 || !file_read("/proc/self/cmdline", &a->text, &length, &why)) return false;
    a->path[n] = 0;
    for (char *at = a->text; at < a->text + length; at += strlen(at) + 1) vec_push(&a->words, at);
    vec_push(&a->words, NULL);
    return true;
}

static void again_fini(struct again *a)
{
    vec_fini(&a->words);
    free(a->text);
}

static void become(const struct again *a, const char *options)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++)
        if (nothing < 0 || dup2(nothing, fd) < 0) _exit(WF_BAD_INPUT);
    setenv(CUDA_PROGRAM_OPTIONS, options, 1);
    unsetenv(CUDA_PROGRAM_PIPE); // the outcome told is the base run's
    if (chdir(a->folder) == 0) execv(a->path, a->words.data);
    _exit(WF_BAD_INPUT);
}

static bool run_again(const struct again *a, const char *options)
{
    int status;
    pid_t child = fork();
    if (child == 0) become(a, options);
    if (child < 0) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) != WF_BAD_USAGE;
}

// -- a what-if run --------------------------------------------------------------------------------------------------

static uint64_t product(const struct json_value *sizes)
{
    uint64_t all = 1;
    for (const struct json_value *v = sizes ? sizes->first : NULL; v; v = v->next) all *= json_unsigned(v);
    return all;
}

// Fills the launches of `run` from the JSON of `run -- PROGRAM`.
static void read_launches(const struct json_value *json, struct report_run *run)
{
    const struct json_value *list = json_member(json, "launches");
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next) {
        const struct json_value *cycles = json_member(v, "cycles");
        const char *status = json_text(json_member(v, "status"));
        struct report_launch l = {.status = status && str_equal(status, "ok") ? WF_OK : WF_PROGRAM_FAILED,
                                  .cycles = json_is_number(cycles) ? json_unsigned(cycles) : WF_UNKNOWN,
                                  .warp_instructions = json_unsigned(json_member(v, "warp_instructions")),
                                  .blocks = product(json_member(v, "grid"))};
        vec_push(&run->launches, l);
    }
}

// Appends the options of the base run that say what is timed and how, a word a line.
static void put_options(const struct options *o, struct strbuf *out)
{
    for (size_t i = 0; i < o->given.count; i++) {
        const struct option_given *g = &o->given.data[i];
        bool is_own = g->id == OPTION_JSON || g->id == OPTION_PAGE || g->id == OPTION_BESIDE ||
                      g->id == OPTION_QUIET || g->id == OPTION_MAX_CYCLES;
        if (!is_own) strbuf_printf(out, "%s=%s\n", options_name(g->id), g->value ? g->value : "");
    }
}

// Makes trial number i.
static void try_rule(const struct again *a, const struct options *o, struct wf_context *c, struct profile *p,
                     size_t i)
{
    char path[] = "/tmp/warpfold-profile-XXXXXX";
    int fd = mkstemp(path);
    struct strbuf words = {0};
    struct arena arena = {0};
    struct report_run run = {0};
    char *text = NULL;
    const char *why;
    size_t length, offset;
    put_options(o, &words);
    strbuf_printf(&words, "--quiet\n--json=%s\n--max-cycles=%llu\n", path,
                  (unsigned long long)what_if_max_cycles(p->facts.run));
    bool good = fd >= 0 && what_if_words(c, &p->facts, p->trials[i].settings, &words) &&
                run_again(a, strbuf_text(&words)) && file_read(path, &text, &length, &why);
    const struct json_value *json = good ? json_parse(text, length, &arena, &why, &offset) : NULL;
    if (json) read_launches(json, &run);
    profile_tried(p, i, json ? &run : NULL, false, NULL);
    if (fd >= 0) close(fd);
    unlink(path);
    vec_fini(&run.launches);
    arena_fini(&arena);
    strbuf_fini(&words);
    free(text);
}

// -- results --------------------------------------------------------------------------------------------------------

static bool put_file(const char *path, const struct strbuf *text)
{
    const char *why;
    if (file_write(path, strbuf_text(text), text->length, &why)) return true;
    fprintf(stderr, "warpfold: cannot write %s: %s\n", path, why);
    return false;
}

static bool publish(struct profile *p, struct report_run *report, const struct options *o,
                    const char *program)
{
    struct profile_out out;
    struct diag d;
    diag_init(&d);
    const struct profile_request request = {.files = {.modules = &program, .module_count = 1},
                                            .beside = options_value(o, OPTION_BESIDE),
                                            .page_path = profile_out_path(o),
                                            .has_json = options_has(o, OPTION_JSON),
                                            .colour = file_takes_colour(STDERR_FILENO)};
    profile_out_make(&out, p, report, &request, &d);
    bool good = command_fail(&d, WF_OK) == WF_OK && put_file(profile_out_path(o), &out.page);
    if (good && options_has(o, OPTION_JSON)) good = put_file(options_value(o, OPTION_JSON), &out.json);
    if (good && !options_has(o, OPTION_QUIET)) print_text(stderr, strbuf_text(&out.text));
    profile_out_fini(&out);
    diag_fini(&d);
    return good;
}

bool profile_program(struct report_run *report, struct wf_context *c, const struct options *o,
                     const char *folder)
{
    struct again a;
    struct profile p;
    if (!again_init(&a, folder)) {
        fputs("warpfold: /proc does not tell how the program was started: no profile\n", stderr);
        return false;
    }
    report_run_compare(report, c);
    report->config_json = wf_config_json(c);
    profile_init(&p, report, c, false);
    for (size_t i = 0; i < p.trial_count; i++) try_rule(&a, o, c, &p, i);
    profile_rank(&p);
    bool good = publish(&p, report, o, a.path);
    profile_fini(&p);
    again_fini(&a);
    return good;
}
