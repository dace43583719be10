/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What cutop doctor concludes: from kernels, rights and libraries that are not
 * those of the machine the test runs on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "one_doctor.h"

/* ---- the machine ---- */

FIXTURE(setup, teardown);

TEST(test_all_is_well)
{
	size_t i;

	doctor_check_machine(&doctor);
	ck_assert_int_lt(doctor_worst(&doctor), DOCTOR_WARNING);
	for (i = 0; i < doctor.finding_count; i++)
		ck_assert_ptr_null(doctor.findings[i].advice);
	expect("version", DOCTOR_OK, "6.18.44-x", NULL);
	expect("attach_method", DOCTOR_OK, "session", NULL);
	expect("programs", DOCTOR_OK, "load", NULL);
	ck_assert_ptr_null(finding_of("cost")); /* it was not measured */
	expect("seccomp", DOCTOR_OK, "do no harm", NULL);
	expect("driver", DOCTOR_NOTE, "no NVIDIA driver", NULL);
	ck_assert_ptr_null(finding_of("lockdown"));
	ck_assert_ptr_null(finding_of("jit"));
}

TEST(test_no_btf)
{
	doctor.facts.kernel = (struct kernel_facts){ .release = "6.1.0" };
	doctor.facts.tried = false;
	doctor_check_machine(&doctor);
	expect("version", DOCTOR_OK, "6.1.0", NULL);
	expect("btf", DOCTOR_PROBLEM, "no BTF", "CONFIG_DEBUG_INFO_BTF=y");
	expect("attach_method", DOCTOR_PROBLEM, "BTF", "6.1");
	expect("programs", DOCTOR_UNKNOWN, "whether", NULL);
	ck_assert_int_eq(doctor_worst(&doctor), DOCTOR_PROBLEM);
}

TEST(test_old_kernels)
{
	doctor.facts.kernel = (struct kernel_facts){ .release = "5.10.0-28-amd64", .btf = true };
	doctor_check_machine(&doctor);
	expect("version", DOCTOR_PROBLEM, "too old", "6.1");
	expect("attach_method", DOCTOR_PROBLEM, "too old", "6.1");
	doctor_free(&doctor);
	setup();
	doctor.facts.kernel =
		(struct kernel_facts){ .release = "5.19.0", .btf = true, .loop = true };
	doctor_check_machine(&doctor);
	expect("attach_method", DOCTOR_WARNING, "perf", "6.6");
	ck_assert_int_eq(doctor_worst(&doctor), DOCTOR_WARNING);
	doctor_free(&doctor);
	setup();
	doctor.facts.kernel = (struct kernel_facts){
		.release = "6.6.1", .btf = true, .loop = true, .multi = true
	};
	doctor_check_machine(&doctor);
	expect("attach_method", DOCTOR_OK, "multi", NULL);
	/*
	 * The BPF of a later version in a kernel that calls itself older, and one that says
	 * nothing.
	 */
	doctor_free(&doctor);
	setup();
	snprintf(doctor.facts.kernel.release, sizeof(doctor.facts.kernel.release),
		 "5.14.0-570.12.1.el9_6.x86_64");
	doctor_check_machine(&doctor);
	expect("version", DOCTOR_OK, "5.14.0-570", NULL);
	expect("attach_method", DOCTOR_OK, "session", NULL);
	doctor_free(&doctor);
	setup();
	doctor.facts.kernel = (struct kernel_facts){ .release = "4.18.0-553.el8_10.x86_64" };
	doctor_check_machine(&doctor);
	expect("version", DOCTOR_PROBLEM, "too old", "6.1");
}

TEST(test_forced_method)
{
	doctor.facts.forced = "multi";
	doctor_check_machine(&doctor);
	expect("attach_method", DOCTOR_OK, "multi", NULL);
	doctor_free(&doctor);
	setup();
	doctor.facts.forced = "session";
	doctor.facts.kernel.session = false;
	doctor_check_machine(&doctor);
	expect("attach_method", DOCTOR_PROBLEM, "no 'session' links", "CUTOP_ATTACH");
}

/* kernel_features_decide() itself. */
TEST(test_features)
{
	struct kernel_facts facts = {
		.release = "7.0.0-rc1", .btf = true, .loop = true, .multi = true, .session = true
	};
	struct kernel_features features;
	struct reason why = { "" };

	ck_assert_int_eq(kernel_features_decide(&features, &facts, NULL, &why), 0);
	ck_assert_int_eq(features.method, ATTACH_SESSION);
	ck_assert(!features.map_function);
	ck_assert(!features.filtered_die && !features.shadowed_die);
	facts.map_function = facts.map_touch = facts.filtered_die = facts.shadowed_die = true;
	ck_assert_int_eq(kernel_features_decide(&features, &facts, NULL, &why), 0);
	ck_assert(features.map_function && features.map_touch);
	ck_assert(features.filtered_die && features.shadowed_die);
	ck_assert_int_eq(kernel_features_decide(&features, &facts, "perf", &why), 0);
	ck_assert_int_eq(features.method, ATTACH_PERF);
	ck_assert_int_eq(kernel_features_decide(&features, &facts, "kprobe", &why), -EINVAL);
	facts.session = facts.multi = false;
	ck_assert_int_eq(kernel_features_decide(&features, &facts, "multi", &why), -ENOTSUP);
	ck_assert_int_eq(kernel_features_decide(&features, &facts, "", &why), 0);
	ck_assert_int_eq(features.method, ATTACH_PERF);
	facts.btf = false;
	ck_assert_int_eq(kernel_features_decide(&features, &facts, NULL, &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "BTF"));
	ck_assert_uint_eq(kernel_version("6.18.44-fc"), KERNEL_AT(6, 18, 44));
	ck_assert_uint_eq(kernel_version("5.4.0-1234-aws"), KERNEL_AT(5, 4, 0));
	ck_assert_uint_eq(kernel_version("6.1.999"), KERNEL_AT(6, 1, 255));
	ck_assert_uint_eq(kernel_version("nonsense"), 0);
	ck_assert(kernel_rights_suffice(1u << RIGHT_ADMIN));
	ck_assert(kernel_rights_suffice(1u << RIGHT_BPF | 1u << RIGHT_PERFMON));
	ck_assert(!kernel_rights_suffice(1u << RIGHT_BPF | 1u << RIGHT_PTRACE));
}

TEST(test_refused_by_the_kernel)
{
	doctor.facts.load_error = -EPERM;
	snprintf(doctor.facts.load_why.text, sizeof(doctor.facts.load_why.text),
		 "refused\033[2J: see lockdown");
	snprintf(doctor.facts.lockdown, sizeof(doctor.facts.lockdown), "confidentiality");
	doctor.facts.jit = 0;
	doctor_check_machine(&doctor);
	expect("programs", DOCTOR_PROBLEM, "refused", "dmesg");
	ck_assert_ptr_null(strchr(finding_of("programs")->text, '\033'));
	expect("lockdown", DOCTOR_PROBLEM, "confidentiality", "lockdown=confidentiality");
	expect("jit", DOCTOR_WARNING, "interpreted", "bpf_jit_enable=1");
	expect("written_over", DOCTOR_OK, "waits 45 s", NULL);
	ck_assert_ptr_null(finding_of("processes"));
	doctor_free(&doctor);
	setup();
	doctor.facts.own_pids = true;
	doctor.facts.leases = 0;
	doctor.facts.watch_error = reason_set(&doctor.facts.watch_why, -EACCES, "cannot watch");
	doctor_check_machine(&doctor);
	expect("pid_namespace", DOCTOR_PROBLEM, "of our own", "--pid=host");
	expect("processes", DOCTOR_PROBLEM, "cannot watch", "lockdown");
	ck_assert_ptr_null(finding_of("loading"));
	expect("written_over", DOCTOR_WARNING, "late", "leases-enable=1");
	doctor_free(&doctor);
	setup();
	doctor.facts.loading = -ENOENT;
	doctor_check_machine(&doctor);
	expect("loading", DOCTOR_WARNING, "No such file", "Linux 6.12");
	doctor_free(&doctor);
	setup();
	doctor.facts.loading = LOADING_TOUCH;
	doctor_check_machine(&doctor);
	expect("loading", DOCTOR_OK, "mm_filemap_map_pages", NULL);
	doctor_free(&doctor);
	setup();
	doctor.facts.loading = LOADING_FUNCTION;
	doctor_check_machine(&doctor);
	expect("loading", DOCTOR_OK, "ksys_mmap_pgoff", NULL);
}

TEST(test_harm)
{
	doctor_check_machine(&doctor);
	expect("seccomp", DOCTOR_OK, "do no harm", NULL);
	ck_assert_ptr_null(finding_of("shadow_stacks"));
	doctor_free(&doctor);
	setup();
	doctor.facts.kernel.filtered_die = doctor.facts.kernel.shadowed_die = true;
	doctor_check_machine(&doctor);
	expect("seccomp", DOCTOR_WARNING, "none are placed", "6.14");
	expect("shadow_stacks", DOCTOR_WARNING, "where one runs", "6.11");
}

TEST(test_rights)
{
	doctor.facts.rights = (struct kernel_rights_held){ 0, ALL_RIGHTS };
	doctor.facts.tried = false;
	doctor_check_machine(&doctor);
	expect("CAP_BPF", DOCTOR_PROBLEM, "CAP_BPF missing", "setcap cap_bpf,cap_perfmon,");
	expect("CAP_PERFMON", DOCTOR_PROBLEM, "missing", "/usr/bin/cutop");
	expect("CAP_SYS_PTRACE", DOCTOR_WARNING, "missing", "setcap");
	expect("CAP_SYS_ADMIN", DOCTOR_NOTE, "missing", NULL);
	expect("programs", DOCTOR_UNKNOWN, "whether", NULL);
	doctor_free(&doctor);
	setup();
	doctor.facts.kernel.session = doctor.facts.kernel.multi = false;
	doctor.facts.rights.effective &= ~(1u << RIGHT_ADMIN);
	doctor_check_machine(&doctor);
	expect("CAP_SYS_ADMIN", DOCTOR_PROBLEM, "before 6.6", "cap_sys_admin+ep");
	doctor_free(&doctor);
	setup();
	/* As under docker run --cap-add PERFMON */
	doctor.facts.rights.effective = doctor.facts.rights.bounding = 1u << RIGHT_PERFMON;
	doctor_check_machine(&doctor);
	expect("CAP_BPF", DOCTOR_PROBLEM, "missing", "--cap-add BPF)");
	expect("CAP_PERFMON", DOCTOR_OK, "held", NULL);
	expect("CAP_DAC_READ_SEARCH", DOCTOR_WARNING, "missing", "--cap-add DAC_READ_SEARCH");
	doctor_free(&doctor);
	setup();
	doctor.facts.rights.effective = 1u << RIGHT_ADMIN;
	doctor_check_machine(&doctor);
	expect("CAP_BPF", DOCTOR_OK, "stands in", NULL);
	expect("CAP_SYS_PTRACE", DOCTOR_WARNING, "missing", "setcap");
	ck_assert_int_eq(doctor_worst(&doctor), DOCTOR_WARNING);
}

/* ---- functions ---- */

/* A runtime of these functions, each a page from the next. */
static struct elf_functions functions_of(struct elf_function *list, const uint16_t *calls,
					 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		list[i] = (struct elf_function){ .offset = 0x1000 * (i + 1), .call = calls[i] };
	return (struct elf_functions){ .list = list, .count = count };
}

TEST(test_functions)
{
	static const uint16_t calls[] = { CALL_cudaMalloc, CALL_cudaFree, CALL_cudaMemcpy,
					  CALL_cudaGetDevice };
	struct attach_choice choice = { .groups = ~(1u << GROUP_QUERY), .layers = ~0u };
	struct doctor_functions *result = malloc(sizeof(*result));
	struct elf_function list[5];
	struct elf_functions found = functions_of(list, calls, 4);
	unsigned int sum = 0, i;

	list[4] = (struct elf_function){ .offset = list[2].offset, .call = CALL_cudaMemcpy_ptds };
	found.aliases = 1;
	list[1].point = POINT_NONE;
	functions_judge(result, &found, &choice);
	ck_assert_int_eq(result->list[CALL_cudaMalloc].state, FUNCTION_PROBED);
	ck_assert_int_eq(result->list[CALL_cudaFree].state, FUNCTION_OFF);
	ck_assert_int_eq(result->list[CALL_cudaMemcpy].state, FUNCTION_PROBED);
	/* a further name of the same address */
	ck_assert_int_eq(result->list[CALL_cudaMemcpy_ptds].state, FUNCTION_PROBED);
	ck_assert_int_eq(result->list[CALL_cudaGetDevice].state, FUNCTION_OFF);
	ck_assert_int_eq(result->list[CALL_cudaLaunchKernel].state, FUNCTION_ABSENT);
	/* the driver's functions are no business of a runtime */
	ck_assert_uint_eq(result->layers, 1u << LAYER_RUNTIME);
	ck_assert_uint_lt(result->table, CALL_COUNT);
	for (i = 0; i < FUNCTION_STATE_COUNT; i++)
		sum += result->counts[i];
	ck_assert_uint_eq(sum, result->table);
	free(result);
}

TEST(test_file_checks)
{
	struct doctor_file *files = calloc(3, sizeof(*files)), *list[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		list[i] = &files[i];
		files[i].seen.fd = -1;
	}
	files[0] = (struct doctor_file){ .seen.fd = -1,
					 .path = "/usr/bin/other",
					 .kind = FILE_NOTHING };
	files[1] = (struct doctor_file){ .seen.fd = -1,
					 .path = "/lib/libcudart.so.13",
					 .kind = FILE_RUNTIME,
					 .version = 13000,
					 .found.count = 10 };
	files[2] = (struct doctor_file){
		.seen.fd = -1, .path = "/tmp/x", .kind = FILE_NOTHING, .wanted = true
	};
	doctor.files = list;
	doctor.file_count = 3;
	doctor_check_files(&doctor);
	expect("nothing", DOCTOR_PROBLEM, "/tmp/x", "CUDA functions");
	ck_assert_ptr_null(finding_of("none"));
	ck_assert(!file_is_shown(&files[0]) && file_is_shown(&files[1]));
	ck_assert_int_eq(file_state(&files[1]), DOCTOR_OK);
	doctor.file_count = 1;
	doctor_check_files(&doctor);
	expect("none", DOCTOR_NOTE, "no CUDA library", "--library");
	doctor.files = NULL;
	doctor.file_count = 0;
	free(files);
}
