// <assert.h>: a failed condition ends the launch with file, line and thread. As of C, every #include looks at
// NDEBUG anew.
#include "warpfold/device.h"
#if __has_include_next(<assert.h>)
#include_next <assert.h>
#else
#undef assert
#ifdef NDEBUG
#define assert(CONDITION) ((void)0)
#else
#define assert(CONDITION)                                                                                    \
    ((CONDITION) ? (void)0 : __assert_fail(#CONDITION, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
