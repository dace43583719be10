/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of launch rows: an array in which BPF programs count and which is mapped here. A free
 * slot is empty. BPF programs on several processors take slots from the head of the queue; only
 * this thread puts them back at its tail.
 */
#include "probe/slots.h"

#include <string.h>

static void put(struct cutop_bpf *skeleton, uint32_t slot)
{
	uint32_t given = skeleton->bss->slots_given;

	skeleton->bss->slots_free[given % LAUNCH_SLOTS] = slot;
	__atomic_store_n(&skeleton->bss->slots_given, given + 1, __ATOMIC_RELEASE);
}

void slots_hand_out(struct cutop_bpf *skeleton)
{
	uint32_t slot;

	for (slot = 1; slot < LAUNCH_SLOTS; slot++)
		put(skeleton, slot);
}

void slots_read(const struct cutop_bpf *skeleton, const struct launch_home *home,
		struct launch_row *row)
{
	const struct launch_row *early = &home->row;
	int i;

	if (!home->slot || home->slot >= LAUNCH_SLOTS) {
		*row = home->row;
		return;
	}
	*row = skeleton->bss->slots[home->slot].row;
	if (!early->launches && !early->captured)
		return;
	row->launches += early->launches;
	row->captured += early->captured;
	row->failures += early->failures;
	row->ns += early->ns;
	if (row->max_ns < early->max_ns)
		row->max_ns = early->max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		row->hist[i] += early->hist[i];
}

void slots_take_back(struct cutop_bpf *skeleton, const struct launch_home *home)
{
	if (!home->slot || home->slot >= LAUNCH_SLOTS)
		return;
	memset(&skeleton->bss->slots[home->slot], 0, sizeof(skeleton->bss->slots[0]));
	put(skeleton, home->slot);
}
