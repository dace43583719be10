/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening: what this kernel can do, and what probes do to programs here, decides which layers,
 * returns and instructions are probed.
 */
#include "probe/probe_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/formtest.h"

/*
 * If each function takes a link of its own, which is slow to undo, the driver's calls are probed
 * only for users who ask for them alone: the runtime makes most of them, and its calls are seen.
 */
static void layers_choose(struct probe *probe, const struct kernel_features *features)
{
	unsigned int *layers = &probe->settings.bpf.layers;

	if (features->method != ATTACH_PERF || *layers != (1u << LAYER_COUNT) - 1)
		return;
	*layers = 1u << LAYER_RUNTIME;
	note(probe->settings.notes,
	     "this kernel takes long to undo probes: the driver's calls are not watched; "
	     "--layer driver asks for them alone");
}

/*
 * If return probes would kill programs, none are placed: they affect all processes that map a file.
 */
static void returns_choose(struct probe *probe, const struct kernel_features *features)
{
	struct bpf_settings *settings = &probe->settings.bpf;
	const struct notes *notes = probe->settings.notes;

	if (probe->settings.returns == RETURNS_NEVER)
		settings->blind = UNRETURNED_ASKED;
	if (probe->settings.returns != RETURNS_AUTO)
		return;
	if (features->filtered_die) {
		settings->blind = UNRETURNED_SECCOMP;
		warn_user(
			notes,
			"on this kernel (%s) return probes kill programs under a seccomp filter: none are placed, and "
			"allocations, failures and times are not known; update the kernel, or, where no program that uses CUDA "
			"is filtered, give --returns=always",
			features->release);
	} else if (features->shadowed_die && shadow_stacks_used()) {
		settings->blind = UNRETURNED_SHADOW_STACK;
		warn_user(
			notes,
			"on this kernel (%s) return probes kill programs that have a shadow stack, and some have one: none "
			"are placed, and allocations, failures and times are not known; update the kernel to 6.11 or newer, or, "
			"where none of them uses CUDA, give --returns=always",
			features->release);
	}
}

static void forms_note(const struct notes *notes, const struct forms *forms)
{
	char list[512] = "";
	int form;

	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++)
		if (forms->verdicts[form] == FORM_EMULATED)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s",
				 form_names[form]);
	note(notes, "instructions that the kernel emulates under a probe (%s):%s",
	     forms->tried ? "tried" : "not tried: taken for granted", list);
}

int probe_open(struct probe **result, const struct probe_settings *settings, struct reason *why)
{
	struct kernel_features features;
	struct forms forms;
	struct probe *probe;
	size_t i;
	int err;

	*result = NULL;
	if (!kernel_rights(why))
		return -EPERM;
	if (!kernel_pids(why))
		return -ENOTSUP;
	err = kernel_features_read(&features, settings->method, why);
	if (!err)
		err = kernel_rights_for(features.method, why);
	if (err)
		return err;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return reason_set(why, -ENOMEM, "no memory");
	probe->settings = *settings;
	probe->outside = (struct outside){ .errands = settings->errands, .identifier = -1 };
	probe->later_end = &probe->later;
	forms_try(&forms, features.method);
	/* Start it before anything is open that it would inherit. */
	err = guard_start(&probe->guard, why);
	if (err) {
		free(probe);
		return err;
	}
	layers_choose(probe, &features);
	returns_choose(probe, &features);
	probe->bpf.features = features;
	err = bpf_open(&probe->bpf, &features, &probe->settings.bpf, why);
	if (err) {
		guard_end(probe->guard);
		free(probe);
		return err;
	}
	probe->bpf.forms = forms;
	probe->outside.identifier = bpf_identifier(&probe->bpf);
	for (i = 0; i < settings->pid_count; i++)
		probe_list_process(probe, settings->pids[i], true);
	note(settings->notes, "Linux %s, probes by %s links", features.release,
	     attach_method_names[features.method]);
	forms_note(settings->notes, &forms);
	*result = probe;
	return 0;
}
