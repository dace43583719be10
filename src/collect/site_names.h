/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for call sites and for kernels that only an ELF file can name. */
#ifndef COLLECT_SITE_NAMES_H
#define COLLECT_SITE_NAMES_H

#include "collect/host_functions.h"
#include "collect/modules.h"

struct site_names;

struct site_told {
	/* Valid during the call */
	void (*record)(void *context, const struct rec_hdr *record);
	/* A kernel's name of @program will not come. */
	void (*lost)(void *context, uint32_t program, int error);
	void *context;
};

/*
 * What becomes known is passed to @told. @held_globs: further files whose memory counts as held,
 * NULL-ended, or NULL. @skip: likewise, functions that no site is called by where they were inlined;
 * so are @hosts. All but @told are borrowed.
 */
struct site_names *site_names_new(struct probe *probe, struct modules *modules,
				  struct host_functions *hosts, const struct site_told *told,
				  const char *const *held_globs, const char *const *skip);
void site_names_free(struct site_names *names);

/*
 * The first time it is called for @address in @program (the process @pid), tells what is known about
 * it, in records (REC_SITE, REC_FRAME).
 */
void site_names_site(struct site_names *names, uint32_t program, pid_t pid, uint64_t address);

/* The same for PLACE_CUT. */
void site_names_cut(struct site_names *names, uint32_t program, pid_t pid);

/*
 * The same for sites whose line has been found since. Waits for the last ones as resolver_answers()
 * does.
 */
void site_names_lines(struct site_names *names, int timeout_ms, int idle_ms);

/* Tells the name (REC_NAME) of the kernel of @kernel, which the program did not name, if it has one. */
void site_names_kernel(struct site_names *names, const struct rec_kernel *kernel);

/*
 * Names that were asked for and are unknown for lack of room or time: source lines, and functions.
 */
uint64_t site_names_lost_lines(const struct site_names *names);
uint64_t site_names_lost_symbols(const struct site_names *names);

/* Gives up: what has no line now gets none. */
void site_names_give_up(struct site_names *names);

/*
 * Reads the name of a kernel that no probe could read because it was not in memory, where @record
 * says that it is stored. Its process was started at @start_time (CLOCK_BOOTTIME, ns). Returns 0
 * with the resulting record, a REC_KERNEL or a REC_NAME, which the caller frees; -EAGAIN if it may
 * come later; or another negative errno if it will not.
 */
int site_names_read(struct site_names *names, const struct rec_name_at *record, uint64_t start_time,
		    struct rec_hdr **result);

/* True if such a name of @program may still come; 0: of any. */
bool site_names_wait(const struct site_names *names, uint32_t program);

void site_names_forget(struct site_names *names, uint32_t program);

#endif
