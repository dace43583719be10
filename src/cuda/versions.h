/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of the table a version of the CUDA runtime has. A library
 * that lacks one may be as old or as new as to be without it, or may be
 * broken: the two are to be told apart.
 */
#ifndef CUDA_VERSIONS_H
#define CUDA_VERSIONS_H

#include "cutop_calls.h"

enum declared {
	DECLARED_UNKNOWN,	/* nothing is known of this function or of this version */
	DECLARED_NOT,		/* the public headers of this version do not declare it */
	DECLARED,		/* they do, so the library has to have it */
};

/*
 * Whether the headers of CUDA runtime @version (as cudaRuntimeGetVersion() gives
 * it: 12040 for 12.4; 12000 with @major_only: some 12.x) declare @call, as an
 * exported symbol: after the headers' own #defines.
 */
enum declared call_declared(unsigned int call, unsigned int version, int major_only);

#endif
