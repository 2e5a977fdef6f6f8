#include "chip/clusters.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

bool cluster_gpcs(const struct chip_config *c, uint8_t of[CLUSTER_SMS], struct strbuf *why)
{
    unsigned sm = 0, gpc = 0;
    memset(of, NO_GPC, CLUSTER_SMS);
    for (const char *at = c->gpcs ? c->gpcs : ""; *at; gpc++) { // NULL: no settings have been read
        char *end;
        unsigned long sms = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || !sms || sms > CLUSTER_SMS || gpc == NO_GPC || (*end && *end != ',') ||
            (*end && !end[1])) {
            strbuf_printf(why, "gpu.gpcs is \"%s\", and not numbers of SMs, as in \"16,16,18\"", c->gpcs);
            return false;
        }
        for (; sms && sm < c->sm_count; sms--) of[sm++] = (uint8_t)gpc;
        at = *end ? end + 1 : end;
    }
    return true;
}

// A GPC of at least `size` SMs holds as many clusters as its blocks make, if every SM has as many; else an SM counts at most
// a block for each cluster.
static uint64_t count_in_gpc(const uint32_t *blocks, unsigned sms, uint32_t size)
{
    uint64_t low = 0, high = UINT32_MAX;
    while (low < high) {
        uint64_t clusters = (low + high + 1) / 2, sum = 0;
        for (unsigned k = 0; k < sms; k++) sum += blocks[k] < clusters ? blocks[k] : clusters;
        if (sum >= clusters * size)
            low = clusters;
        else
            high = clusters - 1;
    }
    return low;
}

uint64_t cluster_count(const struct chip_config *c, const uint8_t of[CLUSTER_SMS],
                       const uint32_t blocks[CLUSTER_SMS], uint32_t size)
{
    uint64_t count = 0;
    for (unsigned first = 0, end; first < c->sm_count && of[first] != NO_GPC; first = end) {
        for (end = first; end < c->sm_count && of[end] == of[first];) end++;
        count += count_in_gpc(blocks + first, end - first, size);
    }
    return count;
}
