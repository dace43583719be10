/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what is wrong, in a sentence each, worst first, of all processes and devices. Enter tells
 * why that matters and what helps, and then leads to where more is told of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"

enum { G_WHO, G_WHAT };

static const struct list_column finding_columns[] = {
	[G_WHO] = { "WHO", .width = 22, .left = true, .rank = 1,
		    .help = "the process, with its pid; or a device" },
	[G_WHAT] = { "WHAT IS WRONG", .least = 12, .left = true, .rank = 0,
		     .help = "in a sentence; Enter: why that matters" },
};

static const struct snap_finding *finding_of(const struct list *list, size_t item)
{
	return (const struct snap_finding *)list->items + item;
}

static const char *who(const struct snap_finding *finding, char out[CELL_TEXT])
{
	if (finding->command)
		snprintf(out, CELL_TEXT, "%.200s %u", command_basename(finding->command),
			 finding->pid);
	else
		snprintf(out, CELL_TEXT, "GPU %d", finding->device);
	return out;
}

static enum style finding_cell(const struct list *list, size_t item, size_t column,
			       char out[CELL_TEXT])
{
	const struct snap_finding *finding = finding_of(list, item);

	if (column == G_WHAT)
		return cell_text(out, ST_PLAIN, finding->text);
	who(finding, out);
	return tone_style(finding->tone);
}

/* They are in an order of their own: worst first. */
static double finding_number(const struct list *list, size_t item, size_t column)
{
	(void)list;
	(void)column;
	return -(double)item;
}

static uint64_t finding_key(const struct list *list, size_t item)
{
	const struct snap_finding *finding = finding_of(list, item);
	/* Which program uses most of a device may change. */
	const uint32_t parts[] = { finding->command ? finding->program : 0,
				   (uint32_t)finding->device };

	return key_text(key_add(KEY_BEGIN, parts, sizeof(parts)), finding->rule);
}

static void finding_details(const struct list *list, size_t item, struct details *details)
{
	const struct snap_finding *finding = finding_of(list, item);
	char text[CELL_TEXT];

	details_text(details, tone_style(finding->tone), "%s", who(finding, text));
	details_text(details, ST_PLAIN, "%s", finding->text);
	details_section(details, "Why it matters, and what helps");
	details_text(details, ST_PLAIN, "%s", finding->why);
	details_section(details, "Found when");
	details_text(details, ST_PLAIN, "%s", finding->when);
	details_text(details, ST_DIM, "Enter goes to it.");
}

/* Where more is told of what it is about. */
static enum pane pane_of(enum finding_about about)
{
	switch (about) {
	case FINDING_SITES: return PANE_SITES;
	case FINDING_COPIES: return PANE_COPIES;
	case FINDING_FAILURES: return PANE_FAILURES;
	case FINDING_CALLS: return PANE_CALLS;
	default: return PANE_MEMORY;
	}
}

static void finding_follow(struct view *view, const struct list *list, size_t item)
{
	const struct snap_finding *finding = finding_of(list, item);
	size_t row;

	for (row = 0; row < view->table.row_count; row++)
		if (view->table.rows[row].process->program == finding->program)
			break;
	if (row == view->table.row_count) {
		char text[CELL_TEXT];

		view_message(view, "%s%.60s is not in the table",
			     finding->command ? "" : "What uses most of ", who(finding, text));
		return;
	}
	rows_select(view, row);
	pane_show(view, pane_of(finding->about));
	focus_set(view, FOCUS_PANE);
}

static int findings_make(struct list *list)
{
	const struct snapshot *snapshot = list->view->shown;
	struct snap_finding *findings = calloc(snapshot->finding_count + 1, sizeof(*findings));

	if (!findings)
		return -ENOMEM;
	memcpy(findings, snapshot->findings, snapshot->finding_count * sizeof(*findings));
	/* Of little, or of few blocks, no rule says that it is wrong. */
	list->empty = !snapshot->leaked ?
			      "Nothing was found." :
			      "No rule found anything; what leaked is in Sites (6) and the log.";
	list->items = findings;
	list->count = snapshot->finding_count;
	return 0;
}

const struct pane_desc pane_findings = {
	.pane = PANE_FINDINGS,
	.title = "Findings",
	.help = "what is wrong, worst first, of all processes",
	.is_of_all = true,
	.columns = finding_columns,
	.column_count = ARRAY_LEN(finding_columns),
	.cell = finding_cell,
	.number = finding_number,
	.key = finding_key,
	.details = finding_details,
	.follow = finding_follow,
	.make = findings_make,
	.draw = details_below_list,
};
