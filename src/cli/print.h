// What commands say: results on stdout, messages on stderr. All that reaches either goes through here, so
// that text of ours is printable whatever words are in it, and nothing is lost unseen: a command whose output
// could not be written has failed, with one message, whatever it did.
//
// The stream's own error flag remembers the first failure; a stream that failed is written no more.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Before anything is opened: descriptors 0, 1 and 2 that came closed are taken, so that no file of ours gets
// them.
void print_begin(void);
// Text for people: control characters that came with a name become \x1b; line breaks and colours stay.
void print_text(FILE *to, const char *text);
// Bytes as they are: JSON, and what kernels print.
void print_bytes(FILE *to, const char *bytes, size_t length);
// Writes out what is held back. False: some of it is lost, and stderr has the message.
bool print_flush(FILE *to);
// Of a command that ends with `status`: the exit status, 1 instead of 0 when something it said is lost.
int print_end(int status);
// One line on stderr and the end: there is no memory for what was asked. Removes and writes nothing.
_Noreturn void print_exhausted(size_t size_bytes);
