/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where kernels are launched and where threads wait, in a process's block of text: --launch-sites.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cuda/calls.h"
#include "print/text.h"

enum {
	INDENT = 2,
	SITES_SHOWN = 10,
	L_LAUNCHES = 13,
	L_KERNEL = 15,
	W_CALLS = 13,
	W_TIME = 21,
	W_CALL = 23,
	NAME = 32
};

static void print_rest(struct line *line, size_t count, size_t shown)
{
	if (count <= shown)
		return;
	line_to(line, INDENT);
	line_format(line, "... and %zu more", count - shown);
	line_end(line);
}

static void print_launch(struct line *line, const struct snap_launch_site *site)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%s%" PRIu64, site->sampled ? "~" : "", site->launches);
	line_right(line, L_LAUNCHES, text);
	line_to(line, L_KERNEL);
	line_cut(line, site->kernel ? site->kernel->shown : "-", NAME);
	line_to(line, L_KERNEL + NAME + 2);
	line_text(line, site->at.site);
	line_end(line);
}

static void print_wait(struct line *line, const struct snap_wait_site *wait)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, wait->calls);
	line_right(line, W_CALLS, text);
	line_right(line, W_TIME, text_seconds(wait->seconds, text));
	line_to(line, W_CALL);
	line_cut(line, call_name(wait->call), NAME);
	line_to(line, W_CALL + NAME + 2);
	line_text(line, wait->at.site);
	line_end(line);
}

void text_call_sites(struct line *line, const struct snap_process *process)
{
	size_t i;

	if (process->launch_site_count) {
		line_style(line, STYLE_HEAD);
		line_right(line, L_LAUNCHES, "LAUNCHES");
		line_to(line, L_KERNEL);
		line_text(line, "KERNEL");
		line_to(line, L_KERNEL + NAME + 2);
		line_text(line, "LAUNCHED AT");
		line_end(line);
	}
	for (i = 0; i < process->launch_site_count && i < SITES_SHOWN; i++)
		print_launch(line, &process->launch_sites[i]);
	print_rest(line, process->launch_site_count, SITES_SHOWN);
	if (process->wait_site_count) {
		line_style(line, STYLE_HEAD);
		line_right(line, W_CALLS, "WAITS");
		line_right(line, W_TIME, "TIME");
		line_to(line, W_CALL);
		line_text(line, "CALL");
		line_to(line, W_CALL + NAME + 2);
		line_text(line, "WAITED AT");
		line_end(line);
	}
	for (i = 0; i < process->wait_site_count && i < SITES_SHOWN; i++)
		print_wait(line, &process->wait_sites[i]);
	print_rest(line, process->wait_site_count, SITES_SHOWN);
}
