// The bundled programs, and files of programs.
#include "lab/program.h"
#include "base/file.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

// -- bundled files: the Makefile writes program_files.def ---------------------------------------------------

// clang-format off
#define FILE_OF(name, number)                                                                                \
    __asm__(".pushsection .rodata\n.global program_file_" #number "\n.global program_end_" #number           \
            "\nprogram_file_" #number ":\n.incbin \"kernels/riscv/elf/" name "\"\nprogram_end_" #number     \
            ":\n.byte 0\n.popsection\n");                                                                   \
    extern const char program_file_##number[], program_end_##number[];
// clang-format on
#include "lab/program_files.def"
#undef FILE_OF

static const struct {
    const char *name, *bytes, *end; // "VecAdd.elf", "rv32e/VecAdd.elf"
} files[] = {
#define FILE_OF(name, number) {name, program_file_##number, program_end_##number},
#include "lab/program_files.def"
#undef FILE_OF
};
enum { FILES = sizeof files / sizeof files[0] };

static const struct {
    const char *name;
    bool is_paper;
    const char *public_name;
} programs[] = {
#define PROGRAM(name, is_paper, public_name) {#name, is_paper, public_name},
#include "lab/program.def"
#undef PROGRAM
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static const char *next_program(const void *context, size_t i)
{
    (void)context;
    return i < PROGRAMS ? programs[i].name : NULL;
}

// -- codes --------------------------------------------------------------------------------------------------

static const struct {
    const char *name, *folder; // folder of the form's files
} codes[] = {{"rv32i", ""}, {"rv32e", "rv32e/"}};
enum { CODES = sizeof codes / sizeof codes[0] };
const char program_codes[] = "rv32i and rv32e";

static const char *folder_of(const char *code)
{
    for (size_t i = 0; i < CODES; i++)
        if (str_equal(codes[i].name, code)) return codes[i].folder;
    return NULL;
}

const char *program_code(const char *name)
{
    for (size_t i = 0; i < CODES; i++)
        if (str_equal(codes[i].name, name)) return codes[i].name;
    return NULL;
}

// -- subjects -----------------------------------------------------------------------------------------------

static void add(struct program_subjects *s, const char *name, const char *path)
{
    for (size_t i = 0; i < s->list.count; i++)
        if (str_equal(s->list.data[i].name, name)) return;
    vec_push(&s->list, (struct program_subject){name, path});
}

static bool add_own(struct program_subjects *s, const char *word, struct arena *arena, struct diag *d,
                    struct loc loc)
{
    char *path = file_is_regular(word) ? realpath(word, NULL) : NULL;
    if (!path) return diag_error(d, loc, "cannot find the program %s", word);
    const char *kept = arena_strndup(arena, path, strlen(path) - strlen(".elf")),
               *name = strrchr(kept, '/') + 1;
    bool good =
        !strpbrk(name, " \t\n") || diag_error(d, loc, "the program %s: the name must not have blanks", path);
    if (good) add(s, name, kept);
    free(path);
    return good;
}

bool program_subjects_add(struct program_subjects *s, const char *word, struct arena *arena, struct diag *d,
                          struct loc loc)
{
    if (str_ends_with(word, ".elf")) return add_own(s, word, arena, d, loc);
    bool is_group = str_equal(word, "simtight"), is_known = is_group;
    for (size_t i = 0; i < PROGRAMS; i++) {
        bool is_meant = is_group ? programs[i].is_paper : str_equal(programs[i].name, word);
        if (is_meant) add(s, programs[i].name, NULL);
        is_known |= is_meant;
    }
    if (is_known) return true;
    const char *near = str_nearest(word, next_program, NULL);
    return diag_error(d, loc, "no program \"%s\"%s%s%s", word, near ? "; did you mean \"" : "",
                      near ? near : "; kernels/riscv has some, and a path ends with .elf", near ? "\"?" : "");
}

const char *program_public_name(const char *name)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        if (str_equal(programs[i].name, name)) return programs[i].public_name;
    return name;
}

const char *program_size(const char *size) { return str_equal(size, "small") ? "small" : "paper"; }

const char *program_input(const char *size) { return str_equal(size, "small") ? "01" : "00"; }

// -- files --------------------------------------------------------------------------------------------------

// True: `name` is the name of `file` in a flat folder: "VecAdd.elf", "rv32e-VecAdd.elf".
static bool is_file_name(const char *name, const char *file)
{
    const char *slash = strchr(file, '/');
    size_t folder = slash ? (size_t)(slash - file) : 0;
    return slash ? strncmp(name, file, folder) == 0 && name[folder] == '-' &&
                       str_equal(name + folder + 1, slash + 1)
                 : str_equal(name, file);
}

const char *program_file(const char *name, size_t *length)
{
    for (size_t i = 0; i < FILES; i++) {
        if (!is_file_name(name, files[i].name)) continue;
        *length = (size_t)(files[i].end - files[i].bytes);
        return files[i].bytes;
    }
    return NULL;
}

const char *program_path(const struct program_subject *s, const char *code, struct arena *arena)
{
    const char *name = strrchr(s->path, '/') + 1;
    return arena_printf(arena, "%.*s%s%s.elf", (int)(name - s->path), s->path, folder_of(code), name);
}

const char *program_file_name(const struct program_subject *s, const char *code, struct arena *arena)
{
    size_t length;
    const char *folder = folder_of(code);
    if (s->path) {
        const char *path = program_path(s, code, arena);
        return file_is_regular(path) ? path : NULL;
    }
    const char *name = arena_printf(arena, "%s%s%s.elf", *folder ? code : "", *folder ? "-" : "", s->name);
    return program_file(name, &length) ? name : NULL;
}
