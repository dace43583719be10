/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel features, read from the kernel's own BTF where it has them: version numbers mislead on
 * kernels with backports. Rights are judged by capabilities, not by uid 0.
 */
#include "probe/kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/attach.h"
#include "util/util.h"

/* ---- kernel table ---- */

/*
 * The table of kernels: what each version has, or does wrong, and how that is seen. The kernel's own
 * types (BTF) tell most of it, and then backports of distributions are found as well. Where they do
 * not, the version decides, and a backport that it does not show counts as absent.
 * Each row has its reason beside it; docs/kernels.md has them for users.
 */

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
	/* 6.13: the entry program decides whether it wants the return; bpf/arguments.bpf.h. */
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
 * tried (probe/kernel.h), since every distribution may have more.
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

/* True if the function @name exists in @btf and takes @arguments or more. */
static bool btf_has_function(const struct btf *btf, const char *name, unsigned int arguments)
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

/* ---- kernel ---- */

const char *const attach_method_names[ATTACH_METHOD_COUNT] = { "session", "multi", "perf" };

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* include/uapi/linux/capability.h, Linux 5.8 */
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

const char *const kernel_right_names[RIGHT_COUNT] = {
	[RIGHT_BPF] = "CAP_BPF",           [RIGHT_PERFMON] = "CAP_PERFMON",
	[RIGHT_PTRACE] = "CAP_SYS_PTRACE", [RIGHT_READ_SEARCH] = "CAP_DAC_READ_SEARCH",
	[RIGHT_ADMIN] = "CAP_SYS_ADMIN",
};

static const int capabilities[RIGHT_COUNT] = {
	[RIGHT_BPF] = CAP_BPF,           [RIGHT_PERFMON] = CAP_PERFMON,
	[RIGHT_PTRACE] = CAP_SYS_PTRACE, [RIGHT_READ_SEARCH] = CAP_DAC_READ_SEARCH,
	[RIGHT_ADMIN] = CAP_SYS_ADMIN,
};

struct kernel_rights_held kernel_rights_read(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	struct kernel_rights_held held = { 0 };
	int i;

	if (syscall(SYS_capget, &header, data))
		return held;
	for (i = 0; i < RIGHT_COUNT; i++) {
		held.effective |= (data[capabilities[i] / 32].effective >> capabilities[i] % 32 & 1)
				  << i;
		held.bounding |= (unsigned int)(prctl(PR_CAPBSET_READ, capabilities[i]) == 1) << i;
	}
	return held;
}

bool kernel_rights_suffice(unsigned int effective)
{
	const unsigned int both = 1u << RIGHT_BPF | 1u << RIGHT_PERFMON;

	return effective & 1u << RIGHT_ADMIN || (effective & both) == both;
}

bool kernel_rights(struct reason *why)
{
	unsigned int effective = kernel_rights_read().effective;
	bool bpf = effective & 1u << RIGHT_BPF, perfmon = effective & 1u << RIGHT_PERFMON;

	if (kernel_rights_suffice(effective))
		return true;
	reason_set(why, -EPERM,
		   "no permission to probe: %s%s%s missing; run cutop as root (sudo cutop ...)",
		   bpf ? "" : "CAP_BPF", !bpf && !perfmon ? " and " : "",
		   perfmon ? "" : "CAP_PERFMON");
	return false;
}

/*
 * PROC_PID_INIT_INO, include/linux/proc_ns.h, Linux 3.8; PID_NS_INIT_INO of linux/nsfs.h, Linux
 * 6.18
 */
#define ROOT_PID_NAMESPACE 0xeffffffcu

bool kernel_pids(struct reason *why)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == ROOT_PID_NAMESPACE)
		return true;
	reason_set(
		why, -ENOTSUP,
		"cutop runs in a pid namespace of its own, where processes have other numbers than the kernel "
		"tells: start its container with the machine's (--pid=host; in Kubernetes hostPID: true)");
	return false;
}

int kernel_rights_for(enum attach_method method, struct reason *why)
{
	if (method != ATTACH_PERF || kernel_rights_read().effective & 1u << RIGHT_ADMIN)
		return 0;
	/* perf_uprobe_event_init(), kernel/events/core.c */
	return reason_set(
		why, -EPERM,
		"no permission to probe: CAP_SYS_ADMIN missing, without which kernels before 6.6 place no "
		"probes; run cutop as root (sudo cutop ...)");
}

/*
 * True if programs at function entries (fentry) are allowed: loads one that does nothing, and drops
 * it.
 */
static bool function_takes(const struct btf *btf, const char *name, unsigned int arguments)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY);
	int program;

	if (!btf_has_function(btf, name, arguments))
		return false;
	options.attach_btf_id = (__u32)btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "cutop_try", "GPL", nothing, 2, &options);
	if (program < 0)
		return false;
	close(program);
	return true;
}

void kernel_facts_read(struct kernel_facts *facts)
{
	const char *forced = getenv("CUTOP_TEST_KILLS");
	libbpf_print_fn_t print;
	struct utsname name;
	struct btf *btf;

	memset(facts, 0, sizeof(*facts));
	if (!uname(&name))
		snprintf(facts->release, sizeof(facts->release), "%s", name.release);
	print = libbpf_set_print(NULL);
	btf = btf__load_vmlinux_btf();
	libbpf_set_print(print);
	if (!btf)
		return;
	facts->btf = true;
	kernel_table_read(facts, btf);
	facts->map_function = function_takes(btf, "ksys_mmap_pgoff", 5);
	btf__free(btf);
	if (forced && strstr(forced, "seccomp"))
		facts->filtered_die = true;
	if (forced && strstr(forced, "shadow_stack"))
		facts->shadowed_die = true;
}

unsigned int kernel_version(const char *release)
{
	unsigned int major = 0, minor = 0, patch = 0;

	sscanf(release, "%u.%u.%u", &major, &minor, &patch);
	/* KERNEL_VERSION() saturates in the same way. */
	return KERNEL_AT(major & 0xff, minor & 0xff, patch < 255 ? patch : 255);
}

bool kernel_is_too_old(const struct kernel_facts *facts)
{
	return facts->btf ? !facts->loop : kernel_version(facts->release) < KERNEL_AT(5, 17, 0);
}

int kernel_features_decide(struct kernel_features *features, const struct kernel_facts *facts,
			   const char *force, struct reason *why)
{
	enum attach_method wanted;

	memset(features, 0, sizeof(*features));
	snprintf(features->release, sizeof(features->release), "%s", facts->release);
	features->method = ATTACH_PERF;
	if (!facts->btf)
		return reason_set(
			why, -ENOTSUP,
			"the kernel (%s) has no BTF in /sys/kernel/btf/vmlinux; cutop needs one built with "
			"CONFIG_DEBUG_INFO_BTF=y",
			facts->release);
	if (kernel_is_too_old(facts))
		return reason_set(why, -ENOTSUP,
				  "the kernel (%s) is too old; cutop needs Linux 6.1 or newer",
				  facts->release);
	features->rcu_lock = facts->rcu_lock;
	features->map_function = facts->map_function;
	features->map_touch = facts->map_touch;
	features->filtered_die = facts->filtered_die;
	features->shadowed_die = facts->shadowed_die;
	if (facts->multi)
		features->method = ATTACH_MULTI;
	if (facts->session)
		features->method = ATTACH_SESSION;
	if (!force || !*force)
		return 0;
	for (wanted = 0; wanted < ATTACH_METHOD_COUNT; wanted++)
		if (!strcmp(force, attach_method_names[wanted]))
			break;
	if (wanted == ATTACH_METHOD_COUNT)
		return reason_set(why, -EINVAL,
				  "unknown attach method '%s'; use session, multi or perf", force);
	if (wanted < features->method)
		return reason_set(why, -ENOTSUP, "the kernel (%s) has no '%s' links",
				  facts->release, force);
	features->method = wanted;
	return 0;
}

int kernel_features_read(struct kernel_features *features, const char *force, struct reason *why)
{
	struct kernel_facts facts;

	kernel_facts_read(&facts);
	if (!facts.btf && !access("/sys/kernel/btf/vmlinux", R_OK))
		return reason_set(
			why, -ENOMEM,
			"cannot read /sys/kernel/btf/vmlinux: there is too little memory (ulimit -v)");
	return kernel_features_decide(features, &facts, force, why);
}
static bool has_shadow_stack(const char *pid)
{
	char path[64], *text, *line;
	bool has;

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	text = file_read(path, 65536, NULL);
	line = text ? strstr(text, "\nx86_Thread_features:") : NULL;
	if (line)
		line[1 + strcspn(line + 1, "\n")] = 0;
	has = line && strstr(line, "shstk");
	free(text);
	return has;
}

bool shadow_stacks_used(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool used = tunables && strstr(tunables, "x86_shstk=on");

	while (proc && !used && (entry = readdir(proc)))
		used = isdigit((unsigned char)entry->d_name[0]) && has_shadow_stack(entry->d_name);
	if (proc)
		closedir(proc);
	return used;
}

/* ---- formtest ---- */

/*
 * Which instruction forms this kernel emulates under a probe, found by trial: a child runs a probed
 * sample of each form and checks whether the kernel had to make room for a copy of the instruction
 * (the mapping "[uprobes]"). The samples are in a file without a name (memfd), so that neither
 * another cutop's trial nor any other program meets these probes.
 * The samples are probed at the entry only: for a return probe the kernel maps "[uprobes]" as well.
 * A process of its own places the probes: it answers through a pipe, and they go when it exits, so
 * that cutop does not wait for that, which takes the kernel 40 ms, and a tenth of a second for each
 * link of the perf kind. Its children run the samples and answer by their exit status.
 */

#define SAMPLE_ROOM     64 /* bytes for each sample */
#define SAMPLES_SIZE    (SAMPLE_ROOM * FORM_COUNT)
#define SAMPLES_SECONDS 2    /* for a child that a kernel has sent astray */
#define ANSWER_MS       5000 /* for all forms; a form takes about a millisecond */

struct samples {
	int fd;                  /* the file, -1: none */
	unsigned char *code;     /* its mapping: private, so that probes can sit there */
	bool placed[FORM_COUNT]; /* a link has the form */
};

/* Undone when the process exits, like the links. Returns 0 or a negative errno. */
static int samples_open(struct samples *samples)
{
	unsigned char code[SAMPLES_SIZE];
	size_t i;

	samples->fd = file_in_memory("cutop-samples");
	if (samples->fd < 0)
		return samples->fd;
	memset(code, 0, sizeof(code));
	for (i = 0; i < FORM_COUNT; i++)
		memcpy(code + i * SAMPLE_ROOM, form_samples[i].code, form_samples[i].size);
	if (write(samples->fd, code, sizeof(code)) != (ssize_t)sizeof(code))
		return errno ? -errno : -EIO;
	samples->code =
		mmap(NULL, SAMPLES_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, samples->fd, 0);
	return samples->code == MAP_FAILED ? -errno : 0;
}

static uint64_t sample_offset(size_t form)
{
	return form * SAMPLE_ROOM + form_samples[form].at;
}

/* Puts @program on all samples by one link, or, if the kernel refuses some, each by its own. */
static void samples_probe(struct samples *samples, int program, enum attach_method method)
{
	uint64_t offsets[FORM_COUNT];
	char path[64];
	size_t form;
	bool all;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", samples->fd);
	for (form = 0; form < FORM_COUNT; form++)
		offsets[form] = sample_offset(form);
	all = link_places(program, method, path, offsets, FORM_COUNT) >= 0;
	for (form = 0; form < FORM_COUNT; form++)
		samples->placed[form] = all ||
					link_places(program, method, path, &offsets[form], 1) >= 0;
}

/* Runs the sample of @form. Returns 0. */
static int sample_run(const struct samples *samples, int form)
{
	int (*function)(void);
	const void *at = samples->code + (size_t)form * SAMPLE_ROOM;

	memcpy(&function, &at, sizeof(function)); /* ISO C has no cast from data to code */
	return function();
}

/* ---- children that run samples ---- */

/* Exit status; a lesser one is a form, or FORM_COUNT */
#define CHILD_FAILED (FORM_COUNT + 1)

static bool have_copies(void)
{
	char *maps = file_read("/proc/self/maps", 1u << 20, NULL);
	bool have = maps && strstr(maps, " [uprobes]\n");

	if (!maps)
		_exit(CHILD_FAILED);
	free(maps);
	return have;
}

/*
 * Has a child run the placed samples from @first up to @end. Returns the first one that was
 * single-stepped, @end if none was, CHILD_FAILED if that could not be found out, or -1 if the child
 * was killed.
 */
static int samples_run(const struct samples *samples, int first, int end)
{
	int status = 0, form;
	pid_t child = fork(), ended;

	if (!child) {
		child_limit(SAMPLES_SECONDS);
		if (have_copies())
			_exit(CHILD_FAILED);
		for (form = first; form < end; form++) {
			if (!samples->placed[form])
				continue;
			if (sample_run(samples, form))
				_exit(CHILD_FAILED);
			if (have_copies())
				break;
		}
		_exit(form);
	}
	if (child < 0)
		return CHILD_FAILED;
	while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	if (ended < 0)
		return CHILD_FAILED;
	return WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
}

/*
 * A program that does nothing and, in a session, asks for no return. Returns it or a negative
 * errno.
 */
static int program_load(enum attach_method method)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_0,
		  .imm = method == ATTACH_SESSION },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	int program;

	if (method != ATTACH_PERF)
		options.expected_attach_type = (enum bpf_attach_type)attach_type_of(method);
	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cutop_forms", "GPL", code, ARRAY_LEN(code),
				&options);
	return program < 0 ? -errno : program;
}

/*
 * Probes each sample, and has a child run it. The kernel refuses an instruction when a mapping gets
 * its breakpoint, which is at once here, since we map the samples.
 */
static void samples_try(struct forms *forms, struct samples *samples, int program,
			enum attach_method method)
{
	int form, stopped;

	samples_probe(samples, program, method);
	for (form = 0; form < FORM_COUNT; form++)
		forms->verdicts[form] = samples->placed[form] ? FORM_EMULATED : FORM_REFUSED;
	/* The mapping, once made, stays: the next child continues after the form that caused it. */
	for (form = 0; form < FORM_COUNT; form = stopped + 1) {
		stopped = samples_run(samples, form, FORM_COUNT);
		if (stopped < form || stopped > FORM_COUNT)
			break;
		if (stopped < FORM_COUNT)
			forms->verdicts[stopped] = FORM_STEPPED;
	}
	/* One of them kills, or fails: run each in a child of its own, to tell which. */
	for (; form < FORM_COUNT; form++) {
		stopped = samples->placed[form] ? samples_run(samples, form, form + 1) : form + 1;
		if (stopped != form + 1)
			forms->verdicts[form] = stopped < 0 ? FORM_HARMS : FORM_STEPPED;
	}
	/*
	 * If not even FORM_OTHER takes a probe, nothing was learned; if it seems to be emulated,
	 * the test itself does not work.
	 */
	forms->tried = forms->verdicts[FORM_OTHER] == FORM_STEPPED;
}

static _Noreturn void trial_run(enum attach_method method, int answer)
{
	int null = open("/dev/null", O_RDWR), program, i;
	struct samples samples = { .fd = -1 };
	struct forms forms = { .tried = false };

	setsid();
	prctl(PR_SET_NAME, "cutop-forms");
	/* A reader of cutop's output must see its end when cutop ends. */
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	program = program_load(method);
	if (program >= 0 && !samples_open(&samples))
		samples_try(&forms, &samples, program, method);
	_exit(write(answer, &forms, sizeof(forms)) != sizeof(forms));
}

/* Runs in a process that is not waited for: its parent ends at once. */
static void trial_make(struct forms *forms, enum attach_method method)
{
	struct forms answer = { .tried = false };
	struct pollfd ready;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return;
	child = fork();
	if (!child) {
		child = fork();
		if (!child)
			trial_run(method, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	ready = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	/* Less than PIPE_BUF: it is written whole or not at all. */
	if (child > 0 && poll(&ready, 1, ANSWER_MS) == 1 &&
	    read(ends[0], &answer, sizeof(answer)) == sizeof(answer) && answer.tried)
		*forms = answer;
	close(ends[0]);
}

/* ---- all forms ---- */

static void forms_force(struct forms *forms, const char *list)
{
	int form;

	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++) {
		const char *at = strstr(list, form_names[form]);
		size_t len = strlen(form_names[form]);

		while (at && ((at > list && at[-1] != ',') || (at[len] && at[len] != ',')))
			at = strstr(at + 1, form_names[form]);
		if (at || !strcmp(list, "all"))
			forms->verdicts[form] = FORM_STEPPED;
	}
}

void forms_try(struct forms *forms, enum attach_method method)
{
	const char *forced = getenv("CUTOP_TEST_FORMS");

	forms_default(forms);
	trial_make(forms, method);
	if (forced)
		forms_force(forms, forced);
}
