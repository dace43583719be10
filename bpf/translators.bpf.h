/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators: programs that read the code of others and run a translation of it, as valgrind does.
 * They read a breakpoint as code, and the result ends the program with SIGTRAP. They are recognized
 * by name (src/probe/translation.c) when they start; such a process is reported when it maps a file
 * that has probes. While none runs, the cost is some comparisons of 16 bytes per exec, and reading
 * one word per mapping.
 */
#ifndef TRANSLATORS_BPF_H
#define TRANSLATORS_BPF_H

#include "files.bpf.h"
#include "state.bpf.h"

const volatile struct translator_name translator_names[TRANSLATORS_MAX];
const volatile __u32 translator_count;  /* 0: none is looked for */
const volatile bool translators_listed; /* only listed processes have breakpoints */
__u32 translators_live;                 /* in the map */
/* those that run and were not reported yet: the index of their name */
HASH_MAP(translators, __u32, __u32, 4096);

static __always_inline void translator_forget(__u32 tgid)
{
	if (*(volatile __u32 *)&translators_live && !bpf_map_delete_elem(&translators, &tgid))
		__sync_fetch_and_add(&translators_live, -1);
}

/* The process @tgid begins to run a program. */
static __always_inline void translator_look(__u32 tgid)
{
	__u64 comm[2];
	__u32 i, name;

	translator_forget(tgid);
	if (!translator_count || bpf_get_current_comm(comm, sizeof(comm)))
		return;
	for (i = 0; i < TRANSLATORS_MAX && i < translator_count; i++)
		if (translator_names[i].words[0] == comm[0] &&
		    translator_names[i].words[1] == comm[1])
			break;
	if (i >= translator_count)
		return;
	name = i;
	if (translators_listed && !bpf_map_lookup_elem(&listed, &tgid))
		return;
	if (!bpf_map_update_elem(&translators, &tgid, &name, BPF_NOEXIST))
		__sync_fetch_and_add(&translators_live, 1);
}

/* The current process maps, or touches, the file @inode. */
static __always_inline void translator_maps(struct inode *inode)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, *known, *name;
	struct rec_translator *rec;
	struct file_id id = {};

	if (!*(volatile __u32 *)&translators_live || !inode)
		return;
	name = bpf_map_lookup_elem(&translators, &tgid);
	if (!name)
		return;
	id.inode = BPF_CORE_READ(inode, i_ino);
	id.size = BPF_CORE_READ(inode, i_size);
	id.device = BPF_CORE_READ(inode, i_sb, s_dev);
	id.generation = BPF_CORE_READ(inode, i_generation);
	known = bpf_map_lookup_elem(&files, &id);
	if (!known || *known != FILE_PROBED)
		return;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	/* If the ring has no room, the next mapping of the file reports it. */
	if (!rec) {
		count_lost(LOST_RING_FULL);
		return;
	}
	header_fill(&rec->hdr, REC_TRANSLATOR, sizeof(*rec), 0, bpf_ktime_get_ns());
	rec->id = id;
	rec->name = *name;
	rec->pad = 0;
	if (bpf_map_delete_elem(&translators, &tgid)) {
		/* Another thread, or user space, has just done that. */
		bpf_ringbuf_discard(rec, 0);
		return;
	}
	__sync_fetch_and_add(&translators_live, -1);
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
}

#endif
