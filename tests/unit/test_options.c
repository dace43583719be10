/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line, and which processes its globs match. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/process_identity.h"
#include "model/identity.h"
#include "cuda/calls.h"
#include "cli/options.h"
#include "probe_tests.h"

static struct options options;
static int status;

/* @line is split at blanks. */
static bool parse(const char *line)
{
	static char copy[1024], *argv[64];
	char *word, *rest = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "cutop %s", line);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	optind = 0; /* getopt(3): begin anew */
	status = -1;
	return options_parse(&options, argc, argv, &status) == OPTIONS_RUN;
}

TEST(test_options)
{
	ck_assert(parse("-b"));
	ck_assert(options.batch);
	ck_assert_uint_eq(options.delay, NSEC_PER_SEC);
	ck_assert_uint_eq(options.leak_age, 10 * NSEC_PER_SEC);
	ck_assert_uint_eq(options.map_max, 1000);
	ck_assert_uint_eq(options.ring_bytes, 16 << 20);
	ck_assert_uint_eq(options.names_bytes, 128 << 20);
	ck_assert_uint_eq(options.iterations, 0);
	ck_assert_uint_eq(options.uid, (uint32_t)-1);
	ck_assert(!(options.groups & 1u << GROUP_QUERY));
	ck_assert_ptr_null(options.command);
	ck_assert_str_eq(options.sort.keys[0]->name, "live");

	ck_assert(parse(
		"-bvr -n3 -d0.25 --duration=2.5 -fcsv -o x -p1,22 -p 333 -u root -c *py* -s leaked,pid -lruntime"));
	ck_assert(options.verbose && options.sort.reverse);
	ck_assert_uint_eq(options.iterations, 3);
	ck_assert_uint_eq(options.delay, NSEC_PER_SEC / 4);
	ck_assert_uint_eq(options.duration, 5 * NSEC_PER_SEC / 2);
	ck_assert_int_eq(options.format, FORMAT_CSV);
	ck_assert_str_eq(options.output, "x");
	ck_assert_uint_eq(options.pid_count, 3);
	ck_assert_uint_eq(options.pids[2], 333);
	ck_assert_uint_eq(options.uid, 0);
	ck_assert_str_eq(options.command_glob, "*py*");
	ck_assert_uint_eq(options.sort.count, 2);

	/*
	 * Which ring it was asked for, before or after, and words that stay as they are: recordings
	 * keep them.
	 */
	ck_assert(parse("record --ring-size 1M --trace -o x"));
	ck_assert_uint_eq(options.ring_bytes, 1 << 20);
	ck_assert(parse("record --trace -p 11,12 --calls memory,copies -o x"));
	ck_assert_uint_eq(options.ring_bytes, 64 << 20);
	ck_assert_str_eq(options.words[4], "11,12");
	ck_assert_str_eq(options.words[6], "memory,copies");
	ck_assert(parse("-br"));
	ck_assert(options.sort.reverse && !options.sort_given);

	ck_assert(parse(
		"-b --fail-on-leak=2K --allow-no-cuda --run-as root --map all --ring-size 1M --names-memory 64M --exact -- a -b --"));
	ck_assert(options.fail_on_leak && options.allow_no_cuda && options.exact_launches);
	ck_assert_uint_eq(options.leak_bytes, 2048);
	ck_assert_uint_eq(options.map_max, UINT32_MAX);
	ck_assert_uint_eq(options.names_bytes, 64 << 20);
	ck_assert_uint_eq(options.ring_bytes, 1 << 20);
	ck_assert_str_eq(options.command[0], "a");
	ck_assert_str_eq(options.command[1], "-b");
	ck_assert_str_eq(options.command[2], "--");
	ck_assert_ptr_null(options.command[3]);

	ck_assert(!parse("-b --allow-no-cuda -- a"));
	ck_assert(parse("-b --replay a --fail-on-leak --allow-no-cuda"));
	ck_assert(parse("-b --returns never"));
	ck_assert(!parse("-b --returns never --exact-launches"));
	ck_assert(!parse("-b --returns never --stacks"));
	ck_assert(parse("-b --returns never --stacks=auto"));
	ck_assert(parse("-b"));
	ck_assert_int_eq(options.stacks, STACKS_AUTO);
	ck_assert(parse("-b --stacks"));
	ck_assert(options.stacks == STACKS_TAKEN && !options.launch_sites);
	ck_assert(parse("-b --stacks=always"));
	ck_assert(options.stacks == STACKS_ALWAYS && options.launch_sites);
	ck_assert(parse("-b --stacks --stacks=never"));
	ck_assert_int_eq(options.stacks, STACKS_NEVER);
	ck_assert(!parse("-b --stacks=some"));
	ck_assert(!parse("trace -E --stacks"));
	ck_assert(!parse("-b --returns never --launch-sites"));
	ck_assert(parse("record --launch-sites -o x"));
	ck_assert(options.launch_sites);
	ck_assert(!parse("trace --launch-sites"));
	ck_assert(!parse("-b --stacks --returns never"));
	ck_assert(!parse("trace --pairs --returns never"));
	ck_assert(parse("trace --pairs --stacks --returns always"));
	ck_assert(parse(
		"-b --map none --calls all --library a --library b --leak-ignore c --leak-age 0.5"));
	ck_assert_uint_eq(options.map_max, 0);
	ck_assert(options.groups & 1u << GROUP_QUERY);
	ck_assert_uint_eq(options.library_count, 2);
	ck_assert_str_eq(options.leak_ignore[0], "c");
	ck_assert_ptr_null(options.leak_ignore[1]);
	ck_assert_uint_eq(options.leak_age, NSEC_PER_SEC / 2);
	/* a trace prints queries, a snapshot does not count them */
	ck_assert(parse("trace"));
	ck_assert(options.groups & 1u << GROUP_QUERY && options.traced_groups & 1u << GROUP_QUERY);
	ck_assert(!(options.traced_groups & 1u << GROUP_NAME));
	ck_assert(parse("trace --calls default"));
	ck_assert(options.groups & 1u << GROUP_QUERY && options.traced_groups & 1u << GROUP_QUERY);
	ck_assert(parse("record --trace -o a"));
	ck_assert(options.groups & 1u << GROUP_QUERY);
	ck_assert(parse("record -o a"));
	ck_assert(!(options.groups & 1u << GROUP_QUERY));
	ck_assert(parse("-b --calls default"));
	ck_assert(!(options.groups & 1u << GROUP_QUERY));
	ck_assert(parse("trace --calls memory"));
	ck_assert(!(options.groups & 1u << GROUP_QUERY));
	/* what the books need is always probed */
	ck_assert(parse("-b --calls memory"));
	ck_assert(options.groups & 1u << GROUP_DEVICE);
	ck_assert(options.groups & 1u << GROUP_NAME);
}

TEST(test_options_wrong)
{
	/* Others, with what is said of them, are in tests/e2e/test_options.sh. */
	static const char *const wrong[] = {
		"-b -n 1 2",
		"-b -p 1,a",
		"-b --names-memory 31M",
		"-b --names-memory 2T",
		"-b --names-memory lots",
	};
	char line[8192] = "-b";
	size_t i;

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		ck_assert_msg(!parse(wrong[i]), "%s", wrong[i]);
		ck_assert_msg(status == EXIT_USAGE, "%s: %d", wrong[i], status);
	}
	/* lists have an end */
	for (i = 0; i < 300; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%zu", i ? "," : " -p",
			 i + 1);
	{
		char *argv[] = { "cutop", "-b", line + 3, NULL };

		optind = 0;
		ck_assert_int_eq(options_parse(&options, 3, argv, &status), OPTIONS_EXIT);
		ck_assert_int_eq(status, EXIT_USAGE);
	}
}

TEST(test_options_many)
{
	static char *argv[2 * 300 + 3];
	int i, argc = 0;

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	argv[argc++] = "cutop";
	argv[argc++] = "-b";
	for (i = 0; i < 300; i++) {
		argv[argc++] = "--leak-ignore";
		argv[argc++] = "x";
	}
	optind = 0;
	ck_assert_int_eq(options_parse(&options, argc, argv, &status), OPTIONS_EXIT);
	ck_assert_int_eq(status, EXIT_USAGE);
	for (i = 2; i < argc; i += 2)
		argv[i] = "--library";
	optind = 0;
	ck_assert_int_eq(options_parse(&options, argc, argv, &status), OPTIONS_EXIT);
	ck_assert_int_eq(status, EXIT_USAGE);
}

/* ---- who a process is ---- */

static bool matches(const char *command, const char *arguments, const char *comm, const char *glob)
{
	char strings[512] = "", *at = strings;

	at = stpcpy(at, "user") + 1;
	at = stpcpy(at, command) + 1;
	stpcpy(at, arguments);
	return identity_matches(strings, sizeof(strings), comm, glob);
}

TEST(test_listen)
{
	ck_assert(parse("-b"));
	ck_assert(!options.listen && options.metrics_limits.kernels == 20 &&
		  options.metrics_limits.sites == 10);
	ck_assert(parse("-b --listen 9400 --top-kernels 5"));
	ck_assert(options.listen);
	ck_assert_str_eq(options.listen_host, "127.0.0.1");
	ck_assert_uint_eq(options.listen_port, 9400);
	ck_assert_uint_eq(options.metrics_limits.kernels, 5);
	ck_assert(parse("-b --listen 9400 --top-sites 0"));
	ck_assert_uint_eq(options.metrics_limits.sites, 0);
	ck_assert(parse("-b --listen 9400"));
	ck_assert(parse("-b --listen=0.0.0.0:0"));
	ck_assert_str_eq(options.listen_host, "0.0.0.0");
	ck_assert_uint_eq(options.listen_port, 0);
	ck_assert(parse("-b --listen [::1]:80"));
	ck_assert_str_eq(options.listen_host, "::1");
	ck_assert_uint_eq(options.listen_port, 80);
	ck_assert(parse("-b --listen localhost:80"));
	ck_assert(!parse("-b --listen"));
	ck_assert(!parse("-b --listen ::1:80"));
	ck_assert(!parse("-b --listen :80"));
	ck_assert(!parse("-b --listen []:80"));
	ck_assert(!parse("-b --listen [::1]"));
	ck_assert(!parse("-b --listen localhost:"));
	ck_assert(!parse("-b --listen localhost"));
	ck_assert(!parse("-b --listen 65536"));
	ck_assert(!parse("-b --listen -1"));
	ck_assert(!parse("-b --top-kernels 201"));
	ck_assert(!parse("-b --top-kernels 5"));
	ck_assert(!parse("-b --top-sites 5"));
	ck_assert(!parse("-b -f prometheus --top-sites 201"));
	ck_assert(parse("-b -f prometheus --top-sites 5"));
	ck_assert(parse("-b -f prometheus --top-kernels 5"));
	ck_assert(parse("-b --top-kernels 5 -f openmetrics"));
	ck_assert(!parse("doctor --listen 9400"));
}

TEST(test_identity)
{
	const struct outside outside = { .identifier = -1 };
	struct rec_process process = { 0 };
	int error;
	struct rec_identity *identity;

	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "python3"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "/usr/bin/*"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "pt_*"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "*train.py*"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", "python"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", "train.py"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", ""));
	ck_assert(!matches("", "", "", "x"));
	ck_assert(!matches("a\377b", "", "a", "[\377"));
	/* From a file it may be anything. */
	ck_assert(!identity_matches("", 0, "a", "b"));
	ck_assert(!identity_matches("xyz", 3, "a", "xyz"));
	ck_assert(identity_matches("u\0xyz", 5, "a", "xyz"));

	process.hdr.tgid = (uint32_t)getpid();
	process.uid = getuid();
	snprintf(process.comm, sizeof(process.comm), "unit");
	identity = identity_read(&outside, &process, LATE_ALL, NULL, &error);
	ck_assert_ptr_nonnull(identity);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(identity->watched_from, WATCHED_FROM_ATTACH);
	ck_assert(identity_matches(identity->strings, identity->hdr.size - sizeof(*identity), "x",
				   "*test_probe*"));
	free(identity);
	/* gone already: what the record says */
	process.hdr.tgid = 0x7fffffff;
	memset(process.comm, 'y', sizeof(process.comm));
	identity = identity_read(&outside, &process, LATE_NOT, NULL, &error);
	ck_assert_ptr_nonnull(identity);
	ck_assert(identity_matches(identity->strings, identity->hdr.size - sizeof(*identity), "x",
				   "yyyyyy*"));
	free(identity);
}
