// Output of the commands: results on stdout, messages on stderr. All output but the progress bar goes through
// print_*. Text is made printable, whatever words it contains. A failed write makes the command fail; if to
// stdout, with one message on stderr.
//
// The stream's error flag records the first failure; nothing more is written to a failed stream.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Call before opening files. Occupies closed descriptors 0, 1 and 2, so that no opened file receives them.
void print_begin(void);
// Prints text for a reader: control characters become \x and two hex digits; line breaks, tabs and colours
// are kept.
void print_text(FILE *to, const char *text);
// Prints raw bytes: JSON, and text of kernels.
void print_bytes(FILE *to, const char *bytes, size_t length);
// Flushes the stream. False: output was lost; if the stream is stdout, stderr has the message.
bool print_flush(FILE *to);
// Exit status of a command that ends with `status`: 1 in place of 0 if output was lost.
int print_end(int status);
// Prints on stderr that memory is used up, and exits with status 1. Removes and writes no file.
_Noreturn void print_exhausted(size_t size_bytes);
