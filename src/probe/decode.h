/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes machine code of other programs, instruction by instruction, with Capstone. The code may
 * be anything: nothing beyond the given bytes is read.
 */
#ifndef PROBE_DECODE_H
#define PROBE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoder;

#define TARGETS_MAX 8 /* as many operands as an instruction has at most */

struct instruction {
	uint64_t at; /* where it is, in the addresses given to decoder_begin() */
	size_t size; /* bytes */
	/*
	 * A probe may be placed after it as well as on it: it falls through to the next
	 * instruction, writes no memory, and changes no registers but the flags and scratch
	 * registers that carry no argument and no result.
	 */
	bool may_pass;
	/* Where it may jump to or call, as far as it can be seen from the instruction. */
	uint64_t targets[TARGETS_MAX];
	size_t target_count;
};

/*
 * A decoder for this machine's code, freed with decoder_free(). NULL: no memory, or Capstone does
 * not know the machine.
 */
struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);

/*
 * Continues with the @len bytes at @code, whose address is @address. They are borrowed until the
 * next begin.
 */
void decoder_begin(struct decoder *decoder, const unsigned char *code, size_t len,
		   uint64_t address);

/* Decodes the next instruction. False at the end, or where the bytes are no instruction. */
bool decoder_next(struct decoder *decoder, struct instruction *instruction);

/*
 * If the @len bytes of a function at @code, whose address is @address, are those of a
 * forwarder, returns how many there are up to the end of its jump; otherwise 0. A forwarder jumps
 * through a pointer in memory, after at most a test of that pointer and a branch to code that fills
 * it, and changes no register that carries an argument.
 */
size_t decoder_forwards(struct decoder *decoder, const unsigned char *code, size_t len,
			uint64_t address);

#endif
