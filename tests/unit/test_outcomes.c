/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors that are no failures: which they are, and that no count and no event has them. */
#include <string.h>

#include "one_process.h"
#include "cuda/calls.h"
#include "cuda/errors.h"
#include "run_tests.h"

FIXTURE(setup, teardown);

TEST(errors_have_outcomes)
{
	static const struct {
		unsigned int call;
		int code;
		enum outcome outcome;
	} known[] = {
		{ CALL_cuLibraryUnload, 4, OUTCOME_AT_EXIT },
		{ CALL_cuDevicePrimaryCtxRelease, 4, OUTCOME_AT_EXIT },
		{ CALL_cuMemFree_v2, 4, OUTCOME_AT_EXIT },
		{ CALL_cudaFree, 4, OUTCOME_AT_EXIT },
		{ CALL_cudaDeviceSynchronize, 4, OUTCOME_AT_EXIT },
		{ CALL_cuGetProcAddress_v2, 4, OUTCOME_AT_EXIT },
		/* What was wanted is lost */
		{ CALL_cudaMalloc, 4, OUTCOME_FAILED },
		{ CALL_cuMemcpyDtoH_v2, 4, OUTCOME_FAILED },
		{ CALL_cudaLaunchKernel, 4, OUTCOME_FAILED },
		{ CALL_cuGraphLaunch, 4, OUTCOME_FAILED },
		{ CALL_cuGetProcAddress, 1, OUTCOME_ANSWERED },
		{ CALL_cuGetProcAddress_v2, 1, OUTCOME_ANSWERED },
		{ CALL_cuGetProcAddress_v2, 500, OUTCOME_ANSWERED },
		{ CALL_cudaGetDriverEntryPoint_ptsz, 500, OUTCOME_ANSWERED },
		{ CALL_cudaGetDriverEntryPointByVersion, 1, OUTCOME_ANSWERED },
		{ CALL_cudaFuncGetAttributes, 209, OUTCOME_ANSWERED },
		{ CALL_cudaGraphExecUpdate, 910, OUTCOME_ANSWERED },
		{ CALL_cuGraphExecUpdate_v2, 910, OUTCOME_ANSWERED },
		{ CALL_cudaDeviceEnablePeerAccess, 704, OUTCOME_ANSWERED },
		{ CALL_cuCtxEnablePeerAccess, 704, OUTCOME_ANSWERED },
		{ CALL_cudaDeviceDisablePeerAccess, 705, OUTCOME_ANSWERED },
		{ CALL_cudaHostGetFlags, 1, OUTCOME_ANSWERED },
		{ CALL_cuMemHostGetFlags, 1, OUTCOME_ANSWERED },
		{ CALL_cuPointerGetAttributes, 1, OUTCOME_ANSWERED },
		{ CALL_cudaHostRegister, 712, OUTCOME_ANSWERED },
		{ CALL_cuMemHostRegister_v2, 712, OUTCOME_ANSWERED },
		{ CALL_cuMemCreate, 800, OUTCOME_ANSWERED },
		{ CALL_cuMemCreate, 801, OUTCOME_ANSWERED },
		/* The same errors where something was to be done, or another error of a question */
		{ CALL_cuGraphLaunch, 910, OUTCOME_FAILED },
		{ CALL_cudaGraphExecUpdate, 1, OUTCOME_FAILED },
		{ CALL_cudaDeviceEnablePeerAccess, 217, OUTCOME_FAILED },
		{ CALL_cuIpcOpenMemHandle_v2, 704, OUTCOME_FAILED },
		{ CALL_cuMemHostGetDevicePointer_v2, 1, OUTCOME_FAILED },
		{ CALL_cudaHostRegister, 1, OUTCOME_FAILED },
		{ CALL_cudaHostUnregister, 712, OUTCOME_FAILED },
		{ CALL_cudaHostUnregister, 713, OUTCOME_FAILED },
		{ CALL_cuMemCreate, 2, OUTCOME_FAILED },
		{ CALL_cudaMalloc, 801, OUTCOME_FAILED },
		{ CALL_cuGetProcAddress_v2, 3, OUTCOME_FAILED },
		{ CALL_cudaFuncGetAttributes, 700, OUTCOME_FAILED },
		{ CALL_cudaLaunchKernel, 209, OUTCOME_FAILED },
		{ CALL_cuModuleLoadData, 209, OUTCOME_FAILED },
		{ CALL_cuModuleGetFunction, 500, OUTCOME_FAILED },
		{ CALL_cudaMalloc, 2, OUTCOME_FAILED },
		{ CALL_cudaFree, 1, OUTCOME_FAILED },
		{ CUTOP_EXTRA, 4, OUTCOME_FAILED },
		{ CALL_cudaFree, 0, OUTCOME_DONE },
		{ CALL_cudaGetLastError, 4, OUTCOME_DONE },
		{ CALL_cudaStreamQuery, 600, OUTCOME_DONE },
		{ CALL_cudaStreamSynchronize, 600, OUTCOME_FAILED },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		enum outcome outcome = call_outcome(known[i].call, known[i].code);
		bool has_reason = outcome_reason(known[i].call, known[i].code) != NULL;

		ck_assert_msg(outcome == known[i].outcome, "%s returns %d: %d",
			      call_name(known[i].call), known[i].code, outcome);
		ck_assert_int_eq(has_reason,
				 outcome == OUTCOME_AT_EXIT || outcome == OUTCOME_ANSWERED);
		ck_assert_int_eq(call_failed(known[i].call, known[i].code),
				 outcome == OUTCOME_FAILED);
	}
}

static void fail_calls(unsigned int call, int result, uint64_t count)
{
	struct fail_key key = { .program = feed.program, .call = (__u16)call, .result = result };
	struct fail_row row = { .count = count, .first = 101 * SECOND, .last = 102 * SECOND };

	feed_fail(&feed, call, result);
	ck_assert_int_eq(model_fail_row(feed.model, &key, &row), 0);
}

/* @failures: as BPF counts them, which is all errors. */
static void calls(unsigned int call, uint64_t count, uint64_t failures)
{
	struct call_key key = { .program = feed.program, .call = (__u16)call };
	struct call_row row = { .calls = count, .failures = failures };

	ck_assert_int_eq(model_call_row(feed.model, &key, &row), 0);
}

static uint64_t failures_of(unsigned int call)
{
	for (size_t i = 0; i < process->call_count; i++)
		if (process->call_list[i].call == call)
			return process->call_list[i].failures;
	ck_abort_msg("no %s among the calls", call_name(call));
}

TEST(what_is_no_failure_is_kept_apart)
{
	const struct snap_failure *list;
	const char *text;

	feed_alloc(&feed, 0x10000, MIB);
	feed_free(&feed, 0x10000, 4);
	fail_calls(CALL_cudaFree, 4, 1);
	/* It was freed before cutop came: no free of what is not allocated, either. */
	feed_free(&feed, 0x90000, 4);
	fail_calls(CALL_cudaFree, 4, 2);
	fail_calls(CALL_cuLibraryUnload, 4, 17);
	calls(CALL_cuLibraryUnload, 17, 17);
	fail_calls(CALL_cuGetProcAddress_v2, 500, 34);
	fail_calls(CALL_cuGetProcAddress_v2, 3, 2);
	calls(CALL_cuGetProcAddress_v2, 440, 36);
	fail_calls(CALL_cudaFuncGetAttributes, 209, 4);
	calls(CALL_cudaFuncGetAttributes, 9, 4);
	look();

	ck_assert_uint_eq(process->failures, 2);
	ck_assert_uint_eq(snapshot->failures, 2);
	ck_assert_uint_eq(process->failed_frees, 0);
	/* The driver had freed it before. */
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->frees, 0);
	ck_assert_uint_eq(process->freed_late, MIB);
	ck_assert_uint_eq(failures_of(CALL_cudaFree), 0);
	ck_assert_uint_eq(failures_of(CALL_cuLibraryUnload), 0);
	ck_assert_uint_eq(failures_of(CALL_cuGetProcAddress_v2), 2);
	ck_assert_uint_eq(failures_of(CALL_cudaFuncGetAttributes), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_FAILURE, &text), 1);
	ck_assert_ptr_nonnull(strstr(text, "CUDA_ERROR_NOT_INITIALIZED"));
	ck_assert_uint_eq(count_events(snapshot, EVENT_UNKNOWN_FREE, NULL), 0);

	ck_assert_uint_eq(process->failure_count, 1);
	ck_assert_uint_eq(process->answer_count, 2);
	ck_assert_uint_eq(process->at_exit_count, 2);
	list = process->failure_list;
	ck_assert_ptr_null(list[0].reason);
	ck_assert_int_eq(list[0].code, 3);
	ck_assert_uint_eq(list[1].call, CALL_cuGetProcAddress_v2);
	ck_assert_uint_eq(list[1].count, 34);
	ck_assert_ptr_nonnull(list[1].reason);
	ck_assert_uint_eq(list[2].call, CALL_cudaFuncGetAttributes);
	ck_assert_uint_eq(list[3].call, CALL_cuLibraryUnload);
	ck_assert_uint_eq(list[3].count, 17);
	ck_assert_uint_eq(list[4].call, CALL_cudaFree);
	ck_assert_uint_eq(list[4].count, 2);
}

/* More was answered between the reading of calls' rows and of failures' rows. */
TEST(failures_of_a_call_never_fall)
{
	fail_calls(CALL_cuGetProcAddress_v2, 3, 2);
	calls(CALL_cuGetProcAddress_v2, 2, 2);
	look();
	ck_assert_uint_eq(failures_of(CALL_cuGetProcAddress_v2), 2);
	fail_calls(CALL_cuGetProcAddress_v2, 500, 7);
	calls(CALL_cuGetProcAddress_v2, 5, 5);
	look();
	ck_assert_uint_eq(failures_of(CALL_cuGetProcAddress_v2), 2);
	fail_calls(CALL_cuGetProcAddress_v2, 3, 9);
	look();
	ck_assert_uint_eq(failures_of(CALL_cuGetProcAddress_v2), 5);
}
