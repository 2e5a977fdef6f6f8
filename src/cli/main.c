// The command line's front door: finds the command and hands over. Alone it prints what it can do.
#include "base/str.h"
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define COMMAND(id, function, name, usage, summary) {name, command_##function},
#include "cli/command.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *command_name_at(const void *context, size_t i)
{
    (void)context;
    return i < COMMANDS ? commands[i].name : NULL;
}

static int overview(void)
{
    struct strbuf text = {0};
    options_overview(&text);
    fputs(strbuf_text(&text), stdout);
    strbuf_fini(&text);
    return WF_OK;
}

static bool is_later(const char *name)
{
    static const char *const later[] = {"study", "reproduce", "compare"};
    for (size_t k = 0; k < sizeof later / sizeof later[0]; k++)
        if (str_equal(name, later[k])) return true;
    return false;
}

static int unknown(const char *name)
{
    if (is_later(name)) {
        fprintf(stderr, "error: warpfold %s arrives with a later version; this is %s\n", name, WF_VERSION);
        return WF_BAD_USAGE;
    }
    const char *near = str_nearest(name, command_name_at, NULL);
    fprintf(stderr, "error: warpfold has no command %s", name);
    if (near) fprintf(stderr, "; did you mean %s?", near);
    fputs(" (`warpfold` alone lists them)\n", stderr);
    return WF_BAD_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2 || str_equal(argv[1], "--help") || str_equal(argv[1], "help")) return overview();
    if (str_equal(argv[1], "--version")) {
        puts("warpfold " WF_VERSION);
        return WF_OK;
    }
    for (size_t k = 0; k < COMMANDS; k++)
        if (str_equal(argv[1], commands[k].name)) return commands[k].run(argc - 2, argv + 2);
    return unknown(argv[1]);
}
