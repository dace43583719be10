/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forwarders: functions with a name of CUDA's that only jump to the function of that name in
 * another library, through a table that is filled by dlsym(). Generators of such stubs are used by
 * XLA, TensorFlow and others, so that their libraries load without CUDA. The function that one
 * leads to has a probe, and the return address there is that of the forwarder's caller: a second
 * probe would only cost time.
 */
#ifndef PROBE_FORWARDERS_H
#define PROBE_FORWARDERS_H

#include "probe/elffile.h"

/*
 * Takes the forwarders out of @functions, which the file open at @fd defines, and sets
 * functions->forwarders to how many there were. One whose layer is not in @layers (bits of enum
 * call_layer: what is probed elsewhere) stays. NVIDIA's own libraries have none. Call it before
 * points_choose().
 */
void forwarders_drop(int fd, struct elf_functions *functions, unsigned int layers);

#endif
