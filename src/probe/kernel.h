/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel can do, and what this process may do. */
#ifndef PROBE_KERNEL_H
#define PROBE_KERNEL_H

#include <stdbool.h>

#include "probe/forms.h"
#include "util/util.h"

struct btf;

/* enum bpf_attach_type of linux/bpf.h, newer than the headers we may be built with */
#define ATTACH_TYPE_UPROBE_MULTI 48 /* Linux 6.6 */

#define ATTACH_TYPE_UPROBE_SESSION 57 /* Linux 6.13 */

enum attach_method {
	ATTACH_SESSION, /* uprobe_multi session links, Linux 6.13 */
	ATTACH_MULTI,   /* uprobe_multi links, Linux 6.6 */
	ATTACH_PERF,    /* a perf link per function, Linux 5.15; see KERNEL_LEAST */
	ATTACH_METHOD_COUNT,
};

extern const char *const attach_method_names[ATTACH_METHOD_COUNT];

struct kernel_features {
	enum attach_method method;
	bool rcu_lock; /* programs may take RCU's lock, Linux 6.2 */
	/*
	 * ksys_mmap_pgoff() can be traced: BPF trampolines, Linux 5.5, on arm64 6.0; some kernels
	 * forbid it
	 */
	bool map_function;
	/*
	 * otherwise page faults of files can, by mm_filemap_map_pages and mm_filemap_fault: Linux
	 * 6.12
	 */
	bool map_touch;
	/* What a return probe kills: programs under a seccomp filter, or with a shadow stack */
	bool filtered_die, shadowed_die;
	char release[65];
};

/* What the kernel says of itself. */
struct kernel_facts {
	char release[65];
	/* /sys/kernel/btf/vmlinux can be read; the following fields come from it and the table */
	bool btf;
	bool loop, multi, session, rcu_lock, map_touch;
	bool map_function; /* tried */
	bool filtered_die, shadowed_die;
};

/*
 * Reads them, by probe/kernel.h. For tests: CUTOP_TEST_KILLS (seccomp, shadow_stack) in the
 * environment says that these programs die.
 */
void kernel_facts_read(struct kernel_facts *facts);

/* What these facts allow. Pure. Returns as kernel_features_read() does. */
int kernel_features_decide(struct kernel_features *features, const struct kernel_facts *facts,
			   const char *force, struct reason *why);

/* The version in @release ("6.18.44-x"), as KERNEL_VERSION(6, 18, 44) would have it. */
#define KERNEL_AT(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

unsigned int kernel_version(const char *release);

/*
 * BPF programs call bpf_loop() and bpf_find_vma(), Linux 5.17. Some distributions have BPF of
 * much later versions in an older kernel, so BTF decides, and the version only where there is none.
 */
bool kernel_is_too_old(const struct kernel_facts *facts);

/*
 * Looks at the kernel's BTF and version. @force, if not NULL, names the attach
 * method to use where the kernel has it ("session", "multi", "perf"). Returns 0, or
 * -ENOTSUP or -EPERM with @why saying in a line what is missing and what to do.
 */
int kernel_features_read(struct kernel_features *features, const char *force, struct reason *why);

/* The capabilities that cutop uses. */
enum kernel_right {
	RIGHT_BPF,
	RIGHT_PERFMON,
	RIGHT_PTRACE,
	RIGHT_READ_SEARCH,
	RIGHT_ADMIN,
	RIGHT_COUNT,
};

extern const char *const kernel_right_names[RIGHT_COUNT]; /* "CAP_BPF", ... */

/*
 * The rights this process has, as bits of enum kernel_right: those in force, and those it could
 * have.
 */
struct kernel_rights_held {
	unsigned int effective, bounding;
};

struct kernel_rights_held kernel_rights_read(void);

/* True if a process with the rights @effective may load and attach BPF programs. */
bool kernel_rights_suffice(unsigned int effective);

/* True if this process may load and attach BPF programs; else @why says what is missing. */
bool kernel_rights(struct reason *why);

/*
 * True if pids here are the ones that probes report: we are in the machine's own pid namespace. In
 * another, cutop would find no process, or a wrong one; @why (may be NULL) then says what to do.
 */
bool kernel_pids(struct reason *why);

/* 0, or -EPERM with @why set if it may not place probes by @method. */
int kernel_rights_for(enum attach_method method, struct reason *why);

/*
 * True if a process runs with a shadow stack, or would: GLIBC_TUNABLES in our environment, which
 * COMMAND inherits, asks for one.
 */
bool shadow_stacks_used(void);

/* Fills in what the table says of the kernel with the types @btf and facts->release. Pure. */
void kernel_table_read(struct kernel_facts *facts, const struct btf *btf);

/*
 * Fills @forms by trial on this kernel, with links of @method. Needs the rights to probe, and a
 * process without threads, since it forks. Forms that cannot be tried stay as forms_default() has
 * them. For tests: CUTOP_TEST_FORMS in the environment lists forms, or "all", that are taken for
 * single-stepped.
 */
void forms_try(struct forms *forms, enum attach_method method);

#endif
