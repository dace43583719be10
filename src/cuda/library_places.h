/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CUDA's libraries usually lie: toolkits, Python wheels, conda environments, the driver's own. */
#ifndef CUDA_LIBRARY_PLACES_H
#define CUDA_LIBRARY_PLACES_H

/* Calls @visit for each file in the usual places named like a CUDA runtime or, if @layers has it, driver. */
void places_visit(unsigned int layers, void (*visit)(void *context, const char *path), void *context);

#endif
