// Addresses are split into numbered pieces of the interleave size. Slice of a piece = (piece number + start
// value) modulo the number of slices; the start value changes with every turn around the slices. Strides of a
// whole turn therefore spread out, and streams stay balanced. Within a channel, consecutive pieces go to
// different bank groups, then fill the open rows, then move to the next bank and row:
//
//      piece within the channel:  | row | bank in group | piece of the row | bank group |
//
// A stream alternates between bank groups, so it reaches the full bus rate (tCCDL > tCCD) and uses each
// open row to the end.
#include "memory/address.h"

struct memory_place memory_place_of(const struct memory_config *c, uint64_t address)
{
    uint32_t all = c->partitions * c->slices;
    uint64_t piece = address / c->interleave_bytes, turn = piece / all;
    uint64_t start = turn ^ turn >> 4 ^ turn >> 9 ^ turn >> 15;
    uint32_t slice = (uint32_t)((piece % all + start) % all);
    uint64_t local = turn * c->slices + slice % c->slices;
    uint32_t pieces_of_row = c->dram_row_bytes / c->interleave_bytes,
             in_group = c->dram_banks / c->dram_groups;
    uint32_t group = (uint32_t)(local % c->dram_groups);
    uint64_t above = local / c->dram_groups / pieces_of_row;
    uint64_t row = above / in_group;
    uint32_t bank = (uint32_t)((above + row) % in_group); // rotated by row: strides of rows spread over banks
    return (struct memory_place){
        .slice = slice, .channel = slice / c->slices, .bank = group * in_group + bank, .row = (uint32_t)row};
}

void memory_map_init(struct memory_map *m, const struct memory_config *c)
{
    *m = (struct memory_map){.interleave_bytes = divisor_of(c->interleave_bytes),
                             .all_slices = divisor_of(c->partitions * c->slices),
                             .slices = divisor_of(c->slices),
                             .dram_groups = divisor_of(c->dram_groups),
                             .pieces_of_row = divisor_of(c->dram_row_bytes / c->interleave_bytes),
                             .banks_of_group = divisor_of(c->dram_banks / c->dram_groups)};
}

struct memory_place memory_place_at(const struct memory_map *m, uint64_t address)
{
    uint64_t piece = divisor_quotient(&m->interleave_bytes, address),
             turn = divisor_quotient(&m->all_slices, piece);
    uint64_t start = turn ^ turn >> 4 ^ turn >> 9 ^ turn >> 15;
    uint64_t within = piece - turn * m->all_slices.value;
    uint32_t slice = (uint32_t)divisor_rest(&m->all_slices, within + start);
    uint64_t channel = divisor_quotient(&m->slices, slice);
    uint64_t local = turn * m->slices.value + (slice - channel * m->slices.value);
    uint64_t row_piece = divisor_quotient(&m->dram_groups, local),
             group = local - row_piece * m->dram_groups.value;
    uint64_t above = divisor_quotient(&m->pieces_of_row, row_piece);
    uint64_t row = divisor_quotient(&m->banks_of_group, above);
    uint64_t bank = divisor_rest(&m->banks_of_group, above + row);
    return (struct memory_place){.slice = slice,
                                 .channel = (uint32_t)channel,
                                 .bank = (uint32_t)(group * m->banks_of_group.value + bank),
                                 .row = (uint32_t)row};
}
