/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the skeleton. */
#include "probe/bpf.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cuda/allocators.h"
#include "cuda/pools.h"
#include "cuda/calls.h"
#include "probe/maps.h"
#include "probe/bpf_rows.h"

#define PROGRAMS(name) \
	(struct bpf_programs) \
	{ \
		bpf->skeleton->progs.name##_enter, bpf->skeleton->progs.name##_exit, \
			bpf->skeleton->progs.name##_session \
	}

/*
 * The programs of most calls, for functions whose returns are not wanted; or @alone where they are
 * not loaded.
 */
static struct bpf_programs programs_of_entry(const struct bpf *bpf, struct bpf_program *alone)
{
	struct bpf_programs programs = PROGRAMS(calls);

	if (bpf->entries_only || bpf->blind)
		return (struct bpf_programs){ .enter = alone };
	programs.exit = NULL;
	return programs;
}

struct bpf_programs bpf_class_programs(const struct bpf *bpf, enum call_class class)
{
	struct cutop_bpf *s = bpf->skeleton;
	struct bpf_programs programs;

	if (class == CLASS_REGISTER)
		return programs_of_entry(bpf, s->progs.register_enter);
	if (bpf->entries_only && (class == CLASS_EXTRA || class == CLASS_EXTRA_ENTRY))
		return (struct bpf_programs){ .enter = s->progs.extra_enter };
	if (bpf->entries_only && class != CLASS_HANDLE && class != CLASS_NAMED)
		return (struct bpf_programs){ .enter = s->progs.traced_enter };
	if (bpf->blind)
		return (struct bpf_programs){ .enter = s->progs.blind_enter };
	switch (class) {
	case CLASS_LAUNCH: return PROGRAMS(launch);
	case CLASS_EXTRA: return PROGRAMS(extra);
	case CLASS_EXTRA_ENTRY:
		programs = PROGRAMS(extra);
		programs.exit = NULL; /* and the session program asks for no return */
		return programs;
	default: return PROGRAMS(calls);
	}
}

struct bpf_programs bpf_allocator_programs(const struct bpf *bpf, bool with_returns)
{
	struct bpf_programs programs = PROGRAMS(calls);

	if (!with_returns)
		return programs_of_entry(bpf, bpf->skeleton->progs.allocator_tells);
	return bpf->entries_only || bpf->blind ? (struct bpf_programs){ .enter = NULL } : programs;
}

#undef PROGRAMS

static bool is_probe(const struct bpf_program *program)
{
	return !strncmp(bpf_program__section_name(program), "uprobe", 6);
}

/* @program is for the entries of functions alone, sessions or not. */
static void program_load_multi(struct bpf_program *program, enum attach_method method)
{
	bpf_program__set_autoload(program, true);
	if (method != ATTACH_PERF)
		bpf_program__set_expected_attach_type(
			program, (enum bpf_attach_type)ATTACH_TYPE_UPROBE_MULTI);
}

static void programs_choose(struct bpf *bpf, bool extras)
{
	enum attach_method method = bpf->features.method;
	enum bpf_attach_type multi = (enum bpf_attach_type)ATTACH_TYPE_UPROBE_MULTI;
	struct bpf_program *program;
	int class;

	bpf_object__for_each_program(program, bpf->skeleton->obj)
		if (is_probe(program))
			bpf_program__set_autoload(program, false);
	if (bpf->notices_driver)
		program_load_multi(bpf->skeleton->progs.unwatched_enter, method);
	if (bpf->skeleton->rodata->with_python)
		program_load_multi(bpf->skeleton->progs.python_begins, method);
	if (bpf->allocators && !bpf_allocator_programs(bpf, false).session)
		program_load_multi(bpf->skeleton->progs.allocator_tells, method);
	for (class = 0; class < CLASS_COUNT; class ++) {
		struct bpf_programs programs = bpf_class_programs(bpf, (enum call_class) class);
		struct bpf_program *pair[2] = { programs.enter, programs.exit };
		int i;

		if ((class == CLASS_EXTRA || class == CLASS_EXTRA_ENTRY) && !extras)
			continue;
		if (programs.session) {
			bpf_program__set_autoload(programs.session, method == ATTACH_SESSION);
			bpf_program__set_expected_attach_type(
				programs.session, (enum bpf_attach_type)ATTACH_TYPE_UPROBE_SESSION);
		}
		for (i = 0; i < 2; i++) {
			if (!pair[i])
				continue;
			bpf_program__set_autoload(pair[i],
						  method != ATTACH_SESSION || !programs.session);
			if (method != ATTACH_PERF)
				bpf_program__set_expected_attach_type(pair[i], multi);
		}
	}
	if (!bpf->features.map_function)
		bpf_program__set_autoload(bpf->skeleton->progs.file_mapping, false);
	if (!bpf->features.map_touch) {
		bpf_program__set_autoload(bpf->skeleton->progs.file_touch, false);
		bpf_program__set_autoload(bpf->skeleton->progs.file_touch_alone, false);
	}
	if (bpf->features.rcu_lock)
		return;
	/*
	 * Without RCU's lock a sleepable program could not be kept from sleeping: load the probes
	 * as programs that cannot sleep.
	 */
	bpf_object__for_each_program(program, bpf->skeleton->obj)
		if (is_probe(program))
			bpf_program__set_flags(program, 0);
}

struct load_log {
	char text[400]; /* libbpf's own last words, for -v and for errors */
};

static _Thread_local struct load_log *load_log;

static int __attribute__((format(printf, 2, 0)))
print_keep(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN && load_log && !load_log->text[0]) {
		va_list copy;

		va_copy(copy, args);
		vsnprintf(load_log->text, sizeof(load_log->text), format, copy);
		va_end(copy);
	}
	if (level == LIBBPF_WARN && getenv("CUTOP_DEBUG_LIBBPF"))
		vfprintf(stderr, format, args);
	return 0;
}

static int load_failed(int err, const struct load_log *log, struct reason *why)
{
	size_t len = strcspn(log->text, "\n");

	/* The seccomp filter of a container refuses the call before the kernel looks at capabilities. */
	if (err == -EPERM && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER)
		return reason_set(
			why, err,
			"bpf(2) is refused (%.*s), and a seccomp filter is in force; give the "
			"container a profile that lets CAP_BPF call bpf(2), or seccomp=unconfined",
			(int)len, log->text);
	if (err == -EPERM || err == -EACCES)
		return reason_set(
			why, err,
			"the kernel refused the BPF programs (%.*s); run cutop as root, and see "
			"/proc/sys/kernel/unprivileged_bpf_disabled and kernel lockdown",
			(int)len, log->text);
	return reason_set(why, err, "the kernel did not load the BPF programs: %.*s (%s)", (int)len,
			  log->text, strerror(-err));
}

static void trace_set(struct cutop_bpf *s, const struct trace_settings *trace)
{
	unsigned int call;

	for (call = 0; call < CALL_COUNT && trace->on; call++)
		s->rodata->call_traced[call] = (__u8)(trace->groups & 1u << call_descs[call].group ?
							      CUTOP_TRACED | call_out(call) :
							      0);
	s->rodata->tracing = trace->on;
	s->rodata->trace_entries = trace->entries;
	s->rodata->trace_pairs = trace->pairs;
	s->rodata->trace_arguments = trace->arguments;
	s->rodata->keep_books = !trace->no_books;
}

/*
 * How many launches pass before one is taken, if each is with the chance of 1 in 64 (LAUNCH_SAMPLE
 * of bpf/site_rows.bpf.h): the number for each of LAUNCH_GAPS parts of all cases.
 */
static void gaps_fill(volatile __u16 *gaps)
{
	double more = 63.0 / 64; /* the chance that more than `gap` pass */
	__u16 gap = 0;
	int i;

	for (i = 0; i < LAUNCH_GAPS; i++) {
		for (; more > 1 - (i + 0.5) / LAUNCH_GAPS; more *= 63.0 / 64)
			gap++;
		gaps[i] = gap;
	}
}

/* Native stacks are walked by rows: bpf/unwind.bpf.h. */
#if defined(__x86_64__)
#define HAVE_ROWS true
#else
#define HAVE_ROWS false
#endif

int bpf_prepare(struct bpf *bpf, const struct kernel_features *features,
		const struct bpf_settings *settings, struct reason *why)
{
	struct load_log log = { "" };
	struct cutop_bpf *s;
	unsigned int call;
	size_t i;
	int err;

	memset(bpf, 0, sizeof(*bpf));
	bpf->features = *features;
	bpf->entries_only = settings->trace.on && settings->trace.entries;
	bpf->allocators = settings->allocators;
	bpf->blind = settings->blind != UNRETURNED_NOT;
	/*
	 * Without return probes we cannot tell which driver calls are made inside a runtime call.
	 */
	bpf->notices_driver = settings->notice_driver && !(settings->layers & 1u << LAYER_DRIVER) &&
			      !bpf->blind && !bpf->entries_only;
	load_log = &log;
	libbpf_set_print(print_keep);
	s = calloc(1, sizeof(*s));
	if (!s || cutop_bpf__create_skeleton(s)) {
		free(s);
		return reason_set(why, -ENOMEM, "no memory");
	}
	bpf->skeleton = s;
	err = bpf_object__open_skeleton(s->skeleton, NULL);
	load_log = NULL;
	if (err) {
		load_failed(err, &log, why);
		bpf_close(bpf);
		return err;
	}
	for (call = 0; call < CALL_COUNT; call++)
		s->rodata->call_streams[call] = (__u8)call_stream(call);
	s->rodata->exact_launches = settings->exact_launches || settings->trace.on;
	s->rodata->launch_sites = settings->launch_sites;
	s->rodata->all_blocks = settings->all_blocks;
	for (i = 0; i < allocator_form_count(); i++)
		memcpy((void *)&s->rodata->allocator_forms[i], allocator_form(i),
		       sizeof(struct allocator_form));
	for (i = 0; settings->pools && i < settings->pools->function_count; i++)
		memcpy((void *)&s->rodata->allocator_forms[CUTOP_POOL - CUTOP_ALLOCATOR + i],
		       &settings->pools->functions[i].form, sizeof(struct allocator_form));
	gaps_fill(s->rodata->launch_gaps);
	if (!settings->launch_sites)
		bpf_map__set_max_entries(s->maps.call_sites, 1);
	trace_set(s, &settings->trace);
	s->rodata->refuse_all = settings->blind;
	s->rodata->with_rows = HAVE_ROWS && (settings->stacks || settings->stacks_by_rows);
	s->rodata->with_stacks = settings->stacks || s->rodata->with_rows;
	s->rodata->with_python = settings->python;
	s->rodata->python_alone = !settings->stacks;
	if (!settings->python) {
		bpf_map__set_max_entries(s->maps.python_stacks, 1);
		bpf_map__set_max_entries(s->maps.python_codes, 1);
	}
	s->rodata->ring_size = settings->ring_bytes;
	if (!s->rodata->with_stacks)
		bpf_map__set_max_entries(s->maps.stacks, 1);
	if (!s->rodata->with_rows)
		bpf_map__set_max_entries(s->maps.unwind_rows, 1);
	s->rodata->watch_runtime = settings->layers & 1u << LAYER_RUNTIME;
	s->rodata->watch_driver = settings->layers & 1u << LAYER_DRIVER;
	s->rodata->find_callers = s->rodata->watch_driver && settings->layers & 1u << LAYER_RUNTIME;
	s->rodata->only_listed = settings->only_listed;
	s->rodata->follow_children = settings->follow_children;
	s->rodata->only_uid = settings->only_uid;
	s->rodata->own_tgid = (__u32)getpid();
	s->rodata->wake_bytes = settings->ring_bytes / 8;
	s->rodata->locks_storage = features->rcu_lock;
	s->rodata->page_shift = (__u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	s->rodata->loaded_at = clock_ns(CLOCK_BOOTTIME);
	bpf_map__set_max_entries(s->maps.events, (__u32)settings->ring_bytes);
	programs_choose(bpf, settings->extras);
	return 0;
}

int bpf_load(struct bpf *bpf, struct reason *why)
{
	struct load_log log = { "" };
	int err;

	load_log = &log;
	err = bpf_object__load_skeleton(bpf->skeleton->skeleton);
	load_log = NULL;
	if (err) {
		load_failed(err, &log, why);
		bpf_close(bpf);
		return err;
	}
	slots_hand_out(bpf->skeleton);
	return 0;
}

int bpf_open(struct bpf *bpf, const struct kernel_features *features,
	     const struct bpf_settings *settings, struct reason *why)
{
	int err = bpf_prepare(bpf, features, settings, why);

	return err ? err : bpf_load(bpf, why);
}

void bpf_close(struct bpf *bpf)
{
	if (bpf->skeleton)
		cutop_bpf__destroy(bpf->skeleton);
	bpf->skeleton = NULL;
}

bool bpf_has_left(const struct bpf *bpf, uint32_t program)
{
	struct program_row row;

	return !bpf_map_lookup_elem(bpf_map__fd(bpf->skeleton->maps.programs), &program, &row) &&
	       row.end_time && row.end_reason == END_EXEC;
}

void bpf_ignore(struct bpf *bpf, uint32_t program, bool ignored)
{
	int map = bpf_map__fd(bpf->skeleton->maps.ignored);
	__u8 one = 1;

	if (!ignored)
		bpf_map_delete_elem(map, &program);
	else if (!bpf_map_update_elem(map, &program, &one, BPF_ANY))
		__atomic_fetch_add(&bpf->skeleton->bss->ignored_count, 1, __ATOMIC_RELEASE);
}

void bpf_mark_runtime(struct bpf *bpf, const struct file_id *id, const struct code_span *span)
{
	int map = bpf_map__fd(bpf->skeleton->maps.runtime_code);

	/* If the map is full, driver calls made from this code count as the program's own. */
	if (span)
		bpf_map_update_elem(map, id, span, BPF_ANY);
	else
		bpf_map_delete_elem(map, id);
	__atomic_fetch_add(&bpf->skeleton->bss->runtime_marks, 1, __ATOMIC_RELEASE);
}

void bpf_forget_marks(struct bpf *bpf)
{
	memset(bpf->skeleton->bss->known_marks, 0, sizeof(bpf->skeleton->bss->known_marks));
}

int bpf_identifier(const struct bpf *bpf)
{
	return bpf_program__fd(bpf->skeleton->progs.identify);
}
