/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a file has the runtime's own code: what the driver is called from there is no call of the program's. */
#ifndef PROBE_RUNTIME_CODE_H
#define PROBE_RUNTIME_CODE_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"
#include "probe/elffile.h"

/*
 * Finds that code in the file open at @fd, which has the functions @found: all of a library that calls itself libcudart,
 * else the piece around these functions in which every symbol is the runtime's. False if there is none.
 */
bool runtime_code_find(int fd, const struct elf_functions *found, struct code_span *span);

#endif
