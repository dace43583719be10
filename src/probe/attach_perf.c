/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf method, for kernels without uprobe_multi links: one link for each function of a reduced
 * list. libbpf's own perf links would make one object per function. A helper child makes the links,
 * reports how many, closes everything else and waits until its pipe closes. When cutop ends, however
 * it ends, the pipe closes and the helper exits; the kernel then removes its links one by one.
 */
#include "probe/attach_internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads the number at the end of a one-line file: "8", "config:0". */
static int number_in_file(const char *path, int *number)
{
	char *text = file_read(path, 256, NULL), *digits;
	int err = -EINVAL;

	if (!text)
		return -errno;
	digits = text + strcspn(text, "0123456789");
	if (*digits) {
		*number = atoi(digits);
		err = 0;
	}
	free(text);
	return err;
}

static int link_perf(int program, const char *path, int type, int return_bit, bool is_return,
		     __u64 offset, __u64 cookie)
{
	struct perf_event_attr attr = {
		.type = (__u32)type,
		.size = sizeof(attr),
		.config = is_return ? 1ull << return_bit : 0,
		.config1 = (__u64)path, /* uprobe_path */
		.config2 = offset,      /* probe_offset */
	};
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = cookie);
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), link;

	if (event < 0)
		return -errno;
	link = bpf_link_create(program, event, BPF_PERF_EVENT, &options);
	close(event); /* the link holds it */
	return link;
}

int attach_perf_entry(int program, const char *path, uint64_t offset)
{
	int type, err = number_in_file("/sys/bus/event_source/devices/uprobe/type", &type);

	return err ? err : link_perf(program, path, type, 0, false, offset, 0);
}

/*
 * The functions that are worth a link each: those that keep the books, not those that are only
 * timed.
 */
static bool in_reduced_list(const struct call_desc *desc)
{
	return desc->class != CLASS_PLAIN;
}

struct helper_report {
	unsigned int attached, failed, noticed, points[POINT_COUNT];
	struct unprobed unprobed;
	int error;
};

static void helper_attach(struct bpf *bpf, const char *path, const struct elf_functions *functions,
			  const struct attach_choice *choice, struct helper_report *report)
{
	int type = 0, return_bit = 0;
	enum others others;
	size_t i;

	report->error = number_in_file("/sys/bus/event_source/devices/uprobe/type", &type);
	if (!report->error)
		report->error = number_in_file(
			"/sys/bus/event_source/devices/uprobe/format/retprobe", &return_bit);
	if (report->error)
		return;
	for (i = 0; i < functions->count; i++) {
		const struct elf_function *function = &functions->list[i];
		const struct call_desc *desc = attach_desc_of(function->call);
		struct bpf_programs programs;
		int link = 0;

		for (others = 0; others < OTHERS_COUNT; others++)
			if (attach_is_of(function->call, others))
				break;
		if (others < OTHERS_COUNT) {
			if (function->point != POINT_NONE)
				link = link_perf(
					bpf_program__fd(attach_others_programs(bpf, others).enter),
					path, type, return_bit, false,
					function_probe_offset(function),
					CUTOP_COOKIE(function->call, functions->library));
			report->noticed += function->point != POINT_NONE && link >= 0;
			continue;
		}
		if (choice_notices(choice, desc)) {
			if (function->point != POINT_NONE)
				link = link_perf(
					bpf_program__fd(bpf->skeleton->progs.unwatched_enter), path,
					type, return_bit, false, function_probe_offset(function),
					function->call);
			if (function->point != POINT_NONE && link >= 0)
				report->noticed++;
			else
				unprobed_add(&report->unprobed, choice, function->call);
			continue;
		}
		if (!in_reduced_list(desc) || !choice_wants(choice, desc))
			continue;
		if (function->point == POINT_NONE) {
			report->failed++;
			unprobed_add(&report->unprobed, choice, function->call);
			continue;
		}
		programs = bpf_class_programs(bpf, (enum call_class)desc->class);
		if (programs.exit)
			link = link_perf(bpf_program__fd(programs.exit), path, type, return_bit,
					 true, function_probe_offset(function),
					 CUTOP_COOKIE(function->call, functions->library));
		if (link >= 0)
			link = link_perf(bpf_program__fd(programs.enter), path, type, return_bit,
					 false, function_probe_offset(function),
					 CUTOP_COOKIE(function->call, functions->library));
		if (link >= 0) {
			report->attached++;
			report->points[function->point]++;
		} else {
			report->failed++;
			report->error = link;
			unprobed_add(&report->unprobed, choice, function->call);
		}
	}
}

/*
 * Closes what the helper must not hold, above all other helpers' pipes, which otherwise would never
 * close.
 */
static void helper_close_others(struct bpf *bpf, const int *keep, size_t keep_count)
{
	long max = sysconf(_SC_OPEN_MAX), fd;
	struct bpf_program *program;
	size_t i;

	if (max < 0 || max > 65536)
		max = 65536;
	for (fd = 3; fd < max; fd++) {
		bool kept = false;

		for (i = 0; i < keep_count && !kept; i++)
			kept = keep[i] == fd;
		bpf_object__for_each_program(program, bpf->skeleton->obj)
			kept = kept || bpf_program__fd(program) == fd;
		if (!kept)
			close((int)fd);
	}
}

static void helper_run(struct bpf *bpf, const char *path, const struct elf_functions *functions,
		       const struct attach_choice *choice, int alive, int answer, int target)
{
	struct helper_report report = { 0 };
	int null = open("/dev/null", O_RDWR);
	char byte;
	int i;

	helper_close_others(bpf, (int[]){ alive, answer, target, null }, 4);
	setsid();
	prctl(PR_SET_NAME, "cutop-probes");
	for (i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	/* A reader of cutop's output must see its end when cutop ends. */
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	helper_attach(bpf, path, functions, choice, &report);
	/* Holding links takes no rights. */
	capabilities_clear();
	if (write(answer, &report, sizeof(report)) < 0)
		_exit(1);
	close(answer);
	while (read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

int attach_perf(struct attachment *attachment, struct bpf *bpf, const char *path,
		const struct elf_functions *functions, const struct attach_choice *choice,
		int target)
{
	struct helper_report report = { 0 };
	int alive[2], answer[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(alive, O_CLOEXEC))
		return -errno;
	if (pipe2(answer, O_CLOEXEC)) {
		close(alive[0]);
		close(alive[1]);
		return -errno;
	}
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close(alive[0]);
		close(alive[1]);
		close(answer[0]);
		close(answer[1]);
		return err;
	}
	if (!pid) {
		/* Fork twice, so that cutop never has to wait for the helper. */
		pid = fork();
		if (pid)
			_exit(pid < 0);
		close(alive[1]);
		close(answer[0]);
		helper_run(bpf, path, functions, choice, alive[0], answer[1], target);
	}
	close(alive[0]);
	close(answer[1]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	do {
		n = read(answer[0], &report, sizeof(report));
	} while (n < 0 && errno == EINTR);
	close(answer[0]);
	if (n != sizeof(report) ||
	    (!report.attached && !report.noticed && (report.error || !report.failed))) {
		close(alive[1]);
		if (n == sizeof(report) && !report.error)
			return -ENOENT;
		return n == sizeof(report) ? report.error : -EIO;
	}
	attachment->helper = alive[1];
	attachment->attached = report.attached;
	attachment->failed = report.failed;
	attachment->noticed = report.noticed;
	attachment->unprobed = report.unprobed;
	memcpy(attachment->points, report.points, sizeof(attachment->points));
	return 0;
}
