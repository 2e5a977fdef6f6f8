// A slice of the chip (gpu.slice): one of N equal parts, simulated in place of the whole chip.
//
//     gtx1080ti-paper, gpu.slice=7      whole chip      slice
//     SMs, each with a port             28              4
//     L2 slices                         22              22, with a seventh of sets, MSHRs, tag and port rate
//     memory partitions                 11 -> 1.571     2, DRAM at 0.786 of the rate
//
// An SM has the whole chip's share of capacity and rates. The L2 slices stay as many as they are, since SMs that
// read one line queue at one slice: 4 SMs at a seventh of the rate wait as 28 SMs do. Partitions are the fewest
// that suit: at least the share, and L2 slices in equal numbers. Latencies stay.
#pragma once
#include "base/str.h"
#include "chip/config.h"

// Replaces the settings of a chip by those of the slice. False: the chip has no such slice, and is unchanged;
// *why gets the reason.
bool chip_slice(struct chip_config *c, struct strbuf *why);
