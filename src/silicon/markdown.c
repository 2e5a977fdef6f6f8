#include "silicon/markdown.h"
#include "report/table.h"

#include <math.h>

void markdown_whole(struct strbuf *out, double value)
{
    if (isnan(value))
        strbuf_puts(out, " – |");
    else {
        strbuf_putc(out, ' ');
        table_format_u64((uint64_t)llround(value), out);
        strbuf_puts(out, " |");
    }
}

void markdown_number(struct strbuf *out, const char *format, double value)
{
    if (isnan(value))
        strbuf_puts(out, " – |");
    else
        strbuf_printf(out, format, value);
}

// Adds a cell of a Markdown table, with every | of the text escaped.
void markdown_text(struct strbuf *out, const char *text)
{
    strbuf_putc(out, ' ');
    for (; *text; text++) strbuf_printf(out, *text == '|' ? "\\|" : "%c", *text);
    strbuf_puts(out, " |");
}
