/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether NVIDIA's management library can be used: it is loaded as the collector does, with the
 * same rights.
 */
#include "doctor/doctor.h"

#include <string.h>

#include "collect/nvml.h"
#include "doctor/doctor_child.h"
#include "util/rights.h"
#include "util/utf8.h"

static bool nvml_ask(void *answer)
{
	struct nvml_facts *facts = answer;

	if (nvml_find(facts->path, sizeof(facts->path), &facts->why))
		facts->path[0] = 0;
	return true;
}

void doctor_nvml_ask(struct nvml_facts *facts)
{
	struct nvml_facts answer = { .path = "" };

	memset(facts, 0, sizeof(*facts));
	if (!doctor_child_ask(nvml_ask, RIGHTS_PROBE, &answer, sizeof(answer))) {
		reason_set(&facts->why, -EIO, "loading libnvidia-ml.so.1 fails or takes too long");
		return;
	}
	answer.path[sizeof(answer.path) - 1] = answer.why.text[sizeof(answer.why.text) - 1] = 0;
	utf8_clean(answer.path, facts->path, sizeof(facts->path));
	utf8_clean(answer.why.text, facts->why.text, sizeof(facts->why.text));
}
