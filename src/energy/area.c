#include "energy/area.h"

enum {
#define AREA_PART(symbol, name, mm2) PART_##symbol,
#define AREA_SM(symbol, name, ...)
#define AREA_CHIP(name, ...)
#include "energy/area.def"
    PARTS
};
#undef AREA_PART
#undef AREA_SM
enum {
#define AREA_PART(symbol, name, mm2)
#define AREA_SM(symbol, name, ...) SM_##symbol,
#include "energy/area.def"
    SMS
};
#undef AREA_PART
#undef AREA_SM
#undef AREA_CHIP

static const struct {
    const char *name;
    double mm2;
} parts[] = {
#define AREA_PART(symbol, name, mm2) {name, mm2},
#define AREA_SM(symbol, name, ...)
#define AREA_CHIP(name, ...)
#include "energy/area.def"
#undef AREA_PART
#undef AREA_SM
};
static const struct {
    const char *name;
    int parts[PARTS];
} sms[] = {
#define AREA_PART(symbol, name, mm2)
#define AREA_SM(symbol, name, ...) {name, {__VA_ARGS__}},
#include "energy/area.def"
#undef AREA_SM
#undef AREA_CHIP
};
static const struct {
    const char *name;
    int sms[SMS];
    double paper;
} chips[] = {
#define AREA_SM(symbol, name, ...)
#define AREA_CHIP(name, tlp, ilp, ilp_8k, paper) {name, {tlp, ilp, ilp_8k}, paper},
#include "energy/area.def"
#undef AREA_PART
#undef AREA_SM
#undef AREA_CHIP
};
enum { CHIPS = sizeof chips / sizeof chips[0] };

static double of_sm(size_t k)
{
    double sum = 0;
    for (size_t n = 0; n < PARTS; n++) sum += sms[k].parts[n] * parts[n].mm2;
    return sum;
}

static double of_chip(size_t k)
{
    double sum = 0;
    for (size_t n = 0; n < SMS; n++) sum += chips[k].sms[n] * of_sm(n);
    return sum;
}

bool area_at(size_t index, struct area *a)
{
    if (index < PARTS)
        *a = (struct area){"part", parts[index].name, parts[index].mm2, 0};
    else if ((index -= PARTS) < SMS)
        *a = (struct area){"SM", sms[index].name, of_sm(index), 0};
    else if ((index -= SMS) < CHIPS)
        *a = (struct area){"chip", chips[index].name, of_chip(index), chips[index].paper};
    else
        return false;
    return true;
}
