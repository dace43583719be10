/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of CUDA, its libraries, the loader and frameworks, by how their names begin. Others
 * are not shown: they may be passwords. So may some of these be, by their names: their values are
 * struck out.
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

/* NVIDIA_API_KEY; and variables of Terraform, which share a prefix with TensorFlow's */
static const char *const secrets[] = { "KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "TF_VAR_" };

/* As strcasestr(3), but the same in all locales. */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; *text; text++)
		if (!ascii_ncasecmp(text, word, len))
			return true;
	return false;
}

/* Replaces the value of @variable with stars if it may be a secret; it becomes no longer. */
static void strike_out(char *variable)
{
	char *value = strchr(variable, '=');
	size_t i;

	if (!value)
		return;
	*value = 0;
	for (i = 0; i < ARRAY_LEN(secrets); i++)
		if (has_word(variable, secrets[i]))
			break;
	*value++ = '=';
	if (i == ARRAY_LEN(secrets))
		return;
	for (i = 0; value[i] && i < 3; i++)
		value[i] = '*';
	value[i] = 0;
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t variables_choose(char *environment, size_t len)
{
	size_t at, count = 0, used = 0, i;
	char **chosen;
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
		for (i = 0; i < count; i++)
			strike_out(chosen[i]);
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
