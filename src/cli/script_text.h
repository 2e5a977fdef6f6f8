// The script language, independent of execution: lines split into words and counted, loops matched and
// walked, $VARIABLEs replaced (docs/reference/script.md).
//
//   struct script_text s;
//   script_text_init(&s, diag);
//   bool good = script_text_read(&s, text, length, source);
//   for (const struct script_line *l; good && (l = script_text_line(&s)) != NULL; script_text_go_on(&s))
//       good = script_text_words(&s, l, words) && …;   // script_text_repeat, script_text_end
//   script_text_fini(&s);
#pragma once
#include "base/diag.h"

enum { SCRIPT_WORDS_MAX = 72, SCRIPT_NESTING_MAX = 8 };

enum script_command {
#define COMMAND(function, name, least, most, usage, meaning) SCRIPT_##function,
#include "cli/script.def"
#undef COMMAND
    SCRIPT_COUNT
};

struct script_word {
    const char *text;
    struct loc loc;
};

struct script_line {
    enum script_command command;
    struct script_word *words; // after the command's name
    unsigned count;
    struct loc loc;
    size_t match; // for `repeat`: line index of its `end`; for `end`: line index of its `repeat`
};

struct script_loop {
    const char *variable; // NULL: unnamed
    uint64_t left;
    int64_t value, step;
};

struct script_text {
    struct arena arena; // of words
    struct diag *diag;
    VEC(struct script_line) lines;
    struct script_loop loops[SCRIPT_NESTING_MAX]; // the open loops
    unsigned depth;
    size_t at;
};

void script_text_init(struct script_text *s, struct diag *d);
void script_text_fini(struct script_text *s);
// Reads the whole script and checks words, and commands with their numbers of words: false and an error for every
// fault. A script without faults is then checked for the nesting of loops, up to the first fault.
bool script_text_read(struct script_text *s, const char *text, size_t length, uint32_t source);

// The line to execute now; NULL: the script is over.
const struct script_line *script_text_line(const struct script_text *s);
void script_text_go_on(struct script_text *s);
// Stores in `words` the words of the line after the command's name, as split by script_text_read, with
// $VARIABLEs replaced. False and an error for an unknown variable.
bool script_text_words(struct script_text *s, const struct script_line *l,
                       const char *words[SCRIPT_WORDS_MAX]);
// Execute the commands `repeat`, which opens a loop, and `end`, which counts an iteration. script_text_go_on
// moves to the next line. False and an error: a word of `repeat` is not a number.
bool script_text_repeat(struct script_text *s, const struct script_line *l, const char *const *words);
void script_text_end(struct script_text *s);

const char *script_command_name(enum script_command command);
const char *script_command_usage(enum script_command command);   // "load FILE"
const char *script_command_meaning(enum script_command command); // a phrase
