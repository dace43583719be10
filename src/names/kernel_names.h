/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that people know kernels by. A library's template is one kernel for many purposes: in
 * PyTorch's vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, ...> the functor says what is
 * computed. Rules in a table say what the name is, by library and template.
 *
 * Full forms come from watched processes: they may be anything. Time and memory grow with a form's
 * length, which is limited (DEMANGLE_OUTPUT_MAX); what is valid UTF-8 stays valid.
 */
#ifndef NAMES_KERNEL_NAMES_H
#define NAMES_KERNEL_NAMES_H

/*
 * The name of the kernel with the full form @full (demangle_full()): "CUDAFunctor_add<float>".
 * Returns NULL if no rule applies, or without memory. The caller frees it.
 */
char *kernel_names_known(const char *full);

/*
 * The same with everything that its template list has, without namespaces, for kernels whose names
 * would read alike: "CUDAFunctor_add<float> in vectorized_elementwise_kernel<4, _, array<char*,
 * 3>>". Returns NULL if no rule applies, there is no list, or without memory. The caller frees it.
 */
char *kernel_names_listed(const char *full);

#endif
