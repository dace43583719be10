// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run-time linker.  What is added is looked at no more than any image is:
 * a link is complete when something was added, and its result is a token that
 * the loading calls take like every other image.  It goes with the link.
 */
#include <unistd.h>
#include "driver.h"

struct link {
	struct object object;
	unsigned int added;
	bool complete;
	char cubin[24];
};

_Static_assert(sizeof(struct link) <= 64, "link slot");

API CUresult cuLinkCreate_v2(unsigned int num, int *options, void **values, CUlinkState *state)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	if (!state || (num && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	*state = object_new(&links);
	return *state ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* After completion nothing can be added any more. */
static CUresult add(CUlinkState state)
{
	struct link *link = object_check(&links, state);

	if (!link)
		return CUDA_ERROR_INVALID_HANDLE;
	if (link->complete)
		return CUDA_ERROR_INVALID_VALUE;
	link->added++;
	return CUDA_SUCCESS;
}

API CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t size,
			      const char *name, unsigned int num, int *options, void **values)
{
	(void)type, (void)name, (void)num, (void)options, (void)values;
	ENTER();
	return data && size ? add(state) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned int num,
			      int *options, void **values)
{
	(void)type, (void)num, (void)options, (void)values;
	ENTER();
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	return access(path, R_OK) ? CUDA_ERROR_FILE_NOT_FOUND : add(state);
}

API CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
	static const char token[] = "cutop double's cubin";
	struct link *link;
	size_t i;

	ENTER();
	link = object_check(&links, state);
	if (!link)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!cubin || !link->added)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < sizeof(token); i++)
		link->cubin[i] = token[i];
	link->complete = true;
	*cubin = link->cubin;
	if (size)
		*size = sizeof(token);
	return CUDA_SUCCESS;
}

API CUresult cuLinkDestroy(CUlinkState state)
{
	struct link *link;

	ENTER();
	link = object_check(&links, state);
	if (!link)
		return CUDA_ERROR_INVALID_HANDLE;
	object_drop(&links, link);
	return CUDA_SUCCESS;
}
