/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/place_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/demangle.h"
#include "util/util.h"

char *place_text(const struct place_words *words)
{
	const char *slash = strrchr(words->path, '/');
	unsigned long long offset = words->offset;
	char *brief, *around = NULL, *text = NULL, at[300] = "";

	if (*words->path && words->line)
		snprintf(at, sizeof(at), " at %s:%u", slash && slash[1] ? slash + 1 : words->path,
			 words->line);
	if (!*words->function && !words->is_inlined)
		return format_new("%s+0x%llx%s%s", words->module, offset, at,
				  words->in_runtime ? " (CUDA runtime)" : "");
	brief = demangle_short(*words->function ? words->function : "?");
	if (brief && words->around && *words->around->function)
		around = demangle_short(words->around->function);
	if (brief && around)
		text = format_new("%s%s in %s+0x%llx (%s)", brief, at, around,
				  (unsigned long long)words->around->offset, words->module);
	else if (brief && words->is_inlined)
		text = format_new("%s%s (%s, inlined)", brief, at, words->module);
	else if (brief)
		text = format_new("%s+0x%llx%s (%s)", brief, offset, at, words->module);
	free(brief);
	free(around);
	return text;
}
