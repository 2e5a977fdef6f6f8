// Words with the program's name before them, to the command that they name.
#include "base/printable.h"
#include "cli/command.h"
#include "cli/print.h"

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
    print_text(stdout, strbuf_text(&text));
    strbuf_fini(&text);
    return WF_OK;
}

static void write_version(struct strbuf *out) { strbuf_puts(out, "warpfold " WF_VERSION "\n"); }

static int refuse(const char *word)
{
    struct strbuf text = {0};
    const char *near = str_nearest(word, next_command, NULL);
    printable_format(&text, "error: no command \"%s\"; ", word);
    printable_format(&text, near ? "did you mean \"%s\"?\n" : "`warpfold` alone lists them\n", near);
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
    return WF_BAD_USAGE;
}

int command_dispatch(int argc, char **argv)
{
    if (argc < 2 || str_equal(argv[1], "--help") || str_equal(argv[1], "-h") || str_equal(argv[1], "help"))
        return print(options_overview);
    if (str_equal(argv[1], "--man")) return print(options_manual);
    if (str_equal(argv[1], "--completion")) return print(options_completion);
    if (str_equal(argv[1], "--version")) return print(write_version);
    for (size_t i = 0; i < COUNT; i++)
        if (str_equal(commands[i].name, argv[1])) return commands[i].run(argc - 2, argv + 2);
    return refuse(argv[1]);
}
