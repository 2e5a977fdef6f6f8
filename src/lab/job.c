#include "lab/job.h"
#include "api/warpfold.h"
#include "base/file.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void jobs_init(struct jobs *j)
{
    *j = (struct jobs){0};
    arena_init(&j->arena);
}

void jobs_fini(struct jobs *j)
{
    vec_fini(&j->list);
    vec_fini(&j->files);
    for (size_t i = 0; i < j->bundles.count; i++) own_bundle_fini(&j->bundles.data[i]);
    vec_fini(&j->bundles);
    strmap_fini(&j->by_variables);
    own_cache_fini(&j->compiled);
    strmap_fini(&j->by_id);
    arena_fini(&j->arena);
}

// The text of an experiment's file or of a workload's PTX; NULL: unknown name.
static const char *ptx_text(const char *name)
{
    const char *text = experiment_file(name), *near;
    if (text || !str_ends_with(name, ".ptx")) return text;
    char *stem = heap_strndup(name, strlen(name) - strlen(".ptx"));
    const struct workload *w = workload_find(stem, &near);
    free(stem);
    return w ? w->ptx[WORKLOAD_NVCC] : NULL;
}

const char *jobs_file(const char *name, size_t *length)
{
    if (str_ends_with(name, ".elf")) return program_file(name, length);
    const char *text = ptx_text(name);
    *length = text ? strlen(text) : 0;
    return text;
}

static uint64_t hash_text(const char *text, uint64_t seed) { return hash_bytes(text, strlen(text), seed); }

static size_t add(struct jobs *j, struct job job, uint64_t kernel_hash)
{
    snprintf(job.kernel_hash, sizeof job.kernel_hash, "%016" PRIx64, kernel_hash);
    struct strbuf key = {0};
    strbuf_printf(&key, "%s\n%s\n%s", job.command, job.kernel_hash, WF_VERSION);
    snprintf(job.id, sizeof job.id, "%016" PRIx64, hash_bytes(key.text, key.length, 0));
    strbuf_fini(&key);
    uint32_t known;
    if (strmap_get(&j->by_id, job.id, 16, &known)) return known;
    strmap_set(&j->by_id, arena_strndup(&j->arena, job.id, 16), 16, (uint32_t)j->list.count);
    vec_push(&j->list, job);
    return j->list.count - 1;
}

// "--set a=1 --set b=2" from "a=1 b=2"; for pairs "--place all" from "place=all".
static void add_settings(struct strbuf *command, const char *settings)
{
    static const char place[] = "place=";
    while (*settings) {
        size_t length = strcspn(settings, " "), from = str_starts_with(settings, place) ? strlen(place) : 0;
        if (length)
            strbuf_printf(command, " --%s %.*s", from ? "place" : "set", (int)(length - from),
                          settings + from);
        settings += length + (settings[length] == ' ');
    }
}

// Copies settings to `out`, except the words size=WORD. Returns the last such word's size, else `size`.
static const char *split_size(struct jobs *j, const char *settings, const char *size, struct strbuf *out)
{
    static const char key[] = "size=";
    while (*settings) {
        size_t length = strcspn(settings, " "), from = strlen(key);
        if (str_starts_with(settings, key))
            size = arena_strndup(&j->arena, settings + from, length - from);
        else if (length)
            strbuf_printf(out, "%s%.*s", out->length ? " " : "", (int)length, settings);
        settings += length + (settings[length] == ' ');
    }
    return size;
}

static const char *keep(struct jobs *j, struct strbuf *text)
{
    const char *kept = arena_strndup(&j->arena, strbuf_text(text), text->length);
    strbuf_fini(text);
    return kept;
}

// Adds a file read by commands to the list of files to write into the results' folder, without duplicates.
static const struct job_file *want_file(struct jobs *j, const char *name)
{
    for (size_t i = 0; i < j->files.count; i++)
        if (str_equal(j->files.data[i].name, name)) return &j->files.data[i];
    struct job_file file = {.name = name};
    file.bytes = jobs_file(name, &file.length);
    vec_push(&j->files, file);
    return &j->files.data[j->files.count - 1];
}

// The copy of an own program, under a name with the hash of its bytes. NULL and an error.
static const struct job_file *want_own_program(struct jobs *j, const struct program_subject *s,
                                               const char *path)
{
    for (size_t i = 0; i < j->files.count; i++)
        if (j->files.data[i].path && str_equal(j->files.data[i].path, path)) return &j->files.data[i];
    struct job_file file = {.path = path};
    const char *why;
    char *bytes;
    if (!file_read(path, &bytes, &file.length, &why)) {
        if (j->diag) diag_error(j->diag, loc_none(), "cannot read %s: %s", path, why);
        return NULL;
    }
    file.bytes = arena_strndup(&j->arena, bytes, file.length);
    free(bytes);
    file.name =
        arena_printf(&j->arena, "%s-%016" PRIx64 ".elf", s->name, hash_bytes(file.bytes, file.length, 0));
    vec_push(&j->files, file);
    return &j->files.data[j->files.count - 1];
}

static const struct workload *workload_named(const char *name)
{
    const char *near;
    return workload_find(name, &near);
}

// Hash of the PTX of kernels, named in a list with commas; `ptx`: the compiler of the PTX, clang or nvcc.
static uint64_t hash_kernels(const char *names, const char *ptx)
{
    uint64_t hash = 0;
    char *list = heap_strdup(names), *rest = list;
    for (const char *name; (name = strsep(&rest, ",")) != NULL;)
        hash = hash_text(workload_named(name)->ptx[str_equal(ptx, "clang") ? WORKLOAD_CLANG : WORKLOAD_NVCC],
                         hash);
    free(list);
    return hash;
}

// Inputs of size slice run on the slice of the chip that they fill, unless the settings name another.
static void add_slice(const char *size, struct strbuf *settings)
{
    if (!str_equal(size, "slice") || strstr(strbuf_text(settings), "gpu.slice=")) return;
    strbuf_printf(settings, "%sgpu.slice=%d", settings->length ? " " : "", WORKLOAD_SLICE_PARTS);
}

// Adds a timed run. operands: the words of the command with the kernels; subject: the kernels, separated by
// commas; before: settings ahead of the experiment's.
static size_t add_timed(struct jobs *j, const struct experiment *x, const char *kind, const char *operands,
                        const char *subject, const char *before, const char *size,
                        const struct experiment_view *view, const struct experiment_series *series)
{
    struct strbuf command = {0}, all = {0}, given = {0};
    const char *gpu = series->gpu ? series->gpu : view->gpu;
    strbuf_printf(&given, "%s%s%s%s", before, x->settings, *x->settings && *series->settings ? " " : "",
                  series->settings);
    size = split_size(j, strbuf_text(&given), size, &all);
    strbuf_fini(&given);
    add_slice(size, &all);
    strbuf_printf(&command, "%s %s --size %s --ptx %s --gpu %s --set compile.profile=%s", kind, operands,
                  size, x->ptx, gpu, view->profile);
    if (x->reference) strbuf_printf(&command, " --reference %s", x->reference);
    add_settings(&command, strbuf_text(&all));
    strbuf_printf(&command, " --tech %s", series->what);
    struct job job = {.command = keep(j, &command),
                      .kind = kind,
                      .subject = subject,
                      .source = x->ptx,
                      .size = size,
                      .gpu = gpu,
                      .profile = view->profile,
                      .tech = series->what,
                      .settings = keep(j, &all)};
    return add(j, job, hash_kernels(subject, x->ptx));
}

// Fewest registers for code: a table's number may be of a paper's smallest kernel (SRADv1's 5), and 12 hold an address
// and two operands and the result of an operation on 64 bits.
enum { CODE_REGISTERS_LEAST = 12 };

size_t jobs_bench(struct jobs *j, const struct experiment *x, const char *kernel, unsigned registers,
                  const char *size, const struct experiment_view *view,
                  const struct experiment_series *series)
{
    char before[80] = ""; // later settings override
    unsigned code = registers < CODE_REGISTERS_LEAST ? CODE_REGISTERS_LEAST : registers;
    if (registers) snprintf(before, sizeof before, "launch.registers=%u ", registers);
    if (registers && x->compiles)
        snprintf(before + strlen(before), sizeof before - strlen(before), "compile.max_registers=%u ", code);
    return add_timed(j, x, "bench", kernel, kernel, before, size, view, series);
}

// -- the user's own runs ------------------------------------------------------------------------------------

// Copies words of settings: for keys, or for the subject (own_is_word).
static char *pick_words(const char *settings, bool own)
{
    struct strbuf out = {0};
    char *copy = heap_strdup(settings), *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word && own_is_word(word) == own) strbuf_printf(&out, "%s%s", out.length ? " " : "", word);
    free(copy);
    return out.text ? out.text : heap_strdup("");
}

// The bundle of a subject for values of variables, made once.
static const struct own_bundle *bundle_of(struct jobs *j, const struct experiment *x,
                                          const struct own_subject *own, const char *words)
{
    uint32_t index;
    const char *key = arena_printf(&j->arena, "%p %s", (const void *)own, words);
    if (strmap_get(&j->by_variables, key, strlen(key), &index)) return &j->bundles.data[index];
    struct own_bundle b;
    if (!own_bundle_make(&b, &x->own, own, words, &j->compiled, &j->arena, j->diag, loc_none())) {
        own_bundle_fini(&b);
        return NULL;
    }
    strmap_set(&j->by_variables, key, strlen(key), (uint32_t)j->bundles.count);
    vec_push(&j->bundles, b);
    return &vec_last(&j->bundles);
}

static void add_options(struct strbuf *command, const char *words)
{
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (*words == '-') strbuf_printf(command, " %.*s", (int)length, words);
    }
}

size_t jobs_own(struct jobs *j, const struct experiment *x, const struct own_subject *own,
                const struct experiment_view *view, const struct experiment_series *series)
{
    struct strbuf all = {0}, command = {0};
    const char *gpu = series->gpu ? series->gpu : view->gpu;
    strbuf_printf(&all, "%s%s%s", x->settings, *x->settings && *series->settings ? " " : "",
                  series->settings);
    char *words = pick_words(strbuf_text(&all), true), *keys = pick_words(strbuf_text(&all), false);
    const struct own_bundle *b = j->diag ? bundle_of(j, x, own, words) : NULL;
    size_t index = NO_JOB;
    if (b) {
        strbuf_printf(&command, "%s --gpu %s --set compile.profile=%s", b->head, gpu, view->profile);
        add_options(&command, words);
        add_settings(&command, keys);
        strbuf_printf(&command, " --tech %s%s", series->what, b->tail);
        struct job job = {.command = keep(j, &command),
                          .kind = "own",
                          .subject = own->name,
                          .gpu = gpu,
                          .profile = view->profile,
                          .tech = series->what,
                          .settings =
                              arena_printf(&j->arena, "%s%s%s", words, *words && *keys ? " " : "", keys)};
        index = add(j, job, strtoull(b->hash, NULL, 16));
    }
    free(words);
    free(keys);
    strbuf_fini(&all);
    return index;
}

size_t jobs_mix(struct jobs *j, const struct experiment *x, const struct experiment_pair *pair,
                const char *size, const struct experiment_view *view, const struct experiment_series *series)
{
    unsigned first = workload_registers(x->group, pair->first),
             second = workload_registers(x->group, pair->second);
    const char *given = first || second ? arena_printf(&j->arena, " --registers %u,%u", first, second) : "";
    const char *operands = arena_printf(&j->arena, "%s %s%s", pair->first, pair->second, given),
               *subject = arena_printf(&j->arena, "%s,%s", pair->first, pair->second);
    return add_timed(j, x, "mix", operands, subject, "", size, view, series);
}

static bool is_timed(const char *study)
{
    struct wf_study *s = wf_study_create(study);
    bool timed = s && wf_study_times(s);
    wf_study_destroy(s);
    return timed;
}

size_t jobs_study(struct jobs *j, const struct experiment *x, const char *kernel, unsigned registers,
                  const char *size, const struct experiment_view *view)
{
    struct strbuf command = {0};
    if (kernel)
        strbuf_printf(&command, "study %s --bench %s --size %s --ptx %s", x->study, kernel, size, x->ptx);
    else
        strbuf_printf(&command, "study %s kernels/%s %s", x->study, x->file,
                      x->arguments ? x->arguments : "");
    strbuf_printf(&command, " --set compile.profile=%s", view->profile);
    if (is_timed(x->study)) strbuf_printf(&command, " --gpu %s", view->gpu);
    if (is_timed(x->study) && registers) strbuf_printf(&command, " --set launch.registers=%u", registers);
    add_settings(&command, x->settings);
    if (!kernel) want_file(j, x->file);
    struct job job = {.command = keep(j, &command),
                      .kind = "study",
                      .subject = kernel ? kernel : x->file,
                      .source = kernel ? x->ptx : NULL,
                      .size = kernel ? size : NULL,
                      .gpu = is_timed(x->study) ? view->gpu : NULL,
                      .profile = view->profile,
                      .settings = x->settings};
    return add(j, job, kernel ? hash_kernels(kernel, x->ptx) : hash_text(ptx_text(x->file), 0));
}

size_t jobs_marks(struct jobs *j, const struct experiment *x, const char *kernel,
                  const struct experiment_view *view)
{
    const struct workload *w = workload_named(kernel);
    struct strbuf command = {0}, file = {0};
    strbuf_printf(&file, "%s.ptx", kernel);
    const char *name = keep(j, &file);
    want_file(j, name);
    strbuf_printf(&command, "mark kernels/%s --kernel %s --block %u,%u,%u --set compile.profile=%s", name,
                  w->kernels[0], w->block[0], w->block[1], w->block[2], view->profile);
    add_settings(&command, x->settings);
    struct job job = {.command = keep(j, &command),
                      .kind = "mark",
                      .subject = kernel,
                      .source = "nvcc",
                      .profile = view->profile,
                      .settings = x->settings};
    return add(j, job, hash_text(w->ptx[WORKLOAD_NVCC], 0));
}

size_t jobs_program(struct jobs *j, const struct experiment *x, const struct program_subject *program,
                    const char *size, const char *gpu, const char *code, const char *settings)
{
    struct strbuf command = {0}, both = {0};
    const char *name = program_file_name(program, code, &j->arena);
    const struct job_file *file = program->path ? want_own_program(j, program, name) : want_file(j, name);
    if (!file) return NO_JOB;
    strbuf_printf(&command, "run kernels/%s --input %s --gpu %s", file->name,
                  x->input ? x->input : program_input(size), gpu);
    strbuf_printf(&both, "%s%s%s", x->settings, *x->settings && *settings ? " " : "", settings);
    add_settings(&command, strbuf_text(&both));
    struct job job = {.command = keep(j, &command),
                      .kind = "program",
                      .subject = program->name,
                      .size = size,
                      .gpu = gpu,
                      .profile = code,
                      .tech = "base",
                      .settings = keep(j, &both)};
    return add(j, job, hash_bytes(file->bytes, file->length, 0));
}

size_t jobs_script(struct jobs *j, const struct job_script *s)
{
    struct strbuf command = {0}, all = {0};
    strbuf_printf(&all, "%s%s%s", s->settings, *s->settings && *s->more ? " " : "", s->more);
    strbuf_printf(&command, "run --script %s --gpu %s", s->path, s->gpu);
    add_settings(&command, s->silent);
    add_settings(&command, strbuf_text(&all));
    struct job job = {.command = keep(j, &command),
                      .kind = "run",
                      .subject = s->subject,
                      .gpu = s->gpu,
                      .tech = "base",
                      .settings = keep(j, &all),
                      .left_out = s->left_out};
    return add(j, job, s->hash);
}
