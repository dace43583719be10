/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows that program_new() (bpf/threads.bpf.h) would make, in an order that keeps them
 * right while the process makes its first call, ends or runs another program:
 *
 * - The row in `programs` is whole before `tgids` leads to it. If a thread of the process gave it a
 *   program meanwhile, the
 *   key in `tgids` is there, and our row is deleted.
 * - BPF deletes the key in `late` before it looks into `tgids` when a process ends. If the key is
 *   there after `tgids` was
 *   written, an end that follows finds the program. If not, the process is gone: who can delete the
 *   key in `tgids`, BPF or we,
 *   ends the program.
 */
#include "probe/idle_processes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/row_cache.h"
#include "util/util.h"

/* Fills @row from /proc/PID/stat and status. Returns false if the process is gone. */
static bool row_read(uint32_t tgid, struct program_row *row)
{
	unsigned long long ticks;
	char path[64], *text, *at;
	bool known = false;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/stat", tgid);
	text = file_read(path, 4096, NULL);
	/*
	 * The name, in parentheses, may contain anything. The state follows it; starttime is the
	 * 20th word after that: proc(5).
	 */
	at = text ? strrchr(text, ')') : NULL;
	if (at &&
	    sscanf(at + 1,
		   " %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &row->parent_tgid, &ticks) == 2) {
		row->start_time = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
		known = true;
		*at = 0;
		at = strchr(text, '(');
		len = at ? strnlen(at + 1, sizeof(row->comm) - 1) : 0;
		if (at)
			memcpy(row->comm, at + 1, len);
	}
	free(text);
	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	text = known ? file_read(path, 16384, NULL) : NULL;
	at = text ? strstr(text, "\nUid:") : NULL;
	known = at && sscanf(at, "\nUid: %u", &row->uid) == 1;
	free(text);
	return known;
}

int idle_watch(struct bpf *bpf, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	int programs = bpf_map__fd(bpf->skeleton->maps.programs),
	    tgids = bpf_map__fd(bpf->skeleton->maps.tgids);
	int late = bpf_map__fd(bpf->skeleton->maps.late);
	struct program_row row = {
		.tgid = tgid,
	};
	uint32_t program, known;

	if (!bpf_map_lookup_elem(tgids, &tgid, &known))
		return 0;
	if (bpf_map_lookup_elem(late, &tgid, &row.late))
		return -ENOENT;
	if (!row_read(tgid, &row) || (uid != (uint32_t)-1 && uid != row.uid))
		return 0;
	row.first_time = clock_ns(CLOCK_MONOTONIC);
	program = __atomic_add_fetch(&bpf->skeleton->bss->last_program, 1, __ATOMIC_SEQ_CST);
	if (bpf_map_update_elem(programs, &program, &row, BPF_NOEXIST))
		return 0;
	__atomic_add_fetch(&bpf->skeleton->bss->rows_made[ROWS_PROGRAMS], 1, __ATOMIC_SEQ_CST);
	__atomic_and_fetch(&bpf->skeleton->bss->watchful[program & (WATCHFUL_COUNT - 1)],
			   ~WATCHFUL_MARKS, __ATOMIC_SEQ_CST);
	near_sync_claim(bpf->skeleton, program);
	if (bpf_map_update_elem(tgids, &tgid, &program, BPF_NOEXIST) ||
	    (bpf_map_lookup_elem(late, &tgid, &known) && !bpf_map_delete_elem(tgids, &tgid))) {
		near_sync_release(bpf->skeleton, program);
		bpf_map_delete_elem(programs, &program);
		return 0;
	}
	*process = (struct rec_process){
		.hdr = { .type = REC_PROCESS,
			 .size = sizeof(*process),
			 .program = program,
			 .time = row.first_time,
			 .tgid = tgid },
		.start_time = row.start_time,
		.parent_tgid = row.parent_tgid,
		.uid = row.uid,
	};
	memcpy(process->comm, row.comm, sizeof(process->comm));
	return 1;
}
