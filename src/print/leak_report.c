/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The leak report: per process, what its call sites leaked, largest first, and what else is to be
 * told of their memory, in a section each.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "print/text.h"
#include "util/saturated.h"

/* How many allocations the bytes of the report are in. */
struct blocks {
	uint64_t leaked, held;
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
	struct snap_gone *sum = &total->sum;

	*total = (struct leak_total){ .sum = snapshot->gone };
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
		sum->leaked += process->leaked;
		sum->held += process->held;
		sum->held_unproven += process->held_unproven;
		sum->freed_late += process->freed_late;
		sum->held_rising += process->held_rising;
		sum->host_left += process->host_left;
		sum->calls += process->calls;
		sum->from_attach |= process->from_attach;
		sum->inexact |= process->inexact;
		sum->unreturned |= process->unreturned != UNRETURNED_NOT;
		total->objects_rising += objects_rising(process);
		if (!process->exited) {
			total->any_running |= process->calls > 0;
			total->suspect += suspect;
			total->tensors_rising += process->tensors_rising;
			continue;
		}
		sum->suspect += suspect;
		sum->tensors_ended = add_saturated(sum->tensors_ended, process->tensors_ended);
		sum->tensors_rising = add_saturated(sum->tensors_rising, process->tensors_rising);
		if (!process->tensors_judged)
			sum->tensors_unjudged =
				add_saturated(sum->tensors_unjudged, process->tensors_ended);
	}
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

/* What is told of a process, in a section each, by the call sites that have some of it. */
enum section { SECTION_LEAKED, SECTION_HELD, SECTION_LATE, SECTION_HOST, SECTION_COUNT };

/* What @site has in @section, in how many allocations. */
static uint64_t section_bytes(enum section section, const struct snap_site *site, uint64_t *blocks)
{
	*blocks = section == SECTION_LATE ? site->late.count :
		  section == SECTION_HOST ? site->host.blocks :
					    site->left_blocks;
	return section == SECTION_LATE ? site->late.bytes :
	       section == SECTION_HOST ? site->host.left :
	       section == SECTION_HELD ? site->held_rising :
					 site->leaked;
}

/* A line below a site. */
static void print_below(struct line *line, const char *before, const char *text)
{
	line_style(line, STYLE_PLAIN);
	line_to(line, 58);
	line_text(line, before);
	line_text(line, text);
	line_end(line);
}

static void print_site(struct line *line, enum section section, const struct snap_site *site,
		       uint64_t all)
{
	uint64_t blocks, bytes = section_bytes(section, site, &blocks);
	char text[NUMBER_SIZE], before[128];

	line_style(line, STYLE_LEAKED);
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	line_right(line, 16, text);
	line_style(line, STYLE_PLAIN);
	snprintf(text, sizeof(text), "%.1f%%", all ? 100 * (double)bytes / (double)all : 0.0);
	line_right(line, 23, text);
	snprintf(text, sizeof(text), "%" PRIu64, blocks);
	line_right(line, 32, text);
	line_text(line, "  ");
	line_text(line, call_name(site->call));
	line_to(line, 56);
	line_text(line, site->site);
	line_end(line);
	if (section == SECTION_HELD && site->holder)
		print_below(line, "held by ", site->holder);
	if (section == SECTION_LATE) {
		snprintf(before, sizeof(before), "freed by %s at ", call_name(site->late.call));
		print_below(line, before, site->late.site ?: "?");
	}
	/*
	 * Frames inside the shown site belong to the Python interpreter or a framework, not to the
	 * program.
	 */
	for (size_t i = site->shown + 1; i < site->stack_count && !is_below_main(site, i); i++)
		print_below(line, "", site->stack[i]);
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

static int by_bytes(const void *left, const void *right, void *context)
{
	const struct snap_site *a = *(const struct snap_site *const *)left,
			       *b = *(const struct snap_site *const *)right;
	const enum section *section = context;
	uint64_t blocks, x = section_bytes(*section, a, &blocks),
			 y = section_bytes(*section, b, &blocks);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->stack_id > b->stack_id) - (a->stack_id < b->stack_id);
}

/* @sites has room for all of @process. */
static void report_section(struct line *line, const struct snap_process *process,
			   enum section section, const struct snap_site **sites)
{
	static const char *const heads[] = {
		[SECTION_HELD] = "held by libraries, still rising",
		[SECTION_LATE] = "freed too late, after the driver's end",
		[SECTION_HOST] = "host memory",
	};
	uint64_t bytes = 0, more, number = 0, blocks;
	size_t count = 0;

	for (size_t i = 0; i < process->site_count; i++) {
		more = section_bytes(section, &process->sites[i], &blocks);
		if (!more)
			continue;
		sites[count++] = &process->sites[i];
		bytes = add_saturated(bytes, more);
		number += blocks;
	}
	if (!count)
		return;
	qsort_r(sites, count, sizeof(*sites), by_bytes, &section);
	if (section == SECTION_LEAKED) {
		print_process(line, process);
	} else {
		text_head(line, process);
		line_style(line, STYLE_PLAIN);
		line_format(line, ": %s: ", heads[section]);
		print_bytes(line, bytes);
		line_format(line, "%s in %" PRIu64 " block%s",
			    section == SECTION_HOST ? " pinned" : "", number,
			    number == 1 ? "" : "s");
		line_end(line);
	}
	print_titles(line, "BYTES", "SHARE", "BLOCKS");
	for (size_t i = 0; i < count; i++)
		print_site(line, section, sites[i], bytes);
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

static int report_process(struct line *line, const struct snap_process *process,
			  struct blocks *blocks)
{
	const struct snap_site **sites =
		calloc(process->site_count + 1, sizeof(const struct snap_site *));

	if (!sites)
		return -ENOMEM;
	for (size_t i = 0; i < process->site_count; i++) {
		blocks->leaked += process->sites[i].leaked ? process->sites[i].left_blocks : 0;
		blocks->held += process->sites[i].held ? process->sites[i].left_blocks : 0;
	}
	report_tensors(line, process);
	for (enum section section = SECTION_LEAKED; section < SECTION_COUNT; section++)
		report_section(line, process, section, sites);
	report_objects(line, process);
	free(sites);
	return 0;
}

static void print_blocks(struct line *line, uint64_t blocks, bool more)
{
	if (blocks)
		line_format(line, " in %s%" PRIu64 " allocation%s", more ? "at least " : "", blocks,
			    blocks == 1 ? "" : "s");
}

/* Memory that was dropped from the list leaked as well. */
static void report_gone(struct line *line, const struct snap_gone *gone)
{
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
	return total->sum.unreturned || total->sum.from_attach ||
	       snapshot->unseen[UNSEEN_DRIVER].total || snapshot->unseen[UNSEEN_LATE].total ||
	       snapshot->unseen[UNSEEN_ALLOC].total || snapshot->unseen[UNSEEN_LAYER].total;
}

static const char *no_leak(const struct snapshot *snapshot, const struct leak_total *total)
{
	if (is_blind(snapshot, total))
		return "no leak that could be seen";
	if (total->sum.tensors_rising)
		return "no leak outside of tensors";
	if (total->sum.suspect || total->sum.held_unproven || total->sum.tensors_unjudged)
		return "no certain leak";
	if (total->lost)
		return "no leak that could be seen";
	return snapshot->process_count || snapshot->gone.processes ?
		       "no leak" :
		       "no leak: no CUDA call was seen";
}

/* "held 8000000 bytes (7.6M) in 3 allocations": a sentence about @bytes; nothing if there are none. */
static void print_amount(struct line *line, const char *before, uint64_t bytes, const char *after)
{
	if (!bytes)
		return;
	line_text(line, before);
	print_bytes(line, bytes);
	line_style(line, STYLE_PLAIN);
	line_text(line, after);
	line_end(line);
}

/* The same of what looks like a leak. */
static void print_alarm(struct line *line, const char *before, uint64_t bytes, const char *after)
{
	if (bytes)
		line_style(line, STYLE_LEAKED);
	print_amount(line, before, bytes, after);
}

static void print_if(struct line *line, bool is_so, const char *text)
{
	if (!is_so)
		return;
	line_text(line, text);
	line_end(line);
}

static void print_tensors(struct line *line, const struct leak_total *total)
{
	const char *noun = total->has_blocks && !total->has_tensors ? "blocks: " : "tensors: ";
	char text[NUMBER_SIZE];

	print_alarm(line, noun, total->sum.tensors_rising,
		    " rose until the end, at sites that kept growing");
	if (total->sum.tensors_ended) {
		line_format(line, "%s%s were live at the end%s", noun,
			    text_bytes((double)total->sum.tensors_ended, text),
			    total->sum.tensors_rising   ? ", those included" :
			    total->sum.tensors_unjudged ? "" :
							  ", as globals are: not a leak");
		line_end(line);
	}
	if (total->sum.tensors_unjudged) {
		line_format(
			line,
			"  of %s it cannot be told whether they rose: that takes five times --leak-age",
			text_bytes((double)total->sum.tensors_unjudged, text));
		line_end(line);
	}
	print_amount(line, noun, total->tensors_rising, " keep rising in running processes");
}

static void print_total(struct line *line, const struct snapshot *snapshot,
			const struct leak_total *total, const struct blocks *blocks)
{
	char text[UNSEEN_SIZE];

	if (total->sum.leaked) {
		line_style(line, STYLE_LEAKED);
		line_format(line, "leaked %s", is_blind(snapshot, total) ? "at least " : "");
		print_bytes(line, total->sum.leaked);
		print_blocks(line, blocks->leaked, snapshot->gone.leaked != 0);
	} else {
		line_text(line, no_leak(snapshot, total));
		line_text(line, total->sum.host_left ? " of VRAM" : "");
	}
	if (total->sum.host_left) {
		line_text(line, "; ");
		print_bytes(line, total->sum.host_left);
		line_text(line, " of pinned host memory were left");
	}
	line_end(line);
	print_amount(line, "freed too late ", total->sum.freed_late,
		     ": by static destructors, when the driver had freed it: not a leak");
	if (total->sum.held) {
		line_text(line, "held ");
		print_bytes(line, total->sum.held);
		print_blocks(line, blocks->held, snapshot->gone.held != 0);
		line_text(line, " by caching allocators, on purpose: not a leak");
		line_end(line);
	}
	print_alarm(line, "  but ", total->sum.held_rising,
		    " of it rose until the end: handles that are made and not destroyed?");
	print_tensors(line, total);
	if (total->objects_rising) {
		line_format(line,
			    "%" PRIu64 " streams, events or other objects were made and not "
			    "destroyed, at sites that kept growing",
			    total->objects_rising);
		line_end(line);
	}
	print_amount(
		line, "  but ", total->sum.held_unproven,
		" of it may be tensors: nothing shows that PyTorch's cache is on; --leak-ignore 'libc10_cuda*' takes it for held");
	print_amount(line, "suspect ", total->suspect,
		     " of running processes, at sites that keep growing");
	print_amount(
		line, "suspect ", total->sum.suspect,
		" of ended processes: leaked, unless their frees are among what was lost, or a library that is not known keeps them");
	print_if(line, total->sum.from_attach,
		 "lower bounds: a process was watched only since cutop attached");
	print_if(line, total->sum.unreturned,
		 "what programs allocated whose calls' returns were not probed is not known");
	for (int cause = 0; cause < UNSEEN_COUNT; cause++)
		print_if(line, text_unseen(snapshot, (enum unseen_cause)cause, text), text);
	print_if(line, total->sum.inexact || total->lost,
		 "inexact: not every call could be recorded");
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
		report_gone(&line, &snapshot->gone);
		print_total(&line, snapshot, &total, &blocks);
	}
	ret = sink_close(&sink);
	if (!ret)
		ret = error;
out:
	free(processes);
	return ret;
}
