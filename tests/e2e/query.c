// SPDX-License-Identifier: GPL-2.0-or-later
/* A library of whose functions none is probed by default. */
#include "cuda_double.h"

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return stream ? cudaErrorNotReady : cudaSuccess;
}
