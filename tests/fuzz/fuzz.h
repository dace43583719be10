/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers share. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/demangle.h"
#include "print/print.h"
#include "util/utf8.h"

/* libFuzzer calls this. It returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * What is shown must hold no control character, and nothing that is no UTF-8, whatever was given:
 * there is nothing left to clean.
 */
static inline void fuzz_must_be_clean(const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	char *again = malloc(size + 1);
	const char *at;

	for (at = text; at && *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			abort();
	if (again && size && strcmp(utf8_clean(text, again, size), text))
		abort();
	free(again);
}

/* Prints @snapshot, if there is one, in every format, for nobody; and frees it. */
static inline void fuzz_show(struct snapshot *snapshot)
{
	struct out_options options = { .version = "0" };
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!snapshot || !null)
		return;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		const struct print_format *format = print_formats[i];

		/* Figures of metrics need a model with totals. */
		if (format && !format->is_metrics)
			format->print(null, snapshot, &options);
		if (format && format->report)
			format->report(null, snapshot, &options);
	}
	snapshot_free(snapshot);
}

#endif
