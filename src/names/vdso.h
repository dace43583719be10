/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's vdso as a file: programs have the same one mapped, which is in no file system. */
#ifndef NAMES_VDSO_H
#define NAMES_VDSO_H

/* Returns a descriptor of a copy, which is the caller's, or a negative errno. */
int vdso_open(void);

#endif
