/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that people know kernels by: of real symbols, which kernel_names.txt lists with the
 * name of each; told apart on the screen and in traces; and of text that is no name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/demangle.h"
#include "names/kernel_names.h"
#include "one_process.h"
#include "trace/trace_programs.h"
#include "util/utf8.h"
#include "util/util.h"
#include "run_tests.h"

#define SYMBOLS_LEAST 200
#define SYMBOLS_MOST  2000

static struct {
	char *symbol, *name;
} real[SYMBOLS_MOST];
static size_t real_count;

static void read_symbols(void)
{
	FILE *file = fopen(SYMBOLS, "r");
	char *line = NULL, *tab;
	size_t size = 0;

	ck_assert_ptr_nonnull(file);
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (line[0] == '#')
			continue;
		ck_assert_ptr_nonnull(tab);
		ck_assert_uint_lt(real_count, SYMBOLS_MOST);
		*tab = '\0';
		real[real_count].symbol = strdup(line);
		real[real_count++].name = strdup(tab + 1);
	}
	free(line);
	fclose(file);
	ck_assert_uint_ge(real_count, SYMBOLS_LEAST);
}

static void free_symbols(void)
{
	while (real_count) {
		free(real[--real_count].symbol);
		free(real[real_count].name);
	}
}

FIXTURE(setup, teardown);

TEST(names_of_real_symbols)
{
	read_symbols();
	for (size_t i = 0; i < real_count; i++) {
		char *full = demangle_full(real[i].symbol), *name = kernel_names_known(full);

		if (!name)
			name = demangle_short(full);
		ck_assert_str_eq(name, real[i].name);
		free(full);
		free(name);
	}
	free_symbols();
}

/* Of PyTorch's kernels with one functor, and of others, what is said where that is not enough */
static const struct {
	const char *full, *known, *listed;
} forms[] = {
	{ "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
	  "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
	  "CUDAFunctor_add<float>",
	  "CUDAFunctor_add<float> in vectorized_elementwise_kernel<4, _, array<char*, 3>>" },
	{ "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
	  "at::native::BUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<"
	  "float> > >(at::TensorIteratorBase&, int)::{lambda(int)#1}>(int, int)",
	  "MulFunctor<float>",
	  "MulFunctor<float> in elementwise_kernel<128, 2, gpu_kernel_impl_nocast<"
	  "BUnaryFunctor<float, float, float, _>> {lambda(int)#1}>" },
	{ "void at::native::vectorized_elementwise_kernel<2, at::native::(anonymous namespace)::"
	  "sigmoid_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::"
	  "{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)",
	  "sigmoid_kernel_cuda {lambda(BFloat16)#1}",
	  "sigmoid_kernel_cuda {lambda()#2} {lambda()#4} {lambda(BFloat16)#1} in "
	  "vectorized_elementwise_kernel<2, _, array<char*, 2>>" },
	{ "void at::native::(anonymous namespace)::softmax<float, 4>(float*)", "softmax",
	  "softmax<float, 4>" },
	/* The name of a CUTLASS kernel is whole, and nothing is to be added to it. */
	{ "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nt_align1>(cutlass_80_simt_sgemm_"
	  "128x128_8x4_nt_align1::Params)",
	  "cutlass_80_simt_sgemm_128x128_8x4_nt_align1",
	  "cutlass_80_simt_sgemm_128x128_8x4_nt_align1" },
	{ "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::"
	  "ParallelForAgent<thrust::cuda_cub::__fill::functor<thrust::device_ptr<float>, float>, long>"
	  ", thrust::cuda_cub::__fill::functor<thrust::device_ptr<float>, float>, long>(int)",
	  "__fill::functor<device_ptr<float>, float>",
	  "__fill::functor<device_ptr<float>, float> in _kernel_agent<ParallelForAgent<_, long>, "
	  "__fill::functor<device_ptr<float>, float>, long>" },
	{ "void cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<cub::CUB_300001_SM_900::"
	  "detail::reduce::policy_hub<float, int, cuda::std::__4::plus<float> >::Policy1000, float*, "
	  "int, cuda::std::__4::plus<float>, float, cuda::std::__4::__identity>(float*)",
	  "DeviceReduceKernel<float*, int, plus<float>, float>",
	  "DeviceReduceKernel<Policy1000, float*, int, plus<float>, float, __identity>" },
	{ "void flash::flash_fwd_kernel<flash::Flash_fwd_kernel_traits<128, 64, 64, 4, false, false, "
	  "cutlass::half_t, flash::Flash_kernel_traits<128, 64, 64, 4, cutlass::half_t> >, true, "
	  "false>(flash::Flash_fwd_params)",
	  "flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4, false, false, half_t>, true, false>",
	  "flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4, false, false, half_t, "
	  "Flash_kernel_traits<128, 64, 64, 4, half_t>>, true, false>" },
	/* A rule that fits, but no functor */
	{ "void at::native::reduce_kernel<512, 1>(int)", "reduce_kernel", "reduce_kernel<512, 1>" },
	{ "at::native::fill(float*)", "fill", NULL },
	/* No rule */
	{ "void ns::scale<float>(float*, int)", NULL, NULL },
	{ "void ns::vectorized_elementwise_kernel<4, ns::F>(int)", NULL, NULL },
	{ "cudnn::ops::nchwToNhwcKernel(int)", NULL, NULL },
	{ "ampere_sgemm_128x64_nn", NULL, NULL },
	{ "", NULL, NULL },
};

TEST_LOOP(forms_of_names, ARRAY_LEN(forms))
{
	char *known = kernel_names_known(forms[_i].full),
	     *listed = kernel_names_listed(forms[_i].full);

	ck_assert_pstr_eq(known, forms[_i].known);
	ck_assert_pstr_eq(listed, forms[_i].listed);
	free(known);
	free(listed);
}

/* All of them in one process: no two are shown alike. */
TEST(told_apart_in_snapshots)
{
	size_t known = 0;

	read_symbols();
	for (size_t i = 0; i < real_count; i++) {
		feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000 + i, 3);
		feed_kernel(&feed, 0x5000 + i, 0x401230 + i, NAME_REGISTERED, real[i].symbol);
	}
	look();
	ck_assert_uint_eq(process->kernel_count, real_count);
	for (size_t i = 0; i < real_count; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];
		char *full = demangle_full(kernel->symbol), *brief = demangle_short(full);

		ck_assert_str_eq(kernel->name, brief);
		free(full);
		free(brief);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(kernel->shown, process->kernels[j].shown);
		for (size_t j = 0; j < real_count; j++)
			known += !strcmp(kernel->symbol, real[j].symbol) &&
				 !strcmp(kernel->shown, real[j].name);
	}
	/* Most need no more than their names. */
	ck_assert_uint_gt(known, real_count / 2);
	free_symbols();
}

/* By themselves alone: not apart from others of the same name. */
TEST(named_in_traces)
{
	struct trace_programs programs = { 0 };
	struct rec_hdr hdr = { .type = REC_PROCESS, .program = 1 };
	struct trace_program *program = trace_program_of(&programs, &hdr);
	const char *names[SYMBOLS_MOST];
	size_t known = 0;

	read_symbols();
	for (size_t i = 0; i < real_count; i++) {
		size_t len = strlen(real[i].symbol), size = sizeof(struct rec_kernel) + len;
		struct rec_kernel *record = calloc(1, size);

		record->hdr = (struct rec_hdr){ .type = REC_KERNEL, .size = (__u16)size };
		record->function = 0x5000 + i;
		record->source = NAME_REGISTERED;
		record->name_len = (__u32)len;
		ck_assert_int_eq(names_record(&program->names, &record->hdr, real[i].symbol), 0);
		free(record);
		names[i] = trace_name_of(program, names_kernel(&program->names, 0x5000 + i));
		known += !strcmp(names[i], real[i].name);
	}
	ck_assert_uint_gt(known, real_count / 3);
	/* A name does not change, and is that of every function with the symbol. */
	for (size_t i = 0; i < real_count; i++)
		ck_assert_str_eq(trace_name_of(program, names_kernel(&program->names, 0x5000 + i)),
				 names[i]);
	trace_programs_free(&programs);
	free_symbols();
}

/* Of kernels whose names would read alike in three ways */
TEST(told_apart_by_symbols)
{
	static const char *const symbols[] = {
		"_ZN2at6native32_GLOBAL__N__0123abcd_4_a_cu_0123abcd4fillIfEEvPT_",
		"_ZN2at6native32_GLOBAL__N__4567abcd_4_b_cu_4567abcd4fillIfEEvPT_", "fill",
		"_Z4fillPf"
	};

	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000 + i, 3);
		feed_kernel(&feed, 0x5000 + i, 0x401230 + i, NAME_REGISTERED, symbols[i]);
	}
	look();
	ck_assert_uint_eq(process->kernel_count, ARRAY_LEN(symbols));
	for (size_t i = 0; i < process->kernel_count; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];

		if (!strcmp(kernel->symbol, "_Z4fillPf"))
			ck_assert_str_eq(kernel->shown, "fill(float*)");
		else
			ck_assert_str_eq(kernel->shown, kernel->symbol);
	}
}

static const struct {
	const char *start, *piece, *end;
	size_t times;
} hostile[] = {
	{ "void at::native::reduce_kernel<", "ReduceOp<1, ", "", 5000 },
	{ "void at::native::reduce_kernel<", "ReduceOp<1, ", "F>>>>>>>>", 5000 },
	{ "void at::native::reduce_kernel<", "a::", "b>()", 20000 },
	{ "void at::native::reduce_kernel<", "a()::{b}::operator()() const::", "{c}>()", 2000 },
	{ "void at::native::reduce_kernel<", "a()::", "b>()", 12000 },
	{ "void at::native::reduce_kernel<", "F,", "F>()", 30000 },
	{ "void at::native::reduce_kernel<", "F<>", ">()", 20000 },
	{ "void at::native::reduce_kernel<", "F<", ">()", 30000 },
	{ "void at::native::reduce_kernel<", "(", ">()", 60000 },
	{ "void at::native::reduce_kernel<F", ")", ">()", 60000 },
	{ "void at::native::reduce_kernel<F", "->", ">()", 30000 },
	{ "void at::native::reduce_kernel<F ", "operator", ">()", 7000 },
	{ "void at::native::reduce_kernel<F ", " const", ">()", 10000 },
	{ "void at::native::reduce_kernel<F<", "NullType, ", ">>()", 6000 },
	{ "void at::native::reduce_kernel<F", " {", "}>()", 30000 },
	{ "void at::native::reduce_kernel<F<1", "23456789", "ul>>()", 7000 },
	{ "void at::native::reduce_kernel<F<", "1ul, ", ">>()", 10000 },
	{ "void at::native::reduce_kernel<F\xc3\xa9<", "\xc3\xa9, ", ">>()", 10000 },
	{ "void ", "at::", "reduce_kernel<F>()", 15000 },
	{ "void at::", "a<at>::", "reduce_kernel<F>()", 9000 },
	{ "void cub::FKernel<", "(a<", "))>", 20000 },
	{ "void cub::FKernel<", "<<<<)", ">>", 12000 },
	{ "void cub::FKernel<F<a, ", "", ">, >()", 1 },
	{ "at::", "a(b)::", "c()", 10000 },
	{ "at::a", " a", "()", 30000 },
	{ "at::a(", " volatile", "()", 7000 },
};

static void ck_assert_clean(char *name, size_t most)
{
	char *again = name ? malloc(strlen(name) + 1) : NULL;

	if (name) {
		ck_assert_uint_le(strlen(name), most);
		ck_assert_str_eq(utf8_clean(name, again, strlen(name) + 1), name);
	}
	free(again);
	free(name);
}

TEST_LOOP(hostile_forms, ARRAY_LEN(hostile))
{
	size_t piece = strlen(hostile[_i].piece), len = strlen(hostile[_i].start);
	char *full = calloc(1, len + piece * hostile[_i].times + strlen(hostile[_i].end) + 1);
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	strcpy(full, hostile[_i].start);
	for (size_t i = 0; i < hostile[_i].times; i++, len += piece)
		memcpy(full + len, hostile[_i].piece, piece);
	strcpy(full + len, hostile[_i].end);
	/* Whole, and without its end */
	for (int i = 0; i < 4; i++) {
		ck_assert_clean(kernel_names_known(full), 200000);
		ck_assert_clean(kernel_names_listed(full), 400000);
		full[strlen(full) - strlen(full) / 3] = '\0';
		while (strlen(full) && (full[strlen(full) - 1] & 0x80))
			full[strlen(full) - 1] = '\0';
	}
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, 5 * NSEC_PER_SEC);
	free(full);
}
