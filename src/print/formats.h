/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --format accepts. Snapshots, traces and doctor's report each have a list of formats here,
 * from which the table of their printers is made: struct print_format in print.h, struct
 * trace_format in trace/trace_format.h, and doctor/doctor.c. A line without a printer does not
 * link, and a printer without a line does not compile.
 */
#ifndef PRINT_FORMATS_H
#define PRINT_FORMATS_H

/* FORMAT(constant, name) */
#define SNAPSHOT_FORMATS(FORMAT) \
	FORMAT(TEXT, text) \
	FORMAT(JSON, json) \
	FORMAT(CSV, csv) \
	FORMAT(FOLDED, folded) \
	FORMAT(OPENMETRICS, openmetrics) \
	FORMAT(PROMETHEUS, prometheus)
#define TRACE_FORMATS(FORMAT) \
	FORMAT(TEXT, text) \
	FORMAT(JSON, json) \
	FORMAT(CHROME, chrome)
#define DOCTOR_FORMATS(FORMAT) \
	FORMAT(TEXT, text) \
	FORMAT(JSON, json)
/* Each format once, in the order in which --help lists them. */
#define FORMATS(FORMAT) \
	SNAPSHOT_FORMATS(FORMAT) \
	FORMAT(CHROME, chrome)

#define FORMAT_CONSTANT(constant, name) FORMAT_##constant,
enum format { FORMATS(FORMAT_CONSTANT) FORMAT_COUNT };
#undef FORMAT_CONSTANT

/* A term of a sum of bits 1 << enum format. */
#define FORMAT_BIT(constant, name) | 1u << FORMAT_##constant

extern const char *const format_names[FORMAT_COUNT];

#endif
