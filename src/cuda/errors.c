/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CUDA's error codes. Codes and names come from NVIDIA's headers through errors_table.h. The
 * explanations are in our own words, for the codes that users meet. From 100 on both layers share
 * numbers and meanings.
 */
#include "cuda/errors.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "cuda/errors_table.h"
#include "util/util.h"

struct error {
	int code;
	const char *name;
};

#define ERROR(code_, name_, sticky_) { .code = code_, .name = #name_ },
static const struct error runtime_errors[] = { RUNTIME_ERRORS(ERROR) };
static const struct error driver_errors[] = { DRIVER_ERRORS(ERROR) };
#undef ERROR

#define SHARED_FROM 100 /* the first code that means the same in both layers */

struct meaning {
	int code;
	const char *text;
};

/* Both lists are sorted by code. */
static const struct meaning runtime_meanings[] = {
	{ 1, "an argument is out of range or makes no sense here" },
	{ 2, "the device has not enough free memory for this" },
	{ 3, "the driver and runtime could not be started" },
	{ 4, "the process is ending and has unloaded the driver" },
	{ 9, "grid, block or shared memory size is zero or more than the device can do" },
	{ 10,
	  "the driver is newer than this CUDA runtime, and told of a graph's node what it does not know" },
	{ 12, "the pitch is not one that the device accepts" },
	{ 13, "the variable's name or address is not known to the runtime" },
	{ 17, "the address is not one of device memory" },
	{ 21, "the copy's kind is none that exists" },
	{ 34, "only the driver's stub library is installed, not the driver" },
	{ 35, "the installed NVIDIA driver is missing or older than this CUDA runtime needs" },
	{ 36, "the call needs a newer NVIDIA driver" },
	{ 46, "all devices are busy or may not be used by this process" },
	{ 52, "a kernel is launched without its configuration" },
	{ 98, "the kernel is not in the program for this device, or was not built for it" },
};

static const struct meaning driver_meanings[] = {
	{ 1, "an argument is out of range or makes no sense here" },
	{ 2, "the device has not enough free memory for this" },
	{ 3, "the driver was not started (cuInit)" },
	{ 4, "the process is ending and the driver is shutting down" },
	{ 34, "only the driver's stub library is installed, not the driver" },
	{ 36, "the call needs a newer NVIDIA driver" },
	{ 46, "the device is busy or may not be used by this process" },
};

static const struct meaning shared_meanings[] = {
	{ 100, "there is no CUDA device that this process may use" },
	{ 101, "there is no device of that number" },
	{ 200, "the device code is damaged or not device code" },
	{ 201, "the thread has no usable context" },
	{ 205, "the resource could not be mapped" },
	{ 206, "the resource could not be unmapped" },
	{ 208, "the resource is mapped already" },
	{ 209, "the program holds no code for this kind of device" },
	{ 211, "the resource is not mapped" },
	{ 214, "the device's memory is damaged: an ECC error that could not be corrected" },
	{ 215, "the device has no such limit" },
	{ 216, "another thread or process has the device for itself" },
	{ 217, "the two devices cannot reach each other's memory" },
	{ 218, "the PTX code could not be compiled" },
	{ 220, "the link between devices failed: an NVLink error that could not be corrected" },
	{ 221, "the library that compiles PTX is not installed" },
	{ 222, "the PTX code is newer than the driver can compile" },
	{ 223, "compiling PTX is switched off" },
	{ 300, "the device code's source is invalid" },
	{ 301, "a file was not found" },
	{ 302, "a shared library lacks a symbol" },
	{ 303, "a shared library could not be loaded" },
	{ 304, "a call to the operating system failed" },
	{ 400, "the stream, event or other handle is none, or was destroyed" },
	{ 401, "the object is in no state for this call" },
	{ 500, "there is no symbol of that name" },
	{ 600, "the work is not done yet" },
	{ 700, "a kernel or copy touched an address that is not its own" },
	{ 701, "the launch needs more registers or shared memory than the device has" },
	{ 702, "a kernel ran longer than the device's time limit" },
	{ 704, "access between the devices is enabled already" },
	{ 705, "access between the devices is not enabled" },
	{ 708, "too late: the device is in use already" },
	{ 709, "the context was destroyed" },
	{ 710, "an assertion in a kernel failed" },
	{ 711, "the device has no room for one more peer" },
	{ 712, "the host memory is registered already" },
	{ 713, "the host memory is not registered" },
	{ 714, "a kernel broke its call stack" },
	{ 715, "a kernel met an instruction that the device does not have" },
	{ 716, "a kernel used an address that is not aligned to what it reads or writes" },
	{ 717, "a kernel used an address of another kind of memory than the instruction's" },
	{ 718, "a kernel jumped out of its code" },
	{ 719, "a kernel broke down on the device" },
	{ 720, "a cooperative launch has more blocks than can run at once" },
	{ 800, "the call is not permitted here" },
	{ 801, "the device or driver cannot do this" },
	{ 802, "the system is not ready for CUDA yet (is nvidia-fabricmanager running?)" },
	{ 803, "the driver's library and kernel module are of different versions" },
	{ 804, "the compatibility library does not support this device" },
	{ 805, "the MPS server could not be reached" },
	{ 810, "the MPS server ended this client" },
	{ 900, "the call is not possible while a stream is being captured" },
	{ 901, "the capture was spoilt by an earlier error" },
	{ 904, "the capture ended with work in a stream that had not joined again" },
	{ 906, "the call would have touched the default stream during a capture" },
	{ 908, "the capture was begun by another thread" },
	{ 909, "waiting took too long" },
	{ 910, "the graph changed too much to be updated in place" },
	{ 911, "a device outside of CUDA, which work waited for, failed" },
	{ 912, "the cluster size does not fit the device or the grid" },
	{ 917, "the green context of the stream was destroyed" },
	{ 918, "what was captured anew does not match the graph: destroy that" },
	{ 999, "something failed inside the driver" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int error_compare(const void *key, const void *member)
{
	int code = *(const int *)key, other = ((const struct error *)member)->code;

	return (code > other) - (code < other);
}

static int meaning_compare(const void *key, const void *member)
{
	int code = *(const int *)key, other = ((const struct meaning *)member)->code;

	return (code > other) - (code < other);
}

static const struct error *find(enum call_layer layer, int code)
{
	if (layer == LAYER_DRIVER)
		return bsearch(&code, driver_errors, COUNT(driver_errors), sizeof(driver_errors[0]),
			       error_compare);
	return bsearch(&code, runtime_errors, COUNT(runtime_errors), sizeof(runtime_errors[0]),
		       error_compare);
}

const char *error_name(enum call_layer layer, int code)
{
	const struct error *error = layer == LAYER_EXTRA ? NULL : find(layer, code);

	return error ? error->name : NULL;
}

const char *error_meaning(enum call_layer layer, int code)
{
	const struct meaning *list = runtime_meanings, *meaning;
	size_t count = COUNT(runtime_meanings);

	if (layer == LAYER_EXTRA)
		return NULL;
	if (code >= SHARED_FROM) {
		list = shared_meanings;
		count = COUNT(shared_meanings);
	} else if (layer == LAYER_DRIVER) {
		list = driver_meanings;
		count = COUNT(driver_meanings);
	}
	meaning = bsearch(&code, list, count, sizeof(*list), meaning_compare);
	return meaning ? meaning->text : NULL;
}

int error_is_sticky(int code)
{
	return CUTOP_IS_STICKY(code);
}

/*
 * The errors that are no failures: a table of calls and errors. A line is there because healthy
 * programs return it on a real GPU, or because CUDA's headers say that it is an answer. All other
 * errors are failures.
 */

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
	/* Programs try to update a graph, and make a new one where that is not possible. */
	{ "cu*GraphExecUpdate*",
	  { 910 },
	  false,
	  OUTCOME_ANSWERED,
	  "the graph has changed too much to be updated: the program may make a new one" },
	/* Libraries enable access between devices each for itself. */
	{ "cu*EnablePeerAccess",
	  { 704 },
	  false,
	  OUTCOME_ANSWERED,
	  "access between the devices is enabled already" },
	{ "cu*DisablePeerAccess",
	  { 705 },
	  false,
	  OUTCOME_ANSWERED,
	  "access between the devices is not enabled" },
	/* How a program finds out whether memory is pinned, or known to CUDA at all */
	{ "cu*HostGetFlags", { 1 }, false, OUTCOME_ANSWERED, "the memory is not pinned" },
	{ "cuPointerGetAttribute*",
	  { 1 },
	  false,
	  OUTCOME_ANSWERED,
	  "CUDA does not know the memory: it is the program's own" },
	{ "cu*HostRegister*",
	  { 712 },
	  false,
	  OUTCOME_ANSWERED,
	  "the memory is registered already" },
	/* Memory that other nodes can reach (fabric handles), or of GPUDirect RDMA, is tried first. */
	{ "cuMemCreate",
	  { 800, 801 },
	  false,
	  OUTCOME_ANSWERED,
	  "there is no memory of that kind here: programs ask for it first, and then for plain memory" },
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
