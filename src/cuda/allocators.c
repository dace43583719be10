/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PyTorch's functions are in libc10.so, c10/core/Allocator.h. Their arguments have changed: totals
 * came with PyTorch 1.9, as signed numbers, which became unsigned with 2.2. (A libc10 whose
 * functions have other arguments has other symbols, and is left alone.)
 */
#include "cuda/allocators.h"

#include "util/util.h"

const char *const allocator_names[ALLOCATOR_KINDS] = { [ALLOCATOR_PYTORCH] = "pytorch" };

static const struct allocator_form plain = { .address = 0, .bytes = 1, .device = 2 },
				   with_totals = { .has_totals = 1,
						   .address = 0,
						   .bytes = 1,
						   .allocated = 2,
						   .reserved = 3,
						   .device = 4 },
				   shortage = { .is_short = 1,
						.has_totals = 1,
						.bytes = 0,
						.allocated = 1,
						.reserved = 2,
						.device = 3 };

static const struct {
	const char *symbol;
	const struct allocator_form *form;
} forms[] = {
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE", &with_totals },
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE", &with_totals },
	{ "_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE", &plain },
	{ "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE", &shortage },
	{ "_ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE", &shortage },
};

_Static_assert(ARRAY_LEN(forms) <= ALLOCATOR_FORMS_MAX, "more forms than there is room for");

size_t allocator_form_count(void)
{
	return ARRAY_LEN(forms);
}

const struct allocator_form *allocator_form(size_t i)
{
	return forms[i].form;
}

const char *allocator_symbol(size_t i)
{
	return forms[i].symbol;
}
