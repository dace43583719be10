/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as folded stacks: a line per stack, its frames from the outermost to the innermost
 * separated by semicolons, a blank, and a whole number, the stack's weight. flamegraph.pl, inferno
 * and speedscope read this.
 *
 *     python (4242);main (train);grow at pool.cc:118 (libpool.so) 1048576
 *
 * The first frame is the process. Frames of the code are `function (file)` without the offset, so
 * that calls from all over a function are drawn as one; the innermost one is the call site and
 * keeps its source line. Of a Python program, and of a tensor, the call site is a frame farther
 * out, which keeps its line, too. Bytes are weighed by call site, those of tensors by call site and
 * device, launches by kernel, with --launch-sites by call site and kernel. What graphs launched
 * stands below a frame of its own. Waits are weighed by call site and function, in microseconds.
 *
 * Names are hostile. A semicolon would add a frame, a line break a line; a number that ends the
 * last frame would be taken for the weight of a second profile (flamegraph.pl, inferno:
 * differential flame graphs), and a line that begins with # for a comment.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "print/fields.h"
#include "print/print.h"
#include "util/saturated.h"
#include "util/sink.h"
#include "util/utf8.h"

/* Bytes of a frame; more is cut: a kernel's name can be kilobytes */
#define FRAME_MAX 1024

const char *const folded_weight_names[FOLDED_WEIGHT_COUNT] = {
	[FOLDED_LIVE] = "live",           [FOLDED_LEAKED] = "leaked",
	[FOLDED_SUSPECT] = "suspect",     [FOLDED_HELD] = "held",
	[FOLDED_ALLOCATED] = "allocated", [FOLDED_LAUNCHES] = "launches",
	[FOLDED_TENSORS] = "tensors",     [FOLDED_RISING] = "rising",
	[FOLDED_WAIT] = "wait",
};

struct folded {
	struct sink *sink;
	enum folded_weight weight;
	uint64_t total;
};

/* ---- frames ---- */

/* True if @text, of @len bytes, ends in a blank and a number. Stores where that blank stands. */
static bool ends_in_number(const char *text, size_t len, size_t *blank)
{
	size_t at = len;

	while (at && (isdigit((unsigned char)text[at - 1]) || text[at - 1] == '.'))
		at--;
	if (at == len || !at || text[at - 1] != ' ')
		return false;
	*blank = at - 1;
	return true;
}

/* Writes one frame. The first begins the line, the last stands before the weight. */
static void write_frame(struct sink *sink, const char *text, bool is_first, bool is_last)
{
	char frame[FRAME_MAX];
	size_t len, blank;

	utf8_clean(text, frame, sizeof(frame));
	for (char *c = frame; (c = strchr(c, ';')) != NULL;)
		*c = ':';
	len = strlen(frame);
	while (len && frame[len - 1] == ' ')
		len--;
	if (!len)
		frame[len++] = '?';
	if (is_first && frame[0] == '#')
		frame[0] = '_';
	if (is_last && ends_in_number(frame, len, &blank))
		frame[blank] = '_';
	if (!is_first)
		sink_write(sink, ";", 1);
	sink_write(sink, frame, len);
}

/* A frame in Python: "make_buffer (train.py)", and where it is the call site, its line, too. */
static void write_python(struct sink *sink, const struct snap_frame *place, const char *text,
			 bool is_site, bool is_last)
{
	const char *file = place->file ? place->file : "?", *slash = strrchr(file, '/');
	char frame[FRAME_MAX];

	snprintf(frame, sizeof(frame), "%s (%s)", place->function ? place->function : "?",
		 slash && slash[1] ? slash + 1 : file);
	write_frame(sink, is_site ? text : frame, false, is_last);
}

/*
 * Writes what @place is called, for an outer frame without the offset and the line:
 * "make_buffer+0x13 at leak.cu:21 (leak)". A place without a symbol, "leak+0x13", has nothing but
 * its offset to be told by. @is_site: it is no outer frame; @is_last: nor does another follow.
 */
static void write_place(struct sink *sink, const char *place, bool is_site, bool is_last)
{
	const char *plus = strstr(place, "+0x"), *file, *end;
	char frame[FRAME_MAX];

	if (!plus)
		goto whole;
	end = plus + 3 + strspn(plus + 3, "0123456789abcdef");
	file = strstr(end, " (");
	if (!file || (*end && *end != ' '))
		goto whole;
	snprintf(frame, sizeof(frame), "%.*s%s", (int)(plus - place), place, is_site ? end : file);
	write_frame(sink, frame, false, is_last);
	return;
whole:
	write_frame(sink, place, false, is_last);
}

/* One that was inlined: "grow at pool.h:9 (pool, inlined)", for an outer frame without the line. */
static void write_inlined(struct sink *sink, const char *place, bool is_site, bool is_last)
{
	const char *file = strrchr(place, '('), *at = strstr(place, " at ");
	char frame[FRAME_MAX];

	if (is_site || !file || !at || file < at) {
		write_frame(sink, place, false, is_last);
		return;
	}
	snprintf(frame, sizeof(frame), "%.*s %s", (int)(at - place), place, file);
	write_frame(sink, frame, false, is_last);
}

static void write_process(struct sink *sink, const struct snap_process *process)
{
	const char *slash = strrchr(process->command, '/');
	char name[256], frame[FRAME_MAX];

	/* Cut at a character */
	utf8_clean(slash && slash[1] ? slash + 1 : process->command, name, sizeof(name));
	snprintf(frame, sizeof(frame), "%s (%" PRIu32 ")", name, process->pid);
	write_frame(sink, frame, true, false);
}

static void write_weight(struct folded *folded, uint64_t weight)
{
	char number[32];

	snprintf(number, sizeof(number), " %" PRIu64 "\n", weight);
	sink_puts(folded->sink, number);
	folded->total += weight;
}

/* ---- what is weighed ---- */

static uint64_t site_weight(const struct snap_site *site, enum folded_weight weight)
{
	switch (weight) {
	case FOLDED_LIVE: return site->live;
	case FOLDED_LEAKED: return site->leaked;
	case FOLDED_SUSPECT: return site->suspect;
	case FOLDED_HELD: return site->held;
	case FOLDED_ALLOCATED: return site->allocated;
	/* Of a process that has ended: what was live then. */
	case FOLDED_TENSORS: return add_saturated(site->live, site->held);
	case FOLDED_RISING: return site->suspect;
	default: return 0;
	}
}

/* The way to @site; @is_last: it ends the line, else the kernel does that was launched there. */
static void write_where(struct sink *sink, const struct snap_place *site, bool is_last)
{
	for (size_t j = site->stack_count; j-- > 0;) {
		const struct snap_frame *frame = j < site->frame_count ? site->frames[j] : NULL;

		if (frame && frame->language == FRAME_PYTHON)
			write_python(sink, frame, site->stack[j], j == site->shown, !j && is_last);
		else if (frame && frame->is_inlined)
			write_inlined(sink, site->stack[j], !j || j == site->shown, !j && is_last);
		else
			write_place(sink, site->stack[j], !j || j == site->shown, !j && is_last);
	}
	if (!site->stack_count)
		write_place(sink, site->site, true, is_last);
}

static void fold_sites(struct folded *folded, const struct snap_process *process,
		       const struct snap_site *sites, size_t count)
{
	struct sink *sink = folded->sink;

	for (size_t i = 0; i < count && !sink->error; i++) {
		const struct snap_site *site = &sites[i];
		const struct snap_place where = site_place(site);
		uint64_t weight = site_weight(site, folded->weight);

		if (!weight)
			continue;
		write_process(sink, process);
		write_where(sink, &where, true);
		write_weight(folded, weight);
	}
}

/* Blocks of frameworks' allocators by where they were handed out. */
static void fold_tensors(struct folded *folded, const struct snap_process *process)
{
	for (size_t i = 0; i < process->allocator_count; i++)
		fold_sites(folded, process, process->allocators[i].sites,
			   process->allocators[i].site_count);
}

/* Launches by where they come from, and below that by kernel. */
static void fold_launch_sites(struct folded *folded, const struct snap_process *process)
{
	struct sink *sink = folded->sink;

	for (size_t i = 0; i < process->launch_site_count && !sink->error; i++) {
		const struct snap_launch_site *site = &process->launch_sites[i];

		if (!site->launches)
			continue;
		write_process(sink, process);
		write_where(sink, &site->at, !site->kernel);
		if (site->kernel)
			write_frame(sink, site->kernel->shown, false, true);
		write_weight(folded, site->launches);
	}
}

/* Time that threads waited, in microseconds. */
static void fold_waits(struct folded *folded, const struct snap_process *process)
{
	struct sink *sink = folded->sink;

	for (size_t i = 0; i < process->wait_site_count && !sink->error; i++) {
		const struct snap_wait_site *site = &process->wait_sites[i];
		uint64_t weight = (uint64_t)(site->seconds * 1e6);

		if (!weight)
			continue;
		write_process(sink, process);
		write_where(sink, &site->at, false);
		write_frame(sink, call_name(site->call), false, true);
		write_weight(folded, weight);
	}
}

static void fold_kernels(struct folded *folded, const struct snap_process *process)
{
	struct sink *sink = folded->sink;

	for (size_t i = 0; i < process->kernel_count && !sink->error; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];

		if (kernel->launches && !kernel->has_sites) {
			write_process(sink, process);
			write_frame(sink, kernel->shown, false, true);
			write_weight(folded, kernel->launches);
		}
		if (kernel->graph_launches) {
			write_process(sink, process);
			write_frame(sink, "[graphs]", false, false);
			write_frame(sink, kernel->shown, false, true);
			write_weight(folded, kernel->graph_launches);
		}
	}
}

static const char *const nothing[FOLDED_WEIGHT_COUNT] = {
	[FOLDED_LIVE] = "nothing is live now; --folded-by leaked or allocated weighs what was",
	[FOLDED_LEAKED] = "nothing leaked",
	[FOLDED_SUSPECT] = "nothing is suspect",
	[FOLDED_HELD] = "nothing is held",
	[FOLDED_ALLOCATED] = "nothing was allocated",
	[FOLDED_TENSORS] = "no tensors are live, or no allocator that cutop knows was seen",
	[FOLDED_RISING] =
		"no tensors are known to keep rising; --leak-age says how long that takes",
	[FOLDED_LAUNCHES] = "no kernel was launched",
	[FOLDED_WAIT] =
		"no call that waits was seen to return; where they are made is seen with --launch-sites",
};

int out_folded(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	struct folded folded = { .weight = options->weight };
	struct sink sink;
	int ret;

	ret = sink_open(&sink, stream);
	if (ret)
		return ret;
	folded.sink = &sink;
	for (size_t i = 0; i < snapshot->process_count && !sink.error; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		if (folded.weight == FOLDED_WAIT) {
			fold_waits(&folded, process);
		} else if (folded.weight == FOLDED_LAUNCHES) {
			fold_launch_sites(&folded, process);
			fold_kernels(&folded, process);
		} else if (folded.weight == FOLDED_TENSORS || folded.weight == FOLDED_RISING) {
			fold_tensors(&folded, process);
		} else {
			fold_sites(&folded, process, process->sites, process->site_count);
		}
	}
	options->folded_total = folded.total;
	/* An empty flame graph does not say why it is empty. */
	options->remark = folded.total ? NULL : nothing[folded.weight];
	return sink_close(&sink);
}

static int folded_open(struct out_options *options)
{
	if (options->weight != FOLDED_LAUNCHES && !options->stacks)
		options->advice = "call sites have one frame; --stacks takes whole stacks";
	return 0;
}

/* A reader of folded stacks adds up what it reads. */
const struct print_format print_format_folded = {
	.format = FORMAT_FOLDED, .is_final = true, .open = folded_open, .print = out_folded
};
