/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names as people read them, by libiberty's demangler. Parts of a mangled name may refer to
 * earlier parts, so a short name can keep the demangler busy for years. Such names go to a process
 * that is ended when it takes too long (demangle_process.c); so do names for which libiberty's
 * recursion limit has to be off. All others are demangled in place.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/demangle.h"
#include "names/demangle_run.h"
#include "names/full_name.h"
#include "names/libiberty.h"
#include "names/short_form.h"
#include "util/utf8.h"

/* Libiberty expects two components per byte */
#define IN_PLACE_MAX (DEMANGLE_RECURSION_LIMIT / 2)

static char *clean_dup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *out = malloc(len + 1);

	return out ? utf8_clean(text, out, len + 1) : NULL;
}

/*
 * True if it can be demangled here. In C++'s mangling (Itanium C++ ABI, 5.1) each part that refers
 * to an earlier one ends with '_'; without one, the work grows at most with the square of the
 * length.
 */
static bool is_plain(const char *symbol, size_t len)
{
	return len < IN_PLACE_MAX && symbol[1] == 'Z' && !strchr(symbol + 2, '_');
}

char *demangle_full(const char *symbol)
{
	size_t len = strnlen(symbol, DEMANGLE_INPUT_MAX + 1), known = 0;
	char *out = NULL, *full;

	if (len <= DEMANGLE_INPUT_MAX && symbol[0] == '_' &&
	    (symbol[1] == 'Z' || symbol[1] == 'R')) {
		out = malloc(DEMANGLE_OUTPUT_MAX + 1);
		if (!out)
			return NULL;
		known = is_plain(symbol, len) ?
				demangle_run(symbol, false, out, DEMANGLE_OUTPUT_MAX + 1) :
				demangle_apart(symbol, out);
	}
	full = clean_dup(known ? out : symbol, DEMANGLE_OUTPUT_MAX);
	free(out);
	return full;
}

/* Rust's legacy mangling is C++'s with a hash at the end: "core::fmt::write::h0123456789abcdef". */
static size_t without_rust_hash(const char *name, size_t len)
{
	size_t i;

	if (len <= 19 || memcmp(name + len - 19, "::h", 3))
		return len;
	for (i = len - 16; i < len; i++)
		if (!isdigit((unsigned char)name[i]) && !(name[i] >= 'a' && name[i] <= 'f'))
			return len;
	return len - 19;
}

/* The name in @form without lists; or, with @listed, with its own, without namespaces. */
static char *name_make(const struct outline *form, bool listed)
{
	static const struct short_form whole = { .depth = UINT32_MAX };
	struct full_name name;
	ptrdiff_t list = 0;
	char *out;

	if (!full_name_read(form, &name))
		return NULL;
	/* No arguments and no list: it is not a function's full form but already a name. */
	if (!name.len || !strpbrk(form->text, "(<")) {
		memcpy(name.brief, form->text, form->len);
		name.len = form->len;
	}
	name.len = without_rust_hash(name.brief, name.len);
	out = realloc(name.brief, name.len + SHORT_FORM_ROOM(form->len));
	if (!out || (listed && !name.list.end))
		goto fail;
	if (listed)
		list = short_form_write(form, &name.list, &whole, out + name.len);
	if (list < 0)
		goto fail;
	out[name.len + (size_t)list] = '\0';
	return out;
fail:
	free(out ?: name.brief);
	return NULL;
}

static char *name_of(const char *full, bool listed)
{
	char *text = clean_dup(full, DEMANGLE_OUTPUT_MAX), *name = NULL;
	struct outline form = { .end = NULL };

	if (text && outline_make(&form, text))
		name = name_make(&form, listed);
	outline_free(&form);
	free(text);
	return name;
}

char *demangle_short(const char *full)
{
	return name_of(full, false);
}

char *demangle_listed(const char *full)
{
	return name_of(full, true);
}

void demangle_both(const char *symbol, char **brief, char **full)
{
	*brief = NULL;
	*full = demangle_full(symbol);
	if (*full && strcmp(*full, symbol))
		*brief = demangle_short(*full);
	if (*brief)
		return;
	free(*full);
	*full = NULL;
}
