/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CUDA_VISIBLE_DEVICES, as its writers write it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/visible_devices.h"
#include "run_tests.h"

static char gpus[] = "/tmp/cutop-gpus.XXXXXX";

/* The driver's directory, with two devices. */
static void setup(void)
{
	static const char *const names[] = { "0000:17:00.0", "0000:65:00.0", "0000:ca:00.0" };
	static const char *const uuids[] = { "GPU-11112222-aaaa", "GPU-11113333-bbbb",
					     "GPU-44445555-cccc" };
	char path[256];
	FILE *file;
	int i;

	ck_assert_ptr_nonnull(mkdtemp(gpus));
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", gpus, names[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
		snprintf(path, sizeof(path), "%s/%s/information", gpus, names[i]);
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file,
			"Model: \t\t NVIDIA Something\nGPU UUID: \t %s\nDevice Minor: \t %d\n",
			uuids[i], i);
		fclose(file);
	}
}

static void teardown(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", gpus);
	ck_assert_int_eq(system(command), 0);
}

static void expect(const char *list, const char *numbers)
{
	char text[1024] = "";
	int devices[VISIBLE_MAX];
	size_t count = visible_parse(list, gpus, devices), used = 0, i;

	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "",
					 devices[i]);
	ck_assert_msg(!strcmp(text, numbers), "%s gives %s, not %s", list, text, numbers);
}

START_TEST(lists)
{
	expect("", "");
	expect("0", "0");
	expect("3,1,2", "3,1,2");
	expect(" 1 , 0 ", "1,0");
	expect("2,-1,3", "2");
	expect("-1", "");
	expect("1,two,3", "1");
	expect("1x", "");
	expect("1,,2", "1");
	expect("1,1", "");
	expect("99999999999999999999", "");
	expect("NoDevFiles", "");
	expect("GPU-44445555-cccc,GPU-1111222", "2,0");
	expect("GPU-1111", ""); /* of two devices */
	expect("GPU-", "");
	expect("1,GPU-9999", "1");
	/* A part of a device: the one whose UUID it names, or an unknown one; it is the only one. */
	expect("MIG-GPU-11112222/1/0", "0");
	expect("MIG-GPU-44445555-cccc/3/0,1", "2");
	expect("MIG-GPU-1111/1/0", "");
	expect("MIG-d6a2bd84-1111-5f05-a8a7-9a7b4ea38bc7", "-1");
	expect("MIG-d6a2bd84,MIG-9a7b4ea3", "-1");
	expect("1,MIG-d6a2bd84", "1,-1");
	expect("MIG-", "");
}
END_TEST

START_TEST(at_most_so_many)
{
	char list[1024] = "";
	int devices[VISIBLE_MAX];
	size_t used = 0;
	int i;

	for (i = 0; i < 200; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%d,", i);
	ck_assert_uint_eq(visible_parse(list, gpus, devices), VISIBLE_MAX);
	ck_assert_uint_eq(visible_parse("GPU-1111", "/no/such/directory", devices), 1);
	ck_assert_int_eq(devices[0], VISIBLE_UNKNOWN);
	ck_assert_uint_eq(visible_find("A=1\0CUDA_VISIBLE_DEVICES=3,1\0B=2", 35, devices), 2);
	ck_assert_int_eq(devices[0], 3);
	ck_assert_uint_eq(visible_find("A=1", 4, devices), 0);
	ck_assert_uint_eq(visible_find("", 0, devices), 0);
}
END_TEST

/* What visible_find() makes of @environment, whose strings end at '|'. */
static void expect_of(const char *environment, const char *numbers)
{
	char text[1024] = "", *block = strdup(environment);
	size_t len = strlen(block), count, used = 0, i;
	int devices[VISIBLE_MAX];

	ck_assert_ptr_nonnull(block);
	for (i = 0; i < len; i++)
		if (block[i] == '|')
			block[i] = 0;
	count = visible_find(block, len, devices);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "",
					 devices[i]);
	ck_assert_msg(!strcmp(text, numbers), "%s gives %s, not %s", environment, text, numbers);
	free(block);
}

START_TEST(environments)
{
	expect_of("A=1|B=2", "");
	expect_of("BASH_FUNC_which%%=() { 1|}", "");
	expect_of("A=1|NVIDIA_VISIBLE_DEVICES=all", "");
	expect_of("A=1|NVIDIA_VISIBLE_DEVICES=void|CUDA_VISIBLE_DEVICES=4", "4");
	/* A container's devices are numbered anew, in the machine's order. */
	expect_of("NVIDIA_VISIBLE_DEVICES=5,3", "3,5");
	expect_of("NVIDIA_VISIBLE_DEVICES=5,3|CUDA_VISIBLE_DEVICES=1", "5");
	expect_of("CUDA_VISIBLE_DEVICES=1,0,2|NVIDIA_VISIBLE_DEVICES=5,3", "5,3,-1");
	/* The driver's directory is not there, or has no such device. */
	if (access("/proc/driver/nvidia/gpus", F_OK))
		expect_of("NVIDIA_VISIBLE_DEVICES=GPU-12,2", "-1,-1");
	/* It sees none, and calls CUDA: it has set another list since. */
	expect_of("A=1|CUDA_VISIBLE_DEVICES=", "-1");
	expect_of("A=1|CUDA_VISIBLE_DEVICES=-1", "-1");
	/* A title is there instead. */
	expect_of("|||", "-1");
	expect_of("ray::train(x=1)|A=1", "-1");
	expect_of("ing worker 3|A=1", "-1");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("visible");

	tcase_add_unchecked_fixture(tests, setup, teardown);
	tcase_add_test(tests, lists);
	tcase_add_test(tests, environments);
	tcase_add_test(tests, at_most_so_many);
	return tests_run(tests, "visible");
}
