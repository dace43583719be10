/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs watch listed processes only, and nobody is listed but the child
 * of the test below: probes of a trial fire and return. All of them are kept
 * until the end and taken away side by side, since each removal waits for the
 * kernel.
 */
#include "collect/trial.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/tracefs.h"
#include "model/calls.h"
#include "probe/attach.h"
#include "probe/maps.h"

struct trial {
	struct bpf bpf;
	struct attachment *attachments;
	size_t count;
};

int trial_open(struct trial **result, const struct kernel_features *features, unsigned int layers, uint64_t ring_bytes,
	       struct reason *why)
{
	const struct bpf_settings settings = {
		.only_listed = true, .follow_children = true, .only_uid = (uint32_t)-1, .ring_bytes = ring_bytes,
		.layers = layers,
	};
	struct trial *trial = calloc(1, sizeof(*trial));
	int err;

	*result = NULL;
	if (!trial)
		return reason_set(why, -ENOMEM, "no memory");
	err = bpf_open(&trial->bpf, features, &settings, why);
	if (err) {
		free(trial);
		return err;
	}
	*result = trial;
	return 0;
}

void trial_close(struct trial *trial)
{
	if (!trial)
		return;
	attachments_close(trial->attachments, trial->count);
	free(trial->attachments);
	bpf_close(&trial->bpf);
	free(trial);
}

int trial_watch(struct trial *trial, enum trial_event event)
{
	struct cutop_bpf *s = trial->bpf.skeleton;
	struct bpf_program *programs[] = {
		[TRIAL_EXEC] = s->progs.process_exec,
		[TRIAL_EXIT] = s->progs.process_exit,
		[TRIAL_FORK] = s->progs.process_fork,
	};
	int fd;

	if (event == TRIAL_MMAP)
		fd = tracefs_attach("syscalls", "sys_enter_mmap", bpf_program__fd(s->progs.file_mapped));
	else
		fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(programs[event]));
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int trial_identify(struct trial *trial, int fd, struct file_id *id)
{
	return bpf_identify(&trial->bpf, fd, id);
}

/* ---- functions ---- */

struct search {
	struct trial *trial;
	int fd;
	const struct attach_choice *choice;
	struct trial_attached *attached;
};

/* Finds those of @count functions that the kernel refuses: by halves, since few or all are. */
static void refusals_find(struct search *search, struct elf_function *list, size_t count)
{
	struct elf_functions part = { .list = list, .count = count };
	struct attachment attachment;
	int err;

	if (!count)
		return;
	err = attachment_open(&attachment, &search->trial->bpf, search->fd, &part, search->choice, 0, NULL);
	if (!err) {
		unsigned int failed = attachment.failed;

		attachment_close(&attachment);
		if (!failed)
			return;
	}
	if (count > 1) {
		refusals_find(search, list, count / 2);
		refusals_find(search, list + count / 2, count - count / 2);
		return;
	}
	search->attached->refusals[search->attached->refused++] =
		(struct trial_refusal){ .call = list->call, .error = err ? err : -EINVAL };
}

/* Copies those functions that are asked for. Where each has its price, that is the first. */
static size_t functions_choose(const struct elf_functions *functions, const struct attach_choice *choice,
			       bool first_only, struct elf_function *chosen)
{
	size_t i, count = 0;

	for (i = 0; i < functions->count; i++) {
		const struct call_desc *desc = &call_descs[functions->list[i].call];

		if (!choice_wants(choice, desc) || (first_only && (count || desc->class == CLASS_PLAIN)))
			continue;
		chosen[count++] = functions->list[i];
	}
	return count;
}

/*
 * A file that nobody maps takes any probe: the instructions are looked at when a
 * mapping gets its breakpoints. So we are one that maps it. Nothing is read
 * through the mapping, or run.
 */
static void *map_code(int fd, size_t *size)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return map == MAP_FAILED ? NULL : map;	/* mounted noexec, for one: nobody else can map it so, either */
}

int trial_attach(struct trial *trial, int fd, const struct elf_functions *functions,
		 const struct attach_choice *choice, struct trial_attached *attached, struct reason *why)
{
	struct search search = { .trial = trial, .fd = fd, .choice = choice, .attached = attached };
	struct elf_functions tried = { 0 };
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct attachment *more;
	size_t size = 0;
	void *code;
	int err;

	memset(attached, 0, sizeof(*attached));
	attached->first_only = trial->bpf.features.method == ATTACH_PERF;
	tried.list = calloc(functions->count + 1, sizeof(*tried.list));
	attached->refusals = calloc(functions->count + 1, sizeof(*attached->refusals));
	more = realloc(trial->attachments, (trial->count + 1) * sizeof(*more));
	if (more)
		trial->attachments = more;
	if (!tried.list || !attached->refusals || !more) {
		free(tried.list);
		return reason_set(why, -ENOMEM, "no memory");
	}
	tried.count = functions_choose(functions, choice, attached->first_only, tried.list);
	attached->tried = (unsigned int)tried.count;
	if (!tried.count) {
		free(tried.list);
		return 0;
	}
	code = map_code(fd, &size);
	err = attachment_open(&more[trial->count], &trial->bpf, fd, &tried, choice, 0, why);
	attached->time = clock_ns(CLOCK_MONOTONIC) - began;
	if (!err) {
		attached->attached = more[trial->count].attached;
		if (more[trial->count].failed)
			refusals_find(&search, tried.list, tried.count);
		trial->count++;
	}
	if (code)
		munmap(code, size);
	free(tried.list);
	return err;
}

void trial_attached_free(struct trial_attached *attached)
{
	free(attached->refusals);
	memset(attached, 0, sizeof(*attached));
}

/* ---- return probes under seccomp ---- */

/* What the child calls and the probes are on. */
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

static void child_run(const int go[2])
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { .len = ARRAY_LEN(instructions), .filter = instructions };
	volatile int number = 0;
	char byte;

	close(go[1]);	/* else its end would never come */
	if (read(go[0], &byte, 1) != 1 || prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		syscall(SYS_exit_group, 2);
	probed_function(&number);
	syscall(SYS_exit_group, number == 1 ? 0 : 2);
}

/* Returns the child's wait status, or a negative errno. */
static int child_probe(struct trial *trial, uint64_t offset)
{
	struct elf_function function = { .offset = offset, .call = CALL_cudaMemGetInfo };
	struct elf_functions functions = { .list = &function, .count = 1 };
	const struct attach_choice all = { ~0u, ~0u };
	int listed = bpf_map__fd(trial->bpf.skeleton->maps.listed), own, go[2], status = 0, err;
	struct attachment attachment;
	__u32 one = 1, tgid;
	pid_t child;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		child_run(go);
	close(go[0]);
	if (child < 0) {
		close(go[1]);
		return -errno;
	}
	tgid = (__u32)child;
	own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	err = own < 0 ? -errno : bpf_map_update_elem(listed, &tgid, &one, BPF_ANY);
	if (!err)
		err = attachment_open(&attachment, &trial->bpf, own, &functions, &all, tgid, NULL);
	if (!err && write(go[1], "", 1) != 1)
		err = -errno;
	close(go[1]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!err)
		attachment_close(&attachment);
	bpf_map_delete_elem(listed, &tgid);
	if (own >= 0)
		close(own);
	return err ? err : status;
}

enum trial_verdict trial_seccomp(struct trial *trial)
{
	struct own_code code = { .address = (uint64_t)(uintptr_t)probed_function };
	__u32 images = trial->bpf.skeleton->bss->last_image;
	int status;

	/* Where there is no better, a return probe is no system call yet. */
	if (trial->bpf.features.method == ATTACH_PERF)
		return VERDICT_UNKNOWN;
	maps_visit(getpid(), own_mapping, &code);
	if (!code.found)
		return VERDICT_UNKNOWN;
	status = child_probe(trial, code.offset);
	if (status < 0 || trial->bpf.skeleton->bss->last_image == images)
		return VERDICT_UNKNOWN;	/* no probe fired: nothing is known */
	if (WIFSIGNALED(status))
		return VERDICT_KILLS;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? VERDICT_FINE : VERDICT_UNKNOWN;
}
