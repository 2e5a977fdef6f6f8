// Memory spaces of the machine. A generic address is in shared or local memory within their windows (bank.h), in global
// memory elsewhere.
#pragma once

enum isa_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST };
