/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples are probed at the entry only: for a return probe the kernel maps "[uprobes]" as well.
 * A process of its own places the probes: it answers through a pipe, and they go when it exits, so
 * that cutop does not wait for that, which takes the kernel 40 ms, and a tenth of a second for each
 * link of the perf kind. Its children run the samples and answer by their exit status.
 */
#include "probe/formtest.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/attach.h"
#include "util/util.h"

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
