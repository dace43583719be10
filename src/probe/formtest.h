/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instruction forms this kernel emulates under a probe, found by trial: a child runs a probed
 * sample of each form and checks whether the kernel had to make room for a copy of the instruction
 * (the mapping "[uprobes]"). The samples are in a file without a name (memfd), so that neither
 * another cutop's dry run nor any other program meets these probes.
 */
#ifndef PROBE_FORMTEST_H
#define PROBE_FORMTEST_H

#include <stdint.h>

#include "probe/forms.h"
#include "probe/kernel.h"

struct samples {
	int fd;              /* the file, -1: none */
	unsigned char *code; /* its mapping: private, so that probes can sit there */
};

/* Makes the samples. Returns 0 or a negative errno; samples_close() undoes both. */
int samples_open(struct samples *samples);
void samples_close(struct samples *samples);

/* Where in the file the sample's instruction of @form lies, in bytes. */
uint64_t sample_offset(enum form form);

/* Probes on samples. */
struct sample_links {
	int fds[FORM_COUNT];     /* -1: none */
	bool placed[FORM_COUNT]; /* a link has the form */
};

/* None yet. */
void sample_links_init(struct sample_links *links);

/*
 * Puts @program on the samples of the forms that are @wanted, as link_places() does. One link holds
 * them all, or, if the kernel refuses some, each has its own. Undo with sample_links_close().
 */
void sample_links_open(struct sample_links *links, const struct samples *samples, int program,
		       enum attach_method method, const bool wanted[FORM_COUNT], bool returns);
void sample_links_close(struct sample_links *links);

/* Runs the sample of @form. Returns 0. */
int sample_run(const struct samples *samples, enum form form);

/*
 * Fills @forms by trial on this kernel, with the kind of links in @features. Needs the rights to
 * probe, and a process without threads, since it forks. Forms that cannot be tried stay as
 * forms_default() has them. The links in @left are not used any more; each takes some 40 ms to
 * close, so close them along with others, by sample_links_close(). For tests: CUTOP_TEST_FORMS in
 * the environment lists forms, or "all", that are taken for single-stepped.
 */
void forms_try(struct forms *forms, const struct kernel_features *features,
	       struct sample_links *left);

#endif
