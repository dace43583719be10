// SPDX-License-Identifier: GPL-2.0-or-later
/* The limits that every form of launch is held to. */
#include "driver.h"

CUresult launch_check(CU_LAUNCH_SHAPE)
{
	if (unlikely(!gx || !gy || !gz || !bx || !by || !bz))
		return CUDA_ERROR_INVALID_VALUE;
	if (unlikely(gx > 2147483647u || gy > 65535 || gz > 65535))
		return CUDA_ERROR_INVALID_VALUE;
	if (unlikely(bx > 1024 || by > 1024 || bz > 64 || bx * by * bz > 1024))
		return CUDA_ERROR_INVALID_VALUE;
	return unlikely(shared > 101376) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
