#include "cli/elf_program.h"
#include "base/file.h"
#include "base/str.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct elf_file {
    const char *bytes;
    size_t length;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
};

// Path of the program, searched in PATH like execvp. Heap; NULL: not found.
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path) return heap_strdup(name);
    struct strbuf full = {0};
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, ":");
        strbuf_clear(&full);
        strbuf_printf(&full, "%.*s/%s", (int)length, at, name);
        if (access(strbuf_text(&full), X_OK) == 0) return full.text;
        at += length;
        if (!*at) break;
    }
    strbuf_fini(&full);
    return NULL;
}

static bool is_inside(const struct elf_file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->length && bytes <= f->length - offset;
}

static bool open_elf(struct elf_file *f, const char *bytes, size_t length)
{
    *f = (struct elf_file){bytes, length, (const void *)bytes, NULL};
    if (length < sizeof *f->header || memcmp(bytes, ELFMAG, SELFMAG) != 0) return false;
    if (f->header->e_ident[EI_CLASS] != ELFCLASS64 || f->header->e_machine != EM_X86_64) return false;
    uint64_t table = (uint64_t)f->header->e_shnum * sizeof *f->sections;
    if (!is_inside(f, f->header->e_shoff, table) || f->header->e_shoff % 8) return false;
    f->sections = (const void *)(bytes + f->header->e_shoff);
    return f->header->e_shstrndx < f->header->e_shnum;
}

// A string of a string table; "" beyond its end.
static const char *text_at(const struct elf_file *f, const Elf64_Shdr *table, uint64_t offset)
{
    if (!is_inside(f, table->sh_offset, table->sh_size) || offset >= table->sh_size) return "";
    const char *text = f->bytes + table->sh_offset + offset;
    return memchr(text, 0, table->sh_size - offset) ? text : "";
}

// The section with the name; NULL: none inside the file.
static const Elf64_Shdr *section(const struct elf_file *f, const char *name)
{
    const Elf64_Shdr *names = &f->sections[f->header->e_shstrndx];
    for (unsigned i = 0; i < f->header->e_shnum; i++) {
        const Elf64_Shdr *s = &f->sections[i];
        bool there = s->sh_type == SHT_NOBITS || is_inside(f, s->sh_offset, s->sh_size);
        if (there && str_equal(text_at(f, names, s->sh_name), name)) return s;
    }
    return NULL;
}

// The libraries that warpfold stands in for.
static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.11.0"};
static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.11.0", "libcuda.so.1",
                                        "libcublas.so.13", "libcublas.so.12",   "libcublas.so.11",
                                        "libcurand.so.10"};

static void add_library(struct elf_program *p, const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!str_equal(name, libraries[i]) || p->library_count == ELF_LIBRARIES_MOST) continue;
        p->libraries[p->library_count++] = libraries[i];
        p->has_driver |= str_equal(name, "libcuda.so.1");
    }
}

// Fills the runtime and DT_RPATH from the dynamic section. *other: a CUDA runtime of another version, or NULL.
static void read_dynamic(const struct elf_file *f, struct elf_program *p, const char **other)
{
    const Elf64_Shdr *dynamic = section(f, ".dynamic"), *strings = section(f, ".dynstr");
    if (!dynamic || !strings || dynamic->sh_offset % 8) return;
    const Elf64_Dyn *entry = (const void *)(f->bytes + dynamic->sh_offset);
    for (size_t i = 0; i < dynamic->sh_size / sizeof *entry && entry[i].d_tag != DT_NULL; i++) {
        p->has_rpath |= entry[i].d_tag == DT_RPATH;
        if (entry[i].d_tag != DT_NEEDED) continue;
        const char *name = text_at(f, strings, entry[i].d_un.d_val);
        add_library(p, name);
        for (size_t k = 0; k < sizeof runtimes / sizeof *runtimes; k++)
            if (str_equal(name, runtimes[k])) p->runtime = runtimes[k];
        if (str_starts_with(name, "libcudart.so") && !p->runtime) *other = name;
    }
}

static bool judge(const struct elf_file *f, struct elf_program *p, const char *name, struct diag *d)
{
    const char *other = NULL;
    read_dynamic(f, p, &other);
    if (other)
        return diag_error(
            d, loc_none(),
            "%s needs %s; warpfold stands in for libcudart.so.13 and libcudart.so.11.0: build it "
            "with CUDA 13 or 11",
            name, other);
    if (p->runtime || p->has_driver || !section(f, ".nv_fatbin")) return true;
    return diag_error(d, loc_none(),
                      "%s has the CUDA runtime inside (linked statically, nvcc's default): link it with nvcc "
                      "-cudart shared",
                      name);
}

bool elf_program_read(struct elf_program *p, const char *name, struct diag *d)
{
    *p = (struct elf_program){0};
    char *path = find_program(name), *bytes;
    const char *why = "not found in PATH";
    size_t length;
    struct elf_file f;
    bool good = path && file_read(path, &bytes, &length, &why);
    free(path);
    if (!good) return diag_error(d, loc_none(), "cannot run %s: %s", name, why);
    good = !open_elf(&f, bytes, length) || judge(&f, p, name, d);
    free(bytes);
    return good;
}
