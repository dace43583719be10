/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The errors that are no failures: a table of calls and errors. A line is there because healthy
 * programs return it on a real GPU, or because CUDA's headers say that it is an answer. All other
 * errors are failures.
 */
#include "cuda/outcomes.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>

#include "cuda/calls.h"
#include "util/util.h"

#define RESULT_NOT_READY 600 /* in both layers */

static const struct rule {
	const char *calls; /* a glob of their names */
	int codes[3];
	/*
	 * Not of calls that allocate, copy or launch: what the program wanted done is not done, and
	 * that is for its user to know.
	 */
	bool but_work;
	enum outcome outcome;
	const char *reason;
} rules[] = {
	/*
	 * CUDA_ERROR_DEINITIALIZED, cudaErrorCudartUnloading: the driver returns it once its own
	 * exit handler has run, and at no other time. NVIDIA's runtime calls cuLibraryUnload and
	 * cuDevicePrimaryCtxRelease then, at the end of each program; destructors of a program's
	 * own free memory.
	 */
	{ "*",
	  { 4 },
	  true,
	  OUTCOME_AT_EXIT,
	  "the process is ending and the driver has shut down: nothing is left to give back" },
	/*
	 * Driver 580 says "invalid value", older ones "not found", to a function that is newer than
	 * the driver. cuda-bindings asks for each that it knows.
	 */
	{ "cuGetProcAddress*",
	  { 1, 500, 801 },
	  false,
	  OUTCOME_ANSWERED,
	  "the driver has no such function" },
	{ "cudaGetDriverEntryPoint*",
	  { 1, 500, 801 },
	  false,
	  OUTCOME_ANSWERED,
	  "the driver has no such function" },
	/* NCCL asks about each of its kernels, most of which are for other devices. */
	{ "cudaFuncGetAttributes",
	  { 209 },
	  false,
	  OUTCOME_ANSWERED,
	  "the program has no code of this kernel for the device" },
};

static bool is_work(unsigned int call)
{
	const struct call_desc *desc = &call_descs[call];

	return desc->class == CLASS_ALLOC || desc->class == CLASS_COPY ||
	       desc->class == CLASS_LAUNCH ||
	       (desc->class == CLASS_GRAPH && desc->a == EXEC_LAUNCH);
}

static bool is_done(unsigned int call, int code)
{
	unsigned int flags = call < CALL_COUNT ? call_descs[call].flags : 0;

	/* BPF has judged the result of an extra function: 0 may be a NULL. */
	if (CUTOP_IS_EXTRA(call))
		return false;
	return !code || flags & CALL_ECHO || (flags & CALL_POLL && code == RESULT_NOT_READY);
}

static const struct rule *rule_of(unsigned int call, int code)
{
	if (call >= CALL_COUNT || is_done(call, code))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *rule = &rules[i];

		for (size_t j = 0; j < ARRAY_LEN(rule->codes); j++)
			if (rule->codes[j] == code && !(rule->but_work && is_work(call)) &&
			    !fnmatch(rule->calls, call_name(call), 0))
				return rule;
	}
	return NULL;
}

enum outcome call_outcome(unsigned int call, int code)
{
	const struct rule *rule = rule_of(call, code);

	if (is_done(call, code))
		return OUTCOME_DONE;
	return rule ? rule->outcome : OUTCOME_FAILED;
}

int call_failed(unsigned int call, int code)
{
	return call_outcome(call, code) == OUTCOME_FAILED;
}

const char *outcome_reason(unsigned int call, int code)
{
	const struct rule *rule = rule_of(call, code);

	return rule ? rule->reason : NULL;
}
