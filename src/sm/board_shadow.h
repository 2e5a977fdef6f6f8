// What registers hold with issue.dependences=board, for sim.check. Two register files: one as if every instruction wrote at once,
// and one that only commits write. The value of a reader's operand, taken from the board where it has one and from the committed
// file in all other lanes, is that of the first; and the committed file is, at every commit, what the first was when the next
// instruction to commit had not yet executed. And of the board itself: its lists are its entries, each once, in order.
#pragma once
#include <stdint.h>

struct board;
struct board_shadow;
struct op;
struct sm;

struct board_shadow *board_shadow_create(void);
void board_shadow_destroy(struct board_shadow *x); // NULL: nothing
void board_shadow_start(struct board_shadow *x, const struct sm *s, unsigned slot);
// Before the instruction enters the board, whose lanes are board.lanes; and behind that, with its registers computed. element:
// BOARD_NONE when it writes them itself.
void board_shadow_reads(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o);
void board_shadow_writes(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o,
                         uint8_t element);
void board_shadow_commits(struct board_shadow *x, const struct board *b, uint8_t element);
// The lanes of a register of the second file.
const uint32_t *board_shadow_lanes(const struct board_shadow *x, uint32_t physical);
const char *board_shadow_broken(const struct board_shadow *x); // NULL: all rules hold
