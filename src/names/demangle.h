/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names as people read them. The input is hostile: it comes from watched processes. Length,
 * recursion and output are bounded, and the output contains no control character and no invalid
 * UTF-8.
 */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

/*
 * Demangles @symbol. Returns the full form ("void scale<float>(float*, int)"), or a cleaned copy of
 * @symbol if it is not a mangled name; NULL without memory. The caller frees it.
 */
char *demangle_full(const char *symbol);

/*
 * Shortens a full form to its qualified name: no return type, no arguments, no template list
 * ("ns::scale"); "(anonymous namespace)" and operators stay whole. Returns NULL without memory. The
 * caller frees it.
 */
char *demangle_short(const char *full);

/*
 * The same with the name's template list, in which names are without namespaces ("ns::scale<float>"
 * of "void ns::scale<float>(float*, int)"), for names that read alike without. Returns NULL if
 * there is no list, or without memory. The caller frees it.
 */
char *demangle_listed(const char *full);

/*
 * Both forms of @symbol, if it is a mangled name: *@brief and *@full are then strings that the
 * caller frees. For any other name, and without memory, both are NULL.
 */
void demangle_both(const char *symbol, char **brief, char **full);

#endif
