/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that a scraper reads, line by line: families with their HELP, TYPE and UNIT, and samples
 * with their labels. In two formats: OpenMetrics 1.0, and the older text format of Prometheus,
 * version 0.0.4, which node_exporter's textfile collector and the push gateway accept.
 */
#ifndef METRICS_EXPOSITION_H
#define METRICS_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/openmetrics.h"
#include "util/sink.h"

enum family_type { FAMILY_GAUGE, FAMILY_COUNTER, FAMILY_HISTOGRAM, FAMILY_INFO };

struct family {
	const char *name; /* without _total or _info; ends in the unit, if there is one */
	enum family_type type;
	const char *unit; /* "bytes", "seconds"; NULL: none */
	const char *help; /* one line */
};

struct exposition {
	struct sink *sink;
	enum exposition_form form;
	const struct family *family; /* the family of the next samples */
	bool told;                   /* its HELP and TYPE were written */
	bool labelled;               /* the sample has a label already */
};

/*
 * Room for a label's value before escaping, with its NUL; a longer value is cut between characters.
 */
#define LABEL_SIZE 256

/*
 * The samples up to the next call belong to @family. Its HELP and TYPE are written with its first
 * sample; a family without samples is left out.
 */
void exposition_family(struct exposition *out, const struct family *family);

/* Begins a sample. @suffix ("_bucket") is added to the name; NULL: the usual suffix of the type. */
void sample_begin(struct exposition *out, const char *suffix);
/* Adds a label; none if the text is NULL. Invalid UTF-8 and control characters become '?'. */
void sample_label(struct exposition *out, const char *name, const char *text);
void sample_label_count(struct exposition *out, const char *name, uint64_t count);
void sample_label_device(struct exposition *out, const char *name, int device);
/* End the sample. */
void sample_count(struct exposition *out, uint64_t value);
void sample_number(struct exposition *out, double value);

/* Ends the text. */
void exposition_end(struct exposition *out);

#endif
