// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of the error codes of both layers, and a text for each. The names are the interface's own;
 * the texts are made from them, since no program should depend on their wording.
 */
#include <ctype.h>
#include <string.h>
#include "cuda/errors_table.h"
#include "double.h"

struct error_name {
	int code;
	const char *name;
};

#define NAME(code, name, sticky) { code, #name },
static const struct error_name runtime_names[] = { RUNTIME_ERRORS(NAME) };
static const struct error_name driver_names[] = { DRIVER_ERRORS(NAME) };

static const char *find(const struct error_name *names, size_t count, int code)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].code == code)
			return names[i].name;
	return NULL;
}

const char *dbl_error_name(int code, bool driver)
{
	return driver ? find(driver_names, sizeof(driver_names) / sizeof(driver_names[0]), code) :
			find(runtime_names, sizeof(runtime_names) / sizeof(runtime_names[0]), code);
}

/* "CUDA_ERROR_OUT_OF_MEMORY" and "cudaErrorNoDevice" become plain words. */
const char *dbl_error_text(int code, bool driver)
{
	static _Thread_local char text[128];
	const char *name = dbl_error_name(code, driver);
	size_t n = 0;

	if (!name)
		return NULL;
	if (!strncmp(name, "CUDA_ERROR_", 11))
		name += 11;
	else if (!strncmp(name, "cudaError", 9))
		name += 9;
	else
		name += driver ? 5 : 4;
	for (; *name && n < sizeof(text) - 2; name++) {
		if (isupper((unsigned char)*name) && !driver && n)
			text[n++] = ' ';
		text[n++] = *name == '_' ? ' ' : (char)tolower((unsigned char)*name);
	}
	text[n] = '\0';
	return text;
}
