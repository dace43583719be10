/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as one JSON document: like the text, but with every list complete. */
#include "doctor/doctor.h"

#include "probe/launches.h"
#include "probe/points.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "util/json_writer.h"

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

/* ---- libraries ---- */

static json_t *function_new(struct json_writer *w, const struct doctor_function *function,
			    unsigned int call)
{
	json_t *o = put_new(w);

	put_text(w, o, "call", call_name(call));
	put_text(w, o, "layer", call_layer_name(call_descs[call].layer));
	put_text(w, o, "state", function_state_names[function->state]);
	if (function->state != FUNCTION_ABSENT && function->state != FUNCTION_REFUSED &&
	    function->point != POINT_NONE)
		put_text(w, o, "probe", point_names[function->point]);
	if (function->point == POINT_PAST)
		put_count(w, o, "past_bytes", function->past);
	if (function->error)
		put_text(w, o, "error", refusal_text(function->error));
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

static void version_put(struct json_writer *w, json_t *o, const struct doctor_file *file)
{
	char text[32];

	if (file->version) {
		snprintf(text, sizeof(text), file->major_only ? "%u" : "%u.%u",
			 file->version / 1000, file->version % 1000 / 10);
		put_text(w, o, "version", text);
	} else if (file->driver_version[0]) {
		put_text(w, o, "version", file->driver_version);
	}
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
	json_t *o = put_new(w), *names = json_array();
	size_t i;

	for (i = 0; i < file->name_count; i++)
		append_text(w, names, strdup(file->names[i]));
	json_open(w, NULL, '{');
	put_text(w, o, "path", file->path);
	put(w, o, "names", names);
	put_text(w, o, "kind", file_kind_names[file->kind]);
	put_text(w, o, "state", doctor_state_names[file_state(file)]);
	version_put(w, o, file);
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
	if (file->tried)
		put_seconds(w, o, "attach_seconds", file->attach_time);
	json_members(w, o);
	pids_put(w, doctor, file);
	if (file->found.count)
		functions_put(w, file);
	json_close(w, '}');
}

/* ---- processes ---- */

static json_t *uses_new(struct json_writer *w, const struct doctor_process *process)
{
	static const char *const names[] = {
		"runtime_shared",
		"runtime_linked_in",
		"runtime_without_symbols",
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
	put_bool(w, o, "own_mount_namespace", process->own_mount_ns);
	put_bool(w, o, "seccomp", process->seccomp);
	put_bool(w, o, "shadow_stack", process->shadow_stack);
	put_bool(w, o, "symbols", process->has_symbols);
	put(w, o, "uses", uses_new(w, process));
	put(w, o, "seen", seen);
	put(w, o, "not_seen", not_seen);
	json_item(w, o);
}

/* ---- the whole ---- */

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
