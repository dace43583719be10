/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the user names (--probe LIBRARY:SYMBOL): which files they may be in, which of
 * their symbols match, and the number of each.
 */
#ifndef PROBE_EXTRA_FUNCTIONS_H
#define PROBE_EXTRA_FUNCTIONS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "cutop_event.h"
#include "probe/elffile.h"
#include "probe/forms.h"
#include "util/util.h"

struct extra_functions;
struct pools;
struct stat;

/*
 * Makes the list of @count requests, each LIBRARY:SYMBOL[:returns][=RESULT]. LIBRARY is a path if
 * it contains a slash, else a file's name, whole or without "lib", ".so" and version, or a glob.
 * SYMBOL is a name or a glob, matched against the demangled name if it contains "::", whole or
 * without its brackets. RESULT is status, negative, null or none; all but none ask for returns, too.
 * The functions of @pools (NULL: none) are found in the same way. Returns 0 with *@extras, freed with extra_functions_free(), or
 * -EINVAL, -ENOMEM with @why set.
 */
int extra_functions_new(struct extra_functions **extras, const char *const *requests, size_t count,
			const struct pools *pools, struct reason *why);

void extra_functions_free(struct extra_functions *extras);

/*
 * True if the file of @st, found as @path, may have functions that match. @st NULL: decide by its
 * name alone.
 */
bool extra_functions_want(const struct extra_functions *extras, const struct stat *st,
			  const char *path);

/* Records which file requests for @library, a path, mean, whatever it is called elsewhere. */
void extras_settle(struct extra_functions *extras, const char *library, const struct stat *st);

/*
 * Appends the matching functions of the file open at @fd to @found, which is as elffile_functions()
 * leaves it; what it has behind its list is dropped. Returns how many, or a negative errno with
 * @why set.
 */
int extra_functions_find(struct extra_functions *extras, int fd, const struct stat *st,
			 const char *path, struct elf_functions *found, struct reason *why);

/* The functions found so far, by number less CUTOP_EXTRA. Borrowed. */
size_t extra_functions_count(const struct extra_functions *extras);

const char *extra_functions_symbol(const struct extra_functions *extras, size_t number,
				   enum extra_result *result);

/* True once more functions matched than there is room for (CUTOP_EXTRA_MAX). */
bool extra_functions_full(const struct extra_functions *extras);

/*
 * Calls @visit for each request with its library (a path, or a file's name) and whether anything
 * was found for it.
 */
void extra_functions_visit(const struct extra_functions *extras,
			   void (*visit)(void *context, const char *request, const char *library,
					 bool found),
			   void *context);

/* Room that allocators_find() needs in a list. */
#define ALLOCATOR_FUNCTIONS_MAX 16

/*
 * Fills @list with the allocators' functions (cuda/allocators.h) that the file open at @fd exports
 * or, if a library with @path's name may, keeps for itself; numbered from CUTOP_ALLOCATOR on.
 * Returns how many. @path NULL: not known.
 */
size_t allocators_find(int fd, const char *path, struct elf_function *list);

/*
 * Appends them to @functions, their points chosen as points_choose() does. Returns false if there
 * are none, or no memory.
 */
bool allocators_append(int fd, const char *path, const struct forms *forms, bool leave_stepped,
		       struct elf_functions *functions);

#endif
