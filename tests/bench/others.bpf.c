/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What other designs of the same idea cost: made from their descriptions, to
 * stand beside cutop in one run.
 *
 * queue  a call's arguments wait in a hash keyed by the thread; the return takes
 *        them out and pushes an event on a queue map, which user space pops once in
 *        a while. A launch is pushed at its entry.
 * ring   every call sends a record at entry and another at return, through a ring
 *        buffer of 256 KiB, with the program's name and the arguments.
 */
#include "vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define BPF_MAP_TYPE_QUEUE 22 /* linux/bpf.h */

char LICENSE[] SEC("license") = "GPL";

__u64 sent, lost; /* events that found room, and that found none */

/* ---- queue ---- */

struct queue_event {
	__u64 time;
	__u64 argument, size;
	__u32 pid;
	__s32 result;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, __u32);
	__type(value, struct queue_event);
} waiting SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 10240);
	__uint(value_size, sizeof(struct queue_event));
} queue SEC(".maps");

static __always_inline void queue_push(struct queue_event *event)
{
	__sync_fetch_and_add(bpf_map_push_elem(&queue, event, 0) ? &lost : &sent, 1);
}

SEC("uprobe")
int queue_launch(struct pt_regs *ctx)
{
	struct queue_event event = { .time = bpf_ktime_get_ns(), .argument = PT_REGS_PARM1(ctx) };

	event.pid = bpf_get_current_pid_tgid() >> 32;
	queue_push(&event);
	return 0;
}

SEC("uprobe")
int queue_enter(struct pt_regs *ctx)
{
	struct queue_event event = { .time = bpf_ktime_get_ns(),
				     .argument = PT_REGS_PARM1(ctx),
				     .size = PT_REGS_PARM2(ctx) };
	__u32 thread = bpf_get_current_pid_tgid();

	event.pid = bpf_get_current_pid_tgid() >> 32;
	bpf_map_update_elem(&waiting, &thread, &event, BPF_ANY);
	return 0;
}

SEC("uprobe")
int queue_leave(struct pt_regs *ctx)
{
	__u32 thread = bpf_get_current_pid_tgid();
	struct queue_event *found = bpf_map_lookup_elem(&waiting, &thread), event;

	if (!found)
		return 0;
	event = *found;
	event.result = PT_REGS_RC(ctx);
	queue_push(&event);
	bpf_map_delete_elem(&waiting, &thread);
	return 0;
}

/* ---- ring ---- */

struct ring_event {
	__u64 time;
	__u32 pid, tid;
	char comm[16];
	__u32 what;
	__s32 result;
	__u64 arguments[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} ring SEC(".maps");

static __always_inline struct ring_event *ring_begin(__u32 what)
{
	struct ring_event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	__sync_fetch_and_add(&sent, 1);
	event->time = bpf_ktime_get_ns();
	event->pid = bpf_get_current_pid_tgid() >> 32;
	event->tid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	event->what = what;
	event->result = 0;
	return event;
}

SEC("uprobe")
int ring_enter(struct pt_regs *ctx)
{
	struct ring_event *event = ring_begin(0);

	if (!event)
		return 0;
	event->arguments[0] = PT_REGS_PARM1(ctx);
	event->arguments[1] = PT_REGS_PARM2(ctx);
	event->arguments[2] = PT_REGS_PARM3(ctx);
	event->arguments[3] = PT_REGS_PARM4(ctx);
	bpf_ringbuf_submit(event, 0);
	return 0;
}

SEC("uprobe")
int ring_leave(struct pt_regs *ctx)
{
	struct ring_event *event = ring_begin(1);

	if (!event)
		return 0;
	event->result = PT_REGS_RC(ctx);
	__builtin_memset(event->arguments, 0, sizeof(event->arguments));
	bpf_ringbuf_submit(event, 0);
	return 0;
}
