/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of what is numbered: calls, groups, causes, errors. */
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "cuda/calls.h"
#include "cuda/errors.h"

START_TEST(every_call_is_described)
{
	unsigned int i;

	for (i = 0; i < CALL_COUNT; i++) {
		ck_assert_ptr_nonnull(call_name(i));
		ck_assert_uint_lt(call_descs[i].class, CLASS_COUNT);
		ck_assert_uint_lt(call_descs[i].group, GROUP_COUNT);
		if (call_descs[i].class == CLASS_LAUNCH)	/* launch_function(), bpf/launch.bpf.h */
			ck_assert_uint_le(call_descs[i].b, 1);
	}
	ck_assert_str_eq(call_name(CALL_cudaMalloc), "cudaMalloc");
	ck_assert_uint_eq(call_descs[CALL_cudaMalloc].class, CLASS_ALLOC);
	ck_assert_str_eq(call_name(CALL_COUNT), "?");
	ck_assert_str_eq(call_layer_name(LAYER_RUNTIME), "runtime");
	ck_assert_str_eq(call_layer_name(7), "?");
}
END_TEST

/* Signatures: cuda_runtime_api.h, cuda.h. */
START_TEST(every_stream_is_an_argument)
{
	static const struct {
		unsigned int call, stream;
	} known[] = {
		{ CALL_cudaMemcpyAsync, 4 }, { CALL_cudaMemcpyAsync_ptsz, 4 | CUTOP_STREAM_PER_THREAD },
		{ CALL_cudaMemcpy2DAsync, 7 }, { CALL_cudaMemcpy2DToArrayAsync, 8 }, { CALL_cudaMemcpy2DFromArrayAsync, 8 },
		{ CALL_cudaMemcpyToArrayAsync, 6 }, { CALL_cudaMemcpyFromArrayAsync, 6 }, { CALL_cudaMemcpyToSymbolAsync, 5 },
		{ CALL_cudaMemcpyFromSymbolAsync, 5 }, { CALL_cudaMemcpyPeerAsync, 5 }, { CALL_cudaMemcpy3DAsync, 1 },
		{ CALL_cudaMemcpy3DPeerAsync, 1 }, { CALL_cudaMemcpyBatchAsync, 7 | CUTOP_STREAM_MOVED },
		{ CALL_cudaMemcpy3DBatchAsync, 3 | CUTOP_STREAM_MOVED },
		{ CALL_cuMemcpyAsync, 3 }, { CALL_cuMemcpyHtoDAsync_v2, 3 }, { CALL_cuMemcpyDtoHAsync_v2, 3 },
		{ CALL_cuMemcpyDtoDAsync_v2_ptsz, 3 | CUTOP_STREAM_PER_THREAD }, { CALL_cuMemcpyAtoHAsync_v2, 4 },
		{ CALL_cuMemcpyHtoAAsync_v2, 4 }, { CALL_cuMemcpyPeerAsync, 5 }, { CALL_cuMemcpy2DAsync_v2, 1 },
		{ CALL_cuMemcpy3DAsync_v2, 1 }, { CALL_cuMemcpy3DPeerAsync, 1 }, { CALL_cuMemcpyBatchAsync, 8 },
		{ CALL_cudaMemcpyWithAttributesAsync, 4 }, { CALL_cudaMemcpy3DWithAttributesAsync, 2 },
		{ CALL_cuMemcpyWithAttributesAsync_ptsz, 4 | CUTOP_STREAM_PER_THREAD }, { CALL_cuMemcpy3DWithAttributesAsync, 2 },
		{ CALL_cuMemcpyBatchAsync_v2, 7 }, { CALL_cuMemcpy3DBatchAsync, 4 }, { CALL_cuMemcpy3DBatchAsync_v2, 3 },
		{ CALL_cudaStreamSynchronize, 0 }, { CALL_cudaStreamSynchronize_ptsz, CUTOP_STREAM_PER_THREAD },
		{ CALL_cuStreamSynchronize, 0 }, { CALL_cudaDeviceSynchronize, CUTOP_STREAM_NONE },
		{ CALL_cudaMemcpy, CUTOP_STREAM_NONE }, { CALL_cudaMemcpy_ptds, CUTOP_STREAM_NONE | CUTOP_STREAM_PER_THREAD },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_msg(call_stream(known[i].call) == known[i].stream, "%s: %u", call_name(known[i].call),
			      call_stream(known[i].call));
}
END_TEST

START_TEST(every_name_is_there)
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
END_TEST

START_TEST(what_a_failure_is)
{
	ck_assert(!call_failed(CALL_cudaMalloc, 0));
	ck_assert(call_failed(CALL_cudaMalloc, 2));
	/* not done yet: an answer of those that ask, and of the time between two events */
	ck_assert(!call_failed(CALL_cudaEventQuery, 600) && !call_failed(CALL_cuStreamQuery_ptsz, 600));
	ck_assert(!call_failed(CALL_cudaEventElapsedTime, 600) && !call_failed(CALL_cudaEventElapsedTime_v2, 600));
	ck_assert(!call_failed(CALL_cuEventElapsedTime, 600) && !call_failed(CALL_cuEventElapsedTime_v2, 600));
	ck_assert(call_failed(CALL_cudaEventElapsedTime, 400) && call_failed(CALL_cudaEventSynchronize, 600));
	ck_assert(call_failed(CALL_cudaMalloc, 600));
	ck_assert(!call_failed(CALL_cudaStreamQuery, 600));
	ck_assert(call_failed(CALL_cudaStreamQuery, 700));
	ck_assert(!call_failed(CALL_cudaGetLastError, 700));
	ck_assert(call_failed(CALL_COUNT, 1));
}
END_TEST

START_TEST(error_names)
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
	ck_assert_str_eq(error_meaning(LAYER_RUNTIME, 2), "the device has not enough free memory for this");
	ck_assert_ptr_nonnull(error_meaning(LAYER_DRIVER, 700));
	ck_assert_ptr_null(error_meaning(LAYER_RUNTIME, 4711));
	ck_assert(error_is_sticky(700));
	ck_assert(error_is_sticky(719));
	ck_assert(error_is_sticky(710));
	ck_assert(!error_is_sticky(2));
	ck_assert(!error_is_sticky(4711));
}
END_TEST

START_TEST(meanings_are_found)
{
	/* Each list is searched by halves: a meaning out of order would be lost. */
	static const int met[] = { 1, 2, 3, 4, 9, 12, 13, 17, 21, 34, 35, 36, 46, 52, 98, 100, 101, 200, 201, 209, 214, 218,
				   222, 300, 304, 400, 500, 600, 700, 701, 702, 710, 712, 716, 719, 720, 801, 803, 900, 910, 999 };
	size_t i;

	for (i = 0; i < sizeof(met) / sizeof(met[0]); i++) {
		ck_assert_ptr_nonnull(error_meaning(LAYER_RUNTIME, met[i]));
		ck_assert_ptr_nonnull(error_name(LAYER_RUNTIME, met[i]));
	}
}
END_TEST

Suite *suite_tables(void)
{
	Suite *suite = suite_create("tables");
	TCase *tests = tcase_create("tables");

	tcase_add_test(tests, every_call_is_described);
	tcase_add_test(tests, every_stream_is_an_argument);
	tcase_add_test(tests, every_name_is_there);
	tcase_add_test(tests, what_a_failure_is);
	tcase_add_test(tests, error_names);
	tcase_add_test(tests, meanings_are_found);
	suite_add_tcase(suite, tests);
	return suite;
}
