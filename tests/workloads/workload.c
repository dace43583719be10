// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: CUDA programs in one, for tests and demonstrations.
 *
 *   workload [-v] [-k] [-l direct|handle|exc] SUBCOMMAND [ARGUMENT...]
 *
 * -v reports, -k keeps (does not free) what the subcommand would free, -l
 * says how kernels are launched: by the stub's address, by the handle that
 * __cudaGetKernel gave (as nvcc 13 does, the default), or by
 * cudaLaunchKernelExC.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "workload.h"

struct options options = { .way = LAUNCH_HANDLE };

static const struct {
	const char *name;
	int (*run)(void);
	const char *arguments;
} subcommands[] = {
	{ "case-study", case_study, "[leak]" },
	{ "pairs", pairs, "N SIZE" },
	{ "launches", launches, "N [THREADS]" },
	{ "copies", copies, "" },
	{ "arrays", arrays, "" },
	{ "threads", threads, "N ROUNDS" },
	{ "kinds", kinds, "" },
	{ "failures", failures, "" },
	{ "double-free", double_free, "" },
	{ "unknown-free", unknown_free, "" },
	{ "reset", reset, "" },
	{ "fork", fork_child, "" },
	{ "ipc", ipc, "" },
	{ "ipc-other", ipc_other, "" },
	{ "exec", exec_again, "[SUBCOMMAND...]" },
	{ "short", short_run, "" },
	{ "hang", hang, "[MS]" },
	{ "sync", sync_waits, "N US" },
	{ "nested", nested, "" },
	{ "driver-launch", driver_launch, "N" },
	{ "loop", loop, "[SECONDS]" },
	{ "network", network, "[SECONDS]" },
	{ "server", server, "[SECONDS]" },
	{ "trainer", trainer, "[SECONDS]" },
	{ "leaker", leaker, "[SECONDS]" },
	{ "copier", copier, "[SECONDS]" },
	{ "failing", failing, "[SECONDS]" },
	{ "demo", demo, "[SECONDS]" },
	{ "exhaust", exhaust, "[wait]" },
	{ "hold", hold, "MIB" },
	{ "fill", fill, "[properties|never]" },
	{ "broken", broken, "" },
	{ "contexts", contexts, "" },
	{ "pageable", pageable, "[wait]" },
	{ "stress-launch", stress_launch, "SECONDS THREADS" },
	{ "graphs", graphs, "SCENE [N]" },
	{ "calls", calls, "SECONDS [THREADS [PER_SECOND]]" },
	{ "churn", churn, "COUNT SECONDS PER_SECOND" },
	{ "brief", brief, "" },
	{ "spawn", spawn, "COUNT SECONDS" },
	{ "crowd", crowd, "COUNT SECONDS PER_SECOND" },
};

long number(int index, long otherwise)
{
	return index < options.argc ? strtol(options.argv[index], NULL, 0) : otherwise;
}

void must(cudaError_t err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "workload: %s: error %d\n", what, (int)err);
	exit(1);
}

void say(const char *format, ...)
{
	va_list args;

	if (!options.verbose)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void pause_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static int usage(void)
{
	size_t i;

	fputs("usage: workload [-v] [-k] [-l direct|handle|exc] SUBCOMMAND\n", stderr);
	for (i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		fprintf(stderr, "  %s %s\n", subcommands[i].name, subcommands[i].arguments);
	return 2;
}

/* Runs @words[0], a subcommand; what follows are its arguments. */
static int run(int count, char **words)
{
	size_t i;

	if (!count)
		return usage();
	options.argc = count - 1;
	options.argv = words + 1;
	for (i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		if (!strcmp(subcommands[i].name, words[0]))
			return subcommands[i].run();
	return usage();
}

int main(int argc, char **argv)
{
	char *act[2] = { getenv("WORKLOAD_SUBCOMMAND"), getenv("WORKLOAD_SECONDS") };
	int opt;

	options.program = argv[0];
	while ((opt = getopt(argc, argv, "+vkl:")) != -1)
		switch (opt) {
		case 'v': options.verbose = true; break;
		case 'k': options.keep = true; break;
		case 'l':
			options.way = !strcmp(optarg, "direct") ? LAUNCH_DIRECT :
				      !strcmp(optarg, "exc")    ? LAUNCH_EXC :
								  LAUNCH_HANDLE;
			break;
		default: return usage();
		}
	/* The demonstration's processes: their command line is only a name. */
	if (optind == argc && act[0])
		return run(act[1] ? 2 : 1, act);
	return run(argc - optind, argv + optind);
}
