// The manual page and the shell's completion, from the tables of commands and options.
#include "api/warpfold.h"
#include "cli/options.h"

#include <string.h>

// Appends text for roff: escapes backslashes, hyphens, and a dot or apostrophe at the start of the text.
static void put_roff(struct strbuf *out, const char *text)
{
    if (*text == '.' || *text == '\'') strbuf_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            strbuf_puts(out, "\\e");
        else if (*text == '-')
            strbuf_puts(out, "\\-");
        else
            strbuf_putc(out, *text);
    }
}

void options_manual(struct strbuf *out)
{
    strbuf_puts(
        out, ".\\\" Made by `warpfold --man` from the tables of commands and options.\n"
             ".TH WARPFOLD 1 \"\" \"warpfold " WF_VERSION "\"\n.SH NAME\n"
             "warpfold \\- runs CUDA kernels from PTX on a simulated GPU, and finds work repeated by warps\n"
             ".SH SYNOPSIS\n");
    struct options_command c;
    for (unsigned i = 0; options_command_at(i, &c); i++) {
        strbuf_printf(out, "%s.B warpfold %s\n", i ? ".br\n" : "", c.name);
        char *usage = heap_strdup(c.usage), *rest = usage;
        put_roff(out, strsep(&rest, "\n")); // the first form; help shows the others
        strbuf_putc(out, '\n');
        free(usage);
    }
    strbuf_puts(out, ".SH COMMANDS\n");
    for (unsigned i = 0; options_command_at(i, &c); i++) {
        strbuf_printf(out, ".TP\n.B %s\n", c.name);
        put_roff(out, c.summary);
        strbuf_puts(out, ".\n");
    }
    strbuf_puts(out, ".SH OPTIONS\n");
    struct options_option o;
    for (unsigned i = 0; options_option_at(i, &o); i++) {
        strbuf_puts(out, ".TP\n.B ");
        put_roff(out, o.name);
        if (o.argument) {
            strbuf_puts(out, " \\fI");
            put_roff(out, o.argument);
            strbuf_puts(out, "\\fR");
        }
        strbuf_putc(out, '\n');
        put_roff(out, o.help);
        strbuf_puts(out, o.many ? "; may be repeated. Of " : ". Of ");
        for (unsigned k = 0, shown = 0; options_command_at(k, &c); k++)
            if (options_takes(i, k)) strbuf_printf(out, "%s%s", shown++ ? ", " : "", c.name);
        strbuf_puts(out, ".\n");
    }
    strbuf_puts(out, ".SH EXIT STATUS\n");
    struct options_status status;
    for (unsigned i = 0; options_status_at(i, &status); i++) {
        strbuf_printf(out, ".TP\n.B %d\n", status.number);
        put_roff(out, status.meaning);
        strbuf_puts(out, ".\n");
    }
    strbuf_puts(out, ".SH SEE ALSO\nREADME.md and the pages in docs/ of warpfold's source.\n");
}

void options_completion(struct strbuf *out)
{
    struct options_command c;
    struct options_option o;
    strbuf_puts(
        out,
        "# Completion for bash, made by `warpfold --completion` from its tables: source it, or "
        "install it as\n"
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
        "nospace 2>/dev/null ;;\n"
        "    --gpu) words=$(names gpus) ;;\n"
        "    --tech) words=$(names techs) ;;\n"
        "    --bench) words=\"all darsie $(names kernels)\" ;;\n"
        "    --set) words=$(names keys | sed 's/$/=/'); compopt -o nospace 2>/dev/null ;;\n");
    for (unsigned i = 0; options_option_at(i, &o); i++) // options with a fixed list of words
        if (o.argument && strchr(o.argument, '|') && !strpbrk(o.argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[")) {
            strbuf_printf(out, "    %s) words=\"", o.name);
            for (const char *p = o.argument; *p; p++) strbuf_putc(out, *p == '|' ? ' ' : *p);
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
    options_command_at(COMMAND_LIST, &c); // the usage lists the operands
    for (const char *p = c.usage; *p; p++) strbuf_putc(out, *p == '|' ? ' ' : *p);
    strbuf_puts(out, "\" ;;\n"
                     "            reproduce) words+=\" darsie silicon $(names experiments)\" ;;\n"
                     "            esac\n"
                     "        fi ;;\n"
                     "    esac\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                     "}\n"
                     "complete -o default -F _warpfold warpfold\n");
}
