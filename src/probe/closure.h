/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the loader will bring into a program: its DT_NEEDED closure, and the ld.so.cache. */
#ifndef PROBE_CLOSURE_H
#define PROBE_CLOSURE_H

/* What a program's loader is told. NULL: nothing. */
struct closure_settings {
	const char *library_path; /* LD_LIBRARY_PATH */
	const char *preload;      /* LD_PRELOAD */
};

/*
 * Calls @visit with the path of @program, its loader, and each library it needs, directly or not,
 * as ld.so(8) would find them: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache, the default
 * directories, with $ORIGIN, $LIB and $PLATFORM; and of what LD_PRELOAD names. The CUDA driver,
 * which runtimes load by name, counts as needed. Files that cannot be found or read are left out.
 * @settings NULL: nothing is set.
 */
void closure_visit(const char *program, const struct closure_settings *settings,
		   void (*visit)(void *context, const char *path), void *context);

/*
 * Calls @visit for each 64-bit library in ld.so.cache whose name begins with @prefix ("" for all).
 */
void ld_cache_visit(const char *prefix,
		    int (*visit)(void *context, const char *name, const char *path), void *context);

#endif
