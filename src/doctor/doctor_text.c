/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as text: sections of lines, each with its state in front. Long lists are cut; JSON has
 * them whole.
 */
#include "doctor/doctor.h"

#include "probe/launches.h"
#include "probe/points.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "print/line.h"
#include "util/utf8.h"

#define STATE_CELL  2
#define TEXT_CELL   11
#define NAMES_SHOWN 8 /* of a long list */
#define WRAP        110

static enum line_style style_of(enum doctor_state state)
{
	return state == DOCTOR_PROBLEM ? STYLE_LEAKED :
	       state == DOCTOR_WARNING ? STYLE_FAILED :
					 STYLE_PLAIN;
}

static void heading(struct line *line, const char *text)
{
	line_end(line);
	line_style(line, STYLE_HEAD);
	line_text(line, text);
	line_style(line, STYLE_PLAIN);
	line_end(line);
}

static void item(struct line *line, enum doctor_state state, const char *text)
{
	line_to(line, STATE_CELL);
	line_style(line, style_of(state));
	line_text(line, doctor_state_names[state]);
	line_style(line, STYLE_PLAIN);
	line_to(line, TEXT_CELL);
	line_wrapped(line, TEXT_CELL, text);
	line_end(line);
}

static void __attribute__((format(printf, 2, 3))) detail(struct line *line, const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_to(line, TEXT_CELL);
	line_wrapped(line, TEXT_CELL + 2, text);
	line_end(line);
}

/* Prints @text beside a label; further lines are aligned with the first. */
static void labelled(struct line *line, const char *label, const char *text)
{
	line_to(line, TEXT_CELL);
	line_text(line, label);
	line_wrapped(line, TEXT_CELL + (int)strlen(label), text);
	line_end(line);
}

static void findings_print(struct line *line, const struct doctor *doctor,
			   enum doctor_section section)
{
	size_t i;

	for (i = 0; i < doctor->finding_count; i++)
		if (doctor->findings[i].section == section)
			item(line, doctor->findings[i].state, doctor->findings[i].text);
}

/* ---- a list of names, wrapped ---- */

struct names {
	struct line *line;
	unsigned int shown;
};

static void names_begin(struct names *names, struct line *line, const char *title,
			unsigned int count)
{
	char text[256];

	*names = (struct names){ .line = line };
	snprintf(text, sizeof(text), "%u %s:", count, title);
	line_to(line, TEXT_CELL);
	line_wrapped(line, TEXT_CELL + 2, text);
}

static void names_add(struct names *names, const char *text)
{
	if (names->shown++ >= NAMES_SHOWN)
		return;
	if (names->line->cells + 2 + utf8_cells(text) >
	    (names->line->wrap ? names->line->wrap : WRAP)) {
		line_end(names->line);
		line_to(names->line, TEXT_CELL + 1);
	}
	line_text(names->line, " ");
	line_text(names->line, text);
}

static void names_end(struct names *names)
{
	if (names->shown > NAMES_SHOWN)
		line_text(names->line, " ... (-f json lists them)");
	line_end(names->line);
}

/* ---- libraries ---- */

static void refused_print(struct line *line, const struct doctor_functions *functions)
{
	struct names names;
	unsigned int call;
	char text[256];

	if (!functions->counts[FUNCTION_REFUSED])
		return;
	names_begin(&names, line, "refused by the kernel", functions->counts[FUNCTION_REFUSED]);
	for (call = 0; call < CALL_COUNT; call++) {
		const struct doctor_function *function = &functions->list[call];

		if (function->state != FUNCTION_REFUSED)
			continue;
		if (function->error)
			snprintf(text, sizeof(text), "%s (%s)", call_name(call),
				 refusal_text(function->error));
		else
			snprintf(text, sizeof(text), "%s", call_name(call));
		names_add(&names, text);
	}
	names_end(&names);
}

static void stepped_add(void *names, const char *name)
{
	names_add(names, name);
}

/* Where the probes are, and which of them cost some twenty times as much as the others. */
static void points_print(struct line *line, const struct doctor *doctor,
			 const struct doctor_file *file)
{
	const unsigned int *points = file->functions.points;
	struct names names;

	if (points[POINT_ENTRY] || points[POINT_PAST])
		detail(line,
		       "%u probes on the first instruction and %u on a later one, which the kernel emulates",
		       points[POINT_ENTRY], points[POINT_PAST]);
	if (!points[POINT_STEPPED])
		return;
	names_begin(&names, line, "slow to probe (single-stepped)", points[POINT_STEPPED]);
	points_visit(&file->found, &doctor->choice, NULL, POINT_STEPPED, stepped_add, &names);
	names_end(&names);
}

static void functions_print(struct line *line, const struct doctor *doctor,
			    const struct doctor_file *file)
{
	const struct doctor_functions *functions = &file->functions;
	const unsigned int *counts = functions->counts;

	/* If each probe takes time, only one was tried, and none counts as attached. */
	if (file->tried && (counts[FUNCTION_ATTACHED] || !counts[FUNCTION_UNTRIED]))
		detail(line, "%u of the table's %u functions attached in %.0f ms",
		       counts[FUNCTION_ATTACHED], functions->table,
		       (double)file->attach_time / NSEC_PER_MSEC);
	if (counts[FUNCTION_UNTRIED])
		detail(line, "%u functions found, %s", counts[FUNCTION_UNTRIED],
		       file->tried ? "each with a link of its own: only one was tried" :
				     "attaching not tried");
	if (counts[FUNCTION_OFF])
		detail(line, "%u are off (--calls, --layer, --no-single-step)",
		       counts[FUNCTION_OFF]);
	points_print(line, doctor, file);
	refused_print(line, functions);
}

static void version_text(const struct doctor_file *file, char *text, size_t size)
{
	if (file->version)
		snprintf(text, size, file->major_only ? " %u.x" : " %u.%u", file->version / 1000,
			 file->version % 1000 / 10);
	else
		snprintf(text, size, "%s%s", file->driver_version[0] ? " " : "",
			 file->driver_version);
}

static void processes_text(const struct doctor_file *file, char *text, size_t size)
{
	snprintf(text, size, "%u process%s", file->processes, file->processes == 1 ? "" : "es");
}

static void file_print(struct line *line, const struct doctor *doctor,
		       const struct doctor_file *file)
{
	static const char *const kinds[] = {
		[FILE_NOTHING] = "defines no CUDA function that cutop knows",
		[FILE_RUNTIME] = "CUDA runtime",
		[FILE_DRIVER] = "CUDA driver",
		[FILE_LINKED] = "linked in: CUDA runtime",
		[FILE_UNREADABLE] = "cannot be read",
	};
	char version[48], processes[48];
	size_t i;

	item(line, file_state(file), file->path);
	for (i = 0; i < file->name_count && i < NAMES_SHOWN / 2; i++)
		detail(line, "also %s", file->names[i]);
	if (i < file->name_count)
		detail(line, "also %zu further names (-f json lists them)", file->name_count - i);
	version_text(file, version, sizeof(version));
	processes_text(file, processes, sizeof(processes));
	detail(line, "%s%s, build id %s, %s", kinds[file->kind], version,
	       file->info.build_id[0] ? file->info.build_id : "none", processes);
	if (file->why.text[0])
		detail(line, "%s", file->why.text);
	if (file->found.forwarders)
		detail(line, "%zu functions only forward to CUDA's libraries and get no probes",
		       file->found.forwarders);
	if (file->version)
		detail(line,
		       file->version >= LAUNCHES_PASSED_ON ?
			       "passes all launches on to the driver: counted there alone" :
			       "refuses some launches itself: counted here and at the driver");
	if (file->found.count)
		functions_print(line, doctor, file);
}

/* A toolkit has a dozen such files, all with the same finding. */
static void stripped_print(struct line *line, const struct doctor *doctor)
{
	bool any = false;
	size_t i;

	for (i = 0; i < doctor->file_count; i++) {
		const struct doctor_file *file = doctor->files[i];
		char processes[48];

		if (file->kind != FILE_STRIPPED)
			continue;
		if (!any)
			item(line, DOCTOR_NOTE,
			     layer_is_known(LAYER_DRIVER) ?
				     "these carry a CUDA runtime without symbols; their calls are seen only at the driver "
				     "layer:" :
				     "these carry a CUDA runtime without symbols; their calls are not seen:");
		any = true;
		processes_text(file, processes, sizeof(processes));
		detail(line, "%s, build id %s, %s", file->path,
		       file->info.build_id[0] ? file->info.build_id : "none", processes);
	}
}

static void files_print(struct line *line, const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->file_count; i++)
		if (file_is_shown(doctor->files[i]) && doctor->files[i]->kind != FILE_STRIPPED)
			file_print(line, doctor, doctor->files[i]);
	stripped_print(line, doctor);
}

/* ---- processes ---- */

static void process_print(struct line *line, const struct doctor *doctor,
			  const struct doctor_process *process)
{
	unsigned int i;
	char *text;

	line_to(line, STATE_CELL);
	line_format(line, "%-8d", process->pid);
	line_to(line, TEXT_CELL);
	line_text(line, process->user);
	line_text(line, "  ");
	line_text(line, process->command);
	line_text(line, " ");
	line_text_max(line, process->arguments, 60);
	line_end(line);
	if (process->container[0])
		detail(line, "in container %.12s (pid %u there)", process->container,
		       process->ns_pid);
	else if (process->own_pid_ns || process->own_mount_ns)
		detail(line, "in namespaces of its own (pid %u there)", process->ns_pid);
	for (i = 0; (text = process_sees(process, i)); i++) {
		labelled(line, "seen:     ", text);
		free(text);
	}
	for (i = 0; (text = process_misses(process, &doctor->facts, i)); i++) {
		labelled(line, "not seen: ", text);
		free(text);
	}
}

static void processes_print(struct line *line, const struct doctor *doctor)
{
	if (!doctor->process_count)
		item(line, DOCTOR_NOTE, "no process that uses CUDA was found");
	for (size_t i = 0; i < doctor->process_count; i++)
		process_print(line, doctor, &doctor->processes[i]);
}

/* ---- the whole ---- */

static void advice_print(struct line *line, const char *advice)
{
	if (advice)
		labelled(line, "-> ", advice);
}

/* Advice that several findings in a row have in common is printed once, after the last. */
static void problems_print(struct line *line, const struct doctor *doctor)
{
	const char *advice = NULL;
	size_t i;

	heading(line, "what to do");
	for (i = 0; i < doctor->finding_count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];

		if (finding->state < DOCTOR_WARNING)
			continue;
		if (advice && (!finding->advice || strcmp(advice, finding->advice)))
			advice_print(line, advice);
		item(line, finding->state, finding->text);
		advice = finding->advice;
	}
	advice_print(line, advice);
}

static void summary_print(struct line *line, const struct doctor *doctor, const char *version)
{
	enum doctor_state worst = doctor_worst(doctor);

	line_style(line, worst == DOCTOR_PROBLEM ? STYLE_LEAKED : STYLE_HEAD);
	line_format(line, "cutop %s %s", version,
		    worst == DOCTOR_PROBLEM ? "has problems here" : "can watch here");
	line_style(line, STYLE_PLAIN);
	line_end(line);
}

int doctor_text(FILE *stream, const struct doctor *doctor, const struct out_options *options)
{
	/* What precedes the findings in a section. */
	static void (*const lists[SECTION_COUNT])(struct line *, const struct doctor *) = {
		[SECTION_LIBRARIES] = files_print,
		[SECTION_PROCESSES] = processes_print,
	};
	struct line line;
	struct sink sink;
	size_t i;
	int err;

	err = sink_open(&sink, stream);
	if (err)
		return err;
	line_init(&line, &sink, options);
	/* Nothing is cut: lines wrap. */
	line.wrap = line.width;
	line.width = 0;
	summary_print(&line, doctor, options->version);
	for (i = 0; i < SECTION_COUNT; i++) {
		heading(&line, doctor_sections[i].title);
		if (lists[i])
			lists[i](&line, doctor);
		findings_print(&line, doctor, (enum doctor_section)i);
	}
	if (doctor_worst(doctor) >= DOCTOR_WARNING)
		problems_print(&line, doctor);
	return sink_close(&sink);
}
