// Memory spaces of the machine. A generic address inside the window of shared or local memory (bank.h) is in
// shared or local memory; any other generic address is in global memory.
#pragma once

enum isa_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST };
