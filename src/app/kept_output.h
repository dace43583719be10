/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMMAND's output while the screen has the terminal: kept in a nameless file, printed afterwards. */
#ifndef APP_KEPT_OUTPUT_H
#define APP_KEPT_OUTPUT_H

#include "util/util.h"

/*
 * Returns a file to write to, which the caller closes, or -1. Where no file can be kept it is
 * /dev/null.
 */
int kept_output_open(void);

/* Prints the end of @file (-1: nothing), 1 MiB at most, and says how much was left out. */
void kept_output_print(int file, const struct notes *notes);

#endif
