/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each row has its reason beside it; docs/kernels.md has them for users. */
#include "probe/kernel_table.h"

#include <bpf/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum row_kind {
	ROW_FUNCTION,    /* exists, and takes these arguments or more */
	ROW_ATTACH_TYPE, /* a value of enum bpf_attach_type */
	ROW_TRACEPOINT,  /* exists, and passes these arguments */
	ROW_FIELD,       /* "struct.field" */
};

#define MENDED_MAX 4

struct kernel_row {
	size_t fact; /* a bool of struct kernel_facts: true if all its rows hold */
	enum row_kind kind;
	const char *name; /* in the kernel's types */
	unsigned int arguments;
	/* For a fault: a function that came with its mend, or the versions that have it, up to 0 */
	const char *mend;
	unsigned int mended[MENDED_MAX];
};

#define FACT(name) offsetof(struct kernel_facts, name)

static const struct kernel_row rows[] = {
	/* 5.17: programs walk lists by it; without, none of them loads. */
	{ FACT(loop), ROW_FUNCTION, "bpf_loop", 4, NULL, { 0 } },
	/* 5.17: files are identified, and callers' libraries found, by it. */
	{ FACT(loop), ROW_FUNCTION, "bpf_find_vma", 0, NULL, { 0 } },
	/* 6.2: without it programs that may sleep could not be kept from it: they are not used. */
	{ FACT(rcu_lock), ROW_FUNCTION, "bpf_rcu_read_lock", 0, NULL, { 0 } },
	/* 6.6: one link for many functions; before, one for each, which takes long to undo. */
	{ FACT(multi), ROW_ATTACH_TYPE, "BPF_TRACE_UPROBE_MULTI", 0, NULL, { 0 } },
	/* 6.12: page faults of files can be traced. */
	{ FACT(map_touch), ROW_TRACEPOINT, "btf_trace_mm_filemap_map_pages", 3, NULL, { 0 } },
	{ FACT(map_touch), ROW_TRACEPOINT, "btf_trace_mm_filemap_fault", 2, NULL, { 0 } },
	{ FACT(map_touch), ROW_FUNCTION, "bpf_rdonly_cast", 0, NULL, { 0 } },
	/* 6.13: the entry program decides whether it wants the return; bpf/session_ctx.bpf.h. */
	{ FACT(session), ROW_ATTACH_TYPE, "BPF_TRACE_UPROBE_SESSION", 0, NULL, { 0 } },
	{ FACT(session), ROW_FIELD, "task_struct.bpf_ctx", 0, NULL, { 0 } },
	{ FACT(session), ROW_FIELD, "bpf_uprobe_multi_run_ctx.session_ctx", 0, NULL, { 0 } },
	{ FACT(session), ROW_FIELD, "bpf_uprobe_multi_run_ctx.uprobe", 0, NULL, { 0 } },
	{ FACT(session), ROW_FIELD, "bpf_session_run_ctx.is_return", 0, NULL, { 0 } },
	{ FACT(session), ROW_FIELD, "bpf_uprobe.cookie", 0, NULL, { 0 } },
	/*
	 * 6.11 on x86-64: the trampoline of a return probe makes a system call, which a seccomp
	 * filter does not know: it kills the program. Filters let it pass from 6.14 on. The mend
	 * changes no function that the types have, so only the version tells of it.
	 */
	{ FACT(filtered_die),
	  ROW_FUNCTION,
	  "__x64_sys_uretprobe",
	  0,
	  NULL,
	  { KERNEL_AT(6, 12, 14), KERNEL_AT(6, 13, 3), KERNEL_AT(6, 14, 0) } },
	/*
	 * 6.6 on x86-64: programs may have a shadow stack, which is not told that a return probe
	 * changes where a function returns to: the processor ends the program. From 6.11 on it is.
	 */
	{ FACT(shadowed_die),
	  ROW_FUNCTION,
	  "shstk_alloc_thread_stack",
	  0,
	  "shstk_update_last_frame",
	  { 0 } },
};

/*
 * What needs no row: from 6.13 on, programs on x86-64 may have a stack per processor, which a
 * program of ours never has (bpf/cutop.bpf.c). Which instructions are emulated under a probe is
 * tried (probe/formtest.h), since every distribution may have more.
 */

static bool enum_has(const struct btf *btf, const char *enum_name, const char *name)
{
	int id = btf__find_by_name_kind(btf, enum_name, BTF_KIND_ENUM);
	const struct btf_type *type;
	const struct btf_enum *values;
	__u32 i, count;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	values = btf_enum(type);
	count = (__u32)btf_vlen(type); /* an unsigned number only from libbpf 1.8 on */
	for (i = 0; i < count; i++) {
		const char *value = btf__name_by_offset(btf, values[i].name_off);

		if (value && !strcmp(value, name))
			return true;
	}
	return false;
}

bool btf_has_function(const struct btf *btf, const char *name, unsigned int arguments)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	return id > 0 &&
	       btf_vlen(btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type)) >= arguments;
}

static bool tracepoint_has(const struct btf *btf, const char *name, unsigned int arguments)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	/* The first argument is the tracepoint's own context. */
	return type && btf_is_func_proto(type) && btf_vlen(type) == arguments + 1;
}

static bool field_exists(const struct btf *btf, const char *name)
{
	const char *dot = strchr(name, '.');
	char type_name[64];
	const struct btf_type *type;
	const struct btf_member *members;
	__u32 i, count;
	int id;

	snprintf(type_name, sizeof(type_name), "%.*s", (int)(dot - name), name);
	id = btf__find_by_name_kind(btf, type_name, BTF_KIND_STRUCT);
	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	members = btf_members(type);
	count = (__u32)btf_vlen(type);
	for (i = 0; i < count; i++) {
		const char *member = btf__name_by_offset(btf, members[i].name_off);

		if (member && !strcmp(member, dot + 1))
			return true;
	}
	return false;
}

/* True if @version is one of @mended, a later one of the same series, or newer than all. */
static bool is_mended(unsigned int version, const unsigned int mended[MENDED_MAX])
{
	int i;

	for (i = 0; i < MENDED_MAX && mended[i]; i++) {
		bool is_last = i + 1 == MENDED_MAX || !mended[i + 1];

		if (version >= mended[i] && (is_last || version >> 8 == mended[i] >> 8))
			return true;
	}
	return false;
}

static bool row_holds(const struct kernel_row *row, const struct btf *btf, unsigned int version)
{
	switch (row->kind) {
	case ROW_ATTACH_TYPE: return enum_has(btf, "bpf_attach_type", row->name);
	case ROW_FIELD: return field_exists(btf, row->name);
	case ROW_TRACEPOINT: return tracepoint_has(btf, row->name, row->arguments);
	default:
		return btf_has_function(btf, row->name, row->arguments) &&
		       !(row->mend && btf_has_function(btf, row->mend, 0)) &&
		       !is_mended(version, row->mended);
	}
}

void kernel_table_read(struct kernel_facts *facts, const struct btf *btf)
{
	unsigned int version = kernel_version(facts->release);
	const struct kernel_row *row, *end = rows + ARRAY_LEN(rows);

	for (row = rows; row < end; row++)
		*(bool *)((char *)facts + row->fact) = true;
	for (row = rows; row < end; row++)
		if (!row_holds(row, btf, version))
			*(bool *)((char *)facts + row->fact) = false;
}
