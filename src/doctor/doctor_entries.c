/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that runtimes enter the driver where the probes are. Probes are at the addresses that
 * libcuda.so.1 exports. Every runtime since CUDA 11.3, including those in cuBLAS, cuDNN and NCCL,
 * gets its functions from cuGetProcAddress() instead, and nothing guarantees that these are the
 * same. So cuGetProcAddress() is asked for each function of the table, in the versions that
 * runtimes ask for. This runs NVIDIA's code, in a child without rights and with a time limit: what
 * it does there, and what it writes, has no effect. It is not initialized, and so touches no
 * device.
 */
#include "doctor/doctor.h"

#include <dlfcn.h>
#include <string.h>

#include "doctor/doctor_child.h"
#include "cuda/calls.h"

#define DRIVER "libcuda.so.1"

/* CUdriverProcAddress_flags, cuda.h */
#define LEGACY_STREAM             1
#define PER_THREAD_DEFAULT_STREAM 2

/*
 * CUDA versions to ask with: a runtime gives its own, and gets the newest form of the function up
 * to that version.
 */
static const int versions[] = { 11030, 12000, 12080, 13000 };

struct driver_entry_points {
	/* The types of CUDA 12.0 and of 11.3. A new driver has the older one, too. */
	int (*find)(const char *symbol, void **function, int version, uint64_t flags, int *status);
	int (*find_first)(const char *symbol, void **function, int version, uint64_t flags);
	void *exported[CALL_COUNT];
};

/*
 * The name to ask for @symbol by ("cuMemAlloc" for "cuMemAlloc_v2"), and the flags for its default
 * stream.
 */
static uint64_t name_asked_for(const char *symbol, char *name, size_t size)
{
	uint64_t flags = LEGACY_STREAM;
	char *end;

	snprintf(name, size, "%s", symbol);
	end = strrchr(name, '_');
	if (end && (!strcmp(end, "_ptsz") || !strcmp(end, "_ptds"))) {
		flags = PER_THREAD_DEFAULT_STREAM;
		*end = 0;
		end = strrchr(name, '_');
	}
	if (end && end[1] == 'v' && end[2] >= '0' && end[2] <= '9')
		*end = 0;
	return flags;
}

static void *entry_point(const struct driver_entry_points *driver, const char *name, int version,
			 uint64_t flags)
{
	void *found = NULL;
	int status;

	if (driver->find ? driver->find(name, &found, version, flags, &status) :
			   driver->find_first(name, &found, version, flags))
		return NULL;
	return found;
}

static bool is_exported(const struct driver_entry_points *driver, const void *at)
{
	unsigned int call;

	for (call = 0; call < CALL_COUNT; call++)
		if (driver->exported[call] == at)
			return true;
	return false;
}

static void entry_judge(const struct driver_entry_points *driver, unsigned int call,
			struct entry_facts *facts)
{
	bool given = false, elsewhere = false;
	uint64_t flags;
	char name[80];
	size_t i;

	flags = name_asked_for(call_name(call), name, sizeof(name));
	for (i = 0; i < ARRAY_LEN(versions); i++) {
		const void *at = entry_point(driver, name, versions[i], flags);

		given = given || at;
		elsewhere = elsewhere || (at && !is_exported(driver, at));
	}
	facts->given += given;
	if (elsewhere && !facts->elsewhere++)
		snprintf(facts->first, sizeof(facts->first), "%s", call_name(call));
}

/* Runs in the child. */
static bool driver_ask(void *answer)
{
	struct driver_entry_points driver = { .find = NULL };
	struct entry_facts *facts = answer;
	unsigned int call;
	void *library;

	library = dlopen(DRIVER, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return false;
	*(void **)&driver.find = dlsym(library, "cuGetProcAddress_v2");
	*(void **)&driver.find_first = dlsym(library, "cuGetProcAddress");
	if (!driver.find && !driver.find_first)
		return false;
	facts->asked = true;
	for (call = 0; call < CALL_COUNT; call++)
		if (call_descs[call].layer == LAYER_DRIVER)
			driver.exported[call] = dlsym(library, call_name(call));
	for (call = 0; call < CALL_COUNT; call++)
		if (driver.exported[call])
			entry_judge(&driver, call, facts);
	return true;
}

void doctor_entries_ask(struct entry_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	doctor_child_ask(driver_ask, 0, facts, sizeof(*facts));
	facts->first[sizeof(facts->first) - 1] = 0;
}
