/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the double share: how an exported function is
 * declared, how it enters (scripted failures and delays cost one branch when
 * there are none), time, and the per-thread forms.
 */
#ifndef DOUBLE_H
#define DOUBLE_H

/* The version of CUDA that both libraries say they are of; lib11 and lib12 are of older ones. */
#ifndef DOUBLE_CUDA
#define DOUBLE_CUDA 13000
#endif

#include <stdatomic.h>
#include <stdbool.h>
#include "cuda_double.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * Identical bodies must keep addresses of their own, since probes tell
 * functions apart by address.
 */
#ifdef __clang__
#define API __attribute__((visibility("default"), used))
#else
#define API __attribute__((visibility("default"), used, no_icf))
#endif

/*
 * A file of functions with per-thread forms is compiled twice, the second
 * time with PER_THREAD: there every one gets its suffix, and so does every
 * driver function it calls.
 */
#ifdef PER_THREAD
#define PTSZ(name) name##_ptsz
#define PTDS(name) name##_ptds
#else
#define PTSZ(name) name
#define PTDS(name) name
#endif

/* Makes even a function that does nothing set up a frame, and so begin by push. */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#pragma GCC visibility push(hidden)

/* Non-zero when some call may have to fail or wait: see script.c. */
extern atomic_int dbl_attention;
#define DBL_SCRIPTED 1
#define DBL_STICKY   2

/* Waits where CUDA_DOUBLE_DELAY says so, returns what CUDA_DOUBLE_FAIL says. */
int dbl_scripted(const char *function);
bool dbl_is_sticky(int code);
uint64_t dbl_parse_time(const char *text, const char **end);
uint64_t dbl_parse_size(const char *text);

int64_t dbl_now(void);
void dbl_sleep_until(int64_t deadline);
void dbl_spend(uint64_t ns);

const char *dbl_error_name(int code, bool driver);
const char *dbl_error_text(int code, bool driver);

#pragma GCC visibility pop

/* What the runtime asks of the driver out of the public API's reach. */
struct dbl_export_table {
	size_t size;
	CUresult (*define_global)(CUlibrary library, const char *name, size_t size, bool managed);
	CUresult (*retain_primary)(CUcontext *ctx, CUdevice dev);
};
#define DBL_EXPORT_TABLE_ID "cutop-double-xt" /* 16 bytes with the NUL */

#endif /* DOUBLE_H */
