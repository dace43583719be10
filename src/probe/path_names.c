/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/path_names.h"

#include <string.h>

bool path_of_names(const struct path_names *record, char path[CUTOP_PATH_MAX + 1])
{
	size_t len = record->len, at = len, name;

	if (!len || len > sizeof(record->names) || record->names[len - 1])
		return false;
	for (*path = 0; at; at -= name) {
		for (name = 1; name < at && record->names[at - name - 1]; name++)
			;
		path[len - at] = '/';
		memcpy(path + len - at + 1, record->names + at - name, name);
	}
	return true;
}
