// Text of the source lines that a run's account names, read from files.
#pragma once
#include "base/json.h"
#include "profile/facts.h"

// Writes an array of {"name": "a.cu", "path": "src/a.cu", "lines": [[12, "text"], ...]}. A file named by the account is
// looked for at the path that a PTX file names (.file), from the working folder and from the folder of the PTX file, then
// beside the PTX file. `modules`: paths of the PTX files. A file not found has path null.
struct source_files {
    const char *const *modules;
    size_t module_count;
    const char *name, *text; // of a file within the program, shown where no file is found; NULL: none
};
void sources_write(const struct facts *f, const struct source_files *files, struct json *j);
