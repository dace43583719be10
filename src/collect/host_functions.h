/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host functions of kernels. For each kernel nvcc writes a function with the kernel's own
 * signature, which launches it through a stub. Neither is a place where a program launches: that is
 * their caller. Each may be inlined, into the other or into the caller.
 */
#ifndef COLLECT_HOST_FUNCTIONS_H
#define COLLECT_HOST_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event_kernels.h"

struct host_functions;

struct host_functions *host_functions_new(void);
void host_functions_free(struct host_functions *functions);
void host_functions_forget(struct host_functions *functions, uint32_t program);

/* What is forgotten while it is held is there until the last one releases it. */
void host_functions_hold(struct host_functions *functions, uint32_t program);
void host_functions_release(struct host_functions *functions, uint32_t program);

/* Learns a kernel's name from a REC_KERNEL or REC_NAME of @size bytes; other records have none. */
void host_functions_learn(struct host_functions *functions, const struct rec_hdr *record,
			  size_t size);

/*
 * The same from a function's name without arguments (demangle_short()), if it is a stub's: of a
 * kernel that was launched before cutop came, or that has not been launched yet. @is_local: only its
 * file can call it. @functions may be NULL.
 */
void host_functions_learn_stub(struct host_functions *functions, uint32_t program,
			       const char *brief, bool is_local);

/*
 * True if the function called @full (demangle_full()) is that of a kernel of @program. @is_inlined:
 * debug information calls it so, where functions of one file have neither scope nor arguments.
 * @functions: NULL has none.
 */
bool host_functions_have(const struct host_functions *functions, uint32_t program, const char *full,
			 bool is_inlined);

#endif
