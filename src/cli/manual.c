// The manual page, from the tables of commands and options.
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

// Examples of the manual page: what is done, and the command.
static const char *const examples[][2] = {
    {"A kernel in simulated time, with two buffers and a count",
     "warpfold run vecadd.ptx --kernel vecadd --grid 1024 --block 256 --arg buf=f32:262144:rand:1 --arg "
     "buf=f32:262144:zero --arg u32=262144"},
    {"The same with DARSIE, every shared value verified, results as JSON",
     "warpfold run vecadd.ptx --kernel vecadd --grid 1024 --block 256 --arg buf=f32:262144:rand:1 --arg "
     "buf=f32:262144:zero --arg u32=262144 --tech darsie --verify --json result.json"},
    {"Several copies and launches, from a script", "warpfold run --script steps.wf --gpu h100"},
    {"Where the time goes, as a page", "warpfold profile --script steps.wf --out page.html"},
    {"Instructions that every warp of a block repeats",
     "warpfold mark vecadd.ptx --kernel vecadd --block 256"},
    {"Bundled kernels on another GPU", "warpfold bench matrixMul hotspot --gpu titanv"},
    {"A paper's figure", "warpfold reproduce fig8 --size small --out results"},
    {"What a key or a counter means", "warpfold help l1.latency"},
};

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
    strbuf_puts(out, ".SH EXAMPLES\n");
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        strbuf_puts(out, ".TP\n");
        put_roff(out, examples[i][0]);
        strbuf_puts(out, "\n.B ");
        put_roff(out, examples[i][1]);
        strbuf_putc(out, '\n');
    }
    strbuf_puts(out, ".SH SEE ALSO\nREADME.md and the pages in docs/ of warpfold's source.\n");
}
