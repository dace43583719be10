/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kernels, on types made here of what a version has. */
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "probe/kernel.h"
#include "probe_tests.h"

static struct btf *types;

static void setup(void)
{
	types = btf__new_empty();
	ck_assert_ptr_nonnull(types);
	ck_assert_int_gt(btf__add_int(types, "int", 4, BTF_INT_SIGNED), 0);
}

static void teardown(void)
{
	btf__free(types);
}

FIXTURE(setup, teardown);

static void function_add(const char *name, int arguments)
{
	int proto = btf__add_func_proto(types, 1);

	for (; arguments; arguments--)
		ck_assert_int_eq(btf__add_func_param(types, "argument", 1), 0);
	ck_assert_int_gt(btf__add_func(types, name, BTF_FUNC_STATIC, proto), 0);
}

static void field_add(const char *type, const char *field)
{
	ck_assert_int_gt(btf__add_struct(types, type, 4), 0);
	ck_assert_int_eq(btf__add_field(types, field, 1, 0, 0), 0);
}

static struct kernel_facts facts_of(const char *release)
{
	struct kernel_facts facts = { .btf = true };

	snprintf(facts.release, sizeof(facts.release), "%s", release);
	kernel_table_read(&facts, types);
	return facts;
}

TEST(test_features)
{
	struct kernel_facts facts = facts_of("6.18.0");

	/* Whatever the version is, only what the types have is there. */
	ck_assert(!facts.loop && !facts.rcu_lock && !facts.multi);
	ck_assert(!facts.session && !facts.map_touch);
	function_add("bpf_loop", 4);
	function_add("bpf_find_vma", 5);
	function_add("bpf_rcu_read_lock", 0);
	ck_assert_int_gt(btf__add_enum(types, "bpf_attach_type", 4), 0);
	ck_assert_int_eq(btf__add_enum_value(types, "BPF_TRACE_UPROBE_MULTI", 48), 0);
	facts = facts_of("5.14.0-503.el9");
	ck_assert(facts.loop && facts.rcu_lock && facts.multi);
	ck_assert(!facts.session);
}

TEST_LOOP(test_sessions, 2)
{
	ck_assert_int_gt(btf__add_enum(types, "bpf_attach_type", 4), 0);
	ck_assert_int_eq(btf__add_enum_value(types, "BPF_TRACE_UPROBE_SESSION", 57), 0);
	field_add("task_struct", "bpf_ctx");
	field_add("bpf_session_run_ctx", "is_return");
	field_add("bpf_uprobe", "cookie");
	ck_assert(!facts_of("6.13.0").session);
	field_add("bpf_uprobe_multi_run_ctx", _i ? "session_ctx" : "uprobe");
	/* One of the two fields is not enough. */
	ck_assert(!facts_of("6.13.0").session);
	ck_assert_int_eq(btf__add_field(types, _i ? "uprobe" : "session_ctx", 1, 0, 0), 0);
	ck_assert(facts_of("6.13.0").session);
}

static const struct {
	const char *release;
	bool filtered_die;
} filtered[] = {
	{ "6.11.0", true },           { "6.11.11", true },
	{ "6.12.0-55.el10", true },   { "6.12.13", true },
	{ "6.12.14", false },         { "6.12.95+deb13-amd64", false },
	{ "6.13.0-rc7", true },       { "6.13.2", true },
	{ "6.13.3", false },          { "6.14.0-15-generic", false },
	{ "6.18.44-x", false },       { "7.0.0-rc1", false },
	{ "6.10.0-backports", true }, { "nonsense", true },
};

TEST_LOOP(test_filtered, ARRAY_LEN(filtered))
{
	/* A kernel whose return probes make no system call. */
	ck_assert(!facts_of(filtered[_i].release).filtered_die);
	function_add("__x64_sys_uretprobe", 0);
	ck_assert_int_eq(facts_of(filtered[_i].release).filtered_die, filtered[_i].filtered_die);
}

TEST(test_shadowed)
{
	/* A kernel without shadow stacks, then with them, then with the mend. */
	ck_assert(!facts_of("6.8.0").shadowed_die);
	function_add("shstk_alloc_thread_stack", 3);
	ck_assert(facts_of("6.8.0").shadowed_die);
	ck_assert(facts_of("6.18.0").shadowed_die);
	function_add("shstk_update_last_frame", 1);
	ck_assert(!facts_of("6.8.0").shadowed_die);
	ck_assert(!facts_of("6.18.0").shadowed_die);
}
