/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop: what CUDA programs do to the GPU, live.
 *
 * Data flows one way: BPF programs (bpf/) fill a ring buffer and counter maps;
 * the collector (collect/) reads them and feeds the model (model/); views
 * (out/, view/) get snapshots. This file reads the command line and hands
 * over to a mode.
 */
#include <locale.h>
#include <signal.h>

#include "batch.h"
#include "options.h"

int main(int argc, char **argv)
{
	struct options options;
	int status;

	setlocale(LC_ALL, "");
	/* A closed pipe is an error like others, found where we write. */
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(&options, argc, argv, &status) == OPTIONS_EXIT)
		return status;
	return batch_run(&options);
}
