/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CUDA runtimes usually lie: toolkits, Python wheels, conda environments. */
#ifndef PROBE_PLACES_H
#define PROBE_PLACES_H

/* Calls @visit for each file named like a CUDA runtime in the usual places. */
void places_visit(void (*visit)(void *context, const char *path), void *context);

#endif
