/*
 * How many instructions a function of a Cortex-M0 can take: the longest path through it, those of
 * the functions it calls included, from what `objdump -d` prints of a linked program.
 *
 * A path is a way along branches, taken or not, from the entry to a return. The functions must have
 * no loops; a branch back that closes one is found and told. Every instruction counts 1, as the
 * core needs 1 to 4 cycles for it.
 *
 * Limits: Thumb of ARMv6-M; branches through registers count as returns; 4000 instructions.
 */
#ifndef SDSIM_TEST_THUMB_PATHS_H
#define SDSIM_TEST_THUMB_PATHS_H

enum { SDSIM_THUMB_LOOP = -1, SDSIM_THUMB_UNKNOWN = -2, SDSIM_THUMB_NO_PATH = -3 };

/*
 * Instructions of the longest path from the entry of `function` to its return. Paths that call a
 * function whose name begins with `without` (may be NULL) don't count. SDSIM_THUMB_LOOP: there is a
 * loop; SDSIM_THUMB_UNKNOWN: there is no such function, or something in it isn't understood;
 * SDSIM_THUMB_NO_PATH: no path is left.
 */
int sdsim_thumb_longest_path(const char *disassembly, const char *function, const char *without);

#endif
