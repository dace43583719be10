/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program on entry and return is five instructions, made here: it counts its runs, so that a
 * probe which never fired is not taken for a harmless one. The child runs the samples of
 * probe/formtest.h.
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
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/attach.h"
#include "probe/formtest.h"

#define ARCH_SHSTK_ENABLE 0x5001 /* arch/x86/include/uapi/asm/prctl.h, Linux 6.6 */
#define ARCH_SHSTK_SHSTK  1
#define CHILD_FAILED      2 /* exit code: the trial itself could not be done */
#define CHILD_HAS_NONE    3
#define CHILD_SECONDS     5 /* for a child that a kernel has sent astray */

/* Linux 6.18 rewrites a five-byte nop after its probe was hit: run it again */
#define ROUNDS 3

struct dry_run_probe {
	int map, program;
	volatile uint64_t *fired; /* the map's only value */
	enum attach_method method;
	struct samples samples;
	struct sample_links links;
	bool runs[FORM_COUNT]; /* what the next child runs */
};

/* ---- the children ---- */

/* Returns false if a sample does not work. */
static bool samples_run(const struct dry_run_probe *probe)
{
	int form, round;

	for (round = 0; round < ROUNDS; round++)
		for (form = 0; form < FORM_COUNT; form++)
			if (probe->runs[form] && sample_run(&probe->samples, (enum form)form))
				return false;
	return true;
}

/* From here on the child may make only this one system call. */
static void filtered_child(const struct dry_run_probe *probe)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { .len = ARRAY_LEN(instructions), .filter = instructions };

	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		syscall(SYS_exit_group, CHILD_FAILED);
	syscall(SYS_exit_group, samples_run(probe) ? 0 : CHILD_FAILED);
}

/*
 * The shadow stack is empty when it is enabled: no function entered before may return, including
 * those of the C library.
 */
static void shadowed_child(const struct dry_run_probe *probe)
{
#if defined(__x86_64__)
	bool fine = true;
	long result;

	prctl(PR_SET_DUMPABLE, 0);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_arch_prctl), "D"(ARCH_SHSTK_ENABLE), "S"(ARCH_SHSTK_SHSTK)
			 : "rcx", "r11", "memory");
	if (!result)
		fine = samples_run(probe);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_exit_group), "D"(result ? CHILD_HAS_NONE :
						    fine   ? 0 :
							     CHILD_FAILED)
			 : "rcx", "r11", "memory");
#endif
	(void)probe;
	_exit(CHILD_HAS_NONE);
}

/* ---- the probes ---- */

static void dry_run_probe_close(struct dry_run_probe *probe)
{
	samples_close(&probe->samples);
	if (probe->fired)
		munmap((void *)probe->fired, (size_t)sysconf(_SC_PAGESIZE));
	if (probe->program >= 0)
		close(probe->program);
	if (probe->map >= 0)
		close(probe->map);
}

static int program_load(struct dry_run_probe *probe)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	const struct bpf_insn instructions[] = {
		/* r1 = the map's value; *r1 += 1; return 0 */
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = probe->map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0,
		  .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	options.expected_attach_type = (enum bpf_attach_type)attach_type_of(probe->method);
	probe->program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cutop_selftest", "GPL", instructions,
				       ARRAY_LEN(instructions), &options);
	return probe->program < 0 ? -errno : 0;
}

/*
 * Probes the entry and the return of the samples of forms that probes are placed on, and of one
 * that is single-stepped.
 */
static int samples_probe(struct dry_run_probe *probe, const struct forms *forms)
{
	bool wanted[FORM_COUNT];
	int form;

	for (form = 0; form < FORM_COUNT; form++)
		wanted[form] = form == FORM_OTHER || forms->verdicts[form] == FORM_EMULATED;
	sample_links_open(&probe->links, &probe->samples, probe->program, probe->method, wanted,
			  true);
	return probe->links.placed[FORM_OTHER] ? 0 : -ENOTSUP;
}

static int dry_run_probe_open(struct dry_run_probe *probe, enum attach_method method,
			      const struct forms *forms)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	void *page;
	int err;

	memset(probe, 0, sizeof(*probe));
	sample_links_init(&probe->links);
	probe->map = probe->program = probe->samples.fd = -1;
	probe->method = method;
	err = samples_open(&probe->samples);
	if (err)
		return err;
	probe->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cutop_selftest", sizeof(uint32_t),
				    sizeof(uint64_t), 1, &options);
	if (probe->map < 0)
		return -errno;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, probe->map, 0);
	if (page == MAP_FAILED)
		return -errno;
	probe->fired = page;
	err = program_load(probe);
	return err ? err : samples_probe(probe, forms);
}

/* A child that runs what @probe says. */
static enum verdict child_judge(struct dry_run_probe *probe,
				void (*run)(const struct dry_run_probe *probe))
{
	uint64_t before = *probe->fired;
	int status = 0;
	pid_t child = fork(), ended;

	if (!child) {
		child_limit(CHILD_SECONDS);
		run(probe);
		_exit(CHILD_FAILED);
	}
	if (child < 0)
		return VERDICT_UNKNOWN;
	while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	if (ended < 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		return VERDICT_UNKNOWN;
	/*
	 * A fatal return may kill before the return program runs; with sessions the entry program
	 * has then run.
	 */
	if (WIFSIGNALED(status))
		return VERDICT_KILLS;
	if (WEXITSTATUS(status) == CHILD_HAS_NONE)
		return VERDICT_FINE;
	return !WEXITSTATUS(status) && *probe->fired != before ? VERDICT_FINE : VERDICT_UNKNOWN;
}

static enum verdict form_judge(struct dry_run_probe *probe,
			       void (*run)(const struct dry_run_probe *probe), enum form form)
{
	memset(probe->runs, 0, sizeof(probe->runs));
	probe->runs[form] = true;
	return child_judge(probe, run);
}

/*
 * Runs all forms in one child; only if that is killed, each in its own, to tell which form it was.
 */
static enum verdict forms_judge(struct dry_run_probe *probe,
				void (*run)(const struct dry_run_probe *probe), struct forms *forms)
{
	enum verdict verdict;
	int form;

	for (form = 0; form < FORM_COUNT; form++)
		probe->runs[form] = probe->links.placed[form];
	verdict = child_judge(probe, run);
	if (verdict != VERDICT_KILLS)
		return verdict;
	verdict = form_judge(probe, run, FORM_OTHER);
	if (verdict == VERDICT_KILLS) /* any return probe kills */
		return verdict;
	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++)
		if (probe->links.placed[form] &&
		    form_judge(probe, run, (enum form)form) == VERDICT_KILLS)
			forms->verdicts[form] = FORM_HARMS;
	return verdict;
}

bool shadow_stacks_exist(void)
{
	char *text = file_read("/proc/cpuinfo", 65536, NULL);
	bool found = text && strstr(text, " user_shstk");

	free(text);
	return found;
}

struct selftest selftest_run(const struct kernel_features *features, struct forms *forms,
			     struct sample_links *left)
{
	const char *forced = getenv("CUTOP_TEST_KILLS");
	struct selftest result = { VERDICT_UNKNOWN, VERDICT_UNKNOWN };
	struct dry_run_probe probe;

	sample_links_init(left);
	/* Links of the perf kind are used on kernels that are too old for either problem. */
	if (features->method != ATTACH_PERF) {
		if (!dry_run_probe_open(&probe, features->method, forms)) {
			result.seccomp = forms_judge(&probe, filtered_child, forms);
			result.shadow_stack = shadow_stacks_exist() ?
						      forms_judge(&probe, shadowed_child, forms) :
						      VERDICT_FINE;
		}
		*left = probe.links;
		dry_run_probe_close(&probe);
	}
	if (forced && strstr(forced, "seccomp"))
		result.seccomp = VERDICT_KILLS;
	if (forced && strstr(forced, "shadow_stack"))
		result.shadow_stack = VERDICT_KILLS;
	return result;
}

/* ---- processes with a shadow stack ---- */

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
