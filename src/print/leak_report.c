/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The leak report: per process, leaked bytes by call site and call, largest first. Bytes by site
 * are the model's sums and complete. The number of blocks and the call that made them are known
 * only from the allocation map, which may be cut (--map); bytes of a site that the map does not
 * account for get a line without a number of blocks, so that lines add up to the total.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "print/text.h"
#include "util/saturated.h"

/* Leaked blocks of one site made by one call. */
struct leak {
	const char *site;
	uint64_t address;
	uint64_t bytes;
	uint64_t blocks; /* 0: not known */
	uint64_t stack_id;
	const struct snap_site *stack; /* the site, if its stack is known */
	const struct snap_site *late;  /* the site, if this is what was freed too late */
	const char *holder;            /* the library that holds it */
	int call;                      /* -1: not known */
};

/* How many blocks the bytes of the report are in. */
struct blocks {
	uint64_t leaked, held;
	bool leaked_omitted, held_omitted; /* there are more blocks than were counted */
};

/* In the order of both lists: the sites of graphs, and of other objects. */
static const struct snap_object_site *object_site(const struct snap_process *process, size_t i)
{
	return i < process->graph_site_count ?
		       &process->graph_sites[i] :
		       &process->object_sites[i - process->graph_site_count];
}

static size_t object_sites(const struct snap_process *process)
{
	return process->graph_site_count + process->object_site_count;
}

static uint64_t objects_rising(const struct snap_process *process)
{
	uint64_t rising = 0;

	for (size_t i = 0; i < object_sites(process); i++)
		rising += object_site(process, i)->rising;
	return rising;
}

void leak_total_make(const struct snapshot *snapshot, struct leak_total *total)
{
	const struct snap_gone *gone = &snapshot->gone;

	*total = (struct leak_total){
		.leaked = gone->leaked,
		.held = gone->held,
		.unproven = gone->held_unproven,
		.freed_late = gone->freed_late,
		.held_rising = gone->held_rising,
		.host_left = gone->host_left,
		.unsure = gone->suspect,
		.tensors = gone->tensors_ended,
		.tensors_risen = gone->tensors_rising,
		.tensors_unjudged = gone->tensors_unjudged,
		.from_attach = gone->from_attach,
		.inexact = gone->inexact,
		.unreturned = gone->unreturned,
		.any_call = gone->calls > 0,
	};
	for (size_t i = 0; i < LOST_COUNT; i++)
		total->lost |= snapshot->lost[i] && !lost_is_names((enum lost_cause)i);
	for (size_t i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];
		uint64_t suspect = process->has_suspect ? process->suspect : 0;

		for (size_t j = 0; j < process->allocator_count; j++)
			if (strcmp(process->allocators[j].noun, "tensors"))
				total->has_blocks = true;
			else
				total->has_tensors = true;
		total->leaked += process->leaked;
		total->held += process->held;
		total->unproven += process->held_unproven;
		total->freed_late += process->freed_late;
		total->held_rising += process->held_rising;
		total->host_left += process->host_left;
		total->objects_rising += objects_rising(process);
		total->from_attach |= process->from_attach;
		total->inexact |= process->inexact;
		total->unreturned |= process->unreturned != UNRETURNED_NOT;
		total->any_call |= process->calls > 0;
		if (!process->exited) {
			total->any_running |= process->calls > 0;
			total->suspect += suspect;
			total->tensors_rising += process->tensors_rising;
			continue;
		}
		total->unsure += suspect;
		total->tensors = add_saturated(total->tensors, process->tensors_ended);
		total->tensors_risen = add_saturated(total->tensors_risen, process->tensors_rising);
		if (!process->tensors_judged)
			total->tensors_unjudged =
				add_saturated(total->tensors_unjudged, process->tensors_ended);
	}
}

static int compare_site(const struct leak *a, const struct leak *b)
{
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->stack_id != b->stack_id)
		return a->stack_id < b->stack_id ? -1 : 1;
	return strcmp(a->site, b->site);
}

static int by_site_call(const void *left, const void *right)
{
	const struct leak *a = left, *b = right;
	int order = compare_site(a, b);

	return order ? order : a->call - b->call;
}

static int by_bytes(const void *left, const void *right)
{
	const struct leak *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return by_site_call(left, right);
}

/* Makes one entry of each run of equal site and call. Returns how many are left. */
static size_t merge(struct leak *leaks, size_t count)
{
	size_t out = 0;

	qsort(leaks, count, sizeof(*leaks), by_site_call);
	for (size_t i = 0; i < count; i++) {
		if (out && !by_site_call(&leaks[out - 1], &leaks[i])) {
			leaks[out - 1].bytes += leaks[i].bytes;
			leaks[out - 1].blocks += leaks[i].blocks;
		} else {
			leaks[out++] = leaks[i];
		}
	}
	return out;
}

/* Bytes of @site that @leaks (sorted by site) account for. Gives those entries its stack. */
static uint64_t explained(struct leak *leaks, size_t count, const struct leak *site)
{
	size_t low = 0, high = count;
	uint64_t bytes = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_site(&leaks[middle], site) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && !compare_site(&leaks[low], site); low++) {
		bytes += leaks[low].bytes;
		leaks[low].stack = site->stack;
	}
	return bytes;
}

/*
 * Collects the leaks of @process, largest first, into @leaks, which has room for every entry of its
 * map and sites and one more. Returns their number.
 */
static size_t collect(const struct snap_process *process, struct leak *leaks)
{
	size_t count = 0, merged;
	uint64_t sum = 0;

	for (size_t i = 0; i < process->map_count; i++) {
		const struct snap_alloc *alloc = &process->map[i];

		/* pinned and shared memory left behind is not VRAM, and is in no total */
		if (alloc->state != ALLOC_LEAKED || !KIND_CAN_LEAK(alloc->kind))
			continue;
		leaks[count++] = (struct leak){
			.site = alloc->site,
			.address = alloc->site_address,
			.stack_id = alloc->stack_id,
			.bytes = alloc->bytes,
			.blocks = 1,
			.call = alloc->call,
		};
	}
	count = merged = merge(leaks, count);
	for (size_t i = 0; i < process->site_count; i++) {
		struct leak rest = {
			.site = process->sites[i].site,
			.address = process->sites[i].address,
			.stack_id = process->sites[i].stack_id,
			.stack = process->sites[i].stack_count ? &process->sites[i] : NULL,
			.bytes = process->sites[i].leaked,
			.call = -1,
		};
		uint64_t known = explained(leaks, merged, &rest);

		if (rest.bytes <= known)
			continue;
		rest.bytes -= known;
		leaks[count++] = rest;
	}
	for (size_t i = 0; i < count; i++)
		sum += leaks[i].bytes;
	if (sum < process->leaked)
		leaks[count++] =
			(struct leak){ .site = "?", .bytes = process->leaked - sum, .call = -1 };
	return count;
}

/* 8000000 bytes (7.6M) */
static void print_bytes(struct line *line, uint64_t bytes)
{
	char text[NUMBER_SIZE];

	line_format(line, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
	if (bytes >= 1024)
		line_format(line, " (%s)", text_bytes((double)bytes, text));
}

/*
 * Says which of the leaked bytes were live not at exit, but when @call ended their owner (a context
 * or device).
 */
static void print_end(struct line *line, uint64_t bytes, unsigned int call)
{
	if (!bytes)
		return;
	line_text(line, "  ");
	print_bytes(line, bytes);
	line_format(line, " were live when %s() freed them", call_name(call));
	line_end(line);
}

static void print_process(struct line *line, const struct snap_process *process)
{
	text_head(line, process);
	line_style(line, STYLE_PLAIN);
	if (process->leaked)
		line_format(line, ": leaked %s%" PRIu64 " bytes", at_least(process->from_attach),
			    process->leaked);
	line_end(line);
	print_end(line, process->leaked_by_reset, process->reset_call);
	print_end(line, process->leaked_by_context, process->context_call);
	if (process->from_attach) {
		line_text(line, "  watched only since cutop attached: figures are lower bounds");
		line_end(line);
	}
	if (process->inexact) {
		line_text(line, "  not everything of it could be recorded: figures are inexact");
		line_end(line);
	}
}

static void print_titles(struct line *line, const char *first, const char *second,
			 const char *third)
{
	line_style(line, STYLE_HEAD);
	line_right(line, 16, first);
	line_right(line, 23, second);
	line_right(line, 32, third);
	line_text(line, "  CALL");
	line_to(line, 56);
	line_text(line, "SITE");
	line_end(line);
}

static bool is_start(const char *frame)
{
	return !strncmp(frame, "_start+", 7) || !strncmp(frame, "libc.so", 7) ||
	       strstr(frame, " (libc.so");
}

/* True if this frame and what is below only lead to main(), or to a thread's function. */
static bool is_below_main(const struct snap_site *site, size_t frame)
{
	while (frame < site->stack_count && is_start(site->stack[frame]))
		frame++;
	return frame == site->stack_count;
}

static void print_leak(struct line *line, const struct leak *leak, uint64_t all)
{
	char text[NUMBER_SIZE];

	line_style(line, STYLE_LEAKED);
	snprintf(text, sizeof(text), "%" PRIu64, leak->bytes);
	line_right(line, 16, text);
	line_style(line, STYLE_PLAIN);
	snprintf(text, sizeof(text), "%.1f%%", all ? 100 * (double)leak->bytes / (double)all : 0.0);
	line_right(line, 23, text);
	snprintf(text, sizeof(text), "%" PRIu64, leak->blocks);
	line_right(line, 32, leak->blocks ? text : "-");
	line_text(line, "  ");
	line_text(line, leak->call < 0 ? "-" : call_name((unsigned int)leak->call));
	line_to(line, 56);
	line_text(line, leak->site);
	line_end(line);
	if (leak->holder) {
		line_style(line, STYLE_PLAIN);
		line_to(line, 58);
		line_format(line, "held by ");
		line_text(line, leak->holder);
		line_end(line);
	}
	if (leak->late) {
		line_style(line, STYLE_PLAIN);
		line_to(line, 58);
		line_format(line, "freed by %s at ", call_name(leak->late->late.call));
		line_text(line, leak->late->late.site ?: "?");
		line_end(line);
	}
	/*
	 * Frames inside the shown site belong to the Python interpreter or a framework, not to the
	 * program.
	 */
	for (size_t i = leak->stack ? leak->stack->shown + 1 : 0;
	     leak->stack && i < leak->stack->stack_count && !is_below_main(leak->stack, i); i++) {
		line_style(line, STYLE_PLAIN);
		line_to(line, 58);
		line_text(line, leak->stack->stack[i]);
		line_end(line);
	}
}

static void add_held(const struct snap_process *process, struct blocks *blocks)
{
	uint64_t listed = 0;

	for (size_t i = 0; i < process->map_count; i++) {
		const struct snap_alloc *alloc = &process->map[i];

		if (alloc->state != ALLOC_HELD || !KIND_CAN_LEAK(alloc->kind))
			continue;
		listed += alloc->bytes;
		blocks->held++;
	}
	/* The map lists segments: what the cache kept of them and what was handed out together. */
	blocks->held_omitted |= listed < add_saturated(process->held, process->tensors_ended);
}

static void report_tensors(struct line *line, const struct snap_process *process)
{
	if (!process->exited || !process->tensors_rising)
		return;
	text_head(line, process);
	line_style(line, STYLE_PLAIN);
	line_format(line, ": tensors: %" PRIu64 " bytes rose until the end",
		    process->tensors_rising);
	line_end(line);
	text_blocks_end(line, process);
}

/* The lines of one section of @process, largest first. */
static void print_lines(struct line *line, struct leak *leaks, size_t count, uint64_t all)
{
	if (count)
		qsort(leaks, count, sizeof(*leaks), by_bytes);
	print_titles(line, "BYTES", "SHARE", "BLOCKS");
	for (size_t i = 0; i < count; i++)
		print_leak(line, &leaks[i], all);
}

/* What is told of a process beside its leaks, in a section each, by the sites that have some of it. */
enum section { SECTION_HELD, SECTION_LATE, SECTION_HOST };

/* The line of @site in @section; false if it has none. */
static bool section_line(enum section section, const struct snap_process *process,
			 const struct snap_site *site, struct leak *leak)
{
	*leak = (struct leak){
		.site = site->site,
		.address = site->address,
		.stack_id = site->stack_id,
		.stack = site->stack_count ? site : NULL,
		.call = site->call,
	};
	switch (section) {
	case SECTION_HELD:
		leak->bytes = site->held_rising;
		leak->holder = site->holder;
		for (size_t i = 0; leak->bytes && i < process->map_count; i++)
			leak->blocks += process->map[i].state == ALLOC_HELD &&
					process->map[i].site_address == site->address &&
					process->map[i].stack_id == site->stack_id;
		break;
	case SECTION_LATE:
		leak->bytes = site->late.bytes;
		leak->blocks = site->late.count;
		leak->late = site;
		break;
	case SECTION_HOST:
		leak->bytes = site->host.left;
		leak->blocks = site->host.blocks;
		break;
	}
	return leak->bytes != 0;
}

static void report_section(struct line *line, const struct snap_process *process,
			   enum section section, struct leak *leaks)
{
	static const char *const heads[] = {
		[SECTION_HELD] = "held by libraries, still rising",
		[SECTION_LATE] = "freed too late, after the driver's end",
		[SECTION_HOST] = "host memory",
	};
	uint64_t bytes = 0, number = 0;
	size_t count = 0;

	for (size_t i = 0; i < process->site_count; i++) {
		if (!section_line(section, process, &process->sites[i], &leaks[count]))
			continue;
		bytes = add_saturated(bytes, leaks[count].bytes);
		number += leaks[count++].blocks;
	}
	if (!count)
		return;
	text_head(line, process);
	line_style(line, STYLE_PLAIN);
	line_format(line, ": %s: ", heads[section]);
	print_bytes(line, bytes);
	line_format(line, "%s in %" PRIu64 " block%s", section == SECTION_HOST ? " pinned" : "",
		    number, number == 1 ? "" : "s");
	line_end(line);
	print_lines(line, leaks, count, bytes);
}

/* Streams, events and the like: they cost memory, but no bytes that are known. */
static void report_objects(struct line *line, const struct snap_process *process)
{
	uint64_t rising = objects_rising(process);
	char text[NUMBER_SIZE];

	if (!rising)
		return;
	text_head(line, process);
	line_style(line, STYLE_PLAIN);
	line_format(line, ": made and not destroyed, %s: %" PRIu64 " objects",
		    process->exited ? "rising until the end" : "rising", rising);
	line_end(line);
	print_titles(line, "RISING", "LIVE", "MADE");
	for (size_t i = 0; i < object_sites(process); i++) {
		const struct snap_object_site *site = object_site(process, i);

		if (!site->rising)
			continue;
		line_style(line, STYLE_LEAKED);
		snprintf(text, sizeof(text), "%" PRIu64, site->rising);
		line_right(line, 16, text);
		line_style(line, STYLE_PLAIN);
		snprintf(text, sizeof(text), "%" PRIu64, site->live);
		line_right(line, 23, text);
		snprintf(text, sizeof(text), "%" PRIu64, site->made);
		line_right(line, 32, text);
		line_text(line, "  ");
		line_text(line, call_name(site->call));
		line_to(line, 56);
		line_text(line, site->where.site);
		line_end(line);
	}
}

static void report_leaked(struct line *line, const struct snap_process *process, struct leak *leaks,
			  struct blocks *blocks)
{
	size_t count = collect(process, leaks);

	print_process(line, process);
	print_lines(line, leaks, count, process->leaked);
	for (size_t i = 0; i < count; i++) {
		blocks->leaked += leaks[i].blocks;
		blocks->leaked_omitted |= !leaks[i].blocks;
	}
}

static int report_process(struct line *line, const struct snap_process *process,
			  struct blocks *blocks)
{
	size_t room = process->map_count + process->site_count + 1;
	struct leak *leaks;

	add_held(process, blocks);
	report_tensors(line, process);
	leaks = calloc(room, sizeof(*leaks));
	if (!leaks)
		return -ENOMEM;
	if (process->leaked)
		report_leaked(line, process, leaks, blocks);
	for (enum section section = SECTION_HELD; section <= SECTION_HOST; section++)
		report_section(line, process, section, leaks);
	report_objects(line, process);
	free(leaks);
	return 0;
}

static void print_blocks(struct line *line, uint64_t blocks, bool more)
{
	if (blocks)
		line_format(line, " in %s%" PRIu64 " allocation%s", more ? "at least " : "", blocks,
			    blocks == 1 ? "" : "s");
}

/* Memory that was dropped from the list leaked as well. */
static void report_gone(struct line *line, const struct snap_gone *gone, struct blocks *blocks)
{
	blocks->leaked_omitted |= gone->leaked != 0;
	blocks->held_omitted |= gone->held != 0;
	if (!gone->leaked)
		return;
	line_format(line, "%zu process%s that ended earlier, not listed: leaked ", gone->processes,
		    gone->processes == 1 ? "" : "es");
	print_bytes(line, gone->leaked);
	line_end(line);
	if (gone->leaked_by_reset || gone->leaked_by_context) {
		line_text(line, "  ");
		print_bytes(line, gone->leaked_by_reset + gone->leaked_by_context);
		line_text(line, " were live at a device's reset or a context's end");
		line_end(line);
	}
}

/* True if there may be leaks that could not be seen. */
static bool is_blind(const struct snapshot *snapshot, const struct leak_total *total)
{
	return total->unreturned || total->from_attach || snapshot->unseen[UNSEEN_DRIVER].total ||
	       snapshot->unseen[UNSEEN_LATE].total || snapshot->unseen[UNSEEN_ALLOC].total ||
	       snapshot->unseen[UNSEEN_LAYER].total;
}

static const char *no_leak(const struct snapshot *snapshot, const struct leak_total *total)
{
	if (is_blind(snapshot, total))
		return "no leak that could be seen";
	if (total->tensors_risen)
		return "no leak outside of tensors";
	if (total->unsure || total->unproven || total->tensors_unjudged)
		return "no certain leak";
	if (total->lost)
		return "no leak that could be seen";
	return snapshot->process_count || snapshot->gone.processes ?
		       "no leak" :
		       "no leak: no CUDA call was seen";
}

static void print_tensors(struct line *line, const struct leak_total *total)
{
	const char *noun = total->has_blocks && !total->has_tensors ? "blocks" : "tensors";
	char text[NUMBER_SIZE];

	if (total->tensors_risen) {
		line_style(line, STYLE_LEAKED);
		line_format(line, "%s: ", noun);
		print_bytes(line, total->tensors_risen);
		line_style(line, STYLE_PLAIN);
		line_text(line, " rose until the end, at sites that kept growing");
		line_end(line);
	}
	if (total->tensors) {
		line_format(line, "%s: %s were live at the end%s", noun,
			    text_bytes((double)total->tensors, text),
			    total->tensors_risen    ? ", those included" :
			    total->tensors_unjudged ? "" :
						      ", as globals are: not a leak");
		line_end(line);
	}
	if (total->tensors_unjudged) {
		line_format(
			line,
			"  of %s it cannot be told whether they rose: that takes five times --leak-age",
			text_bytes((double)total->tensors_unjudged, text));
		line_end(line);
	}
	if (total->tensors_rising) {
		line_format(line, "%s: ", noun);
		print_bytes(line, total->tensors_rising);
		line_text(line, " keep rising in running processes");
		line_end(line);
	}
}

static void print_total(struct line *line, const struct snapshot *snapshot,
			const struct leak_total *total, const struct blocks *blocks)
{
	char text[UNSEEN_SIZE];

	if (total->leaked) {
		line_style(line, STYLE_LEAKED);
		line_format(line, "leaked %s", is_blind(snapshot, total) ? "at least " : "");
		print_bytes(line, total->leaked);
		print_blocks(line, blocks->leaked, blocks->leaked_omitted);
	} else {
		line_text(line, no_leak(snapshot, total));
		line_text(line, total->host_left ? " of VRAM" : "");
	}
	if (total->host_left) {
		line_text(line, "; ");
		print_bytes(line, total->host_left);
		line_text(line, " of pinned host memory were left");
	}
	line_end(line);
	if (total->freed_late) {
		line_text(line, "freed too late ");
		print_bytes(line, total->freed_late);
		line_text(line,
			  ": by static destructors, when the driver had freed it: not a leak");
		line_end(line);
	}
	if (total->held) {
		line_text(line, "held ");
		print_bytes(line, total->held);
		print_blocks(line, blocks->held, blocks->held_omitted);
		line_text(line, " by caching allocators, on purpose: not a leak");
		line_end(line);
	}
	if (total->held_rising) {
		line_style(line, STYLE_LEAKED);
		line_text(line, "  but ");
		print_bytes(line, total->held_rising);
		line_style(line, STYLE_PLAIN);
		line_text(line,
			  " of it rose until the end: handles that are made and not destroyed?");
		line_end(line);
	}
	print_tensors(line, total);
	if (total->objects_rising) {
		line_format(line,
			    "%" PRIu64 " streams, events or other objects were made and not "
			    "destroyed, at sites that kept growing",
			    total->objects_rising);
		line_end(line);
	}
	if (total->unproven) {
		line_text(line, "  but ");
		print_bytes(line, total->unproven);
		line_text(
			line,
			" of it may be tensors: nothing shows that PyTorch's cache is on; --leak-ignore 'libc10_cuda*' takes it for held");
		line_end(line);
	}
	if (total->suspect) {
		line_text(line, "suspect ");
		print_bytes(line, total->suspect);
		line_text(line, " of running processes, at sites that keep growing");
		line_end(line);
	}
	if (total->unsure) {
		line_text(line, "suspect ");
		print_bytes(line, total->unsure);
		line_text(
			line,
			" of ended processes: leaked, unless their frees are among what was lost, or a library that is not known keeps them");
		line_end(line);
	}
	if (total->from_attach) {
		line_text(line, "lower bounds: a process was watched only since cutop attached");
		line_end(line);
	}
	if (total->unreturned) {
		line_text(
			line,
			"what programs allocated whose calls' returns were not probed is not known");
		line_end(line);
	}
	for (int cause = 0; cause < UNSEEN_COUNT; cause++)
		if (text_unseen(snapshot, (enum unseen_cause)cause, text)) {
			line_text(line, text);
			line_end(line);
		}
	if (total->inexact || total->lost) {
		line_text(line, "inexact: not every call could be recorded");
		line_end(line);
	}
}

int out_leak_report(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	const struct snap_process **processes;
	struct blocks blocks = { 0 };
	struct leak_total total;
	struct sink sink;
	struct line line;
	int error = 0, ret;

	processes = sorted_processes(snapshot, &options->sort);
	if (!processes)
		return -ENOMEM;
	ret = sink_open(&sink, stream);
	if (ret)
		goto out;
	line_init(&line, &sink, options);
	leak_total_make(snapshot, &total);
	for (size_t i = 0; i < snapshot->process_count && !error; i++)
		error = report_process(&line, processes[i], &blocks);
	if (!error) {
		report_gone(&line, &snapshot->gone, &blocks);
		print_total(&line, snapshot, &total, &blocks);
	}
	ret = sink_close(&sink);
	if (!ret)
		ret = error;
out:
	free(processes);
	return ret;
}
