/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates uprobe_multi links by bpf(2) itself, since libbpf before 1.3 does not know them. Kernels
 * without these links have one for each function: attach_perf.c.
 */
#include "probe/attach_internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "cutop_allocator.h"
#include "cutop_python.h"
#include "probe/links.h"

#define ATTACH_TYPE_UPROBE_SESSION 57 /* Linux 6.13 */
#define UPROBE_MULTI_RETURN        1  /* BPF_F_UPROBE_MULTI_RETURN */

/* union bpf_attr's link_create with uprobe_multi, linux/bpf.h of Linux 6.6 */
struct link_create_multi {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 count, multi_flags, pid, pad;
};

static int link_multi(int program, const char *path, __u32 type, const __u64 *offsets,
		      const __u64 *cookies, __u32 count, __u32 flags, __u32 pid)
{
	struct link_create_multi attr = {
		.prog_fd = (__u32)program,
		.attach_type = type,
		.path = (__u64)path,
		.offsets = (__u64)offsets,
		.cookies = (__u64)cookies,
		.count = count,
		.multi_flags = flags,
		.pid = pid,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

uint32_t attach_type_of(enum attach_method method)
{
	return method == ATTACH_SESSION ? ATTACH_TYPE_UPROBE_SESSION : ATTACH_TYPE_UPROBE_MULTI;
}

#define PROBE_LIST_MAX (CALL_COUNT + CUTOP_EXTRA_MAX)

struct probe_list {
	__u64 offsets[PROBE_LIST_MAX];
	__u64 cookies[PROBE_LIST_MAX];
	__u8 points[PROBE_LIST_MAX]; /* enum point */
	__u32 count;
	__u32 left_out;
};

const struct call_desc *attach_desc_of(unsigned int call)
{
	static const struct call_desc extra = { .layer = LAYER_EXTRA, .class = CLASS_EXTRA };
	static const struct call_desc other = { .layer = LAYER_EXTRA, .class = CLASS_COUNT };

	return CUTOP_IS_EXTRA(call)                              ? &extra :
	       CUTOP_IS_PYTHON(call) || CUTOP_IS_ALLOCATOR(call) ? &other :
								   &call_descs[call];
}

/*
 * An allocation by a driver function is seen nowhere else, so a missing probe there counts. One by
 * a runtime function also reaches the driver, whose calls are watched or at least noticed. A free
 * that is missed makes a leak of what is none; frees are seen at the lowest layer that is watched.
 */
void unprobed_add(struct unprobed *unprobed, const struct attach_choice *choice, unsigned int call)
{
	const struct call_desc *desc = attach_desc_of(call);
	unsigned int lowest = choice->layers & 1u << LAYER_DRIVER ? LAYER_DRIVER : LAYER_RUNTIME;

	if (!choice_wants(choice, desc) && !choice_notices(choice, desc))
		return;
	if (desc->class == CLASS_ALLOC && desc->layer == LAYER_DRIVER && KIND_CAN_LEAK(desc->a))
		unprobed->allocs++;
	if (desc->class == CLASS_FREE && desc->layer == lowest)
		unprobed->frees++;
}

static void unprobed_list(struct attachment *attachment, const struct attach_choice *choice,
			  const struct probe_list *list, __u32 first, __u32 count)
{
	__u32 i;

	for (i = first; i < first + count; i++)
		unprobed_add(&attachment->unprobed, choice, CUTOP_COOKIE_CALL(list->cookies[i]));
}

bool attach_is_of(unsigned int call, enum others others)
{
	return others == OTHERS_PYTHON ? CUTOP_IS_PYTHON(call) : CUTOP_IS_ALLOCATOR(call);
}

struct bpf_programs attach_others_programs(const struct bpf *bpf, enum others others)
{
	return others == OTHERS_PYTHON ?
		       (struct bpf_programs){ .enter = bpf->skeleton->progs.python_begins } :
		       bpf_allocator_programs(bpf);
}

static void list_others(struct probe_list *list, const struct elf_functions *functions,
			enum others others)
{
	size_t i;

	list->count = 0;
	for (i = 0; i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (attach_is_of(functions->list[i].call, others) &&
		    functions->list[i].point != POINT_NONE) {
			list->offsets[list->count] = function_probe_offset(&functions->list[i]);
			list->cookies[list->count++] =
				CUTOP_COOKIE(functions->list[i].call, functions->library);
		}
}

/* True if functions with the programs of one and of @other go into the same links. */
static bool share_links(struct bpf_programs programs, struct bpf_programs other, bool sessions)
{
	if (sessions && (programs.session || other.session))
		return programs.session == other.session;
	return programs.enter == other.enter && programs.exit == other.exit;
}

/* Puts @function into the list, or counts it as left out. */
static void list_function(struct probe_list *list, struct unprobed *unprobed,
			  const struct attach_choice *choice, const struct elf_function *function,
			  uint16_t library)
{
	if (function->point == POINT_NONE) {
		list->left_out++;
		unprobed_add(unprobed, choice, function->call);
		return;
	}
	list->offsets[list->count] = function_probe_offset(function);
	list->points[list->count] = function->point;
	list->cookies[list->count++] = CUTOP_COOKIE(function->call, library);
}

/*
 * The wanted functions from number @from on that have @programs. One name may be at several offsets
 * (a local copy): all are probed. Returns the number to go on from.
 */
static size_t list_wanted(struct probe_list *list, struct unprobed *unprobed, const struct bpf *bpf,
			  const struct elf_functions *functions, size_t from,
			  struct bpf_programs programs, const struct attach_choice *choice)
{
	bool sessions = bpf->features.method == ATTACH_SESSION;
	size_t i;

	list->count = list->left_out = 0;
	for (i = from; i < functions->count && list->count < PROBE_LIST_MAX; i++) {
		const struct call_desc *desc = attach_desc_of(functions->list[i].call);

		if (desc->class < CLASS_COUNT && choice_wants(choice, desc) &&
		    share_links(programs, bpf_class_programs(bpf, desc->class), sessions))
			list_function(list, unprobed, choice, &functions->list[i],
				      functions->library);
	}
	return i;
}

/* The functions of which only the use is noticed. */
static void list_noticed(struct probe_list *list, struct unprobed *unprobed,
			 const struct elf_functions *functions, const struct attach_choice *choice)
{
	size_t i;

	list->count = list->left_out = 0;
	for (i = 0; i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (choice_notices(choice, attach_desc_of(functions->list[i].call)))
			list_function(list, unprobed, choice, &functions->list[i],
				      functions->library);
}

static void attached_count(struct attachment *attachment, const struct probe_list *list,
			   __u32 first, __u32 count)
{
	__u32 i;

	attachment->attached += count;
	for (i = first; i < first + count; i++)
		attachment->points[list->points[i]]++;
}

/*
 * Attaches @list in one link. One function that cannot be probed makes the kernel refuse the whole
 * link; then the list is split in halves, so that only the culprits stay out.
 */
static void attach_multi(struct attachment *attachment, int program, const char *path, __u32 type,
			 const struct attach_choice *choice, const struct probe_list *list,
			 __u32 first, __u32 count, __u32 flags, __u32 pid, int *error, bool counted)
{
	int fd;

	if (!count)
		return;
	if (attachment->link_count == ATTACH_LINKS_MAX) {
		*error = -E2BIG;
		attachment->failed += count;
		unprobed_list(attachment, choice, list, first, count);
		return;
	}
	fd = link_multi(program, path, type, list->offsets + first, list->cookies + first, count,
			flags, pid);
	if (fd >= 0) {
		attachment->links[attachment->link_count++] = fd;
		if (counted)
			attached_count(attachment, list, first, count);
		return;
	}
	*error = fd;
	/* These errors do not depend on which functions are in the link. */
	if (count == 1 || fd == -EPERM || fd == -ENOMEM || fd == -ESRCH || fd == -EMFILE ||
	    fd == -ENFILE) {
		attachment->failed += count;
		unprobed_list(attachment, choice, list, first, count);
		return;
	}
	attach_multi(attachment, program, path, type, choice, list, first, count / 2, flags, pid,
		     error, counted);
	attach_multi(attachment, program, path, type, choice, list, first + count / 2,
		     count - count / 2, flags, pid, error, counted);
}

/* What could not be placed so far for one attachment. */
struct refused {
	unsigned int failed;
	struct unprobed unprobed;
};

/* Probes the functions of @list, which have @programs. */
static void list_attach(struct attachment *attachment, const struct bpf *bpf, const char *path,
			struct bpf_programs programs, const struct attach_choice *choice,
			const struct probe_list *list, uint32_t pid, int *error)
{
	struct refused before, returns;

	attachment->failed += list->left_out;
	if (bpf->features.method == ATTACH_SESSION && programs.session) {
		attach_multi(attachment, bpf_program__fd(programs.session), path,
			     ATTACH_TYPE_UPROBE_SESSION, choice, list, 0, list->count, 0, pid,
			     error, true);
		return;
	}
	before = (struct refused){ attachment->failed, attachment->unprobed };
	/* Returns first: a return without an entry is harmless, an entry without a return is not. */
	if (programs.exit)
		attach_multi(attachment, bpf_program__fd(programs.exit), path,
			     ATTACH_TYPE_UPROBE_MULTI, choice, list, 0, list->count,
			     UPROBE_MULTI_RETURN, pid, error, false);
	/* A function whose entry and return are both refused counts once. */
	returns = (struct refused){ attachment->failed, attachment->unprobed };
	attachment->failed = before.failed;
	attachment->unprobed = before.unprobed;
	attach_multi(attachment, bpf_program__fd(programs.enter), path, ATTACH_TYPE_UPROBE_MULTI,
		     choice, list, 0, list->count, 0, pid, error, true);
	if (returns.failed > attachment->failed) {
		attachment->failed = returns.failed;
		attachment->unprobed = returns.unprobed;
	}
}

static int open_multi_in(struct attachment *attachment, struct bpf *bpf, const char *path,
			 const struct elf_functions *functions, const struct attach_choice *choice,
			 uint32_t pid)
{
	bool sessions = bpf->features.method == ATTACH_SESSION;
	struct probe_list list;
	enum others others;
	int class, before, error = 0;
	size_t from;

	for (class = 0; class < CLASS_COUNT; class ++) {
		struct bpf_programs programs = bpf_class_programs(bpf, (enum call_class) class);

		for (before = 0; before < class; before++)
			if (share_links(programs, bpf_class_programs(bpf, (enum call_class)before),
					sessions))
				break;
		for (from = before < class ? functions->count : 0; from < functions->count;) {
			from = list_wanted(&list, &attachment->unprobed, bpf, functions, from,
					   programs, choice);
			list_attach(attachment, bpf, path, programs, choice, &list, pid, &error);
		}
	}
	list_noticed(&list, &attachment->unprobed, functions, choice);
	if (list.count) {
		unsigned int failed = attachment->failed;

		attach_multi(attachment, bpf_program__fd(bpf->skeleton->progs.unwatched_enter),
			     path, ATTACH_TYPE_UPROBE_MULTI, choice, &list, 0, list.count, 0, pid,
			     &error, false);
		/*
		 * The user did not ask for these probes, so they count neither as attached nor as
		 * failed.
		 */
		attachment->noticed = list.count - (attachment->failed - failed);
		attachment->failed = failed;
	}
	for (others = 0; others < OTHERS_COUNT; others++) {
		struct refused refused = { attachment->failed, attachment->unprobed };
		struct bpf_programs programs = attach_others_programs(bpf, others);
		bool session = sessions && programs.session;

		list_others(&list, functions, others);
		if (!list.count)
			continue;
		/* A process shows its interpreter only once, also before it is one of @pid's. */
		attach_multi(attachment,
			     bpf_program__fd(session ? programs.session : programs.enter), path,
			     session ? ATTACH_TYPE_UPROBE_SESSION : ATTACH_TYPE_UPROBE_MULTI,
			     choice, &list, 0, list.count, 0, others == OTHERS_PYTHON ? 0 : pid,
			     &error, false);
		attachment->noticed += list.count - (attachment->failed - refused.failed);
		attachment->failed = refused.failed;
		attachment->unprobed = refused.unprobed;
	}
	if (attachment->attached || attachment->noticed)
		return 0;
	/* Functions that were left out on purpose are missing, but that is no error. */
	return error ? error : attachment->failed ? 0 : -ENOENT;
}

/* Gives @attachment the counts of @counted, and keeps its links. */
static void counts_set(struct attachment *attachment, const struct attachment *counted)
{
	attachment->attached = counted->attached;
	attachment->failed = counted->failed;
	attachment->noticed = counted->noticed;
	attachment->unprobed = counted->unprobed;
	memcpy(attachment->points, counted->points, sizeof(attachment->points));
}

/* Each process has links of its own. Counts are those of the first process that still runs. */
static int open_multi(struct attachment *attachment, struct bpf *bpf, const char *path,
		      const struct elf_functions *functions, const struct attach_choice *choice,
		      struct attach_pids pids)
{
	struct attachment before;
	bool done = false;
	int err = 0, result;
	size_t i;

	if (!pids.count)
		return open_multi_in(attachment, bpf, path, functions, choice, 0);
	for (i = 0; i < pids.count; i++) {
		before = *attachment;
		result = open_multi_in(attachment, bpf, path, functions, choice, pids.list[i]);
		if (!result && !done) {
			done = true;
			continue;
		}
		err = result;
		if (done || i + 1 < pids.count)
			counts_set(attachment, &before);
	}
	return done ? 0 : err;
}

int link_places(int program, enum attach_method method, const char *path, const uint64_t *offsets,
		size_t count, bool returns)
{
	static const __u64 cookies[PLACES_MAX];
	__u64 places[PLACES_MAX];
	size_t i;

	if (count > PLACES_MAX || (method == ATTACH_PERF && (count > 1 || returns)))
		return -E2BIG;
	for (i = 0; i < count; i++)
		places[i] = offsets[i];
	if (method != ATTACH_PERF)
		return link_multi(program, path, attach_type_of(method), places, cookies,
				  (__u32)count,
				  returns && method != ATTACH_SESSION ? UPROBE_MULTI_RETURN : 0, 0);
	return attach_perf_entry(program, path, places[0]);
}

int link_entry(int program, int fd, uint64_t offset, uint64_t cookie)
{
	const __u64 offsets[1] = { offset }, cookies[1] = { cookie };
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return link_multi(program, path, ATTACH_TYPE_UPROBE_MULTI, offsets, cookies, 1, 0, 0);
}

int attachment_open(struct attachment *attachment, struct bpf *bpf, int fd,
		    const struct elf_functions *functions, const struct attach_choice *choice,
		    struct attach_pids pids, struct reason *why)
{
	char path[64];
	int err;

	memset(attachment, 0, sizeof(*attachment));
	attachment->helper = -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bpf->features.method == ATTACH_PERF)
		err = attach_perf(attachment, bpf, path, functions, choice, fd);
	else
		err = open_multi(attachment, bpf, path, functions, choice, pids);
	if (err) { /* some returns may have links although their entries have none */
		attachment_close(attachment);
		memset(attachment, 0, sizeof(*attachment));
		attachment->helper = -1;
	}
	if (err == -ENOENT)
		return reason_set(why, err, "has no function that is asked for");
	if (err)
		return reason_set(why, err, "the kernel refused the probes: %s%s", strerror(-err),
				  err == -EPERM ? " (needs CAP_BPF and CAP_PERFMON)" : "");
	return 0;
}

void attachment_close(struct attachment *attachment)
{
	size_t i;

	for (i = 0; i < attachment->link_count; i++)
		close(attachment->links[i]);
	attachment->link_count = 0;
	if (attachment->helper >= 0)
		close(attachment->helper);
	attachment->helper = -1;
}

void attachments_close(struct attachment *attachments, size_t count)
{
	size_t i, j, links = 0;
	int *fds;

	for (i = 0; i < count; i++)
		links += attachments[i].link_count;
	fds = calloc(links ? links : 1, sizeof(*fds));
	for (i = 0, links = 0; i < count && fds; i++) {
		for (j = 0; j < attachments[i].link_count; j++)
			fds[links++] = attachments[i].links[j];
		attachments[i].link_count = 0;
	}
	if (fds)
		links_close(fds, links);
	free(fds);
	/* One helper each; if there is no memory for the list, do it one by one. */
	for (i = 0; i < count; i++)
		attachment_close(&attachments[i]);
}
