// Completion for shells, from the tables of commands and options.
#include "base/str.h"
#include "cli/options.h"

#include <string.h>

// Options whose values are names of a list (`warpfold list WHAT`).
static const struct {
    const char *option, *what;
} listed[] = {{"--gpu", "gpus"}, {"--tech", "techs"}, {"--bench", "kernels"}, {"--set", "keys"}};

// The list with the values of an option; NULL if none.
static const char *list_of(const struct options_option *o)
{
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if (str_equal(listed[i].option, o->name)) return listed[i].what;
    return NULL;
}

// Whether the values are a fixed set of words: "small|medium|large".
static bool has_words(const struct options_option *o)
{
    return o->argument && strchr(o->argument, '|') && !strpbrk(o->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[");
}

static void put_words(struct strbuf *out, const char *alternatives)
{
    for (; *alternatives; alternatives++) strbuf_putc(out, *alternatives == '|' ? ' ' : *alternatives);
}

// The operands of `warpfold list`, as its usage names them.
static void put_lists(struct strbuf *out)
{
    struct options_command c;
    options_command_at(COMMAND_LIST, &c);
    put_words(out, c.usage);
}

// -- bash ---------------------------------------------------------------------------------------------------

static const char bash_head[] =
    "# Completion for bash, made by `warpfold --completion` from its tables: source it, or install it as\n"
    "# /usr/share/bash-completion/completions/warpfold.\n"
    "_warpfold() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
    "    # The shell takes = for a word of its own.\n"
    "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [[ $current == = ]] && current=\n"
    "    names() { warpfold list \"$1\" 2>/dev/null | awk 'NR > 1 && /^[^ ]/ { print $1 }'; }\n"
    "    entries() {\n"
    "        local word\n"
    "        for word in \"${COMP_WORDS[@]}\"; do\n"
    "            [[ $word == *.ptx && -f $word ]] &&\n"
    "                sed -n 's/^.*\\.entry  *\\([A-Za-z0-9_]*\\)\\([^$].*\\)*$/\\1/p' \"$word\"\n"
    "        done\n"
    "    }\n"
    "    case $before in\n"
    "    --kernel) words=$(entries) ;;\n"
    "    --arg) words=\"buf= tex= bytes= u8= s8= u16= s16= u32= s32= u64= s64= f32= f64=\"; compopt -o "
    "nospace "
    "2>/dev/null ;;\n"
    "    --gpu) words=$(names gpus) ;;\n"
    "    --tech) words=$(names techs) ;;\n"
    "    --bench) words=\"all darsie $(names kernels)\" ;;\n"
    "    --set) words=$(names keys | sed 's/$/=/'); compopt -o nospace 2>/dev/null ;;\n";

void options_completion_bash(struct strbuf *out)
{
    struct options_command c;
    struct options_option o;
    strbuf_puts(out, bash_head);
    for (unsigned i = 0; options_option_at(i, &o); i++)
        if (has_words(&o)) {
            strbuf_printf(out, "    %s) words=\"", o.name);
            put_words(out, o.argument);
            strbuf_puts(out, "\" ;;\n");
        }
    strbuf_puts(out, "    *)\n        case ${COMP_WORDS[1]} in\n");
    for (unsigned k = 0; options_command_at(k, &c); k++) {
        strbuf_printf(out, "        %s) words=\"", c.name);
        for (unsigned i = 0, shown = 0; options_option_at(i, &o); i++)
            if (options_takes(i, k)) strbuf_printf(out, "%s%s", shown++ ? " " : "", o.name);
        strbuf_puts(out, "\" ;;\n");
    }
    strbuf_puts(out, "        esac\n        if ((COMP_CWORD == 1)); then words=\"");
    for (unsigned k = 0; options_command_at(k, &c); k++) strbuf_printf(out, "%s%s", k ? " " : "", c.name);
    strbuf_puts(out, " --help --version --man --completion\"; fi\n"
                     "        if [[ $current != -* ]]; then\n"
                     "            case ${COMP_WORDS[1]} in\n"
                     "            bench) words+=\" $(names kernels)\" ;;\n"
                     "            study) ((COMP_CWORD == 2)) && words+=\" $(names studies)\" ;;\n"
                     "            list) ((COMP_CWORD == 2)) && words+=\" ");
    put_lists(out);
    strbuf_puts(out, "\" ;;\n"
                     "            reproduce) words+=\" darsie silicon $(names experiments)\" ;;\n"
                     "            esac\n"
                     "        fi ;;\n"
                     "    esac\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                     "}\n"
                     "complete -o default -F _warpfold warpfold\n");
}

// -- zsh and fish -------------------------------------------------------------------------------------------

// A help text between single quotes: its first clause, without characters that are special in zsh's
// _arguments.
static void put_clause(struct strbuf *out, const char *help)
{
    size_t length = strcspn(help, ";(");
    while (length && help[length - 1] == ' ') length--;
    for (size_t i = 0; i < length; i++) {
        char c = help[i];
        if (c == '\'')
            strbuf_puts(out, "’");
        else
            strbuf_putc(out, c == ':' ? ',' : strchr("[]`\\", c) ? ' ' : c);
    }
}

// Every command with its summary: before NAME between SUMMARY after.
static void put_commands(struct strbuf *out, const char *before, const char *between, const char *after)
{
    struct options_command c;
    for (unsigned k = 0; options_command_at(k, &c); k++) {
        strbuf_printf(out, "%s%s%s", before, c.name, between);
        put_clause(out, c.summary);
        strbuf_puts(out, after);
    }
}

static void put_zsh_option(struct strbuf *out, const struct options_option *o)
{
    const char *list = list_of(o);
    strbuf_printf(out, " \\\n            '%s%s%s[", o->many ? "*" : "", o->name, o->argument ? "=" : "");
    put_clause(out, o->help);
    strbuf_putc(out, ']');
    if (o->argument) {
        strbuf_puts(out, ":value:");
        if (list) {
            strbuf_printf(out, "{_warpfold_names %s}", list);
        } else if (has_words(o)) {
            strbuf_putc(out, '(');
            put_words(out, o->argument);
            strbuf_putc(out, ')');
        } else {
            strbuf_puts(out, "_files");
        }
    }
    strbuf_putc(out, '\'');
}

void options_completion_zsh(struct strbuf *out)
{
    struct options_command c;
    struct options_option o;
    strbuf_puts(out,
                "#compdef warpfold\n"
                "# Completion for zsh, made by `warpfold --completion zsh` from its tables.\n"
                "_warpfold_names() {\n"
                "    local -a names=(${(f)\"$(warpfold list $1 2>/dev/null | awk 'NR > 1 && /^[^ ]/ { print "
                "$1 }')\"})\n"
                "    [[ $1 == keys ]] && compadd -S = -- $names || compadd -- $names\n"
                "}\n"
                "_warpfold() {\n"
                "    local -a commands=(");
    put_commands(out, "\n        '", ":", "'");
    strbuf_puts(
        out, ")\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
             "    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for (unsigned k = 0; options_command_at(k, &c); k++) {
        strbuf_printf(out, "    %s)\n        _arguments", c.name);
        for (unsigned i = 0; options_option_at(i, &o); i++)
            if (options_takes(i, k)) put_zsh_option(out, &o);
        strbuf_puts(out, " \\\n            '*:operand:");
        if (str_equal(c.name, "bench"))
            strbuf_puts(out, "{_warpfold_names kernels}");
        else if (str_equal(c.name, "reproduce"))
            strbuf_puts(out, "{_warpfold_names experiments; _files}");
        else if (k == COMMAND_LIST) {
            strbuf_putc(out, '(');
            put_lists(out);
            strbuf_putc(out, ')');
        } else
            strbuf_puts(out, "_files");
        strbuf_puts(out, "' ;;\n");
    }
    strbuf_puts(out, "    esac\n}\n_warpfold \"$@\"\n");
}

void options_completion_fish(struct strbuf *out)
{
    struct options_command c;
    struct options_option o;
    strbuf_puts(out, "# Completion for fish, made by `warpfold --completion fish` from its tables.\n"
                     "function __warpfold_names\n"
                     "    warpfold list $argv[1] 2>/dev/null | awk 'NR > 1 && /^[^ ]/ { print $1 }'\n"
                     "end\n");
    put_commands(out, "complete -c warpfold -n __fish_use_subcommand -f -a ", " -d '", "'\n");
    for (unsigned i = 0; options_option_at(i, &o); i++) {
        const char *list = list_of(&o);
        strbuf_puts(out, "complete -c warpfold -n '__fish_seen_subcommand_from");
        for (unsigned k = 0; options_command_at(k, &c); k++)
            if (options_takes(i, k)) strbuf_printf(out, " %s", c.name);
        strbuf_printf(out, "' -l %s", o.name + strspn(o.name, "-"));
        if (o.argument) strbuf_puts(out, " -r");
        if (list) strbuf_printf(out, " -f -a '(__warpfold_names %s)'", list);
        if (has_words(&o)) {
            strbuf_puts(out, " -f -a '");
            put_words(out, o.argument);
            strbuf_putc(out, '\'');
        }
        strbuf_puts(out, " -d '");
        put_clause(out, o.help);
        strbuf_puts(out, "'\n");
    }
    strbuf_puts(
        out,
        "complete -c warpfold -n '__fish_seen_subcommand_from bench' -f -a '(__warpfold_names kernels)'\n"
        "complete -c warpfold -n '__fish_seen_subcommand_from study' -a '(__warpfold_names studies)'\n"
        "complete -c warpfold -n '__fish_seen_subcommand_from reproduce' -a '(__warpfold_names "
        "experiments)'\n"
        "complete -c warpfold -n '__fish_seen_subcommand_from list' -f -a '");
    put_lists(out);
    strbuf_puts(out, "'\n");
}
