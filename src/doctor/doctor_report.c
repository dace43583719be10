/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report: as text, sections of lines, each with its state in front, where long lists are cut;
 * and as one JSON document, which has them whole.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "print/line.h"
#include "probe/probe_sets.h"
#include "probe/points.h"
#include "util/json_writer.h"
#include "util/utf8.h"

#define STATE_CELL   2
#define TEXT_CELL    11
#define NAMES_SHOWN  8 /* of a long list */
#define VERSION_TEXT 32

/* "13.0", or the driver's; "" if it is unknown. */
static const char *version_text(const struct doctor_file *file, char text[VERSION_TEXT])
{
	if (file->version && file->major_only)
		snprintf(text, VERSION_TEXT, "%u", file->version / 1000);
	else if (file->version)
		snprintf(text, VERSION_TEXT, "%u.%u", file->version / 1000,
			 file->version % 1000 / 10);
	else
		snprintf(text, VERSION_TEXT, "%s", file->driver_version);
	return text;
}

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

/* ---- a list of names ---- */

struct names {
	char text[1024];
	unsigned int shown;
};

static void names_begin(struct names *names, const char *title, unsigned int count)
{
	snprintf(names->text, sizeof(names->text), "%u %s:", count, title);
	names->shown = 0;
}

static void names_add(void *context, const char *name)
{
	struct names *names = context;
	size_t len = strlen(names->text);

	if (names->shown++ < NAMES_SHOWN)
		snprintf(names->text + len, sizeof(names->text) - len, " %s", name);
}

static void names_print(const struct names *names, struct line *line)
{
	detail(line, "%s%s", names->text,
	       names->shown > NAMES_SHOWN ? " ... (-f json lists them)" : "");
}

/* ---- libraries ---- */

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
	names_begin(&names, "slow to probe (single-stepped)", points[POINT_STEPPED]);
	points_visit(&file->found, &doctor->choice, POINT_STEPPED, names_add, &names);
	names_print(&names, line);
}

static void functions_print(struct line *line, const struct doctor *doctor,
			    const struct doctor_file *file)
{
	const struct doctor_functions *functions = &file->functions;
	const unsigned int *counts = functions->counts;

	detail(line, "%u of the table's %u functions are probed", counts[FUNCTION_PROBED],
	       functions->table);
	if (counts[FUNCTION_OFF])
		detail(line, "%u are off (--calls, --layer, --no-single-step)",
		       counts[FUNCTION_OFF]);
	points_print(line, doctor, file);
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
	char version[VERSION_TEXT];

	item(line, file_state(file), file->path);
	version_text(file, version);
	detail(line, "%s%s%s, build id %s, %u process%s", kinds[file->kind], *version ? " " : "",
	       version, file->info.build_id[0] ? file->info.build_id : "none", file->processes,
	       file->processes == 1 ? "" : "es");
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

static void files_print(struct line *line, const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->file_count; i++)
		if (file_is_shown(doctor->files[i]))
			file_print(line, doctor, doctor->files[i]);
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
	else if (process->own_pid_ns)
		detail(line, "in a pid namespace of its own (pid %u there)", process->ns_pid);
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

/* ---- JSON ---- */

static void put_bool(struct json_writer *w, json_t *object, const char *key, bool value)
{
	put(w, object, key, json_boolean(value));
}

/* Appends @text, and frees it. */
static void append_text(struct json_writer *w, json_t *array, char *text)
{
	json_t *object = put_new(w);

	put_text(w, object, "text", text);
	json_array_append(array, json_object_get(object, "text"));
	json_decref(object);
	free(text);
}

static void finding_put(struct json_writer *w, const struct doctor_finding *finding)
{
	json_t *o = put_new(w);

	put_text(w, o, "section", doctor_sections[finding->section].name);
	put_text(w, o, "name", finding->name);
	put_text(w, o, "state", doctor_state_names[finding->state]);
	put_text(w, o, "text", finding->text);
	put_text(w, o, "advice", finding->advice);
	json_item(w, o);
}

static void findings_put(struct json_writer *w, const struct doctor *doctor, const char *key,
			 enum doctor_state least)
{
	size_t i;

	json_open(w, key, '[');
	for (i = 0; i < doctor->finding_count; i++)
		if (doctor->findings[i].state >= least)
			finding_put(w, &doctor->findings[i]);
	json_close(w, ']');
}

static json_t *function_new(struct json_writer *w, const struct doctor_function *function,
			    unsigned int call)
{
	json_t *o = put_new(w);

	put_text(w, o, "call", call_name(call));
	put_text(w, o, "layer", call_layer_name(call_descs[call].layer));
	put_text(w, o, "state", function_state_names[function->state]);
	if (function->state != FUNCTION_ABSENT && function->point != POINT_NONE)
		put_text(w, o, "probe", point_names[function->point]);
	if (function->point == POINT_PAST)
		put_count(w, o, "past_bytes", function->past);
	return o;
}

static void functions_put(struct json_writer *w, const struct doctor_file *file)
{
	const struct doctor_functions *functions = &file->functions;
	json_t *o = put_new(w);
	unsigned int i;

	json_open(w, "functions", '{');
	put_count(w, o, "table", functions->table);
	for (i = 0; i < FUNCTION_STATE_COUNT; i++)
		put_count(w, o, function_state_names[i], functions->counts[i]);
	json_members(w, o);
	o = put_new(w);
	put_count(w, o, "at_entry",
		  functions->points[POINT_ENTRY] + functions->points[POINT_STEPPED]);
	put_count(w, o, "past_entry", functions->points[POINT_PAST]);
	put_count(w, o, "single_stepped", functions->points[POINT_STEPPED]);
	json_open(w, "probes", '{');
	json_members(w, o);
	json_close(w, '}');
	json_open(w, "list", '[');
	for (i = 0; i < CALL_COUNT; i++)
		if (function_is_held_to(file, i))
			json_item(w, function_new(w, &functions->list[i], i));
	json_close(w, ']');
	json_close(w, '}');
}

static void pids_put(struct json_writer *w, const struct doctor *doctor,
		     const struct doctor_file *file)
{
	size_t i, j;

	json_open(w, "pids", '[');
	for (i = 0; i < doctor->process_count; i++)
		for (j = 0; j < doctor->processes[i].file_count; j++)
			if (doctor->processes[i].files[j] == file)
				json_item(w, json_integer(doctor->processes[i].pid));
	json_close(w, ']');
}

static void file_put(struct json_writer *w, const struct doctor *doctor,
		     const struct doctor_file *file)
{
	char version[VERSION_TEXT];
	json_t *o = put_new(w);

	json_open(w, NULL, '{');
	put_text(w, o, "path", file->path);
	put_text(w, o, "kind", file_kind_names[file->kind]);
	put_text(w, o, "state", doctor_state_names[file_state(file)]);
	if (*version_text(file, version))
		put_text(w, o, "version", version);
	if (file->info.soname[0])
		put_text(w, o, "soname", file->info.soname);
	if (file->info.build_id[0])
		put_text(w, o, "build_id", file->info.build_id);
	put_count(w, o, "processes", file->processes);
	if (file->found.forwarders)
		put_count(w, o, "forwarders", file->found.forwarders);
	if (file->version)
		put(w, o, "passes_launches_on", json_boolean(file->version >= LAUNCHES_PASSED_ON));
	if (file->why.text[0])
		put_text(w, o, "error", file->why.text);
	json_members(w, o);
	pids_put(w, doctor, file);
	if (file->found.count)
		functions_put(w, file);
	json_close(w, '}');
}

static json_t *uses_new(struct json_writer *w, const struct doctor_process *process)
{
	static const char *const names[] = {
		"runtime_shared",
		"runtime_linked_in",
		"driver",
	};
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (process->uses & 1u << i)
			append_text(w, array, strdup(names[i]));
	return array;
}

static void process_put(struct json_writer *w, const struct doctor *doctor,
			const struct doctor_process *process)
{
	json_t *o = put_new(w), *seen = json_array(), *not_seen = json_array();
	unsigned int i;
	char *text;

	for (i = 0; (text = process_sees(process, i)); i++)
		append_text(w, seen, text);
	for (i = 0; (text = process_misses(process, &doctor->facts, i)); i++)
		append_text(w, not_seen, text);
	put(w, o, "pid", json_integer(process->pid));
	put_text(w, o, "user", process->user);
	put_text(w, o, "command", process->command);
	put_text(w, o, "arguments", process->arguments);
	if (process->container[0])
		put_text(w, o, "container", process->container);
	if (process->ns_pid)
		put_count(w, o, "ns_pid", process->ns_pid);
	put_bool(w, o, "own_pid_namespace", process->own_pid_ns);
	put_bool(w, o, "seccomp", process->seccomp);
	put_bool(w, o, "shadow_stack", process->shadow_stack);
	put_bool(w, o, "symbols", process->has_symbols);
	put(w, o, "uses", uses_new(w, process));
	put(w, o, "seen", seen);
	put(w, o, "not_seen", not_seen);
	json_item(w, o);
}

static void head_put(struct json_writer *w, const struct doctor *doctor, const char *version)
{
	json_t *o = put_new(w);
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1))
		host[0] = 0;
	put_count(w, o, "schema", 1);
	put_text(w, o, "tool", "cutop");
	put_text(w, o, "mode", "doctor");
	put_text(w, o, "version", version);
	put_text(w, o, "host", host);
	put_time(w, o, "time", clock_ns(CLOCK_REALTIME));
	put_text(w, o, "kernel", doctor->facts.kernel.release);
	put_bool(w, o, "can_watch", doctor_worst(doctor) < DOCTOR_PROBLEM);
	put_count(w, o, "processes_looked_at", doctor->looked_at);
	put_count(w, o, "processes_unreadable", doctor->unreadable);
	json_members(w, o);
}

int doctor_json(FILE *stream, const struct doctor *doctor, const struct out_options *options)
{
	struct json_writer w = { 0 };
	struct sink sink;
	size_t i;
	int err;

	err = sink_open(&sink, stream);
	if (err)
		return err;
	w.sink = &sink;
	json_open(&w, NULL, '{');
	head_put(&w, doctor, options->version);
	findings_put(&w, doctor, "checks", DOCTOR_OK);
	json_open(&w, "libraries", '[');
	for (i = 0; i < doctor->file_count; i++)
		if (file_is_shown(doctor->files[i]))
			file_put(&w, doctor, doctor->files[i]);
	json_close(&w, ']');
	json_open(&w, "processes", '[');
	for (i = 0; i < doctor->process_count; i++)
		process_put(&w, doctor, &doctor->processes[i]);
	json_close(&w, ']');
	findings_put(&w, doctor, "problems", DOCTOR_WARNING);
	json_close(&w, '}');
	sink_write(&sink, "\n", 1);
	return sink_close(&sink);
}
