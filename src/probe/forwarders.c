/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a forwarder looks like is in decode.c; here, which functions of a file are ones. */
#include "probe/forwarders.h"

#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "probe/decode.h"
#include "probe/elfinfo.h"

#define WINDOW 64 /* bytes; the longest known form takes 36 up to its jump */

/*
 * The driver and the runtime themselves, whose functions may jump through tables of their own; so
 * does what is put in their place under their names.
 */
static bool is_cuda_library(int fd)
{
	struct elf_info info;

	/* One that cannot be read keeps its probes. */
	return elfinfo_read(fd, &info, NULL) || !strncmp(info.soname, "libcudart", 9) ||
	       !strncmp(info.soname, "libcuda.so", 10);
}

/* Bytes up to the end of its jump; 0: it is none. */
static size_t forwarder_size(int fd, struct decoder *decoder, const struct elf_function *function)
{
	unsigned char code[WINDOW];
	ssize_t n = pread(fd, code, sizeof(code), (off_t)function->offset);

	return n > 0 ? decoder_forwards(decoder, code, (size_t)n, function->offset) : 0;
}

void forwarders_drop(int fd, struct elf_functions *functions, unsigned int layers)
{
	size_t count = functions->count, kept = 0, i, size;
	struct decoder *decoder;

	if (!count || is_cuda_library(fd))
		return;
	decoder = decoder_new();
	if (!decoder)
		return;
	for (i = 0; i < count; i++) {
		struct elf_function *function = &functions->list[i];

		size = CUTOP_IS_EXTRA(function->call) ? 0 : forwarder_size(fd, decoder, function);
		if (size && layers & 1u << call_descs[function->call].layer) {
			functions->forwarders++;
			continue;
		}
		/* Most have no size in their symbol; with one, the probe may move past the test. */
		if (size && !function->size)
			function->size = (uint32_t)size;
		functions->list[kept++] = *function;
	}
	/* The further names stand behind the functions. */
	memmove(functions->list + kept, functions->list + count,
		functions->aliases * sizeof(*functions->list));
	functions->count = kept;
	decoder_free(decoder);
}
