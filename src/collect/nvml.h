/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What NVIDIA's management library (libnvidia-ml.so.1, which comes with the driver) says about the
 * devices, once per second. A separate thread asks it, since its calls can take seconds; the
 * collector gets the last answer and never waits. Without the library, nothing is known.
 */
#ifndef COLLECT_NVML_H
#define COLLECT_NVML_H

#include "collect/record_sink.h"
#include "util/util.h"

struct nvml;

/*
 * Starts asking. Returns NULL without memory or a thread; all functions below accept NULL. @notes
 * must outlive it.
 */
struct nvml *nvml_open(const struct notes *notes);

/* Does not wait for a call that hangs: then the thread keeps and frees what it uses. */
void nvml_close(struct nvml *nvml);

/* Waits until there is a first answer, or it is clear that there will be none, for at most @ms. */
void nvml_wait(struct nvml *nvml, unsigned int ms);

/* Fills @gpus, to be freed, from the last answer, unless that was passed on before: then it is empty. */
struct visible_gpus;
void nvml_gpus(struct nvml *nvml, struct visible_gpus *gpus);

/*
 * Passes on the last answer, as REC_READINGS and the records after it, unless that was done before.
 */
void nvml_tell(struct nvml *nvml, const struct record_sink *sink);

#endif
