// Functions of the driver by number (warpfold_driver) and by name (cuGetProcAddress).
#include "base/str.h"
#include "cudart/driver/driver.h"

#include <string.h>

#define ADDRESS(name) (driver_function *)(name)
#define TWIN_NONE(name)
#define TWIN_PTSZ(name)                                 ADDRESS(name##_ptsz),
#define TWIN_PTDS(name)                                 ADDRESS(name##_ptds),
#define CALL(name, twin, since, need, parameters, call) ADDRESS(name), TWIN_##twin(name)
#define OWN(name, twin, since, need, parameters, call)  CALL(name, twin, since, need, parameters, call)
#define ABSENT(name)                                    ADDRESS(name),
static driver_function *const functions[] = {
#include "cudart/driver/driver.def"
};
#undef CALL
#undef ABSENT
#undef TWIN_NONE
#undef TWIN_PTSZ
#undef TWIN_PTDS

const struct driver_table warpfold_driver = {sizeof functions / sizeof *functions, functions};

static const struct row {
    const char *name;
    driver_function *function,
        *twin; // twin: for a default stream per thread; the function itself where there is none
    int since; // 0: the function is absent
} rows[] = {
#define TWIN_NONE(name)                                 ADDRESS(name)
#define TWIN_PTSZ(name)                                 ADDRESS(name##_ptsz)
#define TWIN_PTDS(name)                                 ADDRESS(name##_ptds)
#define CALL(name, twin, since, need, parameters, call) {#name, ADDRESS(name), TWIN_##twin(name), since},
#define ABSENT(name)                                    {#name, ADDRESS(name), ADDRESS(name), 0},
#include "cudart/driver/driver.def"
};

// Whether a row is the name itself, or a later version of it: name_v2.
static bool is_version(const char *row, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(row, name, length) != 0) return false;
    return !row[length] || (row[length] == '_' && row[length + 1] == 'v' && strlen(row + length) == 3);
}

enum cuda_error driver_lookup(const char *name, void **function, int version, uint64_t flags, int *status)
{
    enum { FOUND, UNKNOWN, TOO_NEW };
    const struct row *best = NULL;
    bool exists = false;
    if (!name || !function) return cudaErrorInvalidValue;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (!str_starts_with(row->name, "cu") || !is_version(row->name, name)) continue;
        exists = true;
        if (row->since <= version && (!best || row->since >= best->since)) best = row;
    }
    driver_function *found = !best ? NULL : flags & LOOKUP_PER_THREAD ? best->twin : best->function;
    memcpy(function, &found, sizeof found);
    if (status) *status = found ? FOUND : exists ? TOO_NEW : UNKNOWN;
    return found || status ? cudaSuccess : cudaErrorSymbolNotFound;
}
