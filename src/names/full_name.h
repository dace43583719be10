/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a full form: a type that is returned, a qualified name, arguments, and qualifiers.
 * Brackets nest, but '<' and '>' are also operators, and a bracket may belong to the name:
 * "(anonymous namespace)", "operator()", "{lambda(int)#1}".
 */
#ifndef NAMES_FULL_NAME_H
#define NAMES_FULL_NAME_H

#include "names/outline.h"

struct full_name {
	size_t start, leaf,
		end;      /* the qualified name; the last part of that; its arguments begin */
	struct span list; /* the template list of the last part */
	bool is_operator; /* some part of it is one */
	/* The qualified name without template lists and arguments of enclosing functions */
	char *brief;
	size_t len;
};

/* Reads @form. False without memory; free(@name->brief) is due else. */
bool full_name_read(const struct outline *form, struct full_name *name);

#endif
