/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs code of NVIDIA's libraries where it can neither hang nor end the program. */
#ifndef DOCTOR_DOCTOR_CHILD_H
#define DOCTOR_DOCTOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls @ask in a child process that keeps the rights @rights (rights.h) and has 3 seconds. @ask fills @answer, @size bytes
 * that begin as the caller has them, and returns whether it is one. The caller's @answer changes only if there is one;
 * returns whether there is.
 */
bool doctor_child_ask(bool (*ask)(void *answer), unsigned int rights, void *answer, size_t size);

#endif
