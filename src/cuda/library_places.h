/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where CUDA's libraries usually lie: toolkits, Python wheels, conda environments, the driver's
 * own.
 */
#ifndef CUDA_LIBRARY_PLACES_H
#define CUDA_LIBRARY_PLACES_H

/*
 * Calls @visit with each pattern (glob(7)) for files in the usual places that are named like a CUDA
 * runtime or, if @layers includes it, like the driver. One pattern at a time: a home folder may be
 * on a server that does not answer.
 */
void places_visit(unsigned int layers, void (*visit)(void *context, const char *pattern),
		  void *context);

#endif
