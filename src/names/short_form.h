/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a demangled name written in short: without namespaces, without the arguments of
 * enclosing functions, numbers without the suffix of their type.
 */
#ifndef NAMES_SHORT_FORM_H
#define NAMES_SHORT_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "names/outline.h"

struct short_form {
	unsigned int depth; /* of template lists; deeper ones are "<...>" */
	/*
	 * Without arguments that no reader needs, such as iterators; and of a lambda in a lambda
	 * only the inner one
	 */
	bool is_brief;
	struct span hole; /* written as "_" */
};

/* How much room @len bytes need. */
#define SHORT_FORM_ROOM(len) (3 * (len) + 1)

/*
 * Writes @part of @form to @out, which has SHORT_FORM_ROOM for it, without a NUL. Returns the
 * length, or -1 without memory.
 */
ptrdiff_t short_form_write(const struct outline *form, const struct span *part,
			   const struct short_form *style, char *out);

#endif
