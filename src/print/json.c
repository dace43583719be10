/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as one line of JSON: schema 1.
 *
 * The members of everything that is listed come from the tables of fields.h, in their order. What
 * is not known is left out, and so is what this machine cannot say. Counters are integers, durations
 * and rates reals. Figures of a process that are columns, too, come from the column table.
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "cuda/calls.h"
#include "model/columns.h"
#include "model/time_shares.h"
#include "print/fields.h"
#include "print/print.h"
#include "util/json_writer.h"

#define SCHEMA 1

/* What the item of a list belongs to. */
struct owner {
	const struct snap_process *process; /* NULL: none */
	const struct snap_device *device;   /* likewise */
};

/* ---- places in the code ---- */

static json_t *frames_array(struct json_writer *w, const struct snap_frame *const *frames,
			    size_t count)
{
	static const char *const languages[FRAME_LANGUAGES] = {
		[FRAME_NATIVE] = "native", [FRAME_PYTHON] = "python"
	};
	json_t *list = json_array();
	size_t i;

	for (i = 0; list && i < count; i++) {
		const struct snap_frame *frame = frames[i];
		json_t *o = put_new(w);

		if (frame) {
			put_text(w, o, "language", languages[frame->language]);
			if (frame->function)
				put_text(w, o, "function", frame->function);
			if (frame->file)
				put_text(w, o, "file", frame->file);
			if (frame->line)
				put_count(w, o, "line", frame->line);
			if (frame->module)
				put_text(w, o, "module", frame->module);
			if (frame->is_inlined)
				put(w, o, "inlined", json_true());
			else if (frame->language == FRAME_NATIVE)
				put_count(w, o, "offset", frame->offset);
		}
		if (json_array_append_new(list, o)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

static void put_place(struct json_writer *w, json_t *o, const struct snap_place *where)
{
	if (where->stack_count)
		put(w, o, "stack", text_array(w, where->stack, where->stack_count));
	if (where->frame_count)
		put(w, o, "frames", frames_array(w, where->frames, where->frame_count));
}

static void put_latency(struct json_writer *w, json_t *object, const char *key,
			const struct snap_latency *latency)
{
	json_t *seconds;

	if (!isfinite(latency->max))
		return;
	seconds = put_new(w);
	put_number(w, seconds, "p50", latency->p50);
	put_number(w, seconds, "p99", latency->p99);
	put_number(w, seconds, "max", latency->max);
	put(w, object, key, seconds);
}

/* ---- what columns hold, too ---- */

static void put_value(struct json_writer *w, json_t *o, const char *key,
		      const struct column *column, const struct snap_process *process)
{
	const struct column_value value = column->value(process);

	if (column->unit == UNIT_TEXT)
		put_text(w, o, key, value.text);
	else if (!value.absent && (column->unit == UNIT_COUNT || column->unit == UNIT_BYTES ||
				   column->unit == UNIT_ID))
		put_count(w, o, key, value.count);
	else if (!value.absent)
		put_number(w, o, key,
			   column->unit == UNIT_PERCENT ? value.number / 100 : value.number);
}

/* Puts the columns that are members of @object ("memory."; "": of the process). */
static void put_columns(struct json_writer *w, json_t *o, const char *object,
			const struct snap_process *process)
{
	size_t len = strlen(object);

	for (size_t i = 0; i < column_count; i++) {
		const char *path = columns[i].json,
			   *key = path && !strncmp(path, object, len) ? path + len : NULL;

		if (key && !strchr(key, '.'))
			put_value(w, o, key, &columns[i], process);
	}
}

/* ---- fields ---- */

static const char *name_of(const struct field *field, uint64_t number)
{
	const char *name = number < field->name_count ? field->names[number] : NULL;

	return name ? name : "unknown";
}

static const char *returns_name(bool unreturned, bool sampled)
{
	return unreturned ? "none" : sampled ? "sampled" : "all";
}

/* "call" is the symbol; a mangled symbol's readable name stands beside it, as for kernels. */
static void put_call(struct json_writer *w, json_t *o, unsigned int call,
		     const struct snap_extra *extra)
{
	put_text(w, o, "call", snapshot_call_name(call, extra));
	if (!extra->signature)
		return;
	put_text(w, o, "name", snapshot_call_brief(call, extra));
	put_text(w, o, "signature", extra->signature);
}

static void put_fields(struct json_writer *w, json_t *o, const struct fields *fields,
		       const void *item, const struct owner *owner);

static json_t *list_array(struct json_writer *w, const struct field_list *list, const void *of,
			  const struct owner *owner)
{
	json_t *array = w->sink->error ? NULL : json_array(), *o;
	size_t count;
	const char *item = list_items(list, of, &count);

	for (size_t i = 0; array && i < count; i++, item += list->size) {
		o = put_new(w);
		put_fields(w, o, list->fields, item, owner);
		json_array_append_new(array, o);
	}
	return array;
}

/* Puts a field that is known. */
static void put_field(struct json_writer *w, json_t *o, const struct field *field, const void *item,
		      const struct owner *owner)
{
	const void *at = (const char *)item + field->offset;
	const char *key = field->key;
	const struct snap_site *site = item;

	switch (field->kind) {
	case FIELD_TEXT: put_text(w, o, key, *(const char *const *)at); break;
	case FIELD_CHARS: put_text(w, o, key, *(const char *)at ? at : NULL); break;
	case FIELD_COUNT:
	case FIELD_BYTES: put_count(w, o, key, field_count(field, item)); break;
	case FIELD_INT: put(w, o, key, json_integer(*(const int *)at)); break;
	case FIELD_NUMBER:
	case FIELD_FIGURE: put_number(w, o, key, field_number(field, item)); break;
	case FIELD_DEVICE: put_device(w, o, *(const int *)at); break;
	case FIELD_ADDRESS: put_hex(w, o, key, *(const uint64_t *)at); break;
	case FIELD_TIME: put_time(w, o, key, *(const uint64_t *)at); break;
	case FIELD_DURATION: put_seconds(w, o, key, *(const uint64_t *)at); break;
	case FIELD_BOOL: put(w, o, key, json_boolean(*(const bool *)at)); break;
	case FIELD_TRUE:
	case FIELD_FALSE:
		if (field_count(field, item))
			put(w, o, key, json_boolean(field->kind == FIELD_TRUE));
		break;
	case FIELD_ATTACH: put_text(w, o, key, *(const bool *)at ? "attach" : "start"); break;
	case FIELD_NAME: put_text(w, o, key, name_of(field, field_count(field, item))); break;
	case FIELD_CALL: put_text(w, o, key, call_name(*(const uint16_t *)at)); break;
	case FIELD_EXTRA_CALL:
		put_call(w, o, *(const uint16_t *)at,
			 (const void *)((const char *)item + field->other));
		break;
	case FIELD_LAYER:
		put_text(w, o, key, call_layer_name(call_layer(*(const uint16_t *)at)));
		break;
	case FIELD_RETURNS:
		put_text(
			w, o, key,
			returns_name(owner->process->unreturned ||
					     (field->other && *((const char *)item + field->other)),
				     *(const bool *)at));
		break;
	case FIELD_EVENT: put_text(w, o, key, event_kinds[*(const uint8_t *)at].name); break;
	case FIELD_DIMS: put(w, o, key, dim_array(w, at)); break;
	case FIELD_COUNTS:
		put(w, o, key, count_array(w, at, field->size / sizeof(uint64_t)));
		break;
	case FIELD_LATENCY: put_latency(w, o, key, at); break;
	case FIELD_PLACE: put_place(w, o, at); break;
	case FIELD_SITE: {
		const struct snap_place where = site_place(site);

		put_place(w, o, &where);
		break;
	}
	case FIELD_MEMBERS:
		if (*(const void *const *)at)
			put_fields(w, o, field->fields, *(const void *const *)at, owner);
		break;
	case FIELD_INSTANCE:
		if (*(const int *)at >= 0)
			put_fields(w, o, field->fields, &owner->device->instances[*(const int *)at],
				   owner);
		break;
	case FIELD_LIST: {
		size_t count;

		list_items(field->list, item, &count);
		if (count || field->list->always)
			put(w, o, field->list->key, list_array(w, field->list, item, owner));
		break;
	}
	}
}

static void put_fields(struct json_writer *w, json_t *o, const struct fields *fields,
		       const void *item, const struct owner *owner)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->list[i].key && !fields->list[i].is_part &&
		    field_is_known(&fields->list[i], item, owner->process))
			put_field(w, o, &fields->list[i], item, owner);
}

/* Writes @count items, one at a time. */
static void write_items(struct json_writer *w, const struct field_list *list, const char *item,
			size_t count, const struct owner *owner)
{
	struct owner of = *owner;
	json_t *o;

	json_open(w, list->key, '[');
	for (size_t i = 0; i < count && !w->sink->error; i++, item += list->size) {
		if (list == &device_list)
			of.device = (const void *)item;
		o = put_new(w);
		put_fields(w, o, list->fields, item, &of);
		json_item(w, o);
	}
	json_close(w, ']');
}

static void write_list(struct json_writer *w, const struct field_list *list, const void *of,
		       const struct owner *owner)
{
	size_t count;
	const void *items = list_items(list, of, &count);

	if (count || list->always)
		write_items(w, list, items, count, owner);
}

/* ---- processes ---- */

static void write_memory(struct json_writer *w, const struct snap_process *process)
{
	const struct owner owner = { process, NULL };
	json_t *o = put_new(w), *kinds = put_new(w);

	json_open(w, "memory", '{');
	put_columns(w, o, "memory.", process);
	put_fields(w, o, &memory_fields, process, &owner);
	for (size_t i = 0; i < KIND_COUNT; i++)
		put_count(w, kinds, alloc_kind_names[i], process->kinds[i]);
	put(w, o, "kinds", kinds);
	json_members(w, o);
	write_list(w, &map_list, process, &owner);
	write_list(w, &allocator_list, process, &owner);
	o = put_new(w);
	put_count(w, o, "map_omitted", process->map_omitted);
	json_members(w, o);
	json_close(w, '}');
}

static void put_end(struct json_writer *w, json_t *o, const struct snap_process *process)
{
	if (!process->exited)
		return;
	if (process->end_reason == END_EXEC) {
		put_text(w, o, "ended", "exec");
		return;
	}
	put_text(w, o, "ended", "exit");
	if (process->end_is_guess)
		return;
	if (WIFEXITED(process->exit_code))
		put(w, o, "exit_code", json_integer(WEXITSTATUS(process->exit_code)));
	else if (WIFSIGNALED(process->exit_code))
		put(w, o, "signal", json_integer(WTERMSIG(process->exit_code)));
}

static json_t *given_up_array(struct json_writer *w, const struct snap_process *process)
{
	json_t *array = w->sink->error ? NULL : json_array(), *o;

	for (int kind = 0; array && kind < SPARE_COUNT; kind++) {
		if (!process->given_up[kind])
			continue;
		o = put_new(w);
		put_text(w, o, "what", spare_names[kind]);
		put_seconds(w, o, "since", process->given_up[kind]);
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *process_head(struct json_writer *w, const struct snap_process *process)
{
	const struct owner owner = { process, NULL };
	json_t *o = put_new(w);

	put_columns(w, o, "", process);
	put_fields(w, o, &process_fields, process, &owner);
	put_end(w, o, process);
	put_text(w, o, "runtime_watched_from",
		 process->from_attach || process->runtime_late ? "attach" : "start");
	put(w, o, "given_up", given_up_array(w, process));
	put(w, o, "devices", device_array(w, process->devices, process->device_count));
	return o;
}

static json_t *time_parts(struct json_writer *w, const double parts[TIME_PARTS])
{
	json_t *o = put_new(w);

	for (size_t i = 0; i < TIME_PARTS; i++)
		put_number(w, o, time_part_names[i], parts[i]);
	return o;
}

static void write_time(struct json_writer *w, const struct snapshot *snapshot,
		       const struct snap_process *process)
{
	const struct snap_time *time = &process->time;
	char verdict[VERDICT_TEXT];
	json_t *o, *gaps;

	if (!time->is_known)
		return;
	json_open(w, "time", '{');
	o = put_new(w);
	put_number(w, o, "wall_seconds", time->wall_seconds);
	put_count(w, o, "threads", time->threads);
	put(w, o, "launch_sampled", json_boolean(time->sampled));
	put(w, o, "seconds", time_parts(w, time->seconds));
	put(w, o, "share", time_parts(w, time->share));
	if (*time_verdict_text(snapshot, process, verdict))
		put_text(w, o, "verdict", verdict);
	if (time->gaps) {
		gaps = put_new(w);
		put_count(w, gaps, "samples", time->gaps);
		put_latency(w, gaps, "latency_seconds", &time->gap);
		put(w, gaps, "histogram", count_array(w, time->gap_hist, CUTOP_HIST_BUCKETS));
		put(w, o, "launch_gaps", gaps);
	}
	json_members(w, o);
	json_close(w, '}');
}

static void write_process(struct json_writer *w, const struct snapshot *snapshot,
			  const struct snap_process *process)
{
	const struct owner owner = { process, NULL };
	const struct snap_failure *failures = process->failure_list;
	json_t *o;

	json_open(w, NULL, '{');
	json_members(w, process_head(w, process));
	if (!process->unreturned)
		write_memory(w, process);
	write_list(w, &kernel_list, process, &owner);
	write_list(w, &copy_list, process, &owner);
	write_list(w, &call_list, process, &owner);
	for (size_t i = 0, count; i < FAILURE_LISTS; i++, failures += count) {
		list_items(&failure_lists[i], process, &count);
		write_items(w, &failure_lists[i], (const void *)failures, count, &owner);
	}
	write_list(w, &site_list, process, &owner);
	write_list(w, &launch_site_list, process, &owner);
	write_list(w, &wait_site_list, process, &owner);
	write_list(w, &graph_list, process, &owner);
	write_list(w, &object_list, process, &owner);
	json_open(w, "synchronize", '{');
	o = put_new(w);
	if (!process->unreturned) {
		put_number(w, o, "seconds", process->sync_seconds);
		put_number(w, o, "share", process->sync_share);
	}
	json_members(w, o);
	json_close(w, '}');
	write_time(w, snapshot, process);
	json_close(w, '}');
}

/* ---- the whole ---- */

static bool snapshot_has_unseen(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < UNSEEN_COUNT; i++)
		if (snapshot->unseen[i].total)
			return true;
	return false;
}

static void put_part(struct json_writer *w, json_t *o, const char *key, const struct fields *fields,
		     const struct snapshot *snapshot)
{
	const struct owner nothing = { NULL, NULL };
	json_t *part = put_new(w);

	put_fields(w, part, fields, snapshot, &nothing);
	put(w, o, key, part);
}

static json_t *snapshot_head(struct json_writer *w, const struct snapshot *snapshot,
			     const char *version)
{
	const struct owner nothing = { NULL, NULL };
	json_t *o = put_new(w), *part;

	put_count(w, o, "schema", SCHEMA);
	put_text(w, o, "tool", "cutop");
	put_text(w, o, "version", version);
	put_fields(w, o, &snapshot_fields, snapshot, &nothing);
	put_part(w, o, "probes", &probes_fields, snapshot);
	put_part(w, o, "self", &self_fields, snapshot);

	part = put_new(w);
	for (size_t i = 0; i < LOST_COUNT; i++)
		put_count(w, part, lost_cause_names[i], snapshot->lost[i]);
	put(w, o, "lost", part);

	if (snapshot_has_unseen(snapshot)) {
		part = put_new(w);
		for (size_t i = 0; i < UNSEEN_COUNT; i++)
			if (snapshot->unseen[i].total)
				put_count(w, part, unseen_cause_names[i],
					  snapshot->unseen[i].total);
		put(w, o, "unseen", part);
	}
	put_part(w, o, "totals", &totals_fields, snapshot);
	return o;
}

int out_json(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	const struct owner nothing = { NULL, NULL };
	struct sink sink;
	struct json_writer writer = { .sink = &sink };
	int ret;

	ret = sink_open(&sink, stream);
	if (ret)
		return ret;
	json_open(&writer, NULL, '{');
	json_members(&writer, snapshot_head(&writer, snapshot, options->version));
	write_list(&writer, &device_list, snapshot, &nothing);
	write_list(&writer, &event_list, snapshot, &nothing);
	write_list(&writer, &finding_list, snapshot, &nothing);
	json_open(&writer, "processes", '[');
	for (size_t i = 0; i < snapshot->process_count && !sink.error; i++)
		write_process(&writer, snapshot, &snapshot->processes[i]);
	json_close(&writer, ']');
	json_close(&writer, '}');
	sink_write(&sink, "\n", 1);
	return sink_close(&sink);
}

const struct print_format print_format_json = { .format = FORMAT_JSON, .print = out_json };
