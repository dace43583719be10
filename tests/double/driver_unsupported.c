// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rest of the names that NVIDIA's library exports, so that any program loads and every name can
 * be probed: each function of the call table, weak, so that one that the double does have takes its
 * place. All answer "not supported".
 */
#include "driver.h"

static CUresult unsupported(const char *function)
{
	if (unlikely(atomic_load_explicit(&dbl_attention, memory_order_relaxed))) {
		CUresult scripted = driver_attention(function);

		if (scripted)
			return scripted;
	}
	return driver_ready ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED;
}

/* By another name in C, since functions that the double has are declared with their arguments. */
#define UNSUPPORTED(name) \
	API CUresult unsupported_##name(void) __asm__(#name) __attribute__((weak)); \
	CUresult unsupported_##name(void) \
	{ \
		KEEP_FRAME(); \
		return unsupported(#name); \
	}
#define LAYER_DRIVER(name) UNSUPPORTED(name)
#define LAYER_RUNTIME(name)

#include "unsupported.h"
