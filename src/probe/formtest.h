/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instruction forms this kernel emulates under a probe, found by trial: a
 * child runs a probed sample of each form and looks whether the kernel had to
 * make room for a copy of the instruction (the mapping "[uprobes]").
 *
 * The samples lie in a file without a name (memfd), so that neither another
 * cutop's dry_run nor any other program runs into these probes.
 */
#ifndef PROBE_FORMTEST_H
#define PROBE_FORMTEST_H

#include <stdint.h>

#include "probe/forms.h"
#include "probe/kernel.h"

struct samples {
	int fd;			/* the file, -1: none */
	unsigned char *code;	/* its mapping: private, so that probes can sit there */
};

/* Makes the samples. Returns 0 or a negative errno; samples_close() undoes both. */
int samples_open(struct samples *samples);
void samples_close(struct samples *samples);

/* Where in the file the sample's instruction of @form lies, in bytes. */
uint64_t sample_offset(enum form form);

/* Probes on samples. */
struct sample_links {
	int fds[FORM_COUNT];		/* -1: none */
	bool placed[FORM_COUNT];	/* a link has the form */
};

/* None yet. */
void sample_links_init(struct sample_links *links);

/*
 * Puts @program on the samples of the forms that are @wanted: as link_places(). One link has all of them, or, if the
 * kernel refuses some, each has its own. To be undone with sample_links_close().
 */
void sample_links_open(struct sample_links *links, const struct samples *samples, int program, enum attach_method method,
		       const bool wanted[FORM_COUNT], bool returns);
void sample_links_close(struct sample_links *links);

/* Runs the sample of @form. Returns 0. */
int sample_run(const struct samples *samples, enum form form);

/*
 * Fills @forms by trial on this kernel, with the links of @features. Needs the rights to probe, and a process
 * without threads: it forks. What cannot be tried stays as forms_default() has it. The links in @left are
 * idle; each takes some 40 ms to close, so close them along with others, by sample_links_close().
 *
 * For tests, the environment's CUTOP_TEST_FORMS lists forms, or "all", that are taken for single-stepped.
 */
void forms_try(struct forms *forms, const struct kernel_features *features, struct sample_links *left);

#endif
