#include "cli/cli.h"
#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Replaces every occurrence; heap.
static char *replace(const char *text, const char *from, const char *to)
{
    struct strbuf out = {0};
    for (const char *hit; (hit = strstr(text, from)) != NULL; text = hit + strlen(from)) {
        strbuf_write(&out, text, (size_t)(hit - text));
        strbuf_puts(&out, to);
    }
    strbuf_puts(&out, text);
    return out.text ? out.text : strdup("");
}

void cli_fini(struct cli *c)
{
    free(c->out);
    free(c->err);
    c->out = c->err = NULL;
}

void cli_run(struct cli *c, const char *arguments)
{
    cli_fini(c);
    char *a = replace(arguments, "$D", test_directory(c->t));
    char *b = replace(a, "$V", "kernels/ptx/nvcc/vecadd.ptx");
    char *k = replace(b, "$K", "tests/api/kernels.ptx");
    struct strbuf command = {0};
    strbuf_printf(&command, "%s %s", test_binary(), k);
    c->status = test_command(strbuf_text(&command), 60, &c->out, &c->err);
    strbuf_fini(&command);
    free(a);
    free(b);
    free(k);
}

const char *cli_errors(struct cli *c)
{
    char *shown = replace(c->err, test_directory(c->t), "$D");
    free(c->err);
    return c->err = shown;
}

void cli_expect(struct cli *c, const char *arguments, int status, const char *errors)
{
    cli_run(c, arguments);
    const char *err = cli_errors(c);
    CHECK_MSG(c->t, c->status == status && strcmp(err, errors) == 0,
              "warpfold %s\n    gives status %d, not %d, and\n%s    not\n%s", arguments, c->status, status,
              err, errors);
}

static char *path_of(struct cli *c, const char *name)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", test_directory(c->t), name);
    return path.text;
}

void cli_write(struct cli *c, const char *name, const void *bytes, size_t length)
{
    char *path = path_of(c, name);
    const char *why;
    CHECK_MSG(c->t, file_write(path, bytes, length, &why), "%s: %s", path, why);
    free(path);
}

char *cli_read(struct cli *c, const char *name, size_t *length)
{
    char *path = path_of(c, name), *bytes = NULL;
    const char *why;
    if (!file_read(path, &bytes, length, &why)) bytes = NULL;
    free(path);
    return bytes;
}

bool cli_exists(struct cli *c, const char *name)
{
    size_t length;
    char *bytes = cli_read(c, name, &length);
    free(bytes);
    return bytes != NULL;
}

unsigned cli_files(struct cli *c)
{
    unsigned count = 0;
    DIR *d = opendir(test_directory(c->t));
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count - 2; // . and ..
}

const char *cli_json(const char *json, const char *key)
{
    static char value[512];
    char pattern[128];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(json, pattern);
    *value = 0;
    if (!at) return value;
    at += strlen(pattern);
    size_t length = strcspn(at, "\n");
    if (length && at[length - 1] == ',') length--;
    snprintf(value, sizeof value, "%.*s", (int)length, at);
    return value;
}
