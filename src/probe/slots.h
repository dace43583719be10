/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the BPF side keeps launch rows: bpf/launch_rows.bpf.h. */
#ifndef PROBE_SLOTS_H
#define PROBE_SLOTS_H

#include "probe/bpf.h"

/* Puts all slots into the queue, once, before the first probe is placed. */
void slots_hand_out(struct cutop_bpf *skeleton);

/* Sets *@row to the sum of what was counted at @home and in its slot. */
void slots_read(const struct cutop_bpf *skeleton, const struct launch_home *home,
		struct launch_row *row);

/*
 * Takes back the slot of @home, whose row ends. Nothing may count in it any more: its program has
 * ended.
 */
void slots_take_back(struct cutop_bpf *skeleton, const struct launch_home *home);

#endif
