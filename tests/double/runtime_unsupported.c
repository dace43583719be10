// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rest of the names that NVIDIA's library exports, so that any program loads and every name can
 * be probed: each function of the call table, weak, so that one that the double does have takes its
 * place. All answer "not supported".
 */
#include "runtime.h"

static cudaError_t unsupported(const char *function)
{
	cudaError_t err = cudaSuccess;

	if (unlikely(atomic_load_explicit(&dbl_attention, memory_order_relaxed)))
		err = rt_attention(function);
	if (!err && !rt_thread_ready)
		err = rt_prepare();
	return rt_fail(err ? err : cudaErrorNotSupported);
}

/* By another name in C, since functions that the double has are declared with their arguments. */
#define UNSUPPORTED(name) \
	API cudaError_t unsupported_##name(void) __asm__(#name) __attribute__((weak)); \
	cudaError_t unsupported_##name(void) \
	{ \
		KEEP_FRAME(); \
		return unsupported(#name); \
	}
#define LAYER_RUNTIME(name) UNSUPPORTED(name)
#define LAYER_DRIVER(name)

#include "unsupported.h"

/* In no public header, so in no table. */
UNSUPPORTED(__cudaGetProcAddress)
UNSUPPORTED(__cudaRegisterHostVar)
UNSUPPORTED(__cudaRegisterUnifiedTable)
