/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that is put on the return is five instructions, made here: it
 * counts that it ran, so that a probe which never fired is not taken for a
 * harmless one. The child waits until the probe is on it, and only on it.
 */
#include "probe/selftest.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/attach.h"
#include "probe/maps.h"

#define ARCH_SHSTK_ENABLE	0x5001	/* arch/x86/include/uapi/asm/prctl.h, Linux 6.6 */
#define ARCH_SHSTK_SHSTK	1
#define CHILD_FAILED		2	/* exit codes: what was to be tried could not be */
#define CHILD_HAS_NONE		3

/* What the child calls and the probe is on. */
__attribute__((noinline, used)) static int probed_function(volatile int *number)
{
	return ++*number;
}

struct own_code {
	uint64_t address, offset;
	bool found;
};

static int own_mapping(void *context, const struct maps_entry *entry)
{
	struct own_code *code = context;

	if (code->address < entry->start || code->address >= entry->end)
		return 0;
	code->offset = code->address - entry->start + entry->offset;
	code->found = true;
	return 1;
}

/* ---- the children ---- */

/* Nothing but this one system call may be made from here on. */
static void filtered_child(void)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { .len = ARRAY_LEN(instructions), .filter = instructions };
	volatile int number = 0;

	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		syscall(SYS_exit_group, CHILD_FAILED);
	probed_function(&number);
	syscall(SYS_exit_group, number == 1 ? 0 : CHILD_FAILED);
}

/* The shadow stack is empty when it begins: no function entered before may return, those of the C library neither. */
static void shadowed_child(void)
{
#if defined(__x86_64__)
	volatile int number = 0;
	long result;

	prctl(PR_SET_DUMPABLE, 0);
	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(SYS_arch_prctl), "D"(ARCH_SHSTK_ENABLE), "S"(ARCH_SHSTK_SHSTK) : "rcx", "r11", "memory");
	if (!result)
		probed_function(&number);
	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(SYS_exit_group), "D"(result ? CHILD_HAS_NONE : number == 1 ? 0 : CHILD_FAILED)
			 : "rcx", "r11", "memory");
#endif
	_exit(CHILD_HAS_NONE);
}

/* ---- the probe ---- */

struct trial_probe {
	int map, program;
	volatile uint64_t *fired;	/* the map's only value */
	enum attach_method method;
	uint64_t offset;		/* of the function, in our own file */
};

static void trial_probe_close(struct trial_probe *probe)
{
	if (probe->fired)
		munmap((void *)probe->fired, (size_t)sysconf(_SC_PAGESIZE));
	if (probe->program >= 0)
		close(probe->program);
	if (probe->map >= 0)
		close(probe->map);
}

static int trial_probe_open(struct trial_probe *probe, enum attach_method method)
{
	LIBBPF_OPTS(bpf_map_create_opts, map_options, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_prog_load_opts, program_options);
	struct own_code code = { .address = (uint64_t)(uintptr_t)probed_function };
	void *page;

	*probe = (struct trial_probe){ .map = -1, .program = -1, .method = method };
	maps_visit(getpid(), own_mapping, &code);
	if (!code.found)
		return -ENOENT;
	probe->offset = code.offset;
	probe->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cutop_selftest", sizeof(uint32_t), sizeof(uint64_t), 1, &map_options);
	if (probe->map < 0)
		return -errno;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, probe->map, 0);
	if (page == MAP_FAILED)
		return -errno;
	probe->fired = page;
	{
		const struct bpf_insn instructions[] = {
			/* r1 = the map's value; *r1 += 1; return 0 */
			{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_VALUE,
			  .imm = probe->map },
			{ 0 },
			{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
			{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0, .imm = BPF_ADD },
			{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
			{ .code = BPF_JMP | BPF_EXIT },
		};

		program_options.expected_attach_type = (enum bpf_attach_type)attach_type_of(method);
		probe->program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cutop_selftest", "GPL", instructions,
					       ARRAY_LEN(instructions), &program_options);
	}
	return probe->program < 0 ? -errno : 0;
}

/* Forks a child that runs @run once the probe is on it. Returns its wait status, or a negative errno. */
static int child_probe(struct trial_probe *probe, void (*run)(void))
{
	int go[2], link = -1, status = 0, err = 0;
	char byte;
	pid_t child;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		close(go[1]);	/* else its end would never come */
		if (read(go[0], &byte, 1) != 1)
			_exit(CHILD_FAILED);
		run();
	}
	close(go[0]);
	if (child < 0) {
		close(go[1]);
		return -errno;
	}
	link = link_return(probe->program, probe->method, "/proc/self/exe", probe->offset, (uint32_t)child);
	if (link < 0)
		err = link;
	else if (write(go[1], "", 1) != 1)
		err = -errno;
	close(go[1]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (link >= 0)
		close(link);
	return err ? err : status;
}

static enum verdict child_judge(struct trial_probe *probe, void (*run)(void))
{
	uint64_t before = *probe->fired;
	int status = child_probe(probe, run);

	if (status < 0)
		return VERDICT_UNKNOWN;
	/* A return that kills may do so before the program on it runs; that on the entry of a session has run. */
	if (WIFSIGNALED(status))
		return VERDICT_KILLS;
	if (WEXITSTATUS(status) == CHILD_HAS_NONE)
		return VERDICT_FINE;
	return !WEXITSTATUS(status) && *probe->fired != before ? VERDICT_FINE : VERDICT_UNKNOWN;
}

bool shadow_stacks_exist(void)
{
	char *text = file_read("/proc/cpuinfo", 65536, NULL);
	bool found = text && strstr(text, " user_shstk");

	free(text);
	return found;
}

struct selftest selftest_run(const struct kernel_features *features)
{
	const char *forced = getenv("CUTOP_TEST_KILLS");
	struct selftest result = { VERDICT_UNKNOWN, VERDICT_UNKNOWN };
	struct trial_probe probe;

	/* Links of the perf kind go with kernels older than either trouble. */
	if (features->method != ATTACH_PERF) {
		if (!trial_probe_open(&probe, features->method)) {
			result.seccomp = child_judge(&probe, filtered_child);
			result.shadow_stack = shadow_stacks_exist() ? child_judge(&probe, shadowed_child) : VERDICT_FINE;
		}
		trial_probe_close(&probe);
	}
	if (forced && strstr(forced, "seccomp"))
		result.seccomp = VERDICT_KILLS;
	if (forced && strstr(forced, "shadow_stack"))
		result.shadow_stack = VERDICT_KILLS;
	return result;
}

/* ---- who has a shadow stack ---- */

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
