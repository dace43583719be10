/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PyTorch's functions are in libc10.so, c10/core/Allocator.h. Their arguments have changed: totals
 * came with PyTorch 1.9, as signed numbers, which became unsigned with 2.2. (A libc10 whose
 * functions have other arguments has other symbols, and is left alone.)
 * BFCAllocator: tsl/framework/bfc_allocator.h of XLA, tensorflow/core/common_runtime before
 * TensorFlow 2.8. AllocateRaw(alignment, bytes) calls the form with attributes. Chunks have
 * multiples of 256 bytes; one that is not worth splitting has more than was asked for.
 * llama.cpp: ggml/src/ggml-cuda/ggml-cuda.cu, ggml_cuda_pool.
 * The return of a BLOCK_MADE is probed: such a function must neither throw (RMM's do, where there is
 * no memory) nor switch stacks, or the probe would end the program (docs/do-no-harm.md).
 */
#include "cuda/allocators.h"

#include <fnmatch.h>

#include "util/util.h"

const char *const allocator_names[ALLOCATOR_KINDS] = {
	[ALLOCATOR_PYTORCH] = "pytorch",
	[ALLOCATOR_BFC] = "bfc",
	[ALLOCATOR_GGML] = "ggml",
};

const char *allocator_noun(unsigned int kind)
{
	return kind == ALLOCATOR_PYTORCH ? "tensors" : "blocks";
}

/* Libraries whose .symtab is read as well: their allocators are not exported. */
static const char *const with_local_symbols[] = {
	"xla_cuda_plugin.so*", "xla_extension.so*", "libtensorflow*",
	"_pywrap_tensorflow*", "libggml*",          "libllama*",
};

static const struct allocator_form plain = { .address = 0, .bytes = 1, .device = 2 },
				   with_totals = { .has_totals = 1,
						   .address = 0,
						   .bytes = 1,
						   .allocated = 2,
						   .reserved = 3,
						   .device = 4 },
				   shortage = { .act = BLOCK_SHORT,
						.has_totals = 1,
						.bytes = 0,
						.allocated = 1,
						.reserved = 2,
						.device = 3 };
/* Methods: argument 0 is `this`. */
static const struct allocator_form
	bfc_makes = { .allocator = ALLOCATOR_BFC, .act = BLOCK_MADE, .bytes = 2, .granule = 256 },
	bfc_returns = { .allocator = ALLOCATOR_BFC, .act = BLOCK_RETURNED, .address = 1 },
	ggml_makes = { .allocator = ALLOCATOR_GGML, .act = BLOCK_MADE, .bytes = 1, .granule = 128 },
	ggml_returns = { .allocator = ALLOCATOR_GGML, .act = BLOCK_RETURNED, .address = 1 };

static const struct {
	const char *symbol;
	const struct allocator_form *form;
} forms[] = {
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE", &with_totals },
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE", &with_totals },
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE", &plain },
	{ "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE", &shortage },
	{ "_ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE", &shortage },
	{ "_ZN3tsl12BFCAllocator11AllocateRawEmm", &bfc_makes },
	{ "_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE", &bfc_makes },
	{ "_ZN3tsl12BFCAllocator13DeallocateRawEPv", &bfc_returns },
	{ "_ZN10tensorflow12BFCAllocator11AllocateRawEmm", &bfc_makes },
	{ "_ZN10tensorflow12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE", &bfc_makes },
	{ "_ZN10tensorflow12BFCAllocator13DeallocateRawEPv", &bfc_returns },
	{ "_ZN18ggml_cuda_pool_vmm5allocEmPm", &ggml_makes },
	{ "_ZN18ggml_cuda_pool_vmm4freeEPvm", &ggml_returns },
	{ "_ZN18ggml_cuda_pool_leg5allocEmPm", &ggml_makes },
	{ "_ZN18ggml_cuda_pool_leg4freeEPvm", &ggml_returns },
};

_Static_assert(ARRAY_LEN(forms) <= CUTOP_POOL - CUTOP_ALLOCATOR,
	       "more forms than there is room for");

size_t allocator_form_count(void)
{
	return ARRAY_LEN(forms);
}

const struct allocator_form *allocator_form(size_t i)
{
	return forms[i].form;
}

const char *allocator_symbol(size_t i)
{
	return forms[i].symbol;
}

bool allocator_is_local(const char *library)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(with_local_symbols); i++)
		if (!fnmatch(with_local_symbols[i], library, 0))
			return true;
	return false;
}
