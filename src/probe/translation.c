/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators are recognized by their names: such a program reads files like any other, so nothing
 * else tells it apart.
 */
#include "probe/translation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_internal.h"

#if defined(__aarch64__)
#define VALGRIND_MACHINE "arm64"
#define QEMU_MACHINE     "aarch64"
#else
#define VALGRIND_MACHINE "amd64"
#define QEMU_MACHINE     "x86_64"
#endif

#define VALGRIND(tool) \
	{ \
		tool "-" VALGRIND_MACHINE "-linux", "valgrind" \
	}

/* File names; a process name (comm) has the first 15 bytes of one. */
static const struct {
	const char *name, *kind;
} known[] = {
	VALGRIND("memcheck"),
	VALGRIND("cachegrind"),
	VALGRIND("callgrind"),
	VALGRIND("helgrind"),
	VALGRIND("drd"),
	VALGRIND("massif"),
	VALGRIND("dhat"),
	VALGRIND("lackey"),
	VALGRIND("none"),
	VALGRIND("exp-bbv"),
	{ "pinbin", "Pin" },
	{ "libdynamorio.so", "DynamoRIO" },
	{ "drrun", "DynamoRIO" },
	{ "qemu-" QEMU_MACHINE, "QEMU" },
	{ "qemu-" QEMU_MACHINE "-static", "QEMU" },
};

const char *translator_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (!strncmp(name, known[i].name, CUTOP_COMM_LEN - 1))
			return known[i].kind;
	return NULL;
}

static const char *kind_of_process(pid_t pid)
{
	char path[64], *comm;
	const char *kind;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	comm = file_read(path, 64, NULL);
	if (!comm)
		return NULL;
	comm[strcspn(comm, "\n")] = 0;
	kind = translator_kind(comm);
	free(comm);
	return kind;
}

void translator_tell(struct probe *probe, pid_t pid, const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL, *kind;
	unsigned int i;

	kind = program ? translator_kind(slash ? slash + 1 : program) : kind_of_process(pid);
	if (!kind || probe->translated_count == TRANSLATED_TOLD || probe_pids(probe).count)
		return;
	for (i = 0; i < probe->translated_count; i++)
		if (probe->translated[i] == pid)
			return;
	probe->translated[probe->translated_count++] = pid;
	probe_notice(
		probe, NOTICE_TRANSLATED, (uint32_t)pid,
		"process %d is translated (%s): probes are code to that, and are likely to end it by "
		"SIGTRAP if it calls CUDA; watch others by --pid",
		pid, kind);
}
