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

#include "probe/choice.h"
#include "probe/elffile.h"
#include "probe/extra_functions.h"
#include "probe/forms.h"

/*
 * Chooses the point of each of @functions, which the file open at @fd defines. With @leave_stepped,
 * functions whose probe would be single-stepped are left out. A function that cannot be read or
 * decoded keeps its probe at the entry.
 */
void points_choose(int fd, struct elf_functions *functions, const struct forms *forms,
		   bool leave_stepped);

/*
 * Calls @visit with the name of each of @functions that @choice asks for and that has @point, the
 * most frequently called ones first: launches, copies, allocations, waits. @extras has the names of
 * functions that the user named; NULL: there are none.
 */
void points_visit(const struct elf_functions *functions, const struct attach_choice *choice,
		  const struct extra_functions *extras, enum point point,
		  void (*visit)(void *context, const char *name), void *context);

/*
 * The same as a list; after @max names comes "and N more". Returns a string that the caller frees,
 * or NULL without memory.
 */
char *points_list(const struct elf_functions *functions, const struct attach_choice *choice,
		  const struct extra_functions *extras, enum point point, size_t max);

/* "entry", "past_entry", "single_stepped", "left_out" */
extern const char *const point_names[POINT_COUNT];

#endif
