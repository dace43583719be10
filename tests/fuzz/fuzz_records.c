/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that somebody made up, given to a model one after the other: each begins
 * with its header, and is as long as that says, or as there are bytes. A
 * REC_MOMENT makes a snapshot.
 */
#include <string.h>

#include "fuzz.h"
#include "model/model.h"
#include "model/stream.h"

#define START 100000000000ull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_config config = { .start_mono = START, .start_real = 1700000000000000000ull, .leak_age = 1000000000 };
	struct model *model = model_new(&config);
	uint64_t now = START;
	struct rec_hdr hdr;
	size_t len;

	if (!model)
		return 0;
	for (; size >= sizeof(hdr); data += len, size -= len) {
		memcpy(&hdr, data, sizeof(hdr));
		len = hdr.size < sizeof(hdr) ? sizeof(hdr) : hdr.size;
		if (len > size)
			len = size;
		model_record(model, (const struct rec_hdr *)data, len);
		if (hdr.type != REC_MOMENT)
			continue;
		now = hdr.time > now ? hdr.time : now;
		model_focus(model, hdr.image);
		snapshot_free(model_snapshot(model, now, 3));
	}
	fuzz_show(model_snapshot(model, now + 1000000000, (unsigned int)-1));
	model_clear_exited(model);
	model_free(model);
	return 0;
}
