/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of frameworks' allocators, by device, and of the call sites of their blocks. */
#include <math.h>

#include "metrics/openmetrics_parts.h"

/* ---- figures of an allocator ---- */

enum allocator_figure {
	ALLOCATED,
	RESERVED,
	FREE_IN_SEGMENTS,
	LARGEST_GAP,
	FRAGMENTATION,
	BLOCKS,
	RISING,
	OUT_OF_MEMORY,
	HANDED_OUT,
	ALLOCATOR_FIGURES
};

#define ALLOCATOR_FIGURE(name, type, unit, help) \
	{ \
		"cutop_process_allocator_" name, type, unit, help \
	}

static const struct family figures[ALLOCATOR_FIGURES] = {
	[ALLOCATED] = ALLOCATOR_FIGURE("allocated_bytes", FAMILY_GAUGE, "bytes",
				       "What it has handed out, as it says itself."),
	[RESERVED] = ALLOCATOR_FIGURE("reserved_bytes", FAMILY_GAUGE, "bytes",
				      "What it took from the driver, as it says itself."),
	[FREE_IN_SEGMENTS] = ALLOCATOR_FIGURE("free_in_segments_bytes", FAMILY_GAUGE, "bytes",
					      "What of its segments is in no block."),
	[LARGEST_GAP] = ALLOCATOR_FIGURE("largest_gap_bytes", FAMILY_GAUGE, "bytes",
					 "The longest stretch of a segment that is in no block."),
	[FRAGMENTATION] = ALLOCATOR_FIGURE(
		"fragmentation_ratio", FAMILY_GAUGE, "ratio",
		"Share of what it took from the driver, from 0 to 1, in gaps smaller than the largest request of the last minute."),
	[BLOCKS] = ALLOCATOR_FIGURE("blocks", FAMILY_GAUGE, NULL,
				    "Blocks handed out and not taken back."),
	[RISING] = ALLOCATOR_FIGURE("rising_bytes", FAMILY_GAUGE, "bytes",
				    "Bytes of blocks at call sites whose floor keeps rising."),
	[OUT_OF_MEMORY] = ALLOCATOR_FIGURE("out_of_memory", FAMILY_COUNTER, NULL,
					   "Requests that found no memory."),
	[HANDED_OUT] = ALLOCATOR_FIGURE("handed_out", FAMILY_COUNTER, NULL, "Blocks handed out."),
};

static bool is_rising_known(const struct snap_process *process, bool is_judged)
{
	return process->has_suspect && is_judged;
}

/* Nothing if the figure is not known. */
static void write_figure(struct exposition *out, const struct snap_process *process,
			 const struct snap_allocator *allocator, enum allocator_figure figure)
{
	const bool known[ALLOCATOR_FIGURES] = {
		[ALLOCATED] = true,
		[RESERVED] = allocator->has_totals,
		[FREE_IN_SEGMENTS] = allocator->has_gaps,
		[LARGEST_GAP] = allocator->has_gaps,
		[FRAGMENTATION] = allocator->has_gaps && !isnan(allocator->fragmentation),
		[BLOCKS] = true,
		[RISING] = is_rising_known(process, allocator->is_judged),
		[OUT_OF_MEMORY] = true,
		[HANDED_OUT] = true,
	};
	const uint64_t counts[ALLOCATOR_FIGURES] = {
		[ALLOCATED] = allocator->allocated,
		[RESERVED] = allocator->reserved,
		[FREE_IN_SEGMENTS] = allocator->free_in_segments,
		[LARGEST_GAP] = allocator->largest_gap,
		[BLOCKS] = allocator->blocks,
		[RISING] = allocator->rising,
		[OUT_OF_MEMORY] = allocator->shortages,
		[HANDED_OUT] = allocator->handed_out,
	};

	if (!known[figure])
		return;
	process_begin(out, process);
	sample_label(out, "allocator", allocator->name);
	sample_label_device(out, "device", allocator->device);
	if (figure == FRAGMENTATION)
		sample_number(out, allocator->fragmentation);
	else
		sample_count(out, counts[figure]);
}

static void write_figures(struct exposition *out, const struct choice *choice)
{
	for (unsigned int figure = 0; figure < ALLOCATOR_FIGURES; figure++) {
		exposition_family(out, &figures[figure]);
		for (size_t i = 0; i < choice->count; i++) {
			const struct snap_process *process = choice->list[i].process;

			for (size_t j = 0; j < process->allocator_count; j++)
				write_figure(out, process, &process->allocators[j],
					     (enum allocator_figure)figure);
		}
	}
}

/* ---- call sites ---- */

static void write_sites(struct exposition *out, const struct choice *choice)
{
	static const struct family families[] = {
		[TENSOR_RISING] = { "cutop_process_site_tensors_rising_bytes", FAMILY_GAUGE,
				    "bytes",
				    "Bytes of tensors at call sites whose floor keeps rising, by the worst of them." },
		[TENSOR_LIVE] = { "cutop_process_site_tensors_bytes", FAMILY_GAUGE, "bytes",
				  "Bytes of live tensors by call site, of those that rise and of those that hold most." },
	};

	for (unsigned int which = 0; which < 2; which++) {
		exposition_family(out, &families[which]);
		for (size_t i = 0; i < choice->count; i++) {
			const struct shown *shown = &choice->list[i];

			if (which == TENSOR_RISING &&
			    !is_rising_known(shown->process, shown->process->tensors_judged))
				continue;
			for (size_t j = 0; j < shown->site_count; j++) {
				process_begin(out, shown->process);
				sample_label(out, "site", shown->sites[j].name);
				sample_count(out, shown->sites[j].values[which]);
			}
		}
	}
}

void allocators_write(struct exposition *out, const struct choice *choice)
{
	write_figures(out, choice);
	write_sites(out, choice);
}
