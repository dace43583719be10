// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How programs find driver functions by name, and the private table through
 * which the double's runtime reaches what has no public call.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "driver.h"

/*
 * Their _v2 takes an argument more, and came with the version that is said: a program of before is
 * given the older one.
 */
static bool is_newer(const char *symbol, const char *form, int version)
{
	static const struct {
		const char *symbol;
		int since;
	} extended[] = {
		{ "cuCtxGetDevice", 13000 },     { "cuCtxSynchronize", 13000 },
		{ "cuLaunchHostFunc", 13020 },   { "cuMulticastBindAddr", 13010 },
		{ "cuMulticastBindMem", 13010 },
	};
	size_t i;

	for (i = 0; i < sizeof(extended) / sizeof(extended[0]); i++)
		if (!strcmp(symbol, extended[i].symbol))
			return version < extended[i].since && !strcmp(form, "_v2");
	return false;
}

/* Newest first, as cuGetProcAddress answers for a recent version. */
static void *find(const char *symbol, int version, bool per_thread)
{
	static const char *const versions[] = { "_v4", "_v3", "_v2", "" };
	static const char *const forms[] = { "_ptsz", "_ptds", "" };
	static void *self;
	char name[128];
	size_t v, f;
	void *at;

	if (!self) {
		Dl_info info;

		/* this library itself, however the program came by it */
		if (dladdr((void *)&num_devices, &info))
			self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		if (!self)
			return NULL;
	}
	for (f = per_thread ? 0 : 2; f < 3; f++)
		for (v = 0; v < 4; v++) {
			if (is_newer(symbol, versions[v], version))
				continue;
			snprintf(name, sizeof(name), "%s%s%s", symbol, versions[v], forms[f]);
			at = dlsym(self, name);
			if (at)
				return at;
		}
	return NULL;
}

API CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, uint64_t flags,
				 int *status)
{
	KEEP_FRAME();
	if (!symbol || !fn)
		return CUDA_ERROR_INVALID_VALUE;
	*fn = find(symbol, version, flags & 2);
	if (status)
		*status = *fn ? 0 : 1;
	return *fn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

API CUresult cuGetProcAddress(const char *symbol, void **fn, int version, uint64_t flags)
{
	KEEP_FRAME();
	if (!symbol || !fn)
		return CUDA_ERROR_INVALID_VALUE;
	*fn = find(symbol, version, flags & 2);
	return *fn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

API CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	static const struct dbl_export_table exports = {
		.size = sizeof(exports),
		.define_global = library_define_global,
		.retain_primary = primary_retain,
	};

	KEEP_FRAME();
	if (!table || !id || memcmp(id, DBL_EXPORT_TABLE_ID, sizeof(*id)))
		return CUDA_ERROR_INVALID_VALUE;
	*table = &exports;
	return CUDA_SUCCESS;
}
