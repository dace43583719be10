/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * docs/faults.md says which right is for what. The uid stays: files are written as the user who
 * started cutop. The system call filter lists what cutop never does. A list of what it does would
 * be stricter, but would break with the next C library or NVIDIA library. The filter costs nothing
 * at run time: since 5.11 Linux evaluates it once per system call number and remembers the numbers
 * that it always allows.
 */
#include "util/rights.h"

#include <cap-ng.h>
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "util/starter.h"

/* linux/capability.h, Linux 5.8 and 5.9: newer than the headers we may be built with */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

static const struct {
	unsigned int what;
	unsigned int capability;
} needs[] = {
	{ RIGHTS_PROBE, CAP_BPF },
	{ RIGHTS_PROBE, CAP_PERFMON },
	/* /proc/PID/maps, root, memory of other users' processes */
	{ RIGHTS_PROBE | RIGHTS_READ, CAP_SYS_PTRACE },
	{ RIGHTS_PROBE | RIGHTS_READ, CAP_DAC_READ_SEARCH }, /* libraries in private homes */
	/* /proc/PID/map_files: files deleted while mapped */
	{ RIGHTS_PROBE | RIGHTS_READ, CAP_CHECKPOINT_RESTORE },
	/* Other users' libraries: src/probe/guarded.c */
	{ RIGHTS_PROBE, CAP_LEASE },
	{ RIGHTS_PROBE_EACH, CAP_SYS_ADMIN },
	{ RIGHTS_SIGNAL, CAP_KILL },
	{ RIGHTS_WRITE, CAP_DAC_OVERRIDE },
	/* when a settings file is replaced, it keeps its owner */
	{ RIGHTS_WRITE, CAP_CHOWN },
	{ RIGHTS_WRITE, CAP_FOWNER },
};

static const int refused_calls[] = {
	/* other programs, other processes */
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	SCMP_SYS(ptrace), /* the search for leaks at the end */
#endif
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(kcmp),
	SCMP_SYS(pidfd_getfd),
	/* opening files by handle, past the permissions of folders; io_uring, past this filter */
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register),
	/* changing user */
	SCMP_SYS(setuid),
	SCMP_SYS(setgid),
	SCMP_SYS(setreuid),
	SCMP_SYS(setregid),
	SCMP_SYS(setresuid),
	SCMP_SYS(setresgid),
	SCMP_SYS(setfsuid),
	SCMP_SYS(setfsgid),
	SCMP_SYS(setgroups),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(keyctl),
	/* another view of the file system */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(fsopen),
	SCMP_SYS(fspick),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(mount_setattr),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(unshare),
	SCMP_SYS(setns),
	SCMP_SYS(mknod),
	SCMP_SYS(mknodat),
	/* changing the machine itself: modules, reboot, clocks */
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(acct),
	SCMP_SYS(quotactl),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(syslog),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
};

/* Makes the permitted capabilities effective (@any), or none of them. */
static int effect_set(bool any, struct reason *why)
{
	unsigned int capability;

	if (!starter_has_less())
		return 0;
	if (capng_get_caps_process())
		return reason_set(why, -EIO, "cannot read the capabilities held");
	for (capability = 0; capability <= CAP_LAST_CAP; capability++)
		if (capng_have_capability(CAPNG_PERMITTED, capability))
			capng_update(any ? CAPNG_ADD : CAPNG_DROP, CAPNG_EFFECTIVE, capability);
	return capng_apply(CAPNG_SELECT_CAPS) ?
		       reason_set(why, -EPERM, "cannot change which capabilities have effect") :
		       0;
}

int rights_lower(struct reason *why)
{
	return effect_set(false, why);
}

int rights_raise(struct reason *why)
{
	return effect_set(true, why);
}

/*
 * Chooses which of the held capabilities to keep. If CAP_BPF and CAP_PERFMON are missing, their
 * predecessor CAP_SYS_ADMIN takes their place. Only that one may open a perf event that is a probe
 * (perf_uprobe_event_init(), kernel/events/core.c).
 */
static bool is_kept(unsigned int keep, unsigned int capability)
{
	size_t i;

	if (!capng_have_capability(CAPNG_EFFECTIVE, capability))
		return false;
	if (capability == CAP_SYS_ADMIN && !(keep & RIGHTS_PROBE_EACH))
		return keep & RIGHTS_PROBE &&
		       !(capng_have_capability(CAPNG_EFFECTIVE, CAP_BPF) &&
			 capng_have_capability(CAPNG_EFFECTIVE, CAP_PERFMON));
	for (i = 0; i < ARRAY_LEN(needs); i++)
		if (needs[i].capability == capability && needs[i].what & keep)
			return true;
	return false;
}

static int capabilities_drop(unsigned int keep, struct reason *why)
{
	bool kept[CAP_LAST_CAP + 1], limits;
	unsigned int capability;
	int err;

	if (capng_get_caps_process())
		return reason_set(why, -EIO, "cannot read the capabilities held");
	for (capability = 0; capability <= CAP_LAST_CAP; capability++)
		kept[capability] = is_kept(keep, capability);
	/* Changing the bounding set takes CAP_SETPCAP. */
	limits = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	capng_clear(limits ? CAPNG_SELECT_ALL :
			     (capng_select_t)(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT));
	for (capability = 0; capability <= CAP_LAST_CAP; capability++) {
		if (!kept[capability])
			continue;
		capng_update(CAPNG_ADD, (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED),
			     capability);
		if (limits)
			capng_update(CAPNG_ADD, CAPNG_BOUNDING_SET, capability);
	}
	err = capng_apply(limits ? CAPNG_SELECT_ALL :
				   (capng_select_t)(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT));
	return err ? reason_set(why, -EPERM, "cannot give up capabilities (libcap-ng says %d)",
				err) :
		     0;
}

/* The flags of clone(2), its first argument on the machines that cutop supports. */
static const unsigned int refused_namespaces[] = {
	CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
	CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET,
};

/*
 * Forbids new namespaces by clone(2) and clone3(2). The flags of clone3() lie in memory, where a
 * filter cannot read them: so it returns ENOSYS, and the C library falls back to clone().
 */
static int namespaces_refuse(scmp_filter_ctx filter)
{
	int err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	size_t i;

	for (i = 0; i < ARRAY_LEN(refused_namespaces) && !err; i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				       SCMP_A0(SCMP_CMP_MASKED_EQ, refused_namespaces[i],
					       refused_namespaces[i]));
	return err;
}

static int calls_refuse(struct reason *why)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int err = filter ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < ARRAY_LEN(refused_calls) && !err; i++)
		if (refused_calls[i] >= 0) /* of this machine */
			err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused_calls[i], 0);
	if (!err)
		err = namespaces_refuse(filter);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err ? reason_set(why, err, "cannot refuse system calls: %s", strerror(-err)) : 0;
}

int rights_drop(unsigned int keep, struct reason *why)
{
	int err = capabilities_drop(keep, why);

	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return reason_set(why, -errno, "no_new_privs: %s", strerror(errno));
	return calls_refuse(why);
}
