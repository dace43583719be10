/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What NVIDIA's management library (libnvidia-ml.so.1, which comes with the
 * driver) says of the devices, once per second. It is asked by a thread of its
 * own, since its calls can take seconds; the collector gets the last
 * answer and never waits. Where the library is not there, nothing is known.
 */
#ifndef COLLECT_NVML_H
#define COLLECT_NVML_H

#include "collect/record_sink.h"
#include "util/util.h"

struct nvml;

/* Starts asking. Returns NULL without memory or a thread, which every function below takes. @notes must outlive it. */
struct nvml *nvml_open(const struct notes *notes);

/* Does not wait for a call that hangs: what belongs to it is then left to its thread. */
void nvml_close(struct nvml *nvml);

/* Waits until there is a first answer, or none to be had, for at most @ms. */
void nvml_wait(struct nvml *nvml, unsigned int ms);

/* Puts the last answer, as REC_READINGS and what follows it, unless it was put before. */
void nvml_tell(struct nvml *nvml, const struct record_sink *sink);

/*
 * Loads the library as nvml_open()'s thread does, and leaves it loaded. Returns 0 with its file's name in @path, or -ENOENT
 * with @why set: there is none, or it lacks what is needed.
 */
int nvml_find(char *path, size_t size, struct reason *why);

#endif
