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
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe/kernel_table.h"

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
