/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbsd's red-black trees, with functions local to a file, of which not all need be used. */
#ifndef MODEL_TREE_H
#define MODEL_TREE_H

#include <bsd/sys/tree.h>

/* RB_GENERATE_STATIC of libbsd leans on a macro, __unused, that glibc's own headers use as a name. */
#define TREE_GENERATE(name, type, field, compare) \
	RB_GENERATE_INTERNAL(name, type, field, compare, static __attribute__((unused)))

#endif
