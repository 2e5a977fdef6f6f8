// The build commands of docs/explanation/riscv.md: every option is also an option of kernels/riscv/make-elf. Where the
// compiler is installed, the built program passes its self test.
#include "base/arena.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

// The page's indented command for a compiler, lines joined; "" when absent. Heap.
static char *command_of(const char *page, const char *compiler)
{
    struct strbuf line = {0}, out = {0};
    strbuf_printf(&line, "\n    %s ", compiler);
    const char *at = strstr(page, strbuf_text(&line));
    strbuf_fini(&line);
    for (bool goes_on = at != NULL; goes_on;) {
        at += 1 + strspn(at + 1, " ");
        size_t length = strcspn(at, "\n");
        goes_on = length && at[length - 1] == '\\';
        strbuf_write(&out, at, length - goes_on);
        at += length;
    }
    return out.text ? out.text : heap_strdup("");
}

// Whether the word stands alone in the text.
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == text || strchr(" \n\"", at[-1]);
        if (begins && strchr(" \n\"", at[length])) return true;
    }
    return false;
}

// Options without an equal in make-elf's commands for gcc and for clang 19.
static bool is_compilers_own(const char *word)
{
    static const char *const own[] = {"-march=rv32ima", "-fuse-ld=lld", "-o"};
    for (size_t k = 0; k < TEST_COUNT(own); k++)
        if (str_equal(word, own[k])) return true;
    return false;
}

static void check_options(struct test *t, const char *command)
{
    char *script = test_read_file(t, "kernels/riscv/make-elf", NULL), *words = heap_strdup(command),
         *rest = words;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word == '-' && !is_compilers_own(word))
            CHECK_MSG(t, has_word(script, word), "%s: kernels/riscv/make-elf builds without", word);
    free(words);
    free(script);
}

static void check_run(struct test *t, const char *command)
{
    struct strbuf line = {0};
    char *out = NULL, *err = NULL;
    const char *file = strstr(command, " -o vecadd.elf ");
    CHECK_MSG(t, file, "no \"-o vecadd.elf\" in: %s", command);
    if (!file) return;
    strbuf_printf(&line, "%.*s -o %s/vecadd.elf %s && %s run %s/vecadd.elf --quiet", (int)(file - command),
                  command, test_directory(t), file + strlen(" -o vecadd.elf "), test_binary(),
                  test_directory(t));
    int status = test_command(strbuf_text(&line), 120, &out, &err);
    CHECK_MSG(t, status == 0, "%s\n    ends with status %d: %s", strbuf_text(&line), status, err);
    CHECK_STR(t, out, "VecAdd 3000: self test passed\n");
    free(out);
    free(err);
    strbuf_fini(&line);
}

static void check(struct test *t, const char *compiler, const char *linker)
{
    char *page = test_read_file(t, "docs/explanation/riscv.md", NULL), *command = command_of(page, compiler);
    CHECK_MSG(t, *command, "docs/explanation/riscv.md has no command that begins with %s", compiler);
    check_options(t, command);
    if (!test_has_tool(compiler) || !test_has_tool(linker))
        test_skip(t, "the compiler is not installed: only the options are compared");
    else
        check_run(t, command);
    free(command);
    free(page);
}

static void test_gcc(struct test *t) { check(t, "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-ld"); }
static void test_clang(struct test *t) { check(t, "clang", "ld.lld"); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"gcc", test_gcc}, {"clang", test_clang}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
