// Programs whose blocks or launches cannot stand for others.
#pragma once
struct program;

// Why the work of a launch may depend on time, so that executed instructions measure nothing: a loop may read
// a word of global memory, or try to take a lock, until another block writes the word. NULL: no reason.
const char *sample_refuses_launches(const struct program *p);
// Why blocks may depend on blocks that run beside them: the above, or work handed out by atomics. NULL: no
// reason.
const char *sample_refuses_blocks(const struct program *p);
