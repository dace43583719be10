/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the loader will bring into a program: its DT_NEEDED closure, and the ld.so.cache. */
#ifndef PROBE_CLOSURE_H
#define PROBE_CLOSURE_H

/*
 * Calls @visit with the path of the program or library at @path, its loader, and each library it
 * needs, directly or not, as ld.so(8) would find them: DT_RPATH, LD_LIBRARY_PATH (@library_path),
 * DT_RUNPATH, ld.so.cache, the default directories, with $ORIGIN; and of what LD_PRELOAD (@preload)
 * names; both may be NULL. The CUDA driver, which runtimes load by name, counts as needed. Then come
 * CUDA's libraries in the folders of LD_LIBRARY_PATH and, if it is Python, among the packages of its
 * own installation: AHEAD_GLOBBED_MAX at most. Files that cannot be found or read are left out, and
 * a program that it starts is not looked at.
 */
#define AHEAD_GLOBBED_MAX 64
void ahead_visit(const char *path, const char *library_path, const char *preload,
		 void (*visit)(void *context, const char *path), void *context);

/*
 * Calls @visit for each 64-bit library in ld.so.cache whose name begins with @prefix ("" for all).
 */
void ld_cache_visit(const char *prefix,
		    int (*visit)(void *context, const char *name, const char *path), void *context);

#endif
