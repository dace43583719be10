/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel features, read from the kernel's own BTF where that says it: version
 * numbers lie on kernels with backports. Rights are capabilities, not uid 0.
 */
#include "probe/kernel.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *const attach_method_names[ATTACH_METHOD_COUNT] = { "session", "multi", "perf" };

#ifndef CAP_PERFMON
#define CAP_PERFMON 38	/* include/uapi/linux/capability.h, Linux 5.8 */
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static bool have_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[capability / 32].effective & 1u << capability % 32;
}

bool kernel_rights(struct reason *why)
{
	bool bpf = have_capability(CAP_BPF), perfmon = have_capability(CAP_PERFMON);

	if (have_capability(CAP_SYS_ADMIN) || (bpf && perfmon))
		return true;
	reason_set(why, -EPERM, "no permission to probe: %s%s%s missing; run cutop as root (sudo cutop ...)",
		   bpf ? "" : "CAP_BPF", !bpf && !perfmon ? " and " : "", perfmon ? "" : "CAP_PERFMON");
	return false;
}

/* True if the anonymous or named enum that holds BPF attach types has @name. */
static bool enum_has(const struct btf *btf, const char *enum_name, const char *name)
{
	int id = btf__find_by_name_kind(btf, enum_name, BTF_KIND_ENUM), i;
	const struct btf_type *type;
	const struct btf_enum *values;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	values = btf_enum(type);
	for (i = 0; i < btf_vlen(type); i++) {
		const char *value = btf__name_by_offset(btf, values[i].name_off);

		if (value && !strcmp(value, name))
			return true;
	}
	return false;
}

int kernel_features_read(struct kernel_features *features, const char *force, struct reason *why)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;
	struct btf *btf;
	int id;

	memset(features, 0, sizeof(*features));
	features->method = ATTACH_PERF;
	if (uname(&name))
		return reason_set(why, -errno, "uname: %s", strerror(errno));
	snprintf(features->release, sizeof(features->release), "%s", name.release);
	sscanf(name.release, "%u.%u", &major, &minor);
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return reason_set(why, -ENOTSUP,
				  "the kernel (%s) has no BTF in /sys/kernel/btf/vmlinux; cutop needs one built with "
				  "CONFIG_DEBUG_INFO_BTF=y", name.release);
	if (major < 5 || (major == 5 && minor < 15)) {
		btf__free(btf);
		return reason_set(why, -ENOTSUP, "the kernel (%s) is too old; cutop needs Linux 5.15 or newer",
				  name.release);
	}
	features->sleepable = major >= 6;
	features->find_vma = btf__find_by_name_kind(btf, "bpf_find_vma", BTF_KIND_FUNC) > 0;
	if (enum_has(btf, "bpf_attach_type", "BPF_TRACE_UPROBE_MULTI"))
		features->method = ATTACH_MULTI;
	id = btf__find_by_name_kind(btf, "bpf_session_is_return", BTF_KIND_FUNC);
	if (id > 0 && enum_has(btf, "bpf_attach_type", "BPF_TRACE_UPROBE_SESSION")) {
		const struct btf_type *func = btf__type_by_id(btf, (__u32)id);
		const struct btf_type *proto = btf__type_by_id(btf, func->type);

		features->session_context = btf_vlen(proto) > 0;
		features->method = ATTACH_SESSION;
	}
	btf__free(btf);
	if (force && *force) {
		enum attach_method wanted;

		for (wanted = 0; wanted < ATTACH_METHOD_COUNT; wanted++)
			if (!strcmp(force, attach_method_names[wanted]))
				break;
		if (wanted == ATTACH_METHOD_COUNT)
			return reason_set(why, -EINVAL, "unknown attach method '%s'; use session, multi or perf", force);
		if (wanted < features->method)
			return reason_set(why, -ENOTSUP, "the kernel (%s) has no '%s' links", name.release, force);
		features->method = wanted;
	}
	return 0;
}
