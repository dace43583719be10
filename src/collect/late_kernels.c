/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image's variables are looked for when the first handle of it is not known,
 * and their values read again for each further one: a program fills them
 * one by one. Both are bounded, since a program may launch what it likes.
 */
#include "collect/late_kernels.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uthash.h>

#include "names/debugfile.h"
#include "names/handles.h"
#include "probe/maps.h"

#define LOOKS_MAX	256	/* at the values of an image's variables */
#define FILES_MAX	1024	/* looked at, of an image */
#define BATCH		512	/* variables read by one system call */

struct late_image {
	uint32_t image;
	unsigned int looks;
	struct handle_variables variables;
	uint64_t *values;
	UT_hash_handle hh;
};

struct late_kernels {
	struct late_image *images;
};

struct late_kernels *late_kernels_new(void)
{
	return calloc(1, sizeof(struct late_kernels));
}

static void image_free(struct late_kernels *late, struct late_image *image)
{
	HASH_DEL(late->images, image);
	handles_free(&image->variables);
	free(image->values);
	free(image);
}

void late_kernels_forget(struct late_kernels *late, uint32_t id)
{
	struct late_image *image;

	HASH_FIND(hh, late->images, &id, sizeof(id), image);
	if (image)
		image_free(late, image);
}

void late_kernels_free(struct late_kernels *late)
{
	struct late_image *image, *next;

	if (!late)
		return;
	HASH_ITER(hh, late->images, image, next)
		image_free(late, image);
	free(late);
}

/* ---- finding the variables ---- */

struct file_search {
	struct late_image *image;
	pid_t pid;
	unsigned int files;
	uint64_t inode;		/* of the mapping before: a file's mappings follow one another */
};

static int file_visit(void *context, const struct maps_entry *entry)
{
	struct file_search *search = context;
	const char *roots[] = { NULL, "/", NULL };
	char root[64];
	int fd, debug_fd;

	if (entry->inode == search->inode)
		return 0;
	search->inode = entry->inode;
	if (++search->files > FILES_MAX)
		return 1;
	fd = maps_open(search->pid, entry);
	if (fd < 0)
		return 0;
	snprintf(root, sizeof(root), "/proc/%d/root", search->pid);
	roots[0] = root;
	debug_fd = debug_file_open(fd, roots, entry->path);
	handles_read(fd, debug_fd, entry->start, entry->offset, &search->image->variables);
	if (debug_fd >= 0)
		close(debug_fd);
	close(fd);
	return 0;
}

static struct late_image *image_new(struct late_kernels *late, uint32_t id, pid_t pid)
{
	struct late_image *image = calloc(1, sizeof(*image));
	struct file_search search = { .image = image, .pid = pid };

	if (!image)
		return NULL;
	image->image = id;
	HASH_ADD(hh, late->images, image, sizeof(image->image), image);
	maps_visit(pid, file_visit, &search);
	image->values = calloc(image->variables.count + 1, sizeof(*image->values));
	return image;
}

/* ---- reading them ---- */

static void values_read(struct late_image *image, pid_t pid)
{
	struct iovec local[BATCH], remote[BATCH];
	size_t at, i, count;

	for (at = 0; at < image->variables.count; at += count) {
		count = image->variables.count - at < BATCH ? image->variables.count - at : BATCH;
		for (i = 0; i < count; i++) {
			remote[i] = (struct iovec){ (void *)(uintptr_t)image->variables.list[at + i].address, sizeof(uint64_t) };
			local[i] = (struct iovec){ &image->values[at + i], sizeof(uint64_t) };
		}
		/* It stops at the first that is not there; those behind it keep what they were. */
		process_vm_readv(pid, local, count, remote, count, 0);
	}
}

static const char *name_find(const struct late_image *image, uint64_t handle)
{
	size_t i;

	for (i = 0; i < image->variables.count; i++)
		if (image->values[i] == handle)
			return image->variables.list[i].kernel;
	return NULL;
}

const char *late_kernels_name(struct late_kernels *late, uint32_t id, pid_t pid, uint64_t handle)
{
	struct late_image *image;
	const char *name;

	if (!handle)
		return NULL;
	HASH_FIND(hh, late->images, &id, sizeof(id), image);
	if (!image)
		image = image_new(late, id, pid);
	if (!image || !image->values || !image->variables.count)
		return NULL;
	name = name_find(image, handle);
	if (name || image->looks >= LOOKS_MAX)
		return name;
	image->looks++;
	values_read(image, pid);
	return name_find(image, handle);
}
