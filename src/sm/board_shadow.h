// Register values under issue.dependences=board, for sim.check. Two register files are kept: `latest`,
// written by every instruction at issue, and `committed`, written by commits and by instructions without an
// entry. An operand is read lane by lane from the board where an entry matches, else from `committed`; the
// value must equal `latest`. At every commit, the warp's `committed` must equal `latest` as of just before
// its next uncommitted instruction. The board's lists must contain every entry in use exactly once, in order
// of issue.
#pragma once
#include <stdint.h>

struct board;
struct board_shadow;
struct op;
struct sm;

struct board_shadow *board_shadow_create(void);
void board_shadow_destroy(struct board_shadow *x); // NULL: no effect
void board_shadow_start(struct board_shadow *x, const struct sm *s, unsigned slot);
// Call board_shadow_reads before the instruction enters the board, for the lanes in board.lanes; call
// board_shadow_writes afterwards, with the instruction's results computed. element: BOARD_NONE when the
// instruction writes its registers at once.
void board_shadow_reads(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o);
void board_shadow_writes(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o,
                         uint8_t element);
void board_shadow_commits(struct board_shadow *x, const struct board *b, uint8_t element);
// Values, by lane, of a physical register in the register file `committed`.
const uint32_t *board_shadow_lanes(const struct board_shadow *x, uint32_t physical);
const char *board_shadow_broken(const struct board_shadow *x); // NULL: all rules hold
