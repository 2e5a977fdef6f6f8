// The table of workloads, expanded from workload.def, and the PTX inside the library.
#include "workload/workload.h"
#include "base/str.h"

// The PTX is embedded in the object file, so the library works from any directory. kernels/rules.mk lists the
// files as prerequisites of the object.
#define EMBED(SYMBOL, PATH)                                                                                  \
    __asm__(".pushsection .rodata\n.global " SYMBOL "\n.global " SYMBOL "_end\n" SYMBOL ":\n.incbin \"" PATH \
            "\"\n" SYMBOL "_end:\n.byte 0\n.popsection\n");

#define VARIANT(NAME, OF, ...)                                                                               \
    EMBED("workload_ptx_nvcc_" #NAME, "kernels/ptx/nvcc/" #NAME ".ptx")                                      \
    EMBED("workload_ptx_clang_" #NAME, "kernels/ptx/clang/" #NAME ".ptx")                                    \
    EMBED("workload_source_" #NAME, "kernels/" #OF ".cu")                                                    \
    extern const char workload_ptx_nvcc_##NAME[], workload_ptx_nvcc_##NAME##_end[];                          \
    extern const char workload_source_##NAME[];                                                              \
    extern const char workload_ptx_clang_##NAME[], workload_ptx_clang_##NAME##_end[];                        \
    void workload_run_##NAME(struct host *h);
#define WORKLOAD(NAME, ...) VARIANT(NAME, NAME, __VA_ARGS__)
#define TENSOR_FILE(FILE)                                                                                    \
    EMBED("workload_ptx_tensor_" #FILE, "kernels/tensor/ptx/" #FILE ".ptx")                                  \
    EMBED("workload_source_tensor_" #FILE, "kernels/tensor/" #FILE ".cu")                                    \
    extern const char workload_ptx_tensor_##FILE[], workload_ptx_tensor_##FILE##_end[];                      \
    extern const char workload_source_tensor_##FILE[];
#define TENSOR(NAME, ...) void workload_run_##NAME(struct host *h);
#include "workload/workload.def"
#undef TENSOR
#undef TENSOR_FILE
#undef VARIANT

static const struct workload table[] = {
#define VARIANT(NAME, OF, TITLE, X, Y, Z, CLASS, TOLERANCE, ...)                                             \
    {.name = #NAME,                                                                                          \
     .file = #OF,                                                                                            \
     .title = TITLE,                                                                                         \
     .block = {X, Y, Z},                                                                                     \
     .output_class = WORKLOAD_CLASS_##CLASS,                                                                 \
     .tolerance = TOLERANCE,                                                                                 \
     .kernels = (const char *const[]){__VA_ARGS__, NULL},                                                    \
     .ptx_file = {"kernels/ptx/nvcc/" #NAME ".ptx", "kernels/ptx/clang/" #NAME ".ptx"},                      \
     .ptx = {workload_ptx_nvcc_##NAME, workload_ptx_clang_##NAME},                                           \
     .ptx_end = {workload_ptx_nvcc_##NAME##_end, workload_ptx_clang_##NAME##_end},                           \
     .source = workload_source_##NAME,                                                                       \
     .run = workload_run_##NAME},
#define TENSOR_FILE(FILE)
#define TENSOR(NAME, FILE, TITLE, X, Y, Z, CLASS, TOLERANCE, ...)                                            \
    {.name = #NAME,                                                                                          \
     .file = "tensor/" #FILE,                                                                                \
     .title = TITLE,                                                                                         \
     .block = {X, Y, Z},                                                                                     \
     .output_class = WORKLOAD_CLASS_##CLASS,                                                                 \
     .tolerance = TOLERANCE,                                                                                 \
     .kernels = (const char *const[]){__VA_ARGS__, NULL},                                                    \
     .ptx_file = {"kernels/tensor/ptx/" #FILE ".ptx"},                                                       \
     .ptx = {workload_ptx_tensor_##FILE},                                                                    \
     .ptx_end = {workload_ptx_tensor_##FILE##_end},                                                          \
     .source = workload_source_tensor_##FILE,                                                                \
     .run = workload_run_##NAME},
#include "workload/workload.def"
#undef TENSOR
#undef VARIANT
};

enum {
#define VARIANT(NAME, ...) COUNT_##NAME,
#define TENSOR(...)
#include "workload/workload.def"
#undef TENSOR
#undef TENSOR_FILE
#undef VARIANT
#undef WORKLOAD
    WORKLOAD_COUNT, // workloads that every GPU runs: the first rows of the table; rows TENSOR follow
    TABLE_COUNT = sizeof table / sizeof table[0]
};

const struct workload *workload_at(size_t i) { return i < WORKLOAD_COUNT ? &table[i] : NULL; }

static const struct workload_paper papers[] = {
#define PAPER(NAME, SUITE, FROM, INPUT, X, Y, KERNEL, TIMES, ORIGINAL, NOTE)                                 \
    {#NAME, SUITE, INPUT, WORKLOAD_FROM_##FROM, {X, Y}, KERNEL, TIMES, ORIGINAL, NOTE},
#include "workload/paper.def"
#undef PAPER
};

const struct workload_paper *workload_paper(const struct workload *w)
{
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
        if (str_equal(papers[i].workload, w->name)) return &papers[i];
    return NULL;
}

static const struct workload_slice slices[] = {
#define SLICE(NAME, INPUT, X, Y) {#NAME, INPUT, {X, Y}},
#include "workload/slice.def"
#undef SLICE
};

const struct workload_slice *workload_slice(const struct workload *w)
{
    for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++)
        if (str_equal(slices[i].workload, w->name)) return &slices[i];
    return NULL;
}

bool workload_has_size(const struct workload *w, enum workload_size size)
{
    return size == WORKLOAD_PAPER ? workload_paper(w) != NULL : size != WORKLOAD_SLICE || workload_slice(w);
}

static const char *name_at(const void *context, size_t i)
{
    (void)context;
    return i < TABLE_COUNT ? table[i].name : NULL;
}

const struct workload *workload_find(const char *name, const char **nearest)
{
    *nearest = NULL;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (str_equal(table[i].name, name)) return &table[i];
    *nearest = str_nearest(name, name_at, NULL);
    return NULL;
}

static const struct {
    const char *group, *abbreviation, *workload;
} members[] = {
#define MEMBER(group, abbreviation, workload) {#group, abbreviation, #workload},
#include "workload/groups.def"
#undef MEMBER
};
enum { MEMBER_COUNT = sizeof members / sizeof members[0] };

static const struct {
    const char *whose, *of;
    unsigned count;
} registers[] = {
#define REGISTERS(whose, of, count) {#whose, #of, count},
#include "workload/registers.def"
#undef REGISTERS
};

// Whether `part`, a name in groups.def such as "darsie_1d", is the group or belongs to the group: "darsie-1d"
// or "darsie". A dash in the group's name stands for an underscore.
static bool is_in(const char *part, const char *group)
{
    for (; *part && *group; part++, group++)
        if (*part != *group && !(*part == '_' && *group == '-')) return false;
    return !*group && (!*part || *part == '_');
}

static const char *abbreviation_of(const struct workload *w)
{
    for (size_t k = 0; k < MEMBER_COUNT; k++)
        if (str_equal(members[k].workload, w->name)) return members[k].abbreviation;
    return w->name;
}

const struct workload *workload_in_group(const char *group, size_t i, const char **abbreviation)
{
    const struct workload *w = NULL;
    const char *near;
    bool all = str_equal(group, "all");
    if (all) w = workload_at(i);
    if (w && abbreviation) *abbreviation = abbreviation_of(w);
    for (size_t k = 0; k < MEMBER_COUNT && !all; k++) {
        if (!is_in(members[k].group, group) || i--) continue;
        if (abbreviation) *abbreviation = members[k].abbreviation;
        return workload_find(members[k].workload, &near);
    }
    return w;
}

unsigned workload_registers(const char *whose, const char *of)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        if (is_in(registers[i].whose, whose) && str_equal(registers[i].of, of)) return registers[i].count;
    return 0;
}

bool workload_is_group(const char *group) { return workload_in_group(group, 0, NULL) != NULL; }

const char *workload_size_name(enum workload_size size)
{
    switch (size) {
    case WORKLOAD_SMALL: return "small";
    case WORKLOAD_MEDIUM: return "medium";
    case WORKLOAD_LARGE: return "large";
    case WORKLOAD_PAPER: return "paper";
    case WORKLOAD_SLICE: return "slice";
    }
    return "?";
}

bool workload_size_find(const char *name, enum workload_size *size)
{
    for (int i = 0; i < WORKLOAD_SIZES; i++)
        if (str_equal(workload_size_name((enum workload_size)i), name)) {
            *size = (enum workload_size)i;
            return true;
        }
    return false;
}

const char *workload_ptx_name(enum workload_ptx ptx)
{
    switch (ptx) {
    case WORKLOAD_NVCC: return "nvcc";
    case WORKLOAD_CLANG: return "clang";
    }
    return "?";
}

char workload_class_letter(enum workload_class output_class)
{
    switch (output_class) {
    case WORKLOAD_CLASS_D: return 'D';
    case WORKLOAD_CLASS_O: return 'O';
    case WORKLOAD_CLASS_R: return 'R';
    }
    return '?';
}
