/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the double's cudart.  The runtime keeps what belongs to a thread
 * (last error, device) and what programs register (kernels, variables); all
 * else is one call into the driver per call of its own.  A public function
 * never calls another, so that a monitor counts nothing twice.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "double.h"

#pragma GCC visibility push(hidden)

extern _Thread_local bool rt_thread_ready;
extern _Thread_local int rt_device;
extern _Thread_local cudaError_t rt_last_error;

/* device.c */
cudaError_t rt_prepare(void);
CUcontext rt_context(int device);
cudaError_t rt_properties(struct cudaDeviceProp *prop, int device);

/* errors.c */
cudaError_t rt_attention(const char *function);
cudaError_t rt_fail(cudaError_t error);
void rt_clear_sticky(void);

/* register.c */
struct rt_variable {
	struct rt_variable *next;
	struct rt_fatbin *fatbin;
	const void *key; /* the host's shadow, or the pointer to fill in */
	const char *name;
	size_t size;
	bool managed;
};

CUkernel rt_kernel(const void *func);
struct rt_variable *rt_variable(const void *symbol);
cudaError_t rt_variable_address(struct rt_variable *variable, CUdeviceptr *ptr);
void rt_managed_init(void);

/* arrays.c */
size_t rt_array_element(cudaArray_const_t array, size_t *height);
size_t rt_array_row(cudaArray_const_t array, size_t *size);

/* box.c */
cudaError_t rt_box_2d(CUDA_MEMCPY2D *box, void *dst, size_t dpitch, const void *src, size_t spitch,
		      size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t rt_box_3d(CUDA_MEMCPY3D *box, const struct cudaMemcpy3DParms *p);
cudaError_t rt_box_3d_peer(CUDA_MEMCPY3D *box, const struct cudaMemcpy3DPeerParms *p);
void rt_box_2d_array(CUDA_MEMCPY2D *box, bool dst, cudaArray_const_t array, size_t x, size_t y);

/*
 * A copy of bytes that run on from an array's row to the next, as one box after
 * the other: the rest of a row, whole rows, the beginning of one.
 */
struct rt_run_end {
	cudaArray_const_t array; /* NULL: plain memory */
	char *at;
	size_t row, offset; /* in the array, counted along its rows */
};

struct rt_run {
	struct rt_run_end dst, src;
	size_t left;
	enum cudaMemcpyKind kind;
};

cudaError_t rt_run_array(struct rt_run_end *end, cudaArray_const_t array, size_t x, size_t y,
			 size_t count);
bool rt_run_next(struct rt_run *run, CUDA_MEMCPY2D *box);

#pragma GCC visibility pop

static inline cudaError_t rt_done(CUresult result)
{
	return likely(result == CUDA_SUCCESS) ? cudaSuccess : rt_fail((cudaError_t)result);
}

#define valid_kind(kind) ((unsigned int)(kind) <= cudaMemcpyDefault)

#define SCRIPTED() \
	do { \
		if (unlikely(atomic_load_explicit(&dbl_attention, memory_order_relaxed))) { \
			cudaError_t scripted_ = rt_attention(__func__); \
			if (scripted_) \
				return rt_fail(scripted_); \
		} \
	} while (0)

/* How every call that needs a device begins. */
#define ENTER() \
	do { \
		SCRIPTED(); \
		if (unlikely(!rt_thread_ready)) { \
			cudaError_t entered_ = rt_prepare(); \
			if (entered_) \
				return rt_fail(entered_); \
		} \
	} while (0)

#endif /* RUNTIME_H */
