/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of the table a version of the CUDA runtime has. This tells whether a library that
 * lacks a function is simply too old or too new for it, or is broken.
 */
#ifndef CUDA_VERSIONS_H
#define CUDA_VERSIONS_H

#include "cutop_calls.h"

enum declared {
	DECLARED_UNKNOWN, /* this function or this version is unknown */
	DECLARED_NOT,     /* the public headers of this version do not declare it */
	DECLARED,         /* they do, so the library must define it */
};

/*
 * Whether the headers of CUDA runtime @version declare @call as an exported symbol, after the
 * headers' own #defines. @version is as cudaRuntimeGetVersion() gives it: 12040 for 12.4; 12000
 * with @major_only: some 12.x.
 */
enum declared call_declared(unsigned int call, unsigned int version, int major_only);

#endif
