/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CUDA_VISIBLE_DEVICES, as its writers write it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cuda/visible_devices.h"
#include "run_tests.h"

static char folder[] = "/tmp/cutop-gpus.XXXXXX";
static struct visible_gpus gpus;
static const struct visible_gpus no_gpus;

/* The driver's directory, with two devices. */
static void setup(void)
{
	static const char *const names[] = { "0000:17:00.0", "0000:65:00.0", "0000:ca:00.0" };
	static const char *const uuids[] = { "GPU-11112222-aaaa", "GPU-11113333-bbbb",
					     "GPU-44445555-cccc" };
	char path[256];
	FILE *file;
	int i;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
		snprintf(path, sizeof(path), "%s/%s/information", folder, names[i]);
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file,
			"Model: \t\t NVIDIA Something\nGPU UUID: \t %s\nDevice Minor: \t %d\n",
			uuids[i], 7 - i);
		fclose(file);
	}
	visible_gpus_read(folder, &gpus);
}

static void teardown(void)
{
	char command[300];

	visible_gpus_free(&gpus);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

FIXTURE(setup, teardown);

static void expect(const char *list, const char *numbers)
{
	char text[1024] = "";
	int devices[VISIBLE_MAX];
	size_t count = visible_parse(list, &gpus, devices), used = 0, i;

	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "",
					 devices[i]);
	ck_assert_msg(!strcmp(text, numbers), "%s gives %s, not %s", list, text, numbers);
}

TEST(lists)
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

TEST(at_most_so_many)
{
	char list[1024] = "";
	int devices[VISIBLE_MAX];
	size_t used = 0;
	int i;

	for (i = 0; i < 200; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%d,", i);
	ck_assert_uint_eq(visible_parse(list, &gpus, devices), VISIBLE_MAX);
	ck_assert_uint_eq(visible_parse("GPU-1111", &no_gpus, devices), 1);
	ck_assert_int_eq(devices[0], VISIBLE_UNKNOWN);
}

/*
 * What visible_find() makes of a process that was started with @start, has @now, whose strings end at
 * '|' (NULL: unreadable), and @node open; with @known devices.
 */
static void expect_with(const char *start, const char *now, const char *node, bool is_late,
			const struct visible_gpus *known, const char *numbers)
{
	const char *blocks[] = { start, now }, marks[] = { VISIBLE_START, VISIBLE_NOW };
	char text[1024] = "", *clues, *block;
	size_t len, count, used = 0, i, j;
	int devices[VISIBLE_MAX];
	FILE *out = open_memstream(&clues, &len);

	ck_assert_ptr_nonnull(out);
	for (j = 0; j < 2; j++) {
		block = blocks[j] ? strdup(blocks[j]) : NULL;
		for (i = 0; block && blocks[j][i]; i++)
			if (block[i] == '|')
				block[i] = 0;
		if (block)
			visible_clues_print(out, marks[j], block, strlen(blocks[j]));
		free(block);
	}
	if (node)
		fprintf(out, "%c%s%c", VISIBLE_NODE, node, 0);
	fclose(out);
	ck_assert_int_eq(visible_has_node(clues, len), node != NULL);
	count = visible_find(clues, len, is_late, known, devices);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "",
					 devices[i]);
	ck_assert_msg(!strcmp(text, numbers), "%s|%s|%s gives %s, not %s", start, now ? now : "-",
		      node ? node : "-", text, numbers);
	free(clues);
}

/* The same of its environment alone. */
static void expect_of(const char *environment, const char *numbers)
{
	expect_with(environment, NULL, NULL, false, &no_gpus, numbers);
}

TEST(environments)
{
	expect_of("A=1|B=2", "");
	expect_of("BASH_FUNC_which%%=() { 1|}", "");
	expect_of("A=1|NVIDIA_VISIBLE_DEVICES=all", "");
	expect_of("A=1|NVIDIA_VISIBLE_DEVICES=void|CUDA_VISIBLE_DEVICES=4", "4");
	/* A container's devices are numbered anew, in the machine's order. */
	expect_of("NVIDIA_VISIBLE_DEVICES=5,3", "3,5");
	expect_of("NVIDIA_VISIBLE_DEVICES=5,3|CUDA_VISIBLE_DEVICES=1", "5");
	expect_of("CUDA_VISIBLE_DEVICES=1,0,2|NVIDIA_VISIBLE_DEVICES=5,3", "5,3,-1");
	expect_of("NVIDIA_VISIBLE_DEVICES=GPU-12,2", "-1,-1");
	/* It sees none, and calls CUDA: it has set another list since. */
	expect_of("A=1|CUDA_VISIBLE_DEVICES=", "-1");
	expect_of("A=1|CUDA_VISIBLE_DEVICES=-1", "-1");
	/* A title is there instead. */
	expect_of("|||", "-1");
	expect_of("ray::train(x=1)|A=1", "-1");
	expect_of("ing worker 3|A=1", "-1");
	expect_of("", "");
	expect_of("A=1|CUDA_VISIBLE_DEVICES=3,1|B=2", "3,1");
}

/* What it has now counts; but of one that was met late it is not known since when. */
TEST(chosen)
{
	expect_with("A=1", "CUDA_VISIBLE_DEVICES=2", NULL, false, &no_gpus, "2");
	expect_with("CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=2", NULL, false, &no_gpus, "2");
	expect_with("CUDA_VISIBLE_DEVICES=1", "A=1", NULL, false, &no_gpus, "");
	expect_with("CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=2", NULL, true, &no_gpus, "-1");
	expect_with("CUDA_VISIBLE_DEVICES=1", "A=1", NULL, true, &no_gpus, "-1");
	expect_with("CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=1", NULL, true, &no_gpus, "1");
	expect_with("a title|A=1", "CUDA_VISIBLE_DEVICES=2", NULL, true, &no_gpus, "2");
	expect_with("NVIDIA_VISIBLE_DEVICES=5,3",
		    "NVIDIA_VISIBLE_DEVICES=5,3|CUDA_VISIBLE_DEVICES=1", NULL, false, &no_gpus,
		    "5");
	expect_with("CUDA_VISIBLE_DEVICES=GPU-4444,GPU-11112", NULL, NULL, false, &gpus, "2,0");
	expect_with("NVIDIA_VISIBLE_DEVICES=GPU-4444,GPU-11112", NULL, NULL, false, &gpus, "0,2");
}

/* /dev/nvidia7 is device 0, and so on. */
TEST(nodes)
{
	expect_with("A=1", NULL, "6", false, &gpus, "1");
	expect_with("A=1", NULL, "6", false, &no_gpus, "");
	expect_with("A=1", NULL, "4", false, &gpus, "");
	expect_with("a title", NULL, "5", false, &gpus, "2");
	expect_with("CUDA_VISIBLE_DEVICES=2,1", NULL, "6", false, &gpus, "2,1");
	expect_with("CUDA_VISIBLE_DEVICES=0", NULL, "6", false, &gpus, "1");
	expect_with("CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=2", "5", true, &gpus, "2");
}
