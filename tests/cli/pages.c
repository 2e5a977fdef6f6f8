// Finds commands in pages of markdown, line by line.
#include "cli/pages.h"
#include "base/file.h"
#include "base/str.h"
#include "harness/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_command(const char *text)
{
    static const char *const begins[] = {
        "warpfold ",    "build/warpfold ", "make ",  "clang ",       "git ",        "cd ",
        "build/tests/", "build/bench/",    "tools/", "kernels/make", "silicon/run-"};
    const char *blank = strchr(text, ' ');
    for (size_t k = 0; k < TEST_COUNT(begins); k++)
        if (str_starts_with(text, begins[k])) return blank && blank[1];
    return false;
}

// Cuts a comment, after " #" or two blanks, and blanks at the end.
static void cut_comment(char *text)
{
    char *hash = strstr(text, " #"), *blanks = strstr(text, "  ");
    if (hash) *hash = 0;
    if (blanks) *blanks = 0;
    for (char *end = text + strlen(text); end > text && end[-1] == ' ';) *--end = 0;
}

// Takes ownership of `text`.
static void add(struct pages *p, const char *page, enum page_place place, char *text)
{
    if (place != PAGE_CONSOLE) cut_comment(text);
    if (place == PAGE_CONSOLE || is_command(text))
        vec_push(&p->commands, (struct page_command){page, place, text});
    else
        free(text);
}

// The line at *at without indentation and "$ ", with the lines continued by backslashes. Heap; *at moves on.
static char *take_line(const char **at)
{
    struct strbuf line = {0};
    bool continues = true;
    while (continues) {
        const char *text = *at + strspn(*at, " ");
        size_t length = strcspn(text, "\n");
        continues = length && text[length - 1] == '\\' && text[length];
        strbuf_write(&line, text, length - continues);
        *at = text + length + (text[length] == '\n');
        while (continues && line.length && line.text[line.length - 1] == ' ') line.text[--line.length] = 0;
        if (continues) strbuf_putc(&line, ' ');
    }
    char *whole = strdup(strbuf_text(&line));
    if (str_starts_with(whole, "$ ")) memmove(whole, whole + 2, strlen(whole) - 1);
    strbuf_fini(&line);
    return whole;
}

// Commands in backquotes of a page's sentences.
static void add_inline(struct pages *p, const char *page, const char *prose)
{
    for (const char *at = prose; (at = strchr(at, '`')) != NULL;) {
        size_t length = strcspn(++at, "`");
        if (!at[length]) return;
        add(p, page, PAGE_INLINE, strndup(at, length));
        at += length + 1;
    }
}

static void read_page(struct pages *p, const char *page, const char *text)
{
    struct strbuf prose = {0};
    bool in_fence = false, in_console = false, has_commands = false;
    for (const char *at = text; *at;) {
        const char *line = at + strspn(at, " ");
        size_t end = strcspn(line, "\n");
        bool is_fence = str_starts_with(line, "```");
        if (is_fence) {
            in_fence = !in_fence;
            in_console = in_fence && str_starts_with(line, "```console\n");
            has_commands = in_fence && (line[3] == '\n' || str_starts_with(line, "```sh\n"));
        } else if (in_console && str_starts_with(line, "$ ")) {
            add(p, page, PAGE_CONSOLE, take_line(&at));
            continue;
        } else if (has_commands || (!in_fence && line - at >= 4)) {
            add(p, page, PAGE_BLOCK, take_line(&at));
            continue;
        } else if (!in_fence) {
            strbuf_write(&prose, line, end);
            strbuf_putc(&prose, ' ');
        }
        at = line + end + (line[end] == '\n');
    }
    add_inline(p, page, strbuf_text(&prose));
    strbuf_fini(&prose);
}

void pages_init(struct pages *p, struct test *t)
{
    *p = (struct pages){0};
    static const char find[] = "find . -name '*.md' -not -path './build*' -not -path '*/node_modules/*' | "
                               "sed 's,^./,,' | LC_ALL=C sort";
    CHECK_EQ(t, test_command(find, 20, &p->list, NULL), 0);
    char *rest = p->list;
    for (char *path; (path = strsep(&rest, "\n")) != NULL;)
        if (*path) vec_push(&p->paths, path);
    CHECK_MSG(t, p->paths.count > 50, "%zu pages", p->paths.count);
    for (size_t k = 0; k < p->paths.count; k++) {
        char *text = test_read_file(t, p->paths.data[k], NULL);
        read_page(p, p->paths.data[k], text);
        free(text);
    }
}

void pages_fini(struct pages *p)
{
    for (size_t k = 0; k < p->commands.count; k++) free(p->commands.data[k].text);
    vec_fini(&p->commands);
    vec_fini(&p->paths);
    free(p->list);
}

char *pages_scratch(struct test *t)
{
    static const char links[] = "ln -s \"$PWD\"/bench \"$PWD\"/experiments \"$PWD\"/gpus \"$PWD\"/kernels "
                                "\"$PWD\"/silicon \"$PWD\"/src \"$PWD\"/tests \"$PWD\"/tools ";
    char binary[PATH_MAX], folder[PATH_MAX], *out;
    struct strbuf command = {0};
    snprintf(folder, sizeof folder, "%s/scratch-XXXXXX", test_directory(t));
    CHECK(t, realpath(test_binary(), binary) && mkdtemp(folder));
    strbuf_printf(
        &command,
        "mkdir -p '%s/build' && %s '%s' && cp -r docs '%s' && ln -s '%s' '%s/build/warpfold' && cd '%s' && "
        "printf '%%s\\n' '__global__ void scale(float *x) { x[threadIdx.x] *= 2; }' >mine.cu && "
        "printf '%%s\\n' address 0 128 256 >addresses.csv",
        folder, links, folder, folder, binary, folder, folder);
    int status = test_command(strbuf_text(&command), 20, &out, NULL);
    CHECK_MSG(t, status == 0, "%s: %s", folder, out);
    free(out);
    strbuf_fini(&command);
    return strdup(folder);
}
