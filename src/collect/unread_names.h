/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernels that no probe could read, because they were not in memory: read where they are
 * stored (REC_NAME_AT).
 */
#ifndef COLLECT_UNREAD_NAMES_H
#define COLLECT_UNREAD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

struct unread_names;

/* @probe is borrowed. NULL without memory. */
struct unread_names *unread_names_new(struct probe *probe);
void unread_names_free(struct unread_names *names);
void unread_names_forget(struct unread_names *names, uint32_t program);

/*
 * Reads the name of @record, whose process was started at @start_time (CLOCK_BOOTTIME, ns). Returns
 * 0 with the resulting record, a REC_KERNEL or a REC_NAME, which the caller frees; -EAGAIN if it
 * may come later (unread_names_again()); or another negative errno if it will not.
 */
int unread_names_read(struct unread_names *names, const struct rec_name_at *record,
		      uint64_t start_time, struct rec_hdr **result);

/*
 * Passes on to @told, valid during the call, the names that have come since; for a name that will
 * not come, NULL.
 */
void unread_names_again(struct unread_names *names,
			void (*told)(void *context, uint32_t program, struct rec_hdr *record,
				     int error),
			void *context);

/* True if a name of @program may still come; 0: of any. */
bool unread_names_wait(const struct unread_names *names, uint32_t program);

#endif
