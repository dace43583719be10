/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples are probed at the entry only: for a return probe the kernel maps "[uprobes]" as well.
 * Children run them and answer by their exit status. Links of the perf kind, which older kernels
 * remove one by one in a tenth of a second each, are placed by a separate process: it answers
 * through a pipe, and the links go when it exits, so that cutop does not wait.
 */
#include "probe/formtest.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/attach.h"
#include "probe/links.h"
#include "util/util.h"

#define SAMPLE_ROOM     64 /* bytes for each sample */
#define SAMPLES_SIZE    (SAMPLE_ROOM * FORM_COUNT)
#define SAMPLES_SECONDS 2    /* for a child that a kernel has sent astray */
#define ANSWER_MS       5000 /* for all forms; a form takes about a millisecond */

int samples_open(struct samples *samples)
{
	unsigned char code[SAMPLES_SIZE];
	int err;
	size_t i;

	samples->code = NULL;
	samples->fd = file_in_memory("cutop-samples");
	if (samples->fd < 0)
		return samples->fd;
	memset(code, 0, sizeof(code));
	for (i = 0; i < FORM_COUNT; i++)
		memcpy(code + i * SAMPLE_ROOM, form_samples[i].code, form_samples[i].size);
	if (write(samples->fd, code, sizeof(code)) != (ssize_t)sizeof(code)) {
		err = errno ? -errno : -EIO;
		goto fail;
	}
	samples->code =
		mmap(NULL, SAMPLES_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, samples->fd, 0);
	if (samples->code != MAP_FAILED)
		return 0;
	err = -errno;
	samples->code = NULL;
fail:
	samples_close(samples);
	return err;
}

void samples_close(struct samples *samples)
{
	if (samples->code)
		munmap(samples->code, SAMPLES_SIZE);
	if (samples->fd >= 0)
		close(samples->fd);
	samples->code = NULL;
	samples->fd = -1;
}

uint64_t sample_offset(enum form form)
{
	return (uint64_t)form * SAMPLE_ROOM + form_samples[form].at;
}

void sample_links_init(struct sample_links *links)
{
	memset(links->fds, -1, sizeof(links->fds));
	memset(links->placed, 0, sizeof(links->placed));
}

void sample_links_open(struct sample_links *links, const struct samples *samples, int program,
		       enum attach_method method, const bool wanted[FORM_COUNT], bool returns)
{
	uint64_t offsets[FORM_COUNT];
	size_t count = 0, form;
	char path[64];

	sample_links_init(links);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", samples->fd);
	for (form = 0; form < FORM_COUNT; form++)
		if (wanted[form])
			offsets[count++] = sample_offset((enum form)form);
	links->fds[0] = count > 1 ? link_places(program, method, path, offsets, count, returns) :
				    -1;
	if (links->fds[0] >= 0) {
		memcpy(links->placed, wanted, sizeof(links->placed));
		return;
	}
	for (form = 0; form < FORM_COUNT; form++) {
		if (!wanted[form])
			continue;
		offsets[0] = sample_offset((enum form)form);
		links->fds[form] = link_places(program, method, path, offsets, 1, returns);
		links->placed[form] = links->fds[form] >= 0;
	}
}

void sample_links_close(struct sample_links *links)
{
	links_close(links->fds, FORM_COUNT);
	sample_links_init(links);
}

int sample_run(const struct samples *samples, enum form form)
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
static int samples_run(const struct samples *samples, const struct sample_links *links, int first,
		       int end)
{
	int status = 0, form;
	pid_t child = fork(), ended;

	if (!child) {
		child_limit(SAMPLES_SECONDS);
		if (have_copies())
			_exit(CHILD_FAILED);
		for (form = first; form < end; form++) {
			if (!links->placed[form])
				continue;
			if (sample_run(samples, (enum form)form))
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
static void samples_try(struct forms *forms, const struct samples *samples, int program,
			enum attach_method method, struct sample_links *links)
{
	bool wanted[FORM_COUNT];
	int form, stopped;

	memset(wanted, true, sizeof(wanted));
	sample_links_open(links, samples, program, method, wanted, false);
	for (form = 0; form < FORM_COUNT; form++)
		forms->verdicts[form] = links->placed[form] ? FORM_EMULATED : FORM_REFUSED;
	/* The mapping, once made, stays: the next child continues after the form that caused it. */
	for (form = 0; form < FORM_COUNT; form = stopped + 1) {
		stopped = samples_run(samples, links, form, FORM_COUNT);
		if (stopped < form || stopped > FORM_COUNT)
			break;
		if (stopped < FORM_COUNT)
			forms->verdicts[stopped] = FORM_STEPPED;
	}
	/* One of them kills, or fails: run each in a child of its own, to tell which. */
	for (; form < FORM_COUNT; form++) {
		stopped = links->placed[form] ? samples_run(samples, links, form, form + 1) :
						form + 1;
		if (stopped != form + 1)
			forms->verdicts[form] = stopped < 0 ? FORM_HARMS : FORM_STEPPED;
	}
	/*
	 * If not even FORM_OTHER takes a probe, nothing was learned; if it seems to be emulated,
	 * the test itself does not work.
	 */
	forms->tried = forms->verdicts[FORM_OTHER] == FORM_STEPPED;
}

static void forms_tried(struct forms *forms, enum attach_method method, struct sample_links *links)
{
	struct samples samples;
	struct forms tried;
	int program = program_load(method);

	memset(&tried, 0, sizeof(tried));
	if (program >= 0 && !samples_open(&samples)) {
		samples_try(&tried, &samples, program, method, links);
		samples_close(&samples);
	}
	if (program >= 0)
		close(program);
	if (tried.tried)
		*forms = tried;
}

/* ---- the perf kind ---- */

static void apart_run(int answer)
{
	int null = open("/dev/null", O_RDWR), i;
	struct sample_links links;
	struct forms forms;

	setsid();
	prctl(PR_SET_NAME, "cutop-forms");
	/* A reader of cutop's output must see its end when cutop ends. */
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);

	sample_links_init(&links);
	memset(&forms, 0, sizeof(forms));
	forms_tried(&forms, ATTACH_PERF, &links);
	if (write(answer, &forms, sizeof(forms)) != sizeof(forms))
		_exit(1);
	_exit(0); /* takes the probes down, which takes seconds */
}

/* Runs in a process that is not waited for: its parent ends at once. */
static void forms_try_apart(struct forms *forms)
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
			apart_run(ends[1]);
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

void forms_try(struct forms *forms, const struct kernel_features *features,
	       struct sample_links *left)
{
	const char *forced = getenv("CUTOP_TEST_FORMS");

	forms_default(forms);
	sample_links_init(left);
	if (features->method == ATTACH_PERF)
		forms_try_apart(forms);
	else
		forms_tried(forms, features->method, left);
	if (forced)
		forms_force(forms, forced);
}
