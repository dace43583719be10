/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the machine's devices a process sees, by its environment. */
#ifndef CUDA_VISIBLE_DEVICES_H
#define CUDA_VISIBLE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#define VISIBLE_MAX     64   /* devices */
#define VISIBLE_UNKNOWN (-1) /* it is one of the machine's, but not known which */

/*
 * Parses @list, a value of CUDA_VISIBLE_DEVICES: the process's device number i is the machine's
 * number @devices[i], or VISIBLE_UNKNOWN. UUIDs are looked up in @gpus, the driver's directory of devices
 * (/proc/driver/nvidia/gpus). Returns how many entries it stored in @devices, which has room for
 * VISIBLE_MAX, or 0 if the list cannot be resolved.
 */
size_t visible_parse(const char *list, const char *gpus, int *devices);

/*
 * The same for the process that was started with @environment: @len bytes of strings, each ended by
 * NUL, and one more NUL; in a container, of the devices that it was given. Returns 0 if it sees all,
 * by the machine's numbers.
 */
size_t visible_find(const char *environment, size_t len, int *devices);

#endif
