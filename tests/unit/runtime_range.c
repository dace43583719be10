/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime_range FILE OFFSET: where in the file the runtime's code is; for test_runtime_range.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "names/runtime_range.h"

int main(int argc, char **argv)
{
	struct runtime_range range = { .start = 0 };
	int fd = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 2;
	runtime_range_find(&range, fd, strtoull(argv[2], NULL, 0));
	if (!range.end)
		return 1;
	printf("%#llx %#llx\n", (unsigned long long)range.start, (unsigned long long)range.end);
	return 0;
}
