/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CUDA's header has the typed cudaMalloc(&pointer, bytes) and its like, which are inline functions;
 * thrust, cub and others allocate in templates. A compiler puts all of them into the function that
 * uses them, which is the one to name.
 */
#include "cuda/wrappers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

static bool matches(const char *const *globs, const char *text)
{
	for (; *globs; globs++)
		if (!fnmatch(*globs, text, 0))
			return true;
	return false;
}

bool wrapper_is_file(const char *path)
{
	static const char *const globs[] = {
		"*/cuda_runtime.h",         /* CUDA 13.0: the templates of C++ */
		"*/cuda_runtime_api.h",     /* with --default-stream per-thread */
		"*/crt/device_functions.h", /* CUDA 13: __cudaLaunchKernel_helper() */
		"*/crt/host_runtime.h",
		"*/cooperative_groups*",
		"*/thrust/*",
		"*/cub/*",
		"*/rmm/*",
		"*/c10/*",
		"*/ATen/*",
		"*/cuda/std/*",
		"*/libcudacxx/*",
		/* Allocators of the standard library's containers */
		"*/include/c++/*",
		/* Rust's library, and crates that have CUDA's functions */
		"/rustc/*/library/*",
		"*/lib/rustlib/src/*",
		"*/cudarc-*/*",
		"*/cust-*/*",
		NULL,
	};

	return matches(globs, path);
}

/* A function with a name like CUDA's, in another file than CUDA's: the template cudaMalloc<T>(). */
static bool is_typed(const char *name)
{
	size_t prefix = !strncmp(name, "cuda", 4) ? 4 : !strncmp(name, "cu", 2) ? 2 : 0;

	return prefix && isupper((unsigned char)name[prefix]);
}

/* What nvcc 10 to 13 makes to launch a kernel: "__device_stub__" and the kernel's mangled name */
static bool is_stub(const char *name)
{
	return strstr(name, "__device_stub_") != NULL;
}

bool wrapper_is_crate(const char *name)
{
	static const char *const globs[] = {
		"core::*", "alloc::*", "std::*", "cudarc::*", "cust::*", "cust_raw::*", NULL,
	};

	return matches(globs, name);
}

bool wrapper_is_function(const char *name, const char *file)
{
	static const char *const names[] = {
		"__cuda*",
		"thrust::*",
		"cub::*",
		"cuda::*",
		"rmm::*",
		"c10::*",
		"at::*",
		"std::*",
		"__gnu_cxx::*",
		"libcudart_static_*",
		"pybind11::*",
		"nanobind::*",
		"boost::python::*",
		/* Between Go and C */
		"_cgo_[0-9a-f]*",
		"*._Cfunc_*",
		"runtime.cgocall*",
		"runtime.asmcgocall*",
		NULL,
	};
	static const char *const files[] = {
		"libcudart.so*",
		"libcuda.so*",
		"libc10*.so*",
		"librmm.so*",
		/* What they keep, they keep for the code that made a handle of theirs. */
		"libcublas*.so*",
		"libcudnn*.so*",
		"libnccl*.so*",
		"libffi.so*",
		"_ctypes.*so",
		NULL,
	};

	return (name && (is_typed(name) || is_stub(name) || matches(names, name))) ||
	       matches(files, file);
}
