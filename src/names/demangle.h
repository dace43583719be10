/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names as people read them. The input is hostile: it comes from watched processes. Length,
 * recursion and output are bounded, and the output contains no control character and no invalid
 * UTF-8.
 */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* True if @symbol is mangled as Rust's compiler does it; its full form is without the hash. */
bool demangle_is_rust(const char *symbol);

/*
 * Runs one name through libiberty's demangler; and the process that does this for names that may
 * take long.
 */

#define DEMANGLE_INPUT_MAX  (16 * 1024) /* bytes; a longer mangled name stays as it is */
#define DEMANGLE_OUTPUT_MAX (64 * 1024) /* bytes; the rest is cut off */

/*
 * Writes the full form of @symbol to @out, @size bytes with the NUL, and returns its length; 0 if
 * it is not a mangled name. With @deep libiberty's recursion limit is off: the caller's stack has
 * to be large enough. Allocates nothing.
 */
size_t demangle_run(const char *symbol, bool deep, char *out, size_t size);

/*
 * The same in a separate process, which has 200 ms for each name: see resolver_process.c. @out has
 * room for DEMANGLE_OUTPUT_MAX bytes and the NUL. Also returns 0 if it took longer, or no process
 * can be had now.
 */
size_t demangle_apart(const char *symbol, char *out);

/* How a place in native code reads: in a recording, and where a model makes more texts of it. */

struct place_words {
	const char *function; /* in full; empty: unknown */
	const char *module;   /* the file that contains the code */
	const char *path;     /* the source; empty: unknown */
	unsigned int line;
	uint64_t offset; /* from the start of the function, or, if that is unknown, of the file */
	bool is_inlined; /* then there is no offset */
	/* The function that an inlined one became a part of: two sites may differ in it only; or NULL */
	const struct place_words *around;
};

/*
 * "make_buffer+0x13 at leak.cu:21 (leak)", "leak+0x1013 at leak.cu:21"; inlined "grow at pool.h:9
 * (leak, inlined)", with @around "grow at pool.h:9 in main+0x2c (leak)". NULL without memory; the
 * caller frees it.
 */
char *place_text(const struct place_words *words);

#endif
