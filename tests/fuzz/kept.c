/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives a fuzzer the inputs that are kept, without libFuzzer: the folder
 * $top_srcdir/tests/fuzz/INPUTS.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "util/util.h"

int main(void)
{
	const char *top = getenv("top_srcdir");
	char *folder = format_new("%s/tests/fuzz/%s", top ? top : ".", INPUTS), *path;
	struct dirent *entry;
	unsigned int count = 0;
	size_t len;
	char *data;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		path = format_new("%s/%s", folder, entry->d_name);
		data = file_read(path, 1 << 24, &len);
		if (!data) {
			fprintf(stderr, "cannot read %s\n", path);
			return EXIT_FAILURE;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)data, len);
		free(data);
		free(path);
		count++;
	}
	if (dir)
		closedir(dir);
	free(folder);
	printf("%u inputs\n", count);
	return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
