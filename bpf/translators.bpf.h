/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators: programs that read the code of others and run a translation of it, as valgrind does.
 * They read a breakpoint as code, and the result ends the program with SIGTRAP. They are recognized
 * by name (src/probe/translation.c); such a process is reported when it maps a file that has
 * probes. One that copies other processes, as CRIU does, maps nothing, and is reported when it
 * starts. While none runs, the cost is some comparisons of 16 bytes per exec, and reading one word
 * per mapping.
 */
#ifndef TRANSLATORS_BPF_H
#define TRANSLATORS_BPF_H

#include "files.bpf.h"
#include "state.bpf.h"

const volatile struct translator_name translator_names[TRANSLATORS_MAX];
const volatile __u32 translator_count; /* 0: none is looked for */
/* how many of these, the first ones, copy processes and are reported when they start */
const volatile __u32 copier_count;
const volatile bool translators_listed; /* only listed processes have breakpoints */
/* all are reported when they start, so that the probes are gone before they map anything */
const volatile bool translators_early;
__u32 translators_live; /* in the map */
HASH_MAP(translators, __u32, struct translator_row, 4096);

static __always_inline void translator_forget(__u32 tgid)
{
	if (*(volatile __u32 *)&translators_live && !bpf_map_delete_elem(&translators, &tgid))
		__sync_fetch_and_add(&translators_live, -1);
}

/* Returns false if there is no room in the ring. */
static __always_inline bool translator_tell(const struct file_id *id,
					    const struct translator_row *row)
{
	struct rec_translator *rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);

	if (!rec) {
		count_lost(LOST_RING_FULL);
		return false;
	}
	header_fill(&rec->hdr, REC_TRANSLATOR, sizeof(*rec), 0, bpf_ktime_get_ns());
	rec->id = *id;
	rec->since = row->since;
	rec->name = row->name;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return true;
}

/* The process @tgid begins to run a program. */
static __always_inline void translator_look(__u32 tgid)
{
	struct translator_row row = {};
	struct file_id id = {};
	__u64 comm[2];
	__u32 i;

	translator_forget(tgid);
	if (!translator_count || bpf_get_current_comm(comm, sizeof(comm)))
		return;
	for (i = 0; i < TRANSLATORS_MAX && i < translator_count; i++)
		if (translator_names[i].words[0] == comm[0] &&
		    translator_names[i].words[1] == comm[1])
			break;
	if (i >= translator_count)
		return;
	row.since = bpf_ktime_get_ns();
	row.name = i;
	if (i < copier_count) {
		translator_tell(&id, &row);
		return;
	}
	if (translators_listed && !bpf_map_lookup_elem(&listed, &tgid))
		return;
	if (!bpf_map_update_elem(&translators, &tgid, &row, BPF_NOEXIST))
		__sync_fetch_and_add(&translators_live, 1);
	if (translators_early)
		translator_tell(&id, &row);
}

/* The current process maps, or touches, the file @inode. */
static __always_inline void translator_maps(struct inode *inode)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, *known;
	struct translator_row *row;
	struct file_id id = {};
	__u64 mark;

	if (!*(volatile __u32 *)&translators_live || !inode)
		return;
	row = bpf_map_lookup_elem(&translators, &tgid);
	if (!row)
		return;
	id.inode = BPF_CORE_READ(inode, i_ino);
	id.size = BPF_CORE_READ(inode, i_size);
	id.device = BPF_CORE_READ(inode, i_sb, s_dev);
	id.generation = BPF_CORE_READ(inode, i_generation);
	known = bpf_map_lookup_elem(&files, &id);
	mark = id.inode ^ (__u64)id.generation << 32 ^ (__u64)id.device << 44;
	if (!known || *known != FILE_PROBED || row->told == mark || row->count >= TRANSLATOR_FILES)
		return;
	/* If the ring has no room, the next mapping of the file reports it. */
	if (!translator_tell(&id, row))
		return;
	row->told = mark;
	row->count++;
}

#endif
