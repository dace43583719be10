/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe points: where in each function its probe goes. A probe on an instruction that the kernel
 * emulates costs half a microsecond, on any other some ten microseconds in a virtual machine.
 * Nearly every function of NVIDIA's driver begins with one that is not emulated, followed by one
 * that is. So the probe goes to the first emulated instruction at which it still sees what a probe
 * on the entry would, once per call.
 */
#ifndef PROBE_POINTS_H
#define PROBE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/choice.h"
#include "probe/elffile.h"
#include "probe/extra_functions.h"
#include "probe/forms.h"

struct decoder;

/*
 * Chooses the point of each of @functions, which the file open at @fd defines. With @leave_stepped,
 * functions whose probe would be single-stepped are left out. A function that cannot be read or
 * decoded keeps its probe at the entry.
 */
void points_choose(int fd, struct elf_functions *functions, const struct forms *forms,
		   bool leave_stepped);

/*
 * Calls @visit with the name of each of @functions that is in the table, that @choice asks for and
 * that has @point, the most frequently called ones first: launches, copies, allocations, waits.
 */
void points_visit(const struct elf_functions *functions, const struct attach_choice *choice,
		  enum point point, void (*visit)(void *context, const char *name), void *context);

/* "entry", "past_entry", "single_stepped", "left_out" */
extern const char *const point_names[POINT_COUNT];

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
 * If the @len bytes of a function at @code, whose address is @address, are those of a
 * forwarder, returns how many there are up to the end of its jump; otherwise 0. A forwarder jumps
 * through a pointer in memory, after at most a test of that pointer and a branch to code that fills
 * it, and changes no register that carries an argument.
 */
size_t decoder_forwards(struct decoder *decoder, const unsigned char *code, size_t len,
			uint64_t address);

/*
 * Takes the forwarders out of @functions, which the file open at @fd defines, and sets
 * functions->forwarders to how many there were. One whose layer is not in @layers (bits of enum
 * call_layer: what is probed elsewhere) stays. NVIDIA's own libraries have none. Call it before
 * points_choose().
 */
void forwarders_drop(int fd, struct elf_functions *functions, unsigned int layers);

#endif
