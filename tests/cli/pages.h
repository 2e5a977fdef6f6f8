// Pages of the documentation (every .md file of the tree) and the commands in pages.
#pragma once
#include "base/vec.h"
#include "harness/test.h"

enum page_place {
    PAGE_CONSOLE, // a fenced block `console`: "$ command", with the output below
    PAGE_BLOCK,   // any other block of text, fenced or indented: a command per line, comments behind
    PAGE_INLINE   // in backquotes within a sentence
};

struct page_command {
    const char *page; // path; lives as long as the list
    enum page_place place;
    char *text; // heap: on one line, without "$ " and comments
};

struct pages {
    char *list;              // heap: the names of `paths`
    VEC(const char *) paths; // in alphabetical order
    VEC(struct page_command) commands;
};

// Finds the pages and the commands. Commands of warpfold, make, clang and git, and programs of tools/, kernels/,
// silicon/ and build/.
void pages_init(struct pages *p, struct test *t);
void pages_fini(struct pages *p);

// Makes a folder in which commands of pages run as in the root of the repository: a copy of docs/, links to the
// other folders, a folder build with the program of the present build, and files of a reader (mine.cu, a
// kernel; addresses.csv). Returns the path, heap.
char *pages_scratch(struct test *t);
