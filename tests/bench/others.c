/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * others queue|ring LIBRARY LOSS -- COMMAND: runs COMMAND under probes of another design
 * (others.bpf.c), on the functions that the worker calls, each with a perf link of its own as those
 * tools have. Events are taken out by a thread: from the queue once a second, from the ring as they
 * come. The file LOSS gets a line: events sent, events lost.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "others.skel.h"
#include "probe/elffile.h"

static const char *const wanted[] = {
	"cudaLaunchKernel",      "cudaMalloc",      "cudaFree", "cudaMemcpy",
	"cudaDeviceSynchronize", "cudaMemcpyAsync",
};

struct reader {
	struct others_bpf *skeleton;
	struct ring_buffer *ring; /* NULL: the queue */
	int stop;
};

static int is_wanted(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(wanted); i++)
		if (!strcmp(name, wanted[i]))
			return 1;
	return 0;
}

static int attach_one(struct bpf_program *program, bool at_return, const char *path,
		      uint64_t offset)
{
	return bpf_program__attach_uprobe(program, at_return, -1, path, offset) ? 0 : -1;
}

static int attach(struct others_bpf *s, bool ring, const char *path)
{
	struct elf_functions found;
	struct reason why = { "" };
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	size_t i;

	if (fd < 0 || elffile_functions(fd, &found, &why)) {
		fprintf(stderr, "others: %s: %s\n", path, why.text);
		return -1;
	}
	for (i = 0; i < found.count && !err; i++) {
		const char *name = call_name(found.list[i].call);
		uint64_t offset = found.list[i].offset;

		if (!is_wanted(name))
			continue;
		if (!ring && !strcmp(name, "cudaLaunchKernel")) {
			err = attach_one(s->progs.queue_launch, false, path, offset);
			continue;
		}
		err = attach_one(ring ? s->progs.ring_enter : s->progs.queue_enter, false, path,
				 offset);
		if (!err)
			err = attach_one(ring ? s->progs.ring_leave : s->progs.queue_leave, true,
					 path, offset);
	}
	free(found.list);
	close(fd);
	return err;
}

static int ring_read(void *context, void *data, size_t size)
{
	(void)context;
	(void)data;
	(void)size;
	return 0;
}

static void queue_empty(int map)
{
	char event[64];

	while (!bpf_map_lookup_and_delete_elem(map, NULL, event))
		;
}

static void *reader_run(void *argument)
{
	struct reader *reader = argument;
	struct pollfd wake = { .fd = reader->stop, .events = POLLIN };

	for (;;) {
		if (reader->ring)
			ring_buffer__poll(reader->ring, 100);
		else
			queue_empty(bpf_map__fd(reader->skeleton->maps.queue));
		if (poll(&wake, 1, reader->ring ? 0 : 1000))
			return NULL;
	}
}

int main(int argc, char **argv)
{
	struct reader reader = { 0 };
	pthread_t thread;
	int status, stop[2];
	bool ring;
	FILE *out;
	pid_t pid;

	if (argc < 6 || strcmp(argv[4], "--")) {
		fprintf(stderr, "usage: others queue|ring LIBRARY LOSS -- COMMAND\n");
		return 2;
	}
	ring = !strcmp(argv[1], "ring");
	reader.skeleton = others_bpf__open_and_load();
	if (!reader.skeleton || pipe(stop) || attach(reader.skeleton, ring, argv[2])) {
		perror("others: attach");
		return 1;
	}
	reader.stop = stop[0];
	if (ring)
		reader.ring = ring_buffer__new(bpf_map__fd(reader.skeleton->maps.ring), ring_read,
					       NULL, NULL);
	if (pthread_create(&thread, NULL, reader_run, &reader))
		return 1;
	pid = fork();
	if (!pid) {
		execvp(argv[5], argv + 5);
		perror(argv[5]);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	close(stop[1]);
	pthread_join(thread, NULL);
	out = fopen(argv[3], "a");
	if (!out)
		return 1;
	fprintf(out, "%llu %llu\n", (unsigned long long)reader.skeleton->bss->sent,
		(unsigned long long)reader.skeleton->bss->lost);
	fclose(out);
	return status != 0;
}
