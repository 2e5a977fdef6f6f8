// Cells of Markdown tables.
#pragma once
#include "base/str.h"

void markdown_whole(struct strbuf *out, double value); // NAN: a dash
// format: with blanks and the bar behind the number. NAN: a dash
void markdown_number(struct strbuf *out, const char *format, double value);
void markdown_text(struct strbuf *out, const char *text); // every bar of the text is escaped
