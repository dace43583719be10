/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a file has the runtime's own code: a driver call made from there is not the program's own.
 */
#ifndef PROBE_RUNTIME_CODE_H
#define PROBE_RUNTIME_CODE_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"
#include "probe/elffile.h"

/*
 * Finds that code in the file open at @fd, which has the functions @found: the whole file if it
 * calls itself libcudart, else the piece around these functions that contains only the runtime's
 * symbols. False if there is none.
 */
bool runtime_code_find(int fd, const struct elf_functions *found, struct code_span *span);

#endif
