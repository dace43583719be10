/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libbsd's red-black trees, as static functions of which some may stay unused. */
#ifndef MODEL_TREE_H
#define MODEL_TREE_H

#include <bsd/sys/tree.h>

/* RB_GENERATE_STATIC of libbsd uses a macro, __unused, that glibc's own headers use as a name. */
#define TREE_GENERATE(name, type, field, compare) \
	RB_GENERATE_INTERNAL(name, type, field, compare, static __attribute__((unused)))

/* The element of the tree at @head with the highest @key that is not above @value, or NULL. */
#define TREE_AT_OR_BELOW(head, field, key, value) \
	({ \
		__typeof__(RB_ROOT(head)) at_ = RB_ROOT(head), best_ = NULL; \
\
		while (at_) { \
			if (at_->key <= (value)) { \
				best_ = at_; \
				at_ = RB_RIGHT(at_, field); \
			} else { \
				at_ = RB_LEFT(at_, field); \
			} \
		} \
		best_; \
	})

#endif
