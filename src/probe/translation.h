/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators: programs that read the code of others and run a translation of it (valgrind, Pin,
 * DynamoRIO, QEMU's user mode). They read a breakpoint as code, and it ends the program. The kernel
 * cannot exempt one process when all that map a file are probed: so the user is told, when the first
 * of a kind starts, and of those that have a file mapped when it is probed.
 */
#ifndef PROBE_TRANSLATION_H
#define PROBE_TRANSLATION_H

#include <sys/types.h>

struct probe;

#define TRANSLATED_TOLD 8 /* processes that the user is told of at most */

/*
 * What a program called @name, or a process with that comm, is known as, for example "valgrind";
 * NULL: it is no translator.
 */
const char *translator_kind(const char *name);

/*
 * Tells the user, once, if the process @pid is a translator: by the path of its @program, or, if
 * that is NULL, by its comm.
 */
void translator_tell(struct probe *probe, pid_t pid, const char *program);

#endif
