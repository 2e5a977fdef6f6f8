// The command line: dispatch only. Everything else is in the library.
#include "cli/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(id, function, name, usage, summary) {name, command_##function},
#include "cli/command.def"
#undef COMMAND
};
enum { COUNT = sizeof commands / sizeof commands[0] };

static const char *next_command(const void *context, size_t i)
{
    (void)context;
    return i < COUNT ? commands[i].name : NULL;
}

static int print(void (*write)(struct strbuf *out))
{
    struct strbuf text = {0};
    write(&text);
    fputs(strbuf_text(&text), stdout);
    strbuf_fini(&text);
    return WF_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2 || str_equal(argv[1], "--help") || str_equal(argv[1], "-h") || str_equal(argv[1], "help"))
        return print(options_overview);
    if (str_equal(argv[1], "--man")) return print(options_manual);
    if (str_equal(argv[1], "--completion")) return print(options_completion);
    if (str_equal(argv[1], "--version")) return puts("warpfold " WF_VERSION) < 0;
    for (size_t i = 0; i < COUNT; i++)
        if (str_equal(commands[i].name, argv[1])) return commands[i].run(argc - 2, argv + 2);
    const char *near = str_nearest(argv[1], next_command, NULL);
    fprintf(stderr, "error: no command \"%s\"; ", argv[1]);
    fprintf(stderr, near ? "did you mean \"%s\"?\n" : "`warpfold` alone lists them\n", near);
    return WF_BAD_USAGE;
}
