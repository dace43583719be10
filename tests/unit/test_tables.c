/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of calls, and names of what is numbered: calls, groups, causes, errors. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "cuda/calls.h"
#include "cuda/errors.h"

TEST(every_call_is_described)
{
	unsigned int i;

	for (i = 0; i < CALL_COUNT; i++) {
		ck_assert_ptr_nonnull(call_name(i));
		ck_assert_uint_lt(call_descs[i].class, CLASS_COUNT);
		ck_assert_uint_lt(call_descs[i].group, GROUP_COUNT);
		/* launch_function(), bpf/launch.bpf.h */
		if (call_descs[i].class == CLASS_LAUNCH)
			ck_assert_uint_le(call_descs[i].b, 1);
	}
	ck_assert_str_eq(call_name(CALL_cudaMalloc), "cudaMalloc");
	ck_assert_uint_eq(call_descs[CALL_cudaMalloc].class, CLASS_ALLOC);
	ck_assert_str_eq(call_name(CALL_COUNT), "?");
	ck_assert_str_eq(call_layer_name(LAYER_RUNTIME), "runtime");
	ck_assert_str_eq(call_layer_name(7), "?");
}

/* Signatures: cuda_runtime_api.h, cuda.h. */
TEST(every_stream_is_an_argument)
{
	static const struct {
		unsigned int call, stream;
	} known[] = {
		{ CALL_cudaMemcpyAsync, 4 },
		{ CALL_cudaMemcpyAsync_ptsz, 4 | CUTOP_STREAM_PER_THREAD },
		{ CALL_cudaMemcpy2DAsync, 7 },
		{ CALL_cudaMemcpy2DToArrayAsync, 8 },
		{ CALL_cudaMemcpy2DFromArrayAsync, 8 },
		{ CALL_cudaMemcpyToArrayAsync, 6 },
		{ CALL_cudaMemcpyFromArrayAsync, 6 },
		{ CALL_cudaMemcpyToSymbolAsync, 5 },
		{ CALL_cudaMemcpyFromSymbolAsync, 5 },
		{ CALL_cudaMemcpyPeerAsync, 5 },
		{ CALL_cudaMemcpy3DAsync, 1 },
		{ CALL_cudaMemcpy3DPeerAsync, 1 },
		{ CALL_cudaMemcpyBatchAsync, 7 | CUTOP_STREAM_MOVED },
		{ CALL_cudaMemcpy3DBatchAsync, 3 | CUTOP_STREAM_MOVED },
		{ CALL_cuMemcpyAsync, 3 },
		{ CALL_cuMemcpyHtoDAsync_v2, 3 },
		{ CALL_cuMemcpyDtoHAsync_v2, 3 },
		{ CALL_cuMemcpyDtoDAsync_v2_ptsz, 3 | CUTOP_STREAM_PER_THREAD },
		{ CALL_cuMemcpyAtoHAsync_v2, 4 },
		{ CALL_cuMemcpyHtoAAsync_v2, 4 },
		{ CALL_cuMemcpyPeerAsync, 5 },
		{ CALL_cuMemcpy2DAsync_v2, 1 },
		{ CALL_cuMemcpy3DAsync_v2, 1 },
		{ CALL_cuMemcpy3DPeerAsync, 1 },
		{ CALL_cuMemcpyBatchAsync, 8 },
		{ CALL_cudaMemcpyWithAttributesAsync, 4 },
		{ CALL_cudaMemcpy3DWithAttributesAsync, 2 },
		{ CALL_cuMemcpyWithAttributesAsync_ptsz, 4 | CUTOP_STREAM_PER_THREAD },
		{ CALL_cuMemcpy3DWithAttributesAsync, 2 },
		{ CALL_cuMemcpyBatchAsync_v2, 7 },
		{ CALL_cuMemcpy3DBatchAsync, 4 },
		{ CALL_cuMemcpy3DBatchAsync_v2, 3 },
		{ CALL_cudaStreamSynchronize, 0 },
		{ CALL_cudaStreamSynchronize_ptsz, CUTOP_STREAM_PER_THREAD },
		{ CALL_cuStreamSynchronize, 0 },
		{ CALL_cudaDeviceSynchronize, CUTOP_STREAM_NONE },
		{ CALL_cudaMemcpy, CUTOP_STREAM_NONE },
		{ CALL_cudaMemcpy_ptds, CUTOP_STREAM_NONE | CUTOP_STREAM_PER_THREAD },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_msg(call_stream(known[i].call) == known[i].stream, "%s: %u",
			      call_name(known[i].call), call_stream(known[i].call));
}

static unsigned int call_by_name(const char *name, size_t len)
{
	unsigned int call;

	for (call = 0; call < CALL_COUNT; call++)
		if (!strncmp(call_name(call), name, len) && !call_name(call)[len])
			break;
	return call;
}

/* Which argument of a call of CLASS_GRAPH is its stream; NO_ARG: none. */
static unsigned int graph_stream(const struct call_desc *desc)
{
	switch (desc->a) {
	case CAPTURE_BEGIN:
	case CAPTURE_END:
	case CAPTURE_WAIT:
	case CAPTURE_LEAVE: return desc->b;
	case CAPTURE_RECORD:
	case EXEC_LAUNCH: return desc->c;
	default: return NO_ARG;
	}
}

/* What one column says fits what the others do. */
TEST(every_line_makes_sense)
{
	regex_t signature;
	unsigned int call;

	ck_assert_int_eq(regcomp(&signature, "^([A-Za-z_0-9]*:[pszuifm]\\*?( |$))*$",
				 REG_EXTENDED | REG_NOSUB),
			 0);
	for (call = 0; call < CALL_COUNT; call++) {
		const struct call_desc *desc = &call_descs[call];
		unsigned int since = CUTOP_OPTION_SINCE(call_options[call]),
			     until = CUTOP_OPTION_UNTIL(call_options[call]);
		unsigned int stream = desc->class == CLASS_GRAPH ? graph_stream(desc) :
				      desc->class == CLASS_SYNC && desc->a == SYNC_STREAM ? 0 :
											    NO_ARG,
			     state = 0;
		bool known = desc->class == CLASS_ALLOC || desc->class == CLASS_FREE ||
			     desc->class == CLASS_COPY || desc->class == CLASS_LAUNCH;
		struct call_argument argument;

		ck_assert_msg(!regexec(&signature, call_signatures[call], 0, NULL, 0), "%s: %s",
			      call_name(call), call_signatures[call]);
		ck_assert_msg(!known || !*call_signatures[call],
			      "%s: its class knows its arguments", call_name(call));
		while (stream != NO_ARG && call_argument_next(call, &state, &argument))
			ck_assert_msg(argument.word != stream || argument.kind == ARGUMENT_STREAM,
				      "%s: argument %u is no stream", call_name(call), stream);
		ck_assert_msg(!until || since <= until, "%s: since %u, until %u", call_name(call),
			      since, until);
		ck_assert_msg(!CUTOP_OPTION_STREAM(call_options[call]) ==
				      !(desc->flags & CALL_ASYNC),
			      "%s: which stream?", call_name(call));
		ck_assert_msg(desc->class == CLASS_COPY || !(desc->flags & CALL_ASYNC),
			      "%s is no copy", call_name(call));
	}
	regfree(&signature);
}

/*
 * The form for a default stream per thread comes and goes with the function that it is a form of,
 * and takes the same arguments.
 */
TEST(every_form_has_its_function)
{
	unsigned int call, plain;
	size_t len;

	for (call = 0; call < CALL_COUNT; call++) {
		const struct call_desc *form = &call_descs[call], *function;

		len = strlen(call_name(call));
		if (len < 5 || (strcmp(call_name(call) + len - 5, "_ptsz") &&
				strcmp(call_name(call) + len - 5, "_ptds")))
			continue;
		plain = call_by_name(call_name(call), len - 5);
		ck_assert_msg(plain < CALL_COUNT, "%s is a form of nothing", call_name(call));
		function = &call_descs[plain];
		ck_assert_msg(form->layer == function->layer && form->class == function->class &&
				      form->group == function->group && form->a == function->a &&
				      form->b == function->b && form->c == function->c &&
				      form->d == function->d &&
				      (call_options[call] & ~(uint64_t)CALL_PER_THREAD) ==
					      call_options[plain],
			      "%s", call_name(call));
	}
}

TEST(every_name_is_there)
{
	unsigned int i;

	for (i = 0; i < GROUP_COUNT; i++)
		ck_assert_ptr_nonnull(call_group_names[i]);
	for (i = 0; i < KIND_COUNT; i++)
		ck_assert_ptr_nonnull(alloc_kind_names[i]);
	for (i = 0; i < DIR_COUNT; i++)
		ck_assert_ptr_nonnull(copy_direction_names[i]);
	for (i = 0; i < LOST_COUNT; i++)
		ck_assert_ptr_nonnull(lost_cause_names[i]);
	ck_assert_str_eq(lost_cause_names[LOST_FREE], "missed_frees");
	ck_assert_str_eq(copy_mode_names[COPY_ASYNC], "async");
}

TEST(what_a_failure_is)
{
	ck_assert(!call_failed(CALL_cudaMalloc, 0));
	ck_assert(call_failed(CALL_cudaMalloc, 2));
	/* not done yet: an answer of those that ask, and of the time between two events */
	ck_assert(!call_failed(CALL_cudaEventQuery, 600) &&
		  !call_failed(CALL_cuStreamQuery_ptsz, 600));
	ck_assert(!call_failed(CALL_cudaEventElapsedTime, 600) &&
		  !call_failed(CALL_cudaEventElapsedTime_v2, 600));
	ck_assert(!call_failed(CALL_cuEventElapsedTime, 600) &&
		  !call_failed(CALL_cuEventElapsedTime_v2, 600));
	ck_assert(call_failed(CALL_cudaEventElapsedTime, 400) &&
		  call_failed(CALL_cudaEventSynchronize, 600));
	ck_assert(call_failed(CALL_cudaMalloc, 600));
	ck_assert(!call_failed(CALL_cudaStreamQuery, 600));
	ck_assert(call_failed(CALL_cudaStreamQuery, 700));
	ck_assert(!call_failed(CALL_cudaGetLastError, 700));
	ck_assert(call_failed(CALL_COUNT, 1));
}

TEST(error_names)
{
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 2), "cudaErrorMemoryAllocation");
	ck_assert_str_eq(error_name(LAYER_DRIVER, 2), "CUDA_ERROR_OUT_OF_MEMORY");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 35), "cudaErrorInsufficientDriver");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 98), "cudaErrorInvalidDeviceFunction");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 100), "cudaErrorNoDevice");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 719), "cudaErrorLaunchFailure");
	ck_assert_str_eq(error_name(LAYER_DRIVER, 719), "CUDA_ERROR_LAUNCH_FAILED");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 65), "cudaErrorLaunchMaxDepthExceeded");
	/* after CUDA 13.0 */
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 10), "cudaErrorVersionTranslation");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 917), "cudaErrorStreamDetached");
	ck_assert_str_eq(error_name(LAYER_RUNTIME, 918), "cudaErrorGraphRecaptureFailure");
	ck_assert_str_eq(error_name(LAYER_DRIVER, 917), "CUDA_ERROR_STREAM_DETACHED");
	ck_assert_str_eq(error_name(LAYER_DRIVER, 918), "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE");
	ck_assert_ptr_null(error_name(LAYER_DRIVER, 10));
	ck_assert_ptr_null(error_name(LAYER_RUNTIME, 4711));
	ck_assert_ptr_null(error_name(LAYER_DRIVER, -1));
	ck_assert_str_eq(error_meaning(LAYER_RUNTIME, 2),
			 "the device has not enough free memory for this");
	ck_assert_ptr_nonnull(error_meaning(LAYER_DRIVER, 700));
	ck_assert_ptr_null(error_meaning(LAYER_RUNTIME, 4711));
	ck_assert(error_is_sticky(700));
	ck_assert(error_is_sticky(719));
	ck_assert(error_is_sticky(710));
	ck_assert(!error_is_sticky(2));
	ck_assert(!error_is_sticky(4711));
}

TEST(meanings_are_found)
{
	/* Each list is searched by halves: a meaning out of order would be lost. */
	static const int met[] = { 1,   2,   3,   4,   9,   12,  13,  17,  21,  34,  35,
				   36,  46,  52,  98,  100, 101, 200, 201, 209, 214, 218,
				   222, 300, 304, 400, 500, 600, 700, 701, 702, 710, 712,
				   716, 719, 720, 801, 803, 900, 910, 999 };
	size_t i;

	for (i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
		ck_assert_ptr_nonnull(error_meaning(LAYER_RUNTIME, met[i]));
		ck_assert_ptr_nonnull(error_name(LAYER_RUNTIME, met[i]));
	}
}
