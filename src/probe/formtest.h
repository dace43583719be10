/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instruction forms this kernel emulates under a probe, found by trial: a child runs a probed
 * sample of each form and checks whether the kernel had to make room for a copy of the instruction
 * (the mapping "[uprobes]"). The samples are in a file without a name (memfd), so that neither
 * another cutop's trial nor any other program meets these probes.
 */
#ifndef PROBE_FORMTEST_H
#define PROBE_FORMTEST_H

#include "probe/forms.h"
#include "probe/kernel.h"

/*
 * Fills @forms by trial on this kernel, with links of @method. Needs the rights to probe, and a
 * process without threads, since it forks. Forms that cannot be tried stay as forms_default() has
 * them. For tests: CUTOP_TEST_FORMS in the environment lists forms, or "all", that are taken for
 * single-stepped.
 */
void forms_try(struct forms *forms, enum attach_method method);

#endif
