// Finds the command named on the command line and runs it.
#include "base/printable.h"
#include "cli/command.h"
#include "cli/lookup.h"
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

// Prints an error for an unknown command. Returns the exit status.
static int refuse(const char *word)
{
    struct strbuf text = {0};
    const char *near = str_nearest(word, next_command, NULL);
    printable_format(&text, "error: no command \"%s\"", word);
    if (near)
        printable_format(&text, "; did you mean \"%s\"?", near);
    else
        strbuf_puts(&text, "; `warpfold` alone lists the commands");
    strbuf_putc(&text, '\n');
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
    return WF_BAD_USAGE;
}

// Prints an error for a word that help does not know. Returns the exit status.
static int refuse_help(const char *word)
{
    struct strbuf text = {0}, near = {0};
    printable_format(&text, "error: help knows no \"%s\"", word);
    if (lookup_nearest(word, &near)) printable_format(&text, "; did you mean \"%s\"?", near.text);
    strbuf_puts(&text, near.length ? " Help" : "; help");
    strbuf_puts(&text, " explains keys, counters, options, mechanisms, script commands, instructions and the "
                       "commands ");
    for (size_t i = 0; i < COUNT; i++) strbuf_printf(&text, "%s%s", i ? ", " : "", commands[i].name);
    strbuf_putc(&text, '\n');
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
    strbuf_fini(&near);
    return WF_BAD_USAGE;
}

static int run_command(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < COUNT; i++)
        if (str_equal(commands[i].name, name)) return commands[i].run(argc, argv);
    return refuse(name);
}

static bool is_command(const char *word)
{
    for (size_t i = 0; i < COUNT; i++)
        if (str_equal(commands[i].name, word)) return true;
    return false;
}

// Prints all table entries (keys, counters, options and others) named by the word. False: no such entry.
static bool look_up(const char *word)
{
    struct strbuf text = {0};
    bool found = lookup(word, &text);
    if (found) print_text(stdout, strbuf_text(&text));
    strbuf_fini(&text);
    return found;
}

// `warpfold help COMMAND` equals `warpfold COMMAND --help`. With another name: prints the table entries of
// the name, or an error if there are none. Without a name: prints an overview.
static int help(int argc, char **argv)
{
    char option[] = "--help", *words[] = {option};
    if (argc == 0 || str_equal(argv[0], "help")) return print(options_overview);
    if (is_command(argv[0])) return run_command(argv[0], 1, words);
    return look_up(argv[0]) ? WF_OK : refuse_help(argv[0]);
}

// `warpfold --completion [SHELL]`: the completion of a shell, bash's without a name.
static int complete(int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*write)(struct strbuf *out);
    } shells[] = {{"bash", options_completion_bash},
                  {"zsh", options_completion_zsh},
                  {"fish", options_completion_fish}};
    const char *shell = argc ? argv[0] : shells[0].shell;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (argc < 2 && str_equal(shells[i].shell, shell)) return print(shells[i].write);
    print_text(stderr, "error: --completion takes the name of a shell: bash, zsh or fish\n");
    return WF_BAD_USAGE;
}

int command_dispatch(int argc, char **argv)
{
    if (argc < 2) return print(options_overview);
    if (str_equal(argv[1], "--help") || str_equal(argv[1], "-h") || str_equal(argv[1], "help"))
        return help(argc - 2, argv + 2);
    if (str_equal(argv[1], "--man")) return print(options_manual);
    if (str_equal(argv[1], "--completion")) return complete(argc - 2, argv + 2);
    if (str_equal(argv[1], "--version")) return print(write_version);
    return run_command(argv[1], argc - 2, argv + 2);
}
