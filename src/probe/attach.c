/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates uprobe_multi links by bpf(2) itself, since libbpf before 1.3 does not know them. Kernels
 * without these links have one for each function, of a reduced list.
 */
#include "probe/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cuda/allocators.h"
#include "cuda/calls.h"
#include "cutop_python.h"
#include "util/saturated.h"

#define UPROBE_MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* ---- one link ---- */

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

/* What the kernel calls its perf events for functions of user space. */
struct perf_numbers {
	int type, return_bit;
};

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

static int perf_numbers_read(struct perf_numbers *perf)
{
	int err = number_in_file("/sys/bus/event_source/devices/uprobe/type", &perf->type);

	return err ? err :
		     number_in_file("/sys/bus/event_source/devices/uprobe/format/retprobe",
				    &perf->return_bit);
}

static int link_perf(int program, const char *path, const struct perf_numbers *perf, bool is_return,
		     __u64 offset, __u64 cookie)
{
	struct perf_event_attr attr = {
		.type = (__u32)perf->type,
		.size = sizeof(attr),
		.config = is_return ? 1ull << perf->return_bit : 0,
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

uint32_t attach_type_of(enum attach_method method)
{
	return method == ATTACH_SESSION ? ATTACH_TYPE_UPROBE_SESSION : ATTACH_TYPE_UPROBE_MULTI;
}

int link_places(int program, enum attach_method method, const char *path, const uint64_t *offsets,
		size_t count)
{
	static const __u64 cookies[PLACES_MAX];
	struct perf_numbers perf;
	__u64 places[PLACES_MAX];
	size_t i;
	int err;

	if (count > PLACES_MAX || (method == ATTACH_PERF && count > 1))
		return -E2BIG;
	for (i = 0; i < count; i++)
		places[i] = offsets[i];
	if (method != ATTACH_PERF)
		return link_multi(program, path, attach_type_of(method), places, cookies,
				  (__u32)count, 0, 0);
	err = perf_numbers_read(&perf);
	return err ? err : link_perf(program, path, &perf, false, places[0], 0);
}

/* ---- lists of functions ---- */

#define PROBE_LIST_MAX (CALL_COUNT + CUTOP_EXTRA_MAX)

struct probe_list {
	__u64 offsets[PROBE_LIST_MAX];
	__u64 cookies[PROBE_LIST_MAX];
	__u8 points[PROBE_LIST_MAX]; /* enum point */
	__u32 count;
	__u32 left_out;
};

/* What is being attached, and where. */
struct attaching {
	struct attachment *attachment;
	const struct bpf *bpf;
	const char *path;
	const struct elf_functions *functions;
	const struct attach_choice *choice;
	uint32_t pid; /* 0: all processes */
	struct perf_numbers perf;
	int error; /* why a link was refused last */
};

/* The description of @call, which may be none of the table's. */
static const struct call_desc *desc_of(unsigned int call)
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
	const struct call_desc *desc = desc_of(call);
	unsigned int lowest = choice->layers & 1u << LAYER_DRIVER ? LAYER_DRIVER : LAYER_RUNTIME;

	if (!choice_wants(choice, desc) && !choice_notices(choice, desc))
		return;
	if (desc->class == CLASS_ALLOC && desc->layer == LAYER_DRIVER && KIND_CAN_LEAK(desc->a))
		unprobed->allocs++;
	if (desc->class == CLASS_FREE && desc->layer == lowest)
		unprobed->frees++;
}

/*
 * Functions that are none of CUDA's. The user did not ask for them, so like noticed ones they are
 * left out of the counts.
 */
enum others { OTHERS_PYTHON, OTHERS_ALLOCATOR, OTHERS_POOL, OTHERS_COUNT };

static bool is_of(const struct bpf *bpf, unsigned int call, enum others others)
{
	const struct allocator_form *forms = (const void *)bpf->skeleton->rodata->allocator_forms;

	if (others == OTHERS_PYTHON)
		return CUTOP_IS_PYTHON(call);
	return CUTOP_IS_ALLOCATOR(call) &&
	       (forms[call - CUTOP_ALLOCATOR].act == BLOCK_MADE) == (others == OTHERS_POOL);
}

static struct bpf_programs others_programs(const struct bpf *bpf, enum others others)
{
	return others == OTHERS_PYTHON ?
		       (struct bpf_programs){ .enter = bpf->skeleton->progs.python_begins } :
		       bpf_allocator_programs(bpf, others == OTHERS_POOL);
}

/* Puts @function into the list, or counts it as left out. */
static void list_function(struct probe_list *list, const struct attaching *attaching,
			  const struct elf_function *function)
{
	if (function->point == POINT_NONE) {
		list->left_out++;
		unprobed_add(&attaching->attachment->unprobed, attaching->choice, function->call);
		return;
	}
	list->offsets[list->count] = function_probe_offset(function);
	list->points[list->count] = function->point;
	list->cookies[list->count++] = CUTOP_COOKIE(function->call, attaching->functions->library);
}

static void list_others(struct probe_list *list, const struct attaching *attaching,
			enum others others)
{
	const struct elf_functions *functions = attaching->functions;
	size_t i;

	list->count = 0;
	for (i = 0; i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (is_of(attaching->bpf, functions->list[i].call, others) &&
		    functions->list[i].point != POINT_NONE)
			list_function(list, attaching, &functions->list[i]);
}

/* True if functions with the programs of one and of @other go into the same links. */
static bool share_links(struct bpf_programs programs, struct bpf_programs other, bool sessions)
{
	if (sessions && (programs.session || other.session))
		return programs.session == other.session;
	return programs.enter == other.enter && programs.exit == other.exit;
}

/*
 * True if the function is worth a link of its own: one that keeps the books, not one that is only
 * timed.
 */
static bool is_worth_a_link(const struct attaching *attaching, const struct call_desc *desc)
{
	return attaching->bpf->features.method != ATTACH_PERF || desc->class != CLASS_PLAIN;
}

static bool is_wanted(const struct attaching *attaching, const struct elf_function *function,
		      struct bpf_programs programs)
{
	const struct call_desc *desc = desc_of(function->call);
	enum call_class class = function->entry_only ? CLASS_EXTRA_ENTRY : desc->class;

	return desc->class < CLASS_COUNT && choice_wants(attaching->choice, desc) &&
	       is_worth_a_link(attaching, desc) &&
	       share_links(programs, bpf_class_programs(attaching->bpf, class),
			   attaching->bpf->features.method == ATTACH_SESSION);
}

/*
 * The wanted functions from number @from on that have @programs. One name may be at several offsets
 * (a local copy): all are probed. Returns the number to go on from.
 */
static size_t list_wanted(struct probe_list *list, const struct attaching *attaching, size_t from,
			  struct bpf_programs programs)
{
	const struct elf_functions *functions = attaching->functions;
	size_t i;

	list->count = list->left_out = 0;
	/*
	 * The kernel places one probe after the other while the program runs. Functions that free come
	 * first: an allocation that is seen, whose free is not, would be live for ever.
	 */
	for (i = 0; !from && i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (desc_of(functions->list[i].call)->class == CLASS_FREE &&
		    is_wanted(attaching, &functions->list[i], programs))
			list_function(list, attaching, &functions->list[i]);
	for (i = from; i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (desc_of(functions->list[i].call)->class != CLASS_FREE &&
		    is_wanted(attaching, &functions->list[i], programs))
			list_function(list, attaching, &functions->list[i]);
	return i;
}

/* The functions of which only the use is noticed. */
static void list_noticed(struct probe_list *list, const struct attaching *attaching)
{
	const struct elf_functions *functions = attaching->functions;
	size_t i;

	list->count = list->left_out = 0;
	for (i = 0; i < functions->count && list->count < PROBE_LIST_MAX; i++)
		if (choice_notices(attaching->choice, desc_of(functions->list[i].call)))
			list_function(list, attaching, &functions->list[i]);
}

/* ---- attaching a list ---- */

enum link_kind { LINK_ENTRY, LINK_RETURN, LINK_SESSION };

static int link_make(const struct attaching *attaching, const struct bpf_program *program,
		     enum link_kind kind, const struct probe_list *list, __u32 first, __u32 count)
{
	int fd = bpf_program__fd(program);

	if (attaching->bpf->features.method == ATTACH_PERF)
		return link_perf(fd, attaching->path, &attaching->perf, kind == LINK_RETURN,
				 list->offsets[first], list->cookies[first]);
	return link_multi(fd, attaching->path,
			  kind == LINK_SESSION ? ATTACH_TYPE_UPROBE_SESSION :
						 ATTACH_TYPE_UPROBE_MULTI,
			  list->offsets + first, list->cookies + first, count,
			  kind == LINK_RETURN ? UPROBE_MULTI_RETURN : 0, attaching->pid);
}

/* Adds @fd to the links. Returns it, or -ENOMEM: then it is closed. */
static int link_keep(struct attachment *attachment, int fd)
{
	int *more = realloc(attachment->links, (attachment->link_count + 1) * sizeof(*more));

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	attachment->links = more;
	return more[attachment->link_count++] = fd;
}

static void attached_count(struct attachment *attachment, const struct probe_list *list,
			   __u32 first, __u32 count)
{
	__u32 i;

	attachment->attached += count;
	for (i = first; i < first + count; i++)
		attachment->points[list->points[i]]++;
}

/* True if there is no room now for a link, which may change. */
static bool has_no_room(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* True if the kernel refuses a link for a reason that is none of its functions'. */
static bool is_of_any_link(int error)
{
	return has_no_room(error) || error == -EPERM || error == -ESRCH || error == -E2BIG;
}

/*
 * Attaches a part of @list in one link, or, by perf links, in one for each. One function that cannot
 * be probed makes the kernel refuse the whole link; then the list is split in halves, so that only
 * the culprits stay out.
 */
static void list_link(struct attaching *attaching, const struct bpf_program *program,
		      enum link_kind kind, const struct probe_list *list, __u32 first, __u32 count,
		      bool counted)
{
	bool singly = attaching->bpf->features.method == ATTACH_PERF;
	struct attachment *attachment = attaching->attachment;
	__u32 i;
	int fd;

	if (!count)
		return;
	fd = singly && count > 1 ? -EINVAL :
				   link_make(attaching, program, kind, list, first, count);
	if (fd >= 0)
		fd = link_keep(attachment, fd);
	if (fd >= 0) {
		if (counted)
			attached_count(attachment, list, first, count);
		return;
	}
	if (count > 1 && !is_of_any_link(fd)) {
		list_link(attaching, program, kind, list, first, count / 2, counted);
		list_link(attaching, program, kind, list, first + count / 2, count - count / 2,
			  counted);
		return;
	}
	if (!has_no_room(attaching->error))
		attaching->error = fd;
	attachment->failed += count;
	for (i = first; i < first + count; i++)
		unprobed_add(&attachment->unprobed, attaching->choice,
			     CUTOP_COOKIE_CALL(list->cookies[i]));
}

/* What could not be placed so far for one attachment. */
struct refused {
	unsigned int failed;
	struct unprobed unprobed;
};

static struct refused refused_of(const struct attachment *attachment)
{
	return (struct refused){ attachment->failed, attachment->unprobed };
}

static void refused_set(struct attachment *attachment, struct refused refused)
{
	attachment->failed = refused.failed;
	attachment->unprobed = refused.unprobed;
}

/* Probes the functions of @list, which have @programs. */
static void list_attach(struct attaching *attaching, struct bpf_programs programs,
			const struct probe_list *list)
{
	struct attachment *attachment = attaching->attachment;
	struct refused before, returns;

	attachment->failed += list->left_out;
	if (attaching->bpf->features.method == ATTACH_SESSION && programs.session) {
		list_link(attaching, programs.session, LINK_SESSION, list, 0, list->count, true);
		return;
	}
	before = refused_of(attachment);
	/* Returns first: a return without an entry is harmless, an entry without a return is not. */
	if (programs.exit)
		list_link(attaching, programs.exit, LINK_RETURN, list, 0, list->count, false);
	/* A function whose entry and return are both refused counts once. */
	returns = refused_of(attachment);
	refused_set(attachment, before);
	list_link(attaching, programs.enter, LINK_ENTRY, list, 0, list->count, true);
	if (returns.failed > attachment->failed)
		refused_set(attachment, returns);
}

/*
 * The user did not ask for these probes, so they count neither as attached nor as failed. Returns
 * how many there are.
 */
static unsigned int list_attach_uncounted(struct attaching *attaching, struct bpf_programs programs,
					  const struct probe_list *list)
{
	bool session = attaching->bpf->features.method == ATTACH_SESSION && programs.session;
	unsigned int failed = attaching->attachment->failed, refused;

	if (!programs.enter)
		return 0;
	if (!session && programs.exit)
		list_link(attaching, programs.exit, LINK_RETURN, list, 0, list->count, false);
	attaching->attachment->failed = failed;
	list_link(attaching, session ? programs.session : programs.enter,
		  session ? LINK_SESSION : LINK_ENTRY, list, 0, list->count, false);
	refused = attaching->attachment->failed - failed;
	attaching->attachment->failed = failed;
	return list->count - refused;
}

static int all_attach(struct attaching *attaching)
{
	bool sessions = attaching->bpf->features.method == ATTACH_SESSION;
	struct attachment *attachment = attaching->attachment;
	const struct bpf *bpf = attaching->bpf;
	struct probe_list list;
	enum others others;
	uint32_t pid = attaching->pid;
	int class, before;
	size_t from;

	for (class = 0; class < CLASS_COUNT; class ++) {
		struct bpf_programs programs = bpf_class_programs(bpf, (enum call_class) class);

		for (before = 0; before < class; before++)
			if (share_links(programs, bpf_class_programs(bpf, (enum call_class)before),
					sessions))
				break;
		for (from = before < class ? attaching->functions->count : 0;
		     from < attaching->functions->count;) {
			from = list_wanted(&list, attaching, from, programs);
			list_attach(attaching, programs, &list);
		}
	}
	list_noticed(&list, attaching);
	attachment->noticed = list_attach_uncounted(
		attaching, (struct bpf_programs){ .enter = bpf->skeleton->progs.unwatched_enter },
		&list);
	for (others = 0; others < OTHERS_COUNT; others++) {
		struct unprobed unprobed = attachment->unprobed;

		list_others(&list, attaching, others);
		/* A process shows its interpreter only once, also before it is one of @pid's. */
		attaching->pid = others == OTHERS_PYTHON ? 0 : pid;
		attachment->noticed +=
			list_attach_uncounted(attaching, others_programs(bpf, others), &list);
		attachment->unprobed = unprobed;
	}
	attaching->pid = pid;
	/* A file with a part of its probes would miss calls for good: it is tried again, whole. */
	if (has_no_room(attaching->error))
		return attaching->error;
	if (attachment->attached || attachment->noticed)
		return 0;
	/* Functions that were left out on purpose are missing, but that is no error. */
	return attaching->error ? attaching->error : attachment->failed ? 0 : -ENOENT;
}

/* Each process has links of its own. Counts are those of the first process that still runs. */
static int processes_attach(struct attaching *attaching, struct attach_pids pids)
{
	struct attachment before;
	bool done = false;
	int err = 0, result;
	size_t i;

	if (!pids.count)
		return all_attach(attaching);
	for (i = 0; i < pids.count; i++) {
		before = *attaching->attachment;
		attaching->pid = pids.list[i];
		attaching->error = 0;
		result = all_attach(attaching);
		if (!result && !done) {
			done = true;
			continue;
		}
		err = result;
		if (has_no_room(err))
			return err;
		if (done || i + 1 < pids.count) {
			before.links = attaching->attachment->links;
			before.link_count = attaching->attachment->link_count;
			*attaching->attachment = before;
		}
	}
	return done ? 0 : err;
}

/* ---- attachments ---- */

int attachment_open(struct attachment *attachment, struct bpf *bpf, int fd,
		    const struct elf_functions *functions, const struct attach_choice *choice,
		    struct attach_pids pids, struct reason *why)
{
	char path[64];
	struct attaching attaching = { .attachment = attachment,
				       .bpf = bpf,
				       .path = path,
				       .functions = functions,
				       .choice = choice };
	size_t i;
	int err = 0;

	*attachment = (struct attachment){ .links = NULL };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bpf->features.method == ATTACH_PERF)
		err = perf_numbers_read(&attaching.perf);
	if (!err)
		err = processes_attach(&attaching, pids);
	if (err) { /* some returns may have links although their entries have none */
		for (i = 0; i < attachment->link_count; i++)
			close(attachment->links[i]);
		free(attachment->links);
		*attachment = (struct attachment){ .links = NULL };
	}
	if (err == -ENOENT)
		return reason_set(why, err, "has no function that is asked for");
	if (err)
		return reason_set(why, err, "the kernel refused the probes: %s%s", strerror(-err),
				  err == -EPERM ? " (needs CAP_BPF and CAP_PERFMON)" : "");
	return 0;
}

/* ---- hit cost ---- */

/*
 * What a hit of a probe costs a program on this machine.
 * Calls a function of two instructions with and without a probe. A loop of nothing else shows a
 * third of what a program pays, since its code and the kernel's stay in the caches: so before each
 * call as much memory is read as the nearer caches hold. The program that runs at the probe is the
 * one for launches, which finds that cutop itself is not watched.
 */

/*
 * What a watched program's hit takes, compared to one here, whose program ends at once: measured
 * with PyTorch, docs/cost.md.
 */
#define WATCHED    2.4
#define CALLS      64
#define CACHE_SIZE (2u << 20) /* bytes, of a second-level cache */
#define CACHE_LINE 64

#if defined(__x86_64__)
static const unsigned char probed_code[] = { 0x90, 0xc3 }; /* nop; ret */
#elif defined(__aarch64__)
static const unsigned char probed_code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The median of CALLS calls, each after the caches were filled from @memory. */
static uint64_t call_cost(void (*function)(void), const volatile unsigned char *memory)
{
	uint64_t took[CALLS], before;
	size_t i, at;

	for (i = 0; i < CALLS; i++) {
		for (at = 0; at < CACHE_SIZE; at += CACHE_LINE)
			(void)memory[at];
		before = clock_ns(CLOCK_MONOTONIC);
		function();
		took[i] = clock_ns(CLOCK_MONOTONIC) - before;
	}
	qsort(took, CALLS, sizeof(*took), compare);
	return took[CALLS / 2];
}

uint64_t hit_cost_measure(const struct bpf *bpf)
{
	struct bpf_programs programs = bpf_class_programs(bpf, CLASS_LAUNCH);
	bool session = bpf->features.method == ATTACH_SESSION && programs.session;
	int fd = file_in_memory("cutop-cost"), link = -1;
	uint64_t plain, probed = 0, offset = 0;
	unsigned char *memory = malloc(CACHE_SIZE);
	void (*function)(void);
	void *place = MAP_FAILED;
	char path[64];

	/* Older kernels take a tenth of a second to remove a probe. */
	if (fd < 0 || !memory || bpf->features.method == ATTACH_PERF ||
	    write(fd, probed_code, sizeof(probed_code)) != (ssize_t)sizeof(probed_code))
		goto out;
	place = mmap(NULL, sizeof(probed_code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (place == MAP_FAILED)
		goto out;
	memset(memory, 1, CACHE_SIZE);
	memcpy(&function, &place,
	       sizeof(function)); /* ISO C has no cast from data to probed_code */
	plain = call_cost(function, memory);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	link = link_places(bpf_program__fd(session ? programs.session : programs.enter),
			   session ? ATTACH_SESSION : ATTACH_MULTI, path, &offset, 1);
	if (link < 0)
		goto out;
	probed = subtract_saturated(call_cost(function, memory), plain);
out:
	if (link >= 0)
		close(link);
	if (place != MAP_FAILED)
		munmap(place, sizeof(probed_code));
	if (fd >= 0)
		close(fd);
	free(memory);
	return probed ? (uint64_t)(WATCHED * (double)probed) : HIT_COST_USUAL;
}
