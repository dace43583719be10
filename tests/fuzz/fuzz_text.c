/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of others, and of users: the first byte says what the rest is. Names of kernels, lines of
 * /proc, control groups, what the environment says of devices, settings, sort orders, requests for
 * probes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/process_identity.h"
#include "cuda/visible_devices.h"
#include "fuzz.h"
#include "model/columns.h"
#include "model/identity.h"
#include "names/demangle.h"
#include "collect/late_kernels.h"
#include "names/kernel_names.h"
#include "probe/extra_functions.h"
#include "probe/maps.h"
#include "view/settings.h"
#include "util/utf8.h"

static void demangle(const char *text)
{
	char *full = demangle_full(text), *brief = full ? demangle_short(full) : NULL;
	char *known = full ? kernel_names_known(full) : NULL,
	     *listed = full ? kernel_names_listed(full) : NULL;

	fuzz_must_be_clean(full);
	fuzz_must_be_clean(brief);
	fuzz_must_be_clean(known);
	fuzz_must_be_clean(listed);
	free(known);
	free(listed);
	free(full);
	free(brief);
	free(handles_kernel(text));
}

static void container(const char *text)
{
	struct container container;

	container_of_cgroups(text, &container);
}

static void visible(const char *text)
{
	const struct visible_gpus gpus = { .count = 0 };
	int devices[VISIBLE_MAX];
	size_t i, count = visible_parse(text, &gpus, devices);

	if (count > VISIBLE_MAX)
		abort();
	for (i = 0; i < count; i++)
		if (devices[i] < 0 && devices[i] != VISIBLE_UNKNOWN)
			abort();
}

static void settings(const char *text)
{
	int fd = memfd_create("settings", MFD_CLOEXEC);
	struct reason why = { "" };
	struct settings settings = { 0 };
	char path[64];

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		settings_read(&settings, path, &why);
	close(fd);
}

static void sort(const char *text)
{
	struct sort_order order = { 0 };
	const char *bad;
	size_t len;

	sort_order_parse(&order, text, &bad, &len);
}

static void extras(const char *text)
{
	struct reason why = { "" };
	struct extra_functions *extras;

	if (extra_functions_new(&extras, &text, 1, NULL, &why))
		return;
	extra_functions_want(extras, NULL, text);
	extra_functions_want(extras, NULL, "/usr/lib/libcublas.so.12.1");
	extra_functions_free(extras);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps_entry entry;
	int executable;
	char *text;

	if (size < 1)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	switch (data[0] % 8) {
	case 0: demangle(text); break;
	case 1: maps_parse(text, &entry, &executable); break;
	case 2: container(text); break;
	case 3: visible(text); break;
	case 4: settings(text); break;
	case 5: sort(text); break;
	case 6: extras(text); break;
	default: identity_matches((const char *)data + 1, size - 1, "python", "*py*");
	}
	free(text);
	return 0;
}
