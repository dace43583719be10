/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs code of NVIDIA's libraries in a child, where it can neither hang nor end this program. */
#ifndef DOCTOR_DOCTOR_CHILD_H
#define DOCTOR_DOCTOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls @ask in a child process that keeps the rights @rights (rights.h) and has 3 seconds. @ask
 * fills @answer (@size bytes, with the caller's initial contents), and returns whether it
 * succeeded. The caller's @answer changes only then; returns whether it did.
 */
bool doctor_child_ask(bool (*ask)(void *answer), unsigned int rights, void *answer, size_t size);

#endif
