/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of each line of the table in one file. Pure. */
#include "doctor/doctor.h"

#include <string.h>

#include "cuda/calls.h"

const char *const function_state_names[FUNCTION_STATE_COUNT] = {
	[FUNCTION_ABSENT] = "absent",     [FUNCTION_OFF] = "off",
	[FUNCTION_UNTRIED] = "untried",   [FUNCTION_REFUSED] = "refused",
	[FUNCTION_ATTACHED] = "attached",
};

/* Internal to Linux, and unknown to strerror(3): include/linux/errno.h */
#define KERNEL_ENOTSUPP 524

const char *refusal_text(int error)
{
	if (error == -KERNEL_ENOTSUPP)
		return "its first instruction cannot be probed";
	return strerror(-error);
}

bool layer_is_known(enum call_layer layer)
{
	unsigned int i;

	for (i = 0; i < CALL_COUNT; i++)
		if (call_descs[i].layer == layer)
			return true;
	return false;
}

static enum function_state tried_state(const struct elf_function *function,
				       const struct dry_run_attached *attached,
				       const struct attach_choice *choice)
{
	if (!choice_wants(choice, &call_descs[function->call]) || function->point == POINT_NONE)
		return FUNCTION_OFF;
	if (!attached || !attached->tried || attached->first_only)
		return FUNCTION_UNTRIED;
	return attached->attached || attached->refused ? FUNCTION_ATTACHED : FUNCTION_REFUSED;
}

static void found_judge(struct doctor_functions *functions, const struct elf_functions *found,
			const struct dry_run_attached *attached, const struct attach_choice *choice)
{
	size_t i, j;

	for (i = 0; i < found->count; i++) {
		const struct elf_function *place = &found->list[i];
		struct doctor_function *function = &functions->list[place->call];
		bool is_first = function->state == FUNCTION_ABSENT;

		function->state = tried_state(place, attached, choice);
		/* A name with several places is as slow as the slowest of them. */
		if (is_first || place->point == POINT_STEPPED) {
			function->point = (enum point)place->point;
			function->past = place->past;
		}
		if (function->state != FUNCTION_OFF)
			functions->points[place->point]++;
	}
	for (i = 0; attached && i < attached->refused; i++) {
		functions->list[attached->refusals[i].call].state = FUNCTION_REFUSED;
		functions->list[attached->refusals[i].call].error = attached->refusals[i].error;
	}
	/* Further names of the same addresses */
	for (i = found->count; i < found->count + found->aliases; i++) {
		struct doctor_function *function = &functions->list[found->list[i].call];

		for (j = 0; j < found->count && function->state == FUNCTION_ABSENT; j++) {
			if (found->list[j].offset != found->list[i].offset)
				continue;
			function->state = functions->list[found->list[j].call].state;
			function->point = POINT_NONE; /* that name's probe serves it */
		}
	}
}

void functions_judge(struct doctor_functions *functions, const struct elf_functions *found,
		     const struct dry_run_attached *attached, const struct attach_choice *choice)
{
	unsigned int call;
	size_t i;

	memset(functions, 0, sizeof(*functions));
	for (i = 0; i < found->count; i++)
		functions->layers |= 1u << call_descs[found->list[i].call].layer;
	found_judge(functions, found, attached, choice);
	for (call = 0; call < CALL_COUNT; call++) {
		if (!(functions->layers & 1u << call_descs[call].layer))
			continue;
		functions->table++;
		functions->counts[functions->list[call].state]++;
	}
}

bool function_is_held_to(const struct doctor_file *file, unsigned int call)
{
	return file->functions.layers & 1u << call_descs[call].layer;
}

bool file_is_shown(const struct doctor_file *file)
{
	const char *name = strrchr(file->path, '/');

	if (file->wanted)
		return true;
	/* Processes may map broken files of any kind; only CUDA's own are of interest. */
	if (file->kind == FILE_UNREADABLE)
		return name && !strncmp(name, "/libcuda", 8);
	return !file->same && file->kind != FILE_NOTHING;
}

enum doctor_state file_state(const struct doctor_file *file)
{
	const unsigned int *counts = file->functions.counts;

	if (file->kind == FILE_UNREADABLE || file->kind == FILE_NOTHING ||
	    (file->why.text[0] && file->found.count))
		return DOCTOR_PROBLEM;
	if (counts[FUNCTION_REFUSED])
		return DOCTOR_WARNING;
	if (file->kind == FILE_STRIPPED)
		return DOCTOR_NOTE;
	return file->tried ? DOCTOR_OK : DOCTOR_UNKNOWN;
}
