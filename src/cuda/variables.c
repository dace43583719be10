/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of CUDA, its libraries, the loader and frameworks, by how their names begin. Others
 * are not shown: they may be passwords.
 */
#include "cuda/variables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static const char *const prefixes[] = {
	"CUBLAS", "CUDA_", "CUDNN_", "LD_", "NCCL_", "NVIDIA_", "PYTORCH", "TF_", "TORCH_", "XLA_",
};

static bool is_chosen(const char *variable)
{
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t variables_choose(char *environment, size_t len)
{
	size_t at, count = 0, used = 0, i;
	const char **chosen;
	char *copy;

	for (at = 0; at < len; at += strlen(environment + at) + 1)
		count += is_chosen(environment + at);
	copy = malloc(len + 1);
	chosen = calloc(count + 1, sizeof(*chosen));
	if (copy && chosen) {
		memcpy(copy, environment, len);
		copy[len] = 0;
		count = 0;
		for (at = 0; at < len; at += strlen(copy + at) + 1)
			if (is_chosen(copy + at))
				chosen[count++] = copy + at;
		qsort(chosen, count, sizeof(*chosen), compare);
		for (i = 0; i < count; i++)
			used = (size_t)(stpcpy(environment + used, chosen[i]) + 1 - environment);
	}
	if (!used)
		environment[0] = 0;
	free(copy);
	free(chosen);
	return used;
}
