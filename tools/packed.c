// packed: makes, reads and checks packed files (src/base/packed.h), such as silicon/ptx/*.ptx.packed.
//
//     packed pack FOLDER FILE...      writes FOLDER/NAME.packed of every file
//     packed unpack FOLDER FILE...    writes FOLDER/NAME of every FILE NAME.packed
//     packed show FILE                prints the text of a file, packed or not
//     packed list FILE...             checks every file, and prints bytes of text, bytes of the file, name
//
// Ends with 1 after a message if a file cannot be read, is damaged, or cannot be written.
#include "base/packed.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool complain(const char *path, const char *why)
{
    fprintf(stderr, "packed: %s: %s\n", path, why);
    return false;
}

static bool write_to(const char *folder, const char *name, size_t name_length, const char *ending,
                     const char *bytes, size_t length)
{
    struct strbuf path = {0};
    const char *why;
    strbuf_printf(&path, "%s/%.*s%s", folder, (int)name_length, name, ending);
    bool good = file_write(path.text, bytes, length, &why) || complain(path.text, why);
    strbuf_fini(&path);
    return good;
}

static bool pack(const char *folder, const char *path)
{
    struct strbuf packed = {0};
    char *text;
    size_t length;
    const char *why, *name = name_of(path);
    if (!file_read(path, &text, &length, &why)) return complain(path, why);
    bool good = packed_write(text, length, &packed) &&
                write_to(folder, name, strlen(name), PACKED_ENDING, packed.text, packed.length);
    strbuf_fini(&packed);
    free(text);
    return good;
}

static bool unpack(const char *folder, const char *path)
{
    char *text;
    size_t length;
    const char *why, *name = name_of(path);
    if (!str_ends_with(name, PACKED_ENDING)) return complain(path, "does not end in " PACKED_ENDING);
    if (!packed_read_file(path, &text, &length, &why)) return complain(path, why);
    bool good = write_to(folder, name, strlen(name) - strlen(PACKED_ENDING), "", text, length);
    free(text);
    return good;
}

static bool show(const char *path)
{
    char *text;
    size_t length;
    const char *why;
    if (!packed_read_file(path, &text, &length, &why)) return complain(path, why);
    bool good = fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0;
    free(text);
    return good || complain(path, "cannot be printed");
}

static bool list(const char *path)
{
    char *bytes, *text;
    size_t length, text_length;
    const char *why;
    if (!file_read(path, &bytes, &length, &why)) return complain(path, why);
    bool good = packed_read(bytes, length, &text, &text_length, &why);
    free(bytes);
    if (!good) return complain(path, why);
    free(text);
    printf("%8zu %7zu %s\n", text_length, length, path);
    return true;
}

int main(int argc, char **argv)
{
    const char *command = argc > 2 ? argv[1] : "";
    bool has_folder = str_equal(command, "pack") || str_equal(command, "unpack"), good = true;
    if (!has_folder && !str_equal(command, "list") && !(str_equal(command, "show") && argc == 3)) {
        fputs("usage: packed pack|unpack FOLDER FILE...   packed list FILE...   packed show FILE\n", stderr);
        return 2;
    }
    for (int i = has_folder ? 3 : 2; i < argc; i++)
        good = (str_equal(command, "pack")     ? pack(argv[2], argv[i])
                : str_equal(command, "unpack") ? unpack(argv[2], argv[i])
                : str_equal(command, "list")   ? list(argv[i])
                                               : show(argv[i])) &&
               good;
    return !good;
}
